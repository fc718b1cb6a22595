//! What a store can refuse.

use std::path::PathBuf;

use crate::Holder;

/// Why a store did not do what it was asked. Unless it says otherwise, nothing was changed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// Another run writes to this site.
    #[error("run {} of process {} has been writing to this site since {}", .0.run, .0.process, .0.since)]
    Busy(Holder),
    /// The lease was taken over by another run.
    #[error("the lease on this site was taken over by another run; nothing of this one was written since")]
    Fenced,
    /// A change that does not fit what is stored: a caller's fault.
    #[error("{0}")]
    Conflict(String),
    /// No room left.
    #[error("{} is full: {message}", place.display())]
    Full {
        /// The file or folder.
        place: PathBuf,
        /// What the system said.
        message: String,
    },
    /// It may be read, but not written.
    #[error("{} can't be written: {message}", place.display())]
    ReadOnly {
        /// The file or folder.
        place: PathBuf,
        /// What the system said.
        message: String,
    },
    /// Something else than a store of ours, or a damaged one.
    #[error("{} is no store that can be used: {message}", place.display())]
    Unusable {
        /// The file or folder.
        place: PathBuf,
        /// What is wrong with it.
        message: String,
    },
    /// Made by a newer wholesite.
    #[error("{} has schema {found}, this wholesite knows {known} and older; use a newer one", place.display())]
    TooNew {
        /// The file or folder.
        place: PathBuf,
        /// Its version.
        found: u32,
        /// The newest that is known here.
        known: u32,
    },
    /// The operating system or the database failed in some other way.
    #[error("the store failed: {0}")]
    Io(String),
    /// Nobody knows whether the batch was written. Reading tells.
    #[error("it is unknown whether the last write happened: {0}")]
    Uncertain(String),
}

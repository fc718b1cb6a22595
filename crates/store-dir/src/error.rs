//! What the system says, in the words of the contract.

use std::io::{self, ErrorKind};
use std::path::Path;

use wholesite_store::StoreError;

/// What the system said of a file or folder.
pub(crate) fn of(place: &Path, cause: &io::Error) -> StoreError {
    let place = place.to_owned();
    match cause.kind() {
        ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem => {
            StoreError::ReadOnly { place, message: format!("{cause}; choose another place with --store") }
        }
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded => {
            StoreError::Full { place, message: format!("{cause}; make room and run again") }
        }
        ErrorKind::IsADirectory | ErrorKind::NotADirectory | ErrorKind::AlreadyExists => {
            StoreError::Unusable { place, message: format!("{cause}; move it away and run again") }
        }
        _ => StoreError::Io(format!("{}: {cause}", place.display())),
    }
}

/// Something that is not as this crate would have left it.
pub(crate) fn unusable(place: &Path, message: impl Into<String>) -> StoreError {
    StoreError::Unusable { place: place.to_owned(), message: message.into() }
}

/// A file of ours that does not read as we wrote it.
pub(crate) fn damaged(place: &Path, what: impl std::fmt::Display) -> StoreError {
    unusable(
        place,
        format!(
            "it is damaged: {what}; bring it back from a backup, or move the site's folder away and sync again"
        ),
    )
}

/// A symbolic link where only files and folders of ours may be.
pub(crate) fn link(place: &Path) -> StoreError {
    unusable(place, "it is a symbolic link, and this store never goes through one; remove it and run again")
}

/// The same error for each caller of a group.
pub(crate) fn again(error: &StoreError) -> StoreError {
    match error {
        StoreError::Busy(holder) => StoreError::Busy(holder.clone()),
        StoreError::Fenced => StoreError::Fenced,
        StoreError::Conflict(message) => StoreError::Conflict(message.clone()),
        StoreError::Full { place, message } => {
            StoreError::Full { place: place.clone(), message: message.clone() }
        }
        StoreError::ReadOnly { place, message } => {
            StoreError::ReadOnly { place: place.clone(), message: message.clone() }
        }
        StoreError::Unusable { place, message } => {
            StoreError::Unusable { place: place.clone(), message: message.clone() }
        }
        StoreError::TooNew { place, found, known } => {
            StoreError::TooNew { place: place.clone(), found: *found, known: *known }
        }
        StoreError::Uncertain(message) => StoreError::Uncertain(message.clone()),
        StoreError::Io(message) => StoreError::Io(message.clone()),
        other => StoreError::Io(other.to_string()),
    }
}

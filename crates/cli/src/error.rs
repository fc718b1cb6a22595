//! What can go wrong before or beside a discovery, and what to do about it.

use std::io;
use std::path::PathBuf;

use wholesite::SyncError;
use wholesite::store::StoreError;

use crate::Exit;

#[derive(Debug, thiserror::Error)]
pub(crate) enum Failure {
    #[error("`{text}` is neither a URL nor a folder: {why}")]
    Source { text: String, why: String },
    #[error("`{text}` is no web address: {why}")]
    Url { text: String, why: String },
    #[error("`{pattern}` is no glob: {why}")]
    Glob { pattern: String, why: String },
    #[error("`{text}` is no header: {why}")]
    Header { text: String, why: String },
    #[error("{}: {cause}", path.display())]
    File { path: PathBuf, cause: io::Error },
    #[error(transparent)]
    Folder(#[from] wholesite::FolderError),
    #[error(transparent)]
    Recording(#[from] wholesite::recording::RecordingError),
    #[error("the HTTP client can't be set up: {0}")]
    Client(String),
    #[error(transparent)]
    Store(#[from] wholesite::store::StoreError),
    #[error(transparent)]
    Sync(#[from] wholesite::SyncError),
    #[error("{}: {why}", path.display())]
    Config { path: PathBuf, why: String },
    #[error("{what}")]
    Wrong { what: String, help: &'static str },
    #[error("{what}")]
    No { what: String, help: &'static str },
    #[error("the output can't be written: {0}")]
    Output(#[from] io::Error),
}

impl Failure {
    /// What the user can do.
    pub(crate) fn help(&self) -> Option<&'static str> {
        match self {
            Failure::Source { .. } => {
                Some("give an address such as https://docs.example.com, or a path that exists")
            }
            Failure::Url { .. } => Some("addresses begin with https:// or http://"),
            Failure::Glob { .. } => Some("for example '/guides/**' or 'https://cdn.example.com/**'"),
            Failure::Header { .. } => Some("for example -H 'Authorization: Bearer …'"),
            Failure::Wrong { help, .. } | Failure::No { help, .. } => Some(help),
            Failure::Store(StoreError::Busy(_)) | Failure::Sync(SyncError::Store(StoreError::Busy(_))) => {
                Some("wait for it to end, or stop that process; `wholesite status` shows how far it is")
            }
            Failure::Sync(SyncError::NothingDiscovered { .. }) => {
                Some("`discover SOURCE` shows what was read and what stands in the way")
            }
            _ => None,
        }
    }

    pub(crate) fn exit(&self) -> Exit {
        match self {
            Failure::Source { .. } | Failure::Url { .. } | Failure::Glob { .. } | Failure::Header { .. } => {
                Exit::Usage
            }
            Failure::Wrong { .. } | Failure::Config { .. } => Exit::Usage,
            Failure::No { .. } => Exit::No,
            Failure::Store(StoreError::Busy(_)) | Failure::Sync(SyncError::Store(StoreError::Busy(_))) => {
                Exit::Busy
            }
            Failure::Sync(SyncError::Refused(_)) => Exit::Refused,
            _ => Exit::Failed,
        }
    }
}

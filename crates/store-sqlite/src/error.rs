//! What SQLite says, in the words of the contract.

use std::io::{self, ErrorKind};
use std::path::Path;

use rusqlite::ErrorCode;
use wholesite_store::StoreError;

pub(crate) fn of(place: &Path, error: rusqlite::Error) -> StoreError {
    let place = place.to_owned();
    let message = error.to_string();
    match error.sqlite_error_code() {
        Some(ErrorCode::DiskFull) => {
            StoreError::Full { place, message: format!("{message}; make room and run again") }
        }
        Some(
            ErrorCode::ReadOnly | ErrorCode::PermissionDenied | ErrorCode::AuthorizationForStatementDenied,
        ) => StoreError::ReadOnly { place, message: format!("{message}; choose another place with --store") },
        Some(ErrorCode::CannotOpen) => StoreError::Unusable {
            place,
            message: format!("{message}; is the path right, and may it be read?"),
        },
        Some(ErrorCode::NotADatabase) => StoreError::Unusable {
            place,
            message: "it is no SQLite file; choose another place with --store".to_owned(),
        },
        Some(ErrorCode::DatabaseCorrupt) => {
            StoreError::Unusable { place, message: format!("{message}; move it away and sync again") }
        }
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => StoreError::Io(format!(
            "{}: {message}; another process is writing to it, try again when it is done",
            place.display()
        )),
        _ => StoreError::Io(format!("{}: {message}", place.display())),
    }
}

/// What the system says of a file or folder that is to be made or written.
pub(crate) fn of_system(place: &Path, cause: &io::Error) -> StoreError {
    let place = place.to_owned();
    match cause.kind() {
        ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem => {
            StoreError::ReadOnly { place, message: format!("{cause}; choose another place with --store") }
        }
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded => {
            StoreError::Full { place, message: format!("{cause}; make room and run again") }
        }
        ErrorKind::IsADirectory | ErrorKind::NotADirectory | ErrorKind::AlreadyExists => {
            StoreError::Unusable { place, message: format!("{cause}; choose another place with --store") }
        }
        _ => StoreError::Io(format!("{}: {cause}", place.display())),
    }
}

/// A row that this version can't read: damaged, or written by another program.
pub(crate) fn unreadable(place: &Path, what: &str, error: &dyn std::fmt::Display) -> StoreError {
    StoreError::Unusable { place: place.to_owned(), message: format!("{what} can't be read: {error}") }
}

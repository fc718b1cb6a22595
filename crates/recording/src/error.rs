//! What can be wrong with a recording, and what to do about it.

use std::io;
use std::path::PathBuf;

/// Why a recording can't be opened.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RecordingError {
    /// A file or folder can't be read.
    #[error("{}: {cause}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// Why.
        #[source]
        cause: io::Error,
    },
    /// A TOML file that is not in the format; the message names line, column and the keys there are.
    #[error("{}: {message}", path.display())]
    Toml {
        /// The file.
        path: PathBuf,
        /// What is wrong, where.
        message: String,
    },
    /// A route that makes no sense.
    #[error("{}: route `{route}`: {message}", path.display())]
    Route {
        /// The file.
        path: PathBuf,
        /// The route's path or URL as written.
        route: String,
        /// What is wrong, and what would be right.
        message: String,
    },
    /// A WARC file that is broken; the message names the byte.
    #[error("{}: {fault}", path.display())]
    Warc {
        /// The file.
        path: PathBuf,
        /// What is wrong, where.
        #[source]
        fault: wholesite_warc::WarcError,
    },
    /// A WARC file that does not say where a discovery starts, since it holds no answer of a web page.
    #[error("{}: no answer to a web address is in this file", path.display())]
    Empty {
        /// The file.
        path: PathBuf,
    },
    /// A file under `routes/` that leads out of the recording.
    #[error("{}: symbolic links are not followed; put the file itself there", path.display())]
    Link {
        /// The link.
        path: PathBuf,
    },
}

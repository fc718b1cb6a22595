//! What can be wrong with a WARC file, and where.

use std::io;

/// A fault at a place of the file.
#[derive(Debug, thiserror::Error)]
#[error("byte {offset}: {fault}")]
pub struct WarcError {
    /// Where the record begins that is at fault, or what stands in its place: a byte of the file, before
    /// decompression.
    pub offset: u64,
    /// What is wrong.
    #[source]
    pub fault: Fault,
}

/// What is wrong.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Fault {
    /// The file can't be read.
    #[error("{0}")]
    Io(io::Error),
    /// Something else stands where a record has to begin.
    #[error("a WARC record has to begin here, but there is {found:?}")]
    NoRecord {
        /// The first bytes of it.
        found: String,
    },
    /// A version that is not read.
    #[error("{found:?} is no version of WARC that is read (1.0 and 1.1 are)")]
    Version {
        /// As it stands there.
        found: String,
    },
    /// A record's header that is not in the format.
    #[error("the header of this record is broken: {why}")]
    Header {
        /// What is wrong.
        why: String,
    },
    /// A record's header without end.
    #[error("the header of this record is longer than {limit} bytes")]
    HeaderTooLong {
        /// The longest one that is read.
        limit: usize,
    },
    /// The file ends within the record.
    #[error("the file ends within {within} of this record")]
    Truncated {
        /// Its part.
        within: &'static str,
    },
    /// `Content-Length` does not lead to the end of the record.
    #[error("this record does not end where its Content-Length of {length} says")]
    Length {
        /// As announced.
        length: u64,
    },
    /// Compressed data that is broken.
    #[error("the gzip member of this record is broken: {0}")]
    Gzip(io::Error),
    /// A gzip member that goes on behind its record.
    #[error(
        "more than one record in one gzip member, so none of them can be found again (`warcio recompress` \
         gives each its own)"
    )]
    SharedMember,
    /// A block that is larger than the caller takes.
    #[error("the block of this record is larger than {limit} bytes")]
    BlockTooLarge {
        /// The caller's limit.
        limit: u64,
    },
}

impl Fault {
    /// What an error of a reader means, in a plain or a compressed record.
    pub(crate) fn of(error: io::Error, within: &'static str, compressed: bool) -> Fault {
        match error.kind() {
            io::ErrorKind::UnexpectedEof => Fault::Truncated { within },
            io::ErrorKind::InvalidData | io::ErrorKind::InvalidInput if compressed => Fault::Gzip(error),
            _ => Fault::Io(error),
        }
    }

    pub(crate) fn at(self, offset: u64) -> WarcError {
        WarcError { offset, fault: self }
    }
}

//! WARC files (ISO 28500:2017, version 1.1; 1.0 is read too), plain or with one gzip member a record.
//!
//! | module | task |
//! | --- | --- |
//! | `reader` | records in order, each with its offset; a block is read or passed over |
//! | `header` | the named fields of a record |
//! | `index` | where each capture stands; bodies are read when they are asked for |
//! | `http` | an HTTP message in a block: head, chunks, content codings, all within bounds |
//! | `writer` | exchanges, failures and the file's own description, the same bytes for the same input |
//!
//! What can't be trusted is an error with its offset, never a shorter text: a record that was cut, a
//! body that ends before its announced length, a digest that does not match, a revisit whose original
//! is not in the file.
//!
//! **Why not a library**: the `warc` crate (0.4) reads lines without bound, knows neither offsets nor
//! members (so no record can be found again), checks and writes no digests, and keeps fields in a hash
//! map, so the same records come out as other bytes each time.
//!
//! **Deliberately absent**: files, sockets, clocks, randomness: `Read`, `Seek` and `Write` come from
//! the caller, and so do times and the name of the run.

mod capture;
mod coding;
mod digest;
mod error;
mod header;
mod http;
mod index;
mod reader;
mod writer;

pub use capture::{CaptureError, Captured, FailureKind};
pub use coding::{CodingError, MAX_RATIO};
pub use digest::sha1_label;
pub use error::{Fault, WarcError};
pub use header::{RecordHeader, RecordType, Version, parse_fields};
pub use http::{HttpError, HttpResponse};
pub use index::{Capture, CaptureKind, Index};
pub use reader::WarcReader;
pub use writer::{Compression, Exchange, Failed, Info, WarcWriter};

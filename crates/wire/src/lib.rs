//! The shapes that others read: the JSON of `discover`, versioned.
//!
//! Domain types are not serialized; what leaves the process is written here, so that a change of
//! the inside cannot change a wire by accident. Fields may be added; names and meanings stay
//! ([`SCHEMA_VERSION`]).
//!
//! **Deliberately absent**: I/O, decisions.

mod links;
mod report;

pub use links::{DocumentVerdict, LinkRecord, VerdictLine};
pub use report::{
    BlockerRecord, EvidenceRecord, LedgerLink, Line, PageRecord, PlaceRecord, Report, SourceRecord, Summary,
};

/// The version of every shape in this crate.
pub const SCHEMA_VERSION: u32 = 1;

//! Where a page is, and where in a text a link stands.
//!
//! The ladder that a link climbs: a *reference* as written → [`SiteUrl`] (absolute, normalised) →
//! its place relative to a [`Scope`] → the [`PageKey`] under which spellings of one page meet → the
//! [`StorePath`] it is kept under. Each rung is a type, so nobody checks twice.
//!
//! **Deliberately absent**: I/O, clocks, async, any knowledge of documents or sites beyond their
//! addresses.

mod fold;
mod normalize;
mod page_key;
mod place;
mod plain;
mod reference;
mod scope;
mod site_url;
mod store_path;

pub use fold::Fold;
pub use page_key::PageKey;
pub use place::{LineIndex, Place};
pub use reference::{Base, ReferenceError, Resolved};
pub use scope::{Scope, Within};
pub use site_url::SiteUrl;
pub use store_path::{StorePath, StorePathError};

/// The longest URL that is taken for one, in bytes. RFC 9110 §4.1 asks every party to handle at
/// least 8,000 octets; nobody can rely on more.
pub const MAX_URL_BYTES: usize = 8_000;

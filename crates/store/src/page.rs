//! Pages as they are kept.

use serde::{Deserialize, Serialize};
use wholesite_address::{SiteUrl, StorePath};

use crate::persist::{text, texts};
use crate::{Digest, Timestamp};

/// What is known of a live page besides its text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Record {
    /// Where it is kept; one record a path.
    #[serde(with = "text")]
    pub path: StorePath,
    /// Its address for people.
    #[serde(with = "text")]
    pub url: SiteUrl,
    /// The address it was fetched from.
    #[serde(with = "text")]
    pub fetch_url: SiteUrl,
    /// Its title.
    pub title: Option<String>,
    /// Other addresses that lead to it: redirects, and what it was called before it moved.
    #[serde(with = "texts", default)]
    pub aliases: Vec<SiteUrl>,
    /// What its text was made from.
    pub representation: Representation,
    /// The digest of its text.
    #[serde(with = "text")]
    pub digest: Digest,
    /// Bytes of its text.
    pub bytes: u64,
    /// Grows with every publication within a site; a store assigns it, a caller's value is ignored.
    pub revision: u64,
    /// What to send along next time to be told that nothing changed.
    pub validators: Validators,
    /// Which rules made the text: version of the cleaning and whatever else bears on it. Validators
    /// are void where it differs from today's.
    pub made_by: String,
    /// When the page was first published. A page that moved keeps it.
    pub first_seen: Timestamp,
    /// When its text last changed.
    pub changed: Timestamp,
    /// When the site last served it, as far as this record was written since.
    pub alive: Timestamp,
}

/// What a page's text was made from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Representation {
    /// Markdown or MDX as the site serves it.
    Markdown,
    /// HTML.
    Html,
    /// Plain text.
    Text,
}

impl Representation {
    /// The name on every wire.
    pub fn name(self) -> &'static str {
        match self {
            Representation::Markdown => "markdown",
            Representation::Html => "html",
            Representation::Text => "text",
        }
    }
}

/// Validators of HTTP (RFC 9110 §8.8), as they were received.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Validators {
    /// The `ETag`.
    pub etag: Option<String>,
    /// The `Last-Modified`.
    pub last_modified: Option<String>,
}

/// A live page, whole: its record and its text, of one revision.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Page {
    /// What is known of it.
    pub record: Record,
    /// Its text, in Markdown.
    pub text: String,
}

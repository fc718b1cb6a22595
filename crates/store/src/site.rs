//! Sites, and what is remembered of each from run to run.

use std::fmt;

use serde::{Deserialize, Serialize};
use wholesite_address::{Scope, SiteUrl, StorePath};

use crate::Timestamp;
use crate::persist::texts;

/// Names a site in a store: the address below which it lies, such as `https://docs.example.com/` or
/// `https://example.com/docs`.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SiteKey(String);

/// Why a text names no site.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{text}` names no site: {why}")]
pub struct SiteKeyError {
    text: String,
    why: String,
}

impl SiteKey {
    /// The site that an address lies in when nothing else is known. An index (a file such as
    /// `llms.txt` or `sitemap.xml`) stands for its folder.
    pub fn of(seed: &SiteUrl) -> Self {
        let is_file = seed.last_segment().rsplit_once('.').is_some_and(|(stem, extension)| {
            !stem.is_empty() && matches!(extension, "txt" | "xml" | "gz" | "json" | "md" | "html")
        });
        let scope = if is_file { Scope::folder_of(seed) } else { Scope::below(seed) };
        SiteKey(scope.to_string())
    }

    /// A key as it prints.
    ///
    /// # Errors
    /// The text is no such address.
    pub fn parse(text: &str) -> Result<Self, SiteKeyError> {
        SiteUrl::parse(text)
            .map(|url| SiteKey(Scope::below(&url).to_string()))
            .map_err(|error| SiteKeyError { text: text.to_owned(), why: error.to_string() })
    }

    /// The key as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for SiteKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// What is remembered of a site.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct SiteState {
    /// What the user asked to sync.
    pub source: String,
    /// The last run that ended.
    pub last_run: Option<String>,
    /// When it ended. Every live page that is neither failing nor absent was served then.
    pub last_ended: Option<Timestamp>,
    /// The last complete listing: what later ones are measured by.
    pub baseline: Option<Baseline>,
    /// Withdrawals that a guard held back, for a person to look at.
    pub held: Option<HeldPlan>,
    /// Fingerprints of what the site shows, with status 200, for addresses that don't exist; empty where
    /// it answers them as it should.
    pub soft_404: Vec<u64>,
}

/// A complete listing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Baseline {
    /// The run that made it.
    pub run: String,
    /// When.
    pub at: Timestamp,
    /// How many pages it listed.
    pub listed: u64,
    /// The configuration it was made under.
    pub fingerprint: String,
    /// The origin and base path that the site had then.
    #[serde(default)]
    pub scope: String,
    /// What it was read from, as the run was given it; empty where that is not known.
    #[serde(default)]
    pub source: String,
}

/// Withdrawals that a guard held back.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct HeldPlan {
    /// The run that made it; also its name.
    pub run: String,
    /// When.
    pub at: Timestamp,
    /// The pages that would be withdrawn, sorted.
    #[serde(with = "texts")]
    pub paths: Vec<StorePath>,
    /// Which guards hold it, in words.
    pub why: Vec<String>,
}

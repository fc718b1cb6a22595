//! What went wrong with single pages, from run to run.

use serde::{Deserialize, Serialize};
use wholesite_address::{SiteUrl, StorePath};

use crate::Timestamp;
use crate::persist::text;

/// A page that the site lists and that could not be had. Its published version, if there is one,
/// stays.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Failing {
    /// Where it would be kept.
    #[serde(with = "text")]
    pub path: StorePath,
    /// Its address.
    #[serde(with = "text")]
    pub url: SiteUrl,
    /// The kind of the last failure, such as `http_404` or `timeout`.
    pub code: String,
    /// The last failure in words, with its chain of causes.
    pub cause: String,
    /// Requests that were sent in the last run.
    pub attempts: u32,
    /// Runs in a row that failed.
    pub runs: u32,
    /// The last of them that failed in this very way.
    #[serde(default)]
    pub same: u32,
    /// When it failed first.
    pub since: Timestamp,
    /// When it failed last.
    pub last: Timestamp,
}

/// A stored page that no index lists any more, and that the site said is gone in some way, but that
/// was not withdrawn so far.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Absence {
    /// The page.
    #[serde(with = "text")]
    pub path: StorePath,
    /// Complete runs that found it gone, in a row. A run that could not tell neither counts nor
    /// resets.
    pub runs: u32,
    /// Runs among them in which it was a soft 404 rather than a plain one.
    pub soft: u32,
    /// The first of them.
    pub since: Timestamp,
    /// The last of them.
    pub last: Timestamp,
    /// The configuration they were made under; another one starts the count again.
    pub fingerprint: String,
    /// What the site said last, in words.
    pub evidence: String,
}

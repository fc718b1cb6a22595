//! `expected.toml`: what a discovery of the site has to find.

use std::collections::BTreeMap;

use serde::Deserialize;

/// The true answer to a recorded site.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Expected {
    /// Whether the discovery can know that it saw everything.
    pub complete: bool,
    /// The store paths of all pages.
    pub pages: Vec<String>,
    /// Old addresses and the pages that they lead to, as paths or URLs.
    #[serde(default)]
    pub aliases: BTreeMap<String, String>,
    /// The blockers; each must be found, and no other.
    #[serde(default, rename = "blocker")]
    pub blockers: Vec<ExpectedBlocker>,
    /// Counts of dispositions that are to be checked.
    #[serde(default)]
    pub counts: BTreeMap<String, usize>,
}

/// One blocker that must be found.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ExpectedBlocker {
    /// Its code.
    pub code: String,
    /// Its address.
    pub url: String,
}

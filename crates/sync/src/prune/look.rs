//! What a page says of itself.

use std::time::Duration;

use wholesite_address::StorePath;

/// All addresses of a page, asked at one moment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Look {
    /// When the last of its answers came, since the run began, by a clock that only goes forward.
    pub at: Duration,
    /// What they said together.
    pub said: Said,
    /// The answers in words.
    pub evidence: String,
}

/// What the addresses of a page said together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Said {
    /// One of them served the page's own content.
    Alive,
    /// All of them answered 404 or 410, or exactly what a random address beside them got.
    Gone,
    /// As [`Said::Gone`], but at least one did so with status 200 and the page that this site shows
    /// for addresses that don't exist.
    SoftGone,
    /// They lead for good to another page, which is listed, alive and stored in this run.
    Moved {
        /// That page.
        to: StorePath,
    },
    /// Anything else: errors, time-outs, logins, temporary redirects, pages that many share.
    Unknown,
}

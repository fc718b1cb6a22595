//! What was before.

use serde::{Deserialize, Serialize};

use crate::persist::text;
use crate::{Digest, Timestamp};

/// One run of a sync, as the store remembers it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunRecord {
    /// Names the run; ids sort by time.
    pub id: String,
    /// When it began.
    pub started: Timestamp,
    /// When it ended; `None` for a run that is under way or was cut off.
    pub ended: Option<Timestamp>,
    /// `running`, `unchanged`, `completed`, `partial`, `cancelled`, `failed`.
    pub status: String,
    /// Its report as JSON; a store does not look into it.
    pub report: String,
}

/// A publication of a page.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RevisionInfo {
    /// The revision.
    pub revision: u64,
    /// The run that published it.
    pub run: String,
    /// When.
    pub at: Timestamp,
    /// The digest of the text.
    #[serde(with = "text")]
    pub digest: Digest,
    /// Bytes of the text.
    pub bytes: u64,
    /// The title.
    pub title: Option<String>,
}

/// A publication of a page with its text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Revision {
    /// What is known of it.
    pub info: RevisionInfo,
    /// The text as it was.
    pub text: String,
}

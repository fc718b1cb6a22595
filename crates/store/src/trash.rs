//! Pages that were withdrawn.

use serde::{Deserialize, Serialize};
use wholesite_address::StorePath;

use crate::persist::text;
use crate::{Page, Timestamp};

/// Why a page leaves the live set.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Withdrawal {
    /// What became of it.
    pub fate: Fate,
    /// The run that decided.
    pub run: String,
    /// When.
    pub at: Timestamp,
    /// What it rests on, in words.
    pub evidence: String,
}

/// What became of a page.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "fate", rename_all = "snake_case")]
pub enum Fate {
    /// The site says that it is not there.
    Gone,
    /// Still served, but in no index, and the user wants such pages withdrawn.
    Unlisted,
    /// It lives on under another path.
    Moved {
        /// That path.
        #[serde(with = "text")]
        to: StorePath,
    },
}

impl Fate {
    /// The name on every wire.
    pub fn name(&self) -> &'static str {
        match self {
            Fate::Gone => "gone",
            Fate::Unlisted => "unlisted",
            Fate::Moved { .. } => "moved",
        }
    }
}

/// A page in the trash: all of it, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Trashed {
    /// Names this entry within its site; one path may have been withdrawn more than once.
    pub id: u64,
    /// The page, exactly as it was.
    pub page: Page,
    /// Why it is here.
    pub withdrawal: Withdrawal,
}

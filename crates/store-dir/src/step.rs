//! What the journal says of a change: everything but the texts, and what the store added to it.

use serde::{Deserialize, Serialize};
use wholesite_address::StorePath;
use wholesite_store::{
    Absence, Digest, Failing, Record, RevisionInfo, RunRecord, SiteState, Timestamp, Withdrawal,
};

/// A [`Change`](wholesite_store::Change) as it was done: with its revision, and the file that the
/// page got.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Step {
    Publish {
        record: Box<Record>,
        run: String,
        file: String,
    },
    Describe(Box<Record>),
    Withdraw {
        #[serde(with = "path")]
        path: StorePath,
        why: Withdrawal,
    },
    Restore {
        id: u64,
        file: String,
    },
    Purge {
        id: u64,
    },
    SetFailing(Failing),
    ClearFailing(#[serde(with = "path")] StorePath),
    SetAbsence(Absence),
    ClearAbsence(#[serde(with = "path")] StorePath),
    SetState(Box<SiteState>),
    SaveRun(Box<RunRecord>),
    ForgetRevisions {
        replaced_before: Timestamp,
    },
}

/// A live page.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Live {
    pub(crate) record: Record,
    /// Where people find it, below the site's folder.
    pub(crate) file: String,
}

/// An entry of the trash.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Entry {
    pub(crate) record: Record,
    pub(crate) withdrawal: Withdrawal,
}

/// A revision that is kept.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Kept {
    pub(crate) info: RevisionInfo,
    pub(crate) replaced: Option<Timestamp>,
}

/// What names a text, and tells whether it is whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct TextId {
    pub(crate) revision: u64,
    pub(crate) digest: Digest,
}

impl TextId {
    pub(crate) fn of(record: &Record) -> Self {
        TextId { revision: record.revision, digest: record.digest }
    }
}

/// For `#[serde(with = …)]` on a store path.
pub(crate) mod path {
    use serde::de::{Deserialize, Deserializer, Error};
    use serde::ser::Serializer;
    use wholesite_address::StorePath;

    pub(crate) fn serialize<S: Serializer>(path: &StorePath, out: S) -> Result<S::Ok, S::Error> {
        out.serialize_str(path.as_str())
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(input: D) -> Result<StorePath, D::Error> {
        StorePath::parse(&String::deserialize(input)?).map_err(D::Error::custom)
    }
}

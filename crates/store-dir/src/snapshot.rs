//! The whole manifest as one file, which the journal then goes on from.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use wholesite_address::StorePath;
use wholesite_store::{Absence, Failing, RunRecord, SiteState};

use crate::manifest::Manifest;
use crate::seal;
use crate::step::{Entry, Kept, Live, path};

/// The newest layout that is known here.
pub(crate) const FORMAT: u32 = 1;

#[derive(Serialize, Deserialize)]
struct Snapshot {
    format: u32,
    number: u64,
    /// The checksum of the last batch.
    last: String,
    token: u64,
    revision: u64,
    trash_id: u64,
    state: Option<SiteState>,
    pages: Vec<Live>,
    past: Vec<Past>,
    trash: BTreeMap<u64, Entry>,
    failing: Vec<Failing>,
    absent: Vec<Absence>,
    runs: Vec<RunRecord>,
}

#[derive(Serialize, Deserialize)]
struct Past {
    #[serde(with = "path")]
    path: StorePath,
    revisions: Vec<Kept>,
}

/// Only the format, which must be readable whatever else changes.
#[derive(Deserialize)]
struct Format {
    format: u32,
}

/// Why a snapshot can't be used.
pub(crate) enum Bad {
    Damaged(String),
    TooNew(u32),
}

/// The manifest as text; `last` is the checksum of the last batch.
pub(crate) fn write(manifest: &Manifest, last: &str) -> Result<String, serde_json::Error> {
    let snapshot = Snapshot {
        format: FORMAT,
        number: manifest.number,
        last: last.to_owned(),
        token: manifest.token,
        revision: manifest.revision,
        trash_id: manifest.trash_id,
        state: manifest.state.clone(),
        pages: manifest.pages.values().cloned().collect(),
        past: (manifest.past.iter())
            .map(|(path, revisions)| Past { path: path.clone(), revisions: revisions.clone() })
            .collect(),
        trash: manifest.trash.clone(),
        failing: manifest.failing.values().cloned().collect(),
        absent: manifest.absent.values().cloned().collect(),
        runs: manifest.runs.values().cloned().collect(),
    };
    Ok(seal::seal("manifest", &serde_json::to_string(&snapshot)?).0 + "\n")
}

/// The manifest, and the checksum of its last batch.
pub(crate) fn read(text: &str) -> Result<(Manifest, String), Bad> {
    let (json, _) = seal::open("manifest", text.trim_end())
        .ok_or_else(|| Bad::Damaged("its checksum does not fit".to_owned()))?;
    let damaged = |cause: &dyn std::fmt::Display| Bad::Damaged(cause.to_string());
    let Format { format } = serde_json::from_str(json).map_err(|cause| damaged(&cause))?;
    if format > FORMAT {
        return Err(Bad::TooNew(format));
    }
    let read: Snapshot = serde_json::from_str(json).map_err(|cause| damaged(&cause))?;
    let mut manifest = Manifest {
        number: read.number,
        token: read.token,
        revision: read.revision,
        trash_id: read.trash_id,
        state: read.state,
        past: read.past.into_iter().map(|past| (past.path, past.revisions)).collect(),
        trash: read.trash,
        failing: read.failing.into_iter().map(|failing| (failing.path.clone(), failing)).collect(),
        absent: read.absent.into_iter().map(|absence| (absence.path.clone(), absence)).collect(),
        runs: read.runs.into_iter().map(|run| (run.id.clone(), run)).collect(),
        ..Manifest::default()
    };
    for live in read.pages {
        manifest.place(live.record, live.file).map_err(|cause| damaged(&cause))?;
    }
    manifest.wrote.clear();
    Ok((manifest, read.last))
}

//! Everything that is known of a site but its texts, and how a batch changes it.

use std::collections::{BTreeMap, BTreeSet};

use wholesite_address::StorePath;
use wholesite_store::{
    Absence, Change, Digest, Failing, Record, RevisionInfo, RunRecord, SiteState, StoreError, Timestamp,
};

use crate::files::Files;
use crate::step::{Entry, Kept, Live, Step};

/// What is known of a site.
#[derive(Debug, Default)]
pub(crate) struct Manifest {
    /// How many batches were written.
    pub(crate) number: u64,
    /// The token of the last of them.
    pub(crate) token: u64,
    pub(crate) revision: u64,
    pub(crate) trash_id: u64,
    pub(crate) state: Option<SiteState>,
    pub(crate) pages: BTreeMap<StorePath, Live>,
    pub(crate) past: BTreeMap<StorePath, Vec<Kept>>,
    pub(crate) trash: BTreeMap<u64, Entry>,
    pub(crate) failing: BTreeMap<StorePath, Failing>,
    pub(crate) absent: BTreeMap<StorePath, Absence>,
    pub(crate) runs: BTreeMap<String, RunRecord>,
    pub(crate) files: Files,
    /// What this store put into files since the last snapshot: content that may be replaced, and
    /// files that may be removed.
    pub(crate) wrote: BTreeMap<String, BTreeSet<Digest>>,
}

impl Manifest {
    /// Whether every change of a batch fits, given those before it.
    pub(crate) fn check(&self, batch: &[Change]) -> Result<(), StoreError> {
        let mut live: BTreeMap<&StorePath, bool> = BTreeMap::new();
        // Entries of the trash that the batch adds, and takes away.
        let mut added: BTreeMap<u64, &StorePath> = BTreeMap::new();
        let mut taken: BTreeSet<u64> = BTreeSet::new();
        for change in batch {
            let is_live = |path: &StorePath, live: &BTreeMap<&StorePath, bool>| {
                live.get(path).copied().unwrap_or_else(|| self.pages.contains_key(path))
            };
            match change {
                Change::Publish { page, .. } => {
                    live.insert(&page.record.path, true);
                }
                Change::Describe(record) if !is_live(&record.path, &live) => {
                    return Err(StoreError::Conflict(not_live(&record.path)));
                }
                Change::Withdraw { path, .. } => {
                    if !is_live(path, &live) {
                        return Err(StoreError::Conflict(not_live(path)));
                    }
                    live.insert(path, false);
                    added.insert(self.trash_id + 1 + added.len() as u64, path);
                }
                Change::Restore { id } => {
                    let stored = self.trash.get(id).map(|entry| &entry.record.path);
                    let path = stored
                        .or_else(|| added.get(id).copied())
                        .filter(|_| !taken.contains(id))
                        .ok_or_else(|| StoreError::Conflict(no_entry(*id)))?;
                    if is_live(path, &live) {
                        return Err(StoreError::Conflict(format!(
                            "{path} is live; withdraw that page first"
                        )));
                    }
                    live.insert(path, true);
                    taken.insert(*id);
                }
                Change::Purge { id } => {
                    taken.insert(*id);
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// Does one change, and tells how. The text of a page is for the caller to keep.
    ///
    /// # Errors
    /// In words, where the batch was not checked.
    pub(crate) fn change(&mut self, change: Change) -> Result<(Step, Option<String>), String> {
        let mut text = None;
        let step = match change {
            Change::Publish { page, run } => {
                let mut record = page.record;
                record.revision = self.revision + 1;
                let file = self.file_of(&record.path);
                text = Some(page.text);
                Step::Publish { record: Box::new(record), run, file }
            }
            Change::Describe(record) => Step::Describe(record),
            Change::Withdraw { path, why } => Step::Withdraw { path, why },
            Change::Restore { id } => {
                let entry = self.trash.get(&id).ok_or_else(|| no_entry(id))?;
                Step::Restore { id, file: self.file_of(&entry.record.path) }
            }
            Change::Purge { id } => Step::Purge { id },
            Change::SetFailing(failing) => Step::SetFailing(failing),
            Change::ClearFailing(path) => Step::ClearFailing(path),
            Change::SetAbsence(absence) => Step::SetAbsence(absence),
            Change::ClearAbsence(path) => Step::ClearAbsence(path),
            Change::SetState(state) => Step::SetState(state),
            Change::SaveRun(run) => Step::SaveRun(run),
            Change::ForgetRevisions { replaced_before } => Step::ForgetRevisions { replaced_before },
        };
        self.apply(step.clone())?;
        Ok((step, text))
    }

    /// The file that a page has, or gets.
    pub(crate) fn file_of(&self, path: &StorePath) -> String {
        match self.pages.get(path) {
            Some(live) => live.file.clone(),
            None => self.files.free(path),
        }
    }

    /// Does a step of the journal.
    ///
    /// # Errors
    /// In words, where it does not fit: the journal was not written by us.
    pub(crate) fn apply(&mut self, step: Step) -> Result<(), String> {
        match step {
            Step::Publish { record, run, file } => self.publish(*record, run, file)?,
            Step::Describe(record) => {
                let live = self.pages.get_mut(&record.path).ok_or_else(|| not_live(&record.path))?;
                let Record { digest, bytes, revision, .. } = live.record;
                live.record = Record { digest, bytes, revision, ..*record };
            }
            Step::Withdraw { path, why } => {
                let live = self.pages.remove(&path).ok_or_else(|| not_live(&path))?;
                self.files.remove(&live.file);
                self.wrote.entry(live.file).or_default().insert(live.record.digest);
                self.trash_id += 1;
                self.trash.insert(self.trash_id, Entry { record: live.record, withdrawal: why });
            }
            Step::Restore { id, file } => {
                let entry = self.trash.remove(&id).ok_or_else(|| no_entry(id))?;
                self.place(entry.record, file)?;
            }
            Step::Purge { id } => {
                self.trash.remove(&id);
            }
            Step::SetFailing(failing) => {
                self.failing.insert(failing.path.clone(), failing);
            }
            Step::ClearFailing(path) => {
                self.failing.remove(&path);
            }
            Step::SetAbsence(absence) => {
                self.absent.insert(absence.path.clone(), absence);
            }
            Step::ClearAbsence(path) => {
                self.absent.remove(&path);
            }
            Step::SetState(state) => self.state = Some(*state),
            Step::SaveRun(run) => {
                self.runs.insert(run.id.clone(), *run);
            }
            Step::ForgetRevisions { replaced_before } => self.forget(replaced_before),
        }
        Ok(())
    }

    fn publish(&mut self, record: Record, run: String, file: String) -> Result<(), String> {
        self.revision = record.revision;
        let info = RevisionInfo {
            revision: record.revision,
            run,
            at: record.changed,
            digest: record.digest,
            bytes: record.bytes,
            title: record.title.clone(),
        };
        let past = self.past.entry(record.path.clone()).or_default();
        for kept in past.iter_mut().filter(|kept| kept.replaced.is_none()) {
            kept.replaced = Some(info.at);
        }
        past.push(Kept { info, replaced: None });
        self.place(record, file)
    }

    /// Makes a page live.
    pub(crate) fn place(&mut self, record: Record, file: String) -> Result<(), String> {
        let wrote = self.wrote.entry(file.clone()).or_default();
        wrote.insert(record.digest);
        let path = record.path.clone();
        match self.pages.get_mut(&path) {
            Some(live) if live.file == file => {
                wrote.insert(live.record.digest);
                live.record = record;
                Ok(())
            }
            Some(live) => Err(format!("{path} has the file `{}` and not `{file}`", live.file)),
            None => {
                self.files.add(&file, &path)?;
                self.pages.insert(path, Live { record, file });
                Ok(())
            }
        }
    }

    fn forget(&mut self, replaced_before: Timestamp) {
        let in_use: BTreeSet<u64> = (self.trash.values().map(|entry| &entry.record))
            .chain(self.pages.values().map(|live| &live.record))
            .map(|record| record.revision)
            .collect();
        for past in self.past.values_mut() {
            past.retain(|kept| {
                let is_old = kept.replaced.is_some_and(|at| at < replaced_before);
                !is_old || in_use.contains(&kept.info.revision)
            });
        }
        self.past.retain(|_, past| !past.is_empty());
    }

    /// The revisions whose texts are kept.
    pub(crate) fn revisions(&self) -> BTreeSet<u64> {
        self.past.values().flatten().map(|kept| kept.info.revision).collect()
    }

    /// The page that people find in a file.
    pub(crate) fn live_in(&self, file: &str) -> Option<&Live> {
        self.pages.get(self.files.page(file)?).filter(|live| live.file == file)
    }

    /// Whether it is this store that put such content into a file.
    pub(crate) fn has_written(&self, file: &str, digest: &Digest) -> bool {
        let path = self.live_in(file).map(|live| &live.record.path);
        let past = path.and_then(|path| self.past.get(path)).map(Vec::as_slice).unwrap_or_default();
        self.wrote.get(file).is_some_and(|digests| digests.contains(digest))
            || past.iter().any(|kept| kept.info.digest == *digest)
    }
}

fn not_live(path: &StorePath) -> String {
    format!("{path} is not live")
}

fn no_entry(id: u64) -> String {
    format!("the trash has no entry {id}")
}

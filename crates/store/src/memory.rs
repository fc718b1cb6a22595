//! A store in memory: the reference that the others are compared with.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use wholesite_address::StorePath;

use crate::{
    Absence, Change, Digest, Failing, Hit, Holder, Lease, Page, Query, Record, Revision, RevisionInfo,
    RunRecord, SiteKey, SiteState, Store, StoreError, Timestamp, Trashed,
};

/// Keeps everything in memory. Clones share their content.
#[derive(Debug, Clone, Default)]
pub struct MemoryStore {
    sites: Arc<Mutex<BTreeMap<SiteKey, Site>>>,
}

#[derive(Debug, Clone, Default)]
struct Site {
    written: bool,
    state: Option<SiteState>,
    pages: BTreeMap<StorePath, Page>,
    past: BTreeMap<StorePath, Vec<Kept>>,
    trash: BTreeMap<u64, Trashed>,
    failing: BTreeMap<StorePath, Failing>,
    absent: BTreeMap<StorePath, Absence>,
    runs: BTreeMap<String, RunRecord>,
    revision: u64,
    trash_id: u64,
    token: u64,
    lease: Option<(Holder, Timestamp)>,
}

#[derive(Debug, Clone)]
struct Kept {
    revision: Revision,
    replaced: Option<Timestamp>,
}

impl MemoryStore {
    /// An empty store.
    pub fn new() -> Self {
        MemoryStore::default()
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<SiteKey, Site>> {
        self.sites.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn read<T: Default>(&self, site: &SiteKey, read: impl FnOnce(&Site) -> T) -> Result<T, StoreError> {
        Ok(self.lock().get(site).map(read).unwrap_or_default())
    }
}

impl Store for MemoryStore {
    async fn sites(&self) -> Result<Vec<SiteKey>, StoreError> {
        Ok(self.lock().iter().filter(|(_, site)| site.written).map(|(key, _)| key.clone()).collect())
    }

    async fn state(&self, site: &SiteKey) -> Result<Option<SiteState>, StoreError> {
        self.read(site, |site| site.state.clone())
    }

    async fn catalogue(&self, site: &SiteKey) -> Result<Vec<Record>, StoreError> {
        self.read(site, |site| site.pages.values().map(|page| page.record.clone()).collect())
    }

    async fn page(&self, site: &SiteKey, path: &StorePath) -> Result<Option<Page>, StoreError> {
        self.read(site, |site| site.pages.get(path).cloned())
    }

    async fn search(&self, site: &SiteKey, query: &Query) -> Result<Vec<Hit>, StoreError> {
        let terms = query.terms();
        self.read(site, |site| {
            let mut hits: Vec<Hit> =
                site.pages.values().filter_map(|page| page.hit(&terms, query.prefix.as_deref())).collect();
            hits.sort_by(|a, b| b.score.total_cmp(&a.score).then_with(|| a.path.cmp(&b.path)));
            hits.truncate(query.limit);
            hits
        })
    }

    async fn revisions(&self, site: &SiteKey, path: &StorePath) -> Result<Vec<RevisionInfo>, StoreError> {
        self.read(site, |site| {
            let kept = site.past.get(path).map(Vec::as_slice).unwrap_or_default();
            kept.iter().rev().map(|kept| kept.revision.info.clone()).collect()
        })
    }

    async fn revision(
        &self,
        site: &SiteKey,
        path: &StorePath,
        revision: u64,
    ) -> Result<Option<Revision>, StoreError> {
        self.read(site, |site| {
            let kept = site.past.get(path).map(Vec::as_slice).unwrap_or_default();
            kept.iter().map(|kept| &kept.revision).find(|kept| kept.info.revision == revision).cloned()
        })
    }

    async fn trash(&self, site: &SiteKey) -> Result<Vec<Trashed>, StoreError> {
        self.read(site, |site| {
            let without_text = |entry: &Trashed| {
                let page = Page { record: entry.page.record.clone(), text: String::new() };
                Trashed { id: entry.id, page, withdrawal: entry.withdrawal.clone() }
            };
            site.trash.values().rev().map(without_text).collect()
        })
    }

    async fn trashed(&self, site: &SiteKey, id: u64) -> Result<Option<Trashed>, StoreError> {
        self.read(site, |site| site.trash.get(&id).cloned())
    }

    async fn failing(&self, site: &SiteKey) -> Result<Vec<Failing>, StoreError> {
        self.read(site, |site| site.failing.values().cloned().collect())
    }

    async fn absent(&self, site: &SiteKey) -> Result<Vec<Absence>, StoreError> {
        self.read(site, |site| site.absent.values().cloned().collect())
    }

    async fn runs(&self, site: &SiteKey, limit: usize) -> Result<Vec<RunRecord>, StoreError> {
        self.read(site, |site| {
            let mut runs: Vec<&RunRecord> = site.runs.values().collect();
            runs.sort_by(|a, b| (b.started, &b.id).cmp(&(a.started, &a.id)));
            runs.into_iter().take(limit).cloned().collect()
        })
    }

    async fn acquire(
        &self,
        site: &SiteKey,
        holder: Holder,
        now: Timestamp,
        ttl: Duration,
    ) -> Result<Lease, StoreError> {
        let mut sites = self.lock();
        let stored = sites.entry(site.clone()).or_default();
        if let Some((holder, _)) = stored.lease.as_ref().filter(|(_, until)| now < *until) {
            return Err(StoreError::Busy(holder.clone()));
        }
        stored.token += 1;
        stored.lease = Some((holder, now.plus(ttl)));
        let (token, shared, key) = (stored.token, self.clone(), site.clone());
        Ok(Lease::new(site.clone(), token, move || {
            if let Some(site) = shared.lock().get_mut(&key).filter(|site| site.token == token) {
                site.lease = None;
            }
        }))
    }

    async fn renew(&self, lease: &Lease, now: Timestamp, ttl: Duration) -> Result<(), StoreError> {
        let mut sites = self.lock();
        let site = held(&mut sites, lease)?;
        if let Some((_, until)) = &mut site.lease {
            *until = now.plus(ttl);
        }
        Ok(())
    }

    async fn apply(&self, lease: &Lease, batch: Vec<Change>) -> Result<(), StoreError> {
        let mut sites = self.lock();
        let site = held(&mut sites, lease)?;
        // The batch is tried first, so that one that fails halfway leaves nothing behind.
        site.check(&batch)?;
        site.written = true;
        batch.into_iter().try_for_each(|change| site.apply(change))
    }
}

fn held<'s>(sites: &'s mut BTreeMap<SiteKey, Site>, lease: &Lease) -> Result<&'s mut Site, StoreError> {
    sites.get_mut(lease.site()).filter(|site| site.token == lease.token()).ok_or(StoreError::Fenced)
}

impl Site {
    /// Whether every change of a batch fits, given those before it.
    fn check(&self, batch: &[Change]) -> Result<(), StoreError> {
        let mut live: BTreeMap<&StorePath, bool> = BTreeMap::new();
        // Entries of the trash that the batch adds, and takes away.
        let mut added: BTreeMap<u64, &StorePath> = BTreeMap::new();
        let mut taken: Vec<u64> = Vec::new();
        for change in batch {
            let is_live = |path: &StorePath, live: &BTreeMap<&StorePath, bool>| {
                live.get(path).copied().unwrap_or_else(|| self.pages.contains_key(path))
            };
            match change {
                Change::Publish { page, .. } => {
                    live.insert(&page.record.path, true);
                }
                Change::Describe(record) if !is_live(&record.path, &live) => {
                    return Err(not_live(&record.path));
                }
                Change::Withdraw { path, .. } => {
                    if !is_live(path, &live) {
                        return Err(not_live(path));
                    }
                    live.insert(path, false);
                    added.insert(self.trash_id + 1 + added.len() as u64, path);
                }
                Change::Restore { id } => {
                    let stored = self.trash.get(id).map(|entry| &entry.page.record.path);
                    let path = stored
                        .or_else(|| added.get(id).copied())
                        .filter(|_| !taken.contains(id))
                        .ok_or_else(|| no_entry(*id))?;
                    if is_live(path, &live) {
                        return Err(StoreError::Conflict(format!(
                            "{path} is live; withdraw that page first"
                        )));
                    }
                    live.insert(path, true);
                    taken.push(*id);
                }
                Change::Purge { id } => taken.push(*id),
                _ => {}
            }
        }
        Ok(())
    }

    fn apply(&mut self, change: Change) -> Result<(), StoreError> {
        match change {
            Change::Publish { page, run } => self.publish(*page, run),
            Change::Describe(record) => {
                let page = self.pages.get_mut(&record.path).ok_or_else(|| not_live(&record.path))?;
                let Record { digest, bytes, revision, .. } = page.record;
                page.record = Record { digest, bytes, revision, ..*record };
            }
            Change::Withdraw { path, why } => {
                let page = self.pages.remove(&path).ok_or_else(|| not_live(&path))?;
                self.trash_id += 1;
                self.trash.insert(self.trash_id, Trashed { id: self.trash_id, page, withdrawal: why });
            }
            Change::Restore { id } => {
                let entry = self.trash.remove(&id).ok_or_else(|| no_entry(id))?;
                self.pages.insert(entry.page.record.path.clone(), entry.page);
            }
            Change::Purge { id } => {
                self.trash.remove(&id);
            }
            Change::SetFailing(failing) => {
                self.failing.insert(failing.path.clone(), failing);
            }
            Change::ClearFailing(path) => {
                self.failing.remove(&path);
            }
            Change::SetAbsence(absence) => {
                self.absent.insert(absence.path.clone(), absence);
            }
            Change::ClearAbsence(path) => {
                self.absent.remove(&path);
            }
            Change::SetState(state) => self.state = Some(*state),
            Change::SaveRun(run) => {
                self.runs.insert(run.id.clone(), *run);
            }
            Change::ForgetRevisions { replaced_before } => self.forget(replaced_before),
        }
        Ok(())
    }

    fn publish(&mut self, mut page: Page, run: String) {
        self.revision += 1;
        page.record.revision = self.revision;
        page.record.digest = Digest::of(&page.text);
        page.record.bytes = page.text.len() as u64;
        let info = RevisionInfo {
            revision: self.revision,
            run,
            at: page.record.changed,
            digest: page.record.digest,
            bytes: page.record.bytes,
            title: page.record.title.clone(),
        };
        let past = self.past.entry(page.record.path.clone()).or_default();
        for kept in past.iter_mut().filter(|kept| kept.replaced.is_none()) {
            kept.replaced = Some(info.at);
        }
        past.push(Kept { revision: Revision { info, text: page.text.clone() }, replaced: None });
        self.pages.insert(page.record.path.clone(), page);
    }

    fn forget(&mut self, replaced_before: Timestamp) {
        let in_trash: Vec<u64> = self.trash.values().map(|entry| entry.page.record.revision).collect();
        let live: Vec<u64> = self.pages.values().map(|page| page.record.revision).collect();
        for past in self.past.values_mut() {
            past.retain(|kept| {
                let revision = kept.revision.info.revision;
                let is_old = kept.replaced.is_some_and(|at| at < replaced_before);
                !is_old || in_trash.contains(&revision) || live.contains(&revision)
            });
        }
        self.past.retain(|_, past| !past.is_empty());
    }
}

fn not_live(path: &StorePath) -> StoreError {
    StoreError::Conflict(format!("{path} is not live"))
}

fn no_entry(id: u64) -> StoreError {
    StoreError::Conflict(format!("the trash has no entry {id}"))
}

impl Page {
    /// Whether all terms occur; the score is how often, titles counting ten times.
    fn hit(&self, terms: &[String], prefix: Option<&str>) -> Option<Hit> {
        if terms.is_empty() || prefix.is_some_and(|prefix| !self.record.path.as_str().starts_with(prefix)) {
            return None;
        }
        let title = self.record.title.as_deref().unwrap_or_default();
        let mut score = 0;
        for term in terms {
            let found = count(&self.text, term) + 10 * count(title, term);
            if found == 0 {
                return None;
            }
            score += found;
        }
        let Record { path, url, title, revision, .. } = self.record.clone();
        Some(Hit { path, url, title, revision, score: score as f64, snippet: self.snippet(&terms[0]) })
    }

    fn snippet(&self, term: &str) -> String {
        let line = self.text.lines().find(|line| count(line, term) > 0).unwrap_or_default();
        line.trim().chars().take(160).collect()
    }
}

fn count(text: &str, term: &str) -> usize {
    text.split(|c: char| !c.is_alphanumeric()).filter(|word| word.to_lowercase() == *term).count()
}

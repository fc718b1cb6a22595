//! Keeps pages as a folder of Markdown files, for people to browse, search and commit.
//!
//! ```text
//! pages/
//!   .wholesite/store.json            marks the folder
//!   docs.example.com/                a site
//!     guides/setup.md                a live page: exactly its text
//!     .wholesite/
//!       journal.ndjson               a line a batch
//!       manifest.json                everything up to some batch, so that the journal stays short
//!       texts/17.md                  the text of revision 17
//!       lease.json, lease.lock       who writes
//! ```
//!
//! The journal is the truth: a batch happened when its line is whole. Reads go by it and by the kept
//! texts. The files for people are made from those, and put right when the store is opened for
//! writing; people may change them, which costs them nothing but that their version is moved aside,
//! to `setup.md.orig-1`, when the store puts its own there.
//!
//! One thread writes. Batches that wait for it together share what costs time: the waits for the disk.

mod error;
mod files;
mod folder;
mod lease;
mod manifest;
mod names;
mod place;
mod readers;
mod seal;
mod search;
mod site;
mod snapshot;
mod step;
mod tail;
mod texts;
mod visible;
mod writer;

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use wholesite_store::line::Line;
use wholesite_store::{
    Absence, Change, Failing, Hit, Holder, Lease, Page, Query, Record, Revision, RevisionInfo, RunRecord,
    SiteKey, SiteState, Store, StoreError, StorePath, Timestamp, Trashed,
};

use readers::Readers;

/// Pages in a folder. Clones share what they know. Dropping the last of them waits until what was
/// asked of it is written.
#[derive(Debug, Clone)]
pub struct DirStore {
    readers: Arc<Readers>,
    line: Option<Arc<Line>>,
}

impl DirStore {
    /// Opens a store, or makes one in a folder that is empty or not there. Puts right what a process
    /// that died, or people, left of the files for people.
    ///
    /// # Errors
    /// [`StoreError::Unusable`] where the folder is something else or damaged, [`StoreError::TooNew`]
    /// where a newer version made it, [`StoreError::ReadOnly`] and [`StoreError::Full`] where it can't
    /// be written.
    pub fn open(root: &Path) -> Result<Self, StoreError> {
        let root = folder::make(root)?;
        let line = writer::start(root.clone())?;
        Ok(DirStore { readers: Arc::new(Readers::new(root)), line: Some(Arc::new(line)) })
    }

    /// Opens a store for reading only; makes none, and changes nothing.
    ///
    /// # Errors
    /// As [`DirStore::open`]; [`StoreError::Unusable`] also where there is no such folder.
    pub fn open_read_only(root: &Path) -> Result<Self, StoreError> {
        Ok(DirStore { readers: Arc::new(Readers::new(folder::find(root)?)), line: None })
    }

    fn line(&self) -> Result<&Line, StoreError> {
        self.line.as_deref().ok_or_else(|| StoreError::ReadOnly {
            place: self.readers.root().to_owned(),
            message: "it was opened for reading only".to_owned(),
        })
    }
}

impl Store for DirStore {
    async fn sites(&self) -> Result<Vec<SiteKey>, StoreError> {
        self.readers.sites()
    }

    async fn state(&self, site: &SiteKey) -> Result<Option<SiteState>, StoreError> {
        self.readers.read(site, |manifest| manifest.state.clone())
    }

    async fn catalogue(&self, site: &SiteKey) -> Result<Vec<Record>, StoreError> {
        self.readers.read(site, |manifest| manifest.pages.values().map(|live| live.record.clone()).collect())
    }

    async fn page(&self, site: &SiteKey, path: &StorePath) -> Result<Option<Page>, StoreError> {
        self.readers.page(site, path)
    }

    async fn search(&self, site: &SiteKey, query: &Query) -> Result<Vec<Hit>, StoreError> {
        Ok(self.readers.search(site, query)?.hits())
    }

    async fn revisions(&self, site: &SiteKey, path: &StorePath) -> Result<Vec<RevisionInfo>, StoreError> {
        self.readers.read(site, |manifest| {
            let past = manifest.past.get(path).map(Vec::as_slice).unwrap_or_default();
            past.iter().rev().map(|kept| kept.info.clone()).collect()
        })
    }

    async fn revision(
        &self,
        site: &SiteKey,
        path: &StorePath,
        revision: u64,
    ) -> Result<Option<Revision>, StoreError> {
        self.readers.revision(site, path, revision)
    }

    async fn trash(&self, site: &SiteKey) -> Result<Vec<Trashed>, StoreError> {
        self.readers.read(site, |manifest| {
            let listed = manifest.trash.iter().rev().map(|(id, entry)| Trashed {
                id: *id,
                page: Page { record: entry.record.clone(), text: String::new() },
                withdrawal: entry.withdrawal.clone(),
            });
            listed.collect()
        })
    }

    async fn trashed(&self, site: &SiteKey, id: u64) -> Result<Option<Trashed>, StoreError> {
        self.readers.trashed(site, id)
    }

    async fn failing(&self, site: &SiteKey) -> Result<Vec<Failing>, StoreError> {
        self.readers.read(site, |manifest| manifest.failing.values().cloned().collect())
    }

    async fn absent(&self, site: &SiteKey) -> Result<Vec<Absence>, StoreError> {
        self.readers.read(site, |manifest| manifest.absent.values().cloned().collect())
    }

    async fn runs(&self, site: &SiteKey, limit: usize) -> Result<Vec<RunRecord>, StoreError> {
        self.readers.read(site, |manifest| {
            let mut runs: Vec<&RunRecord> = manifest.runs.values().collect();
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
        self.line()?.acquire(site, holder, now, ttl).await
    }

    async fn renew(&self, lease: &Lease, now: Timestamp, ttl: Duration) -> Result<(), StoreError> {
        self.line()?.renew(lease, now, ttl).await
    }

    async fn apply(&self, lease: &Lease, batch: Vec<Change>) -> Result<(), StoreError> {
        self.line()?.apply(lease, batch).await
    }
}

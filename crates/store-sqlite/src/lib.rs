//! Keeps pages in one SQLite file.
//!
//! One thread writes. Batches that wait for it together share a transaction, each in a savepoint of
//! its own, and no caller hears "done" before the commit: so a page is published whole and durably,
//! and thousands of them need few commits. Reads have connections of their own, one transaction each.
//!
//! The file is in WAL mode with `synchronous=NORMAL`: a killed process loses nothing that was
//! reported as done; a power cut may lose the last commits, but never corrupts or halves anything.

mod apply;
mod error;
mod index;
mod lease;
mod open;
mod read;
mod schema;
mod search;
mod writer;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use wholesite_store::line::Line;
use wholesite_store::{
    Absence, Change, Failing, Hit, Holder, Lease, Page, Query, Record, Revision, RevisionInfo, RunRecord,
    SiteKey, SiteState, Store, StoreError, StorePath, Timestamp, Trashed,
};

use read::Readers;

/// Pages in a SQLite file. Clones share their connections. Dropping the last of them waits until
/// what was asked of it is written.
#[derive(Debug, Clone)]
pub struct SqliteStore {
    readers: Arc<Readers>,
    line: Option<Arc<Line>>,
}

impl SqliteStore {
    /// Opens a store, or makes one, with the folders above it.
    ///
    /// # Errors
    /// [`StoreError::Unusable`] where the file is something else, [`StoreError::TooNew`] where a newer
    /// version made it, [`StoreError::ReadOnly`] and [`StoreError::Full`] where it can't be written.
    pub fn open(path: &Path) -> Result<Self, StoreError> {
        let path = &lasting(path);
        let connection = open::for_writing(path)?;
        let line = writer::start(connection, path)?;
        Ok(SqliteStore { readers: Arc::new(Readers::new(path)), line: Some(Arc::new(line)) })
    }

    /// Opens a store for reading only; makes none.
    ///
    /// # Errors
    /// As [`SqliteStore::open`]; [`StoreError::Unusable`] also where there is no such file.
    pub fn open_read_only(path: &Path) -> Result<Self, StoreError> {
        let readers = Readers::new(&lasting(path));
        readers.with(|_| Ok(()))?;
        Ok(SqliteStore { readers: Arc::new(readers), line: None })
    }

    fn line(&self) -> Result<&Line, StoreError> {
        self.line.as_deref().ok_or_else(|| StoreError::ReadOnly {
            place: self.readers.path().to_owned(),
            message: "it was opened for reading only".to_owned(),
        })
    }
}

/// A path that stays right when the process changes its folder: connections are made later as well.
fn lasting(path: &Path) -> PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| path.to_owned())
}

impl Store for SqliteStore {
    async fn sites(&self) -> Result<Vec<SiteKey>, StoreError> {
        self.readers.with(read::sites)
    }

    async fn state(&self, site: &SiteKey) -> Result<Option<SiteState>, StoreError> {
        self.readers.with(|connection| read::state(connection, site))
    }

    async fn catalogue(&self, site: &SiteKey) -> Result<Vec<Record>, StoreError> {
        self.readers.with(|connection| read::catalogue(connection, site))
    }

    async fn page(&self, site: &SiteKey, path: &StorePath) -> Result<Option<Page>, StoreError> {
        self.readers.with(|connection| read::page(connection, site, path))
    }

    async fn search(&self, site: &SiteKey, query: &Query) -> Result<Vec<Hit>, StoreError> {
        self.readers.with(|connection| search::search(connection, site, query))
    }

    async fn revisions(&self, site: &SiteKey, path: &StorePath) -> Result<Vec<RevisionInfo>, StoreError> {
        self.readers.with(|connection| read::revisions(connection, site, path))
    }

    async fn revision(
        &self,
        site: &SiteKey,
        path: &StorePath,
        revision: u64,
    ) -> Result<Option<Revision>, StoreError> {
        self.readers.with(|connection| read::revision(connection, site, path, revision))
    }

    async fn trash(&self, site: &SiteKey) -> Result<Vec<Trashed>, StoreError> {
        self.readers.with(|connection| read::trash(connection, site, None))
    }

    async fn trashed(&self, site: &SiteKey, id: u64) -> Result<Option<Trashed>, StoreError> {
        self.readers.with(|connection| Ok(read::trash(connection, site, Some(id))?.pop()))
    }

    async fn failing(&self, site: &SiteKey) -> Result<Vec<Failing>, StoreError> {
        self.readers.with(|connection| read::items(connection, site, "failing"))
    }

    async fn absent(&self, site: &SiteKey) -> Result<Vec<Absence>, StoreError> {
        self.readers.with(|connection| read::items(connection, site, "absent"))
    }

    async fn runs(&self, site: &SiteKey, limit: usize) -> Result<Vec<RunRecord>, StoreError> {
        self.readers.with(|connection| read::runs(connection, site, limit))
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

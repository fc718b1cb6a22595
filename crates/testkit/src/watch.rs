//! A store that is watched, and that fails when it is told to.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use wholesite_address::StorePath;
use wholesite_store::{
    Absence, Change, Failing, Hit, Holder, Lease, MemoryStore, Page, Query, Record, Revision, RevisionInfo,
    RunRecord, SiteKey, SiteState, Store, StoreError, Timestamp, Trashed,
};

/// How a write goes wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StoreFault {
    /// Refused; nothing was written.
    Io,
    /// No room.
    Full,
    /// Nobody knows; it was written.
    UncertainDone,
    /// Nobody knows; it was not written.
    UncertainLost,
    /// The process dies before it is written.
    CrashBefore,
    /// The process dies after it was written.
    CrashAfter,
}

/// Told of every batch that was written.
type Witness = dyn FnMut(&[Change]) + Send;

#[derive(Default)]
struct Watch {
    witness: Option<Box<Witness>>,
    countdown: Option<(u32, StoreFault)>,
    crashed: bool,
    applied: u32,
}

/// A [`MemoryStore`] that is watched. Clones share everything.
#[derive(Clone, Default)]
pub struct WatchedStore {
    inner: MemoryStore,
    watch: Arc<Mutex<Watch>>,
}

impl WatchedStore {
    /// An empty store.
    pub fn new() -> Self {
        WatchedStore::default()
    }

    fn watch(&self) -> MutexGuard<'_, Watch> {
        self.watch.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Tells `witness` of every batch from now on.
    pub fn witness(&self, witness: impl FnMut(&[Change]) + Send + 'static) {
        self.watch().witness = Some(Box::new(witness));
    }

    /// The write number `nth` from now, counted from 0, goes wrong.
    pub fn fail(&self, fault: Option<(u32, StoreFault)>) {
        let mut watch = self.watch();
        watch.countdown = fault;
        watch.crashed = false;
    }

    /// Whether the process died.
    pub fn crashed(&self) -> bool {
        self.watch().crashed
    }

    /// How many batches were written.
    pub fn applied(&self) -> u32 {
        self.watch().applied
    }

    fn due(&self) -> Option<StoreFault> {
        let mut watch = self.watch();
        match &mut watch.countdown {
            Some((0, fault)) => {
                let fault = *fault;
                watch.countdown = None;
                Some(fault)
            }
            Some((left, _)) => {
                *left -= 1;
                None
            }
            None => None,
        }
    }

    async fn write(&self, lease: &Lease, batch: Vec<Change>) -> Result<(), StoreError> {
        let told = batch.clone();
        self.inner.apply(lease, batch).await?;
        let mut watch = self.watch();
        watch.applied += 1;
        if let Some(witness) = &mut watch.witness {
            witness(&told);
        }
        Ok(())
    }

    async fn die(&self) -> Result<(), StoreError> {
        self.watch().crashed = true;
        std::future::pending().await
    }
}

impl Store for WatchedStore {
    async fn sites(&self) -> Result<Vec<SiteKey>, StoreError> {
        self.inner.sites().await
    }

    async fn state(&self, site: &SiteKey) -> Result<Option<SiteState>, StoreError> {
        self.inner.state(site).await
    }

    async fn catalogue(&self, site: &SiteKey) -> Result<Vec<Record>, StoreError> {
        self.inner.catalogue(site).await
    }

    async fn page(&self, site: &SiteKey, path: &StorePath) -> Result<Option<Page>, StoreError> {
        self.inner.page(site, path).await
    }

    async fn search(&self, site: &SiteKey, query: &Query) -> Result<Vec<Hit>, StoreError> {
        self.inner.search(site, query).await
    }

    async fn revisions(&self, site: &SiteKey, path: &StorePath) -> Result<Vec<RevisionInfo>, StoreError> {
        self.inner.revisions(site, path).await
    }

    async fn revision(
        &self,
        site: &SiteKey,
        path: &StorePath,
        revision: u64,
    ) -> Result<Option<Revision>, StoreError> {
        self.inner.revision(site, path, revision).await
    }

    async fn trash(&self, site: &SiteKey) -> Result<Vec<Trashed>, StoreError> {
        self.inner.trash(site).await
    }

    async fn trashed(&self, site: &SiteKey, id: u64) -> Result<Option<Trashed>, StoreError> {
        self.inner.trashed(site, id).await
    }

    async fn failing(&self, site: &SiteKey) -> Result<Vec<Failing>, StoreError> {
        self.inner.failing(site).await
    }

    async fn absent(&self, site: &SiteKey) -> Result<Vec<Absence>, StoreError> {
        self.inner.absent(site).await
    }

    async fn runs(&self, site: &SiteKey, limit: usize) -> Result<Vec<RunRecord>, StoreError> {
        self.inner.runs(site, limit).await
    }

    async fn acquire(
        &self,
        site: &SiteKey,
        holder: Holder,
        now: Timestamp,
        ttl: Duration,
    ) -> Result<Lease, StoreError> {
        self.inner.acquire(site, holder, now, ttl).await
    }

    async fn renew(&self, lease: &Lease, now: Timestamp, ttl: Duration) -> Result<(), StoreError> {
        self.inner.renew(lease, now, ttl).await
    }

    async fn apply(&self, lease: &Lease, batch: Vec<Change>) -> Result<(), StoreError> {
        let place = || std::path::PathBuf::from("memory");
        match self.due() {
            None => self.write(lease, batch).await,
            Some(StoreFault::Io) => Err(StoreError::Io("simulated".to_owned())),
            Some(StoreFault::Full) => {
                Err(StoreError::Full { place: place(), message: "simulated".to_owned() })
            }
            Some(StoreFault::UncertainLost) => Err(StoreError::Uncertain("simulated".to_owned())),
            Some(StoreFault::UncertainDone) => {
                self.write(lease, batch).await?;
                Err(StoreError::Uncertain("simulated".to_owned()))
            }
            Some(StoreFault::CrashBefore) => self.die().await,
            Some(StoreFault::CrashAfter) => {
                self.write(lease, batch).await?;
                self.die().await
            }
        }
    }
}

//! A store of one's own: here one that tells what is written, on top of the one in memory.

use std::time::Duration;

use wholesite::address::StorePath;
use wholesite::recording::Recording;
use wholesite::store::{
    Absence, Change, Failing, Hit, Holder, Lease, MemoryStore, Page, Query, Record, Revision, RevisionInfo,
    RunRecord, SiteKey, SiteState, Store, StoreError, Timestamp, Trashed,
};
use wholesite::{PageSync, Source, sync_pages};

struct Telling(MemoryStore);

impl Store for Telling {
    async fn apply(&self, lease: &Lease, batch: Vec<Change>) -> Result<(), StoreError> {
        for change in &batch {
            if let Change::Publish { page, .. } = change {
                println!("published {}", page.record.path);
            }
        }
        self.0.apply(lease, batch).await
    }

    async fn sites(&self) -> Result<Vec<SiteKey>, StoreError> {
        self.0.sites().await
    }

    async fn state(&self, site: &SiteKey) -> Result<Option<SiteState>, StoreError> {
        self.0.state(site).await
    }

    async fn catalogue(&self, site: &SiteKey) -> Result<Vec<Record>, StoreError> {
        self.0.catalogue(site).await
    }

    async fn page(&self, site: &SiteKey, path: &StorePath) -> Result<Option<Page>, StoreError> {
        self.0.page(site, path).await
    }

    async fn search(&self, site: &SiteKey, query: &Query) -> Result<Vec<Hit>, StoreError> {
        self.0.search(site, query).await
    }

    async fn revisions(&self, site: &SiteKey, path: &StorePath) -> Result<Vec<RevisionInfo>, StoreError> {
        self.0.revisions(site, path).await
    }

    async fn revision(
        &self,
        site: &SiteKey,
        path: &StorePath,
        number: u64,
    ) -> Result<Option<Revision>, StoreError> {
        self.0.revision(site, path, number).await
    }

    async fn trash(&self, site: &SiteKey) -> Result<Vec<Trashed>, StoreError> {
        self.0.trash(site).await
    }

    async fn trashed(&self, site: &SiteKey, id: u64) -> Result<Option<Trashed>, StoreError> {
        self.0.trashed(site, id).await
    }

    async fn failing(&self, site: &SiteKey) -> Result<Vec<Failing>, StoreError> {
        self.0.failing(site).await
    }

    async fn absent(&self, site: &SiteKey) -> Result<Vec<Absence>, StoreError> {
        self.0.absent(site).await
    }

    async fn runs(&self, site: &SiteKey, limit: usize) -> Result<Vec<RunRecord>, StoreError> {
        self.0.runs(site, limit).await
    }

    async fn acquire(
        &self,
        site: &SiteKey,
        holder: Holder,
        now: Timestamp,
        ttl: Duration,
    ) -> Result<Lease, StoreError> {
        self.0.acquire(site, holder, now, ttl).await
    }

    async fn renew(&self, lease: &Lease, now: Timestamp, ttl: Duration) -> Result<(), StoreError> {
        self.0.renew(lease, now, ttl).await
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = std::env::args().nth(1).unwrap_or_else(|| "corpora/mintlify-flat".to_owned());
    let source = Source::recording(Recording::open(folder.as_ref())?);
    let report = sync_pages(&PageSync::new(source, Telling(MemoryStore::new())), |_| {})?;
    println!("{}", report.status.name());
    Ok(())
}

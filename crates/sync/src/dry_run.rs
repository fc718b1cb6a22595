//! A store that forgets what is written to it, so that a dry run is the real run.

use std::time::Duration;

use wholesite_address::StorePath;
use wholesite_store::{
    Absence, Change, Failing, Hit, Holder, Lease, Page, Query, Record, Revision, RevisionInfo, RunRecord,
    SiteKey, SiteState, Store, StoreError, Timestamp, Trashed,
};

/// Reads from a store and writes nowhere. Takes no lease, so it may run beside a real one.
#[derive(Debug, Clone)]
pub struct DryRun<S>(pub S);

impl<S: Store> Store for DryRun<S> {
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
        revision: u64,
    ) -> Result<Option<Revision>, StoreError> {
        self.0.revision(site, path, revision).await
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
        _: Holder,
        _: Timestamp,
        _: Duration,
    ) -> Result<Lease, StoreError> {
        Ok(Lease::new(site.clone(), 0, || {}))
    }

    async fn renew(&self, _: &Lease, _: Timestamp, _: Duration) -> Result<(), StoreError> {
        Ok(())
    }

    async fn apply(&self, _: &Lease, _: Vec<Change>) -> Result<(), StoreError> {
        Ok(())
    }
}

//! The contract.

use std::future::Future;
use std::time::Duration;

use wholesite_address::StorePath;

use crate::{
    Absence, Change, Failing, Hit, Holder, Lease, Page, Query, Record, Revision, RevisionInfo, RunRecord,
    SiteKey, SiteState, StoreError, Timestamp, Trashed,
};

/// Keeps the pages of any number of sites.
///
/// Readers see whole pages of one revision, also while a run writes. A site that was never written
/// to reads as empty. Dropping a future of a write leaves it done or not done, never half.
pub trait Store: Send + Sync {
    /// All sites, sorted.
    fn sites(&self) -> impl Future<Output = Result<Vec<SiteKey>, StoreError>> + Send;

    /// What is remembered of a site; `None` where it was never synced.
    fn state(&self, site: &SiteKey) -> impl Future<Output = Result<Option<SiteState>, StoreError>> + Send;

    /// Every live page without its text, sorted by path.
    fn catalogue(&self, site: &SiteKey) -> impl Future<Output = Result<Vec<Record>, StoreError>> + Send;

    /// A live page.
    fn page(
        &self,
        site: &SiteKey,
        path: &StorePath,
    ) -> impl Future<Output = Result<Option<Page>, StoreError>> + Send;

    /// The live pages that hold all words of a query, best first.
    fn search(
        &self,
        site: &SiteKey,
        query: &Query,
    ) -> impl Future<Output = Result<Vec<Hit>, StoreError>> + Send;

    /// The revisions of a path that are still kept, newest first, the live one included.
    fn revisions(
        &self,
        site: &SiteKey,
        path: &StorePath,
    ) -> impl Future<Output = Result<Vec<RevisionInfo>, StoreError>> + Send;

    /// One revision with its text.
    fn revision(
        &self,
        site: &SiteKey,
        path: &StorePath,
        revision: u64,
    ) -> impl Future<Output = Result<Option<Revision>, StoreError>> + Send;

    /// The trash without its texts ([`Page::text`] is empty), newest first.
    fn trash(&self, site: &SiteKey) -> impl Future<Output = Result<Vec<Trashed>, StoreError>> + Send;

    /// One entry of the trash, with its text.
    fn trashed(
        &self,
        site: &SiteKey,
        id: u64,
    ) -> impl Future<Output = Result<Option<Trashed>, StoreError>> + Send;

    /// The pages that fail, sorted by path.
    fn failing(&self, site: &SiteKey) -> impl Future<Output = Result<Vec<Failing>, StoreError>> + Send;

    /// The pages that are absent, sorted by path.
    fn absent(&self, site: &SiteKey) -> impl Future<Output = Result<Vec<Absence>, StoreError>> + Send;

    /// The last runs, newest first.
    fn runs(
        &self,
        site: &SiteKey,
        limit: usize,
    ) -> impl Future<Output = Result<Vec<RunRecord>, StoreError>> + Send;

    /// Makes `holder` the only writer of a site until `now` + `ttl`. A lease that has expired is taken
    /// over, as is one whose process is known to be dead.
    ///
    /// # Errors
    /// [`StoreError::Busy`].
    fn acquire(
        &self,
        site: &SiteKey,
        holder: Holder,
        now: Timestamp,
        ttl: Duration,
    ) -> impl Future<Output = Result<Lease, StoreError>> + Send;

    /// Prolongs a lease until `now` + `ttl`.
    ///
    /// # Errors
    /// [`StoreError::Fenced`] where it was taken over.
    fn renew(
        &self,
        lease: &Lease,
        now: Timestamp,
        ttl: Duration,
    ) -> impl Future<Output = Result<(), StoreError>> + Send;

    /// Writes a batch: all of it, or nothing. When the future is done, it is as durable as the store
    /// can make it, and every reader sees it.
    ///
    /// # Errors
    /// [`StoreError::Fenced`] where the lease was taken over, [`StoreError::Conflict`] where a change
    /// does not fit; [`StoreError::Uncertain`] where it is not known whether the batch was written.
    fn apply(&self, lease: &Lease, batch: Vec<Change>)
    -> impl Future<Output = Result<(), StoreError>> + Send;
}

impl<S: Store + ?Sized> Store for &S {
    crate::store_reads!(store => **store);
    crate::store_leases!(store => **store);
    crate::store_batches!(store => **store);
}

impl<S: Store + ?Sized> Store for std::sync::Arc<S> {
    crate::store_reads!(store => **store);
    crate::store_leases!(store => **store);
    crate::store_batches!(store => **store);
}

//! A store that forgets what is written to it, so that a dry run is the real run.

use std::time::Duration;

use wholesite_store::{Change, Holder, Lease, SiteKey, Store, StoreError, Timestamp};

/// Reads from a store and writes nowhere. Takes no lease, so it may run beside a real one.
#[derive(Debug, Clone)]
pub struct DryRun<S>(pub S);

impl<S: Store> Store for DryRun<S> {
    wholesite_store::store_reads!(DryRun(store) => store);

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

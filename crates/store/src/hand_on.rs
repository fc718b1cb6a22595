//! Stores that stand before other stores: they hand on what they do not change.

/// Within `impl Store for …`: hands all reads on. Takes the arms of a `match` on `&self`, each ending
/// in the store that is asked: `store_reads!(Mine { inner, .. } => inner);`.
#[macro_export]
macro_rules! store_reads {
    ($($pattern:pat => $store:expr),+ $(,)?) => {
        async fn sites(&self) -> Result<Vec<$crate::SiteKey>, $crate::StoreError> {
            match self { $($pattern => $crate::Store::sites(&$store).await),+ }
        }

        async fn state(
            &self,
            site: &$crate::SiteKey,
        ) -> Result<Option<$crate::SiteState>, $crate::StoreError> {
            match self { $($pattern => $crate::Store::state(&$store, site).await),+ }
        }

        async fn catalogue(
            &self,
            site: &$crate::SiteKey,
        ) -> Result<Vec<$crate::Record>, $crate::StoreError> {
            match self { $($pattern => $crate::Store::catalogue(&$store, site).await),+ }
        }

        async fn page(
            &self,
            site: &$crate::SiteKey,
            path: &$crate::StorePath,
        ) -> Result<Option<$crate::Page>, $crate::StoreError> {
            match self { $($pattern => $crate::Store::page(&$store, site, path).await),+ }
        }

        async fn search(
            &self,
            site: &$crate::SiteKey,
            query: &$crate::Query,
        ) -> Result<Vec<$crate::Hit>, $crate::StoreError> {
            match self { $($pattern => $crate::Store::search(&$store, site, query).await),+ }
        }

        async fn revisions(
            &self,
            site: &$crate::SiteKey,
            path: &$crate::StorePath,
        ) -> Result<Vec<$crate::RevisionInfo>, $crate::StoreError> {
            match self { $($pattern => $crate::Store::revisions(&$store, site, path).await),+ }
        }

        async fn revision(
            &self,
            site: &$crate::SiteKey,
            path: &$crate::StorePath,
            revision: u64,
        ) -> Result<Option<$crate::Revision>, $crate::StoreError> {
            match self { $($pattern => $crate::Store::revision(&$store, site, path, revision).await),+ }
        }

        async fn trash(
            &self,
            site: &$crate::SiteKey,
        ) -> Result<Vec<$crate::Trashed>, $crate::StoreError> {
            match self { $($pattern => $crate::Store::trash(&$store, site).await),+ }
        }

        async fn trashed(
            &self,
            site: &$crate::SiteKey,
            id: u64,
        ) -> Result<Option<$crate::Trashed>, $crate::StoreError> {
            match self { $($pattern => $crate::Store::trashed(&$store, site, id).await),+ }
        }

        async fn failing(
            &self,
            site: &$crate::SiteKey,
        ) -> Result<Vec<$crate::Failing>, $crate::StoreError> {
            match self { $($pattern => $crate::Store::failing(&$store, site).await),+ }
        }

        async fn absent(
            &self,
            site: &$crate::SiteKey,
        ) -> Result<Vec<$crate::Absence>, $crate::StoreError> {
            match self { $($pattern => $crate::Store::absent(&$store, site).await),+ }
        }

        async fn runs(
            &self,
            site: &$crate::SiteKey,
            limit: usize,
        ) -> Result<Vec<$crate::RunRecord>, $crate::StoreError> {
            match self { $($pattern => $crate::Store::runs(&$store, site, limit).await),+ }
        }
    };
}

/// Within `impl Store for …`: hands leases on, as [`store_reads!`] does with reads.
#[macro_export]
macro_rules! store_leases {
    ($($pattern:pat => $store:expr),+ $(,)?) => {
        async fn acquire(
            &self,
            site: &$crate::SiteKey,
            holder: $crate::Holder,
            now: $crate::Timestamp,
            ttl: ::std::time::Duration,
        ) -> Result<$crate::Lease, $crate::StoreError> {
            match self { $($pattern => $crate::Store::acquire(&$store, site, holder, now, ttl).await),+ }
        }

        async fn renew(
            &self,
            lease: &$crate::Lease,
            now: $crate::Timestamp,
            ttl: ::std::time::Duration,
        ) -> Result<(), $crate::StoreError> {
            match self { $($pattern => $crate::Store::renew(&$store, lease, now, ttl).await),+ }
        }
    };
}

/// Within `impl Store for …`: hands batches on, as [`store_reads!`] does with reads.
#[macro_export]
macro_rules! store_batches {
    ($($pattern:pat => $store:expr),+ $(,)?) => {
        async fn apply(
            &self,
            lease: &$crate::Lease,
            batch: Vec<$crate::Change>,
        ) -> Result<(), $crate::StoreError> {
            match self { $($pattern => $crate::Store::apply(&$store, lease, batch).await),+ }
        }
    };
}

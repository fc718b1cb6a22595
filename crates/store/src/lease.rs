//! One writer for each site.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::{SiteKey, Timestamp};

/// Who writes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Holder {
    /// The run.
    pub run: String,
    /// The process, for people to look for.
    pub process: u32,
    /// When it took the lease.
    pub since: Timestamp,
}

/// The right to write to one site, until it expires, is released by dropping it, or is taken over.
/// Every batch carries the token; a store refuses one that is not the newest
/// ([`StoreError::Fenced`](crate::StoreError::Fenced)), so that a writer that slept through its
/// lease can do no harm.
pub struct Lease {
    site: SiteKey,
    token: u64,
    release: Option<Box<dyn FnOnce() + Send + Sync>>,
}

impl Lease {
    /// For stores: `release` runs when the lease is dropped, must not block for long, and must do
    /// nothing where the token is no longer the newest.
    pub fn new(site: SiteKey, token: u64, release: impl FnOnce() + Send + Sync + 'static) -> Self {
        Lease { site, token, release: Some(Box::new(release)) }
    }

    /// The site.
    pub fn site(&self) -> &SiteKey {
        &self.site
    }

    /// Grows with every lease of a site.
    pub fn token(&self) -> u64 {
        self.token
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        if let Some(release) = self.release.take() {
            release();
        }
    }
}

impl fmt::Debug for Lease {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Lease").field("site", &self.site).field("token", &self.token).finish_non_exhaustive()
    }
}

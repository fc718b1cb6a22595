//! Why a sync has no proper end.

use wholesite_store::StoreError;

use crate::SyncReport;

/// Why a sync failed. What was published until then stays published.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SyncError {
    /// The source can't be opened.
    #[error("{0}")]
    Source(String),
    /// The store refused.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// No page was found, and why.
    #[error("no page was found at {site}: {why}")]
    NothingDiscovered {
        /// The site.
        site: String,
        /// Why.
        why: String,
        /// The report so far.
        report: Box<SyncReport>,
    },
    /// The `validate_discovery` hook said no.
    #[error("the listing was refused: {0}")]
    Refused(String),
    /// The sync was cancelled.
    #[error("cancelled: {} of {} pages were done", .0.updated + .0.unchanged + .0.failed + .0.skipped, .0.discovered)]
    Cancelled(Box<SyncReport>),
}

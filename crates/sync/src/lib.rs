//! Keeps a store equal to a site, and removes only with proof.
//!
//! [`sync`] discovers a site through an [`Origin`], fetches what it lists, publishes a page at a time
//! into a [`Store`](wholesite_store::Store), and withdraws what is gone by the rules of [`prune`].
//! Time and chance come in through [`Clock`] and [`Job`], so a simulator drives the very same code.
//!
//! **Deliberately absent**: HTTP, databases, files, a runtime, any clock of its own.

mod clock;
mod dry_run;
mod engine;
mod error;
mod job;
mod origin;
pub mod prune;
mod report;
#[doc(hidden)]
pub mod sabotage;
mod tally;

pub use clock::Clock;
pub use dry_run::DryRun;
pub use engine::{Hooks, Transform, Validate, sync};
pub use error::SyncError;
pub use job::Job;
pub use origin::{Origin, Progress, Site, discover};
pub use report::{
    BlockerLine, Cost, DiscoverySummary, LISTED, PageFailure, PageSyncProgress, PruneLine, PruneReport,
    Stage, SyncReport, SyncStatus,
};
pub use tally::{Observer, Tally};

//! Where pages are kept.
//!
//! [`Store`] is the whole contract: reads of what is published, and one way to write, a batch of
//! [`Change`]s that happens as a whole or not at all, under a [`Lease`] that makes its holder the
//! only writer of a site. [`MemoryStore`] is the reference; `conformance` (a feature) is the suite
//! that every store must pass.
//!
//! A *page* is live: listed, read and searched. A *withdrawn* page is in the trash, out of all three,
//! and comes back exactly as it was. A *purged* page is gone.
//!
//! For whoever writes a store: [`mod@line`] is the way to one writing thread, and the macros
//! [`store_reads!`], [`store_leases!`] and [`store_batches!`] hand on what a store in front of another
//! one does not change.
//!
//! **Deliberately absent**: when to write what. That is for the engine to decide.

mod change;
#[cfg(feature = "conformance")]
pub mod conformance;
mod digest;
mod error;
mod failure;
mod gate;
mod hand_on;
mod history;
mod lease;
pub mod line;
mod memory;
mod page;
mod persist;
mod search;
mod site;
mod store;
mod time;
mod trash;

pub use change::Change;
pub use digest::Digest;
pub use error::StoreError;
pub use failure::{Absence, Failing};
pub use history::{Revision, RevisionInfo, RunRecord};
pub use lease::{Holder, Lease};
pub use memory::MemoryStore;
pub use page::{Page, Record, Representation, Validators};
pub use search::{Hit, Query};
pub use site::{Baseline, HeldPlan, SiteKey, SiteState};
pub use store::Store;
pub use time::Timestamp;
pub use trash::{Fate, Trashed, Withdrawal};
pub use wholesite_address::StorePath;

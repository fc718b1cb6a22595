//! A site that does not exist, and everything around it: for running the real engine and the real
//! discovery through incidents that no real site can be asked for.
//!
//! [`World`] is the truth and what it answers; [`Web`] is the way to it, with whatever goes wrong on
//! it; [`SimClock`] is Tokio's paused clock, on which a day passes at once.

mod clock;
mod random;
pub mod sim;
mod watch;
mod web;
mod world;

pub use clock::SimClock;
pub use random::Random;
pub use watch::{StoreFault, WatchedStore};
pub use web::{Asked, Web, answer, respond};
pub use world::{Absent, Text, World};

use wholesite_store::{SiteKey, Store};
use wholesite_sync::{Hooks, Job, Site, SyncError, SyncReport, Tally, sync};

/// The address of every simulated site.
pub const SITE: &str = "https://docs.example/";

/// The site, as stores name it.
pub fn site() -> SiteKey {
    SiteKey::parse(SITE).expect("a valid address")
}

/// One sync of the simulated site.
///
/// # Errors
/// As [`sync`].
pub async fn sync_once<S: Store>(web: &Web, store: &S, job: &Job) -> Result<SyncReport, SyncError> {
    let origin = Site { seed: web.seed(), fetch: web.clone(), concurrency: 8 };
    let tally = Tally::new(None);
    sync(&origin, store, &SimClock, job, &Hooks::default(), &tally, std::future::pending()).await
}

/// A job with the defaults, for run number `run`.
pub fn job(run: usize) -> Job {
    Job { entropy: run as u64 + 1, ..Job::new(site(), format!("run-{run:04}")) }
}

/// Runs a future on a single thread, on a clock that skips every wait.
pub fn simulate<T>(future: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .start_paused(true)
        .build()
        .expect("a runtime")
        .block_on(future)
}

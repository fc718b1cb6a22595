//! The clock of a simulation.

use std::sync::OnceLock;
use std::time::Duration;

use tokio::time::Instant;
use wholesite_store::Timestamp;
use wholesite_sync::Clock;

/// Tokio's clock; paused, it goes on only when everybody waits. The time of day is counted from a
/// fixed morning.
#[derive(Debug, Clone, Copy)]
pub struct SimClock;

/// 2026-01-01 00:00 UTC.
const MORNING: i64 = 1_767_225_600_000;

thread_local! {
    static START: OnceLock<Instant> = const { OnceLock::new() };
}

fn since_start() -> Duration {
    START.with(|start| Instant::now().saturating_duration_since(*start.get_or_init(Instant::now)))
}

impl Clock for SimClock {
    fn now(&self) -> Timestamp {
        Timestamp(MORNING).plus(since_start())
    }

    fn elapsed(&self) -> Duration {
        since_start()
    }

    fn sleep(&self, time: Duration) -> impl Future<Output = ()> + Send {
        tokio::time::sleep(time)
    }
}

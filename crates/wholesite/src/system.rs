//! The real clock, and names for runs.

use std::sync::OnceLock;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use wholesite_store::Timestamp;
use wholesite_sync::Clock;

/// The system's clock, and Tokio's timers.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    fn now(&self) -> Timestamp {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Timestamp(i64::try_from(since.as_millis()).unwrap_or(i64::MAX))
    }

    fn elapsed(&self) -> Duration {
        static START: OnceLock<Instant> = OnceLock::new();
        START.get_or_init(Instant::now).elapsed()
    }

    fn sleep(&self, time: Duration) -> impl Future<Output = ()> + Send {
        tokio::time::sleep(time)
    }
}

/// A name for a run that begins now: sorts by time, and no two are alike.
pub fn run_id() -> String {
    let now = jiff::Timestamp::now().strftime("%Y%m%dT%H%M%S%3fZ");
    format!("{now}-{:04x}", fastrand::u16(..))
}

//! Time and chance, so that a simulator can supply both.

use std::future::Future;
use std::time::Duration;

use wholesite_store::Timestamp;

/// The time, and waiting.
pub trait Clock: Send + Sync {
    /// The time of day. May jump.
    fn now(&self) -> Timestamp;

    /// Time since some moment before the run. Only goes forward.
    fn elapsed(&self) -> Duration;

    /// Waits.
    fn sleep(&self, time: Duration) -> impl Future<Output = ()> + Send;
}

impl<C: Clock + ?Sized> Clock for &C {
    fn now(&self) -> Timestamp {
        (**self).now()
    }

    fn elapsed(&self) -> Duration {
        (**self).elapsed()
    }

    fn sleep(&self, time: Duration) -> impl Future<Output = ()> + Send {
        (**self).sleep(time)
    }
}

//! Points in time, as stores keep them.

use std::fmt;
use std::time::Duration;

use serde::{Deserialize, Serialize};

/// Milliseconds since 1970-01-01 00:00 UTC. Prints as RFC 3339.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Timestamp(pub i64);

impl Timestamp {
    /// How long after `earlier` this is; nothing where it is not after it, as when a clock was set back.
    pub fn since(self, earlier: Timestamp) -> Duration {
        Duration::from_millis(u64::try_from(self.0.saturating_sub(earlier.0)).unwrap_or(0))
    }

    /// So much later.
    pub fn plus(self, time: Duration) -> Timestamp {
        Timestamp(self.0.saturating_add(i64::try_from(time.as_millis()).unwrap_or(i64::MAX)))
    }
}

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match jiff::Timestamp::from_millisecond(self.0) {
            Ok(time) => write!(f, "{time:.0}"),
            Err(_) => write!(f, "{} ms", self.0),
        }
    }
}

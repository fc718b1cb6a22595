//! Whether, and when, to try again.

use std::time::Duration;

use crate::Failure;

/// How long to go on for one document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RetryPolicy {
    /// The most requests that are sent for one document, at least 1.
    pub attempts: u32,
    /// For all attempts and the pauses between them. Standing in line for a busy host is not counted.
    pub total: Duration,
    /// For one attempt: from connecting to the last byte of the body. Neither informational answers nor
    /// dripping extend it.
    pub attempt: Duration,
    /// For the part of an attempt that makes the connection: name, TCP, TLS.
    pub connect: Duration,
    /// The shortest pause.
    pub backoff_min: Duration,
    /// The longest pause that is not asked for by the server.
    pub backoff_max: Duration,
    /// The longest pause that a server can ask for.
    pub retry_after_cap: Duration,
}

impl Default for RetryPolicy {
    fn default() -> Self {
        RetryPolicy {
            attempts: 5,
            total: Duration::from_secs(30),
            attempt: Duration::from_secs(10),
            connect: Duration::from_secs(5),
            backoff_min: Duration::from_millis(500),
            backoff_max: Duration::from_secs(4),
            retry_after_cap: Duration::from_secs(10),
        }
    }
}

/// How an attempt ended, as far as trying again is concerned.
#[derive(Debug, Clone, Copy)]
pub enum Outcome<'a> {
    /// With an answer of this status.
    Status(u16),
    /// Without one.
    Failed(&'a Failure),
}

impl Outcome<'_> {
    /// Whether the same request may fare better soon: timeouts, resets, truncated bodies, and the
    /// statuses 408, 425, 429 and 5xx, but not 501 and 505, which are about what the server can do.
    /// Statuses beyond 599 mean nothing that is known, and so are not repeated.
    pub fn may_pass(&self) -> bool {
        match self {
            Outcome::Status(status) => match status {
                408 | 425 | 429 => true,
                501 | 505 => false,
                _ => (500..600).contains(status),
            },
            Outcome::Failed(failure) => failure.may_pass(),
        }
    }
}

impl RetryPolicy {
    /// The pause before the next attempt, or `None` where this was the last.
    ///
    /// `made` counts the attempts so far, the one that just ended included. `retry_after` is what the
    /// server asked for, `elapsed` the time since the first attempt began, without standing in line.
    /// `jitter` lies in 0..1 and spreads the attempts of many tasks.
    pub fn next_delay(
        &self,
        made: u32,
        outcome: Outcome<'_>,
        retry_after: Option<Duration>,
        elapsed: Duration,
        jitter: f64,
    ) -> Option<Duration> {
        if made >= self.attempts || !outcome.may_pass() {
            return None;
        }
        let delay = match retry_after {
            Some(asked) => self.asked(asked),
            None => self.backoff(made, jitter),
        };
        (elapsed.saturating_add(delay) < self.total).then_some(delay)
    }

    /// The pause that a server asked for, within bounds: never less than the shortest pause, since a
    /// server that says `Retry-After: 0` has failed all the same.
    pub fn asked(&self, retry_after: Duration) -> Duration {
        retry_after.max(self.backoff_min).min(self.retry_after_cap)
    }

    /// Exponential back-off with equal jitter: the nth pause lies between `backoff_min`·2ⁿ⁻¹ and twice
    /// that, and never beyond `backoff_max`.
    pub fn backoff(&self, made: u32, jitter: f64) -> Duration {
        let doubled = self.backoff_min.saturating_mul(1_u32 << made.clamp(1, 16));
        let ceiling = doubled.min(self.backoff_max);
        let spread = if jitter.is_finite() { jitter.clamp(0.0, 1.0) } else { 0.5 };
        (ceiling / 2 + (ceiling / 2).mul_f64(spread)).max(self.backoff_min)
    }

    /// How long the next attempt may take, given the time that is gone.
    pub fn attempt_limit(&self, elapsed: Duration) -> Duration {
        self.attempt.min(self.total.saturating_sub(elapsed))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Causes;
    use proptest::prelude::*;

    const SECOND: Duration = Duration::from_secs(1);

    #[test]
    fn what_may_pass() {
        let statuses = [
            (200, false),
            (304, false),
            (308, false),
            (401, false),
            (403, false),
            (404, false),
            (408, true),
            (410, false),
            (425, true),
            (429, true),
            (500, true),
            (501, false),
            (502, true),
            (503, true),
            (504, true),
            (505, false),
            (524, true),
            (600, false),
            (999, false),
        ];
        for (status, again) in statuses {
            assert_eq!(Outcome::Status(status).may_pass(), again, "{status}");
        }
        let reset = Failure::Reset { causes: Causes::none() };
        let bomb = Failure::InflateBomb { received: 203, inflated: 1 << 20 };
        assert!(Outcome::Failed(&reset).may_pass());
        assert!(!Outcome::Failed(&bomb).may_pass());
    }

    #[test]
    fn pauses() {
        let policy = RetryPolicy::default();
        let busy = Outcome::Status(503);
        let millis = Duration::from_millis;
        // (attempts made, asked for, elapsed, jitter) → pause
        let cases = [
            ((1, None, SECOND, 0.0), Some(millis(500))),
            ((1, None, SECOND, 1.0), Some(millis(1000))),
            ((2, None, SECOND, 0.0), Some(millis(1000))),
            ((3, None, SECOND, 1.0), Some(millis(4000))),
            ((4, None, SECOND, 1.0), Some(millis(4000))),
            ((5, None, SECOND, 0.0), None),
            ((1, Some(2 * SECOND), SECOND, 0.7), Some(2 * SECOND)),
            ((1, Some(Duration::ZERO), SECOND, 0.7), Some(millis(500))),
            ((1, Some(Duration::MAX), SECOND, 0.7), Some(10 * SECOND)),
            ((3, Some(Duration::MAX), 20 * SECOND, 0.7), None),
            ((2, None, 29 * SECOND, 0.0), None),
            ((2, None, 28 * SECOND, 0.0), Some(SECOND)),
        ];
        for ((made, asked, elapsed, jitter), pause) in cases {
            let found = policy.next_delay(made, busy, asked, elapsed, jitter);
            assert_eq!(found, pause, "{made} {asked:?} {elapsed:?} {jitter}");
        }
        assert_eq!(policy.next_delay(1, Outcome::Status(404), None, SECOND, 0.0), None);
    }

    proptest! {
        #[test]
        fn pauses_stay_within_bounds(made: u32, asked: Option<u64>, elapsed: u64, jitter: f64) {
            let policy = RetryPolicy::default();
            let asked = asked.map(Duration::from_millis);
            let elapsed = Duration::from_millis(elapsed);
            if let Some(pause) = policy.next_delay(made, Outcome::Status(500), asked, elapsed, jitter) {
                let longest = if asked.is_some() { policy.retry_after_cap } else { policy.backoff_max };
                prop_assert!(pause >= policy.backoff_min && pause <= longest);
                prop_assert!(made < policy.attempts && elapsed + pause < policy.total);
            }
            prop_assert!(policy.attempt_limit(elapsed) <= policy.attempt);
        }
    }
}

//! One gate for each host, shared by all tasks.
//!
//! Retrying is not a private matter: the burst that made a host say "429" goes on where every task
//! waits on its own. So a refusal closes the gate for all, the host is then approached with half as
//! many requests at once, and the number grows again by one for each round that went well (the
//! "additive increase, multiplicative decrease" of TCP).

use std::time::Duration;

/// How hard one host is worked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HostLimits {
    /// Requests in flight at once, at least 1.
    pub in_flight: u32,
    /// From the start of one request to the start of the next.
    pub min_interval: Duration,
    /// So many refusals on end, with nothing served in between, and the host is left alone.
    pub strikes: u32,
    /// For how long it is left alone; requests fail at once meanwhile.
    pub rest: Duration,
}

impl Default for HostLimits {
    fn default() -> Self {
        HostLimits { in_flight: 8, min_interval: Duration::ZERO, strikes: 10, rest: Duration::from_secs(60) }
    }
}

/// What the gate says to the one who stands first in line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Turn {
    /// Start now; [`HostGate::finish`] must follow.
    Go,
    /// Ask again after this time.
    Wait(Duration),
    /// Ask again when a request has finished.
    Full,
    /// Don't: the host is left alone for this time.
    Refused(Duration),
}

/// What a finished request tells about the host.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// It answered in earnest.
    Served,
    /// It wants to be left alone for this time: 429, or any refusal with `Retry-After`.
    KeepOff(Duration),
    /// 503 without a word about when. One broken page can say so too, among others that are served: the
    /// gate closes for this time only when it is the second such answer on end.
    Strained(Duration),
    /// Nothing: no answer came, or it was given up.
    Unknown,
}

/// The state of one host. `now` is the time since some fixed start, the same for all calls, and does
/// not run backwards.
#[derive(Debug, Clone)]
pub struct HostGate {
    limits: HostLimits,
    in_flight: u32,
    /// Requests that may be in flight as things stand.
    allowed: u32,
    /// Requests served since `allowed` changed.
    served: u32,
    next_start: Duration,
    closed_at: Duration,
    closed_until: Duration,
    resting_until: Duration,
    strikes: u32,
    strained: bool,
}

impl HostGate {
    /// An open gate.
    pub fn new(limits: HostLimits) -> Self {
        HostGate {
            limits,
            in_flight: 0,
            allowed: limits.in_flight.max(1),
            served: 0,
            next_start: Duration::ZERO,
            closed_at: Duration::ZERO,
            closed_until: Duration::ZERO,
            resting_until: Duration::ZERO,
            strikes: 0,
            strained: false,
        }
    }

    /// Asks to start a request now.
    pub fn ask(&mut self, now: Duration) -> Turn {
        if now < self.resting_until {
            return Turn::Refused(self.resting_until - now);
        }
        let opens = self.closed_until.max(self.next_start);
        if now < opens {
            return Turn::Wait(opens - now);
        }
        if self.in_flight >= self.allowed {
            return Turn::Full;
        }
        self.in_flight += 1;
        self.next_start = now.saturating_add(self.limits.min_interval);
        Turn::Go
    }

    /// Tells how a request ended that was let through at `started`.
    pub fn finish(&mut self, started: Duration, now: Duration, verdict: Verdict) {
        self.in_flight = self.in_flight.saturating_sub(1);
        // What was in flight when the gate closed belongs to the burst that closed it.
        let is_news = started >= self.closed_at;
        match verdict {
            Verdict::Unknown => {}
            Verdict::Served => {
                self.strained = false;
                if is_news {
                    self.strikes = 0;
                    self.speed_up();
                }
            }
            Verdict::KeepOff(pause) => self.close(now, pause, is_news),
            Verdict::Strained(pause) => {
                if std::mem::replace(&mut self.strained, true) {
                    self.close(now, pause, is_news);
                }
            }
        }
    }

    /// Whether forgetting this host would change nothing.
    pub fn is_quiet(&self, now: Duration) -> bool {
        let opens = self.closed_until.max(self.next_start).max(self.resting_until);
        self.in_flight == 0 && self.strikes == 0 && now >= opens
    }

    /// Requests in flight now.
    pub fn in_flight(&self) -> u32 {
        self.in_flight
    }

    fn speed_up(&mut self) {
        self.served += 1;
        if self.served >= self.allowed && self.allowed < self.limits.in_flight {
            self.allowed += 1;
            self.served = 0;
        }
    }

    fn close(&mut self, now: Duration, pause: Duration, is_news: bool) {
        self.closed_until = self.closed_until.max(now.saturating_add(pause));
        if !is_news {
            return;
        }
        // A nanosecond later, so that what started at this very moment counts as part of the burst.
        self.closed_at = now.saturating_add(Duration::from_nanos(1));
        self.allowed = (self.allowed / 2).max(1);
        self.served = 0;
        self.strikes += 1;
        if self.strikes >= self.limits.strikes.max(1) {
            self.resting_until = now.saturating_add(self.limits.rest);
            // After the rest one more refusal is enough.
            self.strikes -= 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const fn at(millis: u64) -> Duration {
        Duration::from_millis(millis)
    }

    fn gate(in_flight: u32, min_interval: u64) -> HostGate {
        HostGate::new(HostLimits { in_flight, min_interval: at(min_interval), ..HostLimits::default() })
    }

    #[test]
    fn requests_in_flight_are_bounded() {
        let mut gate = gate(2, 0);
        assert_eq!([gate.ask(at(0)), gate.ask(at(0)), gate.ask(at(0))], [Turn::Go, Turn::Go, Turn::Full]);
        gate.finish(at(0), at(5), Verdict::Served);
        assert_eq!(gate.ask(at(5)), Turn::Go);
    }

    #[test]
    fn starts_keep_their_distance() {
        let mut gate = gate(8, 100);
        assert_eq!(
            [gate.ask(at(0)), gate.ask(at(30)), gate.ask(at(100))],
            [Turn::Go, Turn::Wait(at(70)), Turn::Go]
        );
    }

    #[test]
    fn a_refusal_closes_it_for_all_and_halves_the_pace() {
        let mut gate = gate(4, 0);
        for _ in 0..4 {
            gate.ask(at(0));
        }
        gate.finish(at(0), at(10), Verdict::KeepOff(at(2000)));
        assert_eq!(gate.ask(at(10)), Turn::Wait(at(2000)));
        // The rest of the burst prolongs the pause, but is not another offence.
        gate.finish(at(0), at(20), Verdict::KeepOff(at(2000)));
        gate.finish(at(0), at(20), Verdict::Served);
        gate.finish(at(0), at(20), Verdict::Unknown);
        assert_eq!(gate.ask(at(2019)), Turn::Wait(at(1)));
        assert_eq!(
            [gate.ask(at(2020)), gate.ask(at(2020)), gate.ask(at(2020))],
            [Turn::Go, Turn::Go, Turn::Full]
        );
        // Two rounds that go well, and it is three at once.
        gate.finish(at(2020), at(2030), Verdict::Served);
        gate.finish(at(2020), at(2030), Verdict::Served);
        let turns: Vec<_> = (0..4).map(|_| gate.ask(at(2030))).collect();
        assert_eq!(turns, [Turn::Go, Turn::Go, Turn::Go, Turn::Full]);
    }

    #[test]
    fn one_strained_page_among_others_does_not_close_it() {
        let mut gate = gate(4, 0);
        let end_with = |gate: &mut HostGate, now, verdict| {
            assert_eq!(gate.ask(now), Turn::Go, "{now:?}");
            gate.finish(now, now, verdict);
        };
        for round in 0..5 {
            end_with(&mut gate, at(round * 10), Verdict::Strained(at(500)));
            end_with(&mut gate, at(round * 10 + 5), Verdict::Served);
        }
        end_with(&mut gate, at(100), Verdict::Strained(at(500)));
        end_with(&mut gate, at(100), Verdict::Strained(at(500)));
        assert_eq!(gate.ask(at(100)), Turn::Wait(at(500)));
    }

    #[test]
    fn a_host_that_only_refuses_is_left_alone() {
        let mut gate = HostGate::new(HostLimits { strikes: 3, rest: at(60_000), ..HostLimits::default() });
        let mut now = at(0);
        for _ in 0..3 {
            assert_eq!(gate.ask(now), Turn::Go);
            gate.finish(now, now, Verdict::KeepOff(at(1000)));
            now += at(1000);
        }
        assert_eq!(gate.ask(now), Turn::Refused(at(59_000)));
        now += at(59_000);
        assert_eq!(gate.ask(now), Turn::Go, "half open again");
        gate.finish(now, now, Verdict::KeepOff(at(1000)));
        assert_eq!(gate.ask(now), Turn::Refused(at(60_000)));
    }

    proptest! {
        /// Whatever happens: never too many in flight, nothing starts in a pause, and waiting as told helps.
        #[test]
        fn laws(
            limit in 1_u32..5,
            interval in 0_u64..50,
            steps in prop::collection::vec((0_u64..40, 0_u8..6, 0_u64..200), 1..200),
        ) {
            let mut gate = gate(limit, interval);
            let mut running: Vec<Duration> = Vec::new();
            let (mut now, mut closed_until) = (at(0), at(0));
            for (passed, action, pause) in steps {
                now += at(passed);
                if action < 3 {
                    match gate.ask(now) {
                        Turn::Go => {
                            prop_assert!(now >= closed_until);
                            running.push(now);
                        }
                        Turn::Wait(time) => {
                            prop_assert!(!matches!(gate.clone().ask(now + time), Turn::Wait(_)));
                        }
                        Turn::Full => prop_assert!(!running.is_empty()),
                        Turn::Refused(time) => {
                            prop_assert!(!matches!(gate.clone().ask(now + time), Turn::Refused(_)));
                        }
                    }
                } else if let Some(started) = running.pop() {
                    let verdict = match action {
                        3 => Verdict::Served,
                        4 => Verdict::KeepOff(at(pause)),
                        _ => Verdict::Unknown,
                    };
                    if let Verdict::KeepOff(pause) = verdict {
                        closed_until = closed_until.max(now + pause);
                    }
                    gate.finish(started, now, verdict);
                }
                prop_assert_eq!(gate.in_flight() as usize, running.len());
                prop_assert!(gate.in_flight() <= limit);
            }
        }
    }
}

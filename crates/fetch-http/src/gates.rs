//! The host gates, with a clock and a line to stand in.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::Notify;
use tokio::time::{Instant, sleep};
use wholesite_fetch::{Failure, HostGate, HostLimits, Turn, Verdict};

/// Hosts that are remembered; beyond that, those that nobody uses are forgotten.
const MANY: usize = 1024;

#[derive(Debug)]
pub(crate) struct Gates {
    limits: HostLimits,
    epoch: Instant,
    hosts: Mutex<HashMap<String, Arc<Gate>>>,
}

impl Gates {
    pub(crate) fn new(limits: HostLimits) -> Self {
        Gates { limits, epoch: Instant::now(), hosts: Mutex::default() }
    }

    /// The gate of a host. Ports share it: they are one machine.
    pub(crate) fn of(&self, host: &str) -> Arc<Gate> {
        let mut hosts = lock(&self.hosts);
        if let Some(gate) = hosts.get(host) {
            return Arc::clone(gate);
        }
        if hosts.len() >= MANY {
            hosts.retain(|_, gate| Arc::strong_count(gate) > 1 || !gate.is_quiet());
        }
        let gate = Arc::new(Gate {
            host: host.to_owned(),
            epoch: self.epoch,
            state: Mutex::new(HostGate::new(self.limits)),
            line: tokio::sync::Mutex::new(()),
            freed: Notify::new(),
        });
        hosts.insert(host.to_owned(), Arc::clone(&gate));
        gate
    }
}

#[derive(Debug)]
pub(crate) struct Gate {
    host: String,
    epoch: Instant,
    state: Mutex<HostGate>,
    /// First come, first served: only the holder asks the gate, so nobody is overtaken, and a host that
    /// opens again does not wake thousands.
    line: tokio::sync::Mutex<()>,
    freed: Notify,
}

impl Gate {
    /// Stands in line until a request may start.
    ///
    /// # Errors
    /// [`Failure::HostClosed`] where the host is left alone for the time being.
    pub(crate) async fn enter(self: &Arc<Self>) -> Result<Permit, Failure> {
        let _first = self.line.lock().await;
        loop {
            let now = self.now();
            let turn = lock(&self.state).ask(now);
            match turn {
                Turn::Go => {
                    return Ok(Permit { gate: Arc::clone(self), started: now, verdict: Verdict::Unknown });
                }
                Turn::Wait(time) => sleep(time).await,
                // A slot that was freed since the question has left its notice.
                Turn::Full => self.freed.notified().await,
                Turn::Refused(retry_in) => {
                    return Err(Failure::HostClosed { host: self.host.clone(), retry_in });
                }
            }
        }
    }

    fn now(&self) -> Duration {
        self.epoch.elapsed()
    }

    fn is_quiet(&self) -> bool {
        lock(&self.state).is_quiet(self.now())
    }
}

/// The right to one request. Given back when dropped, also by whoever is cancelled.
#[derive(Debug)]
pub(crate) struct Permit {
    gate: Arc<Gate>,
    started: Duration,
    verdict: Verdict,
}

impl Permit {
    /// Gives it back, with what was learnt of the host.
    pub(crate) fn finish(mut self, verdict: Verdict) {
        self.verdict = verdict;
    }
}

impl Drop for Permit {
    fn drop(&mut self) {
        let now = self.gate.now();
        lock(&self.gate.state).finish(self.started, now, self.verdict);
        self.gate.freed.notify_one();
    }
}

/// State stays sound at every step, so a panic elsewhere is no reason to panic here.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Nothing starts inside the window, and only the host itself is held.
    #[tokio::test(start_paused = true)]
    async fn a_refusal_stops_everybody() {
        let gates = Arc::new(Gates::new(HostLimits::default()));
        let permit = gates.of("a.test").enter().await.unwrap();
        permit.finish(Verdict::KeepOff(Duration::from_secs(2)));
        let start = Instant::now();
        let tasks: Vec<_> = (0..20)
            .map(|_| {
                let gates = Arc::clone(&gates);
                tokio::spawn(async move {
                    let permit = gates.of("a.test").enter().await.unwrap();
                    let waited = start.elapsed();
                    sleep(Duration::from_millis(10)).await;
                    permit.finish(Verdict::Served);
                    waited
                })
            })
            .collect();
        gates.of("b.test").enter().await.unwrap();
        assert_eq!(start.elapsed(), Duration::ZERO, "other hosts go on");
        for task in tasks {
            assert!(task.await.unwrap() >= Duration::from_secs(2));
        }
    }

    #[tokio::test(start_paused = true)]
    async fn whoever_is_cancelled_frees_the_place() {
        let gates = Gates::new(HostLimits { in_flight: 1, ..HostLimits::default() });
        let gate = gates.of("a.test");
        let permit = gate.enter().await.unwrap();
        let waiting = tokio::spawn({
            let gate = Arc::clone(&gate);
            async move { gate.enter().await.map(drop) }
        });
        tokio::task::yield_now().await;
        waiting.abort();
        drop(permit);
        assert!(waiting.await.is_err());
        gate.enter().await.unwrap();
    }

    #[test]
    fn idle_hosts_are_forgotten() {
        let gates = Gates::new(HostLimits::default());
        for n in 0..3 * MANY {
            gates.of(&format!("{n}.test"));
        }
        assert!(lock(&gates.hosts).len() <= MANY);
    }
}

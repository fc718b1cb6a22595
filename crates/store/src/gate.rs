//! A bound on what waits for the writing thread.
//!
//! Callers wait for their answers, but one that gives up leaves its batch in the queue. So that a
//! caller that gives up again and again does not fill the memory, nothing is queued without a permit.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use futures_channel::oneshot;

/// Hands out permits, in the order in which they were asked for.
#[derive(Debug, Clone)]
pub(crate) struct Gate {
    state: Arc<Mutex<State>>,
}

#[derive(Debug)]
struct State {
    free: usize,
    waiting: VecDeque<oneshot::Sender<Permit>>,
}

/// One place in the queue, given back when this is dropped.
#[derive(Debug)]
pub(crate) struct Permit {
    gate: Option<Gate>,
}

impl Permit {
    /// A permit of no gate.
    pub(crate) fn free() -> Self {
        Permit { gate: None }
    }
}

impl Gate {
    pub(crate) fn new(places: usize) -> Self {
        Gate { state: Arc::new(Mutex::new(State { free: places, waiting: VecDeque::new() })) }
    }

    pub(crate) async fn enter(&self) -> Permit {
        let wait = {
            let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
            if state.free > 0 {
                state.free -= 1;
                return Permit { gate: Some(self.clone()) };
            }
            let (turn, wait) = oneshot::channel();
            state.waiting.push_back(turn);
            wait
        };
        // The sender is dropped only with the gate, which this borrows.
        wait.await.unwrap_or(Permit::free())
    }

    fn give_back(self) {
        loop {
            let turn = {
                let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
                match state.waiting.pop_front() {
                    Some(turn) => turn,
                    None => {
                        state.free += 1;
                        return;
                    }
                }
            };
            match turn.send(Permit { gate: Some(self.clone()) }) {
                Ok(()) => return,
                // It gave up waiting: the next one's turn.
                Err(mut permit) => permit.gate = None,
            }
        }
    }
}

impl Drop for Permit {
    fn drop(&mut self) {
        if let Some(gate) = self.gate.take() {
            gate.give_back();
        }
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt;

    use super::*;

    #[test]
    fn places_are_handed_on_past_those_who_gave_up() {
        let gate = Gate::new(1);
        let first = gate.enter().now_or_never().expect("a free place");
        let mut gave_up = Box::pin(gate.enter());
        let mut gave_up_late = Box::pin(gate.enter());
        let mut waits = Box::pin(gate.enter());
        for waiting in [&mut gave_up, &mut gave_up_late, &mut waits] {
            assert!(waiting.now_or_never().is_none(), "there is no place");
        }
        drop(gave_up);
        drop(first);
        assert!((&mut waits).now_or_never().is_none(), "another one's turn");
        drop(gave_up_late);
        let permit = waits.now_or_never().expect("its turn");
        drop(permit);
        assert!(gate.enter().now_or_never().is_some(), "no place was lost");
    }
}

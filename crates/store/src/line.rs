//! The line to the one thread that writes, for stores that have one.
//!
//! Such a thread takes [`Request`]s one by one or in groups, and answers each. What is asked is done
//! also where the caller gave up waiting; a lease that is dropped is given up in its turn.

use std::sync::mpsc::{self, Receiver, Sender};

use futures_channel::oneshot;

use crate::gate::{Gate, Permit};
use crate::{Change, Holder, Lease, SiteKey, StoreError, Timestamp};

/// How an answer goes back.
pub type Reply<T> = oneshot::Sender<Result<T, StoreError>>;

/// What the thread can be asked.
#[derive(Debug)]
pub enum Message {
    /// The lease of a site, for `holder`, until a time.
    Acquire {
        /// The site.
        site: SiteKey,
        /// Who asks.
        holder: Holder,
        /// The time by the caller's clock.
        now: Timestamp,
        /// When the lease is to end.
        until: Timestamp,
        /// The way back.
        reply: Reply<Lease>,
    },
    /// More time for a lease.
    Renew {
        /// The site.
        site: SiteKey,
        /// The lease's token.
        token: u64,
        /// When the lease is to end.
        until: Timestamp,
        /// The way back.
        reply: Reply<()>,
    },
    /// A batch, to be written whole or not at all.
    Apply {
        /// The site.
        site: SiteKey,
        /// The token of the lease that it is written under.
        token: u64,
        /// The changes.
        batch: Vec<Change>,
        /// The way back.
        reply: Reply<()>,
    },
}

impl Message {
    /// Tells the caller that it can't be done.
    pub fn refuse(self, cause: StoreError) {
        // A caller that is gone does not want to know.
        match self {
            Message::Acquire { reply, .. } => drop(reply.send(Err(cause))),
            Message::Renew { reply, .. } | Message::Apply { reply, .. } => drop(reply.send(Err(cause))),
        }
    }
}

/// What comes out of the line.
#[derive(Debug)]
pub enum Request {
    /// Somebody waits for an answer.
    Ask {
        /// What is asked.
        message: Message,
        /// The place in the line, given back when it is dropped.
        place: Place,
    },
    /// A lease was dropped.
    Release {
        /// The site.
        site: SiteKey,
        /// The lease's token.
        token: u64,
    },
    /// To be answered when everything before it is done.
    Settle {
        /// The way back.
        done: Sender<()>,
    },
}

/// A place in the line. Holds it until it is dropped, so that what waits stays bounded.
#[derive(Debug)]
pub struct Place {
    line: Sender<Request>,
    _permit: Permit,
}

impl Place {
    /// A place in a line that has no bound, for whoever sends requests without a [`Line`].
    pub fn unbounded(line: Sender<Request>) -> Self {
        Place { line, _permit: Permit::free() }
    }

    /// How the lease with a token is made, once it is written. Dropping the lease asks for its release.
    pub fn lease(&self, site: SiteKey) -> impl FnOnce(u64) -> Lease + 'static {
        let line = self.line.clone();
        move |token| {
            Lease::new(site.clone(), token, move || {
                let _ = line.send(Request::Release { site, token });
            })
        }
    }
}

/// The way to the thread, which ends when this and all leases are dropped. Dropping it waits until
/// what was asked is done, so that whoever opens the store next finds it done, and leases that were
/// dropped free.
#[derive(Debug)]
pub struct Line {
    line: Sender<Request>,
    gate: Gate,
}

impl Line {
    /// Starts a thread with a name; at most `places` requests wait for it at any time.
    ///
    /// # Errors
    /// [`StoreError::Io`] where the system gives no thread.
    pub fn start(
        name: &str,
        places: usize,
        thread: impl FnOnce(Receiver<Request>) + Send + 'static,
    ) -> Result<Self, StoreError> {
        let (line, requests) = mpsc::channel();
        std::thread::Builder::new()
            .name(name.to_owned())
            .spawn(move || thread(requests))
            .map_err(|cause| StoreError::Io(format!("no thread for writing: {cause}")))?;
        Ok(Line { line, gate: Gate::new(places) })
    }

    /// Asks, and waits for the answer. Once asked, it is done also where nobody waits any more.
    ///
    /// # Errors
    /// What the thread answers; [`StoreError::Uncertain`] where it ended before it did.
    pub async fn ask<T>(&self, message: impl FnOnce(Reply<T>) -> Message) -> Result<T, StoreError> {
        let place = Place { _permit: self.gate.enter().await, line: self.line.clone() };
        let (reply, answer) = oneshot::channel();
        let ask = Request::Ask { message: message(reply), place };
        self.line.send(ask).map_err(|_| StoreError::Io("the writing thread has ended".to_owned()))?;
        answer.await.map_err(|_| StoreError::Uncertain("the writing thread ended".to_owned()))?
    }

    /// [`Store::acquire`](crate::Store::acquire), by the thread.
    ///
    /// # Errors
    /// As [`Line::ask`].
    pub async fn acquire(
        &self,
        site: &SiteKey,
        holder: Holder,
        now: Timestamp,
        ttl: std::time::Duration,
    ) -> Result<Lease, StoreError> {
        let (site, until) = (site.clone(), now.plus(ttl));
        self.ask(|reply| Message::Acquire { site, holder, now, until, reply }).await
    }

    /// [`Store::renew`](crate::Store::renew), by the thread.
    ///
    /// # Errors
    /// As [`Line::ask`].
    pub async fn renew(
        &self,
        lease: &Lease,
        now: Timestamp,
        ttl: std::time::Duration,
    ) -> Result<(), StoreError> {
        let (site, token, until) = (lease.site().clone(), lease.token(), now.plus(ttl));
        self.ask(|reply| Message::Renew { site, token, until, reply }).await
    }

    /// [`Store::apply`](crate::Store::apply), by the thread. Texts are hashed here rather than on the one
    /// thread that everybody waits for.
    ///
    /// # Errors
    /// As [`Line::ask`].
    pub async fn apply(&self, lease: &Lease, mut batch: Vec<Change>) -> Result<(), StoreError> {
        batch.iter_mut().for_each(Change::seal);
        let (site, token) = (lease.site().clone(), lease.token());
        self.ask(|reply| Message::Apply { site, token, batch, reply }).await
    }
}

impl Drop for Line {
    fn drop(&mut self) {
        let (done, wait) = mpsc::channel();
        if self.line.send(Request::Settle { done }).is_ok() {
            let _ = wait.recv();
        }
    }
}

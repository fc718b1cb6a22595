//! The one thread that writes.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::mpsc::{self, Receiver, Sender};

use futures_channel::oneshot;
use wholesite_store::{Change, Holder, Lease, SiteKey, StoreError, Timestamp};

use crate::folder;
use crate::gate::{Gate, Permit};
use crate::site::Site;

/// How an answer goes back.
pub(crate) type Reply<T> = oneshot::Sender<Result<T, StoreError>>;

/// What the thread can be asked.
pub(crate) enum Message {
    Acquire { site: SiteKey, holder: Holder, now: Timestamp, until: Timestamp, reply: Reply<Lease> },
    Renew { site: SiteKey, token: u64, until: Timestamp, reply: Reply<()> },
    Apply { site: SiteKey, token: u64, batch: Vec<Change>, reply: Reply<()> },
}

/// What goes through the channel.
enum Request {
    /// `line` is for the lease to be released by.
    Ask {
        message: Message,
        line: Sender<Request>,
        _permit: Permit,
    },
    Release {
        site: SiteKey,
        token: u64,
    },
    /// Answered when everything before it is done.
    Settle {
        done: Sender<()>,
    },
}

/// The way to the thread, which ends when this and all leases are dropped.
#[derive(Debug)]
pub(crate) struct Writer {
    line: Sender<Request>,
    gate: Gate,
}

/// The most batches that are committed together.
const GROUP: usize = 256;

/// The most messages that wait.
const QUEUE: usize = 2 * GROUP;

impl Writer {
    /// Puts all sites right, and starts.
    pub(crate) fn start(root: PathBuf) -> Result<Self, StoreError> {
        let mut thread = Thread { root, sites: HashMap::new() };
        for site in folder::sites(&thread.root)? {
            thread.site(&site).repair()?;
        }
        let (line, requests) = mpsc::channel();
        std::thread::Builder::new()
            .name("wholesite-dir".to_owned())
            .spawn(move || thread.run(&requests))
            .map_err(|cause| StoreError::Io(format!("no thread for writing: {cause}")))?;
        Ok(Writer { line, gate: Gate::new(QUEUE) })
    }

    /// Asks, and waits for the answer. Once asked, it is done also where nobody waits any more.
    pub(crate) async fn ask<T>(&self, message: impl FnOnce(Reply<T>) -> Message) -> Result<T, StoreError> {
        let permit = self.gate.enter().await;
        let (reply, answer) = oneshot::channel();
        let ask = Request::Ask { message: message(reply), line: self.line.clone(), _permit: permit };
        self.line.send(ask).map_err(|_| StoreError::Io("the writing thread has ended".to_owned()))?;
        answer.await.map_err(|_| StoreError::Uncertain("the writing thread ended".to_owned()))?
    }
}

impl Drop for Writer {
    /// Waits until what was asked is done, so that whoever opens the folder next finds it done, and
    /// leases that were dropped free.
    fn drop(&mut self) {
        let (done, wait) = mpsc::channel();
        if self.line.send(Request::Settle { done }).is_ok() {
            let _ = wait.recv();
        }
    }
}

struct Thread {
    root: PathBuf,
    sites: HashMap<SiteKey, Site>,
}

/// Batches of one site that came one after the other.
struct Group {
    site: SiteKey,
    batches: Vec<(u64, Vec<Change>)>,
    replies: Vec<(Reply<()>, Permit)>,
}

impl Thread {
    fn run(mut self, requests: &Receiver<Request>) {
        while let Ok(first) = requests.recv() {
            let mut group: Option<Group> = None;
            let mut next = Some(first);
            while let Some(request) = next {
                match request {
                    Request::Ask {
                        message: Message::Apply { site, token, batch, reply }, _permit, ..
                    } => {
                        if group.as_ref().is_some_and(|group| group.site != site) {
                            self.commit(group.take());
                        }
                        let group = group.get_or_insert_with(|| Group {
                            site,
                            batches: Vec::new(),
                            replies: Vec::new(),
                        });
                        group.batches.push((token, batch));
                        group.replies.push((reply, _permit));
                    }
                    other => {
                        self.commit(group.take());
                        self.handle(other);
                    }
                }
                let is_full = group.as_ref().is_some_and(|group| group.batches.len() >= GROUP);
                next = if is_full { None } else { requests.try_recv().ok() };
            }
            self.commit(group);
        }
    }

    fn site(&mut self, site: &SiteKey) -> &mut Site {
        self.sites.entry(site.clone()).or_insert_with(|| Site::new(&self.root, site))
    }

    fn commit(&mut self, group: Option<Group>) {
        let Some(Group { site, batches, replies }) = group else { return };
        let results = self.site(&site).apply(batches);
        for ((reply, _permit), result) in replies.into_iter().zip(results) {
            // A caller that is gone does not want to know.
            drop(reply.send(result));
        }
    }

    fn handle(&mut self, request: Request) {
        match request {
            Request::Release { site, token } => {
                // Where it can't be given back, it ends by itself.
                let _ = self.site(&site).release(token);
            }
            Request::Settle { done } => drop(done.send(())),
            Request::Ask { message, line, _permit } => match message {
                Message::Acquire { site, holder, now, until, reply } => {
                    let token = self.site(&site).acquire(holder, now, until);
                    // Where the caller is gone, dropping the lease releases it.
                    drop(reply.send(token.map(|token| {
                        Lease::new(site.clone(), token, move || {
                            let _ = line.send(Request::Release { site, token });
                        })
                    })));
                }
                Message::Renew { site, token, until, reply } => {
                    drop(reply.send(self.site(&site).renew(token, until)));
                }
                Message::Apply { site, token, batch, reply } => {
                    let result = self.site(&site).apply(vec![(token, batch)]).pop();
                    drop(reply.send(result.unwrap_or(Ok(()))));
                }
            },
        }
    }
}

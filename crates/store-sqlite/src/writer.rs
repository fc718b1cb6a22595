//! The one thread that writes.

use std::path::{Path, PathBuf};
use std::sync::mpsc::{self, Receiver, Sender};

use futures_channel::oneshot;
use rusqlite::{Connection, TransactionBehavior};
use wholesite_store::{Change, Holder, Lease, SiteKey, StoreError, Timestamp};

use crate::gate::{Gate, Permit};
use crate::index::Entries;
use crate::lease::{Locks, site_of};
use crate::read::Fault;
use crate::{apply, error};

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

/// The most messages that share a transaction.
const GROUP: usize = 256;

/// The most messages that wait.
const QUEUE: usize = 4 * GROUP;

impl Writer {
    pub(crate) fn start(connection: Connection, path: &Path) -> Result<Self, StoreError> {
        let (line, requests) = mpsc::channel();
        let thread = Thread { connection, path: path.to_owned(), locks: Locks::new(path) };
        std::thread::Builder::new()
            .name("wholesite-sqlite".to_owned())
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
    /// Waits until what was asked is done, so that whoever opens the file next finds it done, and
    /// leases that were dropped free.
    fn drop(&mut self) {
        let (done, wait) = mpsc::channel();
        if self.line.send(Request::Settle { done }).is_ok() {
            let _ = wait.recv();
        }
    }
}

struct Thread {
    connection: Connection,
    path: PathBuf,
    locks: Locks,
}

/// Tells a caller, once the commit is through, what came of it.
type Told = Box<dyn FnOnce(Result<(), StoreError>)>;

impl Thread {
    fn run(mut self, requests: &Receiver<Request>) {
        while let Ok(first) = requests.recv() {
            let (mut group, mut settled) = (Vec::new(), Vec::new());
            let mut next = Some(first);
            while let Some(request) = next {
                match request {
                    Request::Settle { done } => settled.push(done),
                    request => group.push(request),
                }
                next = if group.len() < GROUP { requests.try_recv().ok() } else { None };
            }
            if !group.is_empty() {
                self.commit(group);
            }
            for done in settled {
                let _ = done.send(());
            }
        }
    }

    fn commit(&mut self, group: Vec<Request>) {
        let mut told = Vec::with_capacity(group.len());
        let mut group = group.into_iter();
        let committed = self.write(&mut group, &mut told);
        self.locks.settle(committed.is_ok());
        match committed {
            Ok(()) => told.into_iter().for_each(|tell| tell(Ok(()))),
            Err(cause) => {
                let path = &self.path;
                told.into_iter().for_each(|tell| tell(Err(again(path, &cause))));
                group.for_each(|request| refuse(request, again(path, &cause)));
            }
        }
    }

    /// Writes a group in one transaction. Batches that do not fit are rolled back alone.
    fn write(
        &mut self,
        group: &mut impl Iterator<Item = Request>,
        told: &mut Vec<Told>,
    ) -> rusqlite::Result<()> {
        let Thread { connection, path, locks } = self;
        let mut transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let mut entries = Entries::default();
        for request in group {
            let savepoint = match transaction.savepoint() {
                Ok(savepoint) => savepoint,
                Err(cause) => {
                    refuse(request, again(path, &cause));
                    return Err(cause);
                }
            };
            let mut own = Entries::default();
            let (done, tell) = handle(&savepoint, locks, &mut own, request, path);
            told.push(tell);
            if done {
                savepoint.commit()?;
                entries.then(own);
            } else {
                drop(savepoint);
                // A full disk, for one, makes SQLite end the whole transaction. What came after
                // would be written by itself.
                if transaction.is_autocommit() {
                    let message = "the database ended the transaction; nothing of it was written".to_owned();
                    let code = rusqlite::ffi::Error::new(rusqlite::ffi::SQLITE_ABORT_ROLLBACK);
                    return Err(rusqlite::Error::SqliteFailure(code, Some(message)));
                }
            }
        }
        entries.write(&transaction)?;
        locks.unlock_dropped();
        transaction.commit()
    }
}

/// Does what is asked; `false` where it did not work and must be rolled back.
fn handle(
    connection: &Connection,
    locks: &mut Locks,
    entries: &mut Entries,
    request: Request,
    path: &Path,
) -> (bool, Told) {
    let (message, line) = match request {
        Request::Ask { message, line, .. } => (message, line),
        Request::Release { site, token } => {
            let done = locks.release(connection, &site, token).is_ok();
            return (done, Box::new(|_| {}));
        }
        Request::Settle { .. } => return (true, Box::new(|_| {})),
    };
    match message {
        Message::Acquire { site, holder, now, until, reply } => {
            let result = locks.acquire(connection, &site, &holder, now, until);
            // Made only once the lease is written. Where the caller is gone, it is released again.
            let lease = move |token| {
                Lease::new(site.clone(), token, move || {
                    let _ = line.send(Request::Release { site, token });
                })
            };
            tell(reply, result, lease, path)
        }
        Message::Renew { site, token, until, reply } => {
            tell(reply, locks.renew(connection, &site, token, until), |()| (), path)
        }
        Message::Apply { site, token, batch, reply } => {
            let result = site_of(connection, &site, token).and_then(|id| {
                connection
                    .prepare_cached("UPDATE site SET written = 1 WHERE id = ?1 AND written = 0")?
                    .execute([id])?;
                batch.into_iter().try_for_each(|change| apply::change(connection, entries, id, change))
            });
            tell(reply, result, |()| (), path)
        }
    }
}

fn tell<T: 'static, U: 'static>(
    reply: Reply<U>,
    result: Result<T, Fault>,
    answer: impl FnOnce(T) -> U + 'static,
    path: &Path,
) -> (bool, Told) {
    let done = result.is_ok();
    let result = result.map_err(|fault| fault.at(path));
    let tell = move |committed: Result<(), StoreError>| {
        let answer = match (result, committed) {
            (Ok(value), Ok(())) => Ok(answer(value)),
            (Ok(_), Err(error)) | (Err(error), _) => Err(error),
        };
        // A caller that is gone does not want to know.
        drop(reply.send(answer));
    };
    (done, Box::new(tell))
}

/// The same error for each caller of a group.
fn again(path: &Path, cause: &rusqlite::Error) -> StoreError {
    match cause {
        rusqlite::Error::SqliteFailure(code, message) => {
            error::of(path, rusqlite::Error::SqliteFailure(*code, message.clone()))
        }
        other => StoreError::Io(format!("{}: {other}", path.display())),
    }
}

/// Tells a caller whose turn never came.
fn refuse(request: Request, cause: StoreError) {
    let Request::Ask { message, .. } = request else { return };
    match message {
        Message::Acquire { reply, .. } => drop(reply.send(Err(cause))),
        Message::Renew { reply, .. } | Message::Apply { reply, .. } => drop(reply.send(Err(cause))),
    }
}

#[cfg(test)]
#[path = "writer_tests.rs"]
mod tests;

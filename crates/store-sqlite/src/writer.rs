//! The one thread that writes.

use std::path::{Path, PathBuf};
use std::sync::mpsc::Receiver;

use rusqlite::{Connection, TransactionBehavior};
use wholesite_store::StoreError;
use wholesite_store::line::{Line, Message, Reply, Request};

use crate::index::Entries;
use crate::lease::{Locks, site_of};
use crate::read::Fault;
use crate::{apply, error};

/// The most messages that share a transaction.
const GROUP: usize = 256;

/// The most messages that wait.
const QUEUE: usize = 4 * GROUP;

pub(crate) fn start(connection: Connection, path: &Path) -> Result<Line, StoreError> {
    let thread = Thread { connection, path: path.to_owned(), locks: Locks::new(path) };
    Line::start("wholesite-sqlite", QUEUE, move |requests| thread.run(&requests))
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
    let (message, place) = match request {
        Request::Ask { message, place } => (message, place),
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
            let lease = place.lease(site);
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
    if let Request::Ask { message, .. } = request {
        message.refuse(cause);
    }
}

#[cfg(test)]
#[path = "writer_tests.rs"]
mod tests;

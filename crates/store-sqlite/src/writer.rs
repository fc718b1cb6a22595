//! The one thread that writes.

use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, SendError, Sender, channel};

use futures_channel::oneshot;
use rusqlite::{Connection, TransactionBehavior};
use wholesite_store::{Change, Holder, SiteKey, StoreError, Timestamp};

use crate::lease::{Locks, site_of};
use crate::read::Fault;
use crate::{apply, error};

type Reply<T> = oneshot::Sender<Result<T, StoreError>>;

/// What the thread can be asked.
pub(crate) enum Message {
    Acquire { site: SiteKey, holder: Holder, now: Timestamp, until: Timestamp, reply: Reply<u64> },
    Renew { site: SiteKey, token: u64, until: Timestamp, reply: Reply<()> },
    Release { site: SiteKey, token: u64 },
    Apply { site: SiteKey, token: u64, batch: Vec<Change>, reply: Reply<()> },
}

/// The way to the thread. It ends when the last of these is dropped, after all that was asked.
///
/// The queue has no bound of its own: each caller waits for its answer, so it is never longer than
/// there are callers.
#[derive(Debug, Clone)]
pub(crate) struct Writer {
    sender: Sender<Message>,
}

/// The most messages that share a transaction.
const GROUP: usize = 256;

impl Writer {
    pub(crate) fn start(connection: Connection, path: &Path) -> Result<Self, StoreError> {
        let (sender, receiver) = channel();
        let thread = Thread { connection, path: path.to_owned(), locks: Locks::new(path) };
        std::thread::Builder::new()
            .name("wholesite-sqlite".to_owned())
            .spawn(move || thread.run(&receiver))
            .map_err(|cause| StoreError::Io(format!("no thread for writing: {cause}")))?;
        Ok(Writer { sender })
    }

    pub(crate) fn send(&self, message: Message) -> Result<(), SendError<Message>> {
        self.sender.send(message)
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
    fn run(mut self, receiver: &Receiver<Message>) {
        while let Ok(first) = receiver.recv() {
            let mut group = vec![first];
            while group.len() < GROUP
                && let Ok(next) = receiver.try_recv()
            {
                group.push(next);
            }
            self.commit(group);
        }
    }

    fn commit(&mut self, group: Vec<Message>) {
        let Thread { connection, path, locks } = self;
        let mut group = group.into_iter();
        let mut told: Vec<Told> = Vec::with_capacity(group.len());
        let committed = (|| {
            let mut transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
            for message in group.by_ref() {
                let savepoint = transaction.savepoint()?;
                let (done, tell) = handle(&savepoint, locks, message, path);
                told.push(tell);
                if done {
                    savepoint.commit()?;
                }
            }
            transaction.commit()
        })();
        let Err(cause) = committed else {
            told.into_iter().for_each(|tell| tell(Ok(())));
            return;
        };
        told.into_iter().for_each(|tell| tell(Err(again(path, &cause))));
        group.for_each(|message| refuse(message, again(path, &cause)));
    }
}

/// Does what a message asks; `false` where it did not work and must be rolled back.
fn handle(connection: &Connection, locks: &mut Locks, message: Message, path: &Path) -> (bool, Told) {
    match message {
        Message::Acquire { site, holder, now, until, reply } => {
            tell(reply, locks.acquire(connection, &site, &holder, now, until), path)
        }
        Message::Renew { site, token, until, reply } => {
            tell(reply, locks.renew(connection, &site, token, until), path)
        }
        Message::Release { site, token } => {
            let done = locks.release(connection, &site, token).is_ok();
            (done, Box::new(|_| {}))
        }
        Message::Apply { site, token, batch, reply } => {
            let result = site_of(connection, &site, token).and_then(|id| {
                connection
                    .prepare_cached("UPDATE site SET written = 1 WHERE id = ?1 AND written = 0")?
                    .execute([id])?;
                batch.into_iter().try_for_each(|change| apply::change(connection, id, change))
            });
            tell(reply, result, path)
        }
    }
}

fn tell<T: Send + 'static>(reply: Reply<T>, result: Result<T, Fault>, path: &Path) -> (bool, Told) {
    let done = result.is_ok();
    let result = result.map_err(|fault| fault.at(path));
    let tell = move |committed: Result<(), StoreError>| {
        // A caller that is gone does not want to know.
        let _ = reply.send(committed.and(result));
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
fn refuse(message: Message, cause: StoreError) {
    match message {
        Message::Acquire { reply, .. } => drop(reply.send(Err(cause))),
        Message::Renew { reply, .. } | Message::Apply { reply, .. } => drop(reply.send(Err(cause))),
        Message::Release { .. } => {}
    }
}

//! One writer for each site, across processes.
//!
//! The lease is a file with a token, a holder and an end. So that a killed process does not hold it
//! to its end, its holder also keeps a lock on another file, which the system frees when the process
//! dies: where that lock is free, the lease belongs to nobody.
//!
//! A holder can be without that lock: where it took over from a process that is stuck but alive, or
//! where the file system knows no locks. The file says so, and only the end of the lease frees it.
//!
//! All of this is read and changed under a second lock, which every batch is written under as well.
//! It is held for moments only. So no batch of an old holder slips in behind a takeover.

use std::fs::{File, OpenOptions, TryLockError};
use std::path::Path;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use wholesite_store::{Holder, StoreError, Timestamp};

use crate::error;
use crate::place::{Place, read_if_there};

/// The lease as it is written.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct LeaseFile {
    /// Grows with every lease.
    pub(crate) token: u64,
    /// Who has it.
    pub(crate) holder: Option<Holder>,
    /// When it ends.
    pub(crate) until: Timestamp,
    /// Whether the holder has the lock.
    pub(crate) locked: bool,
}

impl LeaseFile {
    pub(crate) fn read(place: &Place) -> Result<Self, StoreError> {
        let path = place.own("lease.json");
        match read_if_there(&path)? {
            None => Ok(LeaseFile::default()),
            Some(content) => serde_json::from_slice(&content).map_err(|cause| {
                let what = format!("it is damaged: {cause}; remove it if no wholesite is running");
                error::unusable(&path, what)
            }),
        }
    }

    pub(crate) fn write(&self, place: &Place) -> Result<(), StoreError> {
        let text = serde_json::to_string(self).map_err(|cause| StoreError::Io(cause.to_string()))?;
        place.replace(&place.own("lease.json"), (text + "\n").as_bytes())
    }
}

/// The lock that shows that a holder is alive, and the lease that it is held for.
#[derive(Debug)]
pub(crate) struct Alive {
    _file: File,
    token: u64,
}

/// What a lease was taken from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Before {
    /// It was free.
    Nobody,
    /// Somebody who did not give it back, and may have left things half done.
    Somebody,
}

/// Takes the lease, if it is free, and returns its token. `known` is a token that was given out for
/// sure, in case that the file was lost.
pub(crate) fn acquire(
    place: &Place,
    alive: &mut Option<Alive>,
    holder: Holder,
    now: Timestamp,
    until: Timestamp,
    known: u64,
) -> Result<(u64, Before), StoreError> {
    let current = LeaseFile::read(place)?;
    // This process may have the lock for an earlier lease, which the new one then takes over.
    let earlier = alive.as_ref().map(|alive| alive.token);
    let file = if earlier.is_none() { try_lock(&place.own("lease.lock"))? } else { None };
    let is_dead =
        current.locked && (file.is_some() || earlier.is_some_and(|earlier| earlier != current.token));
    let before = if current.holder.is_some() { Before::Somebody } else { Before::Nobody };
    if let Some(holder) = current.holder.filter(|_| now < current.until && !is_dead) {
        return Err(StoreError::Busy(holder));
    }
    let token = current.token.max(known) + 1;
    let locked = file.is_some() || earlier.is_some();
    LeaseFile { token, holder: Some(holder), until, locked }.write(place)?;
    keep(alive, file, token);
    Ok((token, before))
}

/// Keeps a lock for a lease: a new one, or the one that is held.
fn keep(alive: &mut Option<Alive>, file: Option<File>, token: u64) {
    match (file, &mut *alive) {
        (Some(file), _) => *alive = Some(Alive { _file: file, token }),
        (None, Some(alive)) => alive.token = token,
        (None, None) => {}
    }
}

/// Prolongs a lease.
pub(crate) fn renew(
    place: &Place,
    alive: &mut Option<Alive>,
    token: u64,
    until: Timestamp,
) -> Result<(), StoreError> {
    let current = LeaseFile::read(place)?;
    if current.token != token || current.holder.is_none() {
        return Err(StoreError::Fenced);
    }
    // Whoever had the lock when this lease was taken over may be gone by now.
    let file = if alive.is_none() { try_lock(&place.own("lease.lock"))? } else { None };
    let locked = file.is_some() || alive.is_some();
    LeaseFile { until, locked, ..current }.write(place)?;
    keep(alive, file, token);
    Ok(())
}

/// Gives a lease back; nothing happens to one that was taken over, but for the lock, which whoever
/// did that wants.
pub(crate) fn release(place: &Place, alive: &mut Option<Alive>, token: u64) -> Result<(), StoreError> {
    let written = LeaseFile::read(place).and_then(|current| {
        let is_newest = current.token == token;
        if is_newest { LeaseFile { token, ..LeaseFile::default() }.write(place) } else { Ok(()) }
    });
    unlock(alive, token);
    written
}

/// Gives back the lock of a lease. Without it, the lease is one of a dead holder.
pub(crate) fn unlock(alive: &mut Option<Alive>, token: u64) {
    drop(alive.take_if(|alive| alive.token == token));
}

/// The lock on a file, if nobody has it; `None` also where the file system knows no locks.
fn try_lock(path: &Path) -> Result<Option<File>, StoreError> {
    let file = open_lock(path)?;
    Ok(file.try_lock().is_ok().then_some(file))
}

fn open_lock(path: &Path) -> Result<File, StoreError> {
    let opened = OpenOptions::new().create(true).truncate(false).write(true).open(path);
    opened.map_err(|cause| error::of(path, &cause))
}

/// How long to wait for another process that writes a batch.
const PATIENCE: Duration = Duration::from_secs(10);
const PAUSE: Duration = Duration::from_millis(2);

/// The right to write, for a moment. There is no file in it where the file system knows no locks: the
/// token alone has to do there.
#[derive(Debug)]
pub(crate) struct Writing {
    _file: Option<File>,
}

/// Waits for the right to write.
pub(crate) fn begin_writing(place: &Place) -> Result<Writing, StoreError> {
    try_writing(place, PATIENCE)?.ok_or_else(|| {
        let what = "another process has been writing for 10 s and does not go on; end it and run again";
        StoreError::Io(format!("{}: {what}", place.own("write.lock").display()))
    })
}

/// Waits so long for the right to write; `None` where another process still has it.
pub(crate) fn try_writing(place: &Place, patience: Duration) -> Result<Option<Writing>, StoreError> {
    let path = place.own("write.lock");
    let file = open_lock(&path)?;
    let mut waited = Duration::ZERO;
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(Some(Writing { _file: Some(file) })),
            Err(TryLockError::Error(_)) => return Ok(Some(Writing { _file: None })),
            Err(TryLockError::WouldBlock) if waited >= patience => return Ok(None),
            Err(TryLockError::WouldBlock) => {
                std::thread::sleep(PAUSE);
                waited += PAUSE;
            }
        }
    }
}

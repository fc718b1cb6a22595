//! One writer for each site, across processes.
//!
//! The lease is a row with a token, a holder and an end. So that a killed process does not hold it to
//! its end, its holder also keeps an advisory lock on a file beside the database, which the system
//! frees when the process dies: where that lock is free, the lease belongs to nobody.
//!
//! A holder can be without that lock: where it took over from a process that is stuck but alive, or
//! where the file system knows no locks. The row says so, and only the end of the lease frees it.

use std::collections::HashMap;
use std::fs::{File, OpenOptions};
use std::path::{Path, PathBuf};

use rusqlite::{Connection, OptionalExtension, params};
use wholesite_store::{Digest, Holder, SiteKey, StoreError, Timestamp};

use crate::read::Fault;

/// The locks that this process holds. Changed along with rows, in a transaction that ends with
/// [`Locks::settle`].
pub(crate) struct Locks {
    database: PathBuf,
    held: HashMap<SiteKey, Held>,
    /// What this transaction changed, and the token that was there before.
    changed: Vec<(SiteKey, Option<u64>)>,
    /// Leases that were given up in this transaction.
    dropped: Vec<(SiteKey, u64)>,
}

/// A lock, and the lease it is held for.
struct Held {
    _file: File,
    token: u64,
}

impl Locks {
    pub(crate) fn new(database: &Path) -> Self {
        // Whoever comes by another way, such as a link, must come to the same locks.
        let database = std::fs::canonicalize(database).unwrap_or_else(|_| database.to_owned());
        Locks { database, held: HashMap::new(), changed: Vec::new(), dropped: Vec::new() }
    }

    /// The lock of a site, if nobody has it, here or elsewhere.
    fn lock(&self, site: &SiteKey) -> Option<File> {
        let mut name = self.database.clone().into_os_string();
        name.push(format!(".lock-{:.16}", Digest::of(site.as_str()).to_string()));
        let file = OpenOptions::new().create(true).truncate(false).write(true).open(PathBuf::from(name));
        file.ok().filter(|file| file.try_lock().is_ok())
    }

    pub(crate) fn acquire(
        &mut self,
        connection: &Connection,
        site: &SiteKey,
        holder: &Holder,
        now: Timestamp,
        until: Timestamp,
    ) -> Result<u64, Fault> {
        connection
            .prepare_cached("INSERT INTO site (key) VALUES (?1) ON CONFLICT DO NOTHING")?
            .execute([site.as_str()])?;
        let sql = "SELECT holder, until, token, locked FROM site WHERE key = ?1";
        let (current, end, token, locked): (Option<String>, i64, i64, bool) = connection
            .prepare_cached(sql)?
            .query_row([site.as_str()], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?)))?;
        // This process may have the lock for an earlier lease, which the new one then takes over.
        let earlier = self.held.get(site).map(|held| held.token);
        let file = if earlier.is_none() { self.lock(site) } else { None };
        let is_dead = locked && (file.is_some() || earlier.is_some_and(|earlier| earlier != token as u64));
        if let (Some(current), true, false) = (&current, now.0 < end, is_dead) {
            return Err(StoreError::Busy(serde_json::from_str(current)?).into());
        }
        let sql = "UPDATE site SET token = token + 1, holder = ?2, until = ?3, locked = ?4
                   WHERE key = ?1 RETURNING token";
        let locked = file.is_some() || earlier.is_some();
        let token: i64 = connection
            .prepare_cached(sql)?
            .query_row(params![site.as_str(), serde_json::to_string(holder)?, until.0, locked], |row| {
                row.get(0)
            })?;
        self.keep(site, file, token as u64);
        Ok(token as u64)
    }

    /// Keeps a lock for a lease: a new one, or the one that is held.
    fn keep(&mut self, site: &SiteKey, file: Option<File>, token: u64) {
        if let Some(file) = file {
            self.changed.push((site.clone(), None));
            self.held.insert(site.clone(), Held { _file: file, token });
        } else if let Some(held) = self.held.get_mut(site) {
            self.changed.push((site.clone(), Some(held.token)));
            held.token = token;
        }
    }

    pub(crate) fn renew(
        &mut self,
        connection: &Connection,
        site: &SiteKey,
        token: u64,
        until: Timestamp,
    ) -> Result<(), Fault> {
        site_of(connection, site, token)?;
        // Whoever had the lock when this lease was taken over may be gone by now.
        let file = if self.held.contains_key(site) { None } else { self.lock(site) };
        let locked = file.is_some() || self.held.contains_key(site);
        let sql = "UPDATE site SET until = ?2, locked = ?3 WHERE key = ?1";
        connection.prepare_cached(sql)?.execute(params![site.as_str(), until.0, locked])?;
        self.keep(site, file, token);
        Ok(())
    }

    pub(crate) fn release(
        &mut self,
        connection: &Connection,
        site: &SiteKey,
        token: u64,
    ) -> Result<(), Fault> {
        // Also where the lease was taken over: whoever did wants the lock.
        self.dropped.push((site.clone(), token));
        let sql = "UPDATE site SET holder = NULL, until = 0, locked = 0 WHERE key = ?1 AND token = ?2";
        connection.prepare_cached(sql)?.execute(params![site.as_str(), token as i64])?;
        Ok(())
    }

    /// Unlocks what was given up. To be called right before the commit: nobody else gets to look
    /// before that is through, and if it fails, the lease is one of a dead holder, as it should be.
    pub(crate) fn unlock_dropped(&mut self) {
        for (site, token) in &self.dropped {
            if self.held.get(site).is_some_and(|held| held.token == *token) {
                self.held.remove(site);
            }
        }
    }

    /// Ends a transaction. Where it was not committed, nothing of it was.
    pub(crate) fn settle(&mut self, committed: bool) {
        let changed = std::mem::take(&mut self.changed);
        if !committed {
            for (site, before) in changed.into_iter().rev() {
                match before {
                    None => drop(self.held.remove(&site)),
                    Some(token) => {
                        if let Some(held) = self.held.get_mut(&site) {
                            held.token = token;
                        }
                    }
                }
            }
            self.unlock_dropped();
        }
        self.dropped.clear();
    }
}

/// The row of a site, if that lease is the newest.
pub(crate) fn site_of(connection: &Connection, site: &SiteKey, token: u64) -> Result<i64, Fault> {
    let sql = "SELECT id FROM site WHERE key = ?1 AND token = ?2";
    let id: Option<i64> = connection
        .prepare_cached(sql)?
        .query_row(params![site.as_str(), token as i64], |row| row.get(0))
        .optional()?;
    id.ok_or_else(|| StoreError::Fenced.into())
}

#[cfg(test)]
#[path = "lease_tests.rs"]
mod tests;

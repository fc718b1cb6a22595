//! One writer for each site, across processes.
//!
//! The lease is a row with a token, a holder and an end. So that a killed process does not hold it to
//! its end, its holder also keeps an advisory lock on a file beside the database, which the system
//! frees when the process dies: where that lock is free, the lease belongs to nobody.

use std::collections::HashMap;
use std::fs::{File, OpenOptions};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};

use rusqlite::{Connection, OptionalExtension, params};
use wholesite_store::{Holder, SiteKey, StoreError, Timestamp};

use crate::read::Fault;

/// The locks that this process holds.
pub(crate) struct Locks {
    database: PathBuf,
    held: HashMap<SiteKey, File>,
}

impl Locks {
    pub(crate) fn new(database: &Path) -> Self {
        Locks { database: database.to_owned(), held: HashMap::new() }
    }

    /// Tries to get the lock of a site. `false` where somebody has it, here or elsewhere.
    fn take(&mut self, site: &SiteKey) -> bool {
        if self.held.contains_key(site) {
            return false;
        }
        let mut hasher = DefaultHasher::new();
        site.hash(&mut hasher);
        let mut name = self.database.clone().into_os_string();
        name.push(format!(".lock-{:016x}", hasher.finish()));
        let file = OpenOptions::new().create(true).truncate(false).write(true).open(PathBuf::from(name));
        // Where the file system knows no locks, only the lease's end frees it.
        match file.map(|file| file.try_lock().map(|()| file)) {
            Ok(Ok(file)) => {
                self.held.insert(site.clone(), file);
                true
            }
            _ => false,
        }
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
            .prepare_cached("INSERT OR IGNORE INTO site (key) VALUES (?1)")?
            .execute([site.as_str()])?;
        let sql = "SELECT holder, until FROM site WHERE key = ?1";
        let (current, end): (Option<String>, i64) = connection
            .prepare_cached(sql)?
            .query_row([site.as_str()], |row| Ok((row.get(0)?, row.get(1)?)))?;
        let is_free = self.take(site);
        if let (Some(current), false, true) = (&current, is_free, now.0 < end) {
            return Err(StoreError::Busy(serde_json::from_str(current)?).into());
        }
        let sql = "UPDATE site SET token = token + 1, holder = ?2, until = ?3 WHERE key = ?1 RETURNING token";
        let token: i64 = connection
            .prepare_cached(sql)?
            .query_row(params![site.as_str(), serde_json::to_string(holder)?, until.0], |row| row.get(0))?;
        Ok(token as u64)
    }

    pub(crate) fn renew(
        &mut self,
        connection: &Connection,
        site: &SiteKey,
        token: u64,
        until: Timestamp,
    ) -> Result<(), Fault> {
        let sql = "UPDATE site SET until = ?3 WHERE key = ?1 AND token = ?2";
        if connection.prepare_cached(sql)?.execute(params![site.as_str(), token as i64, until.0])? == 0 {
            return Err(StoreError::Fenced.into());
        }
        // Whoever had the lock when this lease was taken over may be gone by now.
        self.take(site);
        Ok(())
    }

    pub(crate) fn release(
        &mut self,
        connection: &Connection,
        site: &SiteKey,
        token: u64,
    ) -> Result<(), Fault> {
        let sql = "UPDATE site SET holder = NULL, until = 0 WHERE key = ?1 AND token = ?2";
        if connection.prepare_cached(sql)?.execute(params![site.as_str(), token as i64])? > 0 {
            self.held.remove(site);
        }
        Ok(())
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

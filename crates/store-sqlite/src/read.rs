//! Reading: each question in a transaction of its own.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use rusqlite::{Connection, OptionalExtension, params};
use serde::de::DeserializeOwned;
use wholesite_address::StorePath;
use wholesite_store::{
    Page, Record, Revision, RevisionInfo, RunRecord, SiteKey, SiteState, StoreError, Trashed, Withdrawal,
};

use crate::{error, open};

/// Connections for reading, made as they are needed and used again.
#[derive(Debug)]
pub(crate) struct Readers {
    path: PathBuf,
    idle: Mutex<Vec<Connection>>,
}

/// More than this are closed after use.
const IDLE: usize = 4;

impl Readers {
    pub(crate) fn new(path: &Path) -> Self {
        Readers { path: path.to_owned(), idle: Mutex::new(Vec::new()) }
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Reads in one transaction: whatever is read fits together.
    pub(crate) fn with<T>(
        &self,
        read: impl FnOnce(&Connection) -> Result<T, Fault>,
    ) -> Result<T, StoreError> {
        let idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let connection = match idle {
            Some(connection) => connection,
            None => open::for_reading(&self.path)?,
        };
        let result = connection.unchecked_transaction().map_err(Fault::from).and_then(|transaction| {
            let result = read(&transaction);
            transaction.finish()?;
            result
        });
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        if idle.len() < IDLE {
            idle.push(connection);
        }
        drop(idle);
        result.map_err(|fault| fault.at(&self.path))
    }
}

/// Why reading or writing did not work.
#[derive(Debug)]
pub(crate) enum Fault {
    Sqlite(rusqlite::Error),
    Json(serde_json::Error),
    Store(StoreError),
}

impl Fault {
    pub(crate) fn at(self, path: &Path) -> StoreError {
        match self {
            Fault::Sqlite(cause) => error::of(path, cause),
            Fault::Json(cause) => error::unreadable(path, "a row", &cause),
            Fault::Store(error) => error,
        }
    }
}

impl From<rusqlite::Error> for Fault {
    fn from(error: rusqlite::Error) -> Self {
        Fault::Sqlite(error)
    }
}

impl From<serde_json::Error> for Fault {
    fn from(error: serde_json::Error) -> Self {
        Fault::Json(error)
    }
}

impl From<StoreError> for Fault {
    fn from(error: StoreError) -> Self {
        Fault::Store(error)
    }
}

pub(crate) fn site_id(connection: &Connection, site: &SiteKey) -> rusqlite::Result<Option<i64>> {
    connection
        .prepare_cached("SELECT id FROM site WHERE key = ?1")?
        .query_row([site.as_str()], |row| row.get(0))
        .optional()
}

/// All values of the first column, which holds JSON.
fn all<T: DeserializeOwned>(
    connection: &Connection,
    sql: &str,
    params: impl rusqlite::Params,
) -> Result<Vec<T>, Fault> {
    let mut statement = connection.prepare_cached(sql)?;
    let mut rows = statement.query(params)?;
    let mut items = Vec::new();
    while let Some(row) = rows.next()? {
        items.push(serde_json::from_str(row.get_ref(0)?.as_str().map_err(rusqlite::Error::from)?)?);
    }
    Ok(items)
}

pub(crate) fn sites(connection: &Connection) -> Result<Vec<SiteKey>, Fault> {
    let mut statement = connection.prepare_cached("SELECT key FROM site WHERE written ORDER BY key")?;
    let keys = statement.query_map([], |row| row.get::<_, String>(0))?.collect::<Result<Vec<_>, _>>()?;
    let parse =
        |key: String| SiteKey::parse(&key).map_err(|error| Fault::Store(StoreError::Io(error.to_string())));
    let mut keys = keys.into_iter().map(parse).collect::<Result<Vec<_>, _>>()?;
    keys.sort();
    Ok(keys)
}

pub(crate) fn state(connection: &Connection, site: &SiteKey) -> Result<Option<SiteState>, Fault> {
    let sql = "SELECT state FROM site WHERE key = ?1 AND state IS NOT NULL";
    Ok(all(connection, sql, [site.as_str()])?.pop())
}

pub(crate) fn catalogue(connection: &Connection, site: &SiteKey) -> Result<Vec<Record>, Fault> {
    let Some(id) = site_id(connection, site)? else { return Ok(Vec::new()) };
    all(connection, "SELECT record FROM page WHERE site = ?1 ORDER BY path", [id])
}

pub(crate) fn page(connection: &Connection, site: &SiteKey, path: &StorePath) -> Result<Option<Page>, Fault> {
    let Some(id) = site_id(connection, site)? else { return Ok(None) };
    let sql = "SELECT page.record, revision.text FROM page JOIN revision ON revision.id = page.revision
               WHERE page.site = ?1 AND page.path = ?2";
    let row = connection
        .prepare_cached(sql)?
        .query_row(params![id, path.as_str()], |row| Ok((row.get::<_, String>(0)?, row.get::<_, String>(1)?)))
        .optional()?;
    Ok(match row {
        Some((record, text)) => Some(Page { record: serde_json::from_str(&record)?, text }),
        None => None,
    })
}

pub(crate) fn revisions(
    connection: &Connection,
    site: &SiteKey,
    path: &StorePath,
) -> Result<Vec<RevisionInfo>, Fault> {
    let Some(id) = site_id(connection, site)? else { return Ok(Vec::new()) };
    let sql = "SELECT info FROM revision WHERE site = ?1 AND path = ?2 ORDER BY revision DESC";
    all(connection, sql, params![id, path.as_str()])
}

pub(crate) fn revision(
    connection: &Connection,
    site: &SiteKey,
    path: &StorePath,
    revision: u64,
) -> Result<Option<Revision>, Fault> {
    let Some(id) = site_id(connection, site)? else { return Ok(None) };
    let sql = "SELECT info, text FROM revision WHERE site = ?1 AND path = ?2 AND revision = ?3";
    let row = connection
        .prepare_cached(sql)?
        .query_row(params![id, path.as_str(), revision as i64], |row| {
            Ok((row.get::<_, String>(0)?, row.get::<_, String>(1)?))
        })
        .optional()?;
    Ok(match row {
        Some((info, text)) => Some(Revision { info: serde_json::from_str(&info)?, text }),
        None => None,
    })
}

/// The whole trash without texts, newest first; or one entry, with its text.
pub(crate) fn trash(
    connection: &Connection,
    site: &SiteKey,
    only: Option<u64>,
) -> Result<Vec<Trashed>, Fault> {
    let Some(site) = site_id(connection, site)? else { return Ok(Vec::new()) };
    let sql = match only {
        None => "SELECT id, record, withdrawal, '' FROM trash WHERE site = ?1 AND ?2 < 0 ORDER BY id DESC",
        Some(_) => {
            "SELECT trash.id, record, withdrawal, text FROM trash JOIN revision ON revision.id = trash.revision
             WHERE trash.site = ?1 AND trash.id = ?2"
        }
    };
    let mut statement = connection.prepare_cached(sql)?;
    let mut rows = statement.query(params![site, only.map_or(-1, |id| id as i64)])?;
    let mut entries = Vec::new();
    while let Some(row) = rows.next()? {
        let record: Record = serde_json::from_str(&row.get::<_, String>(1)?)?;
        let withdrawal: Withdrawal = serde_json::from_str(&row.get::<_, String>(2)?)?;
        let page = Page { record, text: row.get(3)? };
        entries.push(Trashed { id: row.get::<_, i64>(0)? as u64, page, withdrawal });
    }
    Ok(entries)
}

/// The items of `failing` or `absent`, sorted by path.
pub(crate) fn items<T: DeserializeOwned>(
    connection: &Connection,
    site: &SiteKey,
    table: &'static str,
) -> Result<Vec<T>, Fault> {
    let Some(id) = site_id(connection, site)? else { return Ok(Vec::new()) };
    all(connection, &format!("SELECT item FROM {table} WHERE site = ?1 ORDER BY path"), [id])
}

pub(crate) fn runs(connection: &Connection, site: &SiteKey, limit: usize) -> Result<Vec<RunRecord>, Fault> {
    let Some(id) = site_id(connection, site)? else { return Ok(Vec::new()) };
    let sql = "SELECT item FROM run WHERE site = ?1 ORDER BY started DESC, id DESC LIMIT ?2";
    all(connection, sql, params![id, i64::try_from(limit).unwrap_or(i64::MAX)])
}

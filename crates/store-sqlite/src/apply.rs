//! Writing one batch, inside a savepoint.

use rusqlite::{Connection, OptionalExtension, params};
use serde::Serialize;
use wholesite_address::StorePath;
use wholesite_store::{Change, Page, Record, RevisionInfo, StoreError, Timestamp, Withdrawal};

use crate::index::Entries;
use crate::read::Fault;

/// Does a change. What a failing one leaves behind is for the caller to roll back.
pub(crate) fn change(
    connection: &Connection,
    entries: &mut Entries,
    site: i64,
    change: Change,
) -> Result<(), Fault> {
    match change {
        Change::Publish { page, run } => publish(connection, entries, site, *page, run),
        Change::Describe(record) => describe(connection, entries, site, *record),
        Change::Withdraw { path, why } => withdraw(connection, entries, site, &path, &why),
        Change::Restore { id } => restore(connection, entries, site, id),
        Change::Purge { id } => {
            let sql = "DELETE FROM trash WHERE site = ?1 AND id = ?2";
            connection.prepare_cached(sql)?.execute(params![site, id as i64])?;
            Ok(())
        }
        Change::SetFailing(item) => put(connection, "failing", site, item.path.as_str(), &item),
        Change::ClearFailing(path) => clear(connection, "failing", site, &path),
        Change::SetAbsence(item) => put(connection, "absent", site, item.path.as_str(), &item),
        Change::ClearAbsence(path) => clear(connection, "absent", site, &path),
        Change::SetState(state) => {
            let sql = "UPDATE site SET state = ?2 WHERE id = ?1";
            connection.prepare_cached(sql)?.execute(params![site, serde_json::to_string(&*state)?])?;
            Ok(())
        }
        Change::SaveRun(run) => {
            let sql = "INSERT OR REPLACE INTO run (site, id, started, item) VALUES (?1, ?2, ?3, ?4)";
            let item = serde_json::to_string(&*run)?;
            connection.prepare_cached(sql)?.execute(params![site, run.id, run.started.0, item])?;
            Ok(())
        }
        Change::ForgetRevisions { replaced_before } => forget(connection, site, replaced_before),
    }
}

fn publish(
    connection: &Connection,
    entries: &mut Entries,
    site: i64,
    mut page: Page,
    run: String,
) -> Result<(), Fault> {
    let sql = "UPDATE site SET revision = revision + 1 WHERE id = ?1 RETURNING revision";
    let revision: i64 = connection.prepare_cached(sql)?.query_row([site], |row| row.get(0))?;
    page.record.revision = revision as u64;
    let Record { path, digest, bytes, title, changed, .. } = &page.record;
    let info = RevisionInfo {
        revision: revision as u64,
        run,
        at: *changed,
        digest: *digest,
        bytes: *bytes,
        title: title.clone(),
    };
    let path = path.as_str();
    let sql = "UPDATE revision SET replaced = ?3 WHERE site = ?1 AND path = ?2 AND replaced IS NULL";
    connection.prepare_cached(sql)?.execute(params![site, path, changed.0])?;
    let sql = "INSERT INTO revision (site, path, revision, at, info, text) VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
    let info = serde_json::to_string(&info)?;
    connection.prepare_cached(sql)?.execute(params![site, path, revision, changed.0, info, page.text])?;
    let text = connection.last_insert_rowid();
    let record = serde_json::to_string(&page.record)?;
    let sql = "INSERT INTO page (site, path, record, revision) VALUES (?1, ?2, ?3, ?4)
               ON CONFLICT (site, path) DO UPDATE SET record = excluded.record, revision = excluded.revision
               RETURNING id";
    let id: i64 =
        connection.prepare_cached(sql)?.query_row(params![site, path, record, text], |row| row.get(0))?;
    entries.put(id, page.record.title, page.text);
    Ok(())
}

/// A live page: its row, its record and the row of its text.
fn live(connection: &Connection, site: i64, path: &StorePath) -> Result<(i64, Record, i64), Fault> {
    let sql = "SELECT id, record, revision FROM page WHERE site = ?1 AND path = ?2";
    let row = connection
        .prepare_cached(sql)?
        .query_row(params![site, path.as_str()], |row| {
            Ok((row.get::<_, i64>(0)?, row.get::<_, String>(1)?, row.get::<_, i64>(2)?))
        })
        .optional()?;
    let Some((id, record, revision)) = row else {
        return Err(StoreError::Conflict(format!("{path} is not live")).into());
    };
    Ok((id, serde_json::from_str(&record)?, revision))
}

fn text(connection: &Connection, revision: i64) -> Result<String, Fault> {
    let sql = "SELECT text FROM revision WHERE id = ?1";
    Ok(connection.prepare_cached(sql)?.query_row([revision], |row| row.get(0))?)
}

fn describe(connection: &Connection, entries: &mut Entries, site: i64, record: Record) -> Result<(), Fault> {
    let (id, old, stored) = live(connection, site, &record.path)?;
    let Record { digest, bytes, revision, title, .. } = old;
    let is_renamed = title != record.title;
    let record = Record { digest, bytes, revision, ..record };
    let sql = "UPDATE page SET record = ?2 WHERE id = ?1";
    connection.prepare_cached(sql)?.execute(params![id, serde_json::to_string(&record)?])?;
    if is_renamed {
        entries.put(id, record.title, text(connection, stored)?);
    }
    Ok(())
}

fn withdraw(
    connection: &Connection,
    entries: &mut Entries,
    site: i64,
    path: &StorePath,
    why: &Withdrawal,
) -> Result<(), Fault> {
    let (id, record, revision) = live(connection, site, path)?;
    let sql = "UPDATE site SET trash = trash + 1 WHERE id = ?1 RETURNING trash";
    let entry: i64 = connection.prepare_cached(sql)?.query_row([site], |row| row.get(0))?;
    let sql = "INSERT INTO trash (site, id, record, withdrawal, revision) VALUES (?1, ?2, ?3, ?4, ?5)";
    let (record, why) = (serde_json::to_string(&record)?, serde_json::to_string(why)?);
    connection.prepare_cached(sql)?.execute(params![site, entry, record, why, revision])?;
    connection.prepare_cached("DELETE FROM page WHERE id = ?1")?.execute([id])?;
    entries.remove(id);
    Ok(())
}

fn restore(connection: &Connection, entries: &mut Entries, site: i64, entry: u64) -> Result<(), Fault> {
    let sql = "DELETE FROM trash WHERE site = ?1 AND id = ?2 RETURNING record, revision";
    let row = connection
        .prepare_cached(sql)?
        .query_row(params![site, entry as i64], |row| Ok((row.get::<_, String>(0)?, row.get::<_, i64>(1)?)))
        .optional()?;
    let Some((json, revision)) = row else {
        return Err(StoreError::Conflict(format!("the trash has no entry {entry}")).into());
    };
    let record: Record = serde_json::from_str(&json)?;
    let sql = "INSERT INTO page (site, path, record, revision) VALUES (?1, ?2, ?3, ?4)
               ON CONFLICT (site, path) DO NOTHING RETURNING id";
    let id: Option<i64> = connection
        .prepare_cached(sql)?
        .query_row(params![site, record.path.as_str(), json, revision], |row| row.get(0))
        .optional()?;
    let Some(id) = id else {
        return Err(StoreError::Conflict(format!("{} is live; withdraw that page first", record.path)).into());
    };
    entries.put(id, record.title, text(connection, revision)?);
    Ok(())
}

fn put<T: Serialize>(
    connection: &Connection,
    table: &'static str,
    site: i64,
    path: &str,
    item: &T,
) -> Result<(), Fault> {
    let sql = format!("INSERT OR REPLACE INTO {table} (site, path, item) VALUES (?1, ?2, ?3)");
    connection.prepare_cached(&sql)?.execute(params![site, path, serde_json::to_string(item)?])?;
    Ok(())
}

fn clear(connection: &Connection, table: &'static str, site: i64, path: &StorePath) -> Result<(), Fault> {
    let sql = format!("DELETE FROM {table} WHERE site = ?1 AND path = ?2");
    connection.prepare_cached(&sql)?.execute(params![site, path.as_str()])?;
    Ok(())
}

fn forget(connection: &Connection, site: i64, replaced_before: Timestamp) -> Result<(), Fault> {
    let sql = "DELETE FROM revision WHERE site = ?1 AND replaced < ?2
               AND NOT EXISTS (SELECT 1 FROM page WHERE page.revision = revision.id)
               AND NOT EXISTS (SELECT 1 FROM trash WHERE trash.revision = revision.id)";
    connection.prepare_cached(sql)?.execute(params![site, replaced_before.0])?;
    Ok(())
}

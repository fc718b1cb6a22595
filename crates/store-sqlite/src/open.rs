//! Opening a file, and finding out whether it is ours.

use std::path::Path;
use std::time::{Duration, Instant};

use rusqlite::config::DbConfig;
use rusqlite::{Connection, ErrorCode, OpenFlags, TransactionBehavior};
use wholesite_store::StoreError;

use crate::error;
use crate::schema::{APPLICATION_ID, MIGRATIONS};

const PATIENCE: Duration = Duration::from_secs(10);

/// Opens or makes a store. Brings an older one up to date.
pub(crate) fn for_writing(path: &Path) -> Result<Connection, StoreError> {
    let fail = |error| error::of(path, error);
    if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        std::fs::create_dir_all(folder).map_err(|cause| error::of_system(folder, &cause))?;
    }
    let flags =
        OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let mut connection = Connection::open_with_flags(path, flags).map_err(|cause| {
        // SQLite does not tell why it can't open a file; the system does.
        match std::fs::OpenOptions::new().append(true).create(true).open(path) {
            Err(cause) => error::of_system(path, &cause),
            Ok(_) => fail(cause),
        }
    })?;
    configure(&connection).map_err(fail)?;
    let version = check(&connection, path)?;
    let mode: String =
        patiently(|| connection.pragma_update_and_check(None, "journal_mode", "WAL", |row| row.get(0)))
            .map_err(fail)?;
    // A power cut may then lose the last commits, but never corrupts; a killed process loses nothing.
    // That holds for WAL only, which some network file systems can't do.
    let sync = if mode == "wal" { "NORMAL" } else { "FULL" };
    connection.pragma_update(None, "synchronous", sync).map_err(fail)?;
    // Checkpoints of a few pages each would slow a first sync down.
    connection.pragma_update(None, "wal_autocheckpoint", 4_000).map_err(fail)?;
    if version < MIGRATIONS.len() {
        patiently(|| migrate(&mut connection)).map_err(fail)?;
    }
    Ok(connection)
}

/// Tries again while another process is at it. SQLite itself does not wait where it takes two locks in
/// turn, as for the change to WAL: two that did so at once would wait for each other.
fn patiently<T>(mut work: impl FnMut() -> rusqlite::Result<T>) -> rusqlite::Result<T> {
    let began = Instant::now();
    loop {
        match work() {
            Err(error)
                if error.sqlite_error_code() == Some(ErrorCode::DatabaseBusy)
                    && began.elapsed() < PATIENCE =>
            {
                std::thread::sleep(Duration::from_millis(5));
            }
            done => return done,
        }
    }
}

/// Opens a store that is there.
pub(crate) fn for_reading(path: &Path) -> Result<Connection, StoreError> {
    let fail = |error| error::of(path, error);
    if !path.exists() {
        let message = "there is no such file; `wholesite sync` makes it".to_owned();
        return Err(StoreError::Unusable { place: path.to_owned(), message });
    }
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(path, flags).map_err(fail)?;
    configure(&connection).map_err(fail)?;
    if check(&connection, path)? < MIGRATIONS.len() {
        let message = "an older version made it; run `wholesite sync` once to bring it up to date".to_owned();
        return Err(StoreError::Unusable { place: path.to_owned(), message });
    }
    Ok(connection)
}

fn configure(connection: &Connection) -> rusqlite::Result<()> {
    connection.busy_timeout(PATIENCE)?;
    // A file that somebody else made must not get this process to run anything.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false)?;
    connection.pragma_update(None, "foreign_keys", true)?;
    connection.pragma_update(None, "temp_store", "memory")?;
    // In KiB. The index alone has more than the usual 2 MiB of pages that are touched again and again.
    connection.pragma_update(None, "cache_size", -16_384)?;
    connection.set_prepared_statement_cache_capacity(64);
    Ok(())
}

/// Whether the file is a store of ours, and its version. An empty one is version 0.
fn check(connection: &Connection, path: &Path) -> Result<usize, StoreError> {
    // In one transaction: another process may make the tables at this very moment.
    let look = || {
        let transaction = connection.unchecked_transaction()?;
        let tables: i64 =
            transaction.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))?;
        let number = |name| transaction.pragma_query_value(None, name, |row| row.get::<_, i64>(0));
        let facts = (tables, number("application_id")?, number("user_version")?);
        transaction.finish()?;
        Ok(facts)
    };
    let (tables, id, version) = patiently(look).map_err(|error| error::of(path, error))?;
    if (tables, id, version) == (0, 0, 0) {
        return Ok(0);
    }
    if id != i64::from(APPLICATION_ID) {
        let message = "it is a SQLite file of another program; choose another place with --store".to_owned();
        return Err(StoreError::Unusable { place: path.to_owned(), message });
    }
    let known = MIGRATIONS.len() as u32;
    match u32::try_from(version) {
        Ok(found) if found <= known => Ok(found as usize),
        _ => Err(StoreError::TooNew {
            place: path.to_owned(),
            found: u32::try_from(version).unwrap_or(u32::MAX),
            known,
        }),
    }
}

fn migrate(connection: &mut Connection) -> rusqlite::Result<()> {
    // Another process may do the same at this very moment: the lock comes first, then the look.
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let version: usize = transaction
        .pragma_query_value(None, "user_version", |row| row.get::<_, i64>(0))?
        .try_into()
        .unwrap_or(0);
    for migration in MIGRATIONS.iter().skip(version) {
        transaction.execute_batch(migration)?;
    }
    transaction.pragma_update(None, "application_id", APPLICATION_ID)?;
    transaction.pragma_update(None, "user_version", MIGRATIONS.len() as i64)?;
    transaction.commit()
}

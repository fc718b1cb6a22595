//! The SQLite store does what a store does, and keeps it.

use std::path::PathBuf;

use futures_util::FutureExt;
use rusqlite::Connection;
use tempfile::TempDir;
use wholesite_store::conformance::{self, lease, observe, page, site};
use wholesite_store::{Change, Holder, Store, StoreError, Timestamp};
use wholesite_store_sqlite::SqliteStore;

fn folder() -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("deep/er/pages.db");
    (folder, path)
}

fn publish(name: &str, at: i64) -> Change {
    Change::Publish { page: Box::new(page(name, &format!("text of {name}"), at)), run: "run".to_owned() }
}

#[tokio::test]
async fn it_does_what_a_store_does() {
    let mut folders = Vec::new();
    let fresh = || {
        let (folder, path) = folder();
        folders.push(folder);
        SqliteStore::open(&path).expect("a new store")
    };
    conformance::every_case(fresh).await;
}

#[tokio::test]
async fn it_agrees_with_the_reference_on_long_histories_and_reads_the_same_when_opened_again() {
    for seed in 0..20 {
        let (_folder, path) = folder();
        let store = SqliteStore::open(&path).unwrap();
        conformance::agrees_with_memory(&store, seed, 60).await;
        let before = observe(&store, &site("docs")).await;
        drop(store);
        let again = SqliteStore::open(&path).unwrap();
        assert_eq!(observe(&again, &site("docs")).await, before, "seed {seed}");
        let read_only = SqliteStore::open_read_only(&path).unwrap();
        assert_eq!(observe(&read_only, &site("docs")).await, before, "seed {seed}");
        assert_whole(&path);
    }
}

/// What SQLite itself thinks of the file.
fn assert_whole(path: &std::path::Path) {
    let connection = Connection::open(path).unwrap();
    let check: String = connection.query_row("PRAGMA integrity_check", [], |row| row.get(0)).unwrap();
    assert_eq!(check, "ok");
    connection
        .execute("INSERT INTO search (search) VALUES ('integrity-check')", [])
        .expect("the index is whole");
    let (pages, entries): (i64, i64) = connection
        .query_row("SELECT (SELECT count(*) FROM page), (SELECT count(*) FROM search)", [], |row| {
            Ok((row.get(0)?, row.get(1)?))
        })
        .unwrap();
    assert_eq!(pages, entries, "every live page is searched, and nothing else");
}

#[tokio::test]
async fn other_files_are_refused_and_left_as_they_are() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    Connection::open(path("foreign.db"))
        .unwrap()
        .execute_batch("CREATE TABLE mine (x); INSERT INTO mine VALUES (1);")
        .unwrap();
    std::fs::write(
        path("text.db"),
        "these are my notes, and they are long enough to be no header\n".repeat(40),
    )
    .unwrap();
    std::fs::write(path("short.db"), "notes\n").unwrap();
    Connection::open(path("version.db")).unwrap().pragma_update(None, "user_version", 1).unwrap();
    drop(SqliteStore::open(&path("newer.db")).unwrap());
    Connection::open(path("newer.db")).unwrap().pragma_update(None, "user_version", 99).unwrap();
    for (name, says) in [
        ("foreign.db", "another program"),
        ("version.db", "another program"),
        ("text.db", "no SQLite file"),
        ("short.db", "no SQLite file"),
        ("newer.db", "schema 99"),
    ] {
        let before = std::fs::read(path(name)).unwrap();
        for result in [SqliteStore::open(&path(name)), SqliteStore::open_read_only(&path(name))] {
            let error = result.expect_err(name).to_string();
            assert!(error.contains(says), "{name}: {error}");
        }
        assert_eq!(std::fs::read(path(name)).unwrap(), before, "{name}");
    }
    let error = SqliteStore::open_read_only(&path("missing.db")).expect_err("there is none").to_string();
    assert!(error.contains("wholesite sync"), "{error}");
    assert!(!path("missing.db").exists());
}

#[tokio::test]
async fn two_open_the_same_file() {
    let (_folder, path) = folder();
    let (one, other) = (SqliteStore::open(&path).unwrap(), SqliteStore::open(&path).unwrap());
    let docs = site("docs");
    let held = lease(&one, &docs, 1_000).await;
    let holder = Holder { run: "second".to_owned(), process: 7, since: Timestamp(2_000) };
    let second = other.acquire(&docs, holder, Timestamp(2_000), std::time::Duration::from_secs(60)).await;
    assert!(matches!(second, Err(StoreError::Busy(holder)) if holder.run == "run-1000"));
    one.apply(&held, vec![publish("a", 1)]).await.unwrap();
    assert_eq!(other.catalogue(&docs).await.unwrap().len(), 1, "readers see what is committed");
    drop(held);
    // The release is on its way; dropping the store waits for it.
    drop(one);
    drop(lease(&other, &docs, 3_000).await);
}

#[tokio::test]
async fn a_store_that_was_dropped_has_written_what_it_was_asked() {
    let (_folder, path) = folder();
    let docs = site("docs");
    for round in 0..50 {
        let store = SqliteStore::open(&path).unwrap();
        let held = lease(&store, &docs, 1).await;
        // Asked once, and not waited for.
        let name = format!("p{round}");
        let _ = store.apply(&held, vec![publish(&name, 1)]).now_or_never();
        drop(held);
        drop(store);
        let reader = SqliteStore::open_read_only(&path).unwrap();
        assert_eq!(reader.catalogue(&docs).await.unwrap().len(), round + 1);
    }
}

#[tokio::test]
async fn a_lease_outlives_its_store() {
    let (_folder, path) = folder();
    let held = lease(&SqliteStore::open(&path).unwrap(), &site("docs"), 1_000).await;
    let other = SqliteStore::open(&path).unwrap();
    other.apply(&held, vec![publish("a", 1)]).await.unwrap();
    drop(held);
    assert_eq!(other.catalogue(&site("docs")).await.unwrap().len(), 1);
}

#[test]
fn many_open_a_new_file_at_once() {
    for _ in 0..10 {
        let (_folder, path) = folder();
        std::thread::scope(|scope| {
            let open = || SqliteStore::open(&path).map(drop);
            let threads: Vec<_> = (0..8).map(|_| scope.spawn(open)).collect();
            threads.into_iter().for_each(|thread| thread.join().unwrap().unwrap());
        });
    }
}

#[test]
fn a_place_where_no_file_can_be_is_told_as_such() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("file"), "").unwrap();
    for place in ["", "file/pages.db"] {
        let error = SqliteStore::open(&folder.path().join(place)).expect_err(place);
        assert!(matches!(error, StoreError::Unusable { .. }), "{error:?}");
    }
}

#[tokio::test]
#[cfg(target_os = "linux")]
async fn a_folder_that_can_not_be_written_is_told_as_such() {
    // Read-only for everybody, root included.
    let error = SqliteStore::open(std::path::Path::new("/proc/self/pages.db")).expect_err("nobody can");
    assert!(!matches!(error, StoreError::Full { .. } | StoreError::TooNew { .. }), "{error:?}");
    let error = SqliteStore::open(std::path::Path::new("/sys/kernel/pages.db")).expect_err("nobody can");
    assert!(matches!(error, StoreError::ReadOnly { .. }), "{error:?}");
    assert!(error.to_string().contains("choose another place"), "{error}");
}

#[tokio::test]
async fn a_reader_can_not_write() {
    let (_folder, path) = folder();
    let store = SqliteStore::open(&path).unwrap();
    let held = lease(&store, &site("docs"), 1).await;
    let reader = SqliteStore::open_read_only(&path).unwrap();
    let error = reader.apply(&held, vec![publish("a", 1)]).await.expect_err("it only reads");
    assert!(matches!(error, StoreError::ReadOnly { .. }), "{error:?}");
}

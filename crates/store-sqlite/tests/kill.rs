//! A process that publishes is killed at any instant: nothing that was reported as done is lost, and
//! the next one can go on at once.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use wholesite_store::conformance::{lease, page, path, site};
use wholesite_store::{Change, Digest, Query, Store};
use wholesite_store_sqlite::SqliteStore;

const CHILD: &str = "WHOLESITE_KILL_CHILD";
/// Where a child begins to count, so that a later one's numbers are greater.
const START: &str = "WHOLESITE_KILL_START";

/// Not a test of its own: what the child does. It tells each page after it was written.
#[tokio::test]
async fn child() {
    let Some(file) = std::env::var_os(CHILD) else { return };
    let store = SqliteStore::open(Path::new(&file)).unwrap();
    let held = lease(&store, &site("docs"), 1_000).await;
    let start: i64 = std::env::var(START).unwrap().parse().unwrap();
    for round in start.. {
        let name = format!("p{}", round % 50);
        let text = format!("needle{round} {}", "text ".repeat(400));
        let change = Change::Publish { page: Box::new(page(&name, &text, round)), run: "run".to_owned() };
        store.apply(&held, vec![change]).await.unwrap();
        println!("done {name} needle{round}");
    }
}

#[tokio::test]
async fn a_killed_writer_loses_nothing() {
    let rounds: u64 = std::env::var("WHOLESITE_KILL_ROUNDS").ok().and_then(|n| n.parse().ok()).unwrap_or(10);
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("pages.db");
    let mut told = std::collections::BTreeMap::new();
    for round in 0..rounds {
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "child", "--nocapture"])
            .env(CHILD, &file)
            .env(START, (round * 1_000_000).to_string())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let out = BufReader::new(child.stdout.take().unwrap());
        let reader = std::thread::spawn(move || {
            let lines = out.lines().map_while(Result::ok);
            // libtest may print on the same line.
            lines
                .filter_map(|line| line.split_once("done ").map(|(_, done)| done.to_owned()))
                .collect::<Vec<_>>()
        });
        std::thread::sleep(Duration::from_millis(60 + round * 37 % 240));
        child.kill().unwrap();
        child.wait().unwrap();
        for line in reader.join().unwrap() {
            let (name, needle) = line.split_once(' ').unwrap();
            told.insert(name.to_owned(), needle.to_owned());
        }
        let store = SqliteStore::open(&file).unwrap();
        for (name, needle) in &told {
            let page = store
                .page(&site("docs"), &path(name))
                .await
                .unwrap()
                .unwrap_or_else(|| panic!("{name} is lost"));
            let stored: u64 =
                page.text.split_whitespace().next().unwrap().trim_start_matches("needle").parse().unwrap();
            let reported: u64 = needle.trim_start_matches("needle").parse().unwrap();
            assert!(stored >= reported, "{name}: {stored} is older than {reported}");
            assert_eq!(Digest::of(&page.text), page.record.digest, "{name} is half-written");
            assert_eq!(found(&store, stored).await, 1, "{name} is not found");
            if stored > reported {
                assert_eq!(found(&store, reported).await, 0, "{name} is found by what it was");
            }
        }
        assert_whole(&file);
        // The lease of the killed process has not expired, but is free.
        drop(lease(&store, &site("docs"), 2_000).await);
    }
    assert!(told.len() > 5, "the child never got to write: {told:?}");
}

async fn found(store: &SqliteStore, number: u64) -> usize {
    let query = Query { words: format!("needle{number}"), prefix: None, limit: 5 };
    store.search(&site("docs"), &query).await.unwrap().len()
}

fn assert_whole(file: &Path) {
    let connection = rusqlite::Connection::open(file).unwrap();
    let check: String = connection.query_row("PRAGMA integrity_check", [], |row| row.get(0)).unwrap();
    assert_eq!(check, "ok");
    let sql = "SELECT (SELECT count(*) FROM page) - (SELECT count(*) FROM search)";
    assert_eq!(connection.query_row(sql, [], |row| row.get(0)), Ok(0), "pages and entries");
}

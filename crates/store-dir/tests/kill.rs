//! A process that publishes is killed at any instant: nothing that was reported as done is lost, and
//! the next one can go on at once.

mod shared;

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, SystemTime};

use futures_util::StreamExt;
use futures_util::stream;
use shared::{assert_same, publish, withdraw};
use wholesite_store::conformance::{lease, path, site};
use wholesite_store::{Change, Digest, Store, Timestamp};
use wholesite_store_dir::DirStore;

const CHILD: &str = "WHOLESITE_KILL_CHILD";
/// Where a child begins to count, so that a later one's numbers are greater.
const START: &str = "WHOLESITE_KILL_START";

/// Not a test of its own: what the child does. It tells each page after it was written.
#[tokio::test]
async fn child() {
    let Some(root) = std::env::var_os(CHILD) else { return };
    let store = DirStore::open(Path::new(&root)).unwrap();
    let held = lease(&store, &site("docs"), 1_000).await;
    let start: u64 = std::env::var(START).unwrap().parse().unwrap();
    let publish = async |round: u64| {
        let name = format!("f{}/p{}", round % 3, round % 50);
        let text = format!("needle{round} {}", "text ".repeat(400));
        let mut batch = vec![publish(&name, &text)];
        if round.is_multiple_of(11) {
            // A page that comes and goes, and one whose name others are confused with.
            batch.extend([publish("Passing", &text), publish("passing", &text)]);
            batch.extend([withdraw("Passing"), withdraw("passing")]);
            batch.push(Change::ForgetRevisions { replaced_before: Timestamp(i64::MAX) });
        }
        store.apply(&held, batch).await.unwrap();
        println!("done {name} needle{round}");
    };
    stream::iter(start..).map(publish).buffer_unordered(8).collect::<Vec<()>>().await;
}

#[tokio::test]
async fn a_killed_writer_loses_nothing() {
    let rounds: u64 = std::env::var("WHOLESITE_KILL_ROUNDS").ok().and_then(|n| n.parse().ok()).unwrap_or(10);
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().join("pages");
    let mut told = std::collections::BTreeMap::<String, u64>::new();
    for round in 0..rounds {
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "child", "--nocapture"])
            .env(CHILD, &root)
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
        let chance = SystemTime::UNIX_EPOCH.elapsed().unwrap().subsec_nanos();
        std::thread::sleep(Duration::from_millis(60 + u64::from(chance / 1_000) % 300));
        child.kill().unwrap();
        child.wait().unwrap();
        for line in reader.join().unwrap() {
            let (name, needle) = line.split_once(" needle").unwrap();
            // Several are under way at once, so a later one may be told first.
            let newest = told.entry(name.to_owned()).or_default();
            *newest = (*newest).max(needle.trim().parse().unwrap());
        }
        let store = DirStore::open(&root).unwrap();
        for (name, reported) in &told {
            let page = store.page(&site("docs"), &path(name)).await.unwrap();
            let page = page.unwrap_or_else(|| panic!("{name} is lost"));
            let first = page.text.split_whitespace().next().unwrap();
            let stored: u64 = first.trim_start_matches("needle").parse().unwrap();
            assert!(stored >= *reported, "{name}: {stored} is older than {reported}");
            assert_eq!(Digest::of(&page.text), page.record.digest, "{name} is half-written");
        }
        if !store.sites().await.unwrap().is_empty() {
            assert_same(&store, &root).await;
        }
        // The lease of the killed process has not expired, but is free.
        drop(lease(&store, &site("docs"), 2_000).await);
    }
    assert!(told.len() > 5, "the child never got to write: {told:?}");
}

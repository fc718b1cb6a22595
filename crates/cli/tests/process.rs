//! `wholesite` as a process, against a server on loopback: killed at any instant, beside another one,
//! on a full and on a read-only disk, and with everything that can go wrong on a socket.

mod server;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;
use server::{Fault, Server};
use tempfile::TempDir;
use wholesite::store::Store;
use wholesite::{AnyStore, StoreName};

const STORES: [&str; 2] = ["pages.db", "dir:pages"];

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

struct Desk {
    folder: TempDir,
    store: &'static str,
}

impl Desk {
    fn new(store: &'static str) -> Self {
        Desk { folder: tempfile::tempdir().expect("a folder"), store }
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_wholesite"));
        command.args(arguments).current_dir(self.folder.path());
        command.env("WHOLESITE_STORE", self.store).env("NO_COLOR", "1");
        command
    }

    fn run(&self, arguments: &[&str]) -> Output {
        self.command(arguments).output().expect("it runs")
    }

    fn sync<'a>(&self, server: &'a Server, more: &[&'a str]) -> Vec<String> {
        let base = ["sync", server.url(), "--allow-private", "--json", "--confirm-after", "0"];
        base.iter().chain(more).map(|word| (*word).to_owned()).collect()
    }

    /// A whole sync; its exit status and its report.
    fn report(&self, server: &Server, more: &[&str]) -> (i32, Value) {
        let arguments = self.sync(server, more);
        let output = self.run(&arguments.iter().map(String::as_str).collect::<Vec<_>>());
        let report = serde_json::from_slice(&output.stdout)
            .unwrap_or_else(|error| panic!("{error}\n{}{}", text(&output.stdout), text(&output.stderr)));
        (output.status.code().expect("an exit status"), report)
    }

    fn start(&self, server: &Server) -> Child {
        let arguments = self.sync(server, &[]);
        self.command(&arguments.iter().map(String::as_str).collect::<Vec<_>>())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("it starts")
    }

    /// Every stored page with its text.
    fn pages(&self) -> BTreeMap<String, String> {
        let place = match self.store.strip_prefix("dir:") {
            Some(folder) => StoreName::Dir(self.folder.path().join(folder)),
            None => StoreName::Sqlite(self.folder.path().join(self.store)),
        };
        let Ok(store) = AnyStore::open_read_only(&place) else { return BTreeMap::new() };
        let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
        runtime.block_on(async {
            let mut pages = BTreeMap::new();
            for site in store.sites().await.expect("sites") {
                for record in store.catalogue(&site).await.expect("a catalogue") {
                    let page = store.page(&site, &record.path).await.expect("readable").expect("live");
                    pages.insert(record.path.to_string(), page.text);
                }
            }
            pages
        })
    }
}

/// FR-075, and the promise that a kill at any instant loses nothing. `WHOLESITE_KILL_ROUNDS` says how
/// often.
#[test]
fn killed_at_any_instant_nothing_is_lost_and_the_next_run_goes_on() {
    let rounds: u32 = std::env::var("WHOLESITE_KILL_ROUNDS").ok().and_then(|n| n.parse().ok()).unwrap_or(8);
    for store in STORES {
        let desk = Desk::new(store);
        let server = Server::start(30);
        server.slow_down(Duration::from_millis(3));
        let mut known: BTreeMap<String, u32> = BTreeMap::new();
        let mut interrupted = 0;
        for round in 0..rounds {
            server.edit(round);
            let mut child = desk.start(&server);
            // Later and later, so that every part of a run is met.
            std::thread::sleep(Duration::from_millis(u64::from(20 + round * 31 % 190)));
            child.kill().expect("killed");
            child.wait().expect("ended");
            let now = desk.pages();
            for (path, version) in &mut known {
                let page = now.get(path).unwrap_or_else(|| panic!("round {round}: {path} is lost"));
                let stored =
                    server::version_of(page).unwrap_or_else(|| panic!("{path} is half-written: {page:?}"));
                assert!(stored >= *version, "round {round}: {path} went back from {version} to {stored}");
                *version = stored;
            }
            for (path, page) in now.iter().filter(|(path, _)| *path != "/index.md") {
                known.entry(path.clone()).or_insert_with(|| server::version_of(page).expect("whole"));
            }
            interrupted += usize::from(text(&desk.run(&["log"]).stdout).contains("running"));
        }
        server.slow_down(Duration::ZERO);
        let (code, report) = desk.report(&server, &[]);
        assert_eq!((code, &report["deleted"]), (0, &0.into()), "{store}: {report:#}");
        assert_eq!(desk.pages().len(), 31, "{store}: the plain next run makes it whole");
        let log = text(&desk.run(&["log"]).stdout);
        assert!(!log.contains("running"), "{store}: no run is left as if it were alive\n{log}");
        assert!(interrupted == 0 || log.contains("interrupted"), "{store}: {log}");
    }
}

/// FR-099.
#[test]
fn two_syncs_at_once_and_a_reader_that_takes_its_time() {
    for store in STORES {
        let desk = Desk::new(store);
        let server = Server::start(30);
        server.slow_down(Duration::from_millis(5));
        desk.report(&server, &[]);
        server.edit(1);
        let reader = (store == "pages.db").then(|| {
            let file = desk.folder.path().join(store);
            std::thread::spawn(move || {
                let connection = rusqlite::Connection::open(file).expect("a reader");
                let transaction = connection.unchecked_transaction().expect("a transaction");
                let pages =
                    || transaction.query_row("SELECT count(*) FROM page", [], |row| row.get::<_, i64>(0));
                assert_eq!(pages(), Ok(31));
                std::thread::sleep(Duration::from_secs(2));
                assert_eq!(pages(), Ok(31), "a reader sees one state");
            })
        });
        let mut first = desk.start(&server);
        let mut second = desk.start(&server);
        let codes = [first.wait().expect("ended").code(), second.wait().expect("ended").code()];
        assert!(codes.contains(&Some(0)), "{store}: {codes:?}");
        assert!(codes.iter().all(|code| matches!(code, Some(0 | 6))), "{store}: done, or busy: {codes:?}");
        if let Some(reader) = reader {
            reader.join().expect("the reader was not disturbed");
            let connection = rusqlite::Connection::open(desk.folder.path().join(store)).expect("opens");
            let check: String =
                connection.query_row("PRAGMA integrity_check", [], |row| row.get(0)).expect("checked");
            assert_eq!(check, "ok");
        }
        let pages = desk.pages();
        assert_eq!(pages.len(), 31);
        assert!(pages.iter().all(|(path, page)| path == "/index.md" || server::version_of(page) == Some(1)));
    }
}

/// What goes wrong on a socket, how the report names it, and what is kept.
#[test]
fn what_goes_wrong_on_a_socket_is_named_and_costs_nothing() {
    let table: &[(Fault, &str)] = &[
        (Fault::Reset, "reset"),
        (Fault::Close, "reset"),
        (Fault::Stall, "timeout"),
        (Fault::Drip, "timeout"),
        (Fault::Short, "truncated"),
        (Fault::BrokenChunks, "truncated"),
        (Fault::NotHttp, "protocol"),
        (Fault::TwoLengths, "protocol"),
        (Fault::EndlessHeaders, "too_many_headers"),
        (Fault::GzipBomb, "inflate_bomb"),
        (Fault::BrokenGzip, "bad_coding"),
        (Fault::Endless, "too_large"),
        (Fault::Loop, "redirect_loop"),
        (Fault::ToBadTls, "redirect_away"),
        (Fault::Status(500), "http_500"),
        (Fault::Status(403), "http_403"),
        (Fault::Status(404), "http_404"),
    ];
    let desk = Desk::new("pages.db");
    let server = Server::start(40);
    assert_eq!(desk.report(&server, &[]).0, 0);
    server.edit(1);
    for (at, (fault, _)) in table.iter().enumerate() {
        server.break_page(at, *fault);
    }
    let began = Instant::now();
    let (code, report) = desk.report(&server, &["--timeout", "1", "--max-attempts", "2"]);
    assert!(began.elapsed() < Duration::from_secs(60), "nothing holds a run up: {:?}", began.elapsed());
    assert_eq!(code, 3, "{report:#}");
    let failures: BTreeMap<&str, &str> = report["failures"]
        .as_array()
        .expect("failures")
        .iter()
        .map(|failure| (failure["path"].as_str().expect("a path"), failure["code"].as_str().expect("a code")))
        .collect();
    let pages = desk.pages();
    for (at, (fault, code)) in table.iter().enumerate() {
        let path = server::path_of(at);
        let path = format!("{path}.md");
        assert_eq!(failures.get(path.as_str()), Some(code), "{fault:?}: {report:#}");
        assert_eq!(server::version_of(&pages[&path]), Some(0), "{fault:?}: the stored version stays");
    }
    assert_eq!((&report["failed"], &report["deleted"]), (&table.len().into(), &0.into()));
    assert_eq!(report["changed"], 40 - table.len(), "the others are not stopped");
    server.heal();
    let (code, report) = desk.report(&server, &["--only-failed"]);
    assert_eq!((code, &report["changed"]), (0, &table.len().into()), "{report:#}");
}

/// A server that speaks TLS badly, or not at all.
#[test]
fn bad_tls_is_named() {
    let desk = Desk::new("pages.db");
    let server = Server::start(1);
    let url = server.url().replace("http://", "https://");
    let output = desk.run(&["sync", &url, "--allow-private", "--max-attempts", "1"]);
    assert_eq!(output.status.code(), Some(5));
    let said = text(&output.stderr).to_lowercase();
    assert!(said.contains("tls") || said.contains("corrupt message"), "{said}");
}

/// In a namespace of its own, where a test may mount what it likes. `None` where the system lets
/// nobody have one.
fn in_a_room_of_its_own(desk: &Desk, mount: &str, arguments: &[String]) -> Option<Output> {
    let probe = Command::new("unshare").args(["-Urm", "mount", "-t", "tmpfs", "none", "/mnt"]).output();
    if !probe.is_ok_and(|probe| probe.status.success()) {
        println!("SKIPPED: this system gives no namespace to mount in");
        return None;
    }
    let words: Vec<String> = arguments.iter().map(|word| format!("'{word}'")).collect();
    let script = format!("{mount} && exec '{}' {}", env!("CARGO_BIN_EXE_wholesite"), words.join(" "));
    let output = Command::new("unshare")
        .args(["-Urm", "sh", "-c", &script])
        .current_dir(desk.folder.path())
        .env("NO_COLOR", "1")
        .output();
    Some(output.expect("it runs"))
}

#[test]
fn a_full_disk_is_a_clear_error() {
    for store in ["small/pages.db", "dir:small/pages"] {
        let desk = Desk::new(STORES[0]);
        let server = Server::start(400);
        std::fs::create_dir(desk.folder.path().join("small")).expect("made");
        let mut arguments = desk.sync(&server, &[]);
        arguments.extend(["--store".to_owned(), store.to_owned()]);
        let mount = "mount -t tmpfs -o size=400k none small";
        let Some(output) = in_a_room_of_its_own(&desk, mount, &arguments) else { return };
        assert!(matches!(output.status.code(), Some(3 | 5)), "{store}: {:?}", output.status);
        let said = text(&output.stderr) + &text(&output.stdout);
        assert!(said.contains("no room") || said.contains("full"), "{store}: {said}");
    }
}

#[test]
fn a_store_that_can_t_be_written_is_a_clear_error() {
    for store in STORES {
        let desk = Desk::new(store);
        let server = Server::start(3);
        desk.report(&server, &[]);
        let before = desk.pages();
        server.edit(1);
        let place = PathBuf::from(".");
        let mut arguments = desk.sync(&server, &[]);
        arguments.extend(["--store".to_owned(), store.to_owned()]);
        let here = place.display();
        let mount = format!("mount --bind {here} {here} && mount -o remount,bind,ro {here} && cd \"$PWD\"");
        let Some(output) = in_a_room_of_its_own(&desk, &mount, &arguments) else { return };
        assert_eq!(output.status.code(), Some(5), "{store}: {}", text(&output.stderr));
        assert!(text(&output.stderr).contains("can't be written"), "{store}: {}", text(&output.stderr));
        assert_eq!(desk.pages(), before);
        assert!(!desk.run(&["read", "p00"]).stdout.is_empty(), "it can be read as before");
    }
}

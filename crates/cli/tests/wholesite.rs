//! `wholesite`, as users run it: a docs source folder that changes, and a recorded site.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;
use tempfile::TempDir;

struct Desk {
    folder: TempDir,
    /// What the environment names; `None` for the default.
    store: Option<&'static str>,
}

/// Every store that users can name, so that whatever a user does works on each of them.
fn on_every_store(work: impl Fn(Desk)) {
    for store in [None, Some("dir:pages")] {
        work(Desk { store, ..Desk::new() });
    }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

impl Desk {
    /// A folder with a small Mintlify source in `docs/`.
    fn new() -> Self {
        let desk = Desk { folder: tempfile::tempdir().expect("a folder"), store: None };
        desk.write("docs/docs.json", NAV);
        for page in ["index", "install", "guides/first", "guides/second"] {
            desk.write(&format!("docs/{page}.mdx"), &source(page, 1));
        }
        desk
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn write(&self, name: &str, text: &str) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().expect("a folder")).expect("made");
        fs::write(path, text).expect("written");
    }

    fn run(&self, arguments: &[&str]) -> Output {
        Command::new(env!("CARGO_BIN_EXE_wholesite"))
            .args(arguments)
            .current_dir(self.folder.path())
            .env_remove("WHOLESITE_STORE")
            .envs(self.store.map(|store| ("WHOLESITE_STORE", store)))
            .env("NO_COLOR", "1")
            .output()
            .expect("it runs")
    }

    /// Runs, and gives what it printed; the exit status must be `code`.
    fn ok(&self, code: i32, arguments: &[&str]) -> String {
        let output = self.run(arguments);
        let (out, err) = (text(&output.stdout), text(&output.stderr));
        assert_eq!(output.status.code(), Some(code), "{arguments:?}\n{out}\n{err}");
        out
    }

    fn json(&self, code: i32, arguments: &[&str]) -> Value {
        let out = self.ok(code, arguments);
        serde_json::from_str(&out).unwrap_or_else(|error| panic!("{arguments:?}: {error}\n{out}"))
    }
}

const NAV: &str = r#"{"name": "Desk", "navigation": {"groups": [
    {"group": "Start", "pages": ["index", "install"]},
    {"group": "Guides", "pages": ["guides/first", "guides/second"]}]}}"#;

fn source(page: &str, version: u32) -> String {
    format!(
        "---\ntitle: \"About {page}\"\n---\n\nThis is what there is to say about {page}.\n\n\
         ```sh\nrun --page {page}\n```\n\nIt is version {version}.\n"
    )
}

const SYNC: [&str; 2] = ["sync", "docs"];

#[test]
fn a_source_folder_changes_and_the_store_follows() {
    on_every_store(|desk| {
        let first = desk.json(0, &[&SYNC[..], &["--json"]].concat());
        assert_eq!((&first["status"], &first["added"]), (&"completed".into(), &4.into()), "{first:#}");
        assert_eq!(desk.json(0, &[&SYNC[..], &["--json"]].concat())["status"], "unchanged");

        desk.write("docs/install.mdx", &source("install", 2));
        desk.write("docs/guides/third.mdx", &source("third", 1));
        fs::remove_file(desk.path("docs/guides/second.mdx")).unwrap();
        fs::rename(desk.path("docs/guides/first.mdx"), desk.path("docs/guides/beginning.mdx")).unwrap();
        desk.write(
            "docs/docs.json",
            &NAV.replace("guides/first", "guides/beginning").replace("guides/second", "guides/third"),
        );

        let dry = desk.json(0, &[&SYNC[..], &["--dry-run", "--json"]].concat());
        assert!(desk.ok(0, &["list"]).contains("/guides/second.md"), "a dry run changes nothing");
        let third = desk.json(0, &[&SYNC[..], &["--json"]].concat());
        for field in ["added", "changed", "deleted", "moved", "added_paths", "changed_paths", "status"] {
            assert_eq!(dry[field], third[field], "the dry run said the same of {field}");
        }
        assert_eq!(
            (&third["added"], &third["changed"], &third["deleted"], &third["moved"]),
            (&2.into(), &1.into(), &2.into(), &1.into()),
            "{third:#}"
        );
        let list = desk.ok(0, &["list"]);
        let paths: Vec<&str> = list.lines().map(|line| line.split_whitespace().next().unwrap()).collect();
        assert_eq!(paths, ["/guides/beginning.md", "/guides/third.md", "/index.md", "/install.md"]);
        assert!(
            desk.ok(0, &["why", "/guides/first"]).contains("moved"),
            "the old name still says where it went"
        );
        assert!(
            desk.ok(0, &["read", "http://localhost:3000/guides/first"]).contains("about guides/first"),
            "and leads there"
        );
        assert!(desk.ok(0, &["diff", "install"]).contains("+It is version 2."));
        desk.ok(1, &["search", "second"]);
        desk.ok(0, &["restore", "/guides/second"]);
        assert!(desk.ok(0, &["search", "second"]).contains("/guides/second.md"));
        let log = desk.ok(0, &["log"]);
        assert_eq!(log.lines().count(), 3, "dry runs leave no trace\n{log}");
    });
}

#[test]
fn reading() {
    on_every_store(|desk| {
        desk.ok(0, &SYNC);
        assert!(desk.ok(0, &["tree"]).contains("guides/\n  first.md"));
        assert_eq!(desk.ok(0, &["list", "/guides/"]).lines().count(), 2);
        assert_eq!(desk.json(0, &["status", "--json"])["pages"], 4);
        let page = desk.json(0, &["read", "install", "--json", "--offset", "5", "--max-chars", "7"]);
        assert_eq!((&page["text"], &page["next_offset"]), (&"is what".into(), &12.into()));
        let hits = desk.ok(0, &["grep", "-E", "run --page guides/(first|second)", "--json"]);
        assert_eq!(hits.lines().count(), 2, "{hits}");
        desk.ok(1, &["grep", "run.--page"]);
        desk.ok(2, &["grep", "-E", "("]);
        desk.ok(1, &["read", "nowhere"]);
        assert!(desk.ok(1, &["why", "nowhere"]).contains("discover explain"));
        desk.ok(2, &["read"]);
    });
}

#[test]
fn exports() {
    on_every_store(|desk| {
        desk.ok(0, &SYNC);
        let export = |form: &str| desk.ok(0, &["export", "--format", form]);
        assert!(export("llms").contains("- [About install](http://localhost:3000/install)"));
        assert_eq!(export("llms-full").matches("\nSource: ").count(), 4);
        assert_eq!(export("sitemap").matches("<loc>").count(), 4);
        for (form, field) in [("jsonl", "text"), ("langchain", "page_content"), ("llamaindex", "text")] {
            let lines = export(form);
            assert_eq!(lines.lines().count(), 4);
            for line in lines.lines() {
                let value: Value = serde_json::from_str(line).unwrap();
                assert!(value[field].as_str().unwrap().contains("This is what"), "{line}");
            }
        }
        desk.ok(0, &["export", "--format", "files", "--out", "files"]);
        assert!(
            fs::read_to_string(desk.path("files/guides/first.md")).unwrap().contains("about guides/first")
        );
        let again = desk.run(&["export", "--format", "files", "--out", "files"]);
        assert_eq!(again.status.code(), Some(2), "nothing is ever written over");
    });
}

#[test]
fn a_guard_holds_and_a_person_consents() {
    on_every_store(|desk| {
        let pages: Vec<String> = (0..20).map(|n| format!("p{n}")).collect();
        let nav = |pages: &[String]| format!(r#"{{"name": "Desk", "navigation": {{"pages": {pages:?}}}}}"#);
        for page in &pages {
            desk.write(&format!("docs/{page}.mdx"), &source(page, 1));
        }
        for old in ["index", "install", "guides/first", "guides/second"] {
            fs::remove_file(desk.path(&format!("docs/{old}.mdx"))).unwrap();
        }
        desk.write("docs/docs.json", &nav(&pages));
        desk.ok(0, &SYNC);
        for page in &pages[..8] {
            fs::remove_file(desk.path(&format!("docs/{page}.mdx"))).unwrap();
        }
        desk.write("docs/docs.json", &nav(&pages[8..]));
        let held = desk.ok(4, &SYNC);
        assert!(held.contains("HELD") && held.contains("wholesite apply"), "{held}");
        assert_eq!(desk.ok(0, &["list"]).lines().count(), 20, "nothing was withdrawn");
        assert!(desk.ok(0, &["status"]).contains("8 withdrawals wait for consent"));
        assert!(desk.ok(0, &["apply"]).contains("8 withdrawn"));
        assert_eq!(desk.ok(0, &["list"]).lines().count(), 12);
        assert_eq!(desk.run(&["apply"]).status.code(), Some(1), "there is no plan any more");
        desk.ok(0, &["purge", "--retention", "0"]);
        desk.ok(1, &["restore"]);
    });
}

#[test]
fn a_recorded_site_is_synced_offline() {
    let desk = Desk::new();
    let site = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpora/mintlify-flat");
    let report =
        desk.ok(0, &["sync", site.to_str().unwrap(), "--store", "other.db", "--report", "report.json"]);
    assert!(report.starts_with("COMPLETED  https://docs.lantern.example.com/  10 added"), "{report}");
    let kept: Value = serde_json::from_str(&fs::read_to_string(desk.path("report.json")).unwrap()).unwrap();
    assert_eq!((&kept["schema_version"], &kept["discovered"]), (&1.into(), &10.into()));
    assert!(desk.ok(0, &["search", "rooms", "--store", "sqlite:other.db"]).contains("/guides/rooms.md"));
}

#[test]
fn a_partial_sync_says_why() {
    let desk = Desk::new();
    let site = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpora/hand-written");
    let report = desk.ok(3, &["sync", site.to_str().unwrap()]);
    for part in ["PARTIAL", "offsite_link", "llms.txt:20", "= help:", "discover "] {
        assert!(report.contains(part), "{part}\n{report}");
    }
}

#[test]
fn several_sites_share_a_store() {
    on_every_store(|desk| {
        desk.ok(0, &SYNC);
        let site = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpora/mintlify-flat");
        desk.ok(0, &["sync", site.to_str().unwrap()]);
        let which = desk.run(&["list"]);
        assert_eq!(which.status.code(), Some(2));
        assert!(text(&which.stderr).contains("https://docs.lantern.example.com/"), "it names them");
        assert_eq!(desk.ok(0, &["list", "--site", "https://docs.lantern.example.com"]).lines().count(), 10);
        assert_eq!(desk.ok(0, &["list", "--site", "http://localhost:3000/"]).lines().count(), 4);
        desk.ok(1, &["list", "--site", "https://else.example"]);
    });
}

#[test]
fn options_come_from_the_file_the_environment_and_the_line_in_that_order() {
    let desk = Desk::new();
    desk.write("wholesite.toml", "store = \"from-file.db\"\nexclude = [\"/guides/**\"]\n");
    desk.ok(0, &SYNC);
    assert!(desk.path("from-file.db").exists());
    assert_eq!(desk.ok(0, &["list"]).lines().count(), 2, "the excluded ones are left out");
    desk.ok(0, &["sync", "docs", "--store", "typed.db", "--exclude", "/install"]);
    assert_eq!(
        desk.ok(0, &["list", "--store", "typed.db"]).lines().count(),
        3,
        "a typed list replaces that of the file"
    );
    let from_environment = Command::new(env!("CARGO_BIN_EXE_wholesite"))
        .args(SYNC)
        .current_dir(desk.folder.path())
        .env("WHOLESITE_STORE", "environment.db")
        .output()
        .unwrap();
    assert!(from_environment.status.success() && desk.path("environment.db").exists());
    for (file, says) in [
        ("exclud = [\"/x\"]\n", "did you mean `exclude`?"),
        ("store = 7.5.3\n", "wholesite.toml"),
        ("dry_run = \"yes\"\n", "true or false"),
    ] {
        desk.write("wholesite.toml", file);
        let output = desk.run(&SYNC);
        assert_eq!(output.status.code(), Some(2), "{file}");
        assert!(text(&output.stderr).contains(says), "{file}: {}", text(&output.stderr));
    }
}

#[test]
fn wrong_usage_says_what_to_do() {
    let desk = Desk::new();
    let table: [(&[&str], i32, &str); 7] = [
        (&["sync", "nowhere"], 2, "there is no such folder"),
        (&["sync", "docs", "--store", "redis:x"], 2, "no kind of store"),
        (&["sync", "docs", "--max-delete", "lots"], 2, "3,10%"),
        (&["list"], 5, "wholesite sync"),
        (&["sync", "docs", "--store", "docs/docs.json"], 5, "no SQLite file"),
        (&["frobnicate"], 2, "unrecognized subcommand"),
        (&["sync", "docs", "--only-failed", "--full"], 2, "cannot be used with"),
    ];
    for (arguments, code, says) in table {
        let output = desk.run(arguments);
        assert_eq!(output.status.code(), Some(code), "{arguments:?}");
        assert!(text(&output.stderr).contains(says), "{arguments:?}: {}", text(&output.stderr));
    }
    assert_eq!(
        fs::read_to_string(desk.path("docs/docs.json")).unwrap(),
        NAV,
        "a file that is no store is left alone"
    );
}

/// A second sync of a site says so and leaves; one that is interrupted loses nothing.
#[cfg(unix)]
#[test]
fn one_at_a_time_and_interrupts_are_clean() {
    use std::io::{Read, Write};
    use std::net::TcpListener;
    use std::time::{Duration, Instant};

    let desk = Desk::new();
    // A site that never answers.
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/", listener.local_addr().unwrap());
    std::thread::spawn(move || {
        for stream in listener.incoming().take(200).flatten() {
            std::thread::spawn(move || {
                let (mut stream, mut byte) = (stream, [0]);
                let _ = stream.read(&mut byte);
                std::thread::sleep(Duration::from_secs(20));
                let _ = stream.write_all(b"HTTP/1.1 500 No\r\ncontent-length: 0\r\n\r\n");
            });
        }
    });
    let sync = ["sync", url.as_str(), "--allow-private"];
    let mut first = Command::new(env!("CARGO_BIN_EXE_wholesite"))
        .args(sync)
        .current_dir(desk.folder.path())
        .stdout(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    let began = Instant::now();
    while !text(&desk.run(&["log"]).stdout).contains("running") {
        assert!(began.elapsed() < Duration::from_secs(15), "the first one never began");
        std::thread::sleep(Duration::from_millis(20));
    }
    let busy = desk.run(&sync);
    assert_eq!(busy.status.code(), Some(6), "{}", text(&busy.stderr));
    assert!(text(&busy.stderr).contains(&format!("process {}", first.id())));
    let interrupted = Instant::now();
    let killed = Command::new("kill").args(["-INT", &first.id().to_string()]).status().unwrap();
    assert!(killed.success());
    assert_eq!(first.wait().unwrap().code(), Some(130));
    assert!(interrupted.elapsed() < Duration::from_secs(3), "it stops at once");
    assert!(desk.ok(0, &["log"]).contains("cancelled"));
}

//! `discover record` as a process: what it writes is a source, and half of it is nothing.

// Shared with another test, which uses more of it.
#[allow(dead_code, unreachable_pub)]
mod server;

use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use server::{Fault, Server, path_of};

fn command(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_discover"));
    command.args(arguments).current_dir(folder).env("NO_COLOR", "1").stdin(Stdio::null());
    command
}

fn discover(folder: &Path, arguments: &[&str]) -> Output {
    command(folder, arguments).output().expect("discover runs")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn names(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).expect("readable");
    let mut names: Vec<String> =
        entries.map(|entry| entry.expect("readable").file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

#[test]
fn what_is_recorded_is_a_source_and_gives_what_the_live_site_gave() {
    let server = Server::start(12);
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    let live = discover(folder, &[server.url(), "--allow-private", "--json"]);
    assert_eq!(live.status.code(), Some(0), "{}", text(&live.stderr));
    for out in ["site.warc.gz", "site.warc", "site"] {
        let recorded = discover(folder, &["record", server.url(), "--allow-private", "--out", out]);
        let told = text(&recorded.stdout);
        assert_eq!(recorded.status.code(), Some(0), "{told}{}", text(&recorded.stderr));
        assert!(told.starts_with("RECORDED") && told.contains(&format!("discover {out}")), "{told}");
        let replayed = discover(folder, &[out, "--json"]);
        assert_eq!(text(&replayed.stdout), text(&live.stdout), "{out}");
        let again = discover(folder, &["record", server.url(), "--allow-private", "--out", out]);
        assert_eq!(again.status.code(), Some(5));
        assert!(text(&again.stderr).contains("there is something here already"), "{}", text(&again.stderr));
        let synced = Command::new(env!("CARGO_BIN_EXE_wholesite"))
            .args(["sync", out, "--store", &format!("{out}.db"), "--json"])
            .current_dir(folder)
            .output()
            .expect("wholesite runs");
        assert_eq!(synced.status.code(), Some(0), "{}{}", text(&synced.stdout), text(&synced.stderr));
    }
    let elsewhere = discover(folder, &["site.warc", "--seed", "https://other.example.com/", "--json"]);
    assert_eq!(elsewhere.status.code(), Some(5), "nothing of that site was captured");
    assert!(text(&elsewhere.stdout).contains("not captured"), "{}", text(&elsewhere.stdout));
    assert!(names(folder).iter().all(|name| !name.contains("partial")), "{:?}", names(folder));
}

#[test]
fn pages_can_be_left_out_and_those_that_fail_are_named() {
    let server = Server::start(4);
    let folder = tempfile::tempdir().expect("a folder");
    server.break_page(2, Fault::Status(403));
    let record = |out: &str, more: &[&str]| {
        let base = ["record", server.url(), "--allow-private", "--out", out];
        discover(folder.path(), &[&base, more].concat())
    };
    let whole = record("whole.warc.gz", &[]);
    assert_eq!(whole.status.code(), Some(3), "{}", text(&whole.stdout));
    assert!(text(&whole.stdout).contains(&path_of(2)), "{}", text(&whole.stdout));
    let indexes = record("indexes.warc.gz", &["--indexes-only"]);
    assert_eq!(indexes.status.code(), Some(0), "{}", text(&indexes.stdout));
    assert!(text(&indexes.stdout).contains("none of its"), "{}", text(&indexes.stdout));
}

#[test]
fn credentials_are_sent_and_not_written() {
    let server = Server::start(2);
    let folder = tempfile::tempdir().expect("a folder");
    let arguments = ["record", server.url(), "--allow-private", "-H", "X-Key: canary", "--out", "site.warc"];
    assert_eq!(discover(folder.path(), &arguments).status.code(), Some(0));
    let file = text(&std::fs::read(folder.path().join("site.warc")).expect("written"));
    assert!(file.contains("user-agent: wholesite/") && !file.contains("canary"), "{file}");
}

#[cfg(unix)]
#[test]
fn an_interrupted_recording_leaves_nothing_behind() {
    let server = Server::start(4);
    server.break_page(1, Fault::Stall);
    for out in ["site.warc.gz", "site"] {
        let folder = tempfile::tempdir().expect("a folder");
        let arguments = ["record", server.url(), "--allow-private", "--timeout", "60", "--out", out];
        let child = command(folder.path(), &arguments)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("discover runs");
        let began = Instant::now();
        while names(folder.path()).is_empty() && began.elapsed() < Duration::from_secs(20) {
            std::thread::sleep(Duration::from_millis(20));
        }
        let growing = names(folder.path());
        assert!(growing.len() == 1 && growing[0].starts_with(&format!("{out}.partial-")), "{growing:?}");
        std::thread::sleep(Duration::from_millis(200));
        let id = child.id().to_string();
        assert!(Command::new("kill").args(["-INT", &id]).status().expect("kill runs").success());
        let output = child.wait_with_output().expect("it ends");
        assert_eq!(output.status.code(), Some(130), "{}", text(&output.stderr));
        assert!(text(&output.stderr).contains(&format!("interrupted: {out} was not written")));
        assert!(names(folder.path()).is_empty(), "{:?}", names(folder.path()));
    }
}

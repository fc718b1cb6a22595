//! Recordings in the making, and what captures say of what they don't hold.

use std::fs;
use std::path::Path;

use wholesite_address::SiteUrl;
use wholesite_recording::{Begin, FailureKind, Given, NewRecording, Recorded, Recording};

const PROBE: &str = "wholesite-probe-00aa";

fn url(text: &str) -> SiteUrl {
    text.parse().expect("a URL")
}

fn begin(path: &Path) -> NewRecording {
    let date = "2026-01-02T03:04:05Z".parse().expect("a time");
    let seed = url("https://docs.example.com/start");
    let begin = Begin { seed: &seed, probe: PROBE, run: "run-1", date, software: "test" };
    NewRecording::create(path, &begin).expect("begun")
}

fn page(text: &str) -> Recorded {
    let headers = vec![("content-type".to_owned(), "text/plain".to_owned())];
    Recorded::Response { status: 200, headers, body: text.into(), framed: true }
}

fn add(new: &mut NewRecording, address: &str, accept: &str, recorded: &Recorded) {
    let date = "2026-01-02T03:04:05Z".parse().expect("a time");
    new.add(&Given { url: &url(address), accept, date, recorded }).expect("written");
}

/// Everything that a site can answer.
fn events() -> Vec<(&'static str, Recorded)> {
    let fail = |kind, message: &str| Recorded::Failed { kind, message: message.to_owned() };
    let status = |status| Recorded::Response { status, headers: Vec::new(), body: Vec::new(), framed: true };
    vec![
        ("https://docs.example.com/start", page("the start")),
        ("https://docs.example.com/same", page("the start")),
        ("https://docs.example.com/find?q=a%20b", page("found")),
        ("https://docs.example.com/a//b/../%7Ec", page("odd")),
        ("https://docs.example.com/old", status(404)),
        // Nothing that one may write by hand, but sites do it.
        ("https://docs.example.com/nowhere", status(301)),
        ("https://other.example.com/x", page("elsewhere")),
        ("https://docs.example.com/down", fail(FailureKind::Unreachable, "reset\nby peer, \"100%\"")),
        ("https://docs.example.com/mine", fail(FailureKind::Blocked, "a private address")),
        ("https://docs.example.com/big", fail(FailureKind::TooLarge, "larger than 9 bytes")),
        ("https://docs.example.com/wholesite-probe-00aa", page("sorry")),
        ("https://docs.example.com/wholesite-probe-00aa.md", status(410)),
        (
            "https://docs.example.com/cut",
            Recorded::Response { status: 200, headers: Vec::new(), body: b"abc".to_vec(), framed: false },
        ),
    ]
}

#[test]
fn what_was_given_comes_back_and_nothing_else() {
    let folder = tempfile::tempdir().expect("a folder");
    for form in ["site.warc", "site.warc.gz", "site"] {
        let path = folder.path().join(form);
        let mut new = begin(&path);
        for (address, recorded) in events() {
            add(&mut new, address, "*/*", &recorded);
        }
        new.finish().expect("written");
        assert!(Recording::is_recording(&path), "{form}");
        let capture = Recording::open(&path).expect("a recording");
        assert!(capture.is_capture() && capture.probe() == Some(PROBE), "{form}");
        assert_eq!(capture.seed(), &url("https://docs.example.com/start"));
        assert_eq!(capture.addresses().len(), events().len(), "{form}");
        for (address, recorded) in events() {
            let mut found = capture.answer(&url(address), "*/*", 100);
            if let Recorded::Response { headers, .. } = &mut found {
                headers.retain(|(name, _)| name != "content-length");
            }
            assert_eq!(found, recorded, "{form}: {address}");
        }
        // Whoever asks for a path that can't exist makes up one of their own.
        let probed =
            |path: &str| capture.answer(&url(&format!("https://docs.example.com{path}")), "*/*", 100);
        assert!(matches!(probed("/wholesite-probe-77"), Recorded::Response { status: 200, .. }), "{form}");
        assert!(matches!(probed("/wholesite-probe-77.md"), Recorded::Response { status: 410, .. }), "{form}");
        for unknown in ["/gone", "/wholesite-probe-77.html", "/deep/wholesite-probe-77", "/start?x"] {
            let Recorded::Failed { message, .. } = probed(unknown) else { panic!("{form}: {unknown}") };
            assert!(message.starts_with("not captured: "), "{form}: {message}");
        }
        let Recorded::Failed { kind, .. } = capture.answer(capture.seed(), "*/*", 3) else {
            panic!("{form}")
        };
        assert_eq!(kind, FailureKind::TooLarge, "{form}");
    }
}

#[test]
fn of_several_answers_the_one_to_the_same_question_counts() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("site.warc.gz");
    let mut new = begin(&path);
    let given = [("text/html", "html"), ("text/markdown", "old"), ("text/markdown", "new"), ("*/*", "any")];
    for (accept, text) in given {
        add(&mut new, "https://docs.example.com/a", accept, &page(text));
    }
    new.finish().expect("written");
    let capture = Recording::open(&path).expect("a recording");
    for (accept, text) in [("text/html", "html"), ("text/markdown", "new"), ("*/*", "any"), ("other", "any")]
    {
        match capture.answer(&url("https://docs.example.com/a"), accept, 100) {
            Recorded::Response { body, .. } => assert_eq!(String::from_utf8_lossy(&body), text, "{accept}"),
            failed => panic!("{accept}: {failed:?}"),
        }
    }
}

#[test]
fn half_a_recording_is_nothing_and_nothing_is_written_over() {
    let folder = tempfile::tempdir().expect("a folder");
    let names = || fs::read_dir(folder.path()).expect("readable").count();
    for form in ["site.warc.gz", "site"] {
        let path = folder.path().join(form);
        let mut new = begin(&path);
        add(&mut new, "https://docs.example.com/a", "*/*", &page("a"));
        assert!(names() == 1 && !path.exists(), "it grows under another name");
        drop(new);
        assert_eq!(names(), 0, "{form}");
        // Somebody else was faster.
        let new = begin(&path);
        fs::write(&path, "mine").expect("written");
        assert!(new.finish().is_err(), "{form}");
        assert_eq!(fs::read_to_string(&path).expect("there"), "mine");
        assert_eq!(names(), 1, "{form}");
        fs::remove_file(&path).expect("removed");
    }
}

#[test]
fn what_is_wrong_with_a_capture_is_named() {
    let site = |toml: &str| {
        let folder = tempfile::tempdir().expect("a folder");
        let toml = format!("seed = \"https://a.example.com/\"\n{toml}");
        fs::write(folder.path().join("site.toml"), &toml).expect("written");
        Recording::open(folder.path()).expect_err(&toml).to_string()
    };
    for (toml, wanted) in [
        ("captured = \"2026-01-02\"\n[unknown]\nstatus = 404", "a capture has none"),
        ("[[route]]\npath = \"/a\"\nfailure = \"blocked\"", "needs `fail`"),
        ("[[route]]\npath = \"/a\"\nfail = \"x\"\nfailure = \"other\"", "unknown variant"),
        ("[[route]]\npath = \"/a\"\nstatus = 301", "needs a location"),
    ] {
        let told = site(toml);
        assert!(told.contains(wanted), "{toml}: {told}");
    }
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("a.warc");
    for (text, wanted) in
        [("", "no answer to a web address"), ("hello", "byte 0: a WARC record has to begin")]
    {
        fs::write(&file, text).expect("written");
        let told = Recording::open(&file).expect_err(text).to_string();
        assert!(told.contains(wanted), "{told}");
    }
}

//! Captures: what a live site answered, in a WARC file or a folder. A discovery of one gives what the live
//! discovery gave, other tools read what is written here, and what is absent proves nothing.

use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use wholesite::address::SiteUrl;
use wholesite::discovery::{Globs, Inventory, Options};
use wholesite::fetch::Fetch;
use wholesite::recording::{Begin, Given, NewRecording, Recorded, Recording};
use wholesite::store_sqlite::SqliteStore;
use wholesite::{PageSync, Recap, Source, SyncReport, discover_recording, record_live, sync_pages};
use wholesite_fetch_http::HttpFetcher;
use wholesite_wire::Report;

use crate::mintlify_server::{serve, tool};

const FORMS: [&str; 3] = ["site.warc.gz", "site.warc", "site"];
const PROBE: &str = "wholesite-probe-0123456789abcdef";

fn block_on<T>(future: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    runtime.block_on(future)
}

fn record(seed: &SiteUrl, options: &Options, fetch: &impl Fetch, out: &Path, pages: bool) -> Recap {
    let date = "2026-01-02T03:04:05Z".parse().expect("a time");
    let begin = Begin { seed, probe: &options.probe, run: "run-1", date, software: "wholesite/test" };
    let new = NewRecording::create(out, &begin).expect("a recording");
    block_on(record_live(seed.clone(), options.clone(), fetch, 8, new, pages, |_| {})).expect("recorded")
}

fn bytes(inventory: &Inventory) -> Vec<u8> {
    serde_json::to_vec_pretty(&Report::of(inventory, true)).expect("serializable")
}

/// The recorded sites of `corpora/`, as live ones.
fn sites() -> Vec<PathBuf> {
    let entries = std::fs::read_dir(wholesite_tests::recordings()).expect("corpora/ is part of the project");
    let mut sites: Vec<PathBuf> = entries.map(|entry| entry.expect("readable").path()).collect();
    sites.retain(|path| Recording::is_recording(path));
    sites.sort();
    sites
}

#[test]
fn a_capture_of_any_site_replays_as_the_site_itself() {
    let folder = tempfile::tempdir().expect("a folder");
    for site in sites() {
        let name = site.file_name().expect("a name").to_string_lossy().into_owned();
        let recording = Recording::open(&site).expect("a recording");
        let seed = recording.seed().clone();
        let Source::Recording(live) = Source::recording(recording) else { unreachable!() };
        for (form, pages) in FORMS.into_iter().zip([true, false, true]) {
            let out = folder.path().join(format!("{name}-{form}"));
            let options = Options { probe: PROBE.to_owned(), ..Options::default() };
            let recap = record(&seed, &options, &live.fetch, &out, pages);
            let capture = Recording::open(&out).unwrap_or_else(|error| panic!("{name}: {error}"));
            assert_eq!(capture.seed(), &seed, "{name}");
            // Whoever replays knows nothing of the run.
            let replayed = discover_recording(&capture, Options::default());
            let (found, wanted) = (bytes(&replayed), bytes(&recap.inventory));
            assert!(
                found == wanted,
                "{out:?}\n{}",
                first_difference(&String::from_utf8_lossy(&wanted), &String::from_utf8_lossy(&found))
            );
        }
    }
    let left: Vec<_> = std::fs::read_dir(folder.path())
        .expect("readable")
        .map(|entry| entry.expect("readable").file_name().to_string_lossy().into_owned())
        .filter(|name| name.contains("partial"))
        .collect();
    assert!(left.is_empty(), "nothing half done is left: {left:?}");
}

fn first_difference(a: &str, b: &str) -> String {
    let differing = a.lines().zip(b.lines()).find(|(a, b)| a != b);
    differing.map_or_else(|| "one ends earlier".to_owned(), |(a, b)| format!("live   {a}\nreplay {b}"))
}

#[test]
fn a_capture_of_a_live_host_replays_and_syncs_as_the_host() {
    let (Some(corpora), Some(tool)) = (wholesite_tests::corpora(), tool()) else { return };
    let tree = corpora.join("mintlify/mintlify-docs");
    let server = serve(&tool, &tree, &[]);
    let seed: SiteUrl = server.url.parse().expect("a URL");
    let fetcher = HttpFetcher::builder().allow_private(true).build().expect("a client");
    let allow_offsite = Globs::new(["https://**", "http://127.0.0.0/"]).expect("a glob");
    let options = Options { allow_offsite, probe: PROBE.to_owned(), ..Options::default() };
    let folder = tempfile::tempdir().expect("a folder");
    let mut reports = Vec::new();
    for form in ["site.warc.gz", "site"] {
        let out = folder.path().join(form);
        let recap = record(&seed, &options, &fetcher, &out, true);
        assert!(recap.missed.is_empty() && recap.inventory.is_complete(), "{:?}", recap.missed);
        assert_eq!(recap.pages, recap.inventory.pages().len());
        let capture = Recording::open(&out).expect("a recording");
        assert!(bytes(&discover_recording(&capture, options.clone())) == bytes(&recap.inventory), "{form}");
        let store = SqliteStore::open(&folder.path().join(format!("{form}.db"))).expect("a store");
        let sync = PageSync::new(Source::recording(capture), store).discovery(options.clone());
        let report = sync_pages(&sync, |_| {}).expect("a report");
        assert_eq!((report.failed, report.added), (0, recap.pages), "{form}: {report:#?}");
        reports.push(report.added);
    }
    println!("{} pages, from a WARC file and from a folder", reports[0]);
}

fn sync(recording: Recording, store: &SqliteStore) -> SyncReport {
    let pages = PageSync::new(Source::recording(recording), store.clone());
    sync_pages(&pages, |_| {}).expect("a report")
}

/// The site by hand withdraws two pages in this step (see the README); a capture of the same site proves
/// nothing gone, neither by what it lacks nor by the one 404 it holds.
#[test]
fn a_capture_proves_no_page_gone() {
    let folder = tempfile::tempdir().expect("a folder");
    let corpora = wholesite_tests::recordings();
    let before = Recording::open(&corpora.join("mintlify-flat")).expect("a recording");
    for form in FORMS {
        let store = SqliteStore::open(&folder.path().join(format!("{form}.db"))).expect("a store");
        assert_eq!(sync(before.clone(), &store).added, 10);
        let later = Recording::open(&corpora.join("mintlify-flat-later")).expect("a recording");
        let seed = later.seed().clone();
        let gone = ["/help/faq", "/help/faq.md"].map(|path| seed.with_path(path));
        let Source::Recording(live) = Source::recording(later) else { unreachable!() };
        let options = Options { probe: PROBE.to_owned(), ..Options::default() };
        let out = folder.path().join(format!("first-{form}"));
        record(&seed, &options, &live.fetch, &out, true);
        let first = Recording::open(&out).expect("a recording");
        let second = with_404s(&first, &gone, &folder.path().join(format!("second-{form}")));
        for (capture, holds_404) in [(first, false), (second, true)] {
            for url in &gone {
                match capture.answer(url, "*/*", 1 << 20) {
                    Recorded::Response { status: 404, .. } => assert!(holds_404, "{url}"),
                    Recorded::Failed { message, .. } => {
                        assert!(!holds_404 && message.starts_with("not captured"), "{url}: {message}");
                    }
                    other => panic!("{url}: {other:?}"),
                }
            }
            let report = sync(capture, &store);
            assert_eq!(report.deleted, 0, "{form}, with the 404s: {holds_404}: {report:#?}");
            assert!(report.prune.kept >= 1, "{report:#?}");
        }
        // The site by hand says what is not there.
        let later = Recording::open(&corpora.join("mintlify-flat-later")).expect("a recording");
        assert!(sync(later, &store).deleted >= 1, "{form}: the same step, with proof");
    }
}

/// A copy of a capture that also holds a 404 of each of these addresses.
fn with_404s(capture: &Recording, gone: &[SiteUrl], out: &Path) -> Recording {
    let date = "2026-01-02T03:04:05Z".parse().expect("a time");
    let begin = Begin { seed: capture.seed(), probe: PROBE, run: "run-2", date, software: "wholesite/test" };
    let mut new = NewRecording::create(out, &begin).expect("a recording");
    let mut add = |url: &SiteUrl, recorded: &Recorded| {
        new.add(&Given { url, accept: "*/*", date, recorded }).expect("written");
    };
    for url in capture.addresses() {
        add(url, &capture.answer(url, "*/*", 1 << 20));
    }
    for url in gone {
        add(url, &Recorded::Response { status: 404, headers: Vec::new(), body: Vec::new(), framed: true });
    }
    new.finish().expect("written");
    Recording::open(out).expect("a recording")
}

#[test]
fn warcio_reads_what_is_written_and_finds_every_digest_right() {
    let folder = tempfile::tempdir().expect("a folder");
    let Some(python) = warcio(folder.path()) else { return };
    let site = wholesite_tests::recordings().join("no-index");
    let recording = Recording::open(&site).expect("a recording");
    let seed = recording.seed().clone();
    let Source::Recording(live) = Source::recording(recording) else { unreachable!() };
    for form in ["site.warc.gz", "site.warc"] {
        let out = folder.path().join(form);
        let options = Options { probe: PROBE.to_owned(), ..Options::default() };
        record(&seed, &options, &live.fetch, &out, true);
        let run = |arguments: &[&str]| {
            let output = Command::new(&python).args(arguments).arg(&out).output().expect("it runs");
            let text = String::from_utf8_lossy(&output.stdout).into_owned();
            assert!(output.status.success(), "{text}{}", String::from_utf8_lossy(&output.stderr));
            text
        };
        let checked = run(&["-m", "warcio.cli", "check", "-v"]);
        assert!(checked.contains("digest pass") && !checked.contains("digest failed"), "{form}: {checked}");
        let told = run(&["-c", LIST]);
        let capture = Recording::open(&out).expect("a recording");
        for line in told.lines() {
            let mut words = line.split(' ');
            let (url, status, length) = (words.next(), words.next(), words.next());
            let url: SiteUrl = url.expect("a URL").parse().expect("a URL");
            let Recorded::Response { status: own, body, .. } = capture.answer(&url, "*/*", 1 << 20) else {
                panic!("{line}");
            };
            assert_eq!(
                (Some(own.to_string().as_str()), Some(body.len().to_string().as_str())),
                (status, length)
            );
        }
        assert!(told.lines().count() > 5, "{told}");
        println!("{form}: {} responses", told.lines().count());
    }
}

const LIST: &str = "
import sys
from warcio.archiveiterator import ArchiveIterator
for record in ArchiveIterator(open(sys.argv[1], 'rb'), check_digests='raise'):
    if record.rec_type == 'response':
        body = record.content_stream().read()
        url = record.rec_headers.get_header('WARC-Target-URI')
        print(url, record.http_headers.get_statuscode(), len(body))
";

/// A Python that has warcio: the one of the system, or one made for this test.
fn warcio(folder: &Path) -> Option<PathBuf> {
    let has = |python: &Path| {
        let run = Command::new(python).args(["-c", "import warcio"]).stderr(Stdio::null()).status();
        run.is_ok_and(|status| status.success())
    };
    let system = PathBuf::from("python3");
    if has(&system) {
        return Some(system);
    }
    let own = folder.join("venv");
    let quiet = |command: &mut Command| {
        command.stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok_and(|status| status.success())
    };
    let python = own.join("bin/python");
    let made = quiet(Command::new(&system).args(["-m", "venv"]).arg(&own))
        && quiet(Command::new(&python).args(["-m", "pip", "install", "--quiet", "warcio"]));
    if made && has(&python) {
        return Some(python);
    }
    println!("SKIPPED: warcio is not there and can't be installed");
    None
}

#[test]
fn a_file_of_wget_is_a_source() {
    let wget = Command::new("wget").arg("--version").stdout(Stdio::null()).status();
    if !wget.is_ok_and(|status| status.success()) {
        println!("SKIPPED: there is no wget");
        return;
    }
    let site = Recording::open(&wholesite_tests::recordings().join("vitepress")).expect("a recording");
    let origin = site.seed().origin().to_owned();
    let server = Loopback::serve(site);
    let folder = tempfile::tempdir().expect("a folder");
    let at = |path: &str| format!("{}{path}", server.origin);
    for (name, more) in [("packed", None), ("plain", Some("--no-warc-compression"))] {
        let run = Command::new("wget")
            .args(["--quiet", "--tries=2", "--timeout=10", "--no-proxy", "--delete-after"])
            .args(["--content-on-error", "--warc-file", name])
            .args(more)
            .args(["/robots.txt", "/", "/llms.txt", "/sitemap.xml", "/", "/not-there"].map(at))
            .current_dir(folder.path())
            .status()
            .expect("wget runs");
        // 8: a server said 404, as it should.
        assert_eq!(run.code(), Some(8), "{name}");
        let file = folder.path().join(if more.is_some() { "plain.warc" } else { "packed.warc.gz" });
        let capture = Recording::open(&file).unwrap_or_else(|error| panic!("{error}"));
        let answer = |path: &str| capture.answer(&at(path).parse().expect("a URL"), "*/*", 64 << 20);
        for (path, wanted) in [("/", 200), ("/llms.txt", 200), ("/sitemap.xml", 200), ("/not-there", 404)] {
            match answer(path) {
                Recorded::Response { status, body, .. } => {
                    assert_eq!((status, body), (wanted, server.body(path)), "{name} {path}");
                }
                failed => panic!("{name} {path}: {failed:?}"),
            }
        }
        let Recorded::Failed { message, .. } = answer("/never-asked") else { panic!("it was not asked") };
        assert!(message.starts_with("not captured"), "{message}");
        let seed = at("/").parse().expect("a URL");
        let inventory = discover_recording(&capture.with_seed(seed), Options::default());
        assert!(!inventory.is_complete(), "what wget did not ask for is unknown");
        let read = inventory.ledger().documents().len();
        println!("{name}: of {origin}, {read} documents and {} pages", inventory.pages().len());
    }
}

/// A recorded site on loopback, one request a connection; ends with this value.
struct Loopback {
    origin: String,
    site: Arc<Recording>,
    ended: Arc<AtomicBool>,
}

impl Loopback {
    fn serve(site: Recording) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let origin = format!("http://{}", listener.local_addr().expect("an address"));
        let (site, ended) = (Arc::new(site), Arc::new(AtomicBool::new(false)));
        let (shared, end) = (Arc::clone(&site), Arc::clone(&ended));
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                if end.load(Ordering::Relaxed) {
                    return;
                }
                let _ = converse(&shared, stream);
            }
        });
        Loopback { origin, site, ended }
    }

    fn body(&self, path: &str) -> Vec<u8> {
        answer(&self.site, path).2
    }
}

fn answer(site: &Recording, path: &str) -> (u16, Vec<(String, String)>, Vec<u8>) {
    match site.answer(&site.seed().with_path(path), "*/*", 1 << 20) {
        Recorded::Response { status, headers, body, .. } => (status, headers, body),
        Recorded::Failed { message, .. } => (503, Vec::new(), message.into_bytes()),
    }
}

fn converse(site: &Recording, mut stream: TcpStream) -> std::io::Result<()> {
    stream.set_read_timeout(Some(Duration::from_secs(5)))?;
    let mut lines = BufReader::new(stream.try_clone()?).lines();
    let first = lines.next().transpose()?.unwrap_or_default();
    while lines.next().transpose()?.is_some_and(|line| !line.is_empty()) {}
    let (status, headers, body) = answer(site, first.split(' ').nth(1).unwrap_or("/"));
    let headers: String = headers.iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect();
    // In two chunks, as real servers do.
    let (one, two) = body.split_at(body.len() / 2);
    write!(
        stream,
        "HTTP/1.1 {status} X\r\n{headers}connection: close\r\ntransfer-encoding: chunked\r\n\r\n"
    )?;
    for chunk in [one, two].into_iter().filter(|chunk| !chunk.is_empty()) {
        write!(stream, "{:x}\r\n", chunk.len())?;
        stream.write_all(chunk)?;
        stream.write_all(b"\r\n")?;
    }
    stream.write_all(b"0\r\n\r\n")
}

impl Drop for Loopback {
    fn drop(&mut self) {
        self.ended.store(true, Ordering::Relaxed);
        let _ = TcpStream::connect(self.origin.trim_start_matches("http://"));
    }
}

//! A small documentation site on loopback whose pages can be edited and broken, each in its own way.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// What a page does in place of answering.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fault {
    /// Ends the connection in the middle of the head.
    Reset,
    /// Ends the connection without a word.
    Close,
    /// Never answers.
    Stall,
    /// Sends a byte now and then.
    Drip,
    /// Ends before what `Content-Length` promised.
    Short,
    /// Ends in the middle of a chunk.
    BrokenChunks,
    /// Answers in another language.
    NotHttp,
    /// Names two lengths.
    TwoLengths,
    /// More header fields than anybody needs.
    EndlessHeaders,
    /// A small body that inflates without end.
    GzipBomb,
    /// A body that is no gzip although it says so.
    BrokenGzip,
    /// A body without an end.
    Endless,
    /// Leads to itself, by way of another address.
    Loop,
    /// Leads to an address that speaks no TLS.
    ToBadTls,
    /// A plain error.
    Status(u16),
}

struct Site {
    url: String,
    pages: usize,
    version: AtomicU32,
    delay_ms: AtomicU64,
    faults: Mutex<BTreeMap<String, Fault>>,
    ended: AtomicBool,
}

/// The server; ends with this value.
pub(crate) struct Server {
    site: Arc<Site>,
}

/// The path of page number `n`.
pub(crate) fn path_of(n: usize) -> String {
    format!("/p{n:02}")
}

fn page(path: &str, version: u32) -> String {
    let filler = format!("This is what there is to say about {path}, at some length.\n\n").repeat(20);
    format!("# Page {path}\n\n{filler}Version {version} ends here.\n")
}

/// The version that a whole page says it is.
pub(crate) fn version_of(text: &str) -> Option<u32> {
    let last = text.lines().last()?;
    last.strip_prefix("Version ")?.strip_suffix(" ends here.")?.parse().ok()
}

impl Server {
    /// A site with a home page, `pages` pages and an index of them.
    pub(crate) fn start(pages: usize) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let url = format!("http://{}", listener.local_addr().expect("an address"));
        let site = Arc::new(Site {
            url,
            pages,
            version: AtomicU32::new(0),
            delay_ms: AtomicU64::new(0),
            faults: Mutex::default(),
            ended: AtomicBool::new(false),
        });
        let shared = Arc::clone(&site);
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                if shared.ended.load(Ordering::Relaxed) {
                    return;
                }
                let site = Arc::clone(&shared);
                std::thread::spawn(move || site.converse(&stream));
            }
        });
        Server { site }
    }

    pub(crate) fn url(&self) -> &str {
        &self.site.url
    }

    /// All pages say that they are of this version.
    pub(crate) fn edit(&self, version: u32) {
        self.site.version.store(version, Ordering::Relaxed);
    }

    /// Each answer waits so long.
    pub(crate) fn slow_down(&self, delay: Duration) {
        self.site.delay_ms.store(delay.as_millis() as u64, Ordering::Relaxed);
    }

    pub(crate) fn break_page(&self, n: usize, fault: Fault) {
        self.site.faults.lock().unwrap().insert(path_of(n), fault);
    }

    pub(crate) fn heal(&self) {
        self.site.faults.lock().unwrap().clear();
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.site.ended.store(true, Ordering::Relaxed);
        let _ = TcpStream::connect(self.site.url.trim_start_matches("http://"));
    }
}

impl Site {
    /// Answers one request after the other, until the client or a fault ends it.
    fn converse(&self, stream: &TcpStream) -> Option<()> {
        stream.set_nodelay(true).ok()?;
        let mut lines = BufReader::new(stream);
        loop {
            let mut request = String::new();
            lines.read_line(&mut request).ok().filter(|read| *read > 0)?;
            loop {
                let mut line = String::new();
                lines.read_line(&mut line).ok().filter(|read| *read > 0)?;
                if line.trim().is_empty() {
                    break;
                }
            }
            std::thread::sleep(Duration::from_millis(self.delay_ms.load(Ordering::Relaxed)));
            let path = request.split(' ').nth(1)?;
            let page = path.trim_end_matches(".md").trim_end_matches("-again");
            let fault = self.faults.lock().unwrap().get(page).copied();
            match fault {
                Some(fault) => fault.act(stream, path, &self.url)?,
                None => self.answer(stream, path)?,
            }
        }
    }

    fn answer(&self, stream: &TcpStream, path: &str) -> Option<()> {
        let version = self.version.load(Ordering::Relaxed);
        let (kind, body) = match path {
            "/llms.txt" => {
                let lines: String =
                    (0..self.pages).map(|n| format!("- [Page {n}]({}.md)\n", path_of(n))).collect();
                ("text/plain", format!("# Site\n\n## Docs\n\n{lines}"))
            }
            "/" => (
                "text/html",
                "<!doctype html><title>Home</title><main><h1>Home</h1><p>Welcome to all of it.</main>"
                    .to_owned(),
            ),
            _ => {
                let number =
                    path.strip_prefix("/p").and_then(|rest| rest.strip_suffix(".md")?.parse::<usize>().ok());
                match number.filter(|n| *n < self.pages) {
                    Some(n) => ("text/markdown", page(&path_of(n), version)),
                    None => {
                        return send(
                            stream,
                            "404 Not Found",
                            &["content-type: text/plain"],
                            b"no such page\n",
                        );
                    }
                }
            }
        };
        send(stream, "200 OK", &[&format!("content-type: {kind}; charset=utf-8")], body.as_bytes())
    }
}

fn send(mut stream: &TcpStream, status: &str, headers: &[&str], body: &[u8]) -> Option<()> {
    let fields: String = headers.iter().map(|line| format!("{line}\r\n")).collect();
    let head = format!("HTTP/1.1 {status}\r\n{fields}content-length: {}\r\n\r\n", body.len());
    stream.write_all(&[head.as_bytes(), body].concat()).ok()
}

const MARKDOWN: &str = "HTTP/1.1 200 OK\r\ncontent-type: text/markdown\r\n";

impl Fault {
    /// `None` ends the connection.
    fn act(self, mut stream: &TcpStream, path: &str, url: &str) -> Option<()> {
        let mut raw = |text: String| stream.write_all(text.as_bytes()).ok();
        match self {
            Fault::Reset => raw("HTTP/1.1 200 OK\r\ncontent-ty".to_owned()).and(None),
            Fault::Close => None,
            Fault::Stall => {
                std::thread::sleep(Duration::from_secs(4));
                None
            }
            Fault::Drip => {
                raw(format!("{MARKDOWN}content-length: 1000\r\n\r\n"))?;
                for _ in 0..40 {
                    raw("x".to_owned())?;
                    std::thread::sleep(Duration::from_millis(100));
                }
                None
            }
            Fault::Short => raw(format!("{MARKDOWN}content-length: 1000\r\n\r\n# Half a page")).and(None),
            Fault::BrokenChunks => {
                raw(format!("{MARKDOWN}transfer-encoding: chunked\r\n\r\n20\r\n# Half a page")).and(None)
            }
            Fault::NotHttp => raw("220 mail.example.com ESMTP\r\n".to_owned()).and(None),
            Fault::TwoLengths => {
                raw(format!("{MARKDOWN}content-length: 3\r\ncontent-length: 4\r\n\r\nabcd")).and(None)
            }
            Fault::EndlessHeaders => {
                let fields: String = (0..2_000).map(|n| format!("x-{n}: {}\r\n", "y".repeat(100))).collect();
                raw(format!("{MARKDOWN}{fields}content-length: 2\r\n\r\nhi")).and(None)
            }
            Fault::GzipBomb => {
                let bomb = gzip_of_blanks();
                raw(format!("{MARKDOWN}content-encoding: gzip\r\ncontent-length: {}\r\n\r\n", bomb.len()))?;
                stream.write_all(&bomb).ok()
            }
            Fault::BrokenGzip => raw(format!(
                "{MARKDOWN}content-encoding: gzip\r\ncontent-length: 29\r\n\r\nthis was never gzip, honestly."
            )),
            Fault::Endless => {
                raw(format!("{MARKDOWN}transfer-encoding: chunked\r\n\r\n"))?;
                for _ in 0..3_000 {
                    raw(format!("2000\r\n{}\r\n", "# line\n".repeat(1_171)[..8_192].to_owned()))?;
                }
                None
            }
            Fault::Loop => {
                let to = if path.contains("-again") {
                    path.replace("-again", "")
                } else {
                    path.replace(".md", "-again.md")
                };
                send(stream, "301 Moved Permanently", &[&format!("location: {to}")], b"")
            }
            Fault::ToBadTls => {
                let to = url.replace("http://", "https://");
                send(stream, "301 Moved Permanently", &[&format!("location: {to}{path}")], b"")
            }
            Fault::Status(code) => {
                send(stream, &format!("{code} Trouble"), &["content-type: text/plain"], b"trouble\n")
            }
        }
    }
}

/// 12 MB of blanks.
fn gzip_of_blanks() -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    for _ in 0..12 {
        encoder.write_all(&vec![b' '; 1_000_000]).expect("in memory");
    }
    encoder.finish().expect("in memory")
}

//! Writing WARC 1.1: what was asked, what was answered, and what was not.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::io::{self, Write};

use flate2::write::GzEncoder;
use jiff::Timestamp;

use crate::capture::FailureKind;
use crate::digest::{sha1_label, uuid};

/// The field of a metadata record that says that there was no answer; its value is the kind.
pub(crate) const FAILURE: &str = "wholesite-failure";
/// Why there was no answer.
pub(crate) const MESSAGE: &str = "wholesite-message";
/// The `Accept` of a request without an answer.
pub(crate) const ACCEPT: &str = "wholesite-accept";

/// ISO 28500:2017, clause 6.7.2.
const SAME_PAYLOAD: &str = "http://netpreserve.org/warc/1.1/revisit/identical-payload-digest";

/// Fields that describe how a body was sent. The body is written without its wrappings, so they would be
/// untrue; a new `content-length` says where it ends.
const WRAPPING: [&str; 6] =
    ["connection", "content-encoding", "content-length", "keep-alive", "trailer", "transfer-encoding"];

/// Whether records are compressed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Compression {
    /// As they are.
    None,
    /// Each in a gzip member of its own, so that it can be read alone.
    Gzip,
}

/// What the first record says of the file.
#[derive(Debug, Clone, Copy)]
pub struct Info<'a> {
    /// A name for the run; the same run with the same answers gives the same bytes.
    pub run: &'a str,
    /// When it began.
    pub date: Timestamp,
    /// Further fields: `software`, `description` and the like.
    pub fields: &'a [(&'a str, &'a str)],
}

/// A request and its answer.
#[derive(Debug, Clone, Copy)]
pub struct Exchange<'a> {
    /// The address.
    pub uri: &'a str,
    /// When it was answered.
    pub date: Timestamp,
    /// The fields that were sent, without any that are secret.
    pub request: &'a [(&'a str, &'a str)],
    /// The status code.
    pub status: u16,
    /// The fields of the answer.
    pub headers: &'a [(&'a str, &'a str)],
    /// The body without chunks and content coding.
    pub body: &'a [u8],
    /// Whether the end of the body was vouched for.
    pub framed: bool,
}

/// A request without an answer.
#[derive(Debug, Clone, Copy)]
pub struct Failed<'a> {
    /// The address.
    pub uri: &'a str,
    /// When it was given up.
    pub date: Timestamp,
    /// The `Accept` that was sent.
    pub accept: &'a str,
    /// What kind of failure.
    pub kind: FailureKind,
    /// Why.
    pub message: &'a str,
}

/// Writes a WARC file. A body that was written before is written as a revisit.
#[derive(Debug)]
pub struct WarcWriter<W> {
    out: W,
    compression: Compression,
    run: String,
    info: String,
    records: u64,
    /// By payload digest, the record with that payload.
    payloads: HashMap<String, Original>,
}

#[derive(Debug, Clone)]
struct Original {
    id: String,
    uri: String,
    date: String,
}

impl<W: Write> WarcWriter<W> {
    /// Begins a file.
    ///
    /// # Errors
    /// As `out`.
    pub fn new(out: W, compression: Compression, info: &Info<'_>) -> io::Result<Self> {
        let mut writer = WarcWriter {
            out,
            compression,
            run: info.run.to_owned(),
            info: String::new(),
            records: 0,
            payloads: HashMap::new(),
        };
        let mut block = String::from("format: WARC File Format 1.1\r\n");
        for (name, value) in info.fields {
            let _ = write!(block, "{name}: {}\r\n", clean(value));
        }
        let date = written(info.date);
        let id = writer.id("warcinfo", "", &date, block.as_bytes());
        writer.info.clone_from(&id);
        let head = Header::new("warcinfo", &id, &date).with("Content-Type", "application/warc-fields");
        writer.record(head, block.as_bytes())?;
        Ok(writer)
    }

    /// Writes a request and its answer.
    ///
    /// # Errors
    /// As the output.
    pub fn exchange(&mut self, exchange: &Exchange<'_>) -> io::Result<()> {
        let date = written(exchange.date);
        let request = request_block(exchange);
        let head = response_head(exchange);
        let payload = sha1_label(exchange.body);
        let original = self.payloads.get(&payload).filter(|_| !exchange.body.is_empty()).cloned();
        let (kind, block) = match &original {
            Some(_) => ("revisit", head),
            None => ("response", [&head, exchange.body].concat()),
        };
        let id = self.id(kind, exchange.uri, &date, &block);
        let request_id = self.id("request", exchange.uri, &date, &request);
        let mut header = Header::new(kind, &id, &date)
            .with("WARC-Target-URI", exchange.uri)
            .with("WARC-Warcinfo-ID", &format!("<{}>", self.info))
            .with("WARC-Concurrent-To", &format!("<{request_id}>"))
            .with("WARC-Payload-Digest", &payload);
        match original {
            Some(original) => {
                header = header
                    .with("WARC-Profile", SAME_PAYLOAD)
                    .with("WARC-Refers-To", &format!("<{}>", original.id))
                    .with("WARC-Refers-To-Target-URI", &original.uri)
                    .with("WARC-Refers-To-Date", &original.date);
            }
            None if !exchange.body.is_empty() => {
                let original = Original { id: id.clone(), uri: exchange.uri.to_owned(), date: date.clone() };
                self.payloads.insert(payload, original);
            }
            None => {}
        }
        self.record(header.with("Content-Type", "application/http;msgtype=response"), &block)?;
        let header = Header::new("request", &request_id, &date)
            .with("WARC-Target-URI", exchange.uri)
            .with("WARC-Warcinfo-ID", &format!("<{}>", self.info))
            .with("WARC-Concurrent-To", &format!("<{id}>"))
            .with("Content-Type", "application/http;msgtype=request");
        self.record(header, &request)
    }

    /// Writes that there was no answer, as a metadata record of the address.
    ///
    /// # Errors
    /// As the output.
    pub fn failed(&mut self, failed: &Failed<'_>) -> io::Result<()> {
        let date = written(failed.date);
        let block = format!(
            "{FAILURE}: {}\r\n{MESSAGE}: {}\r\n{ACCEPT}: {}\r\n",
            failed.kind.name(),
            escaped(failed.message),
            clean(failed.accept),
        );
        let id = self.id("metadata", failed.uri, &date, block.as_bytes());
        let header = Header::new("metadata", &id, &date)
            .with("WARC-Target-URI", failed.uri)
            .with("WARC-Warcinfo-ID", &format!("<{}>", self.info))
            .with("Content-Type", "application/warc-fields");
        self.record(header, block.as_bytes())
    }

    /// Ends the file and gives the output back, flushed.
    ///
    /// # Errors
    /// As the output.
    pub fn finish(mut self) -> io::Result<W> {
        self.out.flush()?;
        Ok(self.out)
    }

    /// A name that follows from what the record holds and where it stands.
    fn id(&self, kind: &str, uri: &str, date: &str, block: &[u8]) -> String {
        let number = self.records.to_be_bytes();
        let parts: [&[u8]; 6] =
            [self.run.as_bytes(), &number, kind.as_bytes(), uri.as_bytes(), date.as_bytes(), block];
        format!("urn:uuid:{}", uuid(&parts))
    }

    fn record(&mut self, header: Header, block: &[u8]) -> io::Result<()> {
        let header = header
            .with("WARC-Block-Digest", &sha1_label(block))
            .with("Content-Length", &block.len().to_string());
        self.records += 1;
        let parts: [&[u8]; 4] = [header.text.as_bytes(), b"\r\n", block, b"\r\n\r\n"];
        match self.compression {
            Compression::None => parts.iter().try_for_each(|part| self.out.write_all(part)),
            Compression::Gzip => {
                // Without time and name, so that the bytes are the same every time.
                let mut member = GzEncoder::new(&mut self.out, flate2::Compression::default());
                parts.iter().try_for_each(|part| member.write_all(part))?;
                member.finish().map(drop)
            }
        }
    }
}

struct Header {
    text: String,
}

impl Header {
    fn new(kind: &str, id: &str, date: &str) -> Self {
        let header = Header { text: String::from("WARC/1.1\r\n") };
        header.with("WARC-Type", kind).with("WARC-Record-ID", &format!("<{id}>")).with("WARC-Date", date)
    }

    fn with(mut self, name: &str, value: &str) -> Self {
        let _ = write!(self.text, "{name}: {}\r\n", clean(value));
        self
    }
}

/// Seconds are what every reader understands.
fn written(date: Timestamp) -> String {
    date.strftime("%Y-%m-%dT%H:%M:%SZ").to_string()
}

/// No value breaks its line.
fn clean(value: &str) -> String {
    value.trim().chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}

fn request_block(exchange: &Exchange<'_>) -> Vec<u8> {
    let rest = exchange.uri.split_once("://").map_or(exchange.uri, |(_, rest)| rest);
    let at = rest.find(['/', '?']).unwrap_or(rest.len());
    let (host, path) = rest.split_at(at);
    let slash = if path.starts_with('/') { "" } else { "/" };
    let mut block = format!("GET {slash}{path} HTTP/1.1\r\nhost: {host}\r\n");
    for (name, value) in exchange.request {
        let _ = write!(block, "{name}: {}\r\n", clean(value));
    }
    block.push_str("\r\n");
    block.into_bytes()
}

fn response_head(exchange: &Exchange<'_>) -> Vec<u8> {
    let status = exchange.status;
    let mut head = format!("HTTP/1.1 {status:03} {}\r\n", reason(status));
    for (name, value) in exchange.headers {
        if !WRAPPING.iter().any(|wrapping| name.eq_ignore_ascii_case(wrapping)) {
            let _ = write!(head, "{name}: {}\r\n", clean(value));
        }
    }
    if exchange.framed && !matches!(status, 100..=199 | 204 | 304) {
        let _ = write!(head, "content-length: {}\r\n", exchange.body.len());
    }
    head.push_str("\r\n");
    head.into_bytes()
}

/// For people who look into the file (RFC 9110 §15).
fn reason(status: u16) -> &'static str {
    match status {
        200 => "OK",
        204 => "No Content",
        301 => "Moved Permanently",
        302 => "Found",
        303 => "See Other",
        304 => "Not Modified",
        307 => "Temporary Redirect",
        308 => "Permanent Redirect",
        400 => "Bad Request",
        401 => "Unauthorized",
        403 => "Forbidden",
        404 => "Not Found",
        410 => "Gone",
        429 => "Too Many Requests",
        500 => "Internal Server Error",
        502 => "Bad Gateway",
        503 => "Service Unavailable",
        504 => "Gateway Timeout",
        _ => "",
    }
}

/// One line out of any text, and back.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let last = text.chars().count().saturating_sub(1);
    for (at, c) in text.chars().enumerate() {
        let is_edge = at == 0 || at == last;
        if c == '%' || c.is_control() || (c.is_whitespace() && (is_edge || c != ' ')) {
            let mut buffer = [0; 4];
            for byte in c.encode_utf8(&mut buffer).bytes() {
                let _ = write!(out, "%{byte:02X}");
            }
        } else {
            out.push(c);
        }
    }
    out
}

pub(crate) fn unescaped(text: &str) -> String {
    let mut out = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let [first, tail @ ..] = rest {
        let digits = tail.get(..2).and_then(|digits| std::str::from_utf8(digits).ok());
        match digits.filter(|_| *first == b'%').and_then(|digits| u8::from_str_radix(digits, 16).ok()) {
            Some(byte) => {
                out.push(byte);
                rest = &tail[2..];
            }
            None => {
                out.push(*first);
                rest = tail;
            }
        }
    }
    String::from_utf8_lossy(&out).into_owned()
}

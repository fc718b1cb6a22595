//! A server that says, and fails to say, exactly what a test wants.

mod plain;
mod secure;

use std::io::Write;
use std::time::Duration;

use wholesite_address::SiteUrl;
use wholesite_fetch::{Answer, Failure, Request, RetryPolicy};
use wholesite_fetch_http::{Builder, HttpFetcher};

pub(crate) use plain::{Seen, Server, Step};
pub(crate) use secure::{Secure, Secured};

/// The contract's policy, in small.
pub(crate) const QUICK: RetryPolicy = RetryPolicy {
    attempts: 3,
    total: Duration::from_secs(4),
    attempt: Duration::from_millis(400),
    connect: Duration::from_millis(300),
    backoff_min: Duration::from_millis(10),
    backoff_max: Duration::from_millis(40),
    retry_after_cap: Duration::from_millis(1200),
};

/// A fetcher that may ask loopback and is quick to give up.
pub(crate) fn quick() -> Builder {
    HttpFetcher::builder().allow_private(true).retry(QUICK)
}

pub(crate) fn request(url: &str) -> Request {
    Request::new(SiteUrl::parse(url).unwrap())
}

/// An outcome in one line: `200 in 2 attempts, Framed: hello`, or `truncated in 3 attempts`.
pub(crate) fn tell(outcome: &Result<Answer, Failure>) -> String {
    match outcome {
        Ok(answer) => {
            let body = String::from_utf8_lossy(&answer.body);
            let start: String = body.chars().take(20).collect();
            format!("{} in {}, {:?}: {start}", answer.status, answer.attempts, answer.complete)
        }
        Err(failure) => format!("{} in {}", failure.code(), failure.attempts()),
    }
}

pub(crate) fn ok(body: &str) -> Vec<Step> {
    answer("200 OK", "", body.as_bytes())
}

/// A whole answer; `fields` end with CR LF each.
pub(crate) fn answer(status: &str, fields: &str, body: &[u8]) -> Vec<Step> {
    let head = format!("HTTP/1.1 {status}\r\n{fields}Content-Length: {}\r\n\r\n", body.len());
    vec![Step::Send([head.as_bytes(), body].concat())]
}

pub(crate) fn text(text: &str) -> Step {
    Step::Send(text.as_bytes().to_vec())
}

pub(crate) fn gzip(body: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    encoder.write_all(body).unwrap();
    encoder.finish().unwrap()
}

pub(crate) fn brotli(body: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    let params = brotli::enc::BrotliEncoderParams { quality: 5, ..Default::default() };
    brotli::BrotliCompress(&mut &body[..], &mut out, &params).unwrap();
    out
}

pub(crate) fn zstd(body: &[u8]) -> Vec<u8> {
    ruzstd::encoding::compress_to_vec(body, ruzstd::encoding::CompressionLevel::Fastest)
}

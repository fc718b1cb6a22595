//! What came back.

use std::time::Duration;

use wholesite_address::SiteUrl;

use crate::{Headers, Validators};

/// An answer that arrived whole, whatever its status: 200, 304, 404, 503 and 999 alike. A redirect is
/// an answer too; its target is judged by whoever asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    /// The address as it was asked for.
    pub url: SiteUrl,
    /// The status code, 100 to 999.
    pub status: u16,
    /// The header fields of the answer. Where a transport undid a content coding, it leaves out
    /// `content-encoding` and `content-length`, which described other bytes than [`Answer::body`].
    pub headers: Headers,
    /// The body, decompressed, but otherwise byte for byte (no charset is applied).
    pub body: Vec<u8>,
    /// How sure it is that the body has no missing end.
    pub complete: Completeness,
    /// The protocol it came by.
    pub version: HttpVersion,
    /// Bytes of body that were received, before decompression.
    pub received_bytes: u64,
    /// From the first attempt to the end of the last, waiting included.
    pub fetched_in: Duration,
    /// Requests that were sent, this one included: at least 1.
    pub attempts: u32,
}

impl Answer {
    /// Whether the status is 200 to 299.
    pub fn is_success(&self) -> bool {
        (200..300).contains(&self.status)
    }

    /// Where a redirect leads, as it was written: 301, 302, 303, 307 and 308 with a `Location`
    /// (RFC 9110 §15.4).
    pub fn redirect(&self) -> Option<&str> {
        matches!(self.status, 301 | 302 | 303 | 307 | 308).then(|| self.headers.get("location")).flatten()
    }

    /// The `Content-Type` as it was sent.
    pub fn content_type(&self) -> Option<&str> {
        self.headers.get("content-type")
    }

    /// What to send along next time to be told 304.
    pub fn validators(&self) -> Option<Validators> {
        let field = |name| self.headers.get(name).map(str::to_owned);
        let validators = Validators { etag: field("etag"), last_modified: field("last-modified") };
        Some(validators).filter(|validators| !validators.is_empty())
    }
}

/// Whether the framing of the protocol vouches for the end of the body.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Completeness {
    /// The length was announced, or the end was marked: `Content-Length`, chunks, HTTP/2.
    Framed,
    /// The body ended because the connection did (RFC 9112 §6.3, rule 8). A cut looks just the same,
    /// so such a body is never evidence that something is *not* in it.
    CloseDelimited,
}

/// The protocol an answer came by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum HttpVersion {
    /// HTTP/1.0 and what went before.
    Http10,
    /// HTTP/1.1.
    Http11,
    /// HTTP/2.
    Http2,
    /// HTTP/3.
    Http3,
}

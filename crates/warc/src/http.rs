//! The HTTP message in a block (RFC 9112): its head, its framing, its content coding.

use crate::coding::{Coding, CodingError};
use crate::header::{shown, text_of};

/// More fields than anybody needs.
const MAX_FIELDS: usize = 256;
/// The longest head that is read.
const MAX_HEAD: usize = 128 << 10;

/// An answer, taken out of its wrappings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HttpResponse {
    /// The status code.
    pub status: u16,
    /// Header fields in order, names in lower case. Where a content coding was undone, `content-encoding`
    /// and `content-length` are left out: they described other bytes than the body.
    pub headers: Vec<(String, String)>,
    /// The body without chunks and content coding.
    pub body: Vec<u8>,
    /// Whether the message itself vouches for the end of its body (RFC 9112 §6.3).
    pub framed: bool,
}

impl HttpResponse {
    /// The first value of a field.
    pub fn get(&self, name: &str) -> Option<&str> {
        value(&self.headers, name)
    }
}

/// Why a block is no answer that can be trusted.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum HttpError {
    /// The block does not begin with the head of an HTTP message.
    #[error("no HTTP message: {why}")]
    Head {
        /// What is wrong with it.
        why: String,
    },
    /// `Content-Length` and the body disagree.
    #[error("the body has {got} bytes where its Content-Length says {promised}")]
    Length {
        /// What is there.
        got: u64,
        /// What was announced.
        promised: u64,
    },
    /// The last chunk is not there.
    #[error("the body ends within its chunks, after {got} bytes")]
    Chunks {
        /// What is there.
        got: u64,
    },
    /// The content coding can't be undone.
    #[error(transparent)]
    Coding(#[from] CodingError),
    /// The body is larger than it may be.
    #[error("larger than {limit} bytes")]
    TooLarge {
        /// The limit.
        limit: u64,
    },
}

/// The head of an answer, and where its body begins.
pub(crate) struct Head {
    pub(crate) status: u16,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body_at: usize,
}

/// A request, as far as it tells which answer it wants.
pub(crate) struct Asked {
    pub(crate) method: String,
    pub(crate) accept: Option<String>,
}

pub(crate) fn head(block: &[u8]) -> Result<Head, HttpError> {
    let (bytes, shift) = with_known_version(&block[..block.len().min(MAX_HEAD)]);
    let mut fields = [httparse::EMPTY_HEADER; MAX_FIELDS];
    let mut response = httparse::Response::new(&mut fields);
    let mut config = httparse::ParserConfig::default();
    config.allow_spaces_after_header_name_in_responses(true);
    config.allow_obsolete_multiline_headers_in_responses(true);
    let broken = |why: &str| HttpError::Head { why: format!("{why}: {:?}", shown(block)) };
    match config.parse_response(&mut response, &bytes) {
        Ok(httparse::Status::Complete(end)) => Ok(Head {
            status: response.code.unwrap_or_default(),
            headers: owned(response.headers),
            body_at: (end as isize + shift) as usize,
        }),
        Ok(httparse::Status::Partial) => Err(broken("the head has no end")),
        Err(error) => Err(broken(&error.to_string())),
    }
}

/// `HTTP/2 200` is what some recorders write; the parser knows HTTP/1 only, and the rest is alike. Also
/// how many bytes further the true body begins.
fn with_known_version(block: &[u8]) -> (std::borrow::Cow<'_, [u8]>, isize) {
    const KNOWN: &[u8] = b"HTTP/1.1";
    let version = block.iter().position(|byte| *byte == b' ').unwrap_or(0);
    match &block[..version] {
        b"HTTP/2" | b"HTTP/2.0" | b"HTTP/3" | b"HTTP/3.0" => {
            ([KNOWN, &block[version..]].concat().into(), version as isize - KNOWN.len() as isize)
        }
        _ => (block.into(), 0),
    }
}

fn owned(fields: &[httparse::Header<'_>]) -> Vec<(String, String)> {
    fields.iter().map(|field| (field.name.to_ascii_lowercase(), text_of(field.value.trim_ascii()))).collect()
}

fn value<'a>(headers: &'a [(String, String)], name: &str) -> Option<&'a str> {
    values(headers, name).next()
}

fn values<'a>(headers: &'a [(String, String)], name: &str) -> impl Iterator<Item = &'a str> {
    headers.iter().filter(move |(field, _)| field == name).map(|(_, value)| value.as_str())
}

/// What a request asked for; `None` where the block holds none.
pub(crate) fn request(block: &[u8]) -> Option<Asked> {
    let mut fields = [httparse::EMPTY_HEADER; MAX_FIELDS];
    let mut request = httparse::Request::new(&mut fields);
    // An incomplete head may still name its method.
    let _ = request.parse(&block[..block.len().min(MAX_HEAD)]);
    let method = request.method?.to_owned();
    let accept = request.headers.iter().find(|field| field.name.eq_ignore_ascii_case("accept"));
    Some(Asked { method, accept: accept.map(|field| text_of(field.value)) })
}

/// Reads a whole answer, with at most `limit` bytes of body.
#[cfg(test)]
fn response(block: &[u8], limit: u64) -> Result<HttpResponse, HttpError> {
    let head = head(block)?;
    let body = &block[head.body_at.min(block.len())..];
    with_body(head, body, limit)
}

/// Undoes framing and coding of a body, as a head describes them.
pub(crate) fn with_body(head: Head, raw: &[u8], limit: u64) -> Result<HttpResponse, HttpError> {
    let Head { status, mut headers, .. } = head;
    if matches!(status, 100..=199 | 204 | 304) {
        return Ok(HttpResponse { status, headers, body: Vec::new(), framed: true });
    }
    let (body, framed) = unframed(&headers, raw)?;
    let coding = Coding::of(values(&headers, "content-encoding"))?;
    let body = match coding {
        Some(coding) if !body.is_empty() => {
            headers.retain(|(name, _)| !matches!(name.as_str(), "content-encoding" | "content-length"));
            coding.decode(&body, limit)?
        }
        _ => body.into_owned(),
    };
    if body.len() as u64 > limit {
        return Err(HttpError::TooLarge { limit });
    }
    Ok(HttpResponse { status, headers, body, framed })
}

fn is_chunked(headers: &[(String, String)]) -> bool {
    let codings = values(headers, "transfer-encoding").flat_map(|value| value.split(','));
    codings.last().is_some_and(|coding| coding.trim().eq_ignore_ascii_case("chunked"))
}

/// Whether a head says where its body ends.
pub(crate) fn announces_end(headers: &[(String, String)]) -> bool {
    is_chunked(headers) || value(headers, "content-length").is_some()
}

/// The body without its framing, and whether the framing vouches for its end.
fn unframed<'a>(
    headers: &[(String, String)],
    raw: &'a [u8],
) -> Result<(std::borrow::Cow<'a, [u8]>, bool), HttpError> {
    if is_chunked(headers) {
        return match dechunked(raw) {
            Some(body) => Ok((body?.into(), true)),
            // Some recorders undo the chunks and leave the field. Then nothing vouches for the end.
            None => Ok((raw.into(), false)),
        };
    }
    let Some(length) = value(headers, "content-length") else { return Ok((raw.into(), false)) };
    let promised = length
        .parse::<u64>()
        .map_err(|_| HttpError::Head { why: format!("{length:?} is no Content-Length") })?;
    let got = raw.len() as u64;
    if got == promised { Ok((raw.into(), true)) } else { Err(HttpError::Length { got, promised }) }
}

/// Takes chunks apart (RFC 9112 §7.1). `None` where there is no first chunk.
pub(crate) fn dechunked(raw: &[u8]) -> Option<Result<Vec<u8>, HttpError>> {
    let mut rest = raw;
    let mut body = Vec::new();
    let cut = |body: &Vec<u8>| Some(Err(HttpError::Chunks { got: body.len() as u64 }));
    loop {
        match httparse::parse_chunk_size(rest) {
            Ok(httparse::Status::Complete((at, size))) => {
                rest = &rest[at..];
                if size == 0 {
                    return Some(Ok(body));
                }
                let Some((chunk, behind)) =
                    usize::try_from(size).ok().and_then(|size| rest.split_at_checked(size))
                else {
                    return cut(&body);
                };
                body.extend_from_slice(chunk);
                match behind.strip_prefix(b"\r\n").or_else(|| behind.strip_prefix(b"\n")) {
                    Some(behind) => rest = behind,
                    None => return cut(&body),
                }
            }
            Err(_) if rest.len() == raw.len() => return None,
            Ok(httparse::Status::Partial) | Err(_) => return cut(&body),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(block: &str) -> Result<(u16, String, bool), String> {
        response(block.as_bytes(), 1000)
            .map(|found| (found.status, String::from_utf8(found.body).unwrap(), found.framed))
            .map_err(|error| error.to_string())
    }

    #[test]
    fn messages() {
        let ok = |status, body: &str, framed| Ok((status, body.to_owned(), framed));
        let table = [
            ("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi", ok(200, "hi", true)),
            ("HTTP/1.0 200 OK\r\n\r\nhi", ok(200, "hi", false)),
            ("HTTP/1.1 999 \r\nContent-Length: 0\r\n\r\n", ok(999, "", true)),
            ("HTTP/2 200\r\ncontent-length: 2\r\n\r\nhi", ok(200, "hi", true)),
            ("HTTP/2.0 404 Not Found\r\ncontent-length: 2\r\n\r\nno", ok(404, "no", true)),
            ("HTTP/1.1 304 Not Modified\r\nContent-Length: 900\r\n\r\n", ok(304, "", true)),
            ("HTTP/1.1 200 OK\nContent-Length: 2\n\nhi", ok(200, "hi", true)),
            (
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n3;x=y\r\n, y\r\n0\r\n\r\n",
                ok(200, "hi, y", true),
            ),
            ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nhi, plain", ok(200, "hi, plain", false)),
            (
                "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nhi",
                Err("the body has 2 bytes where its Content-Length says 3".to_owned()),
            ),
            (
                "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nhi",
                Err("the body has 2 bytes where its Content-Length says 1".to_owned()),
            ),
            (
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n",
                Err("the body ends within its chunks, after 2 bytes".to_owned()),
            ),
            (
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nffffffffffffffff\r\nhi",
                Err("the body ends within its chunks, after 0 bytes".to_owned()),
            ),
            (
                "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\nplain text",
                Err("the gzip data of the body is broken: invalid gzip header".to_owned()),
            ),
            ("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 0\r\n\r\n", ok(200, "", true)),
        ];
        for (block, expected) in table {
            assert_eq!(read(block), expected, "{block:?}");
        }
        for block in ["", "hello", "HTTP/1.1 200 OK\r\nContent-", "HTTP/9 200 OK\r\n\r\n", "HTTP/2 \r\n\r\n"]
        {
            assert!(read(block).unwrap_err().starts_with("no HTTP message"), "{block:?}");
        }
    }

    #[test]
    fn requests() {
        let asked = request(b"POST /a HTTP/1.1\r\nHost: a.test\r\nACCEPT: text/html\r\n\r\n").unwrap();
        assert_eq!((asked.method.as_str(), asked.accept.as_deref()), ("POST", Some("text/html")));
        assert!(request(b"nothing").is_none());
    }
}

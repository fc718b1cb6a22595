//! Reading a body to its end, or not at all.

use reqwest::{Response, Version};
use wholesite_fetch::{Completeness, Failure, Headers};

use crate::classify;
use crate::coding::Coding;

pub(crate) struct Body {
    pub(crate) bytes: Vec<u8>,
    /// Before decompression.
    pub(crate) received: u64,
    /// Whether a content coding was undone.
    pub(crate) decoded: bool,
}

/// Bytes that are set aside on the word of a `Content-Length`.
const TRUSTED_LENGTH: u64 = 1 << 20;

/// Reads the whole body within `limit` bytes, before and after decompression.
pub(crate) async fn read(response: &mut Response, headers: &Headers, limit: u64) -> Result<Body, Failure> {
    let promised = headers.get("content-length").and_then(|value| value.trim().parse::<u64>().ok());
    let coding = Coding::of(headers.get_all("content-encoding"))?;
    // What can't be compressed grows a little; beyond that, more compressed bytes than the limit can't
    // become fewer.
    let wire_limit = if coding.is_some() { limit.saturating_add(limit / 64 + 1024) } else { limit };
    if promised.is_some_and(|length| length > wire_limit) && may_have_body(response) {
        return Err(Failure::BodyTooLarge { limit });
    }
    let mut bytes = Vec::with_capacity(promised.unwrap_or(0).min(TRUSTED_LENGTH) as usize);
    loop {
        let got = bytes.len() as u64;
        let chunk = response.chunk().await.map_err(|error| classify::body_failure(&error, got, promised))?;
        let Some(chunk) = chunk else { break };
        if got + chunk.len() as u64 > wire_limit {
            return Err(Failure::BodyTooLarge { limit });
        }
        bytes.extend_from_slice(&chunk);
    }
    let received = bytes.len() as u64;
    match coding {
        // 304 and the like name the coding of a body that they don't have.
        Some(coding) if received > 0 => {
            let bytes = coding.decode(&bytes, limit).await?;
            Ok(Body { bytes, received, decoded: true })
        }
        _ => Ok(Body { bytes, received, decoded: false }),
    }
}

fn may_have_body(response: &Response) -> bool {
    !matches!(response.status().as_u16(), 204 | 304)
}

/// Whether something vouches for the end of the body (RFC 9112 §6.3). HTTP/2 always marks it.
pub(crate) fn completeness(response: &Response, headers: &Headers) -> Completeness {
    let is_chunked = || {
        let last = headers.get_all("transfer-encoding").last();
        last.and_then(|value| value.rsplit(',').next())
            .is_some_and(|coding| coding.trim().eq_ignore_ascii_case("chunked"))
    };
    let is_framed = response.version() >= Version::HTTP_2
        || !may_have_body(response)
        || headers.get("content-length").is_some()
        || is_chunked();
    if is_framed { Completeness::Framed } else { Completeness::CloseDelimited }
}

//! One request, one answer.

use std::time::Duration;

use reqwest::header::{self, HeaderMap, HeaderValue};
use reqwest::{Client, Response, Version};
use url::Url;
use wholesite_fetch::{Causes, Completeness, Failure, Headers, HeadersFull, HttpVersion, Request};

use crate::{body, classify, coding};

/// An answer that arrived whole.
pub(crate) struct Arrived {
    pub(crate) status: u16,
    pub(crate) headers: Headers,
    pub(crate) body: Vec<u8>,
    pub(crate) complete: Completeness,
    pub(crate) version: HttpVersion,
    pub(crate) received_bytes: u64,
}

/// The header fields of a request, apart from credentials.
pub(crate) fn request_headers(request: &Request) -> HeaderMap {
    let mut headers = HeaderMap::new();
    headers.insert(header::ACCEPT, HeaderValue::from_static(request.accept.header_value()));
    headers.insert(header::ACCEPT_ENCODING, HeaderValue::from_static(coding::OFFERED));
    if request.no_cache {
        headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-cache"));
        headers.insert(header::PRAGMA, HeaderValue::from_static("no-cache"));
    }
    if let Some(known) = &request.revalidate {
        // What a server once sent may hold anything. A value that is no header value (CR, LF, NUL) is
        // left out, and the document comes in full.
        let mut echo = |name, value: &Option<String>| {
            if let Some(Ok(value)) = value.as_deref().map(|value| HeaderValue::from_bytes(value.as_bytes())) {
                headers.insert(name, value);
            }
        };
        echo(header::IF_NONE_MATCH, &known.etag);
        echo(header::IF_MODIFIED_SINCE, &known.last_modified);
    }
    headers
}

/// Sends one request and reads the whole answer.
pub(crate) async fn run(
    client: &Client,
    url: Url,
    fields: HeaderMap,
    max_bytes: u64,
    connect: Duration,
) -> Result<Arrived, Failure> {
    let sent = client.get(url).headers(fields).send().await;
    let mut response = sent.map_err(|error| classify::failure(&error, connect))?;
    let mut headers = headers_of(&response)
        .map_err(|full| Failure::TooManyHeaders { causes: Causes::text(full.to_string()) })?;
    let complete = body::completeness(&response, &headers);
    let body = body::read(&mut response, &headers, max_bytes).await?;
    if body.decoded {
        headers.remove("content-encoding");
        headers.remove("content-length");
    }
    Ok(Arrived {
        status: response.status().as_u16(),
        headers,
        body: body.bytes,
        complete,
        version: version_of(&response),
        received_bytes: body.received,
    })
}

fn headers_of(response: &Response) -> Result<Headers, HeadersFull> {
    let mut headers = Headers::new();
    for (name, value) in response.headers() {
        headers.push(name.as_str(), value.as_bytes())?;
    }
    Ok(headers)
}

fn version_of(response: &Response) -> HttpVersion {
    match response.version() {
        Version::HTTP_11 => HttpVersion::Http11,
        Version::HTTP_2 => HttpVersion::Http2,
        Version::HTTP_3 => HttpVersion::Http3,
        _ => HttpVersion::Http10,
    }
}

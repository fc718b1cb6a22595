//! From a reference as written in a document to an address (RFC 3986 §5, WHATWG URL).

use url::Url;

use crate::{MAX_URL_BYTES, SiteUrl};

/// What a document's relative references are joined to: its own address, or the one that a
/// `<base href>` names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Base {
    url: Url,
    /// Any address of its origin.
    origin: Option<SiteUrl>,
}

/// Where a reference leads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Resolved {
    /// An address on the web.
    Web {
        /// The address, its fragment dropped.
        url: SiteUrl,
        /// The fragment, without its `#`, as the URL parser serialises it.
        fragment: Option<String>,
    },
    /// A scheme that names no web page: `mailto:`, `tel:`, `javascript:`, `data:`, `vscode:` …
    OtherScheme {
        /// The scheme in lower case.
        scheme: String,
    },
}

/// Why a reference leads nowhere.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ReferenceError {
    /// Nothing stands where an address should.
    #[error("the address is empty")]
    Empty,
    /// The WHATWG URL parser refuses it.
    #[error("not a URL: {0}")]
    Syntax(String),
    /// A URL without a host.
    #[error("the address has no host")]
    NoHost,
    /// A user name or password stands in the address.
    #[error("the address carries a user name or password")]
    Credentials,
    /// The path climbs above the root of the site.
    #[error("`..` climbs above the root of the site")]
    AboveRoot,
    /// `%2F` in a path.
    #[error("the path holds an encoded slash (%2F)")]
    EncodedSlash,
    /// `%5C` in a path.
    #[error("the path holds an encoded backslash (%5C)")]
    EncodedBackslash,
    /// A control character, written raw or percent-encoded.
    #[error("the address holds a control character")]
    Control,
    /// Longer than [`MAX_URL_BYTES`].
    #[error("the address is {bytes} bytes long, more than {MAX_URL_BYTES}")]
    TooLong {
        /// Its length.
        bytes: usize,
    },
    /// A scheme other than http and https where a web address is needed.
    #[error("`{scheme}:` is no web address")]
    NotWeb {
        /// The scheme.
        scheme: String,
    },
}

impl From<url::ParseError> for ReferenceError {
    fn from(error: url::ParseError) -> Self {
        match error {
            url::ParseError::EmptyHost => ReferenceError::NoHost,
            other => ReferenceError::Syntax(other.to_string()),
        }
    }
}

impl Base {
    /// A document's own address as the base.
    pub fn of(url: &SiteUrl) -> Self {
        Base { url: Url::parse(url.as_str()).expect("a SiteUrl is a valid URL"), origin: Some(url.clone()) }
    }

    /// The base after a `<base href>` (WHATWG HTML §2.4.3): resolved against this one. An
    /// unusable value leaves the base as it is.
    pub fn with_base_href(&self, href: &str) -> Self {
        match self.url.join(href.trim()) {
            Ok(url) if matches!(url.scheme(), "http" | "https") => {
                Base { origin: SiteUrl::from_url(url.clone()).ok(), url }
            }
            _ => self.clone(),
        }
    }

    /// Resolves a reference. White space around it is ignored, and so are tabs and line ends inside
    /// it, as the WHATWG parser does.
    ///
    /// # Errors
    /// See [`ReferenceError`]. In particular an empty reference is refused, although RFC 3986 reads
    /// it as "this document": in an index it means that a page was meant and is not named.
    pub fn resolve(&self, reference: &str) -> Result<Resolved, ReferenceError> {
        let reference = reference.trim_matches(|c: char| c.is_ascii_whitespace());
        if reference.is_empty() {
            return Err(ReferenceError::Empty);
        }
        if reference.len() > MAX_URL_BYTES {
            return Err(ReferenceError::TooLong { bytes: reference.len() });
        }
        if let Some(url) = self.origin.as_ref().and_then(|origin| origin.plainly(reference)) {
            return if url.as_str().len() > MAX_URL_BYTES {
                Err(ReferenceError::TooLong { bytes: url.as_str().len() })
            } else {
                Ok(Resolved::Web { url, fragment: None })
            };
        }
        if reference.bytes().any(|b| (b < 0x20 && !matches!(b, b'\t' | b'\n' | b'\r')) || b == 0x7F) {
            return Err(ReferenceError::Control);
        }
        let url = self.url.join(reference)?;
        if !matches!(url.scheme(), "http" | "https") {
            return Ok(Resolved::OtherScheme { scheme: url.scheme().to_owned() });
        }
        if climbs_above_root(reference, self.url.path()) {
            return Err(ReferenceError::AboveRoot);
        }
        let fragment = url.fragment().map(str::to_owned);
        Ok(Resolved::Web { url: SiteUrl::from_url(url)?, fragment })
    }
}

/// The WHATWG parser silently stops at the root; here a path that climbs higher is a fault, since
/// what it was meant to name is unknown.
fn climbs_above_root(reference: &str, base_path: &str) -> bool {
    let path_end = reference.find(['?', '#']).unwrap_or(reference.len());
    let path = reference[..path_end].replace('\\', "/");
    if !path.contains("..") && !path.to_ascii_lowercase().contains("%2e") {
        return false;
    }
    let (mut depth, segments) = match after_authority(&path) {
        Some(absolute) => (0_i64, absolute),
        None => (base_path.matches('/').count() as i64 - 1, path.as_str()),
    };
    for segment in segments.split('/') {
        match dot_segment(segment) {
            Some(2) => depth -= 1,
            Some(_) => {}
            None if segment.is_empty() => {}
            None => depth += 1,
        }
        if depth < 0 {
            return true;
        }
    }
    false
}

/// The path part of a reference that does not begin at the base's folder: `/x`, `//host/x`,
/// `https://host/x`. `None` for a path-relative reference.
fn after_authority(path: &str) -> Option<&str> {
    let after_scheme = match path.find(':') {
        Some(colon) if path[..colon].bytes().all(|b| b.is_ascii_alphanumeric() || b"+-.".contains(&b)) => {
            &path[colon + 1..]
        }
        _ => path,
    };
    match after_scheme.strip_prefix("//") {
        Some(authority) => Some(authority.find('/').map_or("", |slash| &authority[slash..])),
        None if after_scheme.starts_with('/') => Some(after_scheme),
        None => None,
    }
}

/// 1 for a single-dot segment, 2 for a double-dot segment, in every spelling WHATWG knows.
fn dot_segment(segment: &str) -> Option<u8> {
    match segment.to_ascii_lowercase().as_str() {
        "." | "%2e" => Some(1),
        ".." | ".%2e" | "%2e." | "%2e%2e" => Some(2),
        _ => None,
    }
}

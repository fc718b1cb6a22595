//! The address of something on the web, in the one spelling that this project uses for it.

use std::fmt;
use std::sync::Arc;

use url::Url;

use crate::normalize;
use crate::plain;
use crate::reference::ReferenceError;
use crate::{MAX_URL_BYTES, normalize::PathFault};

/// An absolute `http` or `https` URL: WHATWG-parsed, without credentials and fragment, host in
/// lower case and IDNA form, default port left out, dot segments resolved, percent-encoding
/// normalised (RFC 3986 §6.2.2). Two addresses are the same exactly when their texts are.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SiteUrl {
    text: Arc<str>,
    path_start: u32,
    /// Index of the `?`, or the length of the text.
    query_start: u32,
}

impl SiteUrl {
    /// Parses an absolute URL. Fragments are dropped.
    ///
    /// # Errors
    /// Everything that [`ReferenceError`] names; a scheme other than http and https is
    /// [`ReferenceError::NotWeb`].
    pub fn parse(text: &str) -> Result<Self, ReferenceError> {
        if text.len() > MAX_URL_BYTES {
            return Err(ReferenceError::TooLong { bytes: text.len() });
        }
        if let Some(path_start) = plain::origin(text)
            && plain::is_path(&text[path_start..])
        {
            let query_start = text.len() as u32;
            return Ok(SiteUrl { text: text.into(), path_start: path_start as u32, query_start });
        }
        SiteUrl::from_url(Url::parse(text.trim()).map_err(ReferenceError::from)?)
    }

    /// Normalises a parsed URL.
    ///
    /// # Errors
    /// As [`SiteUrl::parse`].
    pub fn from_url(mut url: Url) -> Result<Self, ReferenceError> {
        if !matches!(url.scheme(), "http" | "https") {
            return Err(ReferenceError::NotWeb { scheme: url.scheme().to_owned() });
        }
        if url.host_str().is_none_or(str::is_empty) {
            return Err(ReferenceError::NoHost);
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Err(ReferenceError::Credentials);
        }
        match normalize::path_fault(url.path()) {
            Some(PathFault::EncodedSlash) => return Err(ReferenceError::EncodedSlash),
            Some(PathFault::EncodedBackslash) => return Err(ReferenceError::EncodedBackslash),
            Some(PathFault::Control) => return Err(ReferenceError::Control),
            None => {}
        }
        url.set_fragment(None);
        if url.query() == Some("") {
            url.set_query(None);
        }
        let origin = &url[..url::Position::BeforePath];
        let path_start = origin.len();
        let mut text = String::with_capacity(url.as_str().len());
        text.push_str(origin);
        text.push_str(&normalize::percent_encoding(url.path()));
        let query_start = text.len();
        if let Some(query) = url.query() {
            text.push('?');
            text.push_str(&normalize::percent_encoding(query));
        }
        if text.len() > MAX_URL_BYTES {
            return Err(ReferenceError::TooLong { bytes: text.len() });
        }
        Ok(SiteUrl { text: text.into(), path_start: path_start as u32, query_start: query_start as u32 })
    }

    /// The whole address.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Scheme, host and port, such as `https://docs.example.com` or `http://127.0.0.1:8400`
    /// (RFC 6454 §6.2, default ports left out).
    pub fn origin(&self) -> &str {
        &self.text[..self.path_start as usize]
    }

    /// `http` or `https`.
    pub fn scheme(&self) -> &str {
        if self.text.starts_with("https:") { "https" } else { "http" }
    }

    /// Host and port as in the origin, without the scheme.
    pub fn authority(&self) -> &str {
        &self.origin()[self.scheme().len() + 3..]
    }

    /// The path, always with its leading slash.
    pub fn path(&self) -> &str {
        &self.text[self.path_start as usize..self.query_start as usize]
    }

    /// The query without its `?`.
    pub fn query(&self) -> Option<&str> {
        self.text[self.query_start as usize..].strip_prefix('?')
    }

    /// Path and query, as a request line carries them.
    pub fn path_and_query(&self) -> &str {
        &self.text[self.path_start as usize..]
    }

    /// The last segment of the path; empty where the path ends in a slash.
    pub fn last_segment(&self) -> &str {
        self.path().rsplit('/').next().unwrap_or_default()
    }

    /// The same origin with another path and no query. `path` must be an already normalised
    /// absolute path, such as one taken from another `SiteUrl`.
    pub fn with_path(&self, path: &str) -> SiteUrl {
        let slash = if path.starts_with('/') { "" } else { "/" };
        let text = format!("{}{slash}{path}", self.origin());
        let query_start = text.len() as u32;
        SiteUrl { text: text.into(), path_start: self.path_start, query_start }
    }

    /// What [`SiteUrl::parse`] makes of a reference that is plain and stands on this origin; `None`
    /// where it is another one, or has to be parsed.
    pub(crate) fn plainly(&self, reference: &str) -> Option<SiteUrl> {
        let path = if reference.starts_with('/') && !reference.starts_with("//") {
            reference
        } else {
            reference.strip_prefix(self.origin())?
        };
        plain::is_path(path).then(|| self.with_path(path))
    }

    /// The same address with another path, keeping the query.
    pub(crate) fn with_path_keeping_query(&self, path: &str) -> SiteUrl {
        let mut text = format!("{}{path}", self.origin());
        let query_start = text.len() as u32;
        text.push_str(&self.text[self.query_start as usize..]);
        SiteUrl { text: text.into(), path_start: self.path_start, query_start }
    }
}

impl fmt::Display for SiteUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl fmt::Debug for SiteUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SiteUrl({})", self.text)
    }
}

impl AsRef<str> for SiteUrl {
    fn as_ref(&self) -> &str {
        &self.text
    }
}

impl std::str::FromStr for SiteUrl {
    type Err = ReferenceError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        SiteUrl::parse(text)
    }
}

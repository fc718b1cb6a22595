//! What is asked for.

use wholesite_address::SiteUrl;

/// One document to be fetched with GET.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Request {
    /// The address. Credentials are never part of it; a transport adds those that it was given for
    /// exactly this origin.
    pub url: SiteUrl,
    /// Which representation is preferred.
    pub accept: Accept,
    /// The longest body that is taken, in bytes after decompression. A longer one is
    /// [`Failure::BodyTooLarge`](crate::Failure::BodyTooLarge), never a cut text.
    pub max_bytes: u64,
    /// What is known of the stored version: the server may then answer 304.
    pub revalidate: Option<Validators>,
    /// Asks every cache on the way to go back to the origin (RFC 9111 §5.2.1.4), on a connection that
    /// nobody used before. For the last look before something is taken as gone.
    pub no_cache: bool,
}

impl Request {
    /// 16 MiB: twice the largest page or index of llms.txt type known, and far below memory.
    pub const DEFAULT_MAX_BYTES: u64 = 16 << 20;

    /// A plain request for `url`, in whatever form the server prefers.
    pub fn new(url: SiteUrl) -> Self {
        Request {
            url,
            accept: Accept::Any,
            max_bytes: Self::DEFAULT_MAX_BYTES,
            revalidate: None,
            no_cache: false,
        }
    }

    /// Prefers the given representation.
    pub fn accept(mut self, accept: Accept) -> Self {
        self.accept = accept;
        self
    }

    /// Takes at most so many bytes of (decompressed) body.
    pub fn max_bytes(mut self, limit: u64) -> Self {
        self.max_bytes = limit;
        self
    }

    /// Lets the server answer 304 where the stored version is still current.
    pub fn revalidate(mut self, known: Validators) -> Self {
        self.revalidate = Some(known).filter(|known| !known.is_empty());
        self
    }

    /// Goes past all caches, on a fresh connection.
    pub fn no_cache(mut self) -> Self {
        self.no_cache = true;
        self
    }
}

/// The representation that is asked for first; every other one is still taken.
///
/// The lists are short on purpose. Documentation hosts switch to Markdown as soon as `text/markdown`
/// or `text/plain` stands anywhere in `Accept`, whatever its weight, so [`Accept::Html`] names neither.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Accept {
    /// A web page.
    Html,
    /// Markdown, then plain text, then HTML.
    Markdown,
    /// XML, for sitemaps.
    Xml,
    /// No preference.
    Any,
}

impl Accept {
    /// The value of the `Accept` header (RFC 9110 §12.5.1).
    pub fn header_value(self) -> &'static str {
        match self {
            Accept::Html => "text/html, application/xhtml+xml;q=0.9, */*;q=0.1",
            Accept::Markdown => "text/markdown, text/plain;q=0.9, text/html;q=0.5, */*;q=0.1",
            Accept::Xml => "application/xml, text/xml;q=0.9, */*;q=0.1",
            Accept::Any => "*/*",
        }
    }
}

/// What a server said about the version that is stored (RFC 9110 §8.8), to be sent back verbatim.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Validators {
    /// `ETag`, sent as `If-None-Match`.
    pub etag: Option<String>,
    /// `Last-Modified`, sent as `If-Modified-Since`.
    pub last_modified: Option<String>,
}

impl Validators {
    /// Whether there is nothing to compare with.
    pub fn is_empty(&self) -> bool {
        self.etag.is_none() && self.last_modified.is_none()
    }
}

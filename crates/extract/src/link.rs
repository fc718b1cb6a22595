//! A link as it stood in a document, before anybody asked where it leads.

use std::borrow::Cow;
use std::ops::Range;

/// A link with its place. What it *means* (a page, a duplicate, off-site …) is decided elsewhere;
/// a reader only says what stood there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Link<'a> {
    /// Where the link points, as far as the document's own language tells.
    pub target: Target<'a>,
    /// What a person sees: the label as plain text (escapes, entities, emphasis and code ticks
    /// undone in indexes). Empty where there is none.
    pub label: Cow<'a, str>,
    /// Byte range of the link in the decoded text of its document, from the first byte of its
    /// syntax to the one after the last. [`wholesite_address::LineIndex`] turns it into line and
    /// column.
    pub span: Range<usize>,
    /// What the document says by listing it.
    pub role: Role,
    /// The construct it was written in.
    pub syntax: Syntax,
}

/// The destination of a link, after the unescaping of the document's own language (backslashes and
/// entities in Markdown, character references in HTML and XML) and before any URL parsing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Target<'a> {
    /// A destination that is written out. May be empty, relative, or no URL at all.
    Literal(Cow<'a, str>),
    /// An expression whose value only running the page would tell (`href={url}`); the raw source.
    Dynamic(&'a str),
    /// Link syntax that no rule could read; the raw source. Such a link may hide a page.
    Unreadable {
        /// The source as it stands (at most one line of it).
        raw: Cow<'a, str>,
        /// Why it could not be read.
        problem: Problem,
    },
}

/// Why link syntax could not be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Problem {
    /// `[x](/a b)`: a raw blank in a destination; CommonMark reads no link there, yet a page was
    /// meant. Counts as an invalid link.
    BlankInDestination,
    /// The document ends inside the destination.
    CutOff,
    /// Raw HTML swallows the line, so that Markdown reads no link in it.
    SwallowedByHtml,
    /// A list line carries `](`, `](<` or `][` and no rule made a link of it.
    NoRule,
}

/// What a document says about an address by linking to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Role {
    /// The document claims it as a member of the set: an entry of an index, a `loc` of a sitemap,
    /// a page string of a navigation.
    Entry,
    /// The document names another index: a child of a sitemap index, a `Sitemap:` line of
    /// robots.txt, `link rel="llms-txt"`.
    Index,
    /// The document merely mentions it: a link in prose, in a page body, an `href` of a navigation.
    Mention,
    /// The document says that it is itself better known under this address: `rel="canonical"`.
    Canonical,
    /// Another representation or language of the document: `rel="alternate"`.
    Alternate,
    /// The document sends its reader on: meta refresh.
    Refresh,
}

/// The construct in which a link was written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Syntax {
    /// `[label](destination)`.
    Inline,
    /// `[label][ref]`, `[ref][]`, `[ref]`.
    Reference,
    /// `<https://…>`.
    Autolink,
    /// A bare address in text (GFM literal autolink).
    BareUrl,
    /// `href` of an HTML element, also inside Markdown.
    HtmlHref,
    /// `href` of a JSX element or component.
    JsxHref,
    /// `<loc>` of a sitemap, a line of a text sitemap.
    SitemapLoc,
    /// `<xhtml:link rel="alternate">` in a sitemap.
    SitemapAlternate,
    /// `<link>` or `<guid>` of an RSS or Atom feed.
    FeedLink,
    /// `Sitemap:` in robots.txt.
    RobotsSitemap,
    /// `<link rel=…>` in HTML.
    LinkElement,
    /// `<meta http-equiv="refresh">`.
    MetaRefresh,
    /// An HTTP `Link` or `X-Llms-Txt` header.
    Header,
    /// A page string of a navigation.
    NavPage,
    /// An `href` of a navigation.
    NavHref,
}

/// What a whole document turned out to be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// Read to its end and understood.
    Ok,
    /// Read to its end, and it lists no page (only bundles, anchors into itself …).
    NoPages(Cow<'static, str>),
    /// Not an index at all, or not readable as one.
    Unusable(Cow<'static, str>),
    /// An index that was cut off: what it lists counts, what it does not list is unknown.
    Truncated(Cow<'static, str>),
}

impl Verdict {
    /// The name on the wire: `ok`, `no_pages`, `unusable`, `truncated`.
    pub fn name(&self) -> &'static str {
        match self {
            Verdict::Ok => "ok",
            Verdict::NoPages(_) => "no_pages",
            Verdict::Unusable(_) => "unusable",
            Verdict::Truncated(_) => "truncated",
        }
    }

    /// The reason in words; empty for [`Verdict::Ok`].
    pub fn why(&self) -> &str {
        match self {
            Verdict::Ok => "",
            Verdict::NoPages(why) | Verdict::Unusable(why) | Verdict::Truncated(why) => why,
        }
    }
}

/// Everything a reader found in one document, in the order of the document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reading<'a> {
    /// Every link, in document order.
    pub links: Vec<Link<'a>>,
    /// What the document as a whole counts as.
    pub verdict: Verdict,
    /// The document's own title, plain, where it has one.
    pub title: Option<Cow<'a, str>>,
    /// Oddities that lose nothing but that a person may want to know, each with its byte range.
    pub oddities: Vec<Oddity>,
}

/// Something unusual in a document that was read all the same.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Oddity {
    /// Byte range in the decoded text.
    pub span: Range<usize>,
    /// What is odd, in a few words.
    pub what: Cow<'static, str>,
}

impl<'a> Link<'a> {
    /// The destination as text: the literal destination, or the raw source of one that is not.
    pub fn href(&self) -> &str {
        match &self.target {
            Target::Literal(href) => href,
            Target::Dynamic(raw) => raw,
            Target::Unreadable { raw, .. } => raw,
        }
    }
}

impl Reading<'_> {
    /// A reading of a document that is unusable as a whole.
    pub fn unusable(why: impl Into<Cow<'static, str>>) -> Self {
        Reading {
            links: Vec::new(),
            verdict: Verdict::Unusable(why.into()),
            title: None,
            oddities: Vec::new(),
        }
    }
}

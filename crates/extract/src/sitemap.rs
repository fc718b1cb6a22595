//! Sitemaps, in every form that sites serve one: XML and text (sitemaps.org), RSS, Atom and RDF
//! feeds, gzipped or not, in any encoding.
//!
//! A sitemap may hold 50,000 addresses in 50 MiB, so nothing here keeps the document: bytes are
//! inflated, decoded and read piece by piece, and each address is handed to a sink as its entry
//! ends.
//!
//! # What counts as an address
//!
//! | in | address | role |
//! | --- | --- | --- |
//! | `urlset` | `loc` of a `url` | [`Role::Entry`] |
//! | `urlset` | `href` of `xhtml:link rel="alternate"` in a `url` | [`Role::Alternate`] |
//! | `sitemapindex` | `loc` of whatever it lists | [`Role::Index`] |
//! | RSS, RDF | `link` of an `item`, else its `guid` unless that is no permalink | [`Role::Entry`] |
//! | Atom | `href` of an `entry`'s `link` without `rel`, or with `rel="alternate"` | [`Role::Entry`] |
//! | text | each line that is an address or an absolute path | [`Role::Entry`] |
//!
//! Elements match by namespace where the root declares one, by prefix where it does not, and
//! without regard to case. Images, videos, comments and everything else are no addresses.
//!
//! # Never a wrong address
//!
//! A lenient XML reader corrupts silently: libxml2 turns `?a=1&b=2` into `?a=1=2`, others cut an
//! address at the first thing they don't know. Here an address is either what was written or
//! [`Target::Unreadable`]: predefined, numeric and HTML's own character names are resolved, a stray
//! `&` stays, and a name that nobody knows makes the address unreadable and the document
//! [`Verdict::Truncated`], that is, read in part. Declared entities are never expanded: where a
//! DOCTYPE declares any, only the predefined names and numbers are resolved.

mod cursor;
mod entities;
mod feed;
mod text;
mod xml;

use std::borrow::Cow;
use std::io::BufRead;
use std::ops::Range;

use wholesite_address::Place;
use wholesite_content::inflate::{GunzipReader, Limit};
use wholesite_content::{Kind, TextStream, is_gzip, sniff};

use crate::{Link, Oddity, Reading, Role, Syntax, Target, Verdict};
use cursor::{Cursor, Source};

/// How many addresses one sitemap may hold by sitemaps.org.
pub const PROTOCOL_MAX_ADDRESSES: u64 = 50_000;

/// What reading a sitemap may cost.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// How much may come out of a gzip body.
    pub inflate: Limit,
    /// How many elements may be open at once. Real sitemaps and feeds stay below 20.
    pub max_depth: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Limits { inflate: Limit::default(), max_depth: 256 }
    }
}

/// One address of a sitemap. It borrows the reader's buffers and is gone after the call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SitemapLink<'a> {
    /// The address as written, references undone and blanks round it trimmed. May be empty or
    /// relative.
    pub target: Target<'a>,
    /// [`Role::Entry`], [`Role::Index`] or [`Role::Alternate`].
    pub role: Role,
    /// The construct it was written in.
    pub syntax: Syntax,
    /// Where its element or line starts in the decoded text.
    pub place: Place,
    /// From there to the end of its element or line, in bytes of the decoded text, byte order mark
    /// not counted.
    pub span: Range<usize>,
    /// `lastmod`, `updated` or `pubDate` of its entry, as written.
    pub lastmod: Option<&'a str>,
    /// The language of an alternate, as written.
    pub hreflang: Option<&'a str>,
    /// The title of a feed entry, or nothing.
    pub label: &'a str,
}

/// What kind of sitemap it was.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Format {
    /// `<urlset>`.
    UrlSet,
    /// `<sitemapindex>`.
    SitemapIndex,
    /// RSS 0.9x or 2.0.
    Rss,
    /// Atom (RFC 4287).
    Atom,
    /// RSS 1.0, which is RDF.
    Rdf,
    /// One address a line.
    Text,
}

/// What there is to say about a sitemap as a whole.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Summary {
    /// The kind, where there was any.
    pub format: Option<Format>,
    /// Whether it was read whole. [`Verdict::Truncated`] also stands for "read in part": cut off,
    /// damaged, stopped at a limit, or holding references that nobody can resolve.
    pub verdict: Verdict,
    /// How many addresses the sink was given.
    pub links: u64,
    /// Oddities that lose nothing, each with its place; at most 100.
    pub oddities: Vec<(Place, Cow<'static, str>)>,
    /// The name of the encoding.
    pub encoding: &'static str,
    /// Whether bytes were malformed in that encoding. An address among them is unreadable.
    pub malformed: bool,
}

/// Where addresses go.
type Sink<'s> = &'s mut dyn FnMut(SitemapLink<'_>);

/// How a reading of one format ended.
struct Ending {
    format: Option<Format>,
    verdict: Verdict,
}

impl Ending {
    fn unusable(why: impl Into<Cow<'static, str>>) -> Self {
        Ending { format: None, verdict: Verdict::Unusable(why.into()) }
    }
}

/// Reads a sitemap: the body as it was served, gzip and encoding included.
///
/// Every address goes to `sink`, in document order. Memory stays flat and time linear in the
/// inflated size, which [`Limits`] bounds. Gzip is known by its magic number whatever the label,
/// and one layer of it is undone.
pub fn read(bytes: &[u8], content_type: Option<&str>, limits: &Limits, sink: Sink<'_>) -> Summary {
    let source = if is_gzip(bytes) {
        Source::Gzip(Box::new(GunzipReader::new(bytes, limits.inflate)))
    } else {
        Source::Plain(bytes)
    };
    // A label such as application/x-gzip describes the wrapping, not the text.
    match TextStream::new(source, content_type) {
        Ok(stream) => read_stream(stream, limits, sink),
        Err(error) => summary(Ending::unusable(error.to_string()), Tally::default(), "UTF-8", false),
    }
}

/// Reads a sitemap that is text already. Meant for small ones: every link is kept.
pub fn read_text(text: &str) -> Reading<'static> {
    let mark = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
    let mut links = Vec::new();
    let utf8 = Some("application/xml; charset=utf-8");
    let summary = read(text.as_bytes(), utf8, &Limits::default(), &mut |link| {
        links.push(Link {
            target: owned(link.target),
            label: Cow::Owned(link.label.to_owned()),
            span: link.span.start + mark..link.span.end + mark,
            role: link.role,
            syntax: link.syntax,
        });
    });
    let oddities = summary.oddities.into_iter().map(|(_, what)| Oddity { span: 0..0, what }).collect();
    Reading { links, verdict: summary.verdict, title: None, oddities }
}

fn owned(target: Target<'_>) -> Target<'static> {
    match target {
        Target::Literal(href) => Target::Literal(Cow::Owned(href.into_owned())),
        // No sitemap holds expressions, but nothing is lost if one did.
        Target::Dynamic(raw) => Target::Literal(Cow::Owned(raw.to_owned())),
        Target::Unreadable { raw, problem } => {
            Target::Unreadable { raw: Cow::Owned(raw.into_owned()), problem }
        }
    }
}

/// Counts what was given to the sink, and keeps the oddities.
#[derive(Default)]
struct Tally {
    links: u64,
    oddities: Vec<(Place, Cow<'static, str>)>,
}

impl Tally {
    const MAX_ODDITIES: usize = 100;

    fn odd(&mut self, place: Place, what: impl Into<Cow<'static, str>>) {
        if self.oddities.len() < Self::MAX_ODDITIES {
            self.oddities.push((place, what.into()));
        }
    }

    fn count(&mut self, place: Place) {
        self.links += 1;
        if self.links == PROTOCOL_MAX_ADDRESSES + 1 {
            self.odd(place, "more than the 50,000 addresses that the protocol allows");
        }
    }
}

fn read_stream(stream: TextStream<Source<'_>>, limits: &Limits, sink: Sink<'_>) -> Summary {
    let mut cursor = Cursor::new(stream);
    let mut tally = Tally::default();
    let ending = match start(&mut cursor) {
        Err(ending) => ending,
        Ok(Start::Xml { skip }) => {
            let place = cursor.place();
            if cursor.skip(skip) {
                tally.odd(place, "text before the XML");
            }
            xml::read(&mut cursor, limits, &mut tally, sink)
        }
        Ok(Start::Text) => text::read(&mut cursor, &mut tally, sink),
    };
    summary(ending, tally, cursor.encoding(), cursor.is_malformed())
}

fn summary(ending: Ending, tally: Tally, encoding: &'static str, malformed: bool) -> Summary {
    let Ending { format, verdict } = ending;
    let verdict = match verdict {
        Verdict::Ok if tally.links == 0 => Verdict::NoPages("the sitemap lists no page".into()),
        verdict => verdict,
    };
    Summary { format, verdict, links: tally.links, oddities: tally.oddities, encoding, malformed }
}

/// How a document begins.
enum Start {
    Xml {
        /// Bytes of blanks, control characters or junk before its first `<`.
        skip: usize,
    },
    Text,
}

fn start(cursor: &mut Cursor<'_>) -> Result<Start, Ending> {
    let head = cursor.fill_buf().map_err(|error| Ending::unusable(error.to_string()))?;
    let head = std::str::from_utf8(head).unwrap_or_default();
    let trimmed = head.trim_start_matches(is_ignorable);
    if trimmed.starts_with('<') {
        return Ok(Start::Xml { skip: head.len() - trimmed.len() });
    }
    match sniff(head.as_bytes(), None) {
        Kind::Empty => return Err(Ending::unusable("the document is empty")),
        kind @ (Kind::Json | Kind::Pdf | Kind::Binary | Kind::Gzip) => {
            return Err(Ending::unusable(format!("this is {}, and no sitemap", kind.name())));
        }
        Kind::Html | Kind::Xml | Kind::Text => {}
    }
    let roots = ["<?xml", "<urlset", "<sitemapindex", "<rss", "<feed", ":urlset", ":sitemapindex"];
    let root = roots.iter().filter_map(|root| head.find(root)).min();
    match root.and_then(|root| head[..=root].rfind('<')) {
        Some(skip) => Ok(Start::Xml { skip }),
        None => Ok(Start::Text),
    }
}

/// What may stand before and after everything else without a meaning.
fn is_ignorable(c: char) -> bool {
    c.is_whitespace() || c.is_control() || matches!(c, '\u{feff}' | '\u{200b}')
}

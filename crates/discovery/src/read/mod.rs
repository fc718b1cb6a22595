//! From an answer to what it says. Pure and independent of every other answer, so that answers may
//! be read in whatever order they arrive.

mod index;
mod page;

use std::hash::{DefaultHasher, Hasher};

use wholesite_address::{Base, LineIndex, Place, ReferenceError, Resolved, SiteUrl};
use wholesite_content::sniff::Kind;
use wholesite_extract::{Link, Problem, Role, Syntax, Target};

use crate::blocker::Excerpt;
use crate::exchange::{Answer, Failure, Response};
use crate::ledger::{DocumentKind, DocumentState};

pub(crate) use index::{read_llms_txt, read_robots, read_sitemap};
pub(crate) use page::{PageFacts, read_head, read_html, read_markup, read_page};

/// One link of a document, resolved against that document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct RawLink {
    pub(crate) place: Place,
    pub(crate) role: Role,
    pub(crate) syntax: Syntax,
    /// As written; `None` where it is the address itself.
    pub(crate) href: Option<Box<str>>,
    pub(crate) resolution: Resolution,
    pub(crate) title: Option<Box<str>>,
    /// Kept for links that a blocker may have to show.
    pub(crate) excerpt: Option<Box<Excerpt>>,
}

/// Where a link leads, as far as its document tells.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Resolution {
    Web(SiteUrl),
    Scheme(Box<str>),
    Bad(ReferenceError),
    Unreadable(Problem),
}

/// A document, read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ReadDocument {
    pub(crate) kind: DocumentKind,
    pub(crate) state: DocumentState,
    /// A body that is no index at all, as opposed to an index without pages.
    pub(crate) fault: Option<IndexFault>,
    pub(crate) links: Vec<RawLink>,
    pub(crate) dynamic_links: u32,
    pub(crate) oddities: Vec<(u32, String)>,
}

/// What is wrong with an index as a whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum IndexFault {
    NotText,
    Empty,
    NoPages,
    Truncated,
}

/// What came of asking for one address, redirects not followed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Fetched {
    pub(crate) url: SiteUrl,
    pub(crate) outcome: Outcome,
    /// Indexes that header fields name (`Link: …; rel="llms-txt"`, `X-Llms-Txt`).
    pub(crate) hints: Vec<SiteUrl>,
    /// Whether header fields say that a Mintlify host answered.
    pub(crate) by_mintlify: bool,
}

/// The kinds of answers that make a difference.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Outcome {
    Failed(Failure),
    Redirect { status: u16, to: Result<SiteUrl, String> },
    Status(u16),
    Body(Body),
}

/// A 2xx body.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Body {
    pub(crate) kind: Kind,
    pub(crate) framed: bool,
    pub(crate) media_type: Option<String>,
    /// Digest of the body with its own address taken out, so that a page which merely repeats the
    /// address asked for still equals its siblings.
    pub(crate) digest: u64,
    pub(crate) bytes: Vec<u8>,
    pub(crate) content_type: Option<String>,
}

/// Sorts an answer by what it means.
pub(crate) fn fetched(url: &SiteUrl, answer: Answer) -> Fetched {
    let response = match answer {
        Answer::Response(response) => response,
        Answer::Failed(failure) => {
            return Fetched::new(url, Outcome::Failed(failure));
        }
        Answer::Files(_) | Answer::File(_) => {
            let message = "a file was answered where a response was asked for".to_owned();
            let outcome = Outcome::Failed(Failure::Unreachable { message });
            return Fetched::new(url, outcome);
        }
    };
    let hints = page::header_hints(url, &response);
    let by_mintlify = response.header("x-llms-txt").is_some();
    Fetched { url: url.clone(), outcome: outcome(url, response), hints, by_mintlify }
}

impl Fetched {
    /// An outcome without header fields.
    pub(crate) fn new(url: &SiteUrl, outcome: Outcome) -> Self {
        Fetched { url: url.clone(), outcome, hints: Vec::new(), by_mintlify: false }
    }
}

impl Body {
    /// A document that is at hand, from its first byte to its last.
    pub(crate) fn of_bytes(url: &SiteUrl, bytes: &[u8]) -> Self {
        Body {
            kind: wholesite_content::sniff::sniff(bytes, None),
            framed: true,
            media_type: None,
            digest: digest(url, bytes),
            bytes: bytes.to_vec(),
            content_type: None,
        }
    }
}

impl ReadDocument {
    /// A document that was understood to its end.
    pub(crate) fn whole(kind: DocumentKind, links: Vec<RawLink>) -> Self {
        let state = DocumentState::Whole;
        ReadDocument { kind, state, fault: None, links, dynamic_links: 0, oddities: Vec::new() }
    }

    /// A document of which nothing could be used.
    pub(crate) fn unusable(kind: DocumentKind, fault: IndexFault, why: String) -> Self {
        ReadDocument {
            state: DocumentState::Unusable(why),
            fault: Some(fault),
            ..ReadDocument::whole(kind, Vec::new())
        }
    }
}

fn outcome(url: &SiteUrl, response: Response) -> Outcome {
    match response.status {
        200 | 203 => {
            let content_type = response.header("content-type").map(str::to_owned);
            let media_type = content_type
                .as_deref()
                .map(|value| value.split(';').next().unwrap_or_default().trim().to_ascii_lowercase());
            Outcome::Body(Body {
                kind: wholesite_content::sniff::sniff(&response.body, content_type.as_deref()),
                framed: response.framed,
                media_type,
                digest: digest(url, &response.body),
                bytes: response.body,
                content_type,
            })
        }
        status @ (301 | 302 | 303 | 307 | 308) => {
            let to = match response.header("location") {
                Some(location) => redirect_target(url, location),
                None => Err("the redirect names no location".to_owned()),
            };
            Outcome::Redirect { status, to }
        }
        status => Outcome::Status(status),
    }
}

fn redirect_target(url: &SiteUrl, location: &str) -> Result<SiteUrl, String> {
    match Base::of(url).resolve(location) {
        Ok(Resolved::Web { url, .. }) => Ok(url),
        Ok(Resolved::OtherScheme { scheme }) => Err(format!("the redirect leads to a {scheme}: address")),
        Err(error) => Err(format!("the redirect's location: {error}")),
    }
}

/// A digest of `body` that does not depend on the address it was asked under.
fn digest(url: &SiteUrl, body: &[u8]) -> u64 {
    let mut hasher = DefaultHasher::new();
    let path = url.path().trim_matches('/');
    let name = path.rsplit('/').next().unwrap_or_default();
    let mut rest = body;
    // Short names occur in prose by chance; taking them out would only weaken the digest.
    if name.len() >= 4 {
        for needle in [path, name] {
            if needle.len() < 4 {
                continue;
            }
            let finder = memchr::memmem::Finder::new(needle);
            if finder.find(body).is_some() {
                let mut from = 0;
                for at in finder.find_iter(body) {
                    hasher.write(&body[from..at]);
                    from = at + needle.len();
                }
                rest = &body[from..];
                break;
            }
        }
    }
    hasher.write(rest);
    hasher.finish()
}

/// Resolves the links of one text document.
pub(crate) struct Resolver<'t> {
    text: &'t str,
    lines: LineIndex<'t>,
    base: Base,
    own_origin: String,
    /// A link that stood in the same place would be found here again and again.
    pub(crate) dynamic_links: u32,
}

impl<'t> Resolver<'t> {
    pub(crate) fn new(text: &'t str, document: &SiteUrl, base: Base) -> Self {
        let own_origin = document.origin().to_owned();
        Resolver { text, lines: LineIndex::new(text), base, own_origin, dynamic_links: 0 }
    }

    /// `None` for an expression that only running the page would resolve; it is counted.
    pub(crate) fn link(&mut self, link: &Link<'_>) -> Option<RawLink> {
        let resolution = match &link.target {
            Target::Dynamic(_) => {
                self.dynamic_links += 1;
                return None;
            }
            Target::Unreadable { problem, .. } => Resolution::Unreadable(*problem),
            Target::Literal(href) => resolve(&self.base, href),
        };
        let same_site = matches!(&resolution, Resolution::Web(url) if url.origin() == self.own_origin);
        let excerpt = (!same_site).then(|| Box::new(Excerpt::of(self.text, link.span.start, link.span.end)));
        Some(RawLink {
            place: self.lines.place(link.span.start),
            role: link.role,
            syntax: link.syntax,
            href: written(link.href(), &resolution),
            resolution,
            // A bare address is its own label, and no title.
            title: (!link.label.is_empty() && !matches!(link.syntax, Syntax::BareUrl | Syntax::Autolink))
                .then(|| link.label.as_ref().into()),
            excerpt,
        })
    }

    pub(crate) fn line_of(&self, offset: usize) -> u32 {
        self.lines.place(offset).line
    }
}

pub(crate) fn resolve(base: &Base, href: &str) -> Resolution {
    match base.resolve(href) {
        Ok(Resolved::Web { url, .. }) => Resolution::Web(url),
        Ok(Resolved::OtherScheme { scheme }) => Resolution::Scheme(scheme.into()),
        Err(error) => Resolution::Bad(error),
    }
}

/// The reference as written, unless it is the address.
pub(crate) fn written(href: &str, resolution: &Resolution) -> Option<Box<str>> {
    match resolution {
        Resolution::Web(url) if url.as_str() == href => None,
        _ => Some(href.into()),
    }
}

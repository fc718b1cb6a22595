//! Reading pages: their links, and the facts about them that discovery decides on.

use wholesite_address::{Base, SiteUrl};
use wholesite_content::{decode, sniff::Kind};
use wholesite_extract::html::HtmlReading;
use wholesite_extract::{Reading, Role, html, link_header, markdown};

use super::index::{from_reading, judged};
use super::{Body, IndexFault, RawLink, ReadDocument, Resolution, Resolver, resolve};
use crate::exchange::Response;
use crate::ledger::{DocumentKind, DocumentState};

/// What discovery needs to know of a page beside its links.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct PageFacts {
    pub(crate) title: Option<String>,
    /// The title as twins of different make share it: without the site's name and punctuation.
    pub(crate) heading: Option<String>,
    /// Digest of the text that the page shows; `None` where it shows none. What a page *says* of its
    /// addresses is believed only where this bears it out: templates that name the home page as the
    /// canonical address of every page are common.
    pub(crate) shown_text: Option<u64>,
    pub(crate) canonical: Option<SiteUrl>,
    pub(crate) markdown_alternates: Vec<SiteUrl>,
    pub(crate) index_hints: Vec<SiteUrl>,
    pub(crate) generator: Option<String>,
    pub(crate) nofollow: bool,
    /// Where a meta refresh sends the reader.
    pub(crate) refresh: Option<SiteUrl>,
    /// Scripts, hardly any text, no links.
    pub(crate) is_shell: bool,
    /// Links to `#/…` routes.
    pub(crate) hash_routes: usize,
    /// Links that lead to another address.
    pub(crate) plain_links: usize,
}

/// A refresh within so many seconds makes a page a stub that only sends its reader on; a later one
/// belongs to a page that people read.
const STUB_SECONDS: u32 = 10;

impl PageFacts {
    pub(crate) fn of(url: &SiteUrl, body: &Body) -> Self {
        let text = decode::decode(&body.bytes, body.content_type.as_deref()).text;
        match body.kind {
            Kind::Html => Self::of_html(url, &html::read(&text)),
            Kind::Text => {
                let title = first_heading(&text);
                PageFacts { heading: title.as_deref().map(bare), title, ..PageFacts::default() }
            }
            _ => PageFacts::default(),
        }
    }

    fn of_html(url: &SiteUrl, html: &HtmlReading<'_>) -> Self {
        let base = base_of(url, html);
        let address = |link: &wholesite_extract::Link<'_>| match resolve(&base, link.href()) {
            Resolution::Web(target) => Some(target),
            _ => None,
        };
        let links = &html.reading.links;
        let alternates = html.alternates.iter().filter(|a| a.media_type.as_deref() == Some("text/markdown"));
        let title = html.reading.title.as_deref().map(str::to_owned);
        let mentions = links.iter().filter(|link| link.role == Role::Mention);
        PageFacts {
            heading: title.as_deref().map(bare),
            title,
            shown_text: (html.text_len > 0).then_some(html.text_digest),
            canonical: html.canonical().and_then(address),
            markdown_alternates: alternates.filter_map(|a| address(links.get(a.link)?)).collect(),
            index_hints: links.iter().filter(|link| link.role == Role::Index).filter_map(address).collect(),
            generator: html.generator.as_deref().map(str::to_owned),
            nofollow: html.robots.nofollow,
            refresh: html
                .refresh
                .as_ref()
                .filter(|refresh| refresh.seconds <= STUB_SECONDS)
                .and_then(|refresh| address(links.get(refresh.link)?))
                .filter(|to| to != url),
            is_shell: html.script_only_shell,
            hash_routes: html.client_routes,
            plain_links: mentions.filter_map(address).filter(|target| target != url).count(),
        }
    }
}

/// Reads a page for its links, in the language that the body is in.
pub(crate) fn read_page(url: &SiteUrl, body: &Body) -> ReadDocument {
    if body.kind == Kind::Html {
        read_html(url, body)
    } else {
        read_markup(url, body, markdown::read, DocumentKind::Markdown)
    }
}

pub(crate) fn read_html(url: &SiteUrl, body: &Body) -> ReadDocument {
    let text = decode::decode(&body.bytes, body.content_type.as_deref()).text;
    let html = html::read(&text);
    let mut resolver = Resolver::new(&text, url, base_of(url, &html));
    let links = page_links(&html).filter_map(|link| resolver.link(link)).map(self_reference(url)).collect();
    let (mut state, mut fault) = judged(&html.reading.verdict);
    // A page whose end was not announced is whole if it closes itself.
    if fault.is_none() && !body.framed && !closes_itself(&text) {
        let why =
            "the end of this page was not announced, and it does not close itself, so it may have been cut";
        (state, fault) = (DocumentState::Part(why.to_owned()), Some(IndexFault::Truncated));
    }
    ReadDocument { state, fault, ..ReadDocument::whole(DocumentKind::Html, links) }
}

fn closes_itself(text: &str) -> bool {
    let mut tail = text.len().saturating_sub(256);
    while !text.is_char_boundary(tail) {
        tail -= 1;
    }
    text[tail..].to_ascii_lowercase().contains("</html")
}

/// Only what the head of a page says: canonical address, other languages and representations, and
/// where the indexes are.
pub(crate) fn read_head(url: &SiteUrl, body: &Body) -> ReadDocument {
    let mut read = read_html(url, body);
    read.kind = DocumentKind::Head;
    read.links.retain(|link| matches!(link.role, Role::Canonical | Role::Alternate | Role::Index));
    read
}

/// Reads Markdown, MDX or a navigation with the reader given.
pub(crate) fn read_markup(
    url: &SiteUrl,
    body: &Body,
    read: impl Fn(&str) -> Reading<'_>,
    kind: DocumentKind,
) -> ReadDocument {
    if matches!(body.kind, Kind::Pdf | Kind::Binary | Kind::Gzip) {
        return ReadDocument::unusable(kind, IndexFault::NotText, format!("this is {}", body.kind.name()));
    }
    let text = decode::decode(&body.bytes, body.content_type.as_deref()).text;
    from_reading(kind, url, &text, &read(&text))
}

/// Feeds and embeds are other representations that no reader of pages can use; like style sheets,
/// they are no links to pages.
fn page_links<'h, 'a>(html: &'h HtmlReading<'a>) -> impl Iterator<Item = &'h wholesite_extract::Link<'a>> {
    let is_page_type =
        |media_type: &str| matches!(media_type, "text/html" | "text/markdown" | "application/xhtml+xml");
    let skipped: Vec<usize> = html
        .alternates
        .iter()
        .filter(|a| a.media_type.as_deref().is_some_and(|media_type| !is_page_type(media_type)))
        .map(|a| a.link)
        .collect();
    html.reading.links.iter().enumerate().filter(move |(at, _)| !skipped.contains(at)).map(|(_, link)| link)
}

/// `href=""` in HTML is a link to the document itself (WHATWG HTML §2.4.3), unlike in an index,
/// where an empty destination means that a page was meant and is not named.
fn self_reference(url: &SiteUrl) -> impl Fn(RawLink) -> RawLink {
    move |mut link| {
        if link.resolution == Resolution::Bad(wholesite_address::ReferenceError::Empty) {
            link.resolution = Resolution::Web(url.clone());
        }
        link
    }
}

fn base_of(url: &SiteUrl, html: &HtmlReading<'_>) -> Base {
    match &html.base {
        Some(base) => Base::of(url).with_base_href(&base.href),
        None => Base::of(url),
    }
}

/// Indexes that `Link` (RFC 8288) and `X-Llms-Txt` fields name.
pub(super) fn header_hints(url: &SiteUrl, response: &Response) -> Vec<SiteUrl> {
    let links = link_header::read(response.header_values("link"));
    let x_llms = link_header::read_x_llms_txt(response.header_values("x-llms-txt"));
    let base = Base::of(url);
    let mut hints: Vec<SiteUrl> = Vec::new();
    for link in links.iter().chain(&x_llms).filter(|link| link.names_index()) {
        if let Resolution::Web(hint) = resolve(&base, &link.href)
            && !hints.contains(&hint)
        {
            hints.push(hint);
        }
    }
    hints
}

fn first_heading(text: &str) -> Option<String> {
    let line = text.lines().take(200).find_map(|line| line.strip_prefix("# "))?;
    Some(line.trim().trim_end_matches('#').trim_end().to_owned())
}

/// The part of a title before the site's name, as letters and digits only: `Setup - Docs` and
/// `# Setup` are one heading.
fn bare(title: &str) -> String {
    let own = [" | ", " - ", " – ", " — ", " · ", " :: "]
        .iter()
        .filter_map(|separator| title.find(separator))
        .min()
        .map_or(title, |at| &title[..at]);
    own.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

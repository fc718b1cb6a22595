//! The links of one document by itself, judged as discovery would judge them: for looking at a
//! document, and for testing readers.

use std::collections::BTreeSet;

use wholesite_address::{Base, Fold, Place, Scope, SiteUrl};
use wholesite_extract::{Role, Syntax, markdown, mdx};

use crate::classify::{Judged, Rules};
use crate::disposition::{Disposition, Why};
use crate::ledger::DocumentId;
use crate::options::Options;
use crate::pages::{Mention, PageTable, Sighting};
use crate::read::{
    self, Body, IndexFault, RawLink, ReadDocument, read_llms_txt, read_robots, read_sitemap, written,
};
use crate::site::RobotsGate;

/// The language to read a document in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum LinkKind {
    /// llms.txt or a nested index.
    LlmsTxt,
    /// A sitemap in any form.
    Sitemap,
    /// robots.txt.
    Robots,
    /// MDX.
    Mdx,
    /// CommonMark with GFM.
    Markdown,
    /// HTML.
    Html,
    /// docs.json or mint.json.
    DocsJson,
    /// Bare references, one a line.
    Url,
}

/// One link with its judgement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LinkLine {
    /// As written.
    pub href: String,
    /// Where it leads, if anywhere.
    pub url: Option<SiteUrl>,
    /// What it counts as.
    pub disposition: Disposition,
    /// Why.
    pub why: Why,
    /// Where it stands.
    pub place: Place,
    /// Its label.
    pub title: Option<String>,
}

/// The links of a document, and what the document counts as.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DocumentLinks {
    /// The links in document order.
    pub links: Vec<LinkLine>,
    /// `ok`, `no_pages`, `unusable` or `truncated`.
    pub verdict: &'static str,
    /// Why, where it is not `ok`.
    pub why: String,
    /// Expressions in link position whose value only running the page would tell.
    pub dynamic_links: u32,
}

/// Reads one document. `url` is the document's own address. The site is `site`, by default the
/// folder of an index, and the whole origin of a page.
pub fn links_of(
    kind: LinkKind,
    url: &SiteUrl,
    site: Option<&SiteUrl>,
    bytes: &[u8],
    options: &Options,
) -> DocumentLinks {
    let is_page = matches!(kind, LinkKind::Mdx | LinkKind::Markdown | LinkKind::Html);
    let scope = match site {
        Some(site) => Scope::below(site),
        None if is_page => Scope::below(&url.with_path("/")),
        None => Scope::folder_of(url),
    };
    let read = read_document(kind, url, bytes);
    let gate = RobotsGate::default();
    let rules = Rules { scope: &scope, options, robots: &gate, reserved: &[] };
    let mut judge = Judge { rules, url, table: PageTable::new(Fold::default()), indexes: BTreeSet::new() };
    let links = read.links.iter().map(|link| judge.line(link)).collect();
    let verdict = match read.fault {
        None => "ok",
        Some(IndexFault::NoPages) => "no_pages",
        Some(IndexFault::NotText | IndexFault::Empty) => "unusable",
        Some(IndexFault::Truncated) => "truncated",
    };
    DocumentLinks { links, verdict, why: read.state.why().to_owned(), dynamic_links: read.dynamic_links }
}

struct Judge<'a> {
    rules: Rules<'a>,
    url: &'a SiteUrl,
    table: PageTable,
    indexes: BTreeSet<SiteUrl>,
}

impl Judge<'_> {
    fn line(&mut self, link: &RawLink) -> LinkLine {
        let mention = Mention { document: DocumentId(0), place: link.place };
        let (disposition, why) = match self.rules.judge(link) {
            // A reference to the document itself names nothing new.
            Judged::Index(_, url) | Judged::Candidate(url)
                if url == *self.url && link.syntax != Syntax::NavPage =>
            {
                (Disposition::Duplicate, Why::Itself)
            }
            Judged::Index(_, url) if self.indexes.insert(url.clone()) => {
                (Disposition::NestedIndex, Why::Index)
            }
            Judged::Index(..) => (Disposition::Duplicate, Why::SeenBefore),
            Judged::Candidate(url) => match self.table.mention(&url, None, mention) {
                Sighting::First => (Disposition::Page, Why::FirstMention),
                _ => (Disposition::Duplicate, Why::SeenBefore),
            },
            Judged::Settled(disposition, why) => (disposition, why),
        };
        let url = link.address().cloned();
        let written = link.href.as_deref().or(url.as_ref().map(SiteUrl::as_str)).unwrap_or_default();
        LinkLine {
            href: written.to_owned(),
            disposition,
            why,
            place: link.place,
            title: link.title.as_deref().map(str::to_owned),
            url,
        }
    }
}

fn read_document(kind: LinkKind, url: &SiteUrl, bytes: &[u8]) -> ReadDocument {
    let body = Body::of_bytes(url, bytes);
    match kind {
        LinkKind::LlmsTxt => read_llms_txt(url, &body),
        LinkKind::Sitemap => read_sitemap(url, &body),
        LinkKind::Robots => read_robots(url, &body).document,
        LinkKind::Html => read::read_html(url, &body),
        LinkKind::Mdx => read::read_markup(url, &body, mdx::read, crate::ledger::DocumentKind::Mdx),
        LinkKind::Markdown => {
            read::read_markup(url, &body, markdown::read, crate::ledger::DocumentKind::Markdown)
        }
        LinkKind::DocsJson => read::read_markup(
            url,
            &body,
            wholesite_mintlify::read_nav,
            crate::ledger::DocumentKind::Navigation,
        ),
        LinkKind::Url => read_references(url, &body),
    }
}

/// Bare references, one a line; empty input is one empty reference.
fn read_references(url: &SiteUrl, body: &Body) -> ReadDocument {
    let text = wholesite_content::decode::decode(&body.bytes, None).text.into_owned();
    let base = Base::of(url);
    let content = text.strip_suffix('\n').unwrap_or(&text);
    let links = content.split('\n').zip(1..).map(|(line, number)| {
        let reference = line.trim_end_matches('\r');
        let resolution = read::resolve(&base, reference);
        RawLink {
            place: Place { line: number, column: 1 },
            role: Role::Entry,
            syntax: Syntax::BareUrl,
            href: written(reference, &resolution),
            resolution,
            title: None,
            excerpt: None,
        }
    });
    ReadDocument::whole(crate::ledger::DocumentKind::Folder, links.collect())
}

//! Reading indexes: robots.txt, llms.txt, sitemaps.

use wholesite_address::{Base, SiteUrl};
use wholesite_content::{decode, sniff::Kind};
use wholesite_extract::robots::Robots;
use wholesite_extract::{Oddity, Problem, Reading, Target, Verdict, llms_txt, robots, sitemap};

use super::{Body, IndexFault, RawLink, ReadDocument, Resolution, Resolver, resolve, written};
use crate::blocker::Excerpt;
use crate::ledger::{DocumentKind, DocumentState};

/// robots.txt and its rules; without rules where the body is no robots.txt.
pub(crate) struct ReadRobots {
    pub(crate) document: ReadDocument,
    pub(crate) robots: Option<Robots>,
}

pub(crate) fn read_robots(url: &SiteUrl, body: &Body) -> ReadRobots {
    if !matches!(body.kind, Kind::Text | Kind::Empty) {
        let why = format!("robots.txt answered with {}, which holds no rules", body.kind.name());
        let document = ReadDocument::unusable(DocumentKind::Robots, IndexFault::NotText, why);
        return ReadRobots { document, robots: None };
    }
    let text = decode::decode(&body.bytes, body.content_type.as_deref()).text;
    let document = from_reading(DocumentKind::Robots, url, &text, &robots::read(&text));
    // A robots.txt without any Sitemap line is as good as one with.
    let document = ReadDocument { fault: None, state: DocumentState::Whole, ..document };
    ReadRobots { document, robots: Some(Robots::parse(&text)) }
}

pub(crate) fn read_llms_txt(url: &SiteUrl, body: &Body) -> ReadDocument {
    let kind = DocumentKind::LlmsTxt;
    if !body.kind.is_text() && body.kind != Kind::Empty {
        let why = format!("this is {}, and no list of links", body.kind.name());
        return ReadDocument::unusable(kind, IndexFault::NotText, why);
    }
    let decoded = decode::decode(&body.bytes, body.content_type.as_deref());
    let reading = llms_txt::read(&decoded.text);
    let mut document = from_reading(kind, url, &decoded.text, &reading);
    if decoded.replaced > 0 {
        let what = format!("{} bytes are no {} and were replaced", decoded.replaced, decoded.encoding);
        document.oddities.push((1, what));
    }
    // Without an announced length nobody can tell a whole list from one that was cut between two
    // lines.
    if !body.framed && document.fault.is_none() {
        document.fault = Some(IndexFault::Truncated);
        document.state = DocumentState::Part(UNFRAMED.to_owned());
    }
    document
}

const UNFRAMED: &str =
    "the end of this index was not announced (no Content-Length, not chunked), so it may have been cut";

pub(crate) fn from_reading(
    kind: DocumentKind,
    url: &SiteUrl,
    text: &str,
    reading: &Reading<'_>,
) -> ReadDocument {
    let mut resolver = Resolver::new(text, url, Base::of(url));
    let links = reading.links.iter().filter_map(|link| resolver.link(link)).collect();
    let oddities =
        reading.oddities.iter().map(|Oddity { span, what }| (resolver.line_of(span.start), what.to_string()));
    let (state, fault) = judged(&reading.verdict);
    ReadDocument {
        kind,
        state,
        fault,
        links,
        oddities: oddities.collect(),
        dynamic_links: resolver.dynamic_links,
    }
}

pub(crate) fn judged(verdict: &Verdict) -> (DocumentState, Option<IndexFault>) {
    match verdict {
        Verdict::Ok => (DocumentState::Whole, None),
        Verdict::NoPages(why) => (DocumentState::Part(why.to_string()), Some(IndexFault::NoPages)),
        Verdict::Truncated(why) => (DocumentState::Part(why.to_string()), Some(IndexFault::Truncated)),
        Verdict::Unusable(why) => {
            let empty = why.contains("empty") || why.contains("no link");
            let fault = if empty { IndexFault::Empty } else { IndexFault::NotText };
            (DocumentState::Unusable(why.to_string()), Some(fault))
        }
    }
}

pub(crate) fn read_sitemap(url: &SiteUrl, body: &Body) -> ReadDocument {
    let kind = DocumentKind::Sitemap;
    let base = Base::of(url);
    let mut links = Vec::new();
    let limits = sitemap::Limits::default();
    let summary = sitemap::read(&body.bytes, body.content_type.as_deref(), &limits, &mut |link| {
        links.push(sitemap_link(url, &base, &link));
    });
    let (mut state, mut fault) = judged(&summary.verdict);
    // XML says itself where it ends; a plain list does not.
    if summary.format == Some(sitemap::Format::Text) && !body.framed && fault.is_none() {
        (state, fault) = (DocumentState::Part(UNFRAMED.to_owned()), Some(IndexFault::Truncated));
    }
    let oddities = summary.oddities.into_iter().map(|(place, what)| (place.line, what.into_owned()));
    ReadDocument { kind, state, fault, links, oddities: oddities.collect(), dynamic_links: 0 }
}

fn sitemap_link(document: &SiteUrl, base: &Base, link: &sitemap::SitemapLink<'_>) -> RawLink {
    let (href, resolution) = match &link.target {
        Target::Literal(href) => (href.as_ref(), resolve(base, href)),
        Target::Dynamic(raw) => (*raw, Resolution::Unreadable(Problem::NoRule)),
        Target::Unreadable { raw, problem } => (raw.as_ref(), Resolution::Unreadable(*problem)),
    };
    let same_site = matches!(&resolution, Resolution::Web(url) if url.origin() == document.origin());
    // A sitemap is streamed, so its lines are gone; the value itself is what a person has to see.
    let excerpt = (!same_site && !href.is_empty()).then(|| Box::new(Excerpt::of(href, 0, href.len())));
    RawLink {
        place: link.place,
        role: link.role,
        syntax: link.syntax,
        href: written(href, &resolution),
        resolution,
        title: (!link.label.is_empty()).then(|| link.label.into()),
        excerpt,
    }
}

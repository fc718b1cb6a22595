//! The readers of documents.

use wholesite_address::SiteUrl;
use wholesite_discovery::{LinkKind, Options, links_of};
use wholesite_extract::robots::Robots;
use wholesite_extract::sitemap::{self, Limits, Summary};
use wholesite_extract::{Reading, Target, llms_txt};

/// llms.txt and nested indexes.
pub fn llms_index(data: &[u8]) {
    let Some(text) = text(data) else { return };
    check(text, &llms_txt::read(text));
    check_ledger(LinkKind::LlmsTxt, data, llms_txt::read(text).links.len());
}

/// Links of Markdown pages.
pub fn markdown(data: &[u8]) {
    let Some(text) = text(data) else { return };
    let reading = wholesite_extract::markdown::read(text);
    check(text, &reading);
    check_ledger(LinkKind::Markdown, data, reading.links.len());
}

/// Links of MDX pages.
pub fn mdx(data: &[u8]) {
    let Some(text) = text(data) else { return };
    let reading = wholesite_extract::mdx::read(text);
    check(text, &reading);
    check_ledger(LinkKind::Mdx, data, reading.links.len());
}

/// HTML pages.
pub fn html(data: &[u8]) {
    let Some(text) = text(data) else { return };
    let html = wholesite_extract::html::read(text);
    check(text, &html.reading);
    let links = html.reading.links.len();
    assert!(html.refresh.is_none_or(|refresh| refresh.link < links));
    assert!(html.alternates.iter().all(|alternate| alternate.link < links));
    assert!(html.text_len <= text.len());
    for link in &html.reading.links {
        let tag = &text[link.span.clone()];
        assert!(tag.starts_with('<') && tag.ends_with('>'), "{tag:?} is no tag");
    }
}

/// Sitemaps in any form; gzip changes nothing.
pub fn sitemap(data: &[u8]) {
    let (links, summary) = read_sitemap(data);
    assert_eq!(links.len() as u64, summary.links);
    assert!(links.len() <= data.len().max(1) || wholesite_content::is_gzip(data));
    if !wholesite_content::is_gzip(data) {
        let packed = gzip(data);
        assert_eq!((links, summary), read_sitemap(&packed), "gzip makes a difference");
    }
}

/// robots.txt: everything up to the first NUL is the file, the rest a path to ask for.
pub fn robots(data: &[u8]) {
    let Some(text) = text(data) else { return };
    let (file, path) = text.split_once('\0').unwrap_or((text, "/a/b?c"));
    check(file, &wholesite_extract::robots::read(file));
    let robots = Robots::parse(file);
    let named = wholesite_extract::robots::read(file).links.len();
    assert!(robots.sitemaps().len() <= named);
    let rules = robots.rules_for("wholesite");
    let decision = rules.decide(path);
    assert_eq!(decision.allowed, rules.allows(path));
    assert_eq!(decision.allowed, decision.rule.is_none_or(|rule| rule.allow));
    // An address in its normal form is the same address.
    let url: Result<SiteUrl, _> = format!("https://h.test{path}").parse();
    if let (true, Ok(url)) = (path.starts_with('/'), url) {
        let again: SiteUrl = url.as_str().parse().expect("a normal form is an address");
        assert_eq!(rules.allows(url.path_and_query()), rules.allows(again.path_and_query()));
    }
    assert!(rules.allows("/robots.txt"), "robots.txt may always be read");
}

/// docs.json and mint.json.
pub fn navigation(data: &[u8]) {
    let Some(text) = text(data) else { return };
    let reading = wholesite_mintlify::read_nav(text);
    for link in &reading.links {
        assert!(text.get(link.span.clone()).is_some(), "{:?} is no place in the text", link.span);
    }
    assert!(reading.links.len() <= text.len());
}

/// Whatever stands in front matter, the page behind it is read as if it were not there.
pub fn front_matter(data: &[u8]) {
    let Some(inner) = text(data) else { return };
    let is_fence = |line: &str| {
        line.strip_prefix("---").is_some_and(|rest| rest.trim_matches([' ', '\t', '\r']).is_empty())
    };
    if inner.split('\n').any(is_fence) {
        return;
    }
    let page = format!("---\n{inner}\n---\n\nSee [this](/y).\n");
    for read in [wholesite_extract::markdown::read, wholesite_extract::mdx::read] {
        let reading = read(&page);
        let hrefs: Vec<&str> = reading.links.iter().map(|link| link.href()).collect();
        assert_eq!(hrefs, ["/y"]);
    }
}

fn text(data: &[u8]) -> Option<&str> {
    std::str::from_utf8(data).ok()
}

/// Places lie in the text, in order, and what comes out is in proportion to what went in.
fn check(text: &str, reading: &Reading<'_>) {
    let (mut last, mut written) = (0, 0);
    for link in &reading.links {
        let span = link.span.clone();
        assert!(text.get(span.clone()).is_some(), "{span:?} is no place in the text");
        assert!(span.start >= last, "links are out of order at {span:?}");
        last = span.start;
        // Definitions may be used often; their text is counted once.
        if let Target::Literal(std::borrow::Cow::Owned(href)) = &link.target {
            written += href.len().min(span.len() * 4);
        }
        written += link.label.len();
    }
    assert!(reading.links.len() <= text.len(), "{} links in {} bytes", reading.links.len(), text.len());
    assert!(written <= text.len() * 16 + 64, "{written} bytes out of {}", text.len());
    for oddity in &reading.oddities {
        assert!(text.get(oddity.span.clone()).is_some(), "{:?} is no place in the text", oddity.span);
    }
}

/// Every link gets exactly one disposition, and reading twice gives the same.
fn check_ledger(kind: LinkKind, data: &[u8], links: usize) {
    // A byte order mark is taken off before, and other bytes may name another encoding.
    if !data.is_ascii() {
        return;
    }
    let url: SiteUrl = "https://docs.example.com/guides/page".parse().expect("a URL");
    let found = links_of(kind, &url, None, data, &Options::default());
    // What sniffing takes for something else (a NUL makes it binary) is not read at all.
    if found.verdict != "unusable" {
        assert_eq!(found.links.len() + found.dynamic_links as usize, links, "a disposition each: {found:#?}");
    }
    assert_eq!(found, links_of(kind, &url, None, data, &Options::default()));
}

fn read_sitemap(bytes: &[u8]) -> (Vec<String>, Summary) {
    let mut links = Vec::new();
    let summary = sitemap::read(bytes, None, &Limits::default(), &mut |link| links.push(format!("{link:?}")));
    (links, summary)
}

fn gzip(data: &[u8]) -> Vec<u8> {
    use std::io::Write;
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(data).expect("memory takes it");
    encoder.finish().expect("memory takes it")
}

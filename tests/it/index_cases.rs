//! 112 small index documents with the right disposition of each link, kept beside the corpora.
//!
//! Where a case allows alternatives, these are the choices of this project:
//!
//! - A link of the own origin that leads outside the base path is `out_of_scope`. The cases say
//!   `offsite` there, since they do not know that word; the design does.
//! - A sitemap that llms.txt names is an index (`nested_index`).
//! - `mailto:` and other schemes are `skipped_file`.
//! - A fragment of the document itself is a `duplicate` of the document.
//! - Language alternates of sitemaps are pages; relative `loc` and `Sitemap:` values are resolved.
//! - The base path without its slash is the home page of the docs.

use std::collections::BTreeMap;

use serde::Deserialize;
use wholesite::address::SiteUrl;
use wholesite::discovery::{DocumentLinks, LinkKind, LinkLine, Options, links_of};

#[derive(Debug, Deserialize)]
struct Case {
    id: String,
    kind: String,
    base_url: String,
    input: Option<String>,
    input_b64: Option<String>,
    expect: Vec<Expected>,
    index: Option<String>,
    format: Option<String>,
    site_base: Option<String>,
}

#[derive(Debug, Deserialize)]
struct Expected {
    url: String,
    disposition: String,
    #[serde(default)]
    also: Vec<String>,
}

#[test]
fn every_case_gives_the_expected_dispositions() {
    let Some(path) = wholesite_tests::beside_corpora("index-cases.jsonl") else { return };
    let text = std::fs::read_to_string(path).expect("readable");
    let cases: Vec<Case> = text.lines().map(|line| serde_json::from_str(line).expect("a case")).collect();
    let faults: Vec<String> = cases.iter().filter_map(|case| check(case).err()).collect();
    println!("{} of {} cases hold", cases.len() - faults.len(), cases.len());
    assert!(faults.is_empty(), "{} of {} cases:\n\n{}", faults.len(), cases.len(), faults.join("\n\n"));
}

fn check(case: &Case) -> Result<(), String> {
    let kind = match (case.kind.as_str(), case.format.as_deref()) {
        ("llms_txt", _) => LinkKind::LlmsTxt,
        ("sitemap", _) => LinkKind::Sitemap,
        ("robots", _) => LinkKind::Robots,
        ("mdx", Some("md")) => LinkKind::Markdown,
        ("mdx", _) => LinkKind::Mdx,
        ("url", _) => LinkKind::Url,
        other => return Err(format!("{}: no such kind {other:?}", case.id)),
    };
    let bytes = match (&case.input, &case.input_b64) {
        (Some(text), _) => text.clone().into_bytes(),
        (None, Some(encoded)) => base64(encoded),
        (None, None) => return Err(format!("{}: no input", case.id)),
    };
    let url: SiteUrl = case.base_url.parse().expect("a URL");
    let site: Option<SiteUrl> = case.site_base.as_deref().map(|site| site.parse().expect("a URL"));
    let found = links_of(kind, &url, site.as_ref(), &bytes, &Options::default());
    let mut faults = Vec::new();
    expected_links(case, &found, &mut faults);
    verdict(case, &found, &mut faults);
    if faults.is_empty() {
        return Ok(());
    }
    let links = found.links.iter().map(|l| format!("    {} {} ({})", l.disposition, address(l), l.why));
    let links: Vec<String> = links.collect();
    Err(format!(
        "{}\n  {}\n  found ({}: {}):\n{}",
        case.id,
        faults.join("\n  "),
        found.verdict,
        found.why,
        links.join("\n")
    ))
}

fn address(link: &LinkLine) -> &str {
    link.url.as_ref().map_or(link.href.as_str(), |url| url.as_str())
}

fn expected_links(case: &Case, found: &DocumentLinks, faults: &mut Vec<String>) {
    let mut left: BTreeMap<&str, Vec<&LinkLine>> = BTreeMap::new();
    for link in &found.links {
        left.entry(address(link)).or_default().push(link);
    }
    for expected in &case.expect {
        let candidates = left.entry(expected.url.as_str()).or_default();
        let wanted = allowed(case, expected);
        let optional = wanted.contains(&"not_a_link");
        match candidates.iter().position(|link| wanted.contains(&link.disposition.name())) {
            Some(at) => {
                candidates.remove(at);
            }
            None if optional && candidates.is_empty() => {}
            None => faults.push(format!("{} should be {wanted:?}", expected.url)),
        }
    }
    for link in left.values().flatten() {
        faults.push(format!("{} is {}, and should not be there", address(link), link.disposition));
    }
}

fn allowed<'c>(case: &Case, expected: &'c Expected) -> Vec<&'c str> {
    let mut allowed: Vec<&str> = std::iter::once(expected.disposition.as_str())
        .chain(expected.also.iter().map(String::as_str))
        .collect();
    let own_origin = |url: &str| {
        let own: SiteUrl = case.base_url.parse().expect("a URL");
        url.parse::<SiteUrl>().is_ok_and(|url| url.origin() == own.origin())
    };
    if expected.disposition == "offsite" && own_origin(&expected.url) {
        allowed = vec!["out_of_scope"];
        allowed.extend(expected.also.iter().map(String::as_str));
    }
    allowed
}

fn verdict(case: &Case, found: &DocumentLinks, faults: &mut Vec<String>) {
    let truncated = case.id.contains("unfinished");
    let expected: &[&str] = match case.index.as_deref() {
        Some("unusable" | "no_links") => &["unusable"],
        Some("no_pages") => &["no_pages"],
        Some("truncated") => &["truncated"],
        _ if truncated => &["truncated"],
        Some(other) => return faults.push(format!("no such index state {other}")),
        None => &["ok", "no_pages"],
    };
    // A robots.txt without any Sitemap line is fine as it is.
    let is_robots = case.kind == "robots" && case.index.is_none();
    if !is_robots && !expected.contains(&found.verdict) {
        faults.push(format!("the document is {} ({}), and should be {expected:?}", found.verdict, found.why));
    }
}

/// RFC 4648 §4, for the one case whose input is bytes.
fn base64(text: &str) -> Vec<u8> {
    const ALPHABET: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let (mut bytes, mut bits, mut count) = (Vec::new(), 0_u32, 0);
    for digit in text.bytes().filter_map(|byte| ALPHABET.iter().position(|a| *a == byte)) {
        bits = bits << 6 | digit as u32;
        count += 6;
        if count >= 8 {
            count -= 8;
            bytes.push((bits >> count) as u8);
        }
    }
    bytes
}

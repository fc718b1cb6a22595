//! The sitemap reader: the table, encodings and packings, the shared cases, real files, the laws.

mod support;

use std::io::Write;
use std::time::{Duration, Instant};

use flate2::{Compression, write::GzEncoder};
use proptest::prelude::*;
use support::{cases, check_laws, corpora, files};
use wholesite_address::{LineIndex, MAX_URL_BYTES};
use wholesite_extract::sitemap::{self, Format, Limits, SitemapLink, Summary};
use wholesite_extract::{Problem, Role, Target};

fn href<'l>(link: &'l SitemapLink<'_>) -> &'l str {
    match &link.target {
        Target::Literal(href) | Target::Unreadable { raw: href, .. } => href,
        Target::Dynamic(raw) => raw,
    }
}

fn written(link: &SitemapLink<'_>) -> String {
    let kind = match (&link.target, link.role) {
        (Target::Unreadable { problem: Problem::BlankInDestination, .. }, _) => "!blank",
        (Target::Unreadable { problem: Problem::CutOff, .. }, _) => "!cut",
        (Target::Unreadable { .. }, _) => "!rule",
        (_, Role::Entry) => "entry",
        (_, Role::Index) => "index",
        (_, Role::Alternate) => "alternate",
        (_, role) => panic!("{role:?} in a sitemap"),
    };
    let place = format!("{}:{}", link.place.line, link.place.column);
    let more = [link.lastmod.unwrap_or_default(), link.hreflang.unwrap_or_default(), link.label];
    format!("{kind} | {} | {place} | {}", href(link), more.join(" | "))
        .trim_end_matches([' ', '|'])
        .to_owned()
}

fn read(bytes: &[u8], content_type: Option<&str>) -> (Vec<String>, Summary) {
    let mut links = Vec::new();
    let summary =
        sitemap::read(bytes, content_type, &Limits::default(), &mut |link| links.push(written(&link)));
    assert_eq!(summary.links, links.len() as u64);
    (links, summary)
}

fn hrefs(bytes: &[u8], content_type: Option<&str>) -> Vec<String> {
    let mut links = Vec::new();
    sitemap::read(bytes, content_type, &Limits::default(), &mut |link| links.push(href(&link).to_owned()));
    links
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(bytes).expect("writing to memory");
    encoder.finish().expect("writing to memory")
}

#[test]
fn table() {
    for case in cases(include_str!("cases/sitemap.md")) {
        let (links, summary) = read(case.text.as_bytes(), None);
        assert_eq!(links, case.links, "links of {:?} ({})", case.name, summary.verdict.why());
        assert_eq!(
            summary.verdict.name(),
            case.verdict,
            "verdict of {:?}: {}",
            case.name,
            summary.verdict.why()
        );
        check_text(&case.text);
    }
}

/// As text: the laws of every reading, and places that agree with the spans.
fn check_text(text: &str) {
    let reading = sitemap::read_text(text);
    for link in &reading.links {
        assert!(text.get(link.span.clone()).is_some(), "{:?} is no place in the text", link.span);
    }
    let sorted = reading.links.is_sorted_by_key(|link| link.span.start);
    assert!(sorted, "links are out of order");
    check_laws(text, &reading);
    let index = LineIndex::new(text.strip_prefix('\u{feff}').unwrap_or(text));
    sitemap::read(text.as_bytes(), Some("text/xml; charset=utf-8"), &Limits::default(), &mut |link| {
        assert_eq!(link.place, index.place(link.span.start), "{:?}", link.span);
    });
}

#[test]
fn labels_and_packings_do_not_matter() {
    let plain = "<?xml version='1.0' encoding='UTF-8'?>\n<urlset><url><loc>/a</loc></url><url><loc>/b</loc></url></urlset>".as_bytes();
    let utf16: Vec<u8> = "\u{feff}<?xml version='1.0' encoding='UTF-16'?><urlset><url><loc>/a</loc></url><url><loc>/b</loc></url></urlset>"
        .encode_utf16()
        .flat_map(u16::to_be_bytes)
        .collect();
    let bodies = [
        plain.to_vec(),
        gzip(plain),
        utf16.clone(),
        gzip(&utf16),
        [b"\xef\xbb\xbf", plain].concat(),
        b"/a\nhttps://k.test/b".to_vec(),
    ];
    for body in bodies {
        for label in [
            None,
            Some("text/xml"),
            Some("application/x-gzip"),
            Some("text/html"),
            Some("application/octet-stream"),
        ] {
            let (links, summary) = read(&body, label);
            assert_eq!(
                (links.len(), summary.verdict.name()),
                (2, "ok"),
                "{label:?}: {}",
                summary.verdict.why()
            );
        }
    }
}

#[test]
fn encodings() {
    let latin = b"<?xml version='1.0' encoding='ISO-8859-1'?><urlset><url><loc>/caf\xe9</loc></url></urlset>";
    assert_eq!(hrefs(latin, None), ["/café"]);
    // The header outranks the declaration (RFC 7303 §3).
    let (links, summary) = read(latin, Some("text/xml; charset=utf-8"));
    assert_eq!(links, ["!rule | /caf\u{fffd} | 1:57"]);
    assert!(summary.malformed);
    let (links, _) = read(b"https://k.test/caf\xe9\nhttps://k.test/b\n", Some("text/plain"));
    assert_eq!(links, ["!rule | https://k.test/caf\u{fffd} | 1:1", "entry | https://k.test/b | 2:1"]);
}

#[test]
fn stray_control_characters() {
    let text = "\u{1}\u{0}<urlset>\u{2}<url><loc>\u{b}/one\u{1f}</loc></url>\u{0}<url><loc>/t\u{3}wo</loc></url></urlset>\u{1a}";
    let (links, summary) = read(text.as_bytes(), None);
    // At the edges they are blanks; inside, whoever resolves the address has to judge.
    assert_eq!(links, ["entry | /one | 1:17", "entry | /t\u{3}wo | 1:46"]);
    assert_eq!(summary.verdict.name(), "ok");
}

#[test]
fn damaged_packings() {
    let text: String =
        (0..4000).map(|n| format!("<url><loc>/page-{}</loc></url>\n", n * 7919 % 10007)).collect();
    let packed = gzip(format!("<urlset>{text}</urlset>").as_bytes());
    let (links, summary) = read(&packed[..packed.len() / 2], None);
    assert!(
        links.len() > 500 && summary.verdict.name() == "truncated",
        "{} links, {:?}",
        links.len(),
        summary.verdict
    );
    let (_, summary) = read(&packed[..8], None);
    assert_eq!(summary.verdict.name(), "unusable");
    // One layer is undone, no more.
    let (links, summary) = read(&gzip(&packed), None);
    assert_eq!((links.len(), summary.verdict.name()), (0, "unusable"));
    let bomb = gzip(format!("<urlset><url><loc>/a</loc></url>{}", " ".repeat(64 * 1024 * 1024)).as_bytes());
    let (links, summary) = read(&bomb, None);
    assert_eq!((links.len(), summary.verdict.name()), (1, "truncated"), "{:?}", summary.verdict);
    for body in [b"%PDF-1.7".as_slice(), b"PK\x03\x04", b"\0\0\0", b"\x89PNG\r\n\x1a\n"] {
        assert_eq!(read(body, Some("text/xml")).1.verdict.name(), "unusable");
    }
}

#[test]
fn limits() {
    let long = |len: usize| format!("<urlset><url><loc>/{}</loc></url></urlset>", "a".repeat(len - 1));
    assert!(read(long(MAX_URL_BYTES).as_bytes(), None).0[0].starts_with("entry"));
    assert!(read(long(MAX_URL_BYTES + 1).as_bytes(), None).0[0].starts_with("!rule"));
    let deep = format!("<urlset><url><loc>/a</loc></url>{}", "<x>".repeat(1000));
    let (links, summary) = read(deep.as_bytes(), None);
    assert_eq!((links.len(), summary.verdict.name()), (1, "truncated"));
    let many = format!("<urlset>{}</urlset>", "<url><loc>/a</loc></url>".repeat(50_001));
    let (links, summary) = read(many.as_bytes(), None);
    assert_eq!((links.len(), summary.verdict.name(), summary.oddities.len()), (50_001, "ok", 1));
    let alternates = format!(
        "<urlset><url><loc>/a</loc>{}</url></urlset>",
        "<l:link rel='alternate' href='/b'/>".repeat(2500)
    );
    assert_eq!(read(alternates.as_bytes(), None).0.len(), 2501);
}

#[test]
fn hostile_documents_take_linear_time() {
    const SIZE: usize = 1024 * 1024;
    let scraps = [
        "<",
        "<url>",
        "<loc>",
        "<url><loc>",
        "&",
        "&amp;",
        "<!--",
        "<![CDATA[",
        "]]>",
        "<!DOCTYPE [",
        "<a b='",
        "</url>",
        "<?",
        "x",
        "\n",
        "\r",
        " ",
        "&#1;",
        "<x y ",
        "<x y='1' ",
        "</",
        "<l:link rel='alternate' href='/b'/>",
        "<loc/>",
        "https://k.test/\n",
        "{",
        "<urlset>",
    ];
    for scrap in scraps {
        for lead in ["", "<urlset>", "<urlset><url><loc>"] {
            let text = format!("{lead}{}", scrap.repeat(SIZE / scrap.len()));
            let started = Instant::now();
            read(text.as_bytes(), None);
            let took = started.elapsed();
            assert!(took < Duration::from_secs(10), "{lead} {scrap} took {took:?}");
        }
    }
}

#[test]
fn real_sitemaps_are_read_whole() {
    let Some(corpora) = corpora() else { return };
    let is_sitemap = |name: &str| {
        name.starts_with("sitemap") && [".xml", ".xml.gz", ".txt"].iter().any(|end| name.ends_with(end))
    };
    let (mut count, mut total) = (0, 0);
    for path in files(&corpora, &is_sitemap) {
        let bytes = std::fs::read(&path).expect("a readable file");
        let (links, summary) = read(&bytes, None);
        if summary.format.is_some_and(|format| format != Format::Text) {
            assert_eq!(summary.verdict.name(), "ok", "{}: {}", path.display(), summary.verdict.why());
            let text = String::from_utf8_lossy(&bytes);
            check_text(&text);
            // A second look that knows no XML. Comments would spoil it.
            if !text.contains("<!--") {
                let locs = text.matches("<loc>").count() + text.matches("<loc/>").count();
                let entries = links.iter().filter(|link| !link.starts_with("alternate")).count();
                assert_eq!(entries, locs, "{}", path.display());
            }
        }
        println!("{} {:?} {} {}", links.len(), summary.format, summary.verdict.name(), path.display());
        count += 1;
        total += links.len();
    }
    println!("{count} sitemaps, {total} links");
}

#[test]
fn shared_cases() {
    let Some(corpora) = corpora() else { return };
    let Ok(lines) = std::fs::read_to_string(corpora.join("../index-cases.jsonl")) else { return };
    let mut checked = 0;
    for line in lines.lines() {
        let case: serde_json::Value = serde_json::from_str(line).expect("a case");
        let Some(input) = case["input"].as_str().filter(|_| case["kind"] == "sitemap") else { continue };
        let wants = case["expect"]
            .as_array()
            .expect("expectations")
            .iter()
            .filter(|want| want["disposition"] != "not_a_link");
        let resolved = |href: &str| {
            if href.starts_with('/') { format!("https://docs.example.com{href}") } else { href.to_owned() }
        };
        let mut wanted: Vec<String> =
            wants.map(|want| want["url"].as_str().expect("an address").to_owned()).collect();
        let mut got: Vec<String> = hrefs(input.as_bytes(), None).iter().map(|href| resolved(href)).collect();
        wanted.sort();
        got.sort();
        assert_eq!(got, wanted, "{}", case["id"]);
        let verdict = read(input.as_bytes(), None).1.verdict;
        assert_eq!(verdict.name(), case["index"].as_str().unwrap_or("ok"), "{}", case["id"]);
        checked += 1;
    }
    println!("{checked} cases");
}

const SCRAPS: &[&str] = &[
    "<urlset>",
    "</urlset>",
    "<url>",
    "</url>",
    "<loc>",
    "</loc>",
    "<loc/>",
    "<sitemapindex>",
    "<sitemap>",
    "/a",
    "&amp;",
    "&",
    ";",
    "&x;",
    "<!--",
    "-->",
    "<![CDATA[",
    "]]>",
    "<?xml version='1.0'?>",
    "<!DOCTYPE a [",
    "<!ENTITY x 'y'>",
    "]>",
    "<",
    ">",
    "'",
    "\"",
    "=",
    "\n",
    "\r\n",
    " ",
    "é文",
    "\u{feff}",
    "\0",
    "<lastmod>",
    "</lastmod>",
    "<l:link rel='alternate' href='b'/>",
    "<rss>",
    "<channel>",
    "<item>",
    "<link>",
    "</link>",
    "<guid>",
    "<feed>",
    "<entry>",
    "<link href=c>",
    "https://k.test/d\n",
    "xmlns='u'",
    "<a:b xmlns:a='u'>",
    "</",
    "/>",
    "<!",
    "<?",
];

proptest! {
    #[test]
    fn no_text_breaks_the_reader(scraps in proptest::collection::vec(proptest::sample::select(SCRAPS), 0..40)) {
        check_text(&scraps.concat());
    }

    #[test]
    fn no_bytes_break_the_reader(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
        read(&bytes, None);
        read(&[b"<urlset><url><loc>".as_slice(), &bytes].concat(), None);
    }

    #[test]
    fn what_is_listed_is_found(names in proptest::collection::vec("[a-zà-ÿ0-9/?=&<>'\"_-]{1,12}", 1..20), pack in any::<bool>()) {
        let escaped = |name: &str| name.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
        let entries: String = names.iter().map(|name| format!("<url><loc>/{}</loc></url>\n", escaped(name))).collect();
        let text = format!("<urlset>{entries}</urlset>");
        let body = if pack { gzip(text.as_bytes()) } else { text.into_bytes() };
        let wanted: Vec<String> = names.iter().map(|name| format!("/{name}")).collect();
        prop_assert_eq!(hrefs(&body, None), wanted);
    }
}

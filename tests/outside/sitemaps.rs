//! What sitemaps.org promises, told anew in `sitemaps.md`, and its limits.

use std::fmt::Write;

use wholesite_extract::sitemap::{self, Limits, PROTOCOL_MAX_ADDRESSES};
use wholesite_extract::{Role, Target};

use crate::score::Score;

#[test]
fn the_protocol() {
    let mut score = Score::of("sitemaps");
    for case in include_str!("sitemaps.md").split("\n## ").skip(1) {
        let (name, rest) = case.split_once('\n').expect("a name");
        let (document, expected): (Vec<&str>, Vec<&str>) =
            rest.lines().filter(|line| !line.is_empty()).partition(|line| line.starts_with("    "));
        let document: String = document.iter().map(|line| format!("{}\n", &line[4..])).collect();
        for (form, bytes) in forms(&document) {
            score.same(
                format!("{name}, {form}"),
                read(&bytes),
                expected.iter().map(|line| (*line).to_owned()).collect(),
            );
        }
    }
    score.settle();
}

/// A document as it may be served: as it is, with a byte order mark, in UTF-16.
fn forms(document: &str) -> [(&'static str, Vec<u8>); 3] {
    let utf16 = document.replace("UTF-8", "UTF-16");
    let utf16 = "\u{feff}".encode_utf16().chain(utf16.encode_utf16()).flat_map(u16::to_le_bytes).collect();
    [
        ("plain", document.as_bytes().to_vec()),
        ("with a byte order mark", format!("\u{feff}{document}").into_bytes()),
        ("in UTF-16", utf16),
    ]
}

fn read(bytes: &[u8]) -> Vec<String> {
    let mut lines = Vec::new();
    let summary = sitemap::read(bytes, None, &Limits::default(), &mut |link| {
        let role = if link.role == Role::Index { "index" } else { "page" };
        let Target::Literal(href) = &link.target else { return lines.push("unreadable".to_owned()) };
        let mut line = format!("{role} {href}");
        if let Some(lastmod) = link.lastmod {
            let _ = write!(line, " {lastmod}");
        }
        lines.push(line);
    });
    lines.push(summary.verdict.name().to_owned());
    lines
}

/// 50,000 addresses are what one file may hold; a file with more is read all the same, and said to be
/// odd.
#[test]
fn as_many_addresses_as_the_protocol_allows_and_one_more() {
    for extra in [0, 1] {
        let count = PROTOCOL_MAX_ADDRESSES + extra;
        let mut text = String::from("<urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">");
        (0..count).for_each(|at| write!(text, "<url><loc>https://k.test/{at}</loc></url>").expect("memory"));
        text.push_str("</urlset>");
        let summary = sitemap::read(text.as_bytes(), None, &Limits::default(), &mut |_| ());
        assert_eq!((summary.links, summary.verdict.name()), (count, "ok"));
        assert_eq!(summary.oddities.len(), extra as usize);
    }
}

//! `Link` and `X-Llms-Txt` fields, as servers send them.

use proptest::prelude::*;
use wholesite_extract::link_header::{HeaderLink, read, read_x_llms_txt};

/// `href; rel rel; type; hreflang; anchor; title`, what is missing left empty.
fn written(link: &HeaderLink) -> String {
    let or_empty = |value: &Option<String>| value.clone().unwrap_or_default();
    let parts = [
        link.href.clone(),
        link.rels.join(" "),
        or_empty(&link.media_type),
        or_empty(&link.hreflang),
        or_empty(&link.anchor),
        or_empty(&link.title),
    ];
    parts.join("; ").trim_end_matches([' ', ';']).to_owned()
}

#[test]
fn link_fields() {
    let table: &[(&[&str], &[&str])] = &[
        (
            &["</llms.txt>; rel=\"llms-txt\", </llms-full.txt>; rel=\"llms-full-txt\""],
            &["/llms.txt; llms-txt", "/llms-full.txt; llms-full-txt"],
        ),
        (&["<a>; rel=next", "<b>;rel=prev"], &["a; next", "b; prev"]),
        (
            &["<https://kite.test/p.md>; REL=Alternate; Type=\"Text/Markdown; charset=utf-8\"; hreflang=en"],
            &["https://kite.test/p.md; alternate; text/markdown; en"],
        ),
        (&["<x>; rel=\"start  Next http://kite.test/rel\""], &["x; start next http://kite.test/rel"]),
        (
            &["<a,b;c>; rel=next; title=\"one, <two>; \\\"three\\\"\", <d>; rel=up"],
            &["a,b;c; next; ; ; ; one, <two>; \"three\"", "d; up"],
        ),
        (&["<a>; rel=next; rel=prev; anchor=\"#x\"; anchor=\"#y\""], &["a; next; ; ; #x"]),
        (&["< /a > ; rel = \"next\" ;", ",, <b>,"], &["/a; next", "b"]),
        (&["</a>; rel='next'; title*=UTF-8''x"], &["/a; next"]),
        (&["junk, <a> junk; rel=next, <b"], &["a; next"]),
        (&["</a>; rel=\"never closed, <b>; rel=up"], &["/a; never closed, <b>; rel=up"]),
        (&["</a>; rel; type; preload"], &["/a"]),
        (&["<>; rel=canonical"], &["; canonical"]),
        (&["", " "], &[]),
    ];
    for (values, want) in table {
        let got: Vec<_> = read(values.iter().copied()).iter().map(written).collect();
        assert_eq!(got, *want, "{values:?}");
    }
}

#[test]
fn llms_txt_fields() {
    let table: &[(&[&str], &[&str])] = &[
        (&["/llms.txt"], &["/llms.txt"]),
        (
            &["<https://kite.test/docs/llms.txt>; rel=x", " \"/b\" "],
            &["https://kite.test/docs/llms.txt", "/b"],
        ),
        (&["/a, /b", ""], &["/a", "/b"]),
    ];
    for (values, want) in table {
        let links = read_x_llms_txt(values.iter().copied());
        assert!(links.iter().all(|link| link.has_rel("LLMs-txt") && link.names_index()));
        let got: Vec<_> = links.iter().map(|link| link.href.as_str()).collect();
        assert_eq!(got, *want, "{values:?}");
    }
}

#[test]
fn indexes() {
    let table = [
        ("</llms.txt>; rel=llms-txt", true),
        ("</s.xml>; rel=\"x sitemap\"", true),
        ("</docs/LLMS.txt?v=1>; rel=describedby", true),
        ("</schema.json>; rel=describedby", false),
        ("</llms.txt>; rel=alternate", false),
    ];
    for (value, want) in table {
        assert_eq!(read([value])[0].names_index(), want, "{value}");
    }
}

proptest! {
    #[test]
    fn no_value_breaks_the_reader(value in "[<>;,=\"\\\\ a-eé'relt/]{0,60}") {
        for link in read([value.as_str()]) {
            prop_assert!(value.contains(&link.href));
        }
        read_x_llms_txt([value.as_str()]);
    }
}

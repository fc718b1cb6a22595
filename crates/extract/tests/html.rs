//! The HTML reader: the table, the facts, the tree of another parser, and the laws.

mod support;

use std::time::{Duration, Instant};

use html5ever::tendril::TendrilSink;
use html5ever::tree_builder::TreeBuilderOpts;
use html5ever::{ParseOpts, parse_document};
use markup5ever_rcdom::{Handle, NodeData, RcDom};
use proptest::prelude::*;
use support::{cases, check_laws, corpora, files};
use wholesite_extract::html::{self, Alternate, MetaRobots};
use wholesite_extract::{Link, Role, Syntax};

fn written(link: &Link<'_>) -> String {
    let role = match link.role {
        Role::Entry => "entry",
        Role::Index => "index",
        Role::Mention => "mention",
        Role::Canonical => "canonical",
        Role::Alternate => "alternate",
        Role::Refresh => "refresh",
    };
    format!("{role} | {} | {}", link.href(), link.label).trim_end().to_owned()
}

fn check(text: &str) {
    let html = html::read(text);
    check_laws(text, &html.reading);
    let spans =
        html.reading.links.iter().map(|link| &link.span).chain(html.base.as_ref().map(|base| &base.span));
    for span in spans {
        let tag = &text[span.clone()];
        assert!(tag.starts_with('<') && tag.ends_with('>'), "{tag:?} is no tag");
    }
}

#[test]
fn table() {
    for case in cases(include_str!("cases/html.md")) {
        check(&case.text);
        let html = html::read(&case.text);
        let links: Vec<_> = html.reading.links.iter().map(written).collect();
        let wanted: Vec<_> = case.links.iter().map(|line| line.trim_end().to_owned()).collect();
        assert_eq!(links, wanted, "links of {:?}", case.name);
        assert_eq!(html.reading.verdict.name(), case.verdict, "verdict of {:?}", case.name);
    }
}

#[test]
fn facts() {
    let html = html::read(
        "<!doctype html><HTML lang='en-GB'><head><title>\n Kites &amp; <b>wings </title><title>No</title>\
         <base target=_top><base href='/v2/'><base href='/no/'>\
         <meta name=Robots content='max-snippet:-1, NoFollow'><meta name=generator content='Kitepress 2'>\
         <link rel=alternate type='Text/Markdown; charset=utf-8' href=k.md><link rel=canonical href='/kites'>\
         <meta http-equiv=refresh content='5; url=/later'></head><body><div role=main>four words stand here\
         <script>not counted</script><a href='#/route'>R</a><a href='#!r'>R</a><a href='#x'>x</a><input type=PASSWORD>",
    );
    assert_eq!(html.reading.title.as_deref(), Some("Kites & <b>wings"));
    assert_eq!(html.lang.as_deref(), Some("en-GB"));
    assert_eq!(html.generator.as_deref(), Some("Kitepress 2"));
    assert_eq!(html.base.as_ref().map(|base| base.href.as_ref()), Some("/v2/"));
    assert_eq!(html.robots, MetaRobots { noindex: false, nofollow: true });
    assert_eq!(html.canonical().map(Link::href), Some("/kites"));
    assert_eq!(
        html.alternates,
        [Alternate { link: 0, media_type: Some("text/markdown".to_owned()), hreflang: None }]
    );
    assert_eq!(html.refresh.map(|refresh| (refresh.link, refresh.seconds)), Some((2, 5)));
    assert_eq!((html.text_len, html.client_routes), ("fourwordsstandhere".len() + 3, 2));
    assert!(html.has_main && html.has_password_field && !html.script_only_shell);
    assert_eq!(html.reading.oddities.len(), 1);
}

#[test]
fn robots_and_shells() {
    let robots = |noindex, nofollow| MetaRobots { noindex, nofollow };
    let table = [
        ("<meta name=robots content=none>", robots(true, true)),
        ("<meta name=googlebot content='noindex,follow'>", robots(true, false)),
        (
            "<meta name=robots content='index, follow'><meta name=ROBOTS content=nofollow>",
            robots(false, true),
        ),
        (
            "<meta name=otherbot content=noindex><template><meta name=robots content=noindex></template>",
            robots(false, false),
        ),
    ];
    for (text, want) in table {
        assert_eq!(html::read(text).robots, want, "{text}");
    }
    let table = [
        ("<div id=root></div><script src=app.js></script>", true),
        (
            "<noscript><a href=/x>Switch on scripts, please</a></noscript><div id=root></div><script src=app.js></script>",
            true,
        ),
        ("<div id=root><a href=/x>x</a></div><script src=app.js></script>", false),
        ("<p>short</p>", false),
    ];
    for (text, want) in table {
        assert_eq!(html::read(text).script_only_shell, want, "{text}");
    }
    let long = format!("<p>{}</p><script></script>", "words ".repeat(100));
    assert!(!html::read(&long).script_only_shell);
}

/// `href` of `a` and `area` in tree order, as the standard's own algorithm finds them.
fn in_tree(text: &str) -> Vec<String> {
    let options = ParseOpts {
        tree_builder: TreeBuilderOpts { scripting_enabled: false, ..TreeBuilderOpts::default() },
        ..ParseOpts::default()
    };
    let dom = parse_document(RcDom::default(), options).one(text);
    let mut hrefs = Vec::new();
    let mut open: Vec<Handle> = vec![dom.document.clone()];
    while let Some(node) = open.pop() {
        if let NodeData::Element { name, attrs, .. } = &node.data
            && matches!(&*name.local, "a" | "area")
        {
            let attrs = attrs.borrow();
            let href = attrs.iter().find(|attr| &*attr.name.local == "href");
            hrefs.extend(href.map(|attr| attr.value.to_string()));
        }
        open.extend(node.children.borrow().iter().rev().cloned());
    }
    hrefs
}

#[test]
fn real_pages_have_the_links_of_their_tree() {
    let Some(corpora) = corpora() else { return };
    let (mut pages, mut links) = (0, 0);
    for path in files(&corpora, &|name| name.ends_with(".html") || name.ends_with(".htm")) {
        let Ok(text) = std::fs::read_to_string(&path) else { continue };
        if text.len() > 1024 * 1024 {
            continue;
        }
        let text = text.trim_start_matches('\u{feff}').replace("\r\n", "\n");
        check(&text);
        let html = html::read(&text);
        let anchors = html.reading.links.iter().filter(|link| link.syntax == Syntax::HtmlHref);
        let mut ours: Vec<_> = anchors.map(|link| link.href().to_owned()).collect();
        let mut theirs = in_tree(&text);
        // A table moves what may not stand in it, so that the order of a tree is not that of the text.
        ours.sort();
        theirs.sort();
        assert_eq!(ours, theirs, "{}", path.display());
        pages += 1;
        links += ours.len();
    }
    println!("{pages} pages, {links} links");
}

#[test]
fn hostile_documents_take_linear_time() {
    const SIZE: usize = 1024 * 1024;
    let attributes: String = (0..100_000).map(|n| format!("a{n} ")).collect();
    let mut documents: Vec<String> = [
        "<",
        "<a ",
        "<a href=x>",
        "<div>",
        "<b><p>",
        "&",
        "<!",
        "<!--",
        "<!-- -->",
        "-",
        "</",
        "</a>",
        "<svg>",
        "<svg><g></x>",
        "<title>",
        "<script>",
        "<script><!--<script>",
        "<template>",
        "<a href='",
        "&#9",
        "<a title=",
        "=",
        "<svg><foreignObject>",
        "</svg>",
        "<![CDATA[",
        "<?>",
        "<link rel=next href=x>",
    ]
    .iter()
    .map(|scrap| scrap.repeat(SIZE / scrap.len()))
    .collect();
    documents.push(format!("<a {attributes} href=x>"));
    documents.push(format!("<a href=x>{}", " ".repeat(SIZE)));
    documents.push(format!("<meta name=robots content='{}'>", "a,".repeat(SIZE / 2)));
    for text in documents {
        let started = Instant::now();
        check(&text);
        let took = started.elapsed();
        // Far above what it takes, far below what anything quadratic would.
        assert!(took < Duration::from_secs(10), "{:?}… took {took:?}", &text[..20.min(text.len())]);
    }
}

const SCRAPS: &[&str] = &[
    "<a href=x>",
    "</a>",
    "<a ",
    "<a href='",
    "'",
    "\"",
    ">",
    "<",
    "</",
    "<svg>",
    "</svg>",
    "<title>",
    "</title>",
    "<template>",
    "</template>",
    "<!--",
    "-->",
    "<script>",
    "</script>",
    "<base href=b>",
    "<meta http-equiv=refresh content='0;url=y'>",
    "<link rel=alternate href=z>",
    "<p>",
    "</p>",
    "<math><mi>",
    "<![CDATA[",
    "]]>",
    "é文",
    " ",
    "\r\n",
    "&amp;",
    "&",
    "<noscript>",
    "</noscript>",
    "<foreignObject>",
    "<style>",
    "<img alt=i>",
    "text",
];

proptest! {
    #[test]
    fn no_text_breaks_the_reader(scraps in proptest::collection::vec(proptest::sample::select(SCRAPS), 0..30), junk in ".{0,20}") {
        check(&(scraps.concat() + &junk));
        check(&(junk + &scraps.concat()));
    }
}

//! The MDX reader against its case table, the field's cases, the reference parser and its laws.

mod support;

use std::collections::BTreeMap;

use markdown::mdast::{AttributeContent, AttributeValue, Node};
use markdown::{Constructs, ParseOptions};
use proptest::prelude::*;
use wholesite_extract::{Target, mdx};

#[test]
fn the_table_of_cases_holds() {
    let table = include_str!("cases/mdx.md");
    let mut faults = Vec::new();
    for case in table.split("\n=== ").skip(1) {
        let (name, rest) = case.split_once('\n').expect("a body");
        let (text, expected) = rest.rsplit_once("\n---\n").expect("an expectation");
        let expected: Vec<&str> = expected.lines().filter(|line| !line.is_empty()).collect();
        let reading = mdx::read(text);
        support::check_laws(text, &reading);
        let found: Vec<String> = reading
            .links
            .iter()
            .map(|link| match &link.target {
                Target::Dynamic(raw) => format!("~{raw}"),
                _ => link.href().to_owned(),
            })
            .collect();
        if found != expected {
            faults.push(format!("{name}\n  found    {found:?}\n  expected {expected:?}"));
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n\n"));
}

#[test]
fn places_are_those_of_the_source() {
    let text = "<Tab>\n    - [a](/a) and <Card href=\"/b\"/>\n    > > [c](/c)\n</Tab>\n";
    let found: Vec<&str> = mdx::read(text).links.iter().map(|link| &text[link.span.clone()]).collect();
    assert_eq!(found, ["[a](/a)", "<Card href=\"/b\"/>", "[c](/c)"]);
}

#[test]
fn what_is_not_valid_mdx_is_marked() {
    for (text, valid) in [
        ("<Card>[x](/y)</Card>\n", true),
        ("a < b {1 + 1} <br />\n", true),
        ("<br>\n", false),
        ("{ open\n", false),
        ("</b>\n", false),
        ("<a href=x>y</a>\n", false),
        ("<https://example.com>\n", false),
    ] {
        assert_eq!(mdx::read(text).oddities.is_empty(), valid, "{text:?}: {:?}", mdx::read(text).oddities);
    }
}

/// 4 MB of each: no panic, and no more than linear time (a quadratic reader would take minutes).
#[test]
fn hostile_pages_cost_linear_time() {
    for piece in [
        "{", "<", "`", "$", "<a b=\"", "{<a b={", "[", "](", "> ", "- ", "<a ", "${`", "{/*", "import {",
        "\\", "<!--", "```\n", "~~~\n- ", "{\"", "``` `",
    ] {
        let text = piece.repeat(400_000 / piece.len());
        let started = std::time::Instant::now();
        let reading = mdx::read(&text);
        support::check_laws(&text, &reading);
        assert!(started.elapsed().as_secs() < 20, "{piece:?} took {:?}", started.elapsed());
    }
}

fn constructs() -> ParseOptions {
    let constructs = Constructs {
        frontmatter: true,
        gfm_autolink_literal: true,
        gfm_footnote_definition: true,
        gfm_label_start_footnote: true,
        gfm_strikethrough: true,
        gfm_table: true,
        gfm_task_list_item: true,
        math_flow: true,
        math_text: true,
        ..Constructs::mdx()
    };
    ParseOptions { constructs, ..ParseOptions::mdx() }
}

/// The destinations that the reference parser sees, sorted; `None` where it refuses the page.
fn reference(text: &str) -> Option<Vec<String>> {
    let tree = markdown::to_mdast(text, &constructs()).ok()?;
    let mut definitions: BTreeMap<String, String> = BTreeMap::new();
    let (mut links, mut open) = (Vec::new(), vec![&tree]);
    while let Some(node) = open.pop() {
        if let Node::Definition(definition) = node {
            definitions.entry(definition.identifier.clone()).or_insert_with(|| definition.url.clone());
        }
        open.extend(node.children().into_iter().flatten());
    }
    let mut open = vec![&tree];
    while let Some(node) = open.pop() {
        match node {
            Node::Link(link) => {
                links.push(link.url.clone());
                // A visible address is no second link, though this parser makes one of it.
                continue;
            }
            Node::LinkReference(link) => links.extend(definitions.get(&link.identifier).cloned()),
            Node::MdxJsxFlowElement(element) => links.extend(hrefs(&element.attributes)),
            Node::MdxJsxTextElement(element) => links.extend(hrefs(&element.attributes)),
            _ => {}
        }
        open.extend(node.children().into_iter().flatten());
    }
    links.sort();
    Some(links)
}

/// What the scanner sees of the same, sorted.
fn literals(text: &str) -> Vec<String> {
    let reading = mdx::read(text);
    // An attribute with an expression is no literal to the reference parser.
    let is_literal = |link: &&wholesite_extract::Link<'_>| {
        matches!(link.target, Target::Literal(_)) && !text[link.span.clone()].contains("href={")
    };
    let mut found: Vec<String> =
        reading.links.iter().filter(is_literal).map(|link| link.href().to_owned()).collect();
    found.sort();
    found
}

fn hrefs(attributes: &[AttributeContent]) -> impl Iterator<Item = String> {
    attributes.iter().filter_map(|attribute| match attribute {
        AttributeContent::Property(property) if property.name == "href" => match &property.value {
            Some(AttributeValue::Literal(value)) => Some(value.clone()),
            _ => None,
        },
        _ => None,
    })
}

/// Every Markdown and MDX page at hand that the reference parser accepts: the same destinations.
#[test]
fn pages_of_others_read_as_the_reference_parser_reads_them() {
    let Some(corpora) = support::corpora() else { return };
    let pages =
        support::files(&corpora.join("mintlify"), &|name| name.ends_with(".mdx") || name.ends_with(".md"));
    // A fixed share, since the reference parser is slow; WHOLESITE_SHARE=1 compares every page.
    let every = std::env::var("WHOLESITE_SHARE").ok().and_then(|n| n.parse().ok()).unwrap_or(13_usize).max(1);
    let share: Vec<_> = pages.iter().step_by(every).collect();
    let (mut compared, mut links, mut faults) = (0, 0, Vec::new());
    for path in share {
        let Ok(text) = std::fs::read_to_string(path) else { continue };
        if text.len() > 30_000 {
            continue;
        }
        support::check_laws(&text, &mdx::read(&text));
        let Some(expected) = reference(&text) else { continue };
        let found = literals(&text);
        compared += 1;
        links += expected.len();
        if found != expected && !KNOWN_GAPS.iter().any(|gap| path.ends_with(gap)) {
            let (missing, surplus) = (less(&expected, &found), less(&found, &expected));
            faults.push(format!("{}\n  missing {missing:?}\n  surplus {surplus:?}", path.display()));
        }
    }
    println!("{compared} pages with {links} links compared, {} differ", faults.len());
    for fault in &faults {
        println!("{fault}");
    }
    assert!(faults.is_empty(), "{} pages differ", faults.len());
}

/// Pages that differ, and why; the list may only shrink.
///
/// - The reference parser lists the addresses of images there as links of their own.
const KNOWN_GAPS: &[&str] = &["agentops/tree/snippets/no-mintlify-cards.mdx"];

/// What is left of `all` after each of `others` has been taken away once.
fn less<'a>(all: &'a [String], others: &[String]) -> Vec<&'a String> {
    let mut others: Vec<&String> = others.iter().collect();
    let left = all.iter().filter(|href| match others.iter().position(|other| other == href) {
        Some(at) => {
            others.remove(at);
            false
        }
        None => true,
    });
    left.collect()
}

/// A stretch of inline content.
fn inline() -> impl Strategy<Value = String> {
    prop_oneof![
        "[a-z]{1,6}",
        "\\[[a-z]{1,4}\\]\\(/[a-z]{1,4}\\)",
        "\\[[a-z]{1,3} `[a-z]`\\]\\(</[a-z] [a-z]> \"t\"\\)",
        "\\[[a-z]\\]\\[[rs]\\]",
        "!\\[[a-z]\\]\\(/i[a-z]\\)",
        "\\[!\\[[a-z]\\]\\(/i\\)\\]\\(/[a-z]\\)",
        "`\\[[a-z]\\]\\(/no\\)`",
        "\\*\\*\\[[a-z]\\]\\(/[a-z]{1,3}\\)\\*\\*",
        "https://x\\.test/[a-z]{1,3}",
        "<a href=\"/[a-z]{1,3}\">[a-z]</a>",
        "<Tip href='/[a-z]' icon=\"[a-z]\" />",
        "\\{[a-z]\\}",
        "\\{/\\* \\[[a-z]\\]\\(/no\\) \\*/\\}",
        "\\\\\\[[a-z]\\]\\(/no\\)",
        "\\$[a-z]\\$",
    ]
}

fn line() -> impl Strategy<Value = String> {
    proptest::collection::vec(inline(), 1..5).prop_map(|parts| parts.join(" "))
}

fn block() -> impl Strategy<Value = String> {
    prop_oneof![
        line(),
        line().prop_map(|line| format!("## {line}")),
        line().prop_map(|line| format!("- {line}\n  - {line}")),
        line().prop_map(|line| format!("1. {line}\n\n   {line}")),
        line().prop_map(|line| format!("> {line}\n> {line}")),
        line().prop_map(|line| format!("```md\n{line}\n```")),
        line().prop_map(|line| format!("- x\n\n  ```\n  {line}\n  ```")),
        line().prop_map(|line| format!("<Card href=\"/card\">\n  {line}\n</Card>")),
        line().prop_map(|line| format!("<Steps>\n  <Step>\n    {line}\n\n    - {line}\n  </Step>\n</Steps>")),
        line().prop_map(|line| format!("| a | b |\n| - | - |\n| {line} | x |")),
        line().prop_map(|line| format!("{line}\n{line}")),
        Just("[r]: /ref 'title'\n[s]: </s>".to_owned()),
        Just("$$\n[n](/no)\n$$".to_owned()),
        Just("***".to_owned()),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 500, ..ProptestConfig::default() })]

    #[test]
    fn generated_pages_read_as_the_reference_parser_reads_them(blocks in proptest::collection::vec(block(), 1..8)) {
        let text = blocks.join("\n\n");
        if let Some(expected) = reference(&text) {
            prop_assert_eq!(literals(&text), expected, "{}", text);
        }
    }
}

proptest! {
    #[test]
    fn no_text_panics_and_all_places_are_in_it(scraps in proptest::collection::vec(proptest::sample::select(support::SCRAPS), 0..60)) {
        let text = scraps.concat();
        support::check_laws(&text, &mdx::read(&text));
    }

    #[test]
    fn reading_twice_is_the_same(text in "\\PC{0,200}") {
        prop_assert_eq!(mdx::read(&text), mdx::read(&text));
    }
}

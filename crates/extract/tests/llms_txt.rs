//! The llms.txt reader: the table, the shared cases, real files, and the laws.

mod support;

use proptest::prelude::*;
use support::{SCRAPS, cases, check_laws, corpora, files, written};
use wholesite_extract::{Target, llms_txt};

#[test]
fn table() {
    for case in cases(include_str!("cases/llms_txt.md")) {
        let reading = llms_txt::read(&case.text);
        check_laws(&case.text, &reading);
        let links: Vec<_> = reading.links.iter().map(written).collect();
        assert_eq!(links, case.links, "links of {:?}", case.name);
        assert_eq!(
            reading.verdict.name(),
            case.verdict,
            "verdict of {:?}: {}",
            case.name,
            reading.verdict.why()
        );
    }
}

#[test]
fn a_flat_index_near_the_cut_is_truncated() {
    let line = "- [Page](https://kite.test/page.md): words\n";
    let flat = line.repeat(llms_txt::MINTLIFY_CUT / line.len());
    assert_eq!(llms_txt::read(&flat).verdict.name(), "truncated");
    let split = format!("- [Part (9 pages)](https://kite.test/_llms/part.md)\n{flat}");
    assert_eq!(llms_txt::read(&split).verdict.name(), "ok");
    assert_eq!(llms_txt::read(&line.repeat(100)).verdict.name(), "ok");
}

#[test]
fn declared_counts_and_bundle_names() {
    let counts = [
        ("Guides (183 pages)", Some(183)),
        ("Home (1 page) ", Some(1)),
        ("All (1,024 pages)", Some(1024)),
        ("Guides (1,02 pages)", None),
        ("Guides (many pages)", None),
        ("(12 pages) of it", None),
        ("Guides (5 books)", None),
        ("Guides", None),
    ];
    for (label, want) in counts {
        assert_eq!(llms_txt::declared_pages(label), want, "{label:?}");
    }
    let names = [
        ("llms-full.txt", true),
        ("docs/LLMS-FULL.txt?x#y", true),
        ("llms-small.txt", true),
        ("llms-ctx-full.txt", true),
        ("_llms-txt/guides.txt", true),
        ("llms-full.txt/2", true),
        ("llms.txt", false),
        ("llms-en.txt", false),
        ("guides.txt", false),
        ("2", false),
    ];
    for (name, want) in names {
        assert_eq!(llms_txt::is_bundle_name(name), want, "{name:?}");
    }
}

/// The cases that the project shares with others: what must be found, and what must not.
#[test]
fn shared_cases() {
    let Some(corpora) = corpora() else { return };
    let Ok(all) = std::fs::read_to_string(corpora.join("../index-cases.jsonl")) else { return };
    let mut seen = 0;
    for case in
        all.lines().map(|line| serde_json::from_str::<serde_json::Value>(line).expect("a case is JSON"))
    {
        if case["kind"] != "llms_txt" {
            continue;
        }
        seen += 1;
        let reading = llms_txt::read(case["input"].as_str().expect("an input"));
        let base = url::Url::parse(case["base_url"].as_str().expect("a base")).expect("a URL");
        check_expected(&case, &reading, &base);
    }
    assert!(seen >= 52, "only {seen} cases");
}

/// Destinations come out in the order and number of the expectation, resolved as a browser would.
fn check_expected(case: &serde_json::Value, reading: &wholesite_extract::Reading<'_>, base: &url::Url) {
    let id = case["id"].as_str().unwrap_or_default();
    let found: Vec<String> = reading
        .links
        .iter()
        .map(|link| match &link.target {
            Target::Literal(href) if !href.is_empty() => resolve(base, href),
            _ => link.href().to_owned(),
        })
        .collect();
    let expected = case["expect"].as_array().expect("expectations");
    let counted: Vec<&str> = expected
        .iter()
        .filter(|e| e["disposition"] != "not_a_link")
        .filter_map(|e| e["url"].as_str())
        .collect();
    assert_eq!(found, counted, "{id}");
    let verdict = reading.verdict.name();
    match case["index"].as_str() {
        Some("unusable" | "no_links") => assert_eq!(verdict, "unusable", "{id}"),
        Some(other) => assert_eq!(verdict, other, "{id}"),
        None => assert!(matches!(verdict, "ok" | "no_pages" | "truncated"), "{id}: {verdict}"),
    }
}

fn resolve(base: &url::Url, href: &str) -> String {
    match base.join(href) {
        Ok(mut url) if matches!(url.scheme(), "http" | "https") => {
            url.set_fragment(None);
            url.into()
        }
        _ => href.to_owned(),
    }
}

/// Seven real files whose links were counted by an independent reader.
#[test]
fn real_files() {
    let Some(corpora) = corpora() else { return };
    let folder = corpora.join("llms_txt");
    let Ok(sources) = std::fs::read_to_string(folder.join("SOURCES.jsonl")) else { return };
    for source in sources.lines().map(|line| serde_json::from_str::<serde_json::Value>(line).expect("JSON")) {
        let name = source["file"].as_str().expect("a file");
        let text = std::fs::read_to_string(folder.join(name)).expect("the file");
        let base = url::Url::parse(source["base_url"].as_str().expect("a base")).expect("a URL");
        let reading = llms_txt::read(&text);
        let found: Vec<_> = reading.links.iter().map(|link| resolve(&base, link.href())).collect();
        let want: Vec<_> = source["expect"]
            .as_array()
            .expect("expectations")
            .iter()
            .filter_map(|e| e["url"].as_str())
            .collect();
        assert_eq!(found, want, "{name}");
    }
}

/// Real indexes hold next to no link syntax that can't be read: each one that comes out is looked at.
#[test]
fn false_alarms() {
    let Some(corpora) = corpora() else { return };
    let mut alarms = Vec::new();
    let mut read = 0;
    for path in files(&corpora, &|name| {
        name.starts_with("llms") && name.ends_with(".txt") || name.contains("__") && name.ends_with(".txt")
    }) {
        let Ok(text) = std::fs::read_to_string(&path) else { continue };
        let reading = llms_txt::read(&text);
        check_laws(&text, &reading);
        // Bundles are texts of their own, and never read as indexes.
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        if llms_txt::is_bundle_name(name) {
            continue;
        }
        read += 1;
        if std::env::var_os("WHOLESITE_SHOW").is_some() {
            println!(
                "{} {} {} {}",
                path.display(),
                reading.verdict.name(),
                reading.links.len(),
                reading.verdict.why()
            );
        }
        // A manual is no index: its verdict says so, and nothing hangs on single lines of it.
        if reading.verdict.name() == "unusable" {
            continue;
        }
        for link in reading.links.iter().filter(|link| matches!(link.target, Target::Unreadable { .. })) {
            alarms.push(format!("{}: {}", path.display(), written(link)));
        }
    }
    println!("{read} files, {} alarms", alarms.len());
    assert!(alarms.len() <= KNOWN_ALARMS, "{alarms:#?}");
}

/// One file lists attributes as `- [name][id]` without any definition of `id`: syntax of a reference
/// link that no rule can read. May only shrink.
const KNOWN_ALARMS: usize = 1;

proptest! {
    #[test]
    fn laws_hold_for_scraps(parts in prop::collection::vec(prop::sample::select(SCRAPS), 0..60)) {
        let text = parts.concat();
        check_laws(&text, &llms_txt::read(&text));
    }

    #[test]
    fn laws_hold_for_any_text(text in any::<String>()) {
        check_laws(&text, &llms_txt::read(&text));
    }

    /// A link in an item is found whatever stands around the item.
    #[test]
    fn an_item_is_never_lost(before in "[ -~]{0,20}", name in "[a-z]{1,9}") {
        let text = format!("# T\n\nwords {}\n\n- [{name}](/{name})\n", before.replace(['<', '`', '\\'], ""));
        let href = format!("/{name}");
        let reading = llms_txt::read(&text);
        prop_assert!(reading.links.iter().any(|link| link.href() == href), "{text:?}");
    }
}

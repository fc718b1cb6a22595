//! What holds for every source folder.

mod common;

use common::{Tree, answer, read, render};
use proptest::prelude::*;
use serde_json::{Value, json};
use wholesite_mintlify::{SourceReading, find_root, read_nav};

/// Few names, so that trees have collisions, repeats and references that meet.
fn path() -> impl Strategy<Value = String> {
    let name = prop::sample::select(vec!["a", "b", "index", "snippets", "README", "tmp", "..", "."]);
    let end = prop::sample::select(vec![".mdx", ".md", ".json", "", ".txt"]);
    (prop::collection::vec(name, 1..4), end).prop_map(|(names, end)| format!("{}{end}", names.join("/")))
}

fn word() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => path(),
        1 => prop::sample::select(vec!["GET /x", "spec webhook y", "https://x.example/a", "/a/:b*", "/a/*", "", "é日"])
            .prop_map(String::from),
        1 => any::<String>(),
    ]
}

fn key() -> impl Strategy<Value = String> {
    prop::sample::select(vec![
        "$ref",
        "navigation",
        "pages",
        "groups",
        "group",
        "tabs",
        "tab",
        "root",
        "href",
        "hidden",
        "global",
        "openapi",
        "asyncapi",
        "sourceRef",
        "redirects",
        "source",
        "destination",
        "versions",
        "version",
        "other",
        "name",
        "url",
    ])
    .prop_map(String::from)
}

fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        word().prop_map(Value::from),
        any::<bool>().prop_map(Value::from),
        Just(json!(3.5)),
        Just(Value::Null)
    ];
    leaf.prop_recursive(6, 40, 6, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
            prop::collection::vec((key(), inner), 0..6)
                .prop_map(|fields| Value::Object(fields.into_iter().collect())),
        ]
    })
}

fn page() -> impl Strategy<Value = String> {
    (word(), path()).prop_map(|(title, import)| {
        format!("---\ntitle: {title}\nhidden: true\n---\nimport X from \"/{import}\"\n")
    })
}

fn folder() -> impl Strategy<Value = Tree> {
    let navigation = (value(), value()).prop_map(|(navigation, redirects)| {
        json!({"navigation": navigation, "redirects": redirects}).to_string()
    });
    let config =
        prop_oneof![3 => navigation, 1 => value().prop_map(|value| value.to_string()), 1 => any::<String>()];
    let text = prop_oneof![
        page(),
        value().prop_map(|value| value.to_string()),
        any::<String>(),
        Just("!unreadable".into())
    ];
    let name = prop::sample::select(vec!["docs.json", "mint.json"]);
    let ignores = prop::option::of(prop::collection::vec(word(), 0..4).prop_map(|lines| lines.join("\n")));
    (name, config, ignores, prop::collection::btree_map(path(), text, 0..12)).prop_map(
        |(name, config, ignores, files)| {
            let mut tree: Tree =
                files.into_iter().filter(|(path, _)| !path.contains("..") && !path.contains("./")).collect();
            tree.insert(name.into(), config);
            if let Some(ignores) = ignores {
                tree.insert(".mintignore".into(), ignores);
            }
            tree
        },
    )
}

proptest! {
    #[test]
    fn the_order_of_answers_does_not_matter(tree in folder(), picks in prop::collection::vec(any::<prop::sample::Index>(), 1..8)) {
        let plain = render(&read(&tree));
        let mut reading = SourceReading::new(tree.keys().rev().cloned());
        let mut asked = Vec::new();
        let mut open = Vec::new();
        for pick in picks.iter().cycle() {
            // Ask for a few, answer one of the open ones.
            while open.len() < 4 {
                let Some(path) = reading.next_file() else { break };
                prop_assert!(!asked.contains(&path), "{path} was asked twice");
                asked.push(path.clone());
                open.push(path);
            }
            if open.is_empty() {
                break;
            }
            let path = open.swap_remove(pick.index(open.len()));
            let content = answer(&tree, &path);
            reading.file(path, content);
        }
        prop_assert_eq!(render(&reading.finish()), plain);
    }

    #[test]
    fn addresses_are_unique_and_every_markdown_file_is_accounted_for(tree in folder()) {
        let site = read(&tree);
        let mut addresses: Vec<_> = site.pages.iter().map(|page| &page.url_path).collect();
        addresses.sort();
        addresses.dedup();
        prop_assert_eq!(addresses.len(), site.pages.len());
        for path in tree.keys().filter(|path| path.ends_with("a.md") || path.ends_with("a.mdx")) {
            let is_page = site.pages.iter().any(|page| page.file == *path);
            prop_assert!(is_page != site.not_pages.iter().any(|(file, _)| file == path), "{}", path);
        }
        for page in &site.pages {
            site.redirects.follow(&page.url_path);
        }
    }

    #[test]
    fn a_navigation_alone_has_its_spans(value in value(), junk in any::<String>()) {
        for text in [json!({"navigation": value}).to_string(), value.to_string(), junk] {
            for link in read_nav(&text).links {
                let raw = &text[link.span.clone()];
                prop_assert!(raw.starts_with('"') && raw.ends_with('"') && raw.len() >= 2);
            }
            find_root([text.as_str()]);
        }
    }
}

#[test]
fn depth_and_repetition_are_survived() {
    let deep = |unit: &str| format!("{{\"navigation\": {}", unit.repeat(1_000_000));
    for text in
        [deep("["), deep("{\"pages\":"), deep("{\"pages\":["), "\"".repeat(4_000_000), "-".repeat(4_000_000)]
    {
        let tree = Tree::from([("docs.json".into(), text.clone()), ("a.mdx".into(), text.clone())]);
        assert!(!read(&tree).blockers.is_empty());
        read_nav(&text);
    }
    // Files that take each other in, twice each: two to the fortieth nodes if all were walked.
    let mut tree =
        Tree::from([("docs.json".into(), r#"{"navigation": {"pages": [{"$ref": "0.json"}]}}"#.into())]);
    for at in 0..40 {
        let next = format!("{}.json", at + 1);
        tree.insert(format!("{at}.json"), format!(r#"[{{"$ref": "{next}"}}, {{"$ref": "{next}"}}]"#));
    }
    tree.insert("40.json".into(), "\"x\"".into());
    let site = read(&tree);
    assert!(site.blockers.iter().any(|blocker| blocker.kind == wholesite_mintlify::BlockerKind::Limit));
}

//! The house keeps its plan: which crate may use which, and what the pure crates never touch.

use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;

use serde_json::Value;

/// Every arrow between crates of the workspace, as `docs/architecture.md` draws them. A new one is
/// a decision.
const ARROWS: &[(&str, &[&str])] = &[
    ("address", &[]),
    ("content", &[]),
    ("extract", &["address", "content"]),
    ("mintlify", &["address", "extract"]),
    ("source-folders", &["address", "content"]),
    ("discovery", &["address", "content", "extract", "mintlify", "source-folders"]),
    ("fetch", &["address"]),
    ("fetch-http", &["address", "fetch"]),
    ("warc", &[]),
    ("recording", &["address", "warc"]),
    ("wire", &["discovery"]),
    ("clean", &["address", "content", "extract"]),
    ("store", &["address"]),
    ("store-sqlite", &["address", "store"]),
    ("store-dir", &["address", "store"]),
    ("sync", &["address", "clean", "discovery", "fetch", "store"]),
    ("testkit", &["address", "discovery", "fetch", "store", "sync"]),
    (
        "wholesite",
        &[
            "address",
            "clean",
            "discovery",
            "fetch",
            "fetch-http",
            "recording",
            "store",
            "store-dir",
            "store-sqlite",
            "sync",
        ],
    ),
    ("cli", &["wholesite", "fetch-http", "wire"]),
];

/// Crates that do no I/O, know no clock, no async, no environment, and print nothing.
const PURE: &[&str] = &["address", "content", "extract", "mintlify", "source-folders", "discovery", "clean"];

/// What no line of a pure crate's `src/` may hold.
const IMPURE: &[&str] = &[
    "std::fs",
    "std::net",
    "std::env",
    "std::process",
    "std::thread",
    "Instant::now",
    "SystemTime",
    "async fn",
    "tokio",
    "println!",
    "eprintln!",
    "print!(",
];

#[test]
fn arrows_between_crates_are_the_ones_drawn() {
    let plan: BTreeMap<&str, BTreeSet<&str>> =
        ARROWS.iter().map(|(name, uses)| (*name, uses.iter().copied().collect())).collect();
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--format-version", "1", "--no-deps", "--offline"])
        .current_dir(wholesite_tests::workspace())
        .output()
        .expect("cargo runs");
    let metadata: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let short = |name: &str| {
        if name == "wholesite" { name.to_owned() } else { name.trim_start_matches("wholesite-").to_owned() }
    };
    let mut seen = BTreeSet::new();
    for package in metadata["packages"].as_array().expect("packages") {
        let name = short(package["name"].as_str().expect("a name"));
        let Some(allowed) = plan.get(name.as_str()) else { continue };
        seen.insert(name.clone());
        for dependency in package["dependencies"].as_array().expect("dependencies") {
            let (used, kind) = (dependency["name"].as_str().expect("a name"), &dependency["kind"]);
            if used.starts_with("wholesite") && kind.is_null() {
                assert!(allowed.contains(short(used).as_str()), "{name} uses {used}: a new arrow");
            }
        }
    }
    assert_eq!(seen.len(), ARROWS.len(), "every crate of the plan is in the workspace: {seen:?}");
}

#[test]
fn pure_crates_stay_pure() {
    for name in PURE {
        let mut open = vec![wholesite_tests::workspace().join("crates").join(name).join("src")];
        while let Some(folder) = open.pop() {
            for entry in std::fs::read_dir(&folder).expect("readable") {
                let path = entry.expect("readable").path();
                if path.is_dir() {
                    open.push(path);
                    continue;
                }
                let text = std::fs::read_to_string(&path).expect("readable");
                for (at, line) in
                    text.lines().enumerate().filter(|(_, line)| !line.trim_start().starts_with("//"))
                {
                    for word in IMPURE {
                        assert!(
                            !line.contains(word),
                            "{}:{}: `{word}` in a pure crate",
                            path.display(),
                            at + 1
                        );
                    }
                }
            }
        }
    }
}

//! Whole sites against an independent reading of them. Runs where the corpora and python3 are; says so elsewhere.

mod common;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

use common::Tree;
use serde_json::Value;
use wholesite_mintlify::{EntryKind, Resolution, Source};

#[test]
fn whole_sites_are_read_as_by_the_reference() {
    let corpora = std::env::var_os("WHOLESITE_CORPORA").map_or_else(
        || concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/corpora").into(),
        PathBuf::from,
    );
    let tool = corpora.join("../tools/mintlify_site.py");
    let roots = trees(&corpora.join("mintlify"));
    if roots.is_empty() || !tool.exists() || Command::new("python3").arg("--version").output().is_err() {
        println!("SKIPPED: no corpora in {}, no reference tool or no python3", corpora.display());
        return;
    }
    let mut wrong = Vec::new();
    for root in roots {
        let output = Command::new("python3").arg(&tool).arg(&root).args(["--expect", "-"]).output();
        let output = output.expect("the reference tool runs");
        let expected: Value = serde_json::from_slice(&output.stdout).expect("the reference tool prints JSON");
        let site = common::read(&load(&root));
        let differences = compare(&site, &expected);
        println!("{}: {} pages, {} entries", root.display(), site.pages.len(), site.entries.len());
        wrong.extend(differences.into_iter().map(|line| format!("{}: {line}", root.display())));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Every folder that holds a configuration, not below another one.
fn trees(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut open = vec![folder.to_owned()];
    while let Some(folder) = open.pop() {
        if ["docs.json", "mint.json"].iter().any(|name| folder.join(name).exists()) {
            found.push(folder);
            continue;
        }
        let Ok(children) = std::fs::read_dir(&folder) else { continue };
        open.extend(children.flatten().map(|child| child.path()).filter(|path| path.is_dir()));
    }
    found.sort();
    found
}

/// The files of a tree, and the pages of which only a row was kept.
fn load(root: &Path) -> Tree {
    let mut tree = Tree::new();
    let rows = root.parent().map(|parent| parent.join("virtual-pages.tsv"));
    for row in rows.and_then(|path| std::fs::read_to_string(path).ok()).unwrap_or_default().lines() {
        let cells: Vec<&str> = row.split('\t').collect();
        if !row.starts_with('#') && cells.len() > 3 {
            tree.insert(cells[0].to_owned(), format!("---\ntitle: {}\n---\n", Value::from(cells[3])));
        }
    }
    tree.extend(common::folder(root));
    tree
}

fn compare(site: &Source, expected: &Value) -> Vec<String> {
    let rows: Vec<&Value> = expected["pages"].as_array().into_iter().flatten().collect();
    let theirs = |flag: &str| -> BTreeSet<String> {
        let set = |row: &&&Value| !matches!(row[flag], Value::Bool(false) | Value::Null);
        rows.iter().filter(set).map(|row| row["url"].as_str().unwrap_or_default().to_owned()).collect()
    };
    let ours = |flag: fn(&Source, &wholesite_mintlify::SourcePage) -> bool| -> BTreeSet<String> {
        let decode = |path: &str| percent_encoding::percent_decode_str(path).decode_utf8_lossy().into_owned();
        site.pages.iter().filter(|page| flag(site, page)).map(|page| decode(&page.url_path)).collect()
    };
    let text = |row: &Value, key: &str| row[key].as_str().unwrap_or_default().to_owned();
    let titles = |sets: Vec<(String, String)>| -> BTreeSet<String> {
        sets.into_iter().map(|(url, title)| format!("{url} {title}")).collect()
    };
    let their_titles = titles(
        rows.iter()
            .filter(|row| row["generated"] == Value::Bool(false))
            .map(|row| (text(row, "file"), text(row, "title").trim().to_owned()))
            .collect(),
    );
    // The title of an operation's page is in the description.
    let our_titles = titles(
        (site.pages.iter())
            .filter(|page| !page.generated && (page.titled || page.api.is_none()))
            .map(|page| (page.file.clone(), page.title.trim().to_owned()))
            .collect(),
    );
    let dead: BTreeSet<String> = (site.entries.iter())
        .filter(|entry| entry.kind != EntryKind::Href && !matches!(entry.resolution, Resolution::Page(_)))
        .map(|entry| entry.text.clone())
        .collect();
    let their_dead: BTreeSet<String> = expected["dead_entries"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .map(str::to_owned)
        .collect();
    let redirects: BTreeSet<String> =
        site.redirects.rules().iter().map(|rule| rule.source.trim_matches('/').to_owned()).collect();
    let their_redirects: BTreeSet<String> = (expected["redirects"].as_array().into_iter().flatten())
        .filter_map(|rule| Some(rule["source"].as_str()?.trim_matches('/').to_owned()))
        .collect();
    let all = |set: BTreeSet<String>, other: BTreeSet<String>, what: &str| -> Vec<String> {
        let missing = other.difference(&set).map(|item| format!("{what} missing: {item}"));
        let extra = set.difference(&other).map(|item| format!("{what} extra: {item}"));
        missing.chain(extra).collect()
    };
    [
        all(ours(|_, _| true), theirs("url"), "page"),
        all(ours(|_, page| !page.occurrences.is_empty()), theirs("in_nav"), "listed page"),
        all(ours(|_, page| page.hidden), theirs("hidden"), "hidden page"),
        all(ours(|_, page| page.noindex), theirs("noindex"), "noindex page"),
        all(ours(|_, page| page.external_url.is_some()), theirs("external"), "outside page"),
        all(ours(|site, page| site.is_indexed(page)), theirs("listed"), "indexed page"),
        all(our_titles.clone(), our_titles.intersection(&their_titles).cloned().collect(), "title"),
        all(dead, their_dead, "dead entry"),
        all(redirects, their_redirects, "redirect"),
    ]
    .concat()
}

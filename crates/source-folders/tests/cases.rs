//! Small folders of our own, each with what has to come of it: `tests/cases/*.txt`.
//!
//! A case is a file of sections, `=== path` and then the file's text. The last section, `=== expected`, is the report
//! of the reading. `UPDATE=1 cargo test` writes the reports anew; read the difference before you keep it.

mod support;

use std::collections::BTreeMap;
use std::fmt::Write;

use wholesite_source_folders::{FolderReading, Generator, Resolution, Source, Unreadable, detect};

fn report(source: &Source) -> String {
    let mut out = String::new();
    let mut line = |text: String| writeln!(out, "{text}").expect("a string takes all");
    if source.site_url.is_some() || !source.base_path.is_empty() {
        line(format!("site {} base {:?}", source.site_url.as_deref().unwrap_or("-"), source.base_path));
    }
    for page in &source.pages {
        let listed = if page.listed { "page" } else { "unlisted" };
        let by = if page.generated { "<=" } else { "<-" };
        line(format!("{listed} {} {by} {} | {}", page.url_path, page.file, page.title));
    }
    for entry in &source.entries {
        let at = format!("{}:{}:{}", entry.file, entry.place.line, entry.place.column);
        match &entry.resolution {
            Resolution::Page(_) => {}
            other => line(format!("entry {at} {:?} {other:?}", entry.text)),
        }
    }
    for alias in &source.aliases {
        line(format!("alias {} -> {}", alias.from, alias.to));
    }
    for (file, why) in &source.not_pages {
        line(format!("no page {file}: {why}"));
    }
    for collision in &source.collisions {
        line(format!("collision {} {}", collision.url_path, collision.files.join(" ")));
    }
    for blocker in &source.blockers {
        let at = blocker.at.map(|place| format!(":{}:{}", place.line, place.column)).unwrap_or_default();
        line(format!("blocker {:?} {}{at}: {}", blocker.kind, blocker.file, blocker.message));
    }
    for note in &source.notes {
        line(format!("note {note}"));
    }
    out
}

/// Parts a case into its files and the report expected.
fn parts(text: &str) -> (BTreeMap<String, Vec<u8>>, String) {
    let mut files = BTreeMap::new();
    for section in text.split("=== ").skip(1) {
        let (path, content) = section.split_once('\n').expect("a path stands on a line");
        files.insert(path.trim().to_owned(), content.as_bytes().to_vec());
    }
    let expected = files.remove("expected").expect("a case says what it expects");
    (files, String::from_utf8(expected).expect("UTF-8"))
}

#[test]
fn small_folders() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases");
    let mut failed = Vec::new();
    let mut count = 0;
    for entry in std::fs::read_dir(&folder).expect("cases") {
        let path = entry.expect("readable").path();
        let text = std::fs::read_to_string(&path).expect("UTF-8");
        let (files, expected) = parts(&text);
        let found = detect(files.keys().map(String::as_str));
        let first = found.first().unwrap_or_else(|| panic!("{}: nothing recognised", path.display()));
        let root = if first.root.is_empty() { String::new() } else { format!("{}/", first.root) };
        let below = files
            .iter()
            .filter_map(|(name, text)| Some((name.strip_prefix(&root)?.to_owned(), text.clone())));
        let report = report(&support::read(first.generator, &below.collect()));
        count += 1;
        if report != expected {
            if std::env::var_os("UPDATE").is_some() {
                let (head, _) = text.split_once("=== expected\n").expect("a section");
                std::fs::write(&path, format!("{head}=== expected\n{report}")).expect("writable");
            }
            failed.push(format!("{}\n--- expected\n{expected}--- found\n{report}", path.display()));
        }
    }
    assert!(count > 0 && failed.is_empty(), "{}", failed.join("\n"));
}

/// Every case with its files cut short at many places, and with each file missing: nothing panics, and whatever is
/// gone leaves a page less or a blocker more, never a reading that hangs.
#[test]
fn broken_folders_are_read_to_an_end() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases");
    for entry in std::fs::read_dir(&folder).expect("cases") {
        let text = std::fs::read_to_string(entry.expect("readable").path()).expect("UTF-8");
        let (files, _) = parts(&text);
        for generator in Generator::ALL {
            for eighth in 0..8 {
                let cut = |text: &[u8]| text[..text.len() * eighth / 8].to_vec();
                let cut = files.iter().map(|(name, text)| (name.clone(), cut(text))).collect();
                support::read(generator, &cut);
            }
            for missing in files.keys() {
                let listing = files.keys().cloned();
                support::drive(generator, listing, |path| match files.get(path) {
                    Some(text) if path != missing => Ok(text.clone()),
                    _ => Err(Unreadable("gone".to_owned())),
                });
            }
        }
    }
}

/// Answers in another order are the same reading.
#[test]
fn answers_may_come_in_any_order() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases");
    for entry in std::fs::read_dir(&folder).expect("cases") {
        let text = std::fs::read_to_string(entry.expect("readable").path()).expect("UTF-8");
        let (files, _) = parts(&text);
        for generator in Generator::ALL {
            let mut reading = FolderReading::new(generator, files.keys().cloned());
            let mut open: Vec<String> = Vec::new();
            loop {
                open.extend(std::iter::from_fn(|| reading.next_file()));
                let Some(path) = open.pop() else { break };
                let content = files[&path].clone();
                reading.file(path, Ok(content));
            }
            assert_eq!(reading.finish(), support::read(generator, &files));
        }
    }
}

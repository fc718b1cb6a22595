//! What the tests of this folder share.
#![allow(dead_code, reason = "each test binary uses a part")]

use std::collections::BTreeMap;
use std::path::Path;

use wholesite_mintlify::{Source, SourceReading, Unreadable};

/// Path and text of every file of a small tree.
pub(crate) type Tree = BTreeMap<String, String>;

/// Hands a tree to a reading, one file at a time.
pub(crate) fn read(tree: &Tree) -> Source {
    let mut reading = SourceReading::new(tree.keys().cloned());
    while let Some(path) = reading.next_file() {
        let content = answer(tree, &path);
        reading.file(path, content);
    }
    reading.finish()
}

/// All files of a folder.
pub(crate) fn folder(root: &Path) -> Tree {
    let mut tree = Tree::new();
    let mut open = vec![root.to_owned()];
    while let Some(folder) = open.pop() {
        for child in std::fs::read_dir(&folder).expect("the folder is readable").flatten() {
            let path = child.path();
            if path.is_dir() {
                open.push(path);
            } else {
                let name = path.strip_prefix(root).expect("below the root").to_string_lossy().into_owned();
                let text = std::fs::read(&path).map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
                tree.insert(name, text.unwrap_or_default());
            }
        }
    }
    tree
}

/// The text `!unreadable` stands for a file that cannot be had.
pub(crate) fn answer(tree: &Tree, path: &str) -> Result<String, Unreadable> {
    match tree.get(path) {
        Some(text) if text.trim() != "!unreadable" => Ok(text.clone()),
        _ => Err(Unreadable("permission denied".into())),
    }
}

/// Parts `//- path` lines and the text below each.
pub(crate) fn tree(text: &str) -> Tree {
    let mut tree = Tree::new();
    let mut current: Option<String> = None;
    for line in text.split_inclusive('\n') {
        if let Some(path) = line.strip_prefix("//- ") {
            let path = path.trim().to_owned();
            tree.insert(path.clone(), String::new());
            current = Some(path);
        } else if let Some(file) = current.as_ref().and_then(|path| tree.get_mut(path)) {
            file.push_str(line);
        }
    }
    tree
}

/// Everything a reading says, a line each.
pub(crate) fn render(site: &Source) -> String {
    let mut out = String::new();
    let mut say = |line: String| {
        out.push_str(&line);
        out.push('\n');
    };
    for page in &site.pages {
        let flags = [
            (page.occurrences.is_empty(), " unlisted"),
            (page.hidden, " hidden"),
            (page.searchable, " searchable"),
            (page.noindex, " noindex"),
            (page.external_url.is_some(), " links-out"),
            (page.restricted, " restricted"),
        ];
        let flags: String = flags.iter().filter(|(set, _)| *set).map(|(_, name)| *name).collect();
        say(format!("page {} {} {:?}{flags}", page.url_path, page.file, page.title));
    }
    for entry in &site.entries {
        let crumbs = site.breadcrumb(entry).join(" / ");
        let place = format!("{}:{}:{}", entry.file, entry.place.line, entry.place.column);
        let hidden = if entry.hidden { " hidden" } else { "" };
        say(format!("entry {place} {:?} [{crumbs}]{hidden} -> {:?}", entry.text, entry.resolution));
    }
    for (path, reason) in &site.not_pages {
        say(format!("no page {path} {reason:?}"));
    }
    for alias in site.aliases() {
        say(format!("alias {} -> {}", alias.from, alias.to));
    }
    for collision in &site.collisions {
        say(format!("collision {} {:?}", collision.url_path, collision.files));
    }
    let place = |at: Option<wholesite_address::Place>| at.map(|at| format!(":{}:{}", at.line, at.column));
    for blocker in &site.blockers {
        let place = place(blocker.at).unwrap_or_default();
        say(format!("blocker {:?} {}{place} {}", blocker.kind, blocker.file, blocker.message));
    }
    for note in &site.notes {
        say(format!(
            "note {:?} {}{} {}",
            note.kind,
            note.file,
            place(note.at).unwrap_or_default(),
            note.message
        ));
    }
    out
}

//! What several tests need.
#![allow(dead_code)]

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use wholesite_store::conformance::{page, site};
use wholesite_store::{Change, Fate, Store, Timestamp, Withdrawal};

/// The folder of the site that the tests write.
pub(crate) fn docs(root: &Path) -> PathBuf {
    root.join("docs.example")
}

pub(crate) fn publish(name: &str, text: &str) -> Change {
    Change::Publish { page: Box::new(page(name, text, 1)), run: "run".to_owned() }
}

pub(crate) fn withdraw(name: &str) -> Change {
    let why =
        Withdrawal { fate: Fate::Gone, run: "run".to_owned(), at: Timestamp(9), evidence: "404".to_owned() };
    Change::Withdraw { path: wholesite_store::conformance::path(name), why }
}

/// Every file below a folder but those of `.wholesite`, and every folder that is empty.
pub(crate) fn tree(folder: &Path) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    let mut open = vec![folder.to_owned()];
    while let Some(at) = open.pop() {
        let entries: Vec<_> = fs::read_dir(&at).unwrap().map(|entry| entry.unwrap().path()).collect();
        let name = |path: &Path| path.strip_prefix(folder).unwrap().to_str().unwrap().to_owned();
        if entries.is_empty() && at != folder {
            found.insert(name(&at), "an empty folder".to_owned());
        }
        for path in entries {
            if path.file_name().unwrap() == ".wholesite" {
                continue;
            }
            if path.is_dir() {
                open.push(path);
            } else {
                found.insert(name(&path), fs::read_to_string(&path).unwrap());
            }
        }
    }
    found
}

/// The live pages are the files, byte for byte, and there is nothing else.
pub(crate) async fn assert_same<S: Store>(store: &S, root: &Path) {
    let mut files = tree(&docs(root));
    let docs = site("docs");
    for record in store.catalogue(&docs).await.unwrap() {
        let text = store.page(&docs, &record.path).await.unwrap().expect("live").text;
        let plain = record.path.as_str().trim_start_matches('/');
        // A page whose name another one has, to some file system, has a mark in its name.
        let file = match files.get(plain) {
            Some(found) if *found == text => plain.to_owned(),
            _ => {
                let is_alike = |file: &&String| {
                    let (mut unmarked, mut is_marked) = (String::new(), false);
                    for c in file.chars() {
                        is_marked = (is_marked || c == '~') && c != '.' && c != '/';
                        if !is_marked {
                            unmarked.push(c);
                        }
                    }
                    unmarked == plain && files[*file] == text && file.as_str() != plain
                };
                files.keys().find(is_alike).unwrap_or_else(|| panic!("{plain}: {files:?}")).clone()
            }
        };
        files.remove(&file);
    }
    assert!(files.is_empty(), "more than the live pages: {files:?}");
}

//! Drives a reading from a map or from a folder.

#![allow(dead_code)] // no test binary uses all of it

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use wholesite_source_folders::{FolderReading, Generator, Source, Unreadable};

/// Reads a folder that is held in memory.
pub(crate) fn read(generator: Generator, files: &BTreeMap<String, Vec<u8>>) -> Source {
    drive(generator, files.keys().cloned(), |path| {
        files.get(path).cloned().ok_or_else(|| Unreadable("no such file".to_owned()))
    })
}

/// Asks and answers until nothing is wanted any more.
pub(crate) fn drive(
    generator: Generator,
    listing: impl Iterator<Item = String>,
    read: impl Fn(&str) -> Result<Vec<u8>, Unreadable>,
) -> Source {
    let mut reading = FolderReading::new(generator, listing);
    while let Some(path) = reading.next_file() {
        let content = read(&path);
        reading.file(path, content);
    }
    reading.finish()
}

/// All files below a folder, relative, with `/`.
pub(crate) fn listing(root: &Path) -> Vec<String> {
    let mut open = vec![root.to_owned()];
    let mut files = Vec::new();
    while let Some(folder) = open.pop() {
        for entry in std::fs::read_dir(&folder).expect("readable") {
            let path: PathBuf = entry.expect("readable").path();
            if path.is_dir() {
                open.push(path);
            } else {
                files.push(path.strip_prefix(root).expect("below").to_string_lossy().replace('\\', "/"));
            }
        }
    }
    files.sort();
    files
}

//! Fumadocs and Nextra: folders of Markdown whose order stands in small files beside the pages.
//!
//! Source: the documentation of Fumadocs (page conventions) and of Nextra (`_meta`, content directory).

mod fumadocs;
mod nextra;

use std::collections::{BTreeMap, BTreeSet};

pub(crate) use fumadocs::{build as build_fumadocs, wants as want_fumadocs};
pub(crate) use nextra::{build as build_nextra, wants as want_nextra};

use crate::paths::{below, folder_of, name_of, split_extension};

/// Folders nested deeper than this are not put in order.
const MAX_DEPTH: usize = 64;

/// What a folder holds, by name: its pages, without extension, and its folders.
#[derive(Debug, Default)]
struct Folders {
    pages: BTreeMap<String, BTreeMap<String, String>>,
    folders: BTreeMap<String, BTreeSet<String>>,
}

impl Folders {
    /// Sorts page files below `root` into their folders.
    fn of<'f>(files: impl Iterator<Item = &'f str>, root: &str) -> Folders {
        let mut folders = Folders::default();
        for file in files {
            let name = split_extension(name_of(file)).0.to_owned();
            let mut folder = folder_of(file);
            folders.pages.entry(folder.to_owned()).or_default().insert(name, file.to_owned());
            while folder != root && below(folder, root).is_some() {
                let parent = folder_of(folder);
                let is_new =
                    folders.folders.entry(parent.to_owned()).or_default().insert(name_of(folder).to_owned());
                if !is_new {
                    break;
                }
                folder = parent;
            }
        }
        folders
    }

    fn page(&self, folder: &str, name: &str) -> Option<&String> {
        self.pages.get(folder)?.get(name)
    }

    fn has_folder(&self, folder: &str, name: &str) -> bool {
        self.folders.get(folder).is_some_and(|names| names.contains(name))
    }

    /// Names in a folder as they stand by themselves: `index` first, pages, then folders.
    fn names(&self, folder: &str) -> Vec<String> {
        let mut names: Vec<String> =
            self.pages.get(folder).into_iter().flat_map(|pages| pages.keys().cloned()).collect();
        names.sort_by_key(|name| name != "index");
        let folders = self.folders.get(folder).into_iter().flatten();
        names.extend(folders.filter(|name| self.page(folder, name).is_none()).cloned());
        names
    }
}

fn child(folder: &str, name: &str) -> String {
    if folder.is_empty() { name.to_owned() } else { format!("{folder}/{name}") }
}

/// The address of a page: groups in parentheses are no part of it, and `index` is its folder.
fn url_path(relative: &str, base: &str) -> String {
    let stem = split_extension(relative).0;
    let is_group = |segment: &&str| segment.starts_with('(') && segment.ends_with(')');
    let mut segments: Vec<&str> = stem.split('/').filter(|segment| !is_group(segment)).collect();
    if segments.last() == Some(&"index") {
        segments.pop();
    }
    let path = format!("{base}/{}", segments.join("/"));
    let path = if path.len() > 1 { path.trim_end_matches('/') } else { &path };
    crate::paths::encode(if path.is_empty() { "/" } else { path })
}

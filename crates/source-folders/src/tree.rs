//! A listing, and what was read of its files.

use std::collections::{BTreeMap, BTreeSet};

use crate::facts::Facts;
use crate::paths::{below, split_extension};

/// The files of a folder as far as they are known.
#[derive(Debug, Default)]
pub(crate) struct Tree {
    pub(crate) listing: BTreeSet<String>,
    pub(crate) files: BTreeMap<String, Content>,
}

/// What is kept of a file.
#[derive(Debug)]
pub(crate) enum Content {
    Text(String),
    Page(Facts),
    Bytes(Vec<u8>),
    Failed(String),
}

/// A file that a reading wants, and what is to be kept of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Keep {
    /// The whole text.
    Text,
    /// The facts of a Markdown page.
    Page,
    /// The facts of a reStructuredText document.
    Restructured,
    /// The facts of a MyST document.
    Myst,
    /// The bytes.
    Bytes,
}

impl Tree {
    pub(crate) fn has(&self, path: &str) -> bool {
        self.listing.contains(path)
    }

    /// Whether any file lies below a folder.
    pub(crate) fn has_folder(&self, folder: &str) -> bool {
        self.files_below(folder).next().is_some()
    }

    /// The text of a file that was read whole.
    pub(crate) fn text(&self, path: &str) -> Option<&str> {
        match self.files.get(path)? {
            Content::Text(text) => Some(text),
            Content::Page(_) | Content::Bytes(_) | Content::Failed(_) => None,
        }
    }

    pub(crate) fn facts(&self, path: &str) -> Option<&Facts> {
        match self.files.get(path)? {
            Content::Page(facts) => Some(facts),
            Content::Text(_) | Content::Bytes(_) | Content::Failed(_) => None,
        }
    }

    pub(crate) fn bytes(&self, path: &str) -> Option<&[u8]> {
        match self.files.get(path)? {
            Content::Bytes(bytes) => Some(bytes),
            _ => None,
        }
    }

    /// All files below a folder (empty: all), in order.
    pub(crate) fn files_below<'t>(&'t self, folder: &'t str) -> impl Iterator<Item = &'t str> + 't {
        let start = if folder.is_empty() { String::new() } else { format!("{folder}/") };
        self.listing.range(start..).map(String::as_str).take_while(move |path| below(path, folder).is_some())
    }

    /// The first of some names that is a file of this folder.
    pub(crate) fn first_of(&self, folder: &str, names: &[&str]) -> Option<String> {
        let at = |name: &str| if folder.is_empty() { name.to_owned() } else { format!("{folder}/{name}") };
        names.iter().map(|name| at(name)).find(|path| self.has(path))
    }

    /// The script with this stem (`sidebars` → `sidebars.ts`).
    pub(crate) fn script(&self, stem: &str) -> Option<String> {
        [".ts", ".js", ".mts", ".mjs", ".cts", ".cjs"]
            .iter()
            .map(|extension| format!("{stem}{extension}"))
            .find(|path| self.has(path))
    }
}

/// Whether a file is Markdown by its extension, one of `extensions`.
pub(crate) fn has_extension(path: &str, extensions: &[&str]) -> bool {
    extensions.contains(&split_extension(path).1)
}

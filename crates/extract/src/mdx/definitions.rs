//! The table of reference definitions and footnote labels.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

/// What the references of a document lead to.
#[derive(Debug, Default)]
pub(super) struct Definitions<'a> {
    destinations: HashMap<String, Cow<'a, str>>,
    footnotes: HashSet<String>,
}

impl<'a> Definitions<'a> {
    pub(super) fn is_empty(&self) -> bool {
        self.destinations.is_empty()
    }

    pub(super) fn has_footnotes(&self) -> bool {
        !self.footnotes.is_empty()
    }

    /// The first definition of a label wins.
    pub(super) fn define(&mut self, label: &str, destination: Cow<'a, str>) {
        self.destinations.entry(normalized(label)).or_insert(destination);
    }

    pub(super) fn define_footnote(&mut self, label: &str) {
        self.footnotes.insert(normalized(label));
    }

    pub(super) fn destination(&self, label: &str) -> Option<&Cow<'a, str>> {
        if self.destinations.is_empty() {
            return None;
        }
        self.destinations.get(&normalized(label))
    }

    pub(super) fn is_footnote(&self, label: &str) -> bool {
        self.has_footnotes() && self.footnotes.contains(&normalized(label))
    }
}

/// Labels match whatever their case and however their words are spaced (CommonMark §4.7: Unicode
/// case fold). Lower and then upper case maps `ẞ`, `ß` and `SS` together.
fn normalized(label: &str) -> String {
    let mut out = String::with_capacity(label.len());
    for word in label.split_ascii_whitespace() {
        if !out.is_empty() {
            out.push(' ');
        }
        out.push_str(&word.to_lowercase().to_uppercase());
    }
    out
}

//! Toctrees and titles, in reStructuredText and in MyST Markdown.

use wholesite_address::{LineIndex, Place};

use crate::facts::Facts;

/// One `toctree` directive.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Toctree {
    pub(crate) glob: bool,
    pub(crate) reversed: bool,
    pub(crate) entries: Vec<Entry>,
}

/// One line of a toctree.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Entry {
    pub(crate) label: Option<String>,
    pub(crate) target: String,
    pub(crate) place: Place,
}

/// Reads a document of reStructuredText.
pub(crate) fn restructured(text: &str) -> Facts {
    let lines = LineIndex::new(text);
    let mut toctrees = Vec::new();
    let mut open: Option<(usize, Toctree)> = None;
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let start = at;
        at += line.len();
        let indent = line.len() - line.trim_start().len();
        let content = line.trim();
        if let Some((outer, toctree)) = &mut open {
            if content.is_empty() {
                continue;
            }
            if indent > *outer {
                take(toctree, content, lines.place(start + indent));
                continue;
            }
            toctrees.extend(open.take().map(|(_, toctree)| toctree));
        }
        if content == ".. toctree::" {
            open = Some((indent, Toctree::default()));
        }
    }
    toctrees.extend(open.map(|(_, toctree)| toctree));
    Facts { heading: heading(text), toctrees, ..Facts::default() }
}

/// Reads a document of MyST Markdown: toctrees stand in fences of back-ticks or colons.
pub(crate) fn myst(text: &str) -> Facts {
    let lines = LineIndex::new(text);
    let mut facts = Facts::markdown(text);
    let mut open: Option<(String, Toctree)> = None;
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let start = at;
        at += line.len();
        let content = line.trim();
        match &mut open {
            Some((fence, toctree)) => {
                if content.starts_with(fence.as_str()) {
                    facts.toctrees.extend(open.take().map(|(_, toctree)| toctree));
                } else if !content.is_empty() && content != "---" {
                    let indent = line.len() - line.trim_start().len();
                    take(toctree, content, lines.place(start + indent));
                }
            }
            None => {
                let Some(fence) = content.strip_suffix("{toctree}").map(str::trim_end) else { continue };
                let is_fence = fence.len() >= 3
                    && (fence.bytes().all(|b| b == b'`') || fence.bytes().all(|b| b == b':'));
                if is_fence {
                    open = Some((fence.to_owned(), Toctree::default()));
                }
            }
        }
    }
    facts.toctrees.extend(open.map(|(_, toctree)| toctree));
    facts
}

/// Takes an option or an entry.
fn take(toctree: &mut Toctree, content: &str, place: Place) {
    let option = content.strip_prefix(':').and_then(|rest| rest.split_once(':')).map(|(name, _)| name);
    let bare = content.split_once(':').map(|(name, _)| name).filter(|_| toctree.entries.is_empty());
    const OPTIONS: &[&str] = &[
        "maxdepth",
        "caption",
        "hidden",
        "glob",
        "reversed",
        "titlesonly",
        "numbered",
        "includehidden",
        "name",
        "class",
    ];
    if let Some(name) = option.or(bare.filter(|name| OPTIONS.contains(name))) {
        toctree.glob |= name == "glob";
        toctree.reversed |= name == "reversed";
        return;
    }
    if content.starts_with(".. ") {
        return; // A comment.
    }
    let (label, target) = match content.strip_suffix('>').and_then(|rest| rest.rsplit_once('<')) {
        Some((label, target)) if !label.trim().is_empty() => (Some(label.trim().to_owned()), target.trim()),
        _ => (None, content),
    };
    toctree.entries.push(Entry { label, target: target.to_owned(), place });
}

/// The first section title: a line with a line of marks below it at least as long.
fn heading(text: &str) -> Option<String> {
    let is_marks = |line: &str| {
        let first = line.bytes().next();
        line.len() > 1
            && first.is_some_and(|mark| mark.is_ascii_punctuation() && line.bytes().all(|b| b == mark))
    };
    let mut above = "";
    for line in text.lines() {
        let line = line.trim_end();
        if is_marks(line)
            && !above.is_empty()
            && !is_marks(above)
            && !above.starts_with([' ', '.', ':'])
            && line.chars().count() >= above.chars().count().min(3)
        {
            return Some(above.trim().replace('`', ""));
        }
        above = line;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(facts: &Facts) -> Vec<String> {
        let entry = |e: &Entry| format!("{}:{} {:?} {}", e.place.line, e.place.column, e.label, e.target);
        facts
            .toctrees
            .iter()
            .flat_map(|t| t.entries.iter().map(entry).chain([format!("{} {}", t.glob, t.reversed)]))
            .collect()
    }

    #[test]
    fn both_languages() {
        let rst = ".. _top:\n\nThe ``Loom``\n============\n\n.. toctree::\n   :maxdepth: 2\n   :glob:\n\n   Warp <warp/index>\n   weft\n\nText\n\n.. toctree::\n   :hidden:\n\n   tail\n";
        let facts = restructured(rst);
        assert_eq!(facts.heading.as_deref(), Some("The Loom"));
        assert_eq!(
            shown(&facts),
            [
                "10:4 Some(\"Warp\") warp/index",
                "11:4 None weft",
                "true false",
                "18:4 None tail",
                "false false"
            ]
        );
        let md = "# Loom\n\n```{toctree}\n:reversed:\n:caption: All\n\nwarp\nWeft <weft.md>\n```\n:::{toctree}\n---\nglob:\n---\nx*\n:::\n";
        let facts = myst(md);
        assert_eq!(facts.heading.as_deref(), Some("Loom"));
        assert_eq!(
            shown(&facts),
            ["7:1 None warp", "8:1 Some(\"Weft\") weft.md", "false true", "14:1 None x*", "true false"]
        );
    }
}

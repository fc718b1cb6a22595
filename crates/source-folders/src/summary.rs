//! `SUMMARY.md`, the table of contents of mdBook and GitBook: the links of a Markdown document, in order.

use pulldown_cmark::{Event, Parser, Tag, TagEnd};
use wholesite_address::{LineIndex, Place};

use crate::paths::decode;

/// One line of the table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Item {
    pub(crate) label: String,
    /// Percent-decoded; empty for a draft.
    pub(crate) target: String,
    pub(crate) place: Place,
}

/// Reads all entries. Links in comments and code are none.
pub(crate) fn read(text: &str) -> Vec<Item> {
    let lines = LineIndex::new(text);
    let mut items = Vec::new();
    let mut open: Option<Item> = None;
    for (event, range) in Parser::new(text).into_offset_iter() {
        match event {
            Event::Start(Tag::Link { dest_url, .. }) => {
                let place = lines.place(range.start);
                open = Some(Item { label: String::new(), target: decode(&dest_url), place });
            }
            Event::Text(text) | Event::Code(text) => {
                if let Some(item) = &mut open {
                    item.label.push_str(&text);
                }
            }
            Event::End(TagEnd::Link) => items.extend(open.take()),
            _ => {}
        }
    }
    items
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_in_order() {
        let text = "# Summary\n\n[Preface](preface.md)\n\n- [A `b`](a%20b.md)\n  - [Draft]()\n<!-- - [No](no.md) -->\n---\n[End](<e f.md>)\n";
        let read: Vec<_> = read(text).into_iter().map(|i| (i.label, i.target, i.place.line)).collect();
        let expected =
            [("Preface", "preface.md", 3), ("A b", "a b.md", 5), ("Draft", "", 6), ("End", "e f.md", 9)];
        assert_eq!(read, expected.map(|(l, t, line)| (l.to_owned(), t.to_owned(), line)));
    }
}

//! Where a stretch of inline content stands in the document.
//!
//! Most stretches are slices of the document. Only a paragraph of several lines in a block quote
//! is not: a `>` stands between its lines. Those are copied without their marks, and places in the
//! copy are mapped back.

use std::borrow::Cow;
use std::ops::Range;

/// Text to scan, and how its places map to the document's.
#[derive(Debug)]
pub(super) enum Source<'a> {
    Direct(&'a str),
    Copied {
        document: &'a str,
        copy: String,
        /// Where each line starts in the copy, and its range in the document.
        lines: Vec<(usize, Range<usize>)>,
    },
}

impl<'a> Source<'a> {
    /// A copy of the given lines of the document, each with its line ending.
    pub(super) fn copied(document: &'a str, ranges: &[Range<usize>]) -> Self {
        let mut copy = String::new();
        let mut lines = Vec::with_capacity(ranges.len());
        for range in ranges {
            lines.push((copy.len(), range.clone()));
            copy.push_str(&document[range.clone()]);
        }
        Source::Copied { document, copy, lines }
    }

    pub(super) fn text(&self) -> &str {
        match self {
            Source::Direct(text) => text,
            Source::Copied { copy, .. } => copy,
        }
    }

    /// A place in the document.
    pub(super) fn place(&self, at: usize) -> usize {
        match self {
            Source::Direct(_) => at,
            Source::Copied { lines, .. } => {
                let line = lines.partition_point(|(start, _)| *start <= at).saturating_sub(1);
                lines.get(line).map_or(at, |(start, range)| range.start + (at - start).min(range.len()))
            }
        }
    }

    /// A span in the document. Its end belongs to the line of its last byte.
    pub(super) fn span(&self, range: Range<usize>) -> Range<usize> {
        match self {
            Source::Direct(_) => range,
            Source::Copied { .. } if range.is_empty() => {
                let place = self.place(range.start);
                place..place
            }
            Source::Copied { lines, .. } => {
                let last = lines.partition_point(|(start, _)| *start < range.end).saturating_sub(1);
                let (start, line) = &lines[last];
                self.place(range.start)..line.start + (range.end - start)
            }
        }
    }

    /// The text of a range, borrowed from the document where it stands there in one piece.
    pub(super) fn slice(&self, range: Range<usize>) -> Cow<'a, str> {
        match self {
            Source::Direct(text) => Cow::Borrowed(&text[range]),
            Source::Copied { document, copy, .. } => {
                let span = self.span(range.clone());
                if span.len() == range.len() {
                    Cow::Borrowed(&document[span])
                } else {
                    Cow::Owned(copy[range].to_owned())
                }
            }
        }
    }

    /// The text of a range, after `undo` has undone its escapes.
    pub(super) fn undone(
        &self,
        range: Range<usize>,
        undo: impl for<'t> Fn(&'t str) -> Cow<'t, str>,
    ) -> Cow<'a, str> {
        match self.slice(range) {
            Cow::Borrowed(text) => undo(text),
            Cow::Owned(text) => Cow::Owned(undo(&text).into_owned()),
        }
    }
}

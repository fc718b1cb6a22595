//! Fenced code and flow math. In MDX a fence may be indented by any amount.

use std::ops::Range;

use super::dedent::{blanks, container_mark};

/// What opens a verbatim block, and what ends it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Opener {
    mark: u8,
    length: usize,
    /// Quote marks before it: a line with fewer of them ends the block.
    quotes: usize,
    /// Column of the list item that holds it: a line that begins further left ends the block.
    indent: usize,
}

/// Reads the opener on `line`, if it is one. `list_indent` is the column of the content of the list
/// item that is open there.
pub(super) fn opener(line: &str, list_indent: usize) -> Option<Opener> {
    let (mut at, mut quotes, mut in_item) = (blanks(line, 0), 0, 0);
    let first = at;
    while let Some(end) = container_mark(line, at) {
        if line.as_bytes()[at] == b'>' {
            quotes += 1;
        }
        at = blanks(line, end);
        if quotes == 0 {
            in_item = at;
        }
    }
    let rest = &line.as_bytes()[at..];
    let mark = *rest.first()?;
    let length = rest.iter().take_while(|byte| **byte == mark).count();
    let info = &rest[length..];
    let opens = match mark {
        b'`' => length >= 3 && !info.contains(&b'`'),
        b'~' => length >= 3,
        b'$' => length >= 2 && !info.contains(&b'$'),
        _ => false,
    };
    let indent = if in_item > 0 {
        in_item
    } else if first >= list_indent {
        list_indent
    } else {
        0
    };
    opens.then_some(Opener { mark, length, quotes, indent })
}

/// How a line stands to an open block.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Line {
    Inside,
    Closes,
    /// The container of the block ended before this line.
    Outside,
}

impl Opener {
    pub(super) fn line(&self, line: &str) -> Line {
        let (mut at, mut quotes) = (blanks(line, 0), 0);
        let first = at;
        while quotes < self.quotes && line.as_bytes().get(at) == Some(&b'>') {
            quotes += 1;
            at = blanks(line, at + 1);
        }
        let is_blank = line.trim().is_empty();
        if quotes < self.quotes || (!is_blank && self.quotes == 0 && first < self.indent) {
            return Line::Outside;
        }
        let rest = &line.as_bytes()[at..];
        let run = rest.iter().take_while(|byte| **byte == self.mark).count();
        let closes = run >= self.length && rest[run..].iter().all(|byte| byte.is_ascii_whitespace());
        if closes { Line::Closes } else { Line::Inside }
    }
}

/// The column of the content of a list item that begins on this line.
pub(super) fn item_indent(line: &str) -> Option<usize> {
    let at = blanks(line, 0);
    if line.as_bytes().get(at) == Some(&b'>') {
        return None;
    }
    let end = container_mark(line, at)?;
    Some(blanks(line, end))
}

/// The end of the math or code span that opens at `at`, within its paragraph.
pub(super) fn span_end(paragraph: &[u8], at: usize, mark: u8) -> Option<Range<usize>> {
    let run = |from: usize| paragraph[from..].iter().take_while(|byte| **byte == mark).count();
    let length = run(at);
    let mut next = at + length;
    while let Some(found) = memchr::memchr(mark, &paragraph[next..]) {
        let start = next + found;
        let other = run(start);
        if other == length {
            return Some(at..start + other);
        }
        next = start + other;
    }
    None
}

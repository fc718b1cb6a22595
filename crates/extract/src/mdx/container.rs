//! Block quotes, list items and footnotes: what a line must begin with to belong to them.

/// A block that holds other blocks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Container {
    Quote,
    Item {
        /// Columns that a line must be indented by.
        indent: usize,
        /// The item began with a blank line: another one ends it.
        blank_so_far: bool,
    },
    Footnote,
}

/// Columns that the text of a footnote is indented by.
const FOOTNOTE_INDENT: usize = 4;

/// A place in a line, with the column it stands in. Tabs reach to the next multiple of four.
#[derive(Debug, Clone, Copy)]
pub(super) struct Cursor {
    pub(super) at: usize,
    column: usize,
    /// Columns of a tab that was eaten in part.
    spare: usize,
}

impl Cursor {
    pub(super) fn new(at: usize) -> Self {
        Cursor { at, column: 0, spare: 0 }
    }

    /// Eats up to `most` columns of blanks, and says how many there were.
    pub(super) fn eat_blanks(&mut self, bytes: &[u8], most: usize) -> usize {
        let mut eaten = 0;
        while eaten < most {
            if self.spare > 0 {
                let part = self.spare.min(most - eaten);
                self.spare -= part;
                self.column += part;
                eaten += part;
                continue;
            }
            match bytes.get(self.at) {
                Some(b' ') => {
                    self.column += 1;
                    eaten += 1;
                }
                Some(b'\t') => self.spare = 4 - self.column % 4,
                _ => break,
            }
            self.at += 1;
        }
        eaten
    }

    /// Eats one byte that is no blank.
    pub(super) fn eat(&mut self, length: usize) {
        self.at += length;
        self.column += length;
        self.spare = 0;
    }

    /// Eats every blank.
    pub(super) fn eat_all_blanks(&mut self, bytes: &[u8]) -> usize {
        match bytes.get(self.at) {
            Some(b' ' | b'\t') => self.eat_blanks(bytes, usize::MAX),
            _ if self.spare > 0 => self.eat_blanks(bytes, usize::MAX),
            _ => 0,
        }
    }
}

/// The first byte of a line that is no blank, as seen from where the cursor was last. Every container
/// asks for it, and the blanks before it are looked at once for all of them.
#[derive(Debug, Default)]
pub(super) struct Visible {
    at: Option<usize>,
}

impl Visible {
    /// Whether nothing but blanks is left from `at` on.
    fn is_none_from(&mut self, at: usize, bytes: &[u8]) -> bool {
        let known = self.at.filter(|known| *known >= at);
        let first = known.unwrap_or_else(|| {
            at + bytes[at..].iter().take_while(|b| matches!(b, b' ' | b'\t' | b'\r')).count()
        });
        self.at = Some(first);
        first == bytes.len()
    }
}

impl Container {
    /// Moves the cursor behind what marks the line as part of this container. `blank` says that
    /// nothing but blanks is left of the line. In MDX any indentation may stand before a mark.
    pub(super) fn continues(&mut self, cursor: &mut Cursor, bytes: &[u8], visible: &mut Visible) -> bool {
        let before = *cursor;
        match self {
            Container::Quote => {
                cursor.eat_all_blanks(bytes);
                if bytes.get(cursor.at) != Some(&b'>') {
                    *cursor = before;
                    return false;
                }
                cursor.eat(1);
                cursor.eat_blanks(bytes, 1);
                true
            }
            Container::Item { indent, blank_so_far } => {
                if visible.is_none_from(cursor.at, bytes) {
                    return !*blank_so_far;
                }
                *blank_so_far = false;
                indented(cursor, bytes, *indent)
            }
            Container::Footnote => {
                visible.is_none_from(cursor.at, bytes) || indented(cursor, bytes, FOOTNOTE_INDENT)
            }
        }
    }
}

fn indented(cursor: &mut Cursor, bytes: &[u8], columns: usize) -> bool {
    let before = *cursor;
    if cursor.eat_blanks(bytes, columns) == columns {
        return true;
    }
    *cursor = before;
    false
}

/// Whether nothing but blanks is left of the line (`bytes` ends with the line).
pub(super) fn is_blank(bytes: &[u8], at: usize) -> bool {
    bytes[at..].iter().all(|b| matches!(b, b' ' | b'\t' | b'\r'))
}

/// The list item that begins at the cursor (behind `indentation` columns), and the cursor behind
/// its mark. `interrupting` a paragraph, an item must not be empty and a number must be 1.
pub(super) fn item(
    bytes: &[u8],
    cursor: Cursor,
    indentation: usize,
    interrupting: bool,
) -> Option<(Container, Cursor)> {
    let marker = match bytes[cursor.at] {
        b'*' | b'-' | b'+' => 1,
        b'1' if interrupting => 2,
        b'0'..=b'9' if !interrupting => {
            bytes[cursor.at..].iter().take(10).take_while(|b| b.is_ascii_digit()).count() + 1
        }
        _ => return None,
    };
    let numbered = marker > 1;
    if marker > 10 || (numbered && !matches!(bytes.get(cursor.at + marker - 1), Some(b'.' | b')'))) {
        return None;
    }
    let mut cursor = cursor;
    cursor.eat(marker);
    if is_blank(bytes, cursor.at) {
        let item = Container::Item { indent: indentation + marker + 1, blank_so_far: true };
        return (!interrupting).then_some((item, cursor));
    }
    let behind = cursor;
    let mut padding = cursor.eat_blanks(bytes, 5);
    if padding > 4 {
        // More is indentation of the content.
        cursor = behind;
        padding = cursor.eat_blanks(bytes, 1);
    }
    let item = Container::Item { indent: indentation + marker + padding, blank_so_far: false };
    (padding > 0).then_some((item, cursor))
}

/// The label of the footnote definition at `at` and the offset behind its colon.
pub(super) fn footnote(bytes: &[u8], at: usize) -> Option<(std::ops::Range<usize>, usize)> {
    if !bytes[at..].starts_with(b"[^") {
        return None;
    }
    let start = at + 2;
    let mut end = start;
    loop {
        match bytes.get(end)? {
            b']' => break,
            b'[' | b' ' | b'\t' => return None,
            b'\\' if matches!(bytes.get(end + 1), Some(b'[' | b'\\' | b']')) => end += 2,
            _ => end += 1,
        }
    }
    (end > start && bytes.get(end + 1) == Some(&b':')).then_some((start..end, end + 2))
}

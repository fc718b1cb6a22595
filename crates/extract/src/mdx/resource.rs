//! What stands behind a label: destinations, titles, and the labels of references (CommonMark
//! §4.7, §6.3).

use std::ops::Range;

/// CommonMark's limit for the label of a reference, in characters; here in bytes, times four at
/// most.
pub(super) const LONGEST_LABEL: usize = 999 * 4;

/// Parentheses in a destination nest no deeper.
const DEEPEST: usize = 32;

/// The destination of `(destination "title")` at the `(` at `open`, and the end behind the `)`.
pub(super) fn resource(bytes: &[u8], open: usize) -> Option<(Range<usize>, usize)> {
    let mut at = blanks_and_lines(bytes, open + 1);
    if bytes.get(at) == Some(&b')') {
        return Some((at..at, at + 1));
    }
    let (destination, end) = destination(bytes, at)?;
    at = blanks_and_lines(bytes, end);
    if at > end && matches!(bytes.get(at), Some(b'"' | b'\'' | b'(')) {
        at = blanks_and_lines(bytes, title(bytes, at)?);
    }
    (bytes.get(at) == Some(&b')')).then_some((destination, at + 1))
}

/// A destination at `at` and where it ends; the range leaves pointed brackets out.
pub(super) fn destination(bytes: &[u8], at: usize) -> Option<(Range<usize>, usize)> {
    if bytes.get(at) == Some(&b'<') {
        return pointed(bytes, at);
    }
    let mut depth = 0;
    let mut end = at;
    while let Some(&byte) = bytes.get(end) {
        match byte {
            b'\\' if bytes.get(end + 1).is_some_and(|next| matches!(next, b'\\' | b'(' | b')')) => end += 1,
            b'(' if depth == DEEPEST => return None,
            b'(' => depth += 1,
            b')' if depth == 0 => break,
            b')' => depth -= 1,
            b' ' | b'\t' | b'\n' | b'\r' => break,
            0x00..0x20 | 0x7F => return None,
            _ => {}
        }
        end += 1;
    }
    (depth == 0 && end > at).then_some((at..end, end))
}

fn pointed(bytes: &[u8], open: usize) -> Option<(Range<usize>, usize)> {
    let mut at = open + 1;
    loop {
        match bytes.get(at)? {
            b'\n' | b'\r' | b'<' => return None,
            b'>' => return Some((open + 1..at, at + 1)),
            b'\\' if matches!(bytes.get(at + 1), Some(b'\\' | b'<' | b'>')) => at += 2,
            _ => at += 1,
        }
    }
}

/// Behind the title that opens at `open`.
pub(super) fn title(bytes: &[u8], open: usize) -> Option<usize> {
    let close = if bytes[open] == b'(' { b')' } else { bytes[open] };
    let mut at = open + 1;
    loop {
        at += memchr::memchr3(close, b'\\', b'(', bytes.get(at..)?)?;
        match bytes[at] {
            byte if byte == close => return Some(at + 1),
            b'(' if close == b')' => return None,
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
}

/// The label between the `[` at `open` and its `]`; the range leaves the brackets out.
pub(super) fn label(bytes: &[u8], open: usize) -> Option<Range<usize>> {
    let window = &bytes[..bytes.len().min(open + LONGEST_LABEL)];
    let mut at = open + 1;
    loop {
        at += memchr::memchr3(b']', b'[', b'\\', window.get(at..)?)?;
        match window[at] {
            b']' => return Some(open + 1..at),
            b'[' => return None,
            _ => at += 2,
        }
    }
}

/// Behind blanks and at most one line ending (text holds no blank lines).
pub(super) fn blanks_and_lines(bytes: &[u8], at: usize) -> usize {
    let blank = |b: &&u8| matches!(**b, b' ' | b'\t' | b'\n' | b'\r');
    at + bytes[at.min(bytes.len())..].iter().take_while(blank).count()
}

/// A definition at the start of a paragraph.
pub(super) struct Definition {
    pub(super) label: Range<usize>,
    pub(super) destination: Range<usize>,
    /// Behind the line on which it ends.
    pub(super) end: usize,
}

/// `[label]: destination "title"` at `at`, which must fill its lines.
pub(super) fn definition(bytes: &[u8], at: usize) -> Option<Definition> {
    let label = label(bytes, at)?;
    let empty = bytes[label.clone()].iter().all(u8::is_ascii_whitespace);
    if empty || bytes.get(label.end + 1) != Some(&b':') {
        return None;
    }
    let (destination, end) = destination(bytes, blanks_and_lines(bytes, label.end + 2))?;
    let plain_end = line_end(bytes, end);
    let title_at = blanks_and_lines(bytes, end);
    let with_title = (title_at > end && matches!(bytes.get(title_at), Some(b'"' | b'\'' | b'(')))
        .then(|| title(bytes, title_at))
        .flatten()
        .and_then(|end| line_end(bytes, end));
    // A title that does not fill its line belongs to the text behind the definition.
    let end = with_title.or(plain_end)?;
    Some(Definition { label, destination, end })
}

/// Behind the line ending, if nothing but blanks stands before it.
fn line_end(bytes: &[u8], at: usize) -> Option<usize> {
    let end = at + bytes[at..].iter().take_while(|b| matches!(b, b' ' | b'\t' | b'\r')).count();
    match bytes.get(end) {
        None => Some(end),
        Some(b'\n') => Some(end + 1),
        Some(_) => None,
    }
}

//! What a single line of Markdown or MDX is, by its own characters.

use std::ops::Range;

use super::container;

pub(super) fn is_thematic_break(content: &[u8]) -> bool {
    let sign = content[0];
    let mut count = 0;
    for byte in content {
        match byte {
            byte if *byte == sign => count += 1,
            b' ' | b'\t' | b'\r' => {}
            _ => return false,
        }
    }
    count >= 3
}

pub(super) fn is_heading(content: &[u8]) -> bool {
    let level = content.iter().take_while(|b| **b == b'#').count();
    level <= 6 && matches!(content.get(level), None | Some(b' ' | b'\t'))
}

pub(super) fn is_underline(content: &[u8]) -> bool {
    let length = content.iter().take_while(|b| **b == content[0]).count();
    container::is_blank(content, length)
}

/// Whether a line may begin a module: `import` or `export` as code, not as the first word of prose.
pub(super) fn is_module_start(rest: &[u8]) -> bool {
    let line = &rest[..memchr::memchr(b'\n', rest).unwrap_or(rest.len())];
    if let Some(rest) = line.strip_prefix(b"import ") {
        let rest = rest.trim_ascii_start();
        let word = rest.iter().take_while(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'$')).count();
        let behind = rest[word..].trim_ascii_start();
        match rest.first() {
            None | Some(b'{' | b'*' | b'"' | b'\'') => true,
            Some(_) if word > 0 => {
                behind.is_empty() || behind.starts_with(b",") || behind.starts_with(b"from")
            }
            Some(_) => false,
        }
    } else if let Some(rest) = line.strip_prefix(b"export ") {
        let rest = rest.trim_ascii_start();
        let words: [&[u8]; 7] = [b"const ", b"let ", b"var ", b"function", b"default", b"class ", b"async "];
        matches!(rest.first(), None | Some(b'{' | b'*')) || words.iter().any(|word| rest.starts_with(word))
    } else {
        false
    }
}

/// How many columns a delimiter row has; `None` where the line is none.
pub(super) fn delimiter_columns(content: &[u8]) -> Option<usize> {
    if !content.iter().all(|b| matches!(b, b'|' | b'-' | b':' | b' ' | b'\t'))
        || !content.iter().any(|b| matches!(b, b'|' | b':'))
    {
        return None;
    }
    let mut columns = 0;
    for cell in cells(content) {
        let cell = content[cell].trim_ascii();
        let cell = cell.strip_prefix(b":").unwrap_or(cell);
        let cell = cell.strip_suffix(b":").unwrap_or(cell);
        if cell.is_empty() || cell.iter().any(|b| *b != b'-') {
            return None;
        }
        columns += 1;
    }
    (columns > 0).then_some(columns)
}

pub(super) fn skip_blanks(bytes: &[u8], at: usize) -> usize {
    at + bytes[at.min(bytes.len())..].iter().take_while(|b| matches!(b, b' ' | b'\t')).count()
}

/// The cells of a row, between its unescaped `|`; the outer ones may be left out.
pub(super) fn cells(row: &[u8]) -> impl Iterator<Item = Range<usize>> {
    let trimmed_end = row.len() - row.iter().rev().take_while(|b| matches!(b, b' ' | b'\t' | b'\r')).count();
    let mut at = skip_blanks(row, 0);
    if row.get(at) == Some(&b'|') {
        at += 1;
    }
    std::iter::from_fn(move || {
        if at >= trimmed_end {
            return None;
        }
        let start = at;
        while at < trimmed_end && row[at] != b'|' {
            at += if row[at] == b'\\' && at + 1 < trimmed_end { 2 } else { 1 };
        }
        let end = at;
        at += 1;
        Some(start..end)
    })
}

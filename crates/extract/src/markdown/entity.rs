//! Character references: `&amp;`, `&#38;`, `&#x26;`.
//!
//! Two rules exist for the same notation. Markdown (CommonMark §2.5) and JSX want the final `;`.
//! HTML attributes (WHATWG HTML §13.2.5.73) also know some hundred names without it, unless `=` or a
//! letter or digit follows: `?a=1&copy=2` keeps its `&copy`, `&amp page` loses its `&amp`.

use std::borrow::Cow;

use html5ever::data::NAMED_ENTITIES;

/// The longest name with its `;`: `CounterClockwiseContourIntegral;`.
const LONGEST_NAME: usize = 32;

/// A decoded reference: one or two characters, and how many bytes of source it took.
pub(crate) struct Reference {
    chars: [Option<char>; 2],
    pub(crate) len: usize,
}

impl Reference {
    pub(crate) fn push_to(&self, out: &mut String) {
        out.extend(self.chars.iter().flatten());
    }
}

/// Reads a reference with its `;` at the start of `text`, which begins with `&`.
pub(crate) fn strict(text: &str) -> Option<Reference> {
    let bytes = text.as_bytes();
    if bytes.get(1) == Some(&b'#') {
        return numeric(bytes).filter(|(_, closed)| *closed).map(|(reference, _)| reference);
    }
    let window = &bytes[1..bytes.len().min(1 + LONGEST_NAME)];
    let end = memchr::memchr(b';', window)? + 1;
    named(text.get(1..1 + end)?, 1 + end)
}

/// Undoes every reference that has its `;`, as JSX and Markdown do.
pub(crate) fn decode_strict(value: &str) -> Cow<'_, str> {
    decode(value, strict)
}

fn decode(value: &str, read: fn(&str) -> Option<Reference>) -> Cow<'_, str> {
    if memchr::memchr(b'&', value.as_bytes()).is_none() {
        return Cow::Borrowed(value);
    }
    let mut out = String::with_capacity(value.len());
    let mut rest = value;
    while let Some(at) = memchr::memchr(b'&', rest.as_bytes()) {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        let taken = match read(rest) {
            Some(reference) => {
                reference.push_to(&mut out);
                reference.len
            }
            None => {
                out.push('&');
                1
            }
        };
        rest = &rest[taken..];
    }
    out.push_str(rest);
    Cow::Owned(out)
}

fn named(name: &str, len: usize) -> Option<Reference> {
    // The table also holds every prefix of a name, mapped to zero.
    let &(first, second) = NAMED_ENTITIES.get(name)?;
    let first = char::from_u32(first).filter(|c| *c != '\0')?;
    let second = char::from_u32(second).filter(|c| *c != '\0');
    Some(Reference { chars: [Some(first), second], len })
}

/// `&#…` with or without its `;` (the flag says which). CommonMark allows seven decimal or six
/// hexadecimal digits; more is no reference.
fn numeric(bytes: &[u8]) -> Option<(Reference, bool)> {
    let hex = matches!(bytes.get(2), Some(b'x' | b'X'));
    let (from, radix, most) = if hex { (3, 16, 6) } else { (2, 10, 7) };
    let digits = bytes[from.min(bytes.len())..]
        .iter()
        .take(most + 1)
        .take_while(|b| (**b as char).is_digit(radix))
        .count();
    if digits == 0 || digits > most {
        return None;
    }
    let text = std::str::from_utf8(&bytes[from..from + digits]).ok()?;
    let code = u32::from_str_radix(text, radix).ok()?;
    let shown = char::from_u32(code).filter(|c| *c != '\0').unwrap_or(char::REPLACEMENT_CHARACTER);
    let closed = bytes.get(from + digits) == Some(&b';');
    let len = from + digits + usize::from(closed);
    Some((Reference { chars: [Some(shown), None], len }, closed))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_references_with_their_semicolon_are_undone() {
        let table = [
            // source, undone
            ("/find?term=x&amp;page=2", "/find?term=x&page=2"),
            ("/find?n=1&lt=5&para=2", "/find?n=1&lt=5&para=2"),
            ("a&copy b", "a&copy b"),
            ("a&notit;", "a&notit;"),
            ("&#38;&#x26;", "&&"),
            ("&#0;", "\u{fffd}"),
            ("&#38", "&#38"),
            ("&CounterClockwiseContourIntegral;", "∳"),
            ("&NotEqualTilde;", "≂̸"),
            ("&", "&"),
            ("&;&é;", "&;&é;"),
        ];
        for (source, markdown) in table {
            assert_eq!(decode_strict(source), markdown, "markdown {source:?}");
        }
    }
}

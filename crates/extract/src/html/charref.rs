//! Character references as HTML reads them (WHATWG HTML §13.2.5.72 and on).
//!
//! Two contexts differ in one point. In an attribute value a name without its `;` stays as it is
//! when `=`, a letter or a digit follows: `?n=1&copy=2` keeps its `&copy`.

use std::borrow::Cow;

use html5ever::data::{C1_REPLACEMENTS, NAMED_ENTITIES};

/// The longest name with its `;`: `CounterClockwiseContourIntegral;`.
const LONGEST_NAME: usize = 32;

/// The longest name that is also known without its `;`: `Aacute`, `frac34`.
const LONGEST_BARE_NAME: usize = 6;

/// The characters that a reference stands for; never empty.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Characters(char, Option<char>);

impl Characters {
    pub(crate) fn push_to(self, out: &mut String) {
        out.push(self.0);
        out.extend(self.1);
    }
}

/// Undoes the references of an attribute value. NUL becomes U+FFFD (§13.2.5.36 and on).
pub(crate) fn decode_attribute(value: &str) -> Cow<'_, str> {
    match memchr::memchr(0, value.as_bytes()) {
        None => decode(value, true),
        Some(_) => Cow::Owned(decode(&value.replace('\0', "\u{fffd}"), true).into_owned()),
    }
}

/// Undoes the references of text.
pub(crate) fn decode_text(text: &str) -> Cow<'_, str> {
    decode(text, false)
}

/// What a name stands for; with its `;`, or without for those that are known so.
pub(crate) fn named(name: &str) -> Option<Characters> {
    // The table also holds every prefix of a name, mapped to zero.
    let &(first, second) = NAMED_ENTITIES.get(name)?;
    let first = char::from_u32(first).filter(|c| *c != '\0')?;
    Some(Characters(first, char::from_u32(second).filter(|c| *c != '\0')))
}

fn decode(source: &str, in_attribute: bool) -> Cow<'_, str> {
    let Some(mut at) = memchr::memchr(b'&', source.as_bytes()) else {
        return Cow::Borrowed(source);
    };
    let mut out = String::with_capacity(source.len());
    let mut rest = source;
    loop {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        let taken = match reference(rest, in_attribute) {
            Some((characters, len)) => {
                characters.push_to(&mut out);
                len
            }
            None => {
                out.push('&');
                1
            }
        };
        rest = &rest[taken..];
        match memchr::memchr(b'&', rest.as_bytes()) {
            Some(next) => at = next,
            None => {
                out.push_str(rest);
                return Cow::Owned(out);
            }
        }
    }
}

/// Reads a reference at the start of `text`, which begins with `&`; also gives its length.
fn reference(text: &str, in_attribute: bool) -> Option<(Characters, usize)> {
    let bytes = text.as_bytes();
    if bytes.get(1) == Some(&b'#') {
        return numeric(bytes);
    }
    let name_end = 1 + bytes[1..].iter().take(LONGEST_NAME).take_while(|b| b.is_ascii_alphanumeric()).count();
    if bytes.get(name_end) == Some(&b';')
        && let Some(found) = named(&text[1..=name_end])
    {
        return Some((found, name_end + 1));
    }
    let longest_end = name_end.min(1 + LONGEST_BARE_NAME);
    let (found, end) = (3..=longest_end).rev().find_map(|end| Some((named(&text[1..end])?, end)))?;
    let goes_on = bytes.get(end).is_some_and(|b| *b == b'=' || b.is_ascii_alphanumeric());
    (!(in_attribute && goes_on)).then_some((found, end))
}

/// `&#38;`, `&#x26`, with as many digits as there are.
fn numeric(bytes: &[u8]) -> Option<(Characters, usize)> {
    let (from, radix) = if matches!(bytes.get(2), Some(b'x' | b'X')) { (3, 16) } else { (2, 10) };
    let digits = bytes.get(from..)?.iter().map_while(|b| char::from(*b).to_digit(radix));
    let (mut code, mut count) = (0u32, 0);
    for digit in digits {
        code = code.saturating_mul(radix).saturating_add(digit);
        count += 1;
    }
    if count == 0 {
        return None;
    }
    let end = from + count;
    let closed = usize::from(bytes.get(end) == Some(&b';'));
    Some((Characters(shown(code), None), end + closed))
}

/// §13.2.5.80: what may not be referred to becomes U+FFFD, and C1 controls are meant as
/// windows-1252.
fn shown(code: u32) -> char {
    let replacement =
        code.checked_sub(0x80).and_then(|at| C1_REPLACEMENTS.get(at as usize).copied().flatten());
    replacement.or_else(|| char::from_u32(code)).filter(|c| *c != '\0').unwrap_or(char::REPLACEMENT_CHARACTER)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn attributes_and_text_differ_in_the_semicolon() {
        let table = [
            // source, in an attribute, in text
            ("/find?term=x&amp;page=2", "/find?term=x&page=2", "/find?term=x&page=2"),
            ("/find?n=1&lt=5&para=2", "/find?n=1&lt=5&para=2", "/find?n=1<=5¶=2"),
            ("a&copy b", "a© b", "a© b"),
            ("a&notit;", "a&notit;", "a¬it;"),
            ("a&notin;", "a∉", "a∉"),
            ("&#38;&#x26;&#38", "&&&", "&&&"),
            ("&#150;&#x80;", "–€", "–€"),
            ("&#0;&#xd800;&#99999999999;", "\u{fffd}\u{fffd}\u{fffd}", "\u{fffd}\u{fffd}\u{fffd}"),
            ("&#;&#x;&#xg", "&#;&#x;&#xg", "&#;&#x;&#xg"),
            ("&CounterClockwiseContourIntegral;", "∳", "∳"),
            ("&NotEqualTilde;", "≂̸", "≂̸"),
            ("&&amp&;&é;", "&&&;&é;", "&&&;&é;"),
            ("plain", "plain", "plain"),
        ];
        for (source, attribute, text) in table {
            assert_eq!(decode_attribute(source), attribute, "attribute {source:?}");
            assert_eq!(decode_text(source), text, "text {source:?}");
        }
    }
}

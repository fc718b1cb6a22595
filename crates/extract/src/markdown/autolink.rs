//! GFM literal autolinks: addresses that stand bare in text (GFM §6.9).
//!
//! The rules follow cmark-gfm and micromark: trailing punctuation is no part of an address, nor is
//! a closing parenthesis without its opening one, nor a trailing `&name;`.

use std::borrow::Cow;
use std::ops::Range;

/// A bare address found in text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Literal {
    pub(crate) span: Range<usize>,
    prefix: &'static str,
}

impl Literal {
    /// The address with the scheme that the bare form leaves out. The source stands as it is:
    /// GFM undoes neither escapes nor character references in it.
    pub(crate) fn href<'a>(&self, text: &'a str) -> Cow<'a, str> {
        let written = &text[self.span.clone()];
        if self.prefix.is_empty() {
            Cow::Borrowed(written)
        } else {
            Cow::Owned(format!("{}{written}", self.prefix))
        }
    }
}

/// Every bare address of `run`, a stretch of `text` that holds nothing but text.
pub(crate) fn find(text: &str, run: Range<usize>, mut found: impl FnMut(Literal)) {
    let bytes = &text.as_bytes()[..run.end];
    let mut floor = run.start;
    let mut at = run.start;
    while let Some(offset) = memchr::memchr3(b':', b'.', b'@', &bytes[at..]) {
        let trigger = at + offset;
        at = trigger + 1;
        if let Some(literal) = at_trigger(bytes, floor, trigger) {
            floor = literal.span.end;
            at = at.max(floor);
            found(literal);
        }
    }
}

/// Tries the three kinds of literal at a byte that can give one away: the `:` of a scheme, the
/// first `.` of `www.`, the `@` of a mail address. Nothing before `floor` may be taken; the text
/// ends where `bytes` ends.
#[inline]
pub(crate) fn at_trigger(bytes: &[u8], floor: usize, trigger: usize) -> Option<Literal> {
    match bytes[trigger] {
        b':' => web(bytes, floor, trigger),
        b'.' => www(bytes, floor, trigger),
        b'@' => mail(bytes, floor, trigger),
        _ => None,
    }
}

#[inline]
fn web(bytes: &[u8], floor: usize, colon: usize) -> Option<Literal> {
    if !bytes[colon + 1..].starts_with(b"//") {
        return None;
    }
    let head = &bytes[floor..colon];
    let scheme = [5, 4]
        .into_iter()
        .find(|&len| head.len() >= len && head[head.len() - len..].eq_ignore_ascii_case(&b"https"[..len]))?;
    let start = colon - scheme;
    if start.checked_sub(1).is_some_and(|before| bytes[before].is_ascii_alphabetic()) {
        return None;
    }
    let end = Address::new(bytes).end(colon + 3)?;
    Some(Literal { span: start..end, prefix: "" })
}

#[inline]
fn www(bytes: &[u8], floor: usize, dot: usize) -> Option<Literal> {
    let start = dot.checked_sub(3).filter(|start| *start >= floor)?;
    if !bytes[start..dot].eq_ignore_ascii_case(b"www") || dot + 1 >= bytes.len() {
        return None;
    }
    let allowed = start.checked_sub(1).is_none_or(|before| {
        matches!(bytes[before], b'\t' | b'\n' | b'\r' | b' ' | b'(' | b'*' | b'_' | b'[' | b']' | b'~')
    });
    let end = allowed.then(|| Address::new(bytes).end(start)).flatten()?;
    Some(Literal { span: start..end, prefix: "http://" })
}

fn mail(bytes: &[u8], floor: usize, sign: usize) -> Option<Literal> {
    let is_name = |b: &u8| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'-' | b'.' | b'_');
    let start = sign - bytes[floor..sign].iter().rev().take_while(|b| is_name(b)).count();
    if start == sign || (start > floor && bytes[start - 1] == b'/') {
        return None;
    }
    let end = mail_domain_end(bytes, sign + 1)?;
    // A scheme that is written out already belongs to the link.
    for scheme in [&b"mailto:"[..], b"xmpp:"] {
        let Some(from) = start.checked_sub(scheme.len()).filter(|from| *from >= floor) else { continue };
        let part_of_word = from > floor && bytes[from - 1].is_ascii_alphanumeric();
        if bytes[from..start].eq_ignore_ascii_case(scheme) && !part_of_word {
            return Some(Literal { span: from..end, prefix: "" });
        }
    }
    Some(Literal { span: start..end, prefix: "mailto:" })
}

fn mail_domain_end(bytes: &[u8], start: usize) -> Option<usize> {
    let mut at = start;
    let mut dots = 0;
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'-' | b'_' => {}
            b'.' if bytes.get(at + 1).is_some_and(u8::is_ascii_alphanumeric) => dots += 1,
            b if b.is_ascii_alphanumeric() => {}
            _ => break,
        }
        at += 1;
    }
    (dots > 0 && bytes[at - 1].is_ascii_alphabetic()).then_some(at)
}

/// Finds the end of a web address.
struct Address<'b> {
    bytes: &'b [u8],
    /// No trail begins before this place: an earlier look ahead came that far and failed. Keeps
    /// long runs of punctuation linear.
    no_trail_before: usize,
}

impl<'b> Address<'b> {
    fn new(bytes: &'b [u8]) -> Self {
        Address { bytes, no_trail_before: 0 }
    }

    fn end(&mut self, start: usize) -> Option<usize> {
        let domain_end = self.domain_end(start)?;
        Some(self.path_end(domain_end))
    }

    /// The domain: at least one letter or digit, and no `_` in its last two parts.
    fn domain_end(&mut self, start: usize) -> Option<usize> {
        let (mut at, mut seen) = (start, false);
        let (mut last_part, mut part_before) = (false, false);
        while let Some(&byte) = self.bytes.get(at) {
            match byte {
                b'.' | b'_' if self.trail_at(at) => break,
                b'_' => last_part = true,
                b'.' => (part_before, last_part) = (last_part, false),
                b'-' => {}
                b if b.is_ascii_alphanumeric() => seen = true,
                0x80.. => match self.char_at(at) {
                    Some(c) if c.is_alphanumeric() => {
                        seen = true;
                        at += c.len_utf8() - 1;
                    }
                    _ => break,
                },
                _ => break,
            }
            at += 1;
        }
        (seen && !last_part && !part_before).then_some(at)
    }

    fn path_end(&mut self, start: usize) -> usize {
        let (mut at, mut opened, mut closed) = (start, 0usize, 0usize);
        while let Some(&byte) = self.bytes.get(at) {
            match byte {
                b'(' => opened += 1,
                b')' if closed < opened => closed += 1,
                b')' if self.trail_at(at) => break,
                b')' => closed += 1,
                b'<' => break,
                b'!' | b'"' | b'&' | b'\'' | b'*' | b',' | b'.' | b':' | b';' | b'?' | b']' | b'_' | b'~'
                    if self.trail_at(at) =>
                {
                    break;
                }
                b if is_ascii_blank(b) => break,
                0x80.. => match self.char_at(at) {
                    Some(c) if c.is_whitespace() => break,
                    Some(c) => at += c.len_utf8() - 1,
                    None => {}
                },
                _ => {}
            }
            at += 1;
        }
        at
    }

    /// Whether nothing but punctuation stands between here and the end of the word.
    fn trail_at(&mut self, start: usize) -> bool {
        if start < self.no_trail_before {
            return false;
        }
        let mut at = start;
        let ends = loop {
            let Some(&byte) = self.bytes.get(at) else { break true };
            match byte {
                b'!' | b'"' | b'\'' | b')' | b'*' | b',' | b'.' | b':' | b';' | b'?' | b'_' | b'~' => at += 1,
                b'&' => {
                    let name = self.bytes[at + 1..].iter().take_while(|b| b.is_ascii_alphabetic()).count();
                    at += 1 + name;
                    if name == 0 || self.bytes.get(at) != Some(&b';') {
                        break false;
                    }
                    at += 1;
                }
                b'<' => break true,
                // The end of a label: what follows would make a link of it.
                b']' => {
                    at += 1;
                    if matches!(self.bytes.get(at), None | Some(b'\t' | b'\n' | b'\r' | b' ' | b'(' | b'[')) {
                        break true;
                    }
                }
                b if is_ascii_blank(b) => break true,
                0x80.. => break self.char_at(at).is_some_and(char::is_whitespace),
                _ => break false,
            }
        };
        if !ends {
            self.no_trail_before = at;
        }
        ends
    }

    fn char_at(&self, at: usize) -> Option<char> {
        let window = &self.bytes[at..self.bytes.len().min(at + 4)];
        match std::str::from_utf8(window) {
            Ok(text) => text.chars().next(),
            Err(error) => std::str::from_utf8(&window[..error.valid_up_to()]).ok()?.chars().next(),
        }
    }
}

fn is_ascii_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r' | 0x0B | 0x0C)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hrefs(text: &str) -> Vec<String> {
        let mut all = Vec::new();
        find(text, 0..text.len(), |literal| all.push(literal.href(text).into_owned()));
        all
    }

    #[test]
    fn literals() {
        let table: &[(&str, &[&str])] = &[
            ("see https://x.test/a.", &["https://x.test/a"]),
            ("(see https://x.test/wiki/Set_(maths))", &["https://x.test/wiki/Set_(maths)"]),
            ("https://x.test/a_b_(c)_d.", &["https://x.test/a_b_(c)_d"]),
            ("HTTP://X.test", &["HTTP://X.test"]),
            ("xhttps://x.test httpx://y", &[]),
            ("www.x.test/a?b=c, and", &["http://www.x.test/a?b=c"]),
            ("awww.x.test", &[]),
            ("me+a@x.test, mailto:me@x.test", &["mailto:me+a@x.test", "mailto:me@x.test"]),
            ("a@b a@b.9 /a@b.cd", &[]),
            ("https://x.test/q?a=1&amp;b=2&copy; z", &["https://x.test/q?a=1&amp;b=2"]),
            ("https://x.test/a](b", &["https://x.test/a"]),
            ("https://a_b.test https://a_b.c.test", &["https://a_b.c.test"]),
            ("https://例え.test/あ。", &["https://例え.test/あ。"]),
            ("https://x.test/a<b", &["https://x.test/a"]),
            ("https:// http:/x", &[]),
            ("https://localhost:8080/x", &["https://localhost:8080/x"]),
        ];
        for (text, want) in table {
            assert_eq!(hrefs(text), *want, "{text:?}");
        }
    }

    #[test]
    fn long_runs_stay_linear() {
        for unit in [".", "&a", "_", ")", "]", "https://a.b/.", "a@", "www."] {
            let text = format!("https://x.test/{}x", unit.repeat(400_000));
            hrefs(&text);
        }
    }
}

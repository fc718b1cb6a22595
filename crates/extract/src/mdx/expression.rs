//! JavaScript as far as it takes to find its end: strings, templates, comments, brackets.

use std::ops::Range;

use super::tag::{self, Href};

/// What may still be spent on looking for ends: hostile text must not cost more than linear time,
/// nor more stack than a page needs.
#[derive(Debug, Clone, Copy)]
pub(super) struct Fuel {
    /// Bytes that may still be looked at.
    pub(super) bytes: usize,
    /// How deep elements and expressions may still nest.
    pub(super) depth: u32,
}

impl Fuel {
    /// Pays for looking at so many bytes.
    pub(super) fn pay(&mut self, bytes: usize) -> Option<()> {
        self.bytes = self.bytes.checked_sub(bytes)?;
        Some(())
    }

    /// Runs `inner` one level deeper.
    pub(super) fn deeper<T>(&mut self, inner: impl FnOnce(&mut Fuel) -> Option<T>) -> Option<T> {
        self.depth = self.depth.checked_sub(1)?;
        let result = inner(self);
        self.depth += 1;
        result
    }
}

/// Finds the `}` that closes the `{` at `at`, and the `href`s of elements inside.
pub(super) fn end<'t>(text: &'t str, at: usize, fuel: &mut Fuel, hrefs: &mut Vec<Href<'t>>) -> Option<usize> {
    fuel.deeper(|fuel| end_within(text, at, fuel, hrefs))
}

fn end_within<'t>(text: &'t str, at: usize, fuel: &mut Fuel, hrefs: &mut Vec<Href<'t>>) -> Option<usize> {
    let bytes = text.as_bytes();
    let mut depth: Vec<Bracket> = vec![Bracket::Brace];
    let mut i = at + 1;
    while i < bytes.len() {
        fuel.pay(1)?;
        if depth.last() == Some(&Bracket::Template) {
            i = template(bytes, i, &mut depth);
            continue;
        }
        match bytes[i] {
            b'{' => depth.push(Bracket::Brace),
            b'}' => {
                depth.pop();
                if depth.is_empty() {
                    return Some(i + 1);
                }
            }
            b'`' => depth.push(Bracket::Template),
            b'"' | b'\'' => i = string(bytes, i),
            b'/' if bytes.get(i + 1) == Some(&b'*') => {
                let length = memchr::memmem::find(&bytes[i + 2..], b"*/");
                fuel.pay(length.unwrap_or(bytes.len() - i))?;
                i += 2 + length? + 1;
            }
            b'/' if bytes.get(i + 1) == Some(&b'/') && bytes[i - 1] != b':' => {
                i = memchr::memchr(b'\n', &bytes[i..]).map(|found| i + found)?;
            }
            b'<' if tag::may_open(bytes, i) => {
                if let Some(found) = tag::read(text, i, 0, fuel, hrefs) {
                    i = found.span.end - 1;
                }
            }
            _ => {}
        }
        i += 1;
    }
    None
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Bracket {
    Brace,
    Template,
}

/// One step inside a template literal.
fn template(bytes: &[u8], i: usize, depth: &mut Vec<Bracket>) -> usize {
    match bytes[i] {
        b'\\' => i + 2,
        b'`' => {
            depth.pop();
            i + 1
        }
        b'$' if bytes.get(i + 1) == Some(&b'{') => {
            depth.push(Bracket::Brace);
            i + 2
        }
        _ => i + 1,
    }
}

/// The closing quote of the string at `at`; `at` itself where the line ends first: then it was an
/// apostrophe in the text of an element.
fn string(bytes: &[u8], at: usize) -> usize {
    let mut i = at + 1;
    while let Some(byte) = bytes.get(i) {
        match byte {
            b'\\' => i += 1,
            b'\n' => return at,
            byte if *byte == bytes[at] => return i,
            _ => {}
        }
        i += 1;
    }
    at
}

/// The text that an attribute value `{…}` is known to have: one string or template literal without
/// substitutions.
pub(super) fn literal(text: &str, inside: Range<usize>) -> Option<&str> {
    let source = text[inside].trim();
    let quote = source.chars().next().filter(|c| matches!(c, '"' | '\'' | '`'))?;
    let inner = source.strip_prefix(quote)?.strip_suffix(quote)?;
    let has_substitution = quote == '`' && inner.contains("${");
    (!has_substitution && !inner.contains([quote, '\\', '\n'])).then_some(inner)
}

/// The end of a module block that begins at `at`: the first blank line at which all brackets are
/// closed; without one, the first blank line at all.
pub(super) fn module_end(text: &str, at: usize) -> usize {
    let bytes = text.as_bytes();
    let (mut depth, mut first_blank) = (Vec::new(), None);
    let mut i = at;
    while i < bytes.len() {
        if depth.last() == Some(&b'`') {
            match bytes[i] {
                b'\\' => i += 1,
                b'`' => drop(depth.pop()),
                _ => {}
            }
            i += 1;
            continue;
        }
        match bytes[i] {
            b'\n' if is_blank_line(bytes, i + 1) => {
                first_blank.get_or_insert(i + 1);
                if depth.is_empty() {
                    return i + 1;
                }
            }
            byte @ (b'{' | b'(' | b'[' | b'`') => depth.push(byte),
            b'}' | b')' | b']' => drop(depth.pop()),
            b'"' | b'\'' => i = string(bytes, i),
            b'/' if bytes.get(i + 1) == Some(&b'*') => {
                i = memchr::memmem::find(&bytes[i + 2..], b"*/")
                    .map_or(bytes.len(), |found| i + 2 + found + 1);
            }
            _ => {}
        }
        i += 1;
    }
    if depth.is_empty() { bytes.len() } else { first_blank.unwrap_or(bytes.len()) }
}

fn is_blank_line(bytes: &[u8], at: usize) -> bool {
    let rest = &bytes[at..];
    let blanks = rest.iter().take_while(|byte| matches!(byte, b' ' | b'\t' | b'\r')).count();
    matches!(rest.get(blanks), None | Some(b'\n'))
}

//! The plain text of a label, as a reader sees it.

use std::borrow::Cow;

use crate::markdown::entity;

/// Undoes what Markdown adds to the text of a label: escapes, character references, code ticks,
/// emphasis, images (their alternative text stays), tags, and line breaks.
///
/// Works on the source of one label without a grammar: which `*` opens what does not matter for a
/// name that people read.
pub(crate) fn plain(source: &str) -> Cow<'_, str> {
    let source = source.trim();
    let is_mark =
        |b: &u8| matches!(b, b'\\' | b'&' | b'`' | b'*' | b'_' | b'~' | b'[' | b']' | b'!' | b'<' | b'\n');
    if !source.as_bytes().iter().any(is_mark) {
        return Cow::Borrowed(source);
    }
    let mut out = Plainer { source, bytes: source.as_bytes(), out: String::with_capacity(source.len()) };
    out.run();
    let kept = out.out.trim_end().len();
    out.out.truncate(kept);
    Cow::Owned(out.out)
}

struct Plainer<'s> {
    source: &'s str,
    bytes: &'s [u8],
    out: String,
}

impl Plainer<'_> {
    fn run(&mut self) {
        let mut at = 0;
        while at < self.bytes.len() {
            at = self.step(at);
        }
    }

    fn step(&mut self, at: usize) -> usize {
        let next = self.bytes.get(at + 1).copied();
        match self.bytes[at] {
            b'\\' if next.is_some_and(|b| b.is_ascii_punctuation()) => self.keep(at + 1, 1),
            b'&' => match entity::strict(&self.source[at..]) {
                Some(reference) => {
                    reference.push_to(&mut self.out);
                    at + reference.len
                }
                None => self.keep(at, 1),
            },
            b'`' => self.code(at),
            b'*' => at + 1,
            b'~' if next == Some(b'~') => at + 2,
            b'_' if !self.inside_word(at) => at + 1,
            b'!' if next == Some(b'[') => at + 2,
            b']' => self.bracket_end(at),
            b'<' if next.is_some_and(|b| b.is_ascii_alphabetic() || b == b'/') => {
                match memchr::memchr(b'>', &self.bytes[at..]) {
                    Some(length) => at + length + 1,
                    None => self.keep(at, 1),
                }
            }
            b'\n' | b'\r' | b' ' | b'\t' => {
                if !self.out.ends_with(' ') && !self.out.is_empty() {
                    self.out.push(' ');
                }
                at + 1
            }
            _ => {
                let ordinary = |b: &u8| {
                    !matches!(
                        b,
                        b'\\'
                            | b'&'
                            | b'`'
                            | b'*'
                            | b'~'
                            | b'_'
                            | b'!'
                            | b']'
                            | b'<'
                            | b'\n'
                            | b'\r'
                            | b' '
                            | b'\t'
                    )
                };
                let length = 1 + self.bytes[at + 1..].iter().take_while(|b| ordinary(b)).count();
                self.keep(at, length)
            }
        }
    }

    fn keep(&mut self, from: usize, length: usize) -> usize {
        self.out.push_str(&self.source[from..from + length]);
        from + length
    }

    fn code(&mut self, at: usize) -> usize {
        let ticks = self.bytes[at..].iter().take_while(|b| **b == b'`').count();
        let from = at + ticks;
        // A label holds few ticks; a run without its partner stays text.
        let close =
            if ticks <= 4 { memchr::memmem::find(&self.bytes[from..], &b"````"[..ticks]) } else { None };
        match close {
            Some(length) => {
                self.out.push_str(self.source[from..from + length].trim());
                from + length + ticks
            }
            None => self.keep(at, ticks),
        }
    }

    /// Behind the `]` of an image in the label, its address goes.
    fn bracket_end(&mut self, at: usize) -> usize {
        let image = self.bytes.get(at + 1) == Some(&b'(') && self.source.contains("![");
        match memchr::memchr(b')', &self.bytes[at..]).filter(|_| image) {
            Some(length) => at + length + 1,
            None => self.keep(at, 1),
        }
    }

    fn inside_word(&self, at: usize) -> bool {
        let is_word =
            |b: Option<&u8>| b.is_some_and(|b| b.is_ascii_alphanumeric() || *b == b'_' || *b >= 0x80);
        at > 0 && is_word(self.bytes.get(at - 1)) && is_word(self.bytes.get(at + 1))
    }
}

#[cfg(test)]
mod tests {
    use super::plain;

    #[test]
    fn labels_lose_their_markup() {
        let table = [
            ("Plain text ", "Plain text"),
            ("`code()` and **bold**", "code() and bold"),
            (r"Array \[\] type", "Array [] type"),
            ("Q &amp; A", "Q & A"),
            ("snake_case _em_", "snake_case em"),
            ("![alt](/i.png) text", "alt text"),
            ("two\n   lines", "two lines"),
            ("<b>x</b> a < b", "x a < b"),
            ("``a ` b``", "a ` b"),
            ("Joins [SQL]", "Joins [SQL]"),
        ];
        for (source, want) in table {
            assert_eq!(plain(source), want, "{source:?}");
        }
    }
}

//! JSX tags (`<Card href="/x">`, `</Card>`, `<>`), and the `href`s in them.

use std::borrow::Cow;
use std::ops::Range;

use super::expression::{self, Fuel};
use crate::Target;
use crate::markdown::entity;

/// An `href` attribute.
#[derive(Debug)]
pub(super) struct Href<'t> {
    pub(super) target: Target<'t>,
    /// The tag it stands in.
    pub(super) span: Range<usize>,
}

/// One tag.
#[derive(Debug)]
pub(super) struct Tag<'t> {
    pub(super) span: Range<usize>,
    pub(super) name: &'t str,
    pub(super) kind: Kind,
    /// An attribute value without quotes, which MDX does not allow.
    pub(super) unquoted: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Open,
    Close,
    SelfClosing,
}

/// Whether the `<` at `at` can begin a tag.
pub(super) fn may_open(bytes: &[u8], at: usize) -> bool {
    bytes.get(at + 1).is_some_and(|byte| is_name_start(*byte) || matches!(byte, b'/' | b'>'))
}

/// Reads the tag at `at`; `None` where there is none, or it does not end before the fuel does.
/// `quotes` block quote marks at the start of a further line belong to the quote, not to the tag.
pub(super) fn read<'t>(
    text: &'t str,
    at: usize,
    quotes: usize,
    fuel: &mut Fuel,
    hrefs: &mut Vec<Href<'t>>,
) -> Option<Tag<'t>> {
    let known = hrefs.len();
    let before = *fuel;
    let mut reader = Reader { text, bytes: text.as_bytes(), at: at + 1, quotes, fuel };
    let tag = reader.tag(at, hrefs);
    let spent = reader.at - at;
    fuel.bytes = fuel.bytes.min(before.bytes.saturating_sub(spent));
    match &tag {
        Some(tag) => hrefs[known..]
            .iter_mut()
            .filter(|href| href.span.is_empty())
            .for_each(|h| h.span = tag.span.clone()),
        None => hrefs.truncate(known),
    }
    tag
}

struct Reader<'t, 'f> {
    text: &'t str,
    bytes: &'t [u8],
    at: usize,
    quotes: usize,
    fuel: &'f mut Fuel,
}

impl<'t> Reader<'t, '_> {
    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn skip_blanks(&mut self) {
        while let Some(byte) = self.peek().filter(u8::is_ascii_whitespace) {
            self.at += 1;
            if byte == b'\n' {
                self.skip_quote_marks();
            }
        }
    }

    fn skip_quote_marks(&mut self) {
        let mut left = self.quotes;
        while left > 0 {
            let blanks = self.bytes[self.at..].iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
            if self.bytes.get(self.at + blanks) != Some(&b'>') {
                return;
            }
            self.at += blanks + 1;
            left -= 1;
        }
    }

    fn name(&mut self) -> &'t str {
        let start = self.at;
        if self.peek().is_some_and(is_name_start) {
            while self
                .peek()
                .is_some_and(|b| is_name_start(b) || b.is_ascii_digit() || matches!(b, b'-' | b'.' | b':'))
            {
                self.at += 1;
            }
        }
        &self.text[start..self.at]
    }

    fn tag(&mut self, start: usize, hrefs: &mut Vec<Href<'t>>) -> Option<Tag<'t>> {
        self.skip_blanks();
        let mut kind = Kind::Open;
        if self.peek()? == b'/' {
            kind = Kind::Close;
            self.at += 1;
            self.skip_blanks();
        }
        let name = self.name();
        let mut unquoted = false;
        loop {
            self.skip_blanks();
            match self.peek()? {
                b'>' => {
                    self.at += 1;
                    return Some(Tag { span: start..self.at, name, kind, unquoted });
                }
                b'/' => {
                    self.at += 1;
                    self.skip_blanks();
                    if self.peek()? != b'>' {
                        return None;
                    }
                    kind = Kind::SelfClosing;
                }
                b'{' => self.at = self.expression(hrefs)?,
                byte if is_name_start(byte) && !name.is_empty() => unquoted |= self.attribute(hrefs)?,
                _ => return None,
            }
        }
    }

    /// Reads `name`, `name="…"`, `name='…'` or `name={…}`; tells whether the value had no quotes.
    fn attribute(&mut self, hrefs: &mut Vec<Href<'t>>) -> Option<bool> {
        let is_href = self.name() == "href";
        self.skip_blanks();
        if self.peek()? != b'=' {
            return Some(false);
        }
        self.at += 1;
        self.skip_blanks();
        let start = self.at;
        let (target, unquoted) = match self.peek()? {
            quote @ (b'"' | b'\'') => {
                let length = memchr::memchr(quote, &self.bytes[start + 1..]);
                self.fuel.pay(length.unwrap_or(self.bytes.len() - start))?;
                let length = length?;
                self.at = start + 1 + length + 1;
                let value = &self.text[start + 1..start + 1 + length];
                (Target::Literal(entity::decode_strict(value)), false)
            }
            b'{' => {
                self.at = self.expression(hrefs)?;
                let inside = start + 1..self.at - 1;
                let target = match expression::literal(self.text, inside.clone()) {
                    Some(literal) => Target::Literal(Cow::Borrowed(literal)),
                    None => Target::Dynamic(&self.text[start..self.at]),
                };
                (target, false)
            }
            _ => {
                while self
                    .peek()
                    .is_some_and(|b| !b.is_ascii_whitespace() && !matches!(b, b'>' | b'<' | b'"' | b'\''))
                {
                    self.at += 1;
                }
                (Target::Literal(entity::decode_strict(&self.text[start..self.at])), true)
            }
        };
        if is_href {
            // The tag's end is not known yet; an empty span marks it as this tag's own.
            hrefs.push(Href { target, span: 0..0 });
        }
        Some(unquoted)
    }

    fn expression(&mut self, hrefs: &mut Vec<Href<'t>>) -> Option<usize> {
        expression::end(self.text, self.at, self.fuel, hrefs)
    }
}

fn is_name_start(byte: u8) -> bool {
    byte.is_ascii_alphabetic() || matches!(byte, b'_' | b'$') || byte >= 0x80
}

//! Blanks out what is no Markdown, in one pass, and notes the `href`s on the way.

use std::borrow::Cow;
use std::ops::Range;

use super::dedent::{blanks, container_mark};
use super::expression::{self, Fuel};
use super::fence::{self, Line, Opener};
use super::tag::{self, Href, Kind, Tag};
use crate::{Link, Oddity, Role, Syntax, Target};

/// Masked text: as long as the body it was made from, byte for byte.
#[derive(Debug)]
pub(super) struct Masked<'t> {
    pub(super) bytes: String,
    /// Where the body begins in the text.
    pub(super) start: usize,
    pub(super) links: Vec<Link<'t>>,
    pub(super) oddities: Vec<Oddity>,
}

/// The most oddities that are reported of one page.
const ODDITIES: usize = 20;
/// How deep elements and expressions may nest in one another.
const DEPTH: u32 = 100;

pub(super) fn mask(text: &str, body: Range<usize>) -> Masked<'_> {
    let text = &text[..body.end];
    let mut masker = Masker {
        text,
        bytes: text.as_bytes(),
        out: text.as_bytes()[body.start..].to_vec(),
        start: body.start,
        hrefs: Vec::new(),
        oddities: Vec::new(),
        open: Vec::new(),
        list_indent: 0,
        fuel: Fuel { bytes: 16 * text.len() + 4_096, depth: DEPTH },
        after_blank: true,
    };
    masker.run(body.start);
    masker.finish()
}

struct Masker<'t> {
    text: &'t str,
    bytes: &'t [u8],
    out: Vec<u8>,
    start: usize,
    hrefs: Vec<Href<'t>>,
    oddities: Vec<Oddity>,
    /// Elements that are open, with their places.
    open: Vec<(&'t str, Range<usize>)>,
    /// Column of the content of the list item that is open; 0 without one.
    list_indent: usize,
    fuel: Fuel,
    /// Whether a block can begin here: module code is only read then.
    after_blank: bool,
}

impl<'t> Masker<'t> {
    fn run(&mut self, from: usize) {
        let mut at = from;
        while at < self.bytes.len() {
            at = self.block_line(at);
        }
    }

    /// Reads what begins on the line at `at`, and returns the start of the next line that is to be
    /// looked at.
    fn block_line(&mut self, at: usize) -> usize {
        let end = self.line_end(at);
        let line = &self.text[at..end];
        if line.trim().is_empty() {
            self.after_blank = true;
            return end;
        }
        if self.after_blank && (line.starts_with("import ") || line.starts_with("export ")) {
            let module_end = expression::module_end(self.text, at);
            self.blank(at..module_end);
            return module_end;
        }
        match fence::item_indent(line) {
            Some(indent) => self.list_indent = indent,
            None if blanks(line, 0) < self.list_indent && self.after_blank => self.list_indent = 0,
            None => {}
        }
        if let Some(opener) = fence::opener(line, self.list_indent) {
            return self.verbatim(at, opener);
        }
        self.after_blank = false;
        self.inline(at, quote_marks(line))
    }

    /// Blanks a fence or flow math, and returns the line after it.
    fn verbatim(&mut self, start: usize, opener: Opener) -> usize {
        let mut at = self.line_end(start);
        let mut end = at;
        while at < self.bytes.len() {
            let next = self.line_end(at);
            match opener.line(self.text[at..next].trim_end_matches(['\n', '\r'])) {
                Line::Outside => break,
                Line::Inside => {}
                Line::Closes => {
                    end = next;
                    break;
                }
            }
            (at, end) = (next, next);
        }
        self.blank(start..end);
        self.after_blank = true;
        end
    }

    /// Reads text up to the end of its line; constructs in it may reach over further lines.
    fn inline(&mut self, mut at: usize, quotes: usize) -> usize {
        loop {
            let Some(found) =
                self.bytes[at..].iter().position(|b| matches!(b, b'\n' | b'\\' | b'`' | b'$' | b'{' | b'<'))
            else {
                return self.bytes.len();
            };
            at += found;
            at = match self.bytes[at] {
                b'\n' => return at + 1,
                b'\\' => at + 1 + usize::from(self.bytes.get(at + 1).is_some_and(u8::is_ascii_punctuation)),
                b'`' => self.span(at, b'`').map_or_else(|| at + self.run_length(at), |span| span.end),
                b'$' => match self.span(at, b'$') {
                    Some(span) => {
                        self.blank(span.clone());
                        span.end
                    }
                    None => at + self.run_length(at),
                },
                b'{' => self.expression(at),
                _ => self.angle(at, quotes),
            };
        }
    }

    fn run_length(&self, at: usize) -> usize {
        self.bytes[at..].iter().take_while(|byte| **byte == self.bytes[at]).count()
    }

    /// A span of code or math, which never reaches over a blank line.
    fn span(&mut self, at: usize, mark: u8) -> Option<Range<usize>> {
        let end = self.paragraph_end(at);
        let found = fence::span_end(&self.bytes[at..end], 0, mark).map(|span| at + span.start..at + span.end);
        self.spend(found.as_ref().map_or(end - at, ExactSizeIterator::len));
        found
    }

    fn paragraph_end(&self, at: usize) -> usize {
        let limit = (at + self.fuel.bytes.min(1 << 16)).min(self.bytes.len());
        let within = &self.bytes[at..limit];
        let mut from = 0;
        while let Some(found) = memchr::memchr(b'\n', &within[from..]) {
            let next = from + found + 1;
            let blanks = within[next..].iter().take_while(|b| matches!(b, b' ' | b'\t' | b'\r')).count();
            if matches!(within.get(next + blanks), None | Some(b'\n')) {
                return at + next;
            }
            from = next;
        }
        limit
    }

    fn expression(&mut self, at: usize) -> usize {
        let known = self.hrefs.len();
        match expression::end(self.text, at, &mut self.fuel, &mut self.hrefs) {
            Some(end) => {
                self.blank(at..end);
                end
            }
            None => {
                self.hrefs.truncate(known);
                self.odd(at..at + 1, "not valid MDX: this { is never closed");
                at + 1
            }
        }
    }

    /// Reads what begins with `<`: a comment, an address, a tag, or a mere sign.
    fn angle(&mut self, at: usize, quotes: usize) -> usize {
        if self.bytes[at..].starts_with(b"<!--") {
            return match memchr::memmem::find(&self.bytes[at..], b"-->") {
                Some(found) => {
                    self.blank(at..at + found + 3);
                    at + found + 3
                }
                None => {
                    self.odd(at..at + 4, "this comment is never closed");
                    at + 4
                }
            };
        }
        if let Some(end) = destination_end(self.bytes, at) {
            return end;
        }
        if let Some(end) = autolink_end(self.bytes, at) {
            self.odd(at..end, "not valid MDX: an address in angle brackets");
            return end;
        }
        if !tag::may_open(self.bytes, at) {
            return at + 1;
        }
        match tag::read(self.text, at, quotes, &mut self.fuel, &mut self.hrefs) {
            Some(tag) => {
                let span = tag.span.clone();
                self.balance(&tag);
                self.blank(span.clone());
                span.end
            }
            None => {
                self.odd(at..at + 1, "not valid MDX: this < begins no tag");
                at + 1
            }
        }
    }

    fn balance(&mut self, tag: &Tag<'t>) {
        if tag.unquoted {
            self.odd(tag.span.clone(), "not valid MDX: an attribute value without quotes");
        }
        match tag.kind {
            Kind::SelfClosing => {}
            Kind::Open => self.open.push((tag.name, tag.span.clone())),
            Kind::Close => match self.open.last() {
                Some((name, _)) if *name == tag.name => drop(self.open.pop()),
                _ => self.odd(tag.span.clone(), "not valid MDX: this tag closes nothing that is open"),
            },
        }
    }

    fn blank(&mut self, range: Range<usize>) {
        let range = range.start - self.start..range.end.min(self.bytes.len()) - self.start;
        for byte in &mut self.out[range] {
            if !matches!(byte, b'\n' | b'\r') {
                *byte = b' ';
            }
        }
    }

    fn spend(&mut self, bytes: usize) {
        self.fuel.bytes = self.fuel.bytes.saturating_sub(bytes);
    }

    fn odd(&mut self, span: Range<usize>, what: &'static str) {
        if self.oddities.len() < ODDITIES {
            self.oddities.push(Oddity { span, what: Cow::Borrowed(what) });
        }
    }

    fn line_end(&self, at: usize) -> usize {
        memchr::memchr(b'\n', &self.bytes[at..]).map_or(self.bytes.len(), |found| at + found + 1)
    }

    fn finish(mut self) -> Masked<'t> {
        if let Some((_, span)) = self.open.first().cloned() {
            self.odd(span, "not valid MDX: this element is never closed");
        }
        let links = self.hrefs.into_iter().map(|href| Link {
            label: Cow::Borrowed(""),
            span: href.span,
            role: Role::Mention,
            syntax: Syntax::JsxHref,
            target: href.target,
        });
        let links = links.filter(|link| !matches!(&link.target, Target::Unreadable { .. })).collect();
        // Only whole constructs are blanked, and those begin and end at ASCII signs.
        let bytes = String::from_utf8(self.out)
            .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned());
        Masked { bytes, start: self.start, links, oddities: self.oddities }
    }
}

/// How many block quote marks a line begins with.
fn quote_marks(line: &str) -> usize {
    let (mut at, mut quotes) = (blanks(line, 0), 0);
    while let Some(end) = container_mark(line, at) {
        quotes += usize::from(line.as_bytes()[at] == b'>');
        at = blanks(line, end);
    }
    quotes
}

/// The end of the `<…>` in `[x](</a b>)` or `[x]: </a b>`, which is a destination and no tag.
fn destination_end(bytes: &[u8], at: usize) -> Option<usize> {
    let before = bytes[..at].trim_ascii_end();
    if !before.ends_with(b"](") && !before.ends_with(b"]:") {
        return None;
    }
    let length = bytes[at..].iter().take(4_096).position(|byte| matches!(byte, b'>' | b'\n'))?;
    (bytes[at + length] == b'>').then_some(at + length + 1)
}

/// The end of `<https://…>` or `<mailto:…>`: a scheme, a colon, and no blank.
fn autolink_end(bytes: &[u8], at: usize) -> Option<usize> {
    let rest = &bytes[at + 1..];
    let scheme = rest
        .iter()
        .take(33)
        .take_while(|b| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'.' | b'-'))
        .count();
    if scheme < 2
        || rest.get(scheme) != Some(&b':')
        || rest.get(scheme + 1).is_none_or(u8::is_ascii_whitespace)
    {
        return None;
    }
    let end = rest.iter().take(4_096).position(|b| matches!(b, b'>' | b'<') || b.is_ascii_whitespace())?;
    (rest[end] == b'>').then_some(at + 1 + end + 1)
}

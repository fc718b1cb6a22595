//! The second pass: links, addresses, tags and expressions in stretches of inline content.

use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::Range;

use super::block::{Blocks, Segment, SegmentKind};
use super::code::{Code, Element, Value, balanced};
use super::definitions::Definitions;
use super::line::cells;
use super::patience::Patience;
use super::plain::plain;
use super::resource;
use super::source::Source;
use super::tags::Tags;
use crate::markdown::{autolink, entity, unescape::unescape};
use crate::{Link, Oddity, Role, Syntax, Target};

/// The most oddities that are reported of one page: they mark it, they don't list its faults.
const MOST_ODDITIES: usize = 20;

/// Links, oddities, and the first heading of level one.
pub(super) type Found<'a> = (Vec<Link<'a>>, Vec<Oddity>, Option<Cow<'a, str>>);

/// Scans what the first pass left.
pub(super) fn scan<'a>(text: &'a str, blocks: Blocks<'a>) -> Found<'a> {
    let mut scanner = Scanner {
        definitions: blocks.definitions,
        patience: blocks.patience,
        code: Code::default(),
        brackets: Vec::new(),
        serial: 0,
        inactive_below: 0,
        runs: [None, None],
        tags: Tags::default(),
        links: Vec::new(),
        oddities: blocks.oddities,
    };
    let mut title = None;
    for segment in &blocks.segments {
        let source = if segment.lines.is_empty() {
            Source::Direct(text)
        } else {
            Source::copied(text, &blocks.lines[segment.lines.clone()])
        };
        let range = if segment.lines.is_empty() { segment.range.clone() } else { 0..source.text().len() };
        scanner.segment(&source, range.clone(), segment);
        if segment.kind == SegmentKind::Title && title.is_none() {
            let shown = source.slice(range);
            let shown = match shown {
                Cow::Borrowed(text) => plain(text.trim().trim_end_matches('#')),
                Cow::Owned(text) => Cow::Owned(plain(&text).into_owned()),
            };
            title = Some(shown);
        }
    }
    if let Some(at) = scanner.tags.end() {
        scanner.odd(at, "not valid MDX: an element that is never closed");
    }
    if !scanner.links.is_sorted_by_key(|link| link.span.start) {
        scanner.links.sort_by_key(|link| link.span.start);
    }
    scanner.oddities.truncate(MOST_ODDITIES);
    (scanner.links, scanner.oddities, title)
}

struct Scanner<'a> {
    definitions: Definitions<'a>,
    patience: Patience,
    code: Code,
    brackets: Vec<Bracket>,
    /// Counts opening brackets.
    serial: usize,
    /// Link openers below this place in `brackets` can't become links: a link stands in them.
    inactive_below: usize,
    /// Per sign (code, math): where the last run of each length starts. Made once a run found no
    /// partner, so that many of them stay cheap.
    runs: [Option<HashMap<usize, usize>>; 2],
    tags: Tags,
    links: Vec<Link<'a>>,
    oddities: Vec<Oddity>,
}

#[derive(Debug, Clone, Copy)]
struct Bracket {
    at: usize,
    is_image: bool,
    /// How many links there were before it.
    links: usize,
    serial: usize,
}

/// What is scanned, and what the scan of it remembers.
struct Stretch<'s, 'a> {
    source: &'s Source<'a>,
    /// The text up to the end of the stretch.
    bytes: &'s [u8],
    in_text: bool,
    /// Nothing before this place may become part of a bare address.
    floor: usize,
    /// No `-->` stands in the rest of it.
    no_comment_end: bool,
}

impl<'a> Scanner<'a> {
    fn segment(&mut self, source: &Source<'a>, range: Range<usize>, segment: &Segment) {
        let in_text = segment.kind != SegmentKind::Flow;
        if segment.kind == SegmentKind::Row {
            let row = &source.text().as_bytes()[range.clone()];
            for cell in cells(row) {
                self.stretch(source, range.start + cell.start..range.start + cell.end, true);
            }
        } else {
            self.stretch(source, range, in_text);
        }
    }

    fn stretch(&mut self, source: &Source<'a>, range: Range<usize>, in_text: bool) {
        self.brackets.clear();
        self.inactive_below = 0;
        self.runs = [None, None];
        let bytes = &source.text().as_bytes()[..range.end];
        let mut stretch = Stretch { source, bytes, in_text, floor: range.start, no_comment_end: false };
        let mut at = range.start;
        while let Some(offset) = bytes[at..].iter().position(|b| STOPS[usize::from(*b)]) {
            at = self.stop(&mut stretch, at + offset);
        }
        if in_text && let Some(unclosed) = self.tags.end_of_text() {
            self.odd(unclosed, "not valid MDX: an element that is not closed in its paragraph");
        }
    }

    /// Handles the byte at `at`, and says where to go on.
    fn stop(&mut self, stretch: &mut Stretch<'_, 'a>, at: usize) -> usize {
        let bytes = stretch.bytes;
        let next = match bytes[at] {
            b'\\' if bytes.get(at + 1).is_some_and(u8::is_ascii_punctuation) => at + 2,
            b'`' | b'$' => self.raw(bytes, at),
            b'<' => return self.angle(stretch, at),
            b'{' => self.brace(stretch, at),
            b'[' => return self.open_bracket(stretch, at),
            b']' => return self.close_bracket(stretch, at),
            b':' | b'.' | b'@' => return self.address(stretch, at),
            _ => return at + 1,
        };
        if next > at + 1 {
            stretch.floor = next;
        }
        next
    }

    /// Behind code or math, or behind its opening run where that has no partner.
    fn raw(&mut self, bytes: &[u8], at: usize) -> usize {
        let sign = bytes[at];
        let slot = usize::from(sign == b'$');
        let length = run_length(bytes, at);
        let behind = at + length;
        if let Some(last) = &self.runs[slot]
            && last.get(&length).is_none_or(|last| *last < behind)
        {
            return behind;
        }
        if let Some(close) = runs(bytes, behind, sign).find(|run| run.len() == length) {
            return close.end;
        }
        self.runs[slot]
            .get_or_insert_with(|| runs(bytes, behind, sign).map(|run| (run.len(), run.start)).collect());
        behind
    }

    fn angle(&mut self, stretch: &mut Stretch<'_, 'a>, at: usize) -> usize {
        let bytes = stretch.bytes;
        if bytes.get(at + 1).is_none_or(u8::is_ascii_whitespace) {
            return at + 1;
        }
        if bytes[at..].starts_with(b"<!--") {
            self.odd(stretch.source.place(at), "not valid MDX: an HTML comment");
            // An unclosed comment hides nothing: its text is read.
            let close =
                (!stretch.no_comment_end).then(|| memchr::memmem::find(&bytes[at..], b"-->")).flatten();
            let close = close.map(|close| at + close + 3);
            stretch.no_comment_end = close.is_none();
            stretch.floor = close.unwrap_or(at + 4);
            return stretch.floor;
        }
        let window = &bytes[..self.patience.horizon(at, bytes.len())];
        if let Some(tag) = self.code.tag(window, at) {
            self.elements(stretch);
            if tag.tolerated {
                self.odd(stretch.source.place(at), "not valid MDX: an attribute value without quotes");
            }
            let place = stretch.source.place(at);
            if let Some(what) = self.tags.tag(&bytes[tag.name], tag.kind, stretch.in_text, place) {
                self.odd(place, what);
            }
            stretch.floor = tag.end;
            return tag.end;
        }
        if let Some((address, prefix, end)) = pointed_address(bytes, at) {
            let span = stretch.source.span(at..end);
            self.odd(span.start, "not valid MDX: an address in pointed brackets");
            let label = stretch.source.slice(address.clone());
            let target =
                if prefix.is_empty() { label.clone() } else { Cow::Owned(format!("{prefix}{label}")) };
            self.push(Target::Literal(target), label, span, Syntax::Autolink);
            stretch.floor = end;
            return end;
        }
        self.patience.lost(window.len() - at);
        self.odd(stretch.source.place(at), "not valid MDX: a `<` that begins no tag");
        at + 1
    }

    fn brace(&mut self, stretch: &Stretch<'_, 'a>, at: usize) -> usize {
        let bytes = stretch.bytes;
        let window = &bytes[..self.patience.horizon(at, bytes.len())];
        if let Some(end) = self.code.expression(window, at) {
            self.elements(stretch);
            return end;
        }
        if !self.patience.is_lost()
            && let Some(end) = balanced(window, at)
        {
            return end;
        }
        self.patience.lost(window.len() - at);
        self.odd(stretch.source.place(at), "not valid MDX: a `{` that is never closed");
        at + 1
    }

    /// Makes links of the elements that the last scan of code passed.
    fn elements(&mut self, stretch: &Stretch<'_, 'a>) {
        for element in std::mem::take(&mut self.code.elements) {
            let source = stretch.source;
            let target = match &element.value {
                Value::Text(range) => Target::Literal(source.undone(range.clone(), entity::decode_strict)),
                Value::Expression(range) => match literal(&source.text()[range.clone()]) {
                    Some(inner) => {
                        Target::Literal(source.slice(range.start + inner.start..range.start + inner.end))
                    }
                    None => match source {
                        Source::Direct(text) => Target::Dynamic(&text[range.clone()]),
                        Source::Copied { document, .. } => {
                            Target::Dynamic(&document[source.span(range.clone())])
                        }
                    },
                },
            };
            let label = element_label(stretch, &element);
            self.push(target, label, source.span(element.span), Syntax::JsxHref);
        }
    }

    fn open_bracket(&mut self, stretch: &Stretch<'_, 'a>, at: usize) -> usize {
        let bytes = stretch.bytes;
        if bytes.get(at + 1) == Some(&b'^')
            && self.definitions.has_footnotes()
            && let Some(label) = resource::label(bytes, at)
            && self.definitions.is_footnote(&stretch.source.text()[label.start + 1..label.end])
        {
            return label.end + 1;
        }
        let is_image = at > stretch.floor && bytes[at - 1] == b'!';
        self.serial += 1;
        self.inactive_below = self.inactive_below.min(self.brackets.len());
        self.brackets.push(Bracket { at, is_image, links: self.links.len(), serial: self.serial });
        at + 1
    }

    fn close_bracket(&mut self, stretch: &mut Stretch<'_, 'a>, at: usize) -> usize {
        let Some(open) = self.brackets.pop() else { return at + 1 };
        if !open.is_image && self.brackets.len() < self.inactive_below {
            return at + 1;
        }
        let Some((target, end, syntax)) = self.destination(stretch, open, at) else { return at + 1 };
        stretch.floor = end;
        if open.is_image {
            // Its alternative text is no content.
            self.links.truncate(open.links);
            return end;
        }
        self.inactive_below = self.brackets.len();
        // The visible text of a link is not a second link.
        let mut kept = open.links;
        for index in open.links..self.links.len() {
            if self.links[index].syntax != Syntax::BareUrl {
                self.links.swap(kept, index);
                kept += 1;
            }
        }
        self.links.truncate(kept);
        let label = stretch.source.undone(open.at + 1..at, plain);
        self.push(Target::Literal(target), label, stretch.source.span(open.at..end), syntax);
        end
    }

    /// Where the label that `close` ends leads to.
    fn destination(
        &self,
        stretch: &Stretch<'_, 'a>,
        open: Bracket,
        close: usize,
    ) -> Option<(Cow<'a, str>, usize, Syntax)> {
        let bytes = stretch.bytes;
        let behind = close + 1;
        if bytes.get(behind) == Some(&b'(')
            && let Some((destination, end)) = resource::resource(bytes, behind)
        {
            return Some((stretch.source.undone(destination, unescape), end, Syntax::Inline));
        }
        if self.definitions.is_empty() {
            return None;
        }
        let text = stretch.source.text();
        let mut end = behind;
        if bytes.get(behind) == Some(&b'[')
            && let Some(label) = resource::label(bytes, behind)
        {
            if !bytes[label.clone()].trim_ascii().is_empty() {
                let target = self.definitions.destination(&text[label.clone()])?;
                return Some((target.clone(), label.end + 1, Syntax::Reference));
            }
            end = label.end + 1;
        }
        // A label with brackets in it can't be defined.
        let is_simple = open.serial == self.serial && close - open.at < resource::LONGEST_LABEL;
        let target = is_simple.then(|| self.definitions.destination(&text[open.at + 1..close])).flatten()?;
        Some((target.clone(), end, Syntax::Reference))
    }

    fn address(&mut self, stretch: &mut Stretch<'_, 'a>, at: usize) -> usize {
        let Some(literal) = autolink::at_trigger(stretch.bytes, stretch.floor, at) else { return at + 1 };
        let label = stretch.source.slice(literal.span.clone());
        let target = match stretch.source {
            Source::Direct(text) => literal.href(text),
            Source::Copied { copy, .. } => Cow::Owned(literal.href(copy).into_owned()),
        };
        let end = literal.span.end;
        self.push(Target::Literal(target), label, stretch.source.span(literal.span), Syntax::BareUrl);
        stretch.floor = end;
        end.max(at + 1)
    }

    fn push(&mut self, target: Target<'a>, label: Cow<'a, str>, span: Range<usize>, syntax: Syntax) {
        self.links.push(Link { target, label, span, role: Role::Mention, syntax });
    }

    fn odd(&mut self, at: usize, what: &'static str) {
        if self.oddities.len() < MOST_ODDITIES {
            self.oddities.push(Oddity { span: at..at, what: Cow::Borrowed(what) });
        }
    }
}

/// Bytes that may begin something.
const STOPS: [bool; 256] = {
    let mut stops = [false; 256];
    let all = b"\\`$<{[]:.@";
    let mut index = 0;
    while index < all.len() {
        stops[all[index] as usize] = true;
        index += 1;
    }
    stops
};

fn run_length(bytes: &[u8], at: usize) -> usize {
    bytes[at..].iter().take_while(|b| **b == bytes[at]).count()
}

/// Every run of `sign` from `from` on.
fn runs(bytes: &[u8], from: usize, sign: u8) -> impl Iterator<Item = Range<usize>> {
    let mut at = from;
    std::iter::from_fn(move || {
        let start = at + memchr::memchr(sign, &bytes[at..])?;
        at = start + run_length(bytes, start);
        Some(start..at)
    })
}

/// The title of an element, or the text of an anchor that holds nothing but text.
fn element_label<'a>(stretch: &Stretch<'_, 'a>, element: &Element) -> Cow<'a, str> {
    if let Some(title) = &element.title {
        return stretch.source.undone(title.clone(), entity::decode_strict);
    }
    let bytes = stretch.bytes;
    if element.self_closing || &bytes[element.name.clone()] != b"a" {
        return Cow::Borrowed("");
    }
    let inside = &bytes[element.tag_end..bytes.len().min(element.tag_end + 300)];
    match memchr::memchr(b'<', inside) {
        Some(end) if inside[end..].starts_with(b"</a") => {
            stretch.source.undone(element.tag_end..element.tag_end + end, plain)
        }
        _ => Cow::Borrowed(""),
    }
}

/// What stands between the quotes of `{"…"}`, `{'…'}` or `` {`…`} ``, if that is a plain string.
fn literal(expression: &str) -> Option<Range<usize>> {
    let inner = expression.strip_prefix('{')?.strip_suffix('}')?;
    let start = 1 + inner.len() - inner.trim_start().len();
    let inner = inner.trim().as_bytes();
    let quote = *inner.first()?;
    if !matches!(quote, b'"' | b'\'' | b'`') || inner.len() < 2 || inner.last() != Some(&quote) {
        return None;
    }
    let text = &inner[1..inner.len() - 1];
    let breaks_off = text.iter().any(|b| *b == quote || *b == b'\\');
    let has_placeholder = quote == b'`' && memchr::memmem::find(text, b"${").is_some();
    let is_plain = !breaks_off && !has_placeholder;
    is_plain.then_some(start + 1..start + 1 + text.len())
}

/// `<https://…>` or `<me@example.com>` (CommonMark §6.5): the address, the scheme it lacks, the end.
fn pointed_address(bytes: &[u8], open: usize) -> Option<(Range<usize>, &'static str, usize)> {
    let inside = &bytes[open + 1..];
    let length = inside.iter().position(|b| matches!(b, b'>' | b'<' | b' ' | b'\n' | b'\t' | b'\r'))?;
    if inside[length] != b'>' {
        return None;
    }
    let address = &inside[..length];
    let scheme =
        address.iter().take_while(|b| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'.' | b'-')).count();
    let is_uri =
        (2..=32).contains(&scheme) && address[0].is_ascii_alphabetic() && address.get(scheme) == Some(&b':');
    let is_mail = !is_uri
        && memchr::memchr(b'@', address)
            .is_some_and(|at| at > 0 && memchr::memchr(b'.', &address[at..]).is_some());
    let prefix = if is_mail { "mailto:" } else { "" };
    (is_uri || is_mail).then_some((open + 1..open + 1 + length, prefix, open + length + 2))
}

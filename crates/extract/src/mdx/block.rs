//! The first pass: lines, containers, and what is no inline content.

use std::borrow::Cow;
use std::ops::Range;

use super::code::Code;
use super::container::{self, Container, Cursor, Visible};
use super::definitions::Definitions;
use super::line::{
    cells, delimiter_columns, is_heading, is_module_start, is_thematic_break, is_underline, skip_blanks,
};
use super::patience::Patience;
use super::resource;
use super::source::Source;
use crate::Oddity;
use crate::markdown::unescape::unescape;

/// What the first pass leaves for the second.
pub(super) struct Blocks<'a> {
    pub(super) segments: Vec<Segment>,
    /// Lines of the segments that do not stand in one piece.
    pub(super) lines: Vec<Range<usize>>,
    pub(super) definitions: Definitions<'a>,
    pub(super) patience: Patience,
    pub(super) oddities: Vec<Oddity>,
}

/// A stretch of inline content.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Segment {
    pub(super) range: Range<usize>,
    pub(super) kind: SegmentKind,
    /// Its lines in [`Blocks::lines`]; empty where it stands in one piece.
    pub(super) lines: Range<usize>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SegmentKind {
    Text,
    /// A heading of level one.
    Title,
    /// A row of a table: cells between `|`.
    Row,
    /// Lines that hold tags and expressions only.
    Flow,
}

/// Scans the lines of `text[body]`.
pub(super) fn scan(text: &str, body: Range<usize>) -> Blocks<'_> {
    let mut scanner = Scanner {
        text,
        bytes: &text.as_bytes()[..body.end],
        containers: Vec::new(),
        quotes: 0,
        paragraph: None,
        fence: None,
        in_table: false,
        no_comment_end: false,
        code: Code::default(),
        out: Blocks {
            segments: Vec::with_capacity(text.len() / 128),
            lines: Vec::new(),
            definitions: Definitions::default(),
            patience: Patience::new(text.len()),
            oddities: Vec::new(),
        },
    };
    let mut at = body.start;
    while at < body.end {
        at = scanner.line(at);
    }
    scanner.close_paragraph();
    scanner.out
}

struct Scanner<'a> {
    text: &'a str,
    bytes: &'a [u8],
    containers: Vec<Container>,
    /// How many of the containers are block quotes.
    quotes: usize,
    paragraph: Option<Paragraph>,
    fence: Option<Fence>,
    in_table: bool,
    /// No `-->` stands in the rest of the document.
    no_comment_end: bool,
    code: Code,
    out: Blocks<'a>,
}

#[derive(Debug, Clone)]
struct Paragraph {
    start: usize,
    end: usize,
    last_line: usize,
    /// Where its lines begin in [`Blocks::lines`], if it stands in a block quote.
    lines: Option<usize>,
}

/// An open block of code or math.
#[derive(Debug, Clone, Copy)]
struct Fence {
    sign: u8,
    length: usize,
}

/// One line: `content` ends before the line ending, `next` begins behind it.
#[derive(Clone, Copy)]
struct Line {
    start: usize,
    end: usize,
    next: usize,
}

impl<'a> Scanner<'a> {
    /// Reads the line at `at`, and says where the next one begins.
    fn line(&mut self, at: usize) -> usize {
        if let Some(fence) = self.fence.filter(|_| self.containers.is_empty()) {
            self.fence = None;
            return self.fence_end(at, fence);
        }
        let line = self.line_at(at);
        let mut cursor = Cursor::new(at);
        let matched = if self.containers.is_empty() { 0 } else { self.continued(&mut cursor, line) };
        let lazy = matched < self.containers.len();
        if let Some(fence) = self.fence {
            if !lazy {
                if closes(&self.bytes[cursor.at..line.end], fence) {
                    self.fence = None;
                }
                return line.next;
            }
            // A block of code ends with its container.
            self.fence = None;
            self.leave(matched);
        }
        let opened = self.open_containers(&mut cursor, line, matched);
        let lazy = lazy && !opened;
        cursor.eat_all_blanks(&self.bytes[..line.end]);
        if cursor.at >= line.end {
            self.close_paragraph();
            self.in_table = false;
            if lazy {
                self.leave(matched);
            }
            return line.next;
        }
        self.flow(cursor.at, line, lazy, opened, matched)
    }

    fn line_at(&self, start: usize) -> Line {
        let newline = memchr::memchr(b'\n', &self.bytes[start..]).map(|offset| start + offset);
        let next = newline.map_or(self.bytes.len(), |newline| newline + 1);
        let mut end = newline.unwrap_or(self.bytes.len());
        if end > start && self.bytes[end - 1] == b'\r' {
            end -= 1;
        }
        Line { start, end, next }
    }

    /// How many of the open containers the line belongs to.
    fn continued(&mut self, cursor: &mut Cursor, line: Line) -> usize {
        let bytes = &self.bytes[..line.end];
        let mut matched = 0;
        let mut visible = Visible::default();
        for container in &mut self.containers {
            if !container.continues(cursor, bytes, &mut visible) {
                break;
            }
            matched += 1;
        }
        matched
    }

    fn leave(&mut self, kept: usize) {
        if kept < self.containers.len() {
            self.close_paragraph();
            self.in_table = false;
            self.containers.truncate(kept);
            self.quotes = self.containers.iter().filter(|container| **container == Container::Quote).count();
        }
    }

    /// Opens the containers that begin on the line; says whether there were any.
    fn open_containers(&mut self, cursor: &mut Cursor, line: Line, matched: usize) -> bool {
        let bytes = &self.bytes[..line.end];
        let mut opened = false;
        loop {
            let mut ahead = *cursor;
            let indentation = ahead.eat_all_blanks(bytes);
            let interrupting = !opened && self.paragraph.is_some() && matched == self.containers.len();
            let Some(&byte) = bytes.get(ahead.at) else { return opened };
            let (container, behind) = match byte {
                b'>' => {
                    ahead.eat(1);
                    ahead.eat_blanks(bytes, 1);
                    (Container::Quote, ahead)
                }
                b'*' | b'-' if is_thematic_break(&bytes[ahead.at..]) => return opened,
                b'*' | b'-' | b'+' | b'0'..=b'9' => {
                    match container::item(bytes, ahead, indentation, interrupting) {
                        Some(found) => found,
                        None => return opened,
                    }
                }
                b'[' => match container::footnote(bytes, ahead.at) {
                    Some((label, end)) => {
                        self.out.definitions.define_footnote(&self.text[label]);
                        ahead.eat(end - ahead.at);
                        (Container::Footnote, ahead)
                    }
                    None => return opened,
                },
                _ => return opened,
            };
            if !opened {
                self.leave(matched);
            }
            self.close_paragraph();
            self.in_table = false;
            self.quotes += usize::from(container == Container::Quote);
            self.containers.push(container);
            *cursor = behind;
            opened = true;
        }
    }

    /// The content of a line, behind its containers' marks.
    fn flow(&mut self, at: usize, line: Line, lazy: bool, opened: bool, matched: usize) -> usize {
        // Only a paragraph goes on in a line that lacks the marks of its containers.
        if lazy && self.paragraph.is_none() {
            self.leave(matched);
        }
        let lazy = matched < self.containers.len() && lazy;
        let content = &self.bytes[at..line.end];
        let block = match content[0] {
            b'`' | b'~' | b'$' => self.open_fence(content).map(|fence| (Found::Fence(fence), line.next)),
            b'#' => is_heading(content).then_some((Found::Heading, line.next)),
            b'*' | b'_' | b'-' if is_thematic_break(content) => Some((Found::Nothing, line.next)),
            b'=' | b'-' if !lazy && self.paragraph.is_some() && is_underline(content) => {
                Some((Found::Underline, line.next))
            }
            b'<' | b'{' => self.code_lines(at, line, lazy),
            b'i' | b'e' if at == line.start && self.containers.is_empty() && self.paragraph.is_none() => {
                self.module(at).map(|end| (Found::Nothing, end))
            }
            _ => None,
        };
        if let Some((Found::Text, next)) = block {
            self.in_table = false;
            let end = self.bytes[..next].trim_ascii_end().len();
            self.paragraph_line(at, Line { end: end.max(at), next, ..line });
            return next;
        }
        if let Some((found, next)) = block {
            self.leave_lazily(lazy, matched);
            self.block(found, at, line, next);
            return next;
        }
        if !lazy && !opened && matches!(content[0], b'|' | b'-' | b':') && self.starts_table(content) {
            return line.next;
        }
        if self.in_table && !lazy {
            self.segment(at..line.end, SegmentKind::Row);
        } else {
            self.in_table = false;
            self.paragraph_line(at, line);
        }
        line.next
    }

    fn leave_lazily(&mut self, lazy: bool, matched: usize) {
        if lazy {
            self.leave(matched);
        }
    }

    fn block(&mut self, found: Found, at: usize, line: Line, next: usize) {
        self.in_table = false;
        if matches!(found, Found::Underline) {
            let is_title = self.bytes[at] == b'=';
            self.end_paragraph(if is_title { SegmentKind::Title } else { SegmentKind::Text });
            return;
        }
        self.close_paragraph();
        match found {
            Found::Fence(fence) => self.fence = Some(fence),
            Found::Heading => {
                let level = self.bytes[at..line.end].iter().take_while(|b| **b == b'#').count();
                let kind = if level == 1 { SegmentKind::Title } else { SegmentKind::Text };
                self.segment(at + level..line.end, kind);
            }
            Found::Code if self.quotes > 0 && next > line.next => self.quoted_lines(at, next),
            Found::Code => self.segment(at..next, SegmentKind::Flow),
            Found::Underline | Found::Text | Found::Nothing => {}
        }
    }

    fn segment(&mut self, range: Range<usize>, kind: SegmentKind) {
        self.out.segments.push(Segment { range, kind, lines: 0..0 });
    }

    fn open_fence(&self, content: &[u8]) -> Option<Fence> {
        let sign = content[0];
        let length = content.iter().take_while(|b| **b == sign).count();
        let least = if sign == b'$' { 2 } else { 3 };
        let info_is_fine = sign == b'~' || memchr::memchr(sign, &content[length..]).is_none();
        (length >= least && info_is_fine).then_some(Fence { sign, length })
    }

    /// Behind the line that closes a fence outside of all containers.
    fn fence_end(&self, from: usize, fence: Fence) -> usize {
        let run = [fence.sign; 3];
        let run = &run[..fence.length.min(3)];
        let mut at = from;
        for offset in memchr::memmem::find_iter(&self.bytes[from..], run) {
            let found = from + offset;
            if found < at {
                continue;
            }
            let line_start =
                memchr::memrchr(b'\n', &self.bytes[at..found]).map_or(at, |newline| at + newline + 1);
            let line = self.line_at(found);
            at = line.next;
            let indented = self.bytes[line_start..found].iter().all(|b| matches!(b, b' ' | b'\t'));
            if indented && closes(&self.bytes[found..line.end], fence) {
                return line.next;
            }
        }
        self.bytes.len()
    }

    /// Lines that hold tags, expressions and comments only, from a `<` or `{` on.
    fn code_lines(&mut self, at: usize, line: Line, lazy: bool) -> Option<(Found, usize)> {
        if self.bytes[at..].starts_with(b"<!--") {
            if self.no_comment_end {
                return None;
            }
            let Some(close) = memchr::memmem::find(&self.bytes[at..], b"-->") else {
                self.no_comment_end = true;
                return None;
            };
            let close = at + close + 3;
            self.odd(at, "not valid MDX: an HTML comment");
            // What stands behind the comment on its last line is text of its own.
            let last = self.line_at(close);
            let rest_is_blank = container::is_blank(&self.bytes[..last.end], close);
            return Some(if rest_is_blank { (Found::Nothing, last.next) } else { (Found::Code, last.next) });
        }
        if self.quotes > 0 {
            return match tags_end(&mut self.code, &mut self.out.patience, &self.bytes[..line.end], at) {
                Reach::Lines(_) => Some((Found::Code, line.next)),
                Reach::Text(_) if lazy => None,
                Reach::Text(_) => self.quoted_code(at, line),
            };
        }
        match tags_end(&mut self.code, &mut self.out.patience, self.bytes, at) {
            Reach::Lines(end) => Some((Found::Code, self.line_at(end).next)),
            // A tag over several lines with text behind it: its lines are text, whatever they look like.
            Reach::Text(end) if end > line.end => Some((Found::Text, self.line_at(end).next)),
            Reach::Text(_) => None,
        }
    }

    /// Tags over several lines of a block quote: looks at a copy without the marks.
    fn quoted_code(&mut self, at: usize, line: Line) -> Option<(Found, usize)> {
        if self.out.patience.is_lost() {
            return None;
        }
        let ranges = self.quoted_ranges(at, line, self.bytes.len());
        let source = Source::copied(self.text, &ranges);
        let Reach::Lines(end) = tags_end(&mut self.code, &mut self.out.patience, source.text().as_bytes(), 0)
        else {
            self.out.patience.lost(source.text().len());
            return None;
        };
        let place = source.span(0..end).end;
        Some((Found::Code, self.line_at(place).next))
    }

    /// The lines from `at` on that belong to the open containers, without their marks.
    fn quoted_ranges(&mut self, at: usize, line: Line, until: usize) -> Vec<Range<usize>> {
        let mut ranges = Vec::new();
        ranges.push(at..line.next);
        let containers = self.containers.clone();
        let mut next = line.next;
        while next < until {
            let line = self.line_at(next);
            let mut cursor = Cursor::new(next);
            if self.continued(&mut cursor, line) < self.containers.len() {
                break;
            }
            ranges.push(cursor.at..line.next);
            next = line.next;
        }
        self.containers = containers;
        ranges
    }

    fn quoted_lines(&mut self, at: usize, next: usize) {
        let first = self.line_at(at);
        let ranges = self.quoted_ranges(at, first, next);
        let start = self.out.lines.len();
        self.out.lines.extend(ranges);
        let lines = start..self.out.lines.len();
        self.out.segments.push(Segment { range: at..next, kind: SegmentKind::Flow, lines });
    }

    /// Behind a block of `import` and `export` statements.
    fn module(&mut self, at: usize) -> Option<usize> {
        let rest = &self.bytes[at..];
        if !is_module_start(rest) {
            return None;
        }
        let end = self.out.patience.horizon(at, self.bytes.len());
        if let Some(end) = self.code.module(&self.bytes[..end], at) {
            return Some(end);
        }
        self.out.patience.lost(end - at);
        self.odd(at, "not valid MDX: a module block that never ends");
        let blank = memchr::memmem::find(rest, b"\n\n").map(|offset| at + offset + 1);
        Some(blank.unwrap_or(self.bytes.len()))
    }

    /// Whether this line is the delimiter row under the last line of the paragraph, which is a
    /// header then (GFM §4.10).
    fn starts_table(&mut self, content: &[u8]) -> bool {
        let Some(paragraph) = self.paragraph.clone() else { return false };
        let Some(columns) = delimiter_columns(content) else { return false };
        let header = paragraph.last_line..paragraph.end;
        if cells(&self.bytes[header.clone()]).count() != columns {
            return false;
        }
        if paragraph.last_line > paragraph.start {
            let before = self.paragraph.as_mut();
            if let Some(before) = before {
                before.end =
                    memchr::memrchr(b'\n', &self.bytes[..paragraph.last_line]).unwrap_or(paragraph.start);
            }
            if paragraph.lines.is_some() {
                self.out.lines.pop();
            }
            self.close_paragraph();
        } else if let Some(lines) = paragraph.lines {
            self.out.lines.truncate(lines);
        }
        self.paragraph = None;
        self.in_table = true;
        self.segment(header, SegmentKind::Row);
        true
    }

    fn paragraph_line(&mut self, at: usize, line: Line) {
        let lines_before = self.out.lines.len();
        if self.quotes > 0 {
            self.out.lines.push(at..line.next);
        }
        match &mut self.paragraph {
            Some(paragraph) => {
                paragraph.end = line.end;
                paragraph.last_line = at;
            }
            None => {
                let lines = (self.quotes > 0).then_some(lines_before);
                self.paragraph = Some(Paragraph { start: at, end: line.end, last_line: at, lines });
            }
        }
    }

    fn close_paragraph(&mut self) {
        self.end_paragraph(SegmentKind::Text);
    }

    fn end_paragraph(&mut self, kind: SegmentKind) {
        let Some(paragraph) = self.paragraph.take() else { return };
        let mut range = paragraph.start..paragraph.end;
        let mut lines = paragraph.lines.map_or(0..0, |start| start..self.out.lines.len());
        if lines.len() == 1 {
            self.out.lines.truncate(lines.start);
            lines = 0..0;
        }
        if self.bytes[range.start] == b'[' {
            self.definitions(&mut range, &mut lines);
        }
        if !range.is_empty() {
            self.out.segments.push(Segment { range, kind, lines });
        }
    }

    /// Takes the definitions off the front of a paragraph.
    fn definitions(&mut self, range: &mut Range<usize>, lines: &mut Range<usize>) {
        let source = if Range::is_empty(lines) {
            Source::Direct(&self.text[..range.end])
        } else {
            Source::copied(self.text, &self.out.lines[lines.clone()])
        };
        let bytes = source.text().as_bytes();
        let mut at = if Range::is_empty(lines) { range.start } else { 0 };
        loop {
            at = skip_blanks(bytes, at);
            if bytes.get(at) != Some(&b'[') {
                break;
            }
            let Some(found) = resource::definition(bytes, at) else { break };
            let destination = source.undone(found.destination, unescape);
            self.out.definitions.define(&source.text()[found.label], destination);
            at = found.end;
        }
        if at >= bytes.len() {
            *range = range.end..range.end;
        } else if let Source::Copied { lines: starts, .. } = &source {
            lines.start += starts.partition_point(|(start, _)| *start < at);
            range.start = source.place(at);
        } else {
            range.start = at;
        }
    }

    fn odd(&mut self, at: usize, what: &'static str) {
        self.out.oddities.push(Oddity { span: at..at, what: Cow::Borrowed(what) });
    }
}

/// What a line turned out to begin.
#[derive(Debug, Clone, Copy)]
enum Found {
    Fence(Fence),
    Heading,
    /// The line under a heading.
    Underline,
    /// Tags and expressions.
    Code,
    /// Text that takes whole lines with it.
    Text,
    /// Something without inline content.
    Nothing,
}

/// How far a sequence of tags and expressions goes.
enum Reach {
    /// It fills its lines and ends here.
    Lines(usize),
    /// Text stands behind what was read up to here, on the last of its lines.
    Text(usize),
}

/// Reads tags and expressions from `at` on, with nothing but blanks between them.
fn tags_end(code: &mut Code, patience: &mut Patience, bytes: &[u8], at: usize) -> Reach {
    let mut reached = at;
    let mut end = at;
    loop {
        let window = &bytes[..patience.horizon(end, bytes.len())];
        let next = match bytes.get(end) {
            None | Some(b'\n') => return Reach::Lines(end),
            Some(b'\r') if matches!(bytes.get(end + 1), None | Some(b'\n')) => return Reach::Lines(end),
            Some(b'<') => code.tag(window, end).map(|tag| tag.end),
            Some(b'{') => code.expression(window, end).or_else(|| super::code::balanced(window, end)),
            Some(_) => return Reach::Text(reached),
        };
        let Some(next) = next else {
            // How far the look ahead went is not known; the rest of the line at least is looked at
            // again anyway.
            let line = memchr::memchr(b'\n', &window[end..]).unwrap_or(0);
            patience.lost((window.len() - end).saturating_sub(line));
            return Reach::Text(reached);
        };
        reached = next;
        end = next + bytes[next..].iter().take_while(|b| matches!(b, b' ' | b'\t')).count();
    }
}

fn closes(content: &[u8], fence: Fence) -> bool {
    let indent = content.iter().take_while(|b| matches!(b, b' ' | b'\t')).count();
    let run = content[indent..].iter().take_while(|b| **b == fence.sign).count();
    run >= fence.length && container::is_blank(content, indent + run)
}

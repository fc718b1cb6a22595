//! Link syntax that CommonMark makes no link of.
//!
//! Line by line, outside code, comments, images and the links that were read:
//!
//! | found | where | reported as |
//! | --- | --- | --- |
//! | `[x](/a b)`, a blank inside something like an address | anywhere in text | [`Problem::BlankInDestination`] |
//! | `[x](/a` and the text ends | last line | [`Problem::CutOff`] |
//! | `[x` and the text ends | last line, list-like, without newline | [`Problem::CutOff`] |
//! | `](`, `][`, `href=` | list-like line in a block of raw HTML | [`Problem::SwallowedByHtml`] |
//! | `](`, `][`, `href=` | any other list-like line | [`Problem::NoRule`] |
//!
//! *List-like* lines begin with a bullet, a number or `|`; in raw HTML also with `[`. A half-escaped
//! `- \[x](/y)` is reported: a serializer that means text escapes both brackets, and
//! then no `](` is left. In prose `a[i](x)` stays text.

use std::borrow::Cow;
use std::ops::Range;

use crate::markdown::unescape::unescape;
use crate::markdown::walk::Outline;
use crate::{Link, Oddity, Problem, Role, Syntax, Target};

/// What [`find`] found.
#[derive(Debug, Default)]
pub(super) struct Unread<'a> {
    pub(super) links: Vec<Link<'a>>,
    pub(super) oddities: Vec<Oddity>,
    /// Why the document must have been cut off.
    pub(super) cut_off: Option<&'static str>,
}

pub(super) fn find<'a>(text: &'a str, body_start: usize, outline: &Outline<'_>) -> Unread<'a> {
    let mut finder =
        Finder { text, covered: Covered::new(outline), outline, html: 0, unread: Unread::default() };
    let mut at = body_start;
    for line in text[body_start..].split_inclusive('\n') {
        finder.line(at..at + line.len());
        at += line.len();
    }
    for comment in &outline.open_comments {
        let what = Cow::Borrowed("a comment that is never closed hides the rest of the document");
        finder.unread.oddities.push(Oddity { span: comment.clone(), what });
    }
    finder.unread
}

struct Finder<'a, 'o> {
    text: &'a str,
    covered: Covered,
    outline: &'o Outline<'o>,
    /// Index of the first HTML block that ends behind the current line.
    html: usize,
    unread: Unread<'a>,
}

impl Finder<'_, '_> {
    fn line(&mut self, range: Range<usize>) {
        let content = self.text[range.clone()].trim_end_matches(['\n', '\r']);
        let in_html = self.in_html(range.start);
        let line = Line {
            in_html,
            list_like: is_list_like(content, in_html),
            is_last: range.end == self.text.len(),
            end: range.start + content.len(),
            start: range.start,
        };
        // Where the search for the `[` of a label stops: each byte is looked at once.
        let mut floor = line.start;
        let mut reported = false;
        for mark in marks(content) {
            let at = line.start + mark;
            if at < floor || self.covered.contains(at) {
                continue;
            }
            floor = match self.report(&line, floor, at) {
                Some(end) => {
                    reported = true;
                    end
                }
                None => at,
            };
        }
        if line.is_last && !reported {
            self.label_cut_off(&line, content);
        }
    }

    /// Reports the link syntax whose `](`, `][` or `href=` stands at `at`, if it is one to report,
    /// and says how far it goes.
    fn report(&mut self, line: &Line, floor: usize, at: usize) -> Option<usize> {
        let is_inline = self.text[at..].starts_with("](");
        if !line.list_like && (!is_inline || line.in_html) && !line.is_last {
            return None;
        }
        let span = self.extent(line, floor, at);
        let problem = self.problem(line, &span, at, is_inline)?;
        if problem == Problem::CutOff {
            self.unread.cut_off = Some("the document ends inside the destination of a link");
        }
        self.push(span.clone(), at, problem);
        Some(span.end)
    }

    fn problem(&self, line: &Line, span: &Range<usize>, at: usize, is_inline: bool) -> Option<Problem> {
        let closed = is_inline && self.text[span.clone()].ends_with(')');
        if is_inline && !closed && line.is_last {
            return Some(Problem::CutOff);
        }
        if line.in_html {
            return line.list_like.then_some(Problem::SwallowedByHtml);
        }
        let destination = if closed { &self.text[at + 2..span.end - 1] } else { "" };
        if has_blank(destination) && (line.list_like || looks_like_address(destination)) {
            return Some(Problem::BlankInDestination);
        }
        line.list_like.then_some(Problem::NoRule)
    }

    fn push(&mut self, span: Range<usize>, at: usize, problem: Problem) {
        let source = &self.text[span.clone()];
        let raw = match problem {
            Problem::BlankInDestination => unescape(self.text[at + 2..span.end - 1].trim()),
            Problem::CutOff if self.text[at..].starts_with("](") => {
                Cow::Borrowed(self.text[at + 2..span.end].trim())
            }
            _ => Cow::Borrowed(source.trim()),
        };
        let label =
            if at > span.start { self.text[span.start..at].trim_start_matches(['\\', '[']) } else { "" };
        self.unread.links.push(Link {
            target: Target::Unreadable { raw, problem },
            label: Cow::Borrowed(label.trim_end_matches('\\')),
            span,
            role: Role::Entry,
            syntax: Syntax::Inline,
        });
    }

    /// From the `[` of the label to the end of the destination, within the line.
    fn extent(&self, line: &Line, floor: usize, at: usize) -> Range<usize> {
        let bytes = &self.text.as_bytes()[..line.end];
        let start = memchr::memrchr(b'[', &bytes[floor..at]).map_or(at, |open| floor + open);
        let close = match bytes.get(at + 1) {
            Some(b'(') => matching_parenthesis(bytes, at + 1),
            Some(b'[') => memchr::memchr(b']', &bytes[at + 1..]).map(|close| at + 1 + close),
            _ => memchr::memchr(b'>', &bytes[at..]).map(|close| at + close),
        };
        start..close.map_or(line.end, |close| close + 1)
    }

    /// `- [Two` at the very end, without a newline: cut off within the label.
    fn label_cut_off(&mut self, line: &Line, content: &str) {
        if line.end != self.text.len() || !line.list_like || line.in_html {
            return;
        }
        let Some(open) = content.rfind('[') else { return };
        let start = line.start + open;
        if content[open..].contains(']') || self.covered.contains(start) {
            return;
        }
        self.unread.cut_off = Some("the document ends inside the label of a link");
        self.push(start..line.end, start, Problem::CutOff);
    }

    fn in_html(&mut self, at: usize) -> bool {
        let blocks = &self.outline.html_blocks;
        while blocks.get(self.html).is_some_and(|block| block.end <= at) {
            self.html += 1;
        }
        blocks.get(self.html).is_some_and(|block| block.start <= at)
    }
}

/// One line of the index, without its line ending.
struct Line {
    start: usize,
    end: usize,
    in_html: bool,
    list_like: bool,
    is_last: bool,
}

/// Offsets of `](`, `][` and `href=` in a line, in order.
fn marks(line: &str) -> impl Iterator<Item = usize> {
    let bytes = line.as_bytes();
    memchr::memchr2_iter(b']', b'=', bytes).filter_map(move |at| match bytes[at] {
        b']' => matches!(bytes.get(at + 1), Some(b'(' | b'[')).then_some(at),
        _ => (at >= 4 && bytes[at - 4..at].eq_ignore_ascii_case(b"href")).then(|| at - 4),
    })
}

fn is_list_like(line: &str, in_html: bool) -> bool {
    let line = line.trim_start_matches([' ', '\t', '>']);
    let bytes = line.as_bytes();
    let digits = bytes.iter().take(9).take_while(|b| b.is_ascii_digit()).count();
    match bytes.get(digits) {
        Some(b'-' | b'*' | b'+') if digits == 0 => matches!(bytes.get(1), Some(b' ' | b'\t' | b'[')),
        Some(b'.' | b')') if digits > 0 => matches!(bytes.get(digits + 1), Some(b' ' | b'\t' | b'[')),
        Some(b'|') if digits == 0 => true,
        Some(b'[') if digits == 0 => in_html,
        _ => false,
    }
}

/// Parentheses nest no deeper in a destination (the limit of CommonMark's own parsers).
const DEEPEST: usize = 32;

fn matching_parenthesis(bytes: &[u8], open: usize) -> Option<usize> {
    let mut depth = 0usize;
    for (offset, byte) in bytes[open..].iter().enumerate() {
        match byte {
            b'(' if depth == DEEPEST => return None,
            b'(' => depth += 1,
            b')' => {
                depth -= 1;
                if depth == 0 {
                    return Some(open + offset);
                }
            }
            _ => {}
        }
    }
    // Not balanced: the last one that closes anything.
    memchr::memrchr(b')', &bytes[open..]).map(|offset| open + offset)
}

fn has_blank(destination: &str) -> bool {
    destination.trim().contains([' ', '\t'])
}

fn looks_like_address(destination: &str) -> bool {
    let destination = destination.trim_start();
    let scheme = destination.find("://").is_some_and(|at| at < 12 && !destination[..at].contains(' '));
    scheme
        || destination.starts_with(['/', '#'])
        || destination.starts_with("./")
        || destination.starts_with("../")
}

/// The places that are accounted for: sorted spans without overlap.
struct Covered {
    spans: Vec<Range<usize>>,
}

impl Covered {
    fn new(outline: &Outline<'_>) -> Self {
        let links = outline.links.iter().map(|found| &found.link.span);
        // An unclosed comment hides no list line: better a doubt than a lost page.
        let inert = outline.inert.iter().filter(|span| !outline.open_comments.contains(span));
        let mut all: Vec<_> = links.chain(&outline.code).chain(inert).cloned().collect();
        all.sort_by_key(|span| span.start);
        let mut spans: Vec<Range<usize>> = Vec::with_capacity(all.len());
        for span in all {
            match spans.last_mut() {
                Some(last) if span.start < last.end => last.end = last.end.max(span.end),
                _ => spans.push(span),
            }
        }
        Covered { spans }
    }

    fn contains(&self, at: usize) -> bool {
        let behind = self.spans.partition_point(|span| span.end <= at);
        self.spans.get(behind).is_some_and(|span| span.start <= at)
    }
}

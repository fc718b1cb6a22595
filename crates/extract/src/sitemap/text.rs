//! Text sitemaps: one address a line.

use std::borrow::Cow;
use std::io::BufRead;

use wholesite_address::{MAX_URL_BYTES, Place};

use super::cursor::Cursor;
use super::{Ending, Format, Sink, SitemapLink, Tally, is_ignorable};
use crate::{Problem, Role, Syntax, Target, Verdict};

/// Lines that are no addresses and are reported one by one; the rest is counted.
const MAX_REPORTED: usize = 100;

/// A line with its place; cut at a little more than the longest address.
struct Line {
    text: String,
    place: Place,
    start: usize,
    end: usize,
}

enum Content {
    Nothing,
    Address,
    Blank,
    NoAddress,
}

pub(super) fn read(cursor: &mut Cursor<'_>, tally: &mut Tally, sink: Sink<'_>) -> Ending {
    let mut addresses = 0u64;
    let mut others = 0u64;
    // Lines before the first address: they matter only if one follows.
    let mut held: Vec<Line> = Vec::new();
    let failure = loop {
        let line = match next_line(cursor) {
            Ok(Some(line)) => line,
            Ok(None) => break None,
            Err(error) => break Some(error.to_string()),
        };
        match content(&line.text) {
            Content::Nothing => {}
            Content::Address => {
                addresses += 1;
                for early in held.drain(..) {
                    report(&early, Problem::NoRule, tally, sink);
                }
                give(&line, Target::Literal(Cow::Borrowed(trimmed(&line.text))), tally, sink);
            }
            Content::Blank => {
                addresses += 1;
                report(&line, Problem::BlankInDestination, tally, sink);
            }
            Content::NoAddress => {
                others += 1;
                if addresses > 0 && others as usize <= MAX_REPORTED {
                    report(&line, Problem::NoRule, tally, sink);
                } else if addresses == 0 && held.len() < MAX_REPORTED {
                    held.push(line);
                }
            }
        }
    };
    if addresses == 0 {
        return Ending::unusable(
            failure.map_or(Cow::Borrowed("a text without any line that is an address"), Cow::Owned),
        );
    }
    let verdict = if let Some(why) = failure {
        Verdict::Truncated(why.into())
    } else if others > addresses {
        Verdict::Unusable("most lines of this text are no addresses".into())
    } else if others as usize > MAX_REPORTED {
        Verdict::Truncated(format!("{others} lines are no addresses").into())
    } else {
        Verdict::Ok
    };
    Ending { format: Some(Format::Text), verdict }
}

fn content(line: &str) -> Content {
    let line = trimmed(line);
    if line.is_empty() || line.starts_with('#') {
        return Content::Nothing;
    }
    let lower = line.get(..8).unwrap_or(line).to_ascii_lowercase();
    let is_absolute = lower.starts_with("http://") || lower.starts_with("https://");
    let has_blank = line.contains(char::is_whitespace);
    match (is_absolute, has_blank) {
        _ if line.len() > MAX_URL_BYTES => Content::NoAddress,
        (true, false) => Content::Address,
        (true, true) => Content::Blank,
        (false, false) if line.starts_with('/') => Content::Address,
        (false, _) => Content::NoAddress,
    }
}

fn trimmed(line: &str) -> &str {
    line.trim_matches(is_ignorable)
}

fn report(line: &Line, problem: Problem, tally: &mut Tally, sink: Sink<'_>) {
    let raw = trimmed(&line.text);
    let end = (0..=raw.len().min(200)).rev().find(|end| raw.is_char_boundary(*end)).unwrap_or(0);
    give(line, Target::Unreadable { raw: Cow::Borrowed(&raw[..end]), problem }, tally, sink);
}

fn give(line: &Line, target: Target<'_>, tally: &mut Tally, sink: Sink<'_>) {
    let target = match target {
        // Malformed bytes: whatever the address was, it is not this one.
        Target::Literal(raw) if raw.contains(char::REPLACEMENT_CHARACTER) => {
            Target::Unreadable { raw, problem: Problem::NoRule }
        }
        target => target,
    };
    tally.count(line.place);
    sink(SitemapLink {
        target,
        role: Role::Entry,
        syntax: Syntax::SitemapLoc,
        place: line.place,
        span: line.start..line.end,
        lastmod: None,
        hreflang: None,
        label: "",
    });
}

/// The next line without its end, which is LF, CR or both. Only the first bytes of a line that is
/// far too long are kept.
fn next_line(cursor: &mut Cursor<'_>) -> std::io::Result<Option<Line>> {
    let (place, start) = (cursor.place(), cursor.offset());
    let mut bytes: Vec<u8> = Vec::new();
    loop {
        let lent = cursor.fill_buf()?;
        if lent.is_empty() {
            break;
        }
        let end = memchr::memchr2(b'\n', b'\r', lent);
        let piece = &lent[..end.unwrap_or(lent.len())];
        let room = (2 * MAX_URL_BYTES).saturating_sub(bytes.len());
        bytes.extend_from_slice(&piece[..piece.len().min(room)]);
        let count = piece.len();
        cursor.consume(count);
        if end.is_some() {
            break;
        }
    }
    let end = cursor.offset();
    let at_end = cursor.fill_buf()?.is_empty();
    if !at_end {
        cursor.consume(1);
    }
    if at_end && bytes.is_empty() {
        return Ok(None);
    }
    // The cap may have cut a character.
    let text = String::from_utf8_lossy(&bytes).into_owned();
    Ok(Some(Line { text, place, start, end }))
}

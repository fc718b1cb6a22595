//! The headline of a page of Markdown.

use super::{Line, is_blank_line, lines};

/// The level of an ATX heading, 0 where a line is none.
pub(super) fn level(line: &str) -> usize {
    let bare = line.trim_start_matches(' ');
    if line.len() - bare.len() > 3 {
        return 0;
    }
    let level = bare.bytes().take_while(|byte| *byte == b'#').count();
    let is_closed = matches!(bare.as_bytes().get(level), None | Some(b' ' | b'\t'));
    if (1..=6).contains(&level) && is_closed { level } else { 0 }
}

/// The text of the first heading of the first level, outside of code.
pub(super) fn first(text: &str) -> Option<String> {
    find(text).map(|(title, _)| title)
}

/// A block quote of one paragraph right under the first heading, if the page starts with that
/// heading: where the host puts a page's description.
pub(super) fn quote_below(text: &str) -> Option<String> {
    let (_, behind) = find(text).filter(|(_, behind)| text[..*behind].trim().lines().count() <= 2)?;
    let below = text[behind..].trim_start_matches('\n');
    let quoted: Vec<&str> = below.lines().map_while(|line| line.strip_prefix('>')).map(str::trim).collect();
    let is_one_paragraph =
        !quoted.is_empty() && quoted.iter().all(|line| !line.is_empty() && level(line) == 0);
    is_one_paragraph.then(|| quoted.join(" "))
}

/// The text of the first heading of the first level, and the offset behind it.
fn find(text: &str) -> Option<(String, usize)> {
    let mut above: Option<Line<'_>> = None;
    let mut in_comment = false;
    for line in lines(text) {
        if line.in_code {
            above = None;
            continue;
        }
        let opens = line.text.rfind("<!--");
        let closes = line.text.rfind("-->");
        let was_in_comment = in_comment;
        in_comment = match (opens, closes) {
            (Some(open), Some(close)) => open > close,
            (Some(_), None) => true,
            (None, Some(_)) => false,
            (None, None) => in_comment,
        };
        if was_in_comment {
            continue;
        }
        let end = line.start + line.text.len();
        if level(line.text) == 1 {
            let heading = line.text.trim().trim_start_matches('#').trim();
            let without_close = heading.trim_end_matches('#');
            let heading = if without_close.is_empty() || without_close.ends_with([' ', '\t']) {
                without_close
            } else {
                heading
            };
            let title = plain(heading);
            if !title.is_empty() {
                return Some((title, end));
            }
        }
        let underline = line.text.trim_end();
        let is_underline = !underline.is_empty()
            && underline.trim_start_matches(' ').bytes().all(|byte| byte == b'=')
            && line.text.len() - line.text.trim_start_matches(' ').len() <= 3;
        if is_underline && let Some(above) = above.take().filter(|above| is_paragraph(above.text)) {
            let title = plain(above.text);
            if !title.is_empty() {
                return Some((title, end));
            }
        }
        above = Some(line);
    }
    None
}

fn is_paragraph(line: &str) -> bool {
    let indent = line.len() - line.trim_start_matches(' ').len();
    !is_blank_line(line)
        && indent <= 3
        && !line.trim_start().starts_with(['#', '>', '|', '<', '='])
        && !["- ", "* ", "+ "].iter().any(|mark| line.trim_start().starts_with(mark))
}

/// A line of more bytes is no title.
const LONGEST: usize = 1_000;

/// A heading without its marks: links by their labels, no code marks, no emphasis, no escapes.
pub(super) fn plain(heading: &str) -> String {
    if heading.len() > LONGEST {
        return String::new();
    }
    let mut out = String::new();
    let mut rest = heading.trim();
    if let Some(at) = rest.rfind("{#").filter(|_| rest.ends_with('}')) {
        rest = rest[..at].trim_end();
    }
    while let Some(c) = rest.chars().next() {
        let next = &rest[c.len_utf8()..];
        match c {
            '\\' if next.starts_with(|c: char| c.is_ascii_punctuation()) => {
                out.push_str(&next[..1]);
                rest = &next[1..];
                continue;
            }
            '!' if next.starts_with('[') && link(next).is_some() => {}
            '[' => {
                if let Some((label, behind)) = link(rest) {
                    out.push_str(&plain(label));
                    rest = behind;
                    continue;
                }
                out.push(c);
            }
            '`' => {}
            '*' if !is_bare_star(&out, next) => {}
            _ => out.push(c),
        }
        rest = next;
    }
    crate::words::squeeze(&out)
}

/// Whether a star is a star: between blanks, or between letters.
fn is_bare_star(before: &str, after: &str) -> bool {
    let (before, after) = (before.chars().next_back().unwrap_or(' '), after.chars().next().unwrap_or(' '));
    (before.is_whitespace() && after.is_whitespace()) || (before.is_alphanumeric() && after.is_alphanumeric())
}

/// `[label](address)` at the start of a text: the label, and what follows.
fn link(text: &str) -> Option<(&str, &str)> {
    let (label, rest) = text.strip_prefix('[')?.split_once("](")?;
    let (_, behind) = rest.split_once(')')?;
    (!label.contains(['[', ']'])).then_some((label, behind))
}

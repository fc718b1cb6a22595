//! Markdown as sites serve it: front matter becomes metadata, what the host put around the page is
//! taken off, and the rest stays as it is.

mod chrome;
mod front_matter;
mod heading;
mod lines;

use std::borrow::Cow;

pub(crate) use lines::{Line, lines};

/// A page of Markdown.
pub(crate) struct Page {
    pub(crate) text: String,
    pub(crate) title: Option<String>,
    pub(crate) description: Option<String>,
    pub(crate) has_front_matter: bool,
}

/// The text with line feeds as its only line ends.
pub(crate) fn normalised(text: &str) -> Cow<'_, str> {
    if text.contains('\r') {
        Cow::Owned(text.replace("\r\n", "\n").replace('\r', "\n"))
    } else {
        Cow::Borrowed(text)
    }
}

/// The text without blank lines around it, with one line feed at its end.
pub(crate) fn one_final_newline(text: &str) -> String {
    let mut out = without_blank_lines(text).to_owned();
    out.push('\n');
    out
}

/// Reads normalised text.
pub(crate) fn read(source: &str) -> Page {
    let (mut from, mut had_preamble) = (0, false);
    let mut front: Option<(front_matter::FrontMatter, &str)> = None;
    // Hosts differ in which of the two comes first.
    loop {
        if front.is_none()
            && let Some(found) = front_matter::read(&source[from..])
        {
            let end = from + found.end;
            front = Some((found, &source[from..end]));
            from = end;
        } else if let Some(end) = chrome::preamble_end(source, from) {
            had_preamble = true;
            // Front matter below a preamble stands behind a blank line.
            from = source.len() - from_first_line(&source[end..]).len();
        } else {
            break;
        }
    }
    from = source.len() - from_first_line(&source[from..]).len();
    let end = chrome::footer_start(source, from);
    let body = without_blank_lines(&source[from..end]);
    let mut text = String::with_capacity(body.len() + 2);
    match &front {
        // Where front matter is all there is, it stays: the page has no other content.
        Some((_, whole)) if body.is_empty() => text.push_str(whole.trim_end_matches([' ', '\t', '\n'])),
        _ => {
            if front_matter::read(body).is_some() {
                // Two rules with text between them, which the next reader would take for front matter.
                text.push('\n');
            }
            text.push_str(body);
        }
    }
    text.push('\n');
    let front = front.map(|(front, _)| front);
    let (front_title, front_description) =
        front.as_ref().map_or((None, None), |front| (front.title.clone(), front.description.clone()));
    Page {
        title: front_title.or_else(|| heading::first(&text)),
        description: front_description
            .or_else(|| if had_preamble { heading::quote_below(&text) } else { None }),
        has_front_matter: front.is_some(),
        text,
    }
}

pub(crate) fn has_front_matter(text: &str) -> bool {
    front_matter::read(text).is_some()
}

/// Whether anything in a text is Markdown rather than plain text. Dashes and numbers before lines
/// do not count, since plain texts have them as well.
pub(crate) fn has_marks(text: &str) -> bool {
    has_front_matter(text)
        || lines(text).any(|line| {
            let bare = line.text.trim_start();
            let is_heading = heading::level(line.text) > 0;
            let is_table = bare.starts_with('|') && bare[1..].contains('|');
            line.in_code || is_heading || is_table || bare.contains("](") || has_strong(bare)
        })
}

/// `**…**` round a word.
fn has_strong(line: &str) -> bool {
    line.split_once("**").is_some_and(|(_, rest)| {
        rest.find("**").is_some_and(|end| end > 0 && !rest.starts_with(' ') && !rest.starts_with('*'))
    })
}

/// Without blank lines at the start, and without byte order marks, which a reader takes off anyway.
fn from_first_line(text: &str) -> &str {
    let mut rest = text.trim_start_matches('\u{feff}');
    while let Some(line) = rest.split_inclusive('\n').next().filter(|line| is_blank_line(line)) {
        rest = rest[line.len()..].trim_start_matches('\u{feff}');
    }
    rest
}

fn without_blank_lines(text: &str) -> &str {
    let text = from_first_line(text);
    let mut end = text.len();
    for line in text.split_inclusive('\n').rev() {
        if !is_blank_line(line) {
            end -= line.len() - line.trim_end_matches('\n').len();
            break;
        }
        end -= line.len();
    }
    &text[..end]
}

/// Blank as CommonMark has it: other white space is text.
pub(crate) fn is_blank_line(line: &str) -> bool {
    line.bytes().all(|byte| matches!(byte, b' ' | b'\t' | b'\n'))
}

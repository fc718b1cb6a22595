//! The lines of a robots.txt that say something.

use std::ops::Range;

/// The fields that mean something to us.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Field {
    UserAgent,
    Allow,
    Disallow,
    CrawlDelay,
    Sitemap,
    LlmsTxt,
}

/// A `field: value` line of a known field.
pub(super) struct Line<'t> {
    pub(super) field: Field,
    /// Without comment and blanks.
    pub(super) value: &'t str,
    /// From the first byte of the field name to the last of the value.
    pub(super) span: Range<usize>,
}

/// The lines of known fields; lines end at LF, CR or both.
pub(super) fn lines(text: &str) -> impl Iterator<Item = Line<'_>> {
    let mut start = 0;
    std::iter::from_fn(move || {
        if start >= text.len() {
            return None;
        }
        let rest = &text[start..];
        let end = memchr::memchr2(b'\n', b'\r', rest.as_bytes()).unwrap_or(rest.len());
        let found = line(&rest[..end], start);
        start += end + 1;
        Some(found)
    })
    .flatten()
}

fn line(whole: &str, start: usize) -> Option<Line<'_>> {
    let content = &whole[..memchr::memchr(b'#', whole.as_bytes()).unwrap_or(whole.len())];
    let content = content.trim_end_matches(is_blank);
    let trimmed = content.trim_start_matches(is_blank);
    let start = start + content.len() - trimmed.len();
    let (name, value) = trimmed.split_once(':')?;
    let field = field(name.trim_end_matches(is_blank))?;
    Some(Line { field, value: value.trim_matches(is_blank), span: start..start + trimmed.len() })
}

/// The field of a name. Common misspellings count, as they do for Google: what was meant to be
/// forbidden must not be asked for.
fn field(name: &str) -> Option<Field> {
    const FIELDS: &[(&str, Field)] = &[
        ("user-agent", Field::UserAgent),
        ("useragent", Field::UserAgent),
        ("user agent", Field::UserAgent),
        ("allow", Field::Allow),
        ("disallow", Field::Disallow),
        ("dissallow", Field::Disallow),
        ("dissalow", Field::Disallow),
        ("disalow", Field::Disallow),
        ("diasllow", Field::Disallow),
        ("disallaw", Field::Disallow),
        ("crawl-delay", Field::CrawlDelay),
        ("sitemap", Field::Sitemap),
        ("llms-txt", Field::LlmsTxt),
    ];
    FIELDS.iter().find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, field)| *field)
}

/// Blanks, the byte order mark, and control characters that stray into such files.
fn is_blank(c: char) -> bool {
    c.is_whitespace() || c.is_control() || c == '\u{feff}'
}

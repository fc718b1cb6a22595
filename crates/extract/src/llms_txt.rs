//! llms.txt and nested indexes, as they are found in the wild.
//!
//! The written grammar (llmstxt.org) is followed by half of the files at most, so nothing here
//! depends on it: an index is read as CommonMark with GFM, and **every link outside code and
//! comments counts**, whatever its bullet, depth, heading or place.
//!
//! # Role
//!
//! | the link stands in … | role |
//! | --- | --- |
//! | a block quote or a heading | [`Role::Mention`] |
//! | the description of an item: behind an earlier link and a `: ` or ` - ` with words after it | [`Role::Mention`] |
//! | a list item or a table, anywhere else in it | [`Role::Entry`] |
//! | any other text, at the start of its line, with nothing or a separator (`:` `-` `–` `—` `(`) behind it | [`Role::Entry`] |
//! | a linked image outside of lists and tables (a badge) | [`Role::Mention`] |
//! | any other text | [`Role::Mention`] |
//!
//! Links of the same site count as pages either way; the role decides whether a link to another
//! host is claimed as a page of the set.
//!
//! # Nothing is dropped
//!
//! CommonMark makes plain text of broken link syntax. An index that holds some named a page that
//! is then lost, so it comes out as [`Target::Unreadable`]: see the `unread` module for the rules.

mod sniff;
mod unread;
mod verdict;

use std::ops::Range;

#[cfg(doc)]
use crate::Verdict;
use crate::markdown::{self, walk};
use crate::{Link, Problem, Reading, Role, Target};

/// Hosts of an older make cut a flat index here, in characters.
pub const MINTLIFY_CUT: usize = 100_000;

/// From this length on (in characters) a flat index counts as cut: the cut falls on whole entries,
/// and one entry may be a few thousand characters long.
const SUSPICIOUS_LENGTH: usize = 95_000;

/// Reads an index. Linear in the text; never fails.
///
/// A document that is no Markdown at all (HTML, JSON, a script …) gives no links and
/// [`Verdict::Unusable`]. A Markdown text that is no index (a manual) keeps its links.
pub fn read(text: &str) -> Reading<'_> {
    if let Some(why) = sniff::no_markdown(text) {
        return Reading::unusable(why);
    }
    let start = markdown::body_start(text);
    let outline = walk::walk(text, start..text.len());
    let unread = unread::find(text, start, &outline);
    let verdict = verdict::judge(text, &outline, &unread);
    let mut links = Vec::with_capacity(outline.links.len() + unread.links.len());
    let mut line_mates = LineMates::new(text);
    for mut found in outline.links {
        let in_description = line_mates.in_description(&found.link.span);
        found.link.role = if in_description { Role::Mention } else { role(text, &found) };
        links.push(found.link);
    }
    let read = links.len();
    for mut link in unread.links {
        // Generators cut descriptions after so many characters, also inside a link.
        let entry = first_of_line(text, &links[..read], link.span.start);
        let in_description = entry.is_some_and(|entry| describes(text, &entry.span, &link.span));
        if in_description && runs_to_line_end(text, &link.span) {
            link.role = Role::Mention;
            if let Target::Unreadable { problem, .. } = &mut link.target {
                *problem = Problem::CutOff;
            }
        }
        links.push(link);
    }
    links.sort_by_key(|link| link.span.start);
    Reading { links, verdict, title: outline.title, oddities: unread.oddities }
}

/// The count that a label promises: `Guides (183 pages)`, `Home (1 page)`, `API (1,024 pages)`.
pub fn declared_pages(label: &str) -> Option<u32> {
    let inner = label.trim_end().strip_suffix(')')?;
    let (_, inner) = inner.rsplit_once('(')?;
    let (number, unit) = inner.trim().split_once(|c: char| c.is_whitespace())?;
    if !matches!(unit.trim(), "page" | "pages") || !number.starts_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    let mut digits = number.split(',');
    let well_grouped =
        digits.next().is_some_and(|first| !first.is_empty()) && digits.all(|group| group.len() == 3);
    let plain: String = number.chars().filter(|c| *c != ',').collect();
    let all_digits = plain.bytes().all(|b| b.is_ascii_digit());
    (well_grouped && all_digits).then(|| plain.parse().ok()).flatten()
}

/// Whether a path (or its last two segments) names a bundle: the text of many pages in one file,
/// which is neither a page nor an index.
///
/// `llms-full.txt`, `llms-small.txt`, `llms-medium.txt`, `llms-ctx.txt` and other `llms-ctx*.txt`,
/// everything below `_llms-txt/` (Starlight), and the numbered parts `llms-full.txt/2` (GitBook).
/// Query and fragment don't matter, nor does case. `llms-en.txt` and the like are indexes.
pub fn is_bundle_name(last_segments: &str) -> bool {
    // Pages are asked by the hundred thousand, and hardly one has this in its name.
    let has_name = |window: &[u8]| window.eq_ignore_ascii_case(b"llms");
    if !last_segments.as_bytes().windows(4).any(has_name) {
        return false;
    }
    let path = last_segments.split(['?', '#']).next().unwrap_or_default().to_ascii_lowercase();
    let mut segments = path.trim_end_matches('/').rsplit('/');
    let name = segments.next().unwrap_or_default();
    let parent = segments.next().unwrap_or_default();
    let whole_text = |name: &str| matches!(name, "llms-full.txt" | "llms-small.txt" | "llms-medium.txt");
    let numbered = !name.is_empty() && name.bytes().all(|b| b.is_ascii_digit());
    whole_text(name)
        || (name.starts_with("llms-ctx") && name.ends_with(".txt"))
        || (parent == "_llms-txt" && name.ends_with(".txt"))
        || (whole_text(parent) && numbered)
}

/// The first link of each line, to tell the entry from what its description mentions.
struct LineMates<'t> {
    text: &'t str,
    first: Option<Range<usize>>,
}

impl<'t> LineMates<'t> {
    fn new(text: &'t str) -> Self {
        LineMates { text, first: None }
    }

    /// Links come in the order of the text.
    fn in_description(&mut self, span: &Range<usize>) -> bool {
        let text = self.text;
        match &self.first {
            Some(first) if describes(text, first, span) => true,
            Some(first) if first.end <= span.start && !text[first.end..span.start].contains('\n') => false,
            _ => {
                self.first = Some(span.clone());
                false
            }
        }
    }
}

/// Whether `later` stands in the description that follows the entry `first` on the same line:
/// between them are a separator and at least one word.
fn describes(text: &str, first: &Range<usize>, later: &Range<usize>) -> bool {
    let Some(between) = text.get(first.end..later.start) else { return false };
    let between = between.trim_start_matches(['*', '_', '`', ')']);
    let described = [": ", " - ", " – ", " — "].iter().find_map(|separator| between.strip_prefix(separator));
    described.is_some_and(|words| !between.contains('\n') && words.contains(char::is_alphanumeric))
}

/// The first link on the line that holds `offset`; `links` are in the order of the text.
fn first_of_line<'l, 't>(text: &str, links: &'l [Link<'t>], offset: usize) -> Option<&'l Link<'t>> {
    let line_start = memchr::memrchr(b'\n', &text.as_bytes()[..offset]).map_or(0, |newline| newline + 1);
    links
        .get(links.partition_point(|link| link.span.start < line_start))
        .filter(|link| link.span.start < offset)
}

fn runs_to_line_end(text: &str, span: &Range<usize>) -> bool {
    matches!(text.as_bytes().get(span.end), None | Some(b'\n' | b'\r'))
}

fn role(text: &str, found: &walk::Found<'_>) -> Role {
    let context = found.context;
    if context.in_quote || context.in_heading {
        Role::Mention
    } else if context.in_item || context.in_table || opens_its_line(text, &found.link.span) {
        Role::Entry
    } else {
        Role::Mention
    }
}

/// Whether a link begins its line (marks of emphasis, tags and the bracketed label of
/// `[Home] (https://…)` aside) and nothing but a separator follows it.
fn opens_its_line(text: &str, span: &Range<usize>) -> bool {
    let line_start = memchr::memrchr(b'\n', &text.as_bytes()[..span.start]).map_or(0, |newline| newline + 1);
    let line_end =
        memchr::memchr(b'\n', &text.as_bytes()[span.end..]).map_or(text.len(), |newline| span.end + newline);
    let before = text[line_start..span.start]
        .trim_matches(|c: char| c.is_whitespace() || matches!(c, '*' | '_' | markdown::BOM));
    let detached_label = before.starts_with('[')
        && before.ends_with('(')
        && before[..before.len() - 1].trim_end().ends_with(']');
    let behind = text[span.end..line_end]
        .trim_start_matches(|c: char| c.is_whitespace() || matches!(c, '*' | '_' | ')'));
    // A badge stands for a service, not for a page of the set.
    if text[span.clone()].starts_with("[![") {
        return false;
    }
    let separated = behind.is_empty() || behind.starts_with([':', '-', '–', '—', '(', '|', '<']);
    (before.is_empty() || detached_label) && separated
}

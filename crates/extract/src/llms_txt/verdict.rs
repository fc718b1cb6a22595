//! What an index counts as: whole, empty-handed, cut off, or no index at all.

use std::borrow::Cow;

use super::unread::Unread;
use super::{MINTLIFY_CUT, SUSPICIOUS_LENGTH, is_bundle_name};
use crate::Verdict;
use crate::markdown::walk::{Found, Outline};

/// From so many fenced code blocks on, a text with few listed links is a manual.
const MANUAL_FENCES: usize = 6;

/// Schemes that no page is fetched by.
const NO_PAGE_SCHEMES: [&str; 5] = ["mailto:", "tel:", "javascript:", "data:", "sms:"];

pub(super) fn judge(text: &str, outline: &Outline<'_>, unread: &Unread<'_>) -> Verdict {
    if let Some(why) = no_index(text, outline, unread) {
        Verdict::Unusable(Cow::Borrowed(why))
    } else if let Some(why) = truncated(text, outline, unread) {
        Verdict::Truncated(why)
    } else if let Some(why) = no_pages(outline, unread) {
        Verdict::NoPages(Cow::Borrowed(why))
    } else {
        Verdict::Ok
    }
}

fn no_index(text: &str, outline: &Outline<'_>, unread: &Unread<'_>) -> Option<&'static str> {
    if outline.links.is_empty() && unread.links.is_empty() {
        return Some(without_links(text));
    }
    let listed = outline.links.iter().filter(|found| found.context.in_item || found.context.in_table).count();
    let rarely = listed < outline.fences || listed * 2 < outline.links.len();
    (outline.fences >= MANUAL_FENCES && rarely)
        .then_some("a text of its own with many code blocks and few listed links, not an index")
}

fn without_links(text: &str) -> &'static str {
    let paths = text.lines().filter(|line| is_path_line(line)).count();
    let lines = text.lines().filter(|line| !line.trim().is_empty()).count();
    if paths > 0 {
        "no link at all: pages are named by plain paths"
    } else if lines <= 2 && text.len() < 200 {
        "a short message, not an index"
    } else {
        "no link at all"
    }
}

/// `- Install: /install`
fn is_path_line(line: &str) -> bool {
    line.trim_start().starts_with(['-', '*', '+'])
        && line.split_whitespace().any(|word| word.starts_with('/'))
}

fn truncated(text: &str, outline: &Outline<'_>, unread: &Unread<'_>) -> Option<Cow<'static, str>> {
    if let Some(why) = unread.cut_off {
        return Some(Cow::Borrowed(why));
    }
    if outline.last_fence.as_ref().is_some_and(|fence| is_open_fence(text, fence.start, fence.end)) {
        return Some(Cow::Borrowed("a code block is not closed at the end: the rest may be missing"));
    }
    if says_omitted(text) {
        return Some(Cow::Borrowed("the index itself says that entries were left out"));
    }
    // Bytes are never fewer than characters: short documents need no counting.
    let characters = if text.len() < SUSPICIOUS_LENGTH { 0 } else { text.chars().count() };
    let is_flat = !outline.links.iter().any(|found| found.link.href().contains("/_llms/"));
    (characters >= SUSPICIOUS_LENGTH && is_flat && characters <= MINTLIFY_CUT + 1_000).then(|| {
        Cow::Owned(format!(
            "{characters} characters in one flat list: some hosts cut an index at {MINTLIFY_CUT} characters"
        ))
    })
}

/// Whether the fenced block that reaches to the end of the text lacks its closing fence.
fn is_open_fence(text: &str, start: usize, end: usize) -> bool {
    if !text[end..].trim().is_empty() {
        return false;
    }
    let block = text[start..end].trim_start();
    let Some(sign) = block.chars().next().filter(|c| matches!(c, '`' | '~')) else { return false };
    let opening = block.chars().take_while(|c| *c == sign).count();
    let mut lines = block.trim_end().lines();
    let first = lines.next();
    let last = lines.next_back().map(|line| line.trim_start_matches([' ', '\t', '>']).trim_end());
    let closed =
        first.is_some() && last.is_some_and(|last| last.len() >= opening && last.chars().all(|c| c == sign));
    !closed
}

/// A closing note such as `_12 entries omitted to fit the size limit._`. Looks at the last lines
/// that are no list items only, and wants both words.
fn says_omitted(text: &str) -> bool {
    let is_note = |line: &str| {
        let line = line.to_ascii_lowercase();
        ["entries", "pages", "links"].iter().any(|what| line.contains(what))
            && ["omitted", "truncated", "left out", "not shown", "were dropped"]
                .iter()
                .any(|how| line.contains(how))
    };
    let mut tail = text.lines().rev().map(str::trim).filter(|line| !line.is_empty()).take(4);
    tail.any(|line| line.len() < 400 && !line.contains("](") && is_note(line))
}

fn no_pages(outline: &Outline<'_>, unread: &Unread<'_>) -> Option<&'static str> {
    if !unread.links.is_empty() || outline.links.iter().any(leads_somewhere) {
        return None;
    }
    let bundles = outline.links.iter().any(|found| is_bundle_name(found.link.href()));
    Some(if bundles {
        "only bundles of many pages are linked, no page"
    } else {
        "only anchors into the document itself are linked, no page"
    })
}

fn leads_somewhere(found: &Found<'_>) -> bool {
    let href = found.link.href();
    let no_page =
        |scheme: &&str| href.get(..scheme.len()).is_some_and(|head| head.eq_ignore_ascii_case(scheme));
    !href.starts_with('#') && !is_bundle_name(href) && !NO_PAGE_SCHEMES.iter().any(no_page)
}

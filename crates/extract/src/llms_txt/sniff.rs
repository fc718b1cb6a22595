//! Answers that are no Markdown: nearly every second `200` for llms.txt is one.

use crate::markdown::BOM;

const HTML: [&str; 10] =
    ["<!doctype", "<html", "<head", "<body", "<?xml", "<meta", "<script", "<svg", "<urlset", "<rss"];

const SCRIPT: [&str; 10] = [
    "#!",
    "\"use strict\"",
    "'use strict'",
    "(function",
    "!function",
    "function ",
    "var ",
    "const ",
    "window.",
    "/*!",
];

const ROBOTS: [&str; 9] = [
    "user-agent",
    "disallow",
    "allow",
    "sitemap",
    "crawl-delay",
    "host",
    "content-signal",
    "llms-txt",
    "clean-param",
];

/// Why the text can't be read as Markdown, or `None`.
pub(super) fn no_markdown(text: &str) -> Option<&'static str> {
    let text = text.trim_matches(|c: char| c.is_whitespace() || c == BOM);
    if text.is_empty() {
        Some("the document is empty")
    } else if starts_like(behind_comments(text), &HTML) {
        Some("an HTML or XML document, not an index")
    } else if is_json(text) {
        Some("a JSON document, not an index")
    } else if starts_like(text, &SCRIPT) {
        Some("a script, not an index")
    } else if is_robots(text) {
        Some("robots.txt rules and nothing else, not an index")
    } else {
        None
    }
}

fn starts_like(text: &str, openings: &[&str]) -> bool {
    let starts = |opening: &&str| {
        text.as_bytes().get(..opening.len()).is_some_and(|head| head.eq_ignore_ascii_case(opening.as_bytes()))
    };
    openings.iter().any(starts)
}

fn behind_comments(mut text: &str) -> &str {
    while let Some(rest) = text.strip_prefix("<!--") {
        let Some((_, behind)) = rest.split_once("-->") else { return text };
        text = behind.trim_start();
    }
    text
}

fn is_json(text: &str) -> bool {
    if let Some(inside) = text.strip_prefix('{') {
        inside.trim_start().starts_with(['"', '}'])
    } else if let Some(inside) = text.strip_prefix('[') {
        // `[` opens a Markdown link, too.
        text.ends_with(']') && inside.trim_start().starts_with(['{', '"', '[', ']']) && !text.contains("](")
    } else {
        false
    }
}

fn is_robots(text: &str) -> bool {
    let mut rules = 0;
    for line in text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#')) {
        let field = line.split_once(':').map(|(field, _)| field.trim().to_ascii_lowercase());
        match field {
            Some(field) if ROBOTS.contains(&field.as_str()) => rules += 1,
            _ => return false,
        }
    }
    rules > 0
}

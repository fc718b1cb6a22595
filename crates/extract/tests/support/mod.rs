//! What the tests of the readers share: case tables, corpora, and how a link is written in them.
#![allow(dead_code, unreachable_pub, reason = "each test binary uses its own part")]

use std::path::PathBuf;

use wholesite_extract::{Link, Problem, Reading, Role, Target};

/// One case of a table in `tests/cases`.
pub struct Case {
    pub name: String,
    pub text: String,
    pub verdict: String,
    pub links: Vec<String>,
}

/// Reads a case table; its notation is explained at the head of each file.
pub fn cases(table: &str) -> Vec<Case> {
    let mut all = Vec::new();
    for case in format!("\n{table}").split("\n=== ").skip(1) {
        let (name, rest) = case.split_once('\n').expect("a case has a body");
        let (text, expected) = format!("\n{rest}")
            .rsplit_once("\n--- ")
            .map(|(t, e)| (t.to_owned(), e.to_owned()))
            .expect("a case has a verdict");
        let text = text.strip_prefix('\n').unwrap_or(&text);
        let text = match text.split_once('␄') {
            Some((text, _)) => text.to_owned(),
            None => format!("{text}\n"),
        };
        let text = text.replace('␍', "\r").replace('␂', "\u{feff}").replace('␠', " ");
        let mut lines = expected.lines();
        let verdict = lines.next().unwrap_or_default().to_owned();
        let links = lines.map(|line| line.trim_end().to_owned()).filter(|line| !line.is_empty()).collect();
        all.push(Case { name: name.to_owned(), text, verdict, links });
    }
    all
}

/// `role | destination | label`, the notation of the tables.
pub fn written(link: &Link<'_>) -> String {
    let kind = match &link.target {
        Target::Literal(_) => match link.role {
            Role::Entry => "entry",
            Role::Mention => "mention",
            _ => "other",
        },
        Target::Dynamic(_) => "dynamic",
        Target::Unreadable { problem, .. } => match problem {
            Problem::BlankInDestination => "!blank",
            Problem::CutOff => "!cut",
            Problem::SwallowedByHtml => "!html",
            Problem::NoRule => "!rule",
        },
    };
    format!("{kind} | {} | {}", link.href(), link.label).trim_end().to_owned()
}

/// The folder of real material, where it is at hand.
pub fn corpora() -> Option<PathBuf> {
    let folder = std::env::var_os("WHOLESITE_CORPORA").map_or_else(
        || PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/corpora")),
        PathBuf::from,
    );
    if folder.is_dir() {
        return Some(folder);
    }
    println!("no corpora at {}: nothing to check", folder.display());
    None
}

/// All files below a folder whose name satisfies `wanted`, sorted.
pub fn files(folder: &std::path::Path, wanted: &dyn Fn(&str) -> bool) -> Vec<PathBuf> {
    let mut open = vec![folder.to_owned()];
    let mut all = Vec::new();
    while let Some(folder) = open.pop() {
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.is_dir() {
                open.push(path);
            } else if path.file_name().and_then(|name| name.to_str()).is_some_and(wanted) {
                all.push(path);
            }
        }
    }
    all.sort();
    all
}

/// The laws that every reading obeys, whatever the text.
pub fn check_laws(text: &str, reading: &Reading<'_>) {
    let mut last = 0;
    for link in &reading.links {
        let span = link.span.clone();
        assert!(span.start <= span.end && span.end <= text.len(), "{span:?} leaves the text");
        assert!(
            text.is_char_boundary(span.start) && text.is_char_boundary(span.end),
            "{span:?} cuts a character"
        );
        assert!(span.start >= last, "links are out of order at {span:?}");
        last = span.start;
    }
    for oddity in &reading.oddities {
        assert!(text.get(oddity.span.clone()).is_some(), "{:?} is no place in the text", oddity.span);
    }
}

/// Markup in no order at all: what a fuzzer would throw at a reader of Markdown.
pub const SCRAPS: &[&str] = &[
    "[",
    "]",
    "(",
    ")",
    "](",
    "![",
    "[x](/y)",
    "[x][r]",
    "[r]: /z",
    "\n",
    "\n\n",
    "- ",
    "> ",
    "1. ",
    "    ",
    "\t",
    "`",
    "```\n",
    "~~~",
    "$",
    "$$\n",
    "{",
    "}",
    "{/*",
    "*/}",
    "<",
    ">",
    "</",
    "/>",
    "<a href=\"/h\">",
    "</a>",
    "<!--",
    "-->",
    "href=",
    "\"",
    "'",
    "\\",
    "|",
    "|---|\n",
    "| a | b |\n",
    "&amp;",
    "&",
    "https://x.test/",
    "www.",
    "a@b.cd",
    "import x\n",
    "export const a = {\n",
    "---\n",
    "+++\n",
    "===\n",
    "# ",
    "[^1]",
    "[^1]: ",
    "é",
    "文",
    "\r\n",
    "\u{feff}",
    "*",
    "_",
    "~",
    "!",
    "word ",
    "${",
    "<>",
    "=>",
    "//",
    ".",
    ":",
    ";",
    "<b>",
    "</b>",
    "<Card ",
];

//! Blocks of code.

use markup5ever_rcdom::{Handle, NodeData};

use super::dom::{attribute, find, has_class, is, name};

/// Preformatted text between fences.
pub(super) fn fenced(node: &Handle) -> Option<String> {
    let mut text = String::new();
    collect(node, &mut text);
    // The parser has dropped the line feed right behind the tag; highlighters add more.
    let text = text.trim_matches('\n').replace('\r', "");
    if text.trim().is_empty() {
        return None;
    }
    let longest =
        text.lines().map(|line| line.trim_start().bytes().take_while(|byte| *byte == b'`').count()).max();
    let fence = "`".repeat(longest.unwrap_or(0).max(2) + 1);
    let language = language(node).unwrap_or_default();
    Some(format!("{fence}{language}\n{text}\n{fence}"))
}

fn collect(node: &Handle, out: &mut String) {
    if let NodeData::Text { contents } = &node.data {
        out.push_str(&contents.borrow());
        return;
    }
    let is_number = has_class(node, &["line-number", "lineno", "linenumber", "linenos", "gutter"])
        && node.children.borrow().len() <= 1;
    if matches!(name(node), Some("button" | "style" | "script" | "svg")) || is_number {
        return;
    }
    // Highlighters make an element of every line, some without a line feed between them.
    let is_line = matches!(name(node), Some("div" | "p" | "li"));
    if is_line && !out.is_empty() && !out.ends_with('\n') {
        out.push('\n');
    }
    let before = out.len();
    node.children.borrow().iter().for_each(|child| collect(child, out));
    if is(node, "br") || (is_line && (out.len() == before || !out.ends_with('\n'))) {
        out.push('\n');
    }
}

/// The language that a highlighter noted on the block, on what is in it, or around it.
fn language(node: &Handle) -> Option<String> {
    let inside = find(node, &|node| of_element(node).is_some()).and_then(|node| of_element(&node));
    inside.or_else(|| {
        let mut at = parent(node);
        for _ in 0..3 {
            let current = at?;
            if let Some(found) = of_element(&current) {
                return Some(found);
            }
            at = parent(&current);
        }
        None
    })
}

fn parent(node: &Handle) -> Option<Handle> {
    let weak = node.parent.take();
    let found = weak.as_ref().and_then(std::rc::Weak::upgrade);
    node.parent.set(weak);
    found
}

fn of_element(node: &Handle) -> Option<String> {
    let class = attribute(node, "class").unwrap_or_default();
    let by_class = class.split_ascii_whitespace().find_map(|class| {
        ["language-", "lang-", "highlight-source-", "sourceCode-", "highlight-"]
            .iter()
            .find_map(|opening| class.strip_prefix(opening))
            .map(str::to_owned)
    });
    by_class
        .or_else(|| attribute(node, "data-lang"))
        .or_else(|| attribute(node, "data-language"))
        .or_else(|| attribute(node, "language"))
        .filter(|language| {
            let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '+' | '#' | '-' | '_' | '.');
            !matches!(language.as_str(), "default" | "none" | "notranslate" | "")
                && language.len() <= 30
                && language.chars().all(is_name)
        })
}

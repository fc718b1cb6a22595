//! Reading the tree of a parsed document.

use std::rc::Rc;

use markup5ever_rcdom::{Handle, NodeData};

use crate::words;

pub(super) fn name(node: &Handle) -> Option<&str> {
    match &node.data {
        NodeData::Element { name, .. } => Some(&name.local),
        _ => None,
    }
}

pub(super) fn is(node: &Handle, tag: &str) -> bool {
    name(node) == Some(tag)
}

pub(super) fn attribute(node: &Handle, key: &str) -> Option<String> {
    match &node.data {
        NodeData::Element { attrs, .. } => {
            attrs.borrow().iter().find(|attr| &*attr.name.local == key).map(|attr| attr.value.to_string())
        }
        _ => None,
    }
}

/// Whether an attribute has exactly this value.
pub(super) fn has(node: &Handle, key: &str, value: &str) -> bool {
    attribute(node, key).is_some_and(|found| found.trim().eq_ignore_ascii_case(value))
}

/// Whether one of the classes holds one of these.
pub(super) fn has_class(node: &Handle, parts: &[&str]) -> bool {
    attribute(node, "class").is_some_and(|class| {
        let class = class.to_ascii_lowercase();
        class.split_ascii_whitespace().any(|class| parts.iter().any(|part| class.contains(part)))
    })
}

/// The first node in document order that fits.
pub(super) fn find(node: &Handle, fits: &dyn Fn(&Handle) -> bool) -> Option<Handle> {
    if fits(node) {
        return Some(Rc::clone(node));
    }
    node.children.borrow().iter().find_map(|child| find(child, fits))
}

/// The outermost nodes that fit.
pub(super) fn outermost(node: &Handle, fits: &dyn Fn(&Handle) -> bool, out: &mut Vec<Handle>) {
    for child in node.children.borrow().iter() {
        if fits(child) {
            out.push(Rc::clone(child));
        } else {
            outermost(child, fits, out);
        }
    }
}

/// The most elements inside each other, counted without recursion.
pub(super) fn depth(root: &Handle) -> usize {
    let mut deepest = 0;
    let mut waiting = vec![(Rc::clone(root), 0_usize)];
    while let Some((node, depth)) = waiting.pop() {
        deepest = deepest.max(depth);
        waiting.extend(node.children.borrow().iter().map(|child| (Rc::clone(child), depth + 1)));
    }
    deepest
}

/// What nobody sees: scripts, styles, templates, hidden elements.
pub(super) fn is_unseen(node: &Handle) -> bool {
    match name(node) {
        Some("script" | "style" | "template" | "noscript" | "head" | "title") => true,
        Some(_) => is_hidden(node) || has(node, "aria-hidden", "true"),
        None => matches!(
            node.data,
            NodeData::Comment { .. } | NodeData::Doctype { .. } | NodeData::ProcessingInstruction { .. }
        ),
    }
}

/// Hidden for good. Panels behind tabs, and what a search in the page reveals, are content.
fn is_hidden(node: &Handle) -> bool {
    let is_revealed = || has(node, "hidden", "until-found") || has(node, "role", "tabpanel");
    attribute(node, "hidden").is_some() && !is_revealed()
}

/// What is no content, wherever it stands.
pub(super) fn is_chrome(node: &Handle) -> bool {
    if is_unseen(node) {
        return true;
    }
    match name(node) {
        Some(
            "nav" | "footer" | "button" | "svg" | "dialog" | "select" | "input" | "textarea" | "canvas"
            | "object" | "datalist",
        ) => true,
        Some("aside") => !is_note(node),
        Some(_) => ["navigation", "search", "banner", "contentinfo", "dialog"]
            .iter()
            .any(|role| has(node, "role", role)),
        None => false,
    }
}

/// An aside that belongs to the text: a box with a note, a tip, a warning.
fn is_note(node: &Handle) -> bool {
    has(node, "role", "note")
        || has_class(
            node,
            &["note", "tip", "caution", "danger", "warning", "callout", "admonition", "hint", "info"],
        )
}

/// The text that a reader sees, chrome left out or not, with blanks between blocks.
pub(super) fn visible_text(node: &Handle, with_chrome: bool) -> String {
    let mut out = String::new();
    collect(node, with_chrome, &mut out);
    words::squeeze(&out)
}

fn collect(node: &Handle, with_chrome: bool, out: &mut String) {
    for child in node.children.borrow().iter() {
        if let NodeData::Text { contents } = &child.data {
            out.push_str(&contents.borrow());
        } else if !is_unseen(child) && !is(child, "iframe") && (with_chrome || !is_chrome(child)) {
            collect(child, with_chrome, out);
            if is_block_name(child) || is(child, "br") {
                out.push(' ');
            }
        }
    }
}

/// The text of a node as it stands, for scripts and code.
pub(super) fn raw_text(node: &Handle, out: &mut String) {
    if let NodeData::Text { contents } = &node.data {
        out.push_str(&contents.borrow());
    }
    for child in node.children.borrow().iter() {
        raw_text(child, out);
    }
}

/// Elements that break the line they stand in.
pub(super) fn is_block_name(node: &Handle) -> bool {
    matches!(
        name(node),
        Some(
            "address"
                | "article"
                | "aside"
                | "blockquote"
                | "body"
                | "caption"
                | "center"
                | "dd"
                | "details"
                | "div"
                | "dl"
                | "dt"
                | "fieldset"
                | "figcaption"
                | "figure"
                | "footer"
                | "form"
                | "h1"
                | "h2"
                | "h3"
                | "h4"
                | "h5"
                | "h6"
                | "header"
                | "hgroup"
                | "hr"
                | "legend"
                | "li"
                | "main"
                | "menu"
                | "nav"
                | "ol"
                | "p"
                | "pre"
                | "section"
                | "summary"
                | "table"
                | "tbody"
                | "td"
                | "tfoot"
                | "th"
                | "thead"
                | "tr"
                | "ul"
                | "video"
                | "iframe"
        )
    )
}

//! Blocks: headings, paragraphs, lists, quotes.

use std::cell::{Cell, RefCell};
use std::collections::HashSet;
use std::rc::Rc;

use markup5ever_rcdom::{Handle, Node, NodeData};
use wholesite_address::{Base, Resolved};

use super::dom::{attribute, find, is, is_block_name, is_chrome, name};
use super::inline::{self, Place};
use super::{code, escape, region, table};

/// A block of Markdown, without a line feed at its end.
pub(super) struct Block {
    pub(super) text: String,
    is_list: bool,
}

impl Block {
    pub(super) fn new(text: String) -> Block {
        Block { text, is_list: false }
    }
}

/// Lists and quotes deeper than that go on without more indentation, which else would make a
/// document grow by the square of its depth.
const MOST_INDENTED: usize = 24;

/// What all of a document's writers share.
pub(super) struct Writer<'a> {
    base: &'a Base,
    /// Whether a `<base>` makes fragments lead to another document.
    has_own_base: bool,
    /// Inline elements with blocks in them.
    wrappers: HashSet<*const Node>,
    /// The target of a link round several blocks; the first of them with text takes it.
    link: RefCell<Option<String>>,
    /// Lists and quotes around the current block.
    depth: Cell<usize>,
    /// Whether the current block is in the content for sure.
    in_content: Cell<bool>,
}

/// The Markdown of a region, ending in a line feed.
pub(super) fn render(region: &Handle, base: &Base, has_own_base: bool) -> String {
    let mut wrappers = HashSet::new();
    note_wrappers(region, &mut wrappers);
    let writer = Writer {
        base,
        has_own_base,
        wrappers,
        link: RefCell::new(None),
        depth: Cell::new(0),
        in_content: Cell::new(!is(region, "body")),
    };
    let mut text = joined(&writer.children(region), false);
    text.push('\n');
    text
}

/// Notes every element that looks inline and holds blocks: custom elements, links round cards.
fn note_wrappers(node: &Handle, out: &mut HashSet<*const Node>) -> bool {
    let mut holds = false;
    for child in node.children.borrow().iter() {
        let inner = note_wrappers(child, out);
        if inner && !is_block_name(child) {
            out.insert(Rc::as_ptr(child));
        }
        holds |= inner || is_block_name(child);
    }
    holds
}

fn joined(blocks: &[Block], in_item: bool) -> String {
    let mut out = String::new();
    for (at, block) in blocks.iter().enumerate() {
        if at > 0 {
            let is_sublist = in_item && at == 1 && block.is_list;
            out.push_str(if is_sublist { "\n" } else { "\n\n" });
        }
        out.push_str(&block.text);
    }
    out
}

impl Writer<'_> {
    pub(super) fn is_block(&self, node: &Handle) -> bool {
        is_block_name(node) || self.wrappers.contains(&Rc::as_ptr(node))
    }

    /// The children of a node as blocks.
    pub(super) fn children(&self, node: &Handle) -> Vec<Block> {
        let mut blocks = Vec::new();
        let mut line: Vec<Handle> = Vec::new();
        for child in node.children.borrow().iter() {
            if is_chrome(child) || region::is_site_header(child, self.in_content.get()) {
                continue;
            }
            if self.is_block(child) {
                blocks.extend(self.paragraph(&std::mem::take(&mut line)));
                self.block(child, &mut blocks);
            } else {
                line.push(Rc::clone(child));
            }
        }
        blocks.extend(self.paragraph(&line));
        blocks
    }

    fn paragraph(&self, nodes: &[Handle]) -> Option<Block> {
        let text = inline::write(self, nodes, self.place(Place::Line));
        let text = self.linked(escape::safe_starts(&text))?;
        Some(Block::new(text))
    }

    fn place(&self, place: Place) -> Place {
        if self.link.borrow().is_some() { Place::Label } else { place }
    }

    /// The text as the label of the link that waits for one. Nothing for no text.
    fn linked(&self, text: String) -> Option<String> {
        if crate::words::is_blank(&text) {
            return None;
        }
        Some(match self.link.borrow_mut().take() {
            Some(target) => format!("[{text}]({target})"),
            None => text,
        })
    }

    fn block(&self, node: &Handle, blocks: &mut Vec<Block>) {
        match name(node) {
            Some(tag @ ("h1" | "h2" | "h3" | "h4" | "h5" | "h6")) => {
                let level = usize::from(tag.as_bytes()[1] - b'0');
                let text = inline::write(self, &node.children.borrow(), self.place(Place::Heading));
                if let Some(text) = self.linked(escape::safe_end(text)) {
                    blocks.push(Block::new(format!("{} {text}", "#".repeat(level))));
                }
            }
            Some("pre") => blocks.extend(code::fenced(node).map(Block::new)),
            Some(tag @ ("ul" | "ol" | "menu")) => blocks.extend(self.list(node, tag == "ol")),
            Some("blockquote") => blocks.extend(self.quote(node)),
            Some("table") => blocks.extend(table::blocks(self, node)),
            Some("hr") => blocks.push(Block::new("---".to_owned())),
            Some("dt" | "summary" | "caption" | "legend") => {
                blocks.extend(self.strong(node));
            }
            Some("a") => {
                if let Some(target) = attribute(node, "href").and_then(|href| self.target(&href)) {
                    *self.link.borrow_mut() = Some(target);
                }
                blocks.extend(self.children(node));
                *self.link.borrow_mut() = None;
            }
            Some("iframe" | "video") => blocks.extend(self.embedded(node)),
            Some("article" | "main" | "section") => {
                let before = self.in_content.replace(true);
                blocks.extend(self.children(node));
                self.in_content.set(before);
            }
            _ => blocks.extend(self.children(node)),
        }
    }

    /// A term or a summary: strong, unless it has marks of its own or holds blocks.
    fn strong(&self, node: &Handle) -> Vec<Block> {
        let children = node.children.borrow();
        if children.iter().any(|child| self.is_block(child)) {
            drop(children);
            return self.children(node);
        }
        let text = inline::write(self, &children, self.place(Place::Heading));
        let is_plain = !text.contains(['*', '`', '[']);
        let text = if is_plain { text } else { escape::safe_starts(&text) };
        let strong = |text: String| if is_plain { format!("**{text}**") } else { text };
        self.linked(text).map(strong).map(Block::new).into_iter().collect()
    }

    fn embedded(&self, node: &Handle) -> Option<Block> {
        let source =
            find(node, &|node| attribute(node, "src").is_some()).and_then(|node| attribute(&node, "src"))?;
        let target = self.target(&source).filter(|target| target.starts_with("http"))?;
        let label = attribute(node, "title")
            .map(|title| crate::words::squeeze(&title))
            .filter(|title| !title.is_empty());
        let label =
            label.unwrap_or_else(|| if is(node, "video") { "Video" } else { "Embedded page" }.to_owned());
        Some(Block::new(format!("[{}]({target})", escape::escaped_label(&label))))
    }

    /// The blocks of an item or a quote, told whether they may be indented.
    fn nested(&self, node: &Handle) -> (Vec<Block>, bool) {
        let depth = self.depth.get();
        self.depth.set(depth + 1);
        let blocks = self.children(node);
        self.depth.set(depth);
        (blocks, depth < MOST_INDENTED)
    }

    fn quote(&self, node: &Handle) -> Vec<Block> {
        let (blocks, may_indent) = self.nested(node);
        if !may_indent || blocks.is_empty() {
            return blocks;
        }
        let quoted: Vec<String> = joined(&blocks, false)
            .split('\n')
            .map(|line| if line.is_empty() { ">".to_owned() } else { format!("> {line}") })
            .collect();
        vec![Block::new(quoted.join("\n"))]
    }

    fn list(&self, node: &Handle, is_ordered: bool) -> Vec<Block> {
        let start = attribute(node, "start").and_then(|start| start.trim().parse::<u32>().ok()).unwrap_or(1);
        let mut items: Vec<(Vec<Block>, bool)> = Vec::new();
        for child in node.children.borrow().iter() {
            let is_text =
                matches!(&child.data, NodeData::Text { contents } if contents.borrow().trim().is_empty());
            if is_chrome(child) || is_text {
                continue;
            }
            // A list right inside a list belongs to the item before it.
            if let (Some("ul" | "ol"), Some((last, _))) = (name(child), items.last_mut()) {
                let depth = self.depth.replace(self.depth.get() + 1);
                self.block(child, last);
                self.depth.set(depth);
                continue;
            }
            let (blocks, may_indent) = self.nested(child);
            if !blocks.is_empty() {
                items.push((blocks, may_indent));
            }
        }
        if items.iter().any(|(_, may_indent)| !may_indent) {
            return items.into_iter().flat_map(|(blocks, _)| blocks).collect();
        }
        let mut out = String::new();
        for (at, (blocks, _)) in items.iter().enumerate() {
            let mark = if is_ordered {
                format!("{}. ", u64::from(start.min(900_000_000)) + at as u64)
            } else {
                "- ".to_owned()
            };
            for (row, line) in joined(blocks, true).split('\n').enumerate() {
                if !out.is_empty() {
                    out.push('\n');
                }
                if row == 0 {
                    out.push_str(&mark);
                } else if !line.is_empty() {
                    out.push_str(&" ".repeat(mark.len()));
                }
                out.push_str(line);
            }
        }
        if out.is_empty() { Vec::new() } else { vec![Block { text: out, is_list: true }] }
    }

    /// Where a reference leads, as it stands between the brackets of a link. Nothing for scripts
    /// and for data in the address itself.
    pub(super) fn target(&self, href: &str) -> Option<String> {
        let href = href.trim();
        if href.starts_with('#') && !self.has_own_base {
            return Some(bracketed(href.to_owned()));
        }
        let target = match self.base.resolve(href) {
            Ok(Resolved::Web { url, fragment: Some(fragment) }) => format!("{url}#{fragment}"),
            Ok(Resolved::Web { url, fragment: None }) => url.to_string(),
            Ok(Resolved::OtherScheme { scheme })
                if matches!(scheme.as_str(), "javascript" | "data" | "blob") =>
            {
                return None;
            }
            _ if href.is_empty() => return None,
            _ => href.split_ascii_whitespace().collect::<Vec<_>>().join("%20"),
        };
        Some(bracketed(target))
    }
}

/// A target that would end too early stands between angle brackets.
fn bracketed(target: String) -> String {
    if target.contains(['(', ')', ' ', '<', '>', '\\']) || target.chars().any(char::is_control) {
        let target: String = target
            .chars()
            .filter(|c| !c.is_control())
            .map(|c| match c {
                '<' => "%3C".to_owned(),
                '>' => "%3E".to_owned(),
                '\\' => "%5C".to_owned(),
                c => c.to_string(),
            })
            .collect();
        format!("<{target}>")
    } else {
        target
    }
}

//! HTML pages: the main content as Markdown.

use std::rc::Rc;

use html5ever::tendril::TendrilSink;
use html5ever::{ParseOpts, parse_document};
use markup5ever_rcdom::{Handle, NodeData, RcDom};
use wholesite_address::{Base, Resolved, SiteUrl};

use crate::NotAPage;

/// A page of HTML.
pub(crate) struct Page {
    /// The main content, as Markdown.
    pub(crate) text: String,
    pub(crate) title: Option<String>,
    pub(crate) description: Option<String>,
    /// The first heading.
    pub(crate) heading: Option<String>,
    /// Whether there is a field for a password.
    pub(crate) asks_password: bool,
    /// Words of the whole body, navigation included.
    pub(crate) words: usize,
}

/// The parser's time grows with the square of the open elements, so deeper documents are refused.
const MOST_OPEN: usize = 512;

pub(crate) fn read(source: &str, url: &SiteUrl) -> Result<Page, NotAPage> {
    if open_elements(source) > MOST_OPEN {
        return Err(NotAPage::TooDeep { limit: MOST_OPEN });
    }
    let dom = parse_document(RcDom::default(), ParseOpts::default()).one(source);
    let mut base = Base::of(url);
    if let Some(href) =
        find(&dom.document, &|node| is(node, "base")).and_then(|node| attribute(&node, "href"))
    {
        base = base.with_base_href(&href);
    }
    let body = find(&dom.document, &|node| is(node, "body")).unwrap_or_else(|| dom.document.clone());
    let main = find(&body, &|node| is(node, "main") || attribute(node, "role").as_deref() == Some("main"))
        .or_else(|| find(&body, &|node| is(node, "article")))
        .unwrap_or_else(|| body.clone());
    let mut writer = Writer { out: String::new(), base: &base };
    writer.blocks(&main, "");
    let mut text = writer.out.trim().to_owned();
    text.push('\n');
    let heading = find(&main, &|node| is(node, "h1"))
        .or_else(|| find(&body, &|node| is(node, "h1")))
        .map(|node| inline_text(&node))
        .filter(|text| !text.is_empty());
    let meta = |name: &str| {
        let is_it = |node: &Handle| {
            is(node, "meta")
                && (attribute(node, "name").as_deref() == Some(name)
                    || attribute(node, "property").as_deref() == Some(name))
        };
        find(&dom.document, &is_it).and_then(|node| attribute(&node, "content")).map(|text| squeeze(&text))
    };
    let title = find(&dom.document, &|node| is(node, "title")).map(|node| inline_text(&node));
    Ok(Page {
        title: heading.clone().or(title).or_else(|| meta("og:title")).filter(|title| !title.is_empty()),
        description: meta("description").filter(|text| !text.is_empty()),
        asks_password: find(&body, &|node| {
            is(node, "input") && attribute(node, "type").as_deref() == Some("password")
        })
        .is_some(),
        words: inline_text(&body).split_whitespace().count(),
        heading,
        text,
    })
}

/// The deepest nesting that tags could make, counted without a parser: never less than the parser
/// would find, apart from elements that it closes by itself.
fn open_elements(source: &str) -> usize {
    const VOID: [&str; 14] = [
        "area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr",
        "!",
    ];
    let (mut open, mut deepest) = (0_usize, 0_usize);
    for piece in source.split('<').skip(1) {
        let name: String = piece
            .chars()
            .take_while(|c| c.is_ascii_alphanumeric() || *c == '/' || *c == '!')
            .take(12)
            .collect();
        let lower = name.to_ascii_lowercase();
        if lower.starts_with('/') {
            open = open.saturating_sub(1);
        } else if !lower.is_empty() && !lower.starts_with('!') && !VOID.contains(&lower.as_str()) {
            let self_closed = piece.split('>').next().is_some_and(|tag| tag.ends_with('/'));
            // Items and paragraphs are closed by the next one.
            let is_closed_by_itself =
                matches!(lower.as_str(), "p" | "li" | "dt" | "dd" | "option" | "tr" | "td" | "th");
            if !self_closed && !is_closed_by_itself {
                open += 1;
                deepest = deepest.max(open);
            }
        }
    }
    deepest
}

fn name(node: &Handle) -> Option<&str> {
    match &node.data {
        NodeData::Element { name, .. } => Some(&name.local),
        _ => None,
    }
}

fn is(node: &Handle, tag: &str) -> bool {
    name(node) == Some(tag)
}

fn attribute(node: &Handle, key: &str) -> Option<String> {
    match &node.data {
        NodeData::Element { attrs, .. } => {
            attrs.borrow().iter().find(|attr| &*attr.name.local == key).map(|attr| attr.value.to_string())
        }
        _ => None,
    }
}

fn find(node: &Handle, is_it: &dyn Fn(&Handle) -> bool) -> Option<Handle> {
    if is_it(node) {
        return Some(Rc::clone(node));
    }
    node.children.borrow().iter().find_map(|child| find(child, is_it))
}

/// What is no content wherever it stands.
fn is_chrome(node: &Handle) -> bool {
    let by_name = matches!(
        name(node),
        Some(
            "script"
                | "style"
                | "nav"
                | "footer"
                | "aside"
                | "template"
                | "noscript"
                | "button"
                | "svg"
                | "head"
                | "form"
                | "iframe"
                | "dialog"
        )
    );
    by_name
        || attribute(node, "hidden").is_some()
        || attribute(node, "aria-hidden").as_deref() == Some("true")
        || matches!(
            attribute(node, "role").as_deref(),
            Some("navigation" | "search" | "banner" | "contentinfo")
        )
}

fn inline_text(node: &Handle) -> String {
    fn collect(node: &Handle, out: &mut String) {
        if is_chrome(node) && !is(node, "head") {
            return;
        }
        if let NodeData::Text { contents } = &node.data {
            out.push_str(&contents.borrow());
        }
        for child in node.children.borrow().iter() {
            collect(child, out);
        }
        if !is_inline(node) {
            out.push(' ');
        }
    }
    let mut out = String::new();
    for child in node.children.borrow().iter() {
        collect(child, &mut out);
    }
    squeeze(&out)
}

fn squeeze(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn is_inline(node: &Handle) -> bool {
    match &node.data {
        NodeData::Text { .. } => true,
        NodeData::Element { .. } => matches!(
            name(node),
            Some(
                "a" | "abbr"
                    | "b"
                    | "bdi"
                    | "br"
                    | "cite"
                    | "code"
                    | "del"
                    | "em"
                    | "i"
                    | "img"
                    | "ins"
                    | "kbd"
                    | "label"
                    | "mark"
                    | "q"
                    | "s"
                    | "samp"
                    | "small"
                    | "span"
                    | "strong"
                    | "sub"
                    | "sup"
                    | "time"
                    | "u"
                    | "var"
                    | "wbr"
            )
        ),
        _ => false,
    }
}

struct Writer<'a> {
    out: String,
    base: &'a Base,
}

impl Writer<'_> {
    /// Writes the children of a node as blocks, each line behind `indent`.
    fn blocks(&mut self, node: &Handle, indent: &str) {
        let children = node.children.borrow();
        let mut line: Vec<Handle> = Vec::new();
        for child in children.iter().filter(|child| !is_chrome(child)) {
            if is_inline(child) {
                line.push(Rc::clone(child));
                continue;
            }
            self.paragraph(&std::mem::take(&mut line), indent);
            self.block(child, indent);
        }
        self.paragraph(&line, indent);
    }

    fn paragraph(&mut self, nodes: &[Handle], indent: &str) {
        let text: String = nodes.iter().map(|node| self.inline(node)).collect();
        self.push_block(&tidy(&text), indent);
    }

    fn push_block(&mut self, text: &str, indent: &str) {
        if text.trim().is_empty() {
            return;
        }
        for line in text.lines() {
            self.out.push_str(if line.is_empty() { indent.trim_end() } else { indent });
            self.out.push_str(line);
            self.out.push('\n');
        }
        self.out.push_str(indent.trim_end());
        self.out.push('\n');
    }

    fn block(&mut self, node: &Handle, indent: &str) {
        match name(node) {
            Some(tag @ ("h1" | "h2" | "h3" | "h4" | "h5" | "h6")) => {
                let level = usize::from(tag.as_bytes()[1] - b'0');
                let text: String = node.children.borrow().iter().map(|child| self.inline(child)).collect();
                let text = tidy(&text).replace('\n', " ");
                if !text.trim().is_empty() {
                    self.push_block(&format!("{} {}", "#".repeat(level), text.trim()), indent);
                }
            }
            Some("pre") => self.code(node, indent),
            Some(tag @ ("ul" | "ol")) => self.items(node, tag == "ol", indent),
            Some("blockquote") => self.blocks(node, &format!("{indent}> ")),
            Some("table") => self.table(node, indent),
            Some("hr") => self.push_block("---", indent),
            Some("dt") => {
                let text = inline_text(node);
                if !text.is_empty() {
                    self.push_block(&format!("**{text}**"), indent);
                }
            }
            _ => self.blocks(node, indent),
        }
    }

    fn code(&mut self, node: &Handle, indent: &str) {
        let mut text = String::new();
        raw_text(node, &mut text);
        let text = text.strip_prefix('\n').unwrap_or(&text).trim_end_matches('\n');
        let language =
            find(node, &|node| language(node).is_some()).and_then(|node| language(&node)).unwrap_or_default();
        let longest =
            text.lines().map(|line| line.trim_start().bytes().take_while(|byte| *byte == b'`').count()).max();
        let fence = "`".repeat(longest.unwrap_or(0).max(2) + 1);
        self.push_block(&format!("{fence}{language}\n{text}\n{fence}"), indent);
    }

    fn items(&mut self, node: &Handle, ordered: bool, indent: &str) {
        let first: usize = attribute(node, "start").and_then(|start| start.parse().ok()).unwrap_or(1);
        let children = node.children.borrow();
        for (at, item) in children.iter().filter(|child| is(child, "li")).enumerate() {
            let mark = if ordered { format!("{}. ", first + at) } else { "- ".to_owned() };
            let mut inner = Writer { out: String::new(), base: self.base };
            inner.blocks(item, "");
            let text = inner.out.trim_end();
            for (line, content) in text.lines().enumerate() {
                let lead = if line == 0 { mark.clone() } else { " ".repeat(mark.len()) };
                let whole = format!("{indent}{lead}{content}");
                self.out.push_str(whole.trim_end());
                self.out.push('\n');
            }
        }
        self.out.push_str(indent.trim_end());
        self.out.push('\n');
    }

    fn table(&mut self, node: &Handle, indent: &str) {
        let mut rows: Vec<Vec<String>> = Vec::new();
        self.rows(node, &mut rows);
        let width = rows.iter().map(Vec::len).max().unwrap_or(0);
        if width == 0 {
            return;
        }
        let mut text = String::new();
        for (at, row) in rows.iter().enumerate() {
            let cells: Vec<&str> = (0..width).map(|cell| row.get(cell).map_or("", String::as_str)).collect();
            text.push_str(&format!("| {} |\n", cells.join(" | ")));
            if at == 0 {
                text.push_str(&format!("|{}\n", " --- |".repeat(width)));
            }
        }
        self.push_block(text.trim_end(), indent);
    }

    fn rows(&self, node: &Handle, rows: &mut Vec<Vec<String>>) {
        for child in node.children.borrow().iter() {
            if is(child, "tr") {
                let cells = child.children.borrow();
                let cell = |cell: &Handle| {
                    let text: String =
                        cell.children.borrow().iter().map(|child| self.inline(child)).collect();
                    tidy(&text).replace('\n', " ").replace('|', "\\|").trim().to_owned()
                };
                rows.push(cells.iter().filter(|node| is(node, "td") || is(node, "th")).map(cell).collect());
            } else {
                self.rows(child, rows);
            }
        }
    }

    fn inline(&self, node: &Handle) -> String {
        if is_chrome(node) {
            return String::new();
        }
        if let NodeData::Text { contents } = &node.data {
            let text = contents.borrow();
            let mut out = String::with_capacity(text.len());
            let mut blank = false;
            for c in text.chars() {
                if c.is_ascii_whitespace() {
                    blank = true;
                    continue;
                }
                if std::mem::take(&mut blank) {
                    out.push(' ');
                }
                out.push(c);
            }
            if blank {
                out.push(' ');
            }
            return out;
        }
        let inner = || -> String { node.children.borrow().iter().map(|child| self.inline(child)).collect() };
        match name(node) {
            Some("br") => "\n".to_owned(),
            Some("code" | "kbd" | "samp") => {
                let mut text = String::new();
                raw_text(node, &mut text);
                if text.trim().is_empty() {
                    String::new()
                } else {
                    format!("`{}`", squeeze(&text).replace('`', "'"))
                }
            }
            Some("strong" | "b") => wrap(&inner(), "**"),
            Some("em" | "i") => wrap(&inner(), "*"),
            Some("img") => match (attribute(node, "src"), attribute(node, "alt")) {
                (Some(src), Some(alt)) if !alt.trim().is_empty() => {
                    format!("![{}]({})", squeeze(&alt), self.link(&src))
                }
                _ => String::new(),
            },
            Some("a") => {
                let text = inner();
                match attribute(node, "href") {
                    // A mark beside a heading that leads to the heading itself.
                    Some(href) if href.starts_with('#') && text.trim().chars().count() <= 1 => String::new(),
                    Some(href) if !text.trim().is_empty() => {
                        format!("[{}]({})", text.trim(), self.link(&href))
                    }
                    _ => text,
                }
            }
            _ => inner(),
        }
    }

    fn link(&self, href: &str) -> String {
        match self.base.resolve(href) {
            Ok(Resolved::Web { url, fragment }) => match fragment {
                Some(fragment) => format!("{url}#{fragment}"),
                None => url.to_string(),
            },
            _ => href.trim().replace(' ', "%20"),
        }
    }
}

fn wrap(text: &str, mark: &str) -> String {
    let bare = text.trim();
    if bare.is_empty() {
        return text.to_owned();
    }
    let lead = &text[..text.len() - text.trim_start().len()];
    let tail = &text[text.trim_end().len()..];
    format!("{lead}{mark}{bare}{mark}{tail}")
}

fn tidy(text: &str) -> String {
    let lines: Vec<String> = text.lines().map(squeeze).collect();
    lines.join("\n").trim().to_owned()
}

fn raw_text(node: &Handle, out: &mut String) {
    if matches!(name(node), Some("button" | "style" | "script")) {
        return;
    }
    if let NodeData::Text { contents } = &node.data {
        out.push_str(&contents.borrow());
    }
    if is(node, "br") {
        out.push('\n');
    }
    for child in node.children.borrow().iter() {
        raw_text(child, out);
    }
}

fn language(node: &Handle) -> Option<String> {
    let class = attribute(node, "class").unwrap_or_default();
    let by_class = class.split_whitespace().find_map(|class| {
        class.strip_prefix("language-").or_else(|| class.strip_prefix("lang-")).map(str::to_owned)
    });
    by_class.or_else(|| attribute(node, "data-lang")).or_else(|| attribute(node, "data-language"))
}

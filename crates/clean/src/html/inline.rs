//! Text within a line: emphasis, links, pictures, code.

use markup5ever_rcdom::{Handle, NodeData};

use super::block::Writer;
use super::dom::{attribute, find, has, has_class, is, is_chrome, name, raw_text, visible_text};
use super::escape::{code_span, escaped_label, is_entity};
use crate::words;

/// Where a line will stand.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    Line,
    Heading,
    Cell,
    /// Between the square brackets of a link.
    Label,
}

/// Nodes as one run of text. Lines end in two blanks where the page breaks them.
pub(super) fn write(writer: &Writer<'_>, nodes: &[Handle], place: Place) -> String {
    let mut run = Run::new(writer, place);
    run.nodes(nodes);
    run.out
}

struct Run<'w, 'a> {
    writer: &'w Writer<'a>,
    place: Place,
    out: String,
    /// A blank was seen that is written before the next character.
    blank: bool,
    /// A blank was seen before any character.
    leads: bool,
    strong: bool,
    emphasis: bool,
    /// The offset behind the mark that was written last, and the mark.
    closed: Option<(usize, &'static str)>,
}

impl<'w, 'a> Run<'w, 'a> {
    fn new(writer: &'w Writer<'a>, place: Place) -> Self {
        let (strong, emphasis) = (false, false);
        Run { writer, place, out: String::new(), blank: false, leads: false, strong, emphasis, closed: None }
    }

    fn inner(&self, place: Place) -> Self {
        Run { strong: self.strong, emphasis: self.emphasis, ..Run::new(self.writer, place) }
    }

    fn nodes(&mut self, nodes: &[Handle]) {
        for (at, node) in nodes.iter().enumerate() {
            self.node(node, nodes.get(at + 1));
        }
    }

    fn children(&mut self, node: &Handle) {
        self.nodes(&node.children.borrow());
    }

    fn node(&mut self, node: &Handle, next: Option<&Handle>) {
        if let NodeData::Text { contents } = &node.data {
            self.text(&contents.borrow());
            return;
        }
        if is_chrome(node) || is_mark_of_heading(node, self.place) {
            return;
        }
        match name(node) {
            Some("br") => self.line_break(),
            Some("wbr") => {}
            Some("code" | "kbd" | "samp" | "tt") => self.code(node),
            Some("strong" | "b") if !self.strong => self.emphasised(node, "**", next),
            Some("em" | "i") if !self.emphasis => self.emphasised(node, "*", next),
            Some("del" | "s") => self.emphasised(node, "~~", next),
            Some("img") => self.picture(node),
            Some("a") if self.place != Place::Label => self.link(node),
            Some("math") => self.formula(node),
            Some(_) if self.writer.is_block(node) => {
                self.gap();
                if is(node, "li") && self.place == Place::Cell {
                    self.push("• ");
                }
                self.children(node);
                self.gap();
            }
            _ => self.children(node),
        }
    }

    fn text(&mut self, text: &str) {
        for (at, c) in text.char_indices() {
            if matches!(c, ' ' | '\t' | '\n' | '\r' | '\u{c}') {
                self.space();
            } else if !(c == '\u{200B}' || c == '\u{FEFF}' || (c.is_control())) {
                self.flush();
                if self.must_escape(c, &text[at + c.len_utf8()..]) {
                    self.out.push('\\');
                }
                self.out.push(c);
            }
        }
    }

    fn space(&mut self) {
        if self.out.is_empty() {
            self.leads = true;
        } else {
            self.blank = true;
        }
    }

    fn flush(&mut self) {
        if std::mem::take(&mut self.blank) && !self.out.ends_with('\n') {
            self.out.push(' ');
        }
    }

    /// Writes Markdown as it is.
    fn push(&mut self, markdown: &str) {
        self.flush();
        self.out.push_str(markdown);
    }

    fn line_break(&mut self) {
        match self.place {
            _ if self.out.is_empty() => {}
            Place::Line => {
                self.blank = false;
                if !self.out.ends_with('\n') {
                    self.out.push_str("  \n");
                }
            }
            Place::Cell => self.gap(),
            Place::Heading | Place::Label => self.blank = true,
        }
    }

    /// Between blocks that must share a line.
    fn gap(&mut self) {
        if self.place == Place::Cell
            && !self.out.is_empty()
            && !self.out.ends_with("<br>")
            && !self.out.ends_with("• ")
        {
            self.blank = false;
            self.out.push_str("<br>");
        } else {
            self.space();
        }
    }

    fn must_escape(&self, c: char, after: &str) -> bool {
        let before = self.out.chars().next_back();
        let next = after.chars().next();
        let is_blank = |c: Option<char>| c.is_some_and(char::is_whitespace);
        let is_letter = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
        match c {
            '`' => true,
            '\\' => next.is_none_or(|next| next.is_ascii_punctuation()),
            '*' => !(before.is_none_or(char::is_whitespace) && is_blank(next)),
            '_' => !(is_letter(before) && is_letter(next)),
            '[' => self.place == Place::Label || matches!(next, Some('^' | ' ' | 'x' | 'X') | None),
            ']' => self.place == Place::Label || matches!(next, Some('(' | '[' | ':') | None),
            '!' => next == Some('['),
            '<' => next.is_none_or(|next| next.is_ascii_alphabetic() || matches!(next, '/' | '!' | '?')),
            '&' => is_entity(after),
            // One that stands behind a letter may close what another one opened.
            '~' => next == Some('~') || before.is_some_and(|before| !before.is_whitespace()),
            '|' => self.place == Place::Cell,
            _ => false,
        }
    }

    fn emphasised(&mut self, node: &Handle, mark: &'static str, next: Option<&Handle>) {
        let mut inner = self.inner(self.place);
        inner.strong |= mark == "**";
        inner.emphasis |= mark == "*";
        inner.children(node);
        if inner.leads || (inner.out.is_empty() && inner.blank) {
            self.space();
        }
        let text = inner.out.trim_end_matches([' ', '\n']);
        if text.is_empty() {
            return;
        }
        // Marks between a letter and punctuation would not be read as marks.
        let is_letter = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
        let is_mark = |c: Option<char>| c.is_some_and(|c| !c.is_alphanumeric());
        let before = if self.blank { None } else { self.out.chars().next_back() };
        let after = if inner.blank { None } else { next.and_then(first_char) };
        let would_break = (is_letter(before) && is_mark(text.chars().next()))
            || (is_letter(after) && is_mark(text.chars().next_back()));
        let joins = !self.blank && self.closed == Some((self.out.len(), mark));
        if would_break || text.contains('\n') {
            self.push(text);
        } else if joins {
            self.out.truncate(self.out.len() - mark.len());
            self.out.push_str(text);
            self.out.push_str(mark);
        } else {
            self.push(mark);
            self.out.push_str(text);
            self.out.push_str(mark);
        }
        self.closed = Some((self.out.len(), mark)).filter(|_| !would_break);
        self.blank |= inner.blank;
    }

    fn code(&mut self, node: &Handle) {
        // Code that is one link as a whole: the link goes outside.
        let mut links = Vec::new();
        super::dom::outermost(node, &|node| is(node, "a") && attribute(node, "href").is_some(), &mut links);
        let whole = visible_text(node, true);
        let target = match links.as_slice() {
            [link] if visible_text(link, true) == whole && self.place != Place::Label => {
                attribute(link, "href").and_then(|href| self.writer.target(&href))
            }
            _ => None,
        };
        let mut text = String::new();
        raw_text(node, &mut text);
        let text = text.replace(['\n', '\r', '\t'], " ");
        let text: String = text.trim_matches(' ').chars().filter(|c| !c.is_control()).collect();
        if words::is_blank(&text) {
            if !text.is_empty() {
                self.space();
            }
            return;
        }
        let text = if self.place == Place::Cell { text.replace('|', "\\|") } else { text };
        let span = code_span(&text);
        match target {
            Some(target) => self.push_link(&span, &target),
            None if !self.blank
                && self.closed == Some((self.out.len(), "`"))
                && span.starts_with('`')
                && !span.starts_with("``") =>
            {
                self.out.pop();
                self.out.push_str(&span[1..]);
                self.closed = Some((self.out.len(), "`"));
            }
            None => {
                self.push(&span);
                self.closed = Some((self.out.len(), "`")).filter(|_| !span.starts_with("``"));
            }
        }
    }

    fn picture(&mut self, node: &Handle) {
        let alt = attribute(node, "alt").map(|alt| words::squeeze(&alt));
        // An empty text says that the picture is an ornament.
        if alt.as_deref() == Some("") || has(node, "role", "presentation") {
            return;
        }
        let source = attribute(node, "src")
            .filter(|src| !src.trim_start().starts_with("data:"))
            .or_else(|| attribute(node, "data-src"));
        if let Some(target) = source.and_then(|source| self.writer.target(&source)) {
            let alt = escaped_label(&alt.unwrap_or_default());
            let alt = if self.place == Place::Cell { alt.replace('|', "\\|") } else { alt };
            self.push(&format!("![{alt}]({target})"));
        }
    }

    fn link(&mut self, node: &Handle) {
        let target = attribute(node, "href").and_then(|href| self.writer.target(&href));
        let is_within_heading =
            self.place == Place::Heading && target.as_deref().is_some_and(|to| to.starts_with('#'));
        let Some(target) = target.filter(|_| !is_within_heading) else {
            self.children(node);
            return;
        };
        let mut inner = self.inner(Place::Label);
        inner.children(node);
        if inner.leads {
            self.space();
        }
        let label = inner.out.trim_end();
        let label = if self.place == Place::Cell { label.replace('|', "\\|") } else { label.to_owned() };
        if !words::is_blank(&label) {
            self.push_link(&label, &target.replace('|', "%7C"));
        }
        self.blank |= inner.blank;
    }

    fn push_link(&mut self, label: &str, target: &str) {
        self.flush();
        // `!` before a link would make a picture of it.
        if self.out.ends_with('!') && !self.out.ends_with("\\!") {
            self.out.pop();
            self.out.push_str("\\!");
        }
        self.out.push_str(&format!("[{label}]({target})"));
    }

    /// A formula by its TeX source, where the page has it.
    fn formula(&mut self, node: &Handle) {
        let is_source = |node: &Handle| is(node, "annotation") && has(node, "encoding", "application/x-tex");
        let Some(source) = find(node, &is_source) else {
            self.text(&visible_text(node, true));
            return;
        };
        let mut tex = String::new();
        raw_text(&source, &mut tex);
        let mark = if has(node, "display", "block") { "$$" } else { "$" };
        self.push(&format!("{mark}{}{mark}", words::squeeze(&tex)));
    }
}

/// A link beside a heading that leads to the heading itself.
fn is_mark_of_heading(node: &Handle, place: Place) -> bool {
    if place != Place::Heading || !is(node, "a") {
        return false;
    }
    let text = words::fold(&visible_text(node, true));
    let says_so = ["link to this", "permalink", "direct link to", "copy link", "anchor"]
        .iter()
        .any(|say| text.starts_with(say));
    let has_letters = text.chars().any(char::is_alphanumeric);
    let leads_here = attribute(node, "href").is_some_and(|href| href.contains('#'));
    leads_here
        && (!has_letters || says_so || (has_class(node, &["headerlink", "hash-link"]) && text.len() < 3))
}

/// The text of a heading without the marks beside it.
pub(super) fn heading_text(node: &Handle) -> String {
    fn collect(node: &Handle, out: &mut String) {
        for child in node.children.borrow().iter() {
            if let NodeData::Text { contents } = &child.data {
                out.push_str(&contents.borrow());
            } else if !is_chrome(child) && !is_mark_of_heading(child, Place::Heading) {
                collect(child, out);
                if is(child, "br") {
                    out.push(' ');
                }
            }
        }
    }
    let mut out = String::new();
    collect(node, &mut out);
    let visible: String = out.chars().filter(|c| !matches!(c, '\u{200B}' | '\u{FEFF}')).collect();
    words::squeeze(&visible)
}

fn first_char(node: &Handle) -> Option<char> {
    match &node.data {
        NodeData::Text { contents } => contents.borrow().chars().next(),
        _ => node.children.borrow().iter().find_map(first_char),
    }
}

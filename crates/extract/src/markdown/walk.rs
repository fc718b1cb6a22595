//! One walk over the events of a Markdown document, gathering links and the facts around them.

use std::borrow::Cow;
use std::ops::Range;

use pulldown_cmark::{CowStr, Event, HeadingLevel, LinkType, Options, Parser, Tag, TagEnd};

use super::autolink;
use super::html::{self, Piece};
use crate::{Link, Role, Syntax, Target};

/// A link and where in the document's structure it stood.
#[derive(Debug)]
pub(crate) struct Found<'a> {
    pub(crate) link: Link<'a>,
    pub(crate) context: Context,
}

/// The blocks around a place.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Context {
    pub(crate) in_item: bool,
    pub(crate) in_table: bool,
    pub(crate) in_quote: bool,
    pub(crate) in_heading: bool,
}

/// What one walk tells about a document. Spans are sorted and are offsets in the whole text.
#[derive(Debug, Default)]
pub(crate) struct Outline<'a> {
    pub(crate) links: Vec<Found<'a>>,
    /// The first heading of level one, plain.
    pub(crate) title: Option<Cow<'a, str>>,
    /// Code blocks, code spans and verbatim elements: nothing in them is a link.
    pub(crate) code: Vec<Range<usize>>,
    /// Images and comments, which hold no link either.
    pub(crate) inert: Vec<Range<usize>>,
    /// Comments that nobody closed, which hide the rest of the document.
    pub(crate) open_comments: Vec<Range<usize>>,
    /// Blocks of raw HTML: Markdown in them is not read.
    pub(crate) html_blocks: Vec<Range<usize>>,
    /// How many fenced code blocks there are.
    pub(crate) fences: usize,
    /// Start of the last code block, if that reaches to the end of the text.
    pub(crate) last_fence: Option<Range<usize>>,
}

/// CommonMark and GFM. Never all options: wiki links, math and smart quotes are other languages.
fn options() -> Options {
    Options::ENABLE_TABLES
        | Options::ENABLE_FOOTNOTES
        | Options::ENABLE_STRIKETHROUGH
        | Options::ENABLE_TASKLISTS
}

/// Walks `text[body]`.
pub(crate) fn walk(text: &str, body: Range<usize>) -> Outline<'_> {
    let offset = body.start;
    let mut walker = Walker::new(text);
    for (event, range) in Parser::new_ext(&text[body], options()).into_offset_iter() {
        walker.event(event, range.start + offset..range.end + offset);
    }
    walker.finish()
}

struct Walker<'a> {
    text: &'a str,
    outline: Outline<'a>,
    items: usize,
    tables: usize,
    quotes: usize,
    heading: Option<HeadingLevel>,
    /// Plain text of the heading being read.
    heading_text: Label<'a>,
    /// The Markdown link being read (Markdown links do not nest).
    open_link: Option<OpenLink<'a>>,
    /// The HTML anchor being read: its place among the links, and its text so far.
    open_anchor: Option<(usize, Label<'a>)>,
    images: usize,
    in_code: bool,
    html_block: Option<usize>,
    /// A stretch of the source that holds nothing but text and emphasis, for literal autolinks.
    run: Option<Range<usize>>,
}

struct OpenLink<'a> {
    href: Cow<'a, str>,
    syntax: Syntax,
    span: Range<usize>,
    label: Label<'a>,
}

impl<'a> Walker<'a> {
    fn new(text: &'a str) -> Self {
        Walker {
            text,
            outline: Outline::default(),
            items: 0,
            tables: 0,
            quotes: 0,
            heading: None,
            heading_text: Label::default(),
            open_link: None,
            open_anchor: None,
            images: 0,
            in_code: false,
            html_block: None,
            run: None,
        }
    }

    fn event(&mut self, event: Event<'a>, range: Range<usize>) {
        match event {
            Event::Text(text) => self.on_text(text, range),
            Event::SoftBreak | Event::HardBreak => {
                self.flush_run();
                self.push_label(Cow::Borrowed(" "));
            }
            Event::Code(code) => {
                self.flush_run();
                self.outline.code.push(range);
                self.push_label(cow(code));
            }
            Event::InlineHtml(_) => {
                self.flush_run();
                self.raw_html(range);
            }
            Event::Start(Tag::Emphasis | Tag::Strong | Tag::Strikethrough)
            | Event::End(TagEnd::Emphasis | TagEnd::Strong | TagEnd::Strikethrough) => {}
            Event::Start(tag) => {
                self.flush_run();
                self.start(tag, range);
            }
            Event::End(tag) => {
                self.flush_run();
                self.end(tag, range);
            }
            // Lines of an HTML block are read as one, at its end.
            Event::Html(_) => {}
            Event::InlineMath(_)
            | Event::DisplayMath(_)
            | Event::FootnoteReference(_)
            | Event::Rule
            | Event::TaskListMarker(_) => self.flush_run(),
        }
    }

    fn on_text(&mut self, text: CowStr<'a>, range: Range<usize>) {
        if self.in_code {
            return;
        }
        self.push_label(cow(text));
        if self.open_link.is_none() && self.images == 0 {
            match &mut self.run {
                // Escapes and emphasis marks between two texts belong to the run: GFM reads the
                // bare source of an address.
                Some(run) => run.end = run.end.max(range.end),
                None => self.run = Some(range),
            }
        }
    }

    fn start(&mut self, tag: Tag<'a>, range: Range<usize>) {
        match tag {
            Tag::Item => self.items += 1,
            Tag::Table(_) => self.tables += 1,
            Tag::BlockQuote(_) => self.quotes += 1,
            Tag::Heading { level, .. } => {
                self.heading = Some(level);
                self.heading_text = Label::default();
            }
            Tag::CodeBlock(kind) => {
                self.in_code = true;
                if kind.is_fenced() {
                    self.outline.fences += 1;
                    self.outline.last_fence = Some(range.clone());
                }
                self.outline.code.push(range);
            }
            Tag::HtmlBlock => self.html_block = Some(range.start),
            Tag::Image { .. } => {
                self.images += 1;
                self.outline.inert.push(range);
            }
            // A link in the text of an image is part of that text; browsers show none.
            Tag::Link { .. } if self.images > 0 => {}
            Tag::Link { link_type, dest_url, .. } => self.start_link(link_type, dest_url, range),
            _ => {}
        }
    }

    fn start_link(&mut self, link_type: LinkType, destination: CowStr<'a>, span: Range<usize>) {
        let syntax = match link_type {
            LinkType::Autolink | LinkType::Email => Syntax::Autolink,
            LinkType::Inline => Syntax::Inline,
            _ => Syntax::Reference,
        };
        let href = match link_type {
            LinkType::Email if !destination.starts_with("mailto:") => {
                Cow::Owned(format!("mailto:{destination}"))
            }
            _ => cow(destination),
        };
        // An autolink may stand in the text of a link, and neither hides the other.
        self.close_link();
        self.open_link = Some(OpenLink { href, syntax, span, label: Label::default() });
    }

    fn end(&mut self, tag: TagEnd, range: Range<usize>) {
        match tag {
            TagEnd::Item => self.items = self.items.saturating_sub(1),
            TagEnd::Table => self.tables = self.tables.saturating_sub(1),
            TagEnd::BlockQuote(_) => self.quotes = self.quotes.saturating_sub(1),
            TagEnd::Heading(level) => {
                self.heading = None;
                let label = std::mem::take(&mut self.heading_text);
                if level == HeadingLevel::H1 && self.outline.title.is_none() {
                    self.outline.title = Some(label.finish());
                }
                self.open_anchor = None;
            }
            TagEnd::Paragraph | TagEnd::TableCell => self.close_anchor(),
            TagEnd::CodeBlock => self.in_code = false,
            TagEnd::HtmlBlock => {
                let start = self.html_block.take().unwrap_or(range.start);
                self.outline.html_blocks.push(start..range.end);
                self.raw_html(start..range.end);
                self.close_anchor();
            }
            TagEnd::Image => self.images = self.images.saturating_sub(1),
            TagEnd::Link if self.images == 0 => self.close_link(),
            _ => {}
        }
    }

    fn close_link(&mut self) {
        if let Some(link) = self.open_link.take() {
            self.add(Target::Literal(link.href), link.label.finish(), link.span, link.syntax);
        }
    }

    fn push_label(&mut self, text: Cow<'a, str>) {
        if self.heading.is_some() {
            self.heading_text.push(text.clone());
        }
        if let Some((_, label)) = &mut self.open_anchor {
            label.push(text.clone());
        }
        if let Some(link) = &mut self.open_link {
            link.label.push(text);
        }
    }

    fn flush_run(&mut self) {
        let Some(run) = self.run.take() else { return };
        let text = self.text;
        let mut literals = Vec::new();
        autolink::find(text, run, |literal| literals.push(literal));
        for literal in literals {
            let label = Cow::Borrowed(&text[literal.span.clone()]);
            self.add(Target::Literal(literal.href(text)), label, literal.span, Syntax::BareUrl);
        }
    }

    fn raw_html(&mut self, range: Range<usize>) {
        let text = self.text;
        let mut all = Vec::new();
        html::pieces(text, range, |piece| all.push(piece));
        for piece in all {
            match piece {
                Piece::Href { value, span, is_anchor } => {
                    self.close_anchor();
                    let tag_end = span.end;
                    self.add(Target::Literal(value), Cow::Borrowed(""), span, Syntax::HtmlHref);
                    if is_anchor {
                        self.open_anchor = Some((self.outline.links.len() - 1, Label::default()));
                        self.label_from_block(tag_end);
                    }
                }
                Piece::AnchorEnd(_) => self.close_anchor(),
                Piece::Comment { span, closed } => {
                    if !closed {
                        self.outline.open_comments.push(span.clone());
                    }
                    self.outline.inert.push(span);
                }
                Piece::Verbatim(span) => self.outline.code.push(span),
            }
        }
    }

    /// In an HTML block no text events come: the label is what stands up to the next tag.
    fn label_from_block(&mut self, from: usize) {
        let Some(block) = self.outline.html_blocks.last().filter(|block| block.contains(&from)) else {
            return;
        };
        let inside = &self.text[from..block.end];
        let end = memchr::memchr(b'<', inside.as_bytes()).unwrap_or(inside.len());
        if let Some((_, label)) = &mut self.open_anchor {
            label.push(super::entity::decode_strict(inside[..end].trim()));
        }
    }

    fn close_anchor(&mut self) {
        if let Some((index, label)) = self.open_anchor.take() {
            self.outline.links[index].link.label = label.finish();
        }
    }

    fn add(&mut self, target: Target<'a>, label: Cow<'a, str>, span: Range<usize>, syntax: Syntax) {
        let context = Context {
            in_item: self.items > 0,
            in_table: self.tables > 0,
            in_quote: self.quotes > 0,
            in_heading: self.heading.is_some(),
        };
        let link = Link { target, label, span, role: Role::Mention, syntax };
        self.outline.links.push(Found { link, context });
    }

    fn finish(mut self) -> Outline<'a> {
        self.flush_run();
        self.close_anchor();
        let outline = &mut self.outline;
        // A link is known at its end, and a footnote's text comes where it stood: nearly sorted.
        outline.links.sort_by_key(|found| found.link.span.start);
        outline.code.sort_by_key(|span| span.start);
        outline.inert.sort_by_key(|span| span.start);
        self.outline
    }
}

/// A label that grows piece by piece and borrows while it can.
#[derive(Debug, Default)]
struct Label<'a>(Cow<'a, str>);

impl<'a> Label<'a> {
    fn push(&mut self, piece: Cow<'a, str>) {
        if self.0.is_empty() {
            self.0 = piece;
        } else {
            self.0.to_mut().push_str(&piece);
        }
    }

    fn finish(self) -> Cow<'a, str> {
        match self.0 {
            Cow::Borrowed(text) => Cow::Borrowed(text.trim()),
            Cow::Owned(text) => Cow::Owned(text.trim().to_owned()),
        }
    }
}

fn cow(text: CowStr<'_>) -> Cow<'_, str> {
    match text {
        CowStr::Borrowed(text) => Cow::Borrowed(text),
        other => Cow::Owned(other.into_string()),
    }
}

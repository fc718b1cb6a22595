//! From tags to links and facts.

use std::borrow::Cow;

use super::foreign::Foreign;
use super::label::Label;
use super::lexer::{Content, CutOff, Lexer, Tag, Token};
use super::{Alternate, BaseHref, HtmlReading, MetaRobots, Refresh, charref, refresh};
use crate::{Link, Oddity, Reading, Role, Syntax, Target, Verdict};

/// Below this many visible characters a page with scripts and no links counts as a shell.
const SHELL_TEXT: usize = 200;

/// The longest element name that means anything here, `foreignobject` and `annotation-xml` included.
const LONGEST_NAME: usize = 14;

/// The state of reading one page.
pub(super) struct Page<'a> {
    lexer: Lexer<'a>,
    foreign: Foreign,
    out: HtmlReading<'a>,
    /// The link whose element is open, and its label so far.
    anchor: Option<usize>,
    label: Label,
    /// `alt` of images inside the open link, for links without text.
    label_alt: Label,
    title: Label,
    state: Where,
    templates: Vec<Template>,
    /// How many of the open templates are hidden.
    hidden: usize,
    noscript_depth: usize,
    has_script: bool,
    content_links: usize,
}

/// An open `template`.
struct Template {
    /// Declarative shadow roots are shown.
    is_hidden: bool,
    /// How many foreign elements were open round it.
    foreign_depth: usize,
}

/// What text at this place is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Where {
    Body,
    Title,
    /// The content of `script`, `style`, `textarea` and the like.
    Raw,
}

impl<'a> Page<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Page {
            lexer: Lexer::new(text),
            foreign: Foreign::default(),
            out: HtmlReading {
                reading: Reading {
                    links: Vec::new(),
                    verdict: Verdict::Ok,
                    title: None,
                    oddities: Vec::new(),
                },
                base: None,
                robots: MetaRobots::default(),
                refresh: None,
                alternates: Vec::new(),
                generator: None,
                lang: None,
                text_len: 0,
                text_digest: 0xcbf2_9ce4_8422_2325,
                client_routes: 0,
                has_main: false,
                has_password_field: false,
                script_only_shell: false,
            },
            anchor: None,
            label: Label::default(),
            label_alt: Label::default(),
            title: Label::default(),
            state: Where::Body,
            templates: Vec::new(),
            hidden: 0,
            noscript_depth: 0,
            has_script: false,
            content_links: 0,
        }
    }

    pub(super) fn read(mut self) -> HtmlReading<'a> {
        while let Some(token) = self.lexer.next() {
            match token {
                Token::Text(text) => self.text(text),
                Token::Start(tag) => self.start(&tag),
                Token::End(tag) => self.end(&tag),
            }
            self.lexer.allows_cdata = self.foreign.is_inside();
        }
        self.end_anchor();
        if let Some(cut_off) = self.lexer.cut_off() {
            let place = match cut_off {
                CutOff::Tag => "a tag",
                CutOff::Comment => "a comment",
                CutOff::RawText => "an element that hides tags",
            };
            self.out.reading.verdict = Verdict::Truncated(format!("the page ends inside {place}").into());
        }
        self.out.script_only_shell =
            self.has_script && self.out.text_len < SHELL_TEXT && self.content_links == 0;
        self.out
    }

    fn text(&mut self, text: &str) {
        match std::mem::replace(&mut self.state, Where::Body) {
            Where::Title => self.title.push_raw(text),
            Where::Raw => {}
            Where::Body if self.hidden > 0 => {}
            Where::Body => {
                if self.noscript_depth == 0 {
                    for c in text.chars().filter(|c| !c.is_whitespace()) {
                        self.out.text_len += 1;
                        self.out.text_digest =
                            (self.out.text_digest ^ u64::from(u32::from(c))).wrapping_mul(0x0100_0000_01b3);
                    }
                }
                if self.anchor.is_some() {
                    self.label.push_raw(text);
                }
            }
        }
    }

    fn start(&mut self, tag: &Tag<'a>) {
        let mut buffer = [0; LONGEST_NAME];
        let name = lower_case(tag.name, &mut buffer);
        let has_font_attribute =
            || tag.attributes().any(|(name, _)| is_one_of(name, &["color", "face", "size"]));
        let is_foreign = self.foreign.start(name, tag.self_closing, name == "font" && has_font_attribute());
        if is_foreign {
            // Links are the only thing that SVG has in common with a page.
            if name == "a" && self.hidden == 0 {
                self.anchor(tag, "xlink:href");
            }
            return;
        }
        self.switch_content(name, tag);
        if name == "template" {
            let is_hidden = attribute(tag, "shadowrootmode").is_none();
            self.hidden += usize::from(is_hidden);
            self.templates.push(Template { is_hidden, foreign_depth: self.foreign.depth() });
        }
        if self.hidden > 0 {
            return;
        }
        match name {
            "a" => self.anchor(tag, "href"),
            "area" => self.area(tag),
            "frame" => {
                if let Some(src) = attribute(tag, "src") {
                    self.content_links += 1;
                    self.push(tag, src, Role::Mention, Syntax::HtmlHref);
                }
            }
            "link" => self.link(tag),
            "base" => self.base(tag),
            "meta" => self.meta(tag),
            "html" => self.out.lang = self.out.lang.take().or_else(|| attribute(tag, "lang")),
            "main" | "article" => self.out.has_main = true,
            "noscript" => self.noscript_depth += 1,
            "script" => self.has_script = true,
            "input" => {
                let is_password =
                    attribute(tag, "type").is_some_and(|kind| kind.eq_ignore_ascii_case("password"));
                self.out.has_password_field |= is_password;
            }
            "img" if self.anchor.is_some() => {
                if let Some(alt) = attribute(tag, "alt") {
                    self.label_alt.break_word();
                    self.label_alt.push_raw(&alt);
                }
            }
            "div" | "section" => {
                self.out.has_main |=
                    attribute(tag, "role").is_some_and(|role| role.eq_ignore_ascii_case("main"));
                self.label.break_word();
            }
            _ if breaks_words(name) => self.label.break_word(),
            _ => {}
        }
    }

    fn end(&mut self, tag: &Tag<'a>) {
        let mut buffer = [0; LONGEST_NAME];
        let name = lower_case(tag.name, &mut buffer);
        self.state = Where::Body;
        if self.foreign.end(name) && name != "a" {
            return;
        }
        match name {
            "template" => {
                if let Some(Template { is_hidden, foreign_depth }) = self.templates.pop() {
                    self.hidden -= usize::from(is_hidden);
                    self.foreign.close_to(foreign_depth);
                }
            }
            "noscript" if self.hidden == 0 => self.noscript_depth = self.noscript_depth.saturating_sub(1),
            "a" if self.hidden == 0 => self.end_anchor(),
            "title" if !self.title.is_empty() && self.out.reading.title.is_none() => {
                self.out.reading.title = Some(Cow::Owned(self.title.take()));
            }
            _ if breaks_words(name) => self.label.break_word(),
            _ => {}
        }
    }

    /// §13.2.6.4: elements of HTML whose content holds no tags.
    fn switch_content(&mut self, name: &str, tag: &Tag<'a>) {
        let content = match name {
            "script" => Content::Script,
            "title" | "textarea" | "style" | "xmp" | "iframe" | "noembed" | "noframes" => Content::Raw,
            "plaintext" => Content::Plain,
            _ => return,
        };
        self.lexer.enter(content, tag.name);
        let is_first_title = name == "title" && self.hidden == 0 && self.out.reading.title.is_none();
        self.state = match name {
            "title" if is_first_title => Where::Title,
            "plaintext" => Where::Body,
            _ => Where::Raw,
        };
    }

    fn anchor(&mut self, tag: &Tag<'a>, other_name: &str) {
        self.end_anchor();
        let Some(href) = attribute(tag, "href").or_else(|| attribute(tag, other_name)) else { return };
        self.content_links += usize::from(self.noscript_depth == 0);
        self.out.client_routes += usize::from(href.starts_with("#/") || href.starts_with("#!"));
        self.anchor = Some(self.push(tag, href, Role::Mention, Syntax::HtmlHref));
    }

    /// An `a` ends at its end tag or where the next one begins (§13.2.6.4.7).
    fn end_anchor(&mut self) {
        let (text, alt) = (self.label.take(), self.label_alt.take());
        if let Some(link) = self.anchor.take().and_then(|at| self.out.reading.links.get_mut(at)) {
            link.label = Cow::Owned(if text.is_empty() { alt } else { text });
        }
    }

    fn area(&mut self, tag: &Tag<'a>) {
        let Some(href) = attribute(tag, "href") else { return };
        self.content_links += 1;
        let at = self.push(tag, href, Role::Mention, Syntax::HtmlHref);
        let mut label = Label::default();
        label.push_raw(&attribute(tag, "alt").unwrap_or_default());
        self.out.reading.links[at].label = Cow::Owned(label.take());
    }

    fn link(&mut self, tag: &Tag<'a>) {
        let (Some(rel), Some(href)) = (attribute(tag, "rel"), attribute(tag, "href")) else { return };
        let has = |wanted: &[&str]| rel.split_ascii_whitespace().any(|token| is_one_of(token, wanted));
        let role = if has(&["canonical"]) {
            Role::Canonical
        } else if has(&["stylesheet"]) {
            return;
        } else if has(&["alternate"]) {
            Role::Alternate
        } else if has(&["llms-txt", "sitemap"]) || (has(&["describedby"]) && is_llms_txt(&href)) {
            Role::Index
        } else if has(WAYS_THROUGH) {
            Role::Mention
        } else {
            return;
        };
        let at = self.push(tag, href, role, Syntax::LinkElement);
        if role == Role::Alternate {
            let media_type = attribute(tag, "type").and_then(|value| {
                let essence = value.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
                (!essence.is_empty()).then_some(essence)
            });
            let hreflang = attribute(tag, "hreflang").map(Cow::into_owned);
            self.out.alternates.push(Alternate { link: at, media_type, hreflang });
        }
        if let Some(title) = attribute(tag, "title") {
            let mut label = Label::default();
            label.push_raw(&title);
            self.out.reading.links[at].label = Cow::Owned(label.take());
        }
    }

    fn base(&mut self, tag: &Tag<'a>) {
        let Some(href) = attribute(tag, "href") else { return };
        let span = tag.span.clone();
        if self.out.base.is_some() {
            self.out
                .reading
                .oddities
                .push(Oddity { span, what: "a second <base href> has no meaning".into() });
        } else {
            self.out.base = Some(BaseHref { href, span });
        }
    }

    fn meta(&mut self, tag: &Tag<'a>) {
        let Some(content) = attribute(tag, "content") else { return };
        if attribute(tag, "http-equiv").is_some_and(|name| name.eq_ignore_ascii_case("refresh")) {
            return self.refresh(tag, &content);
        }
        let Some(name) = attribute(tag, "name") else { return };
        if is_one_of(&name, &["robots", "googlebot"]) {
            for token in content.split([',', ' ']).map(str::trim) {
                self.out.robots.noindex |= is_one_of(token, &["noindex", "none"]);
                self.out.robots.nofollow |= is_one_of(token, &["nofollow", "none"]);
            }
        } else if name.eq_ignore_ascii_case("generator") && self.out.generator.is_none() {
            self.out.generator = Some(content);
        }
    }

    fn refresh(&mut self, tag: &Tag<'a>, content: &str) {
        let Some((seconds, Some(url))) = refresh::parse(content) else { return };
        // Meant for readers without scripts only, it says nothing about where the page has gone.
        let role = if self.noscript_depth > 0 { Role::Mention } else { Role::Refresh };
        let link = self.push(tag, Cow::Owned(url.to_owned()), role, Syntax::MetaRefresh);
        if role == Role::Refresh {
            self.out.refresh.get_or_insert(Refresh { link, seconds });
        }
    }

    fn push(&mut self, tag: &Tag<'a>, href: Cow<'a, str>, role: Role, syntax: Syntax) -> usize {
        self.out.reading.links.push(Link {
            target: Target::Literal(href),
            label: Cow::Borrowed(""),
            span: tag.span.clone(),
            role,
            syntax,
        });
        self.out.reading.links.len() - 1
    }
}

/// Relations that lead through a manual (HTML 4.01 §6.12, and what generators make of it).
const WAYS_THROUGH: &[&str] = &[
    "next",
    "prev",
    "previous",
    "first",
    "last",
    "up",
    "top",
    "start",
    "contents",
    "toc",
    "index",
    "chapter",
    "section",
    "subsection",
    "appendix",
    "glossary",
];

/// The value of an attribute, references undone; of two with one name the first.
fn attribute<'a>(tag: &Tag<'a>, name: &str) -> Option<Cow<'a, str>> {
    let (_, value) = tag.attributes().find(|(own, _)| own.eq_ignore_ascii_case(name))?;
    Some(charref::decode_attribute(value))
}

fn is_one_of(name: &str, known: &[&str]) -> bool {
    known.iter().any(|known| known.eq_ignore_ascii_case(name))
}

fn is_llms_txt(href: &str) -> bool {
    let path = href.split(['?', '#']).next().unwrap_or_default();
    path.rsplit('/').next().is_some_and(|name| name.eq_ignore_ascii_case("llms.txt"))
}

/// Elements at whose edges a word ends.
fn breaks_words(name: &str) -> bool {
    matches!(name, "br" | "p" | "div" | "section" | "li" | "td" | "th" | "tr" | "dt" | "dd" | "hr" | "pre")
        || matches!(name.as_bytes(), [b'h', b'1'..=b'6'])
}

/// A name in lower case; names that are too long to mean anything become empty.
fn lower_case<'b>(name: &str, buffer: &'b mut [u8; LONGEST_NAME]) -> &'b str {
    let Some(own) = buffer.get_mut(..name.len()) else { return "" };
    own.copy_from_slice(name.as_bytes());
    own.make_ascii_lowercase();
    std::str::from_utf8(own).unwrap_or_default()
}

//! HTML pages: their links, and what they say about themselves.
//!
//! The document is cut into tags by the rules of the HTML standard's tokenizer, and no tree is
//! built: a tree builder's time is quadratic in open elements, and links need none. The few things
//! that a tree would tell are kept track of: raw text (`script`, `style`, `title` …), SVG and
//! MathML, `template`, `noscript`. Scripting counts as off, so `noscript` is read.
//!
//! # What counts as a link
//!
//! | element | role |
//! | --- | --- |
//! | `a`, `area`, `frame` | [`Role::Mention`] |
//! | `link rel=canonical` | [`Role::Canonical`] |
//! | `link rel=alternate`, unless it is a style sheet | [`Role::Alternate`] |
//! | `link rel=llms-txt`, `rel=sitemap`, `rel=describedby` with an `llms.txt` | [`Role::Index`] |
//! | `link rel=next`, `prev`, `up`, `contents` and other ways through a manual | [`Role::Mention`] |
//! | `meta http-equiv=refresh` | [`Role::Refresh`]; in `noscript` [`Role::Mention`] |
//!
//! Style sheets, icons, scripts, images and what stands in a `template` are none. (A template with
//! `shadowrootmode` is shown, and so is read.)

pub(crate) mod charref;
mod foreign;
mod label;
mod lexer;
mod page;
mod refresh;

use std::borrow::Cow;
use std::ops::Range;

use crate::{Link, Reading, Role};

/// A page, read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HtmlReading<'a> {
    /// Links with the places of their tags, the title, and the verdict: [`crate::Verdict::Ok`], or
    /// [`crate::Verdict::Truncated`] for a document that ends inside a tag, a comment or raw text.
    pub reading: Reading<'a>,
    /// The first `<base href>`; it holds for links before it as well. The caller resolves it.
    pub base: Option<BaseHref<'a>>,
    /// What `<meta name="robots">` (or `googlebot`) asks for.
    pub robots: MetaRobots,
    /// The first meta refresh with an address, outside `noscript`.
    pub refresh: Option<Refresh>,
    /// What is known of the links with [`Role::Alternate`].
    pub alternates: Vec<Alternate>,
    /// `<meta name="generator">`, as written.
    pub generator: Option<Cow<'a, str>>,
    /// `<html lang>`, as written.
    pub lang: Option<Cow<'a, str>>,
    /// Visible characters that are no blanks: outside `script`, `style`, `noscript`, `template`,
    /// `title` and the like.
    pub text_len: usize,
    /// Digest of those characters (FNV-1a): two pages with equal digests show the same text.
    pub text_digest: u64,
    /// Links to `#/…` and `#!…`: routes inside a page that scripts follow.
    pub client_routes: usize,
    /// There is a `<main>`, an `<article>` or `role="main"`.
    pub has_main: bool,
    /// There is an `<input type="password">`.
    pub has_password_field: bool,
    /// Scripts, hardly any text and no links: the content comes later, if at all.
    pub script_only_shell: bool,
}

/// `<base href>`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BaseHref<'a> {
    /// As written, references undone.
    pub href: Cow<'a, str>,
    /// The byte range of its tag.
    pub span: Range<usize>,
}

/// What a page asks of robots.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct MetaRobots {
    /// `noindex` or `none`.
    pub noindex: bool,
    /// `nofollow` or `none`.
    pub nofollow: bool,
}

/// A meta refresh.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Refresh {
    /// Which of the links it is.
    pub link: usize,
    /// The delay.
    pub seconds: u32,
}

/// Another representation or language of the page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Alternate {
    /// Which of the links it is.
    pub link: usize,
    /// `type`, in lower case and without parameters.
    pub media_type: Option<String>,
    /// `hreflang`, as written.
    pub hreflang: Option<String>,
}

impl HtmlReading<'_> {
    /// The address under which the page says it is known.
    pub fn canonical(&self) -> Option<&Link<'_>> {
        self.reading.links.iter().find(|link| link.role == Role::Canonical)
    }
}

/// Reads a page. Linear in the text; never fails.
pub fn read(text: &str) -> HtmlReading<'_> {
    page::Page::new(text).read()
}

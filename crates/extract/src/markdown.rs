//! Markdown page bodies: CommonMark with the GFM extensions.
//!
//! `pulldown-cmark` finds the structure; what it leaves out is added here: literal autolinks, the
//! `href` of raw HTML, front matter, and the chrome that hosts put around a page. Every link of a
//! page body is a [`Role::Mention`].
//!
//! Not links: images (a link around an image counts), code of any kind, comments, front matter,
//! reference definitions that nobody uses, text that is escaped or broken. A visible text that looks
//! like an address is not a second link.

pub(crate) mod autolink;
pub(crate) mod chrome;
pub(crate) mod entity;
pub(crate) mod front_matter;
pub(crate) mod html;
pub(crate) mod unescape;
pub(crate) mod walk;

#[cfg(doc)]
use crate::Role;
use crate::{Reading, Verdict};

/// The byte order mark as it appears in decoded text.
pub(crate) const BOM: char = '\u{feff}';

/// Reads the links of a Markdown page body.
///
/// Linear in the text, and never fails: what is no link by CommonMark and GFM is text.
pub fn read(text: &str) -> Reading<'_> {
    let start = body_start(text);
    let outline = walk::walk(text, chrome::body(text, start));
    Reading {
        links: outline.links.into_iter().map(|found| found.link).collect(),
        verdict: Verdict::Ok,
        title: outline.title,
        oddities: Vec::new(),
    }
}

/// Byte offset behind a byte order mark and front matter.
pub(crate) fn body_start(text: &str) -> usize {
    let mark = if text.starts_with(BOM) { BOM.len_utf8() } else { 0 };
    mark + front_matter::end(&text[mark..])
}

//! MDX page bodies: Markdown with JSX, expressions and modules, as Mintlify and others serve it.
//!
//! A scanner of our own, made for one question: which links does an MDX parser (remark with MDX,
//! GFM, front matter and math) see? Two linear passes, the second over what the first left:
//!
//! 1. `block` walks the lines, keeps track of containers, throws code, math, comments, modules and
//!    front matter away, collects definitions, and cuts the rest into stretches of inline content;
//! 2. `inline` scans those stretches for links, addresses, tags and expressions.
//!
//! What differs from Markdown: there is no indented code, a fence may be indented as far as it
//! likes, children of elements are Markdown, text in string attributes and expressions is none, and
//! `href` of any element or component is a link.
//!
//! A document that no MDX parser would take (an unclosed tag, a lone `{`) is read all the same and
//! marked with an oddity that begins with `not valid MDX`: one bad line must not empty a page.

mod block;
mod code;
mod container;
mod definitions;
mod inline;
mod line;
mod patience;
mod plain;
mod resource;
mod source;
mod tags;

use std::borrow::Cow;

use crate::markdown::{self, chrome};
use crate::{Reading, Verdict};

/// Reads the links of an MDX page body, every one of them a [`Role::Mention`](crate::Role::Mention).
///
/// Linear in the text; never fails. Links and labels borrow from the text unless escapes,
/// references or line breaks had to be undone.
pub fn read(text: &str) -> Reading<'_> {
    let start = markdown::body_start(text);
    let blocks = block::scan(text, chrome::body(text, start));
    let title = front_matter_title(&text[..start]);
    let (links, oddities, heading) = inline::scan(text, blocks);
    Reading { links, verdict: Verdict::Ok, title: title.or(heading), oddities }
}

/// The `title` of the front matter, where it is a plain or quoted scalar on one line.
fn front_matter_title(front_matter: &str) -> Option<Cow<'_, str>> {
    let value = front_matter.lines().find_map(|line| {
        let rest = line.strip_prefix("title")?.trim_start();
        rest.strip_prefix([':', '=']).map(str::trim)
    })?;
    let quoted = |quote: char| value.strip_prefix(quote).and_then(|value| value.strip_suffix(quote));
    let title = quoted('"').or_else(|| quoted('\'')).unwrap_or(value);
    (!title.is_empty()).then_some(Cow::Borrowed(title))
}

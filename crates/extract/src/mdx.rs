//! MDX page bodies: Markdown in which JSX elements, expressions and module code stand.
//!
//! The reading has two steps. [`mask`] goes through the text once and blanks out everything that is
//! no Markdown (module code, elements, expressions, comments, fences, math), noting the `href`s on
//! the way; it also takes off the indentation, which means nothing in MDX. What is left is plain
//! Markdown with a map back to the source, and goes through the same walk as any Markdown page.
//!
//! Not links: code of any kind and indentation, math, comments of both kinds, `import` and `export`
//! blocks, front matter, text in string attributes and in expressions. Links: everything else that
//! Markdown knows, and `href` on any element or component; where its value is an expression that
//! only running the page would tell, it is [`Target::Dynamic`].
//!
//! A page that is not valid MDX is still read, and marked by an [`Oddity`].

mod dedent;
mod expression;
mod fence;
mod mask;
mod tag;

use std::borrow::Cow;

#[cfg(doc)]
use crate::Oddity;
use crate::markdown::{body_start, chrome, walk};
use crate::{Link, Reading, Target, Verdict};

/// Reads the links of an MDX page body. Never fails; linear in the text.
pub fn read(text: &str) -> Reading<'_> {
    let body = chrome::body(text, body_start(text));
    let masked = mask::mask(text, body);
    let plain = dedent::dedent(&masked.bytes, masked.start);
    let outline = walk::walk(&plain.text, 0..plain.text.len());
    let mut links: Vec<Link<'_>> = masked.links;
    for found in outline.links {
        let link = found.link;
        let target = match link.target {
            Target::Literal(href) => Target::Literal(Cow::Owned(href.into_owned())),
            // The walk over plain Markdown makes literal targets only.
            Target::Dynamic(_) | Target::Unreadable { .. } => continue,
        };
        let span = plain.source(link.span.start)..plain.source_end(link.span.end);
        let span = span.start..span.end.max(span.start);
        links.push(Link {
            target,
            label: Cow::Owned(link.label.into_owned()),
            span,
            role: link.role,
            syntax: link.syntax,
        });
    }
    links.sort_by_key(|link| link.span.start);
    let title = outline.title.map(|title| Cow::Owned(title.into_owned()));
    Reading { links, verdict: Verdict::Ok, title, oddities: masked.oddities }
}

//! Which part of a document is its content.

use std::rc::Rc;

use markup5ever_rcdom::Handle;

use super::dom::{attribute, find, has, is, is_chrome, name, outermost, visible_text};
use crate::words;

/// The element that holds the content: `<main>`, the only `<article>`, `role="main"`, else the
/// body. One that shows nothing is passed over.
pub(super) fn of(body: &Handle) -> Handle {
    let shows = |node: &Handle| !words::is_blank(&visible_text(node, false));
    let main = find(body, &|node| is(node, "main")).filter(shows);
    let region = main
        .or_else(|| only_article(body).filter(shows))
        .or_else(|| find(body, &|node| has(node, "role", "main")).filter(shows));
    let Some(region) = region else { return Rc::clone(body) };
    // Lists of headings and bars at the side stand in the main element, beside the article.
    match only_article(&region) {
        Some(article) if holds_most(&article, &region) => article,
        _ => region,
    }
}

/// The article, unless there are several of them side by side as in a list of posts.
fn only_article(node: &Handle) -> Option<Handle> {
    let mut found = Vec::new();
    outermost(node, &|node| is(node, "article"), &mut found);
    if found.len() == 1 { found.pop() } else { None }
}

fn holds_most(article: &Handle, region: &Handle) -> bool {
    let is_headline = |node: &Handle| is(node, "h1");
    let keeps_headline = find(region, &is_headline).is_none() || find(article, &is_headline).is_some();
    let words = |node| words::count(&visible_text(node, false));
    keeps_headline && words(article) * 2 >= words(region)
}

/// Whether a header is the site's rather than the page's: outside of the content, and with ways to
/// other pages or without a headline.
pub(super) fn is_site_header(node: &Handle, in_content: bool) -> bool {
    is(node, "header")
        && !in_content
        && (find(node, &|node| is(node, "h1")).is_none() || find(node, &|node| is(node, "nav")).is_some())
}

/// What tells an application that a script fills this element.
const MOUNTS: [&str; 12] = [
    "root",
    "app",
    "__next",
    "__nuxt",
    "___gatsby",
    "svelte",
    "q-app",
    "main-app",
    "app-root",
    "swagger-ui",
    "react-root",
    "docs-root",
];

/// Whether the body has an element for a script to fill, which is empty or says that it loads.
pub(super) fn has_empty_mount(body: &Handle) -> bool {
    find(body, &|node| {
        let is_mount = attribute(node, "id")
            .is_some_and(|id| MOUNTS.contains(&id.to_ascii_lowercase().as_str()))
            || matches!(name(node), Some("app-root" | "redoc" | "rapi-doc" | "elements-api" | "docs-app"));
        is_mount && {
            let text = words::fold(&visible_text(node, true));
            let waits = ["loading", "please wait", "initializing"].iter().any(|wait| text.contains(wait));
            words::is_blank(&text) || (waits && words::count(&text) <= 6)
        }
    })
    .is_some()
}

/// A field of a form in the content itself: not in a bar or a box that opens later.
pub(super) fn find_field(node: &Handle, fits: &dyn Fn(&Handle) -> bool) -> bool {
    node.children.borrow().iter().any(|child| {
        (is(child, "input") && fits(child))
            || (!is_chrome(child) && !is(child, "header") && find_field(child, fits))
    })
}

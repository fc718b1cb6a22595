//! HTML pages: the main content as Markdown, and what the gates of a site are known by.

mod block;
mod code;
mod dom;
mod escape;
mod inline;
mod nesting;
mod region;
mod table;

use html5ever::tendril::TendrilSink;
use html5ever::{ParseOpts, parse_document};
use markup5ever_rcdom::{Handle, NodeData, RcDom};
use wholesite_address::{Base, SiteUrl};

use crate::{NotAPage, words};
use dom::{attribute, find, has, is, visible_text};

/// A page of HTML.
pub(crate) struct Page {
    /// The main content, as Markdown.
    pub(crate) text: String,
    /// The title that the page goes by.
    pub(crate) title: Option<String>,
    pub(crate) description: Option<String>,
    /// The first heading of the first level, or else of any.
    pub(crate) heading: Option<String>,
    /// What its head calls it.
    pub(crate) head_title: Option<String>,
    /// Whether the content has a field for a password.
    pub(crate) asks_for_password: bool,
    /// Whether the content has a field for a name or an address, as forms to sign in have.
    pub(crate) asks_for_name: bool,
    /// Whether it sends the reader on at once.
    pub(crate) leads_away: bool,
    /// Words of the whole body, navigation included.
    pub(crate) words: usize,
    /// Scripts, and those attributes that tell what a page is made by.
    pub(crate) machinery: String,
    has_mount: bool,
    has_script: bool,
}

impl Page {
    /// Whether only a script will fill the page: it has no content at all, or a place for it where
    /// hardly anything else is.
    pub(crate) fn is_shell(&self) -> bool {
        self.has_script && (words::is_blank(&self.text) || (self.has_mount && self.words < 15))
    }
}

/// Reads a document.
pub(crate) fn read(source: &str, url: &SiteUrl) -> Result<Page, NotAPage> {
    let document = parse(source)?;
    let root = &document.document;
    let base_href = find(root, &|node| is(node, "base")).and_then(|node| attribute(&node, "href"));
    let own = Base::of(url);
    let base = base_href.as_deref().map_or_else(|| own.clone(), |href| own.with_base_href(href));
    let body = find(root, &|node| is(node, "body")).unwrap_or_else(|| root.clone());
    let region = region::of(&body);
    let text = block::render(&region, &base, base != own);
    let heading = first_heading(&region).or_else(|| first_heading(&body));
    let head = Head::of(root);
    let asks = |fits: &dyn Fn(&Handle) -> bool| region::find_field(&body, fits);
    Ok(Page {
        title: title(&head, h1(&region).or_else(|| h1(&body)), heading.as_deref()),
        description: head.description,
        heading,
        head_title: head.title,
        asks_for_password: asks(&|node| has(node, "type", "password")),
        asks_for_name: asks(&|node| {
            has(node, "type", "email")
                || ["email", "username", "user", "login"].iter().any(|name| has(node, "name", name))
        }),
        leads_away: find(root, &leads_away).is_some(),
        words: words::count(&visible_text(&body, true)),
        machinery: machinery(root),
        has_mount: region::has_empty_mount(&body),
        has_script: find(root, &|node| is(node, "script")).is_some(),
        text,
    })
}

/// The text that a reader of the whole document sees.
pub(crate) fn whole_text(source: &str) -> Result<String, NotAPage> {
    let document = parse(source)?;
    Ok(visible_text(&document.document, true))
}

fn parse(source: &str) -> Result<RcDom, NotAPage> {
    let too_deep = NotAPage::TooDeep { limit: nesting::MOST_OPEN };
    if nesting::is_too_deep(source) {
        return Err(too_deep);
    }
    let document = parse_document(RcDom::default(), ParseOpts::default()).one(source);
    // Readers of the tree call themselves for every level.
    if dom::depth(&document.document) > nesting::MOST_OPEN + 8 {
        return Err(too_deep);
    }
    Ok(document)
}

/// What the head of a document says.
struct Head {
    title: Option<String>,
    shared_title: Option<String>,
    site_name: Option<String>,
    description: Option<String>,
}

impl Head {
    fn of(root: &Handle) -> Head {
        let filled = |text: String| Some(words::squeeze(&text)).filter(|text| !text.is_empty());
        let meta = |key: &str| {
            let fits =
                |node: &Handle| is(node, "meta") && (has(node, "name", key) || has(node, "property", key));
            find(root, &fits).and_then(|node| attribute(&node, "content")).and_then(filled)
        };
        // A drawing has a title as well.
        let head = find(root, &|node| is(node, "head"));
        let title = head.and_then(|head| find(&head, &|node| is(node, "title"))).and_then(|node| {
            let mut out = String::new();
            dom::raw_text(&node, &mut out);
            filled(out)
        });
        Head {
            title,
            shared_title: meta("og:title"),
            site_name: meta("og:site_name"),
            description: meta("description").or_else(|| meta("og:description")),
        }
    }
}

/// The title: the one made for sharing, else the headline, else that of the head. A headline tells
/// where the name of the site begins that the others carry.
fn title(head: &Head, h1: Option<String>, heading: Option<&str>) -> Option<String> {
    let shared = head.shared_title.as_deref().filter(|title| Some(*title) != head.site_name.as_deref());
    let candidate = shared.or(h1.as_deref()).or(head.title.as_deref()).or(heading)?;
    let is_suffix = |rest: &str| {
        let rest = rest.trim_start();
        rest.is_empty() || rest.starts_with(['|', '-', '–', '—', '·', '•', ':', '«', '/'])
    };
    match &h1 {
        Some(h1) if candidate.strip_prefix(h1.as_str()).is_some_and(is_suffix) => Some(h1.clone()),
        _ => Some(candidate.to_owned()),
    }
}

fn h1(node: &Handle) -> Option<String> {
    find(node, &|node| is(node, "h1") && !inline::heading_text(node).is_empty())
        .map(|node| inline::heading_text(&node))
}

fn first_heading(node: &Handle) -> Option<String> {
    h1(node).or_else(|| {
        let fits = |node: &Handle| {
            matches!(dom::name(node), Some("h2" | "h3")) && !inline::heading_text(node).is_empty()
        };
        find(node, &fits).map(|node| inline::heading_text(&node))
    })
}

/// `<meta http-equiv="refresh">` with an address and hardly any delay.
fn leads_away(node: &Handle) -> bool {
    is(node, "meta") && has(node, "http-equiv", "refresh") && {
        let content = attribute(node, "content").unwrap_or_default().to_ascii_lowercase();
        let seconds = content.split([';', ',']).next().and_then(|delay| delay.trim().parse::<f32>().ok());
        content.contains("url") && seconds.is_some_and(|seconds| seconds <= 3.0)
    }
}

/// Scripts, and attributes of the elements that gatekeepers put into their pages. What a reader
/// sees is left out, since a page may tell of them.
fn machinery(root: &Handle) -> String {
    fn walk(node: &Handle, out: &mut String) {
        if let NodeData::Element { attrs, .. } = &node.data {
            for attr in attrs.borrow().iter() {
                if matches!(
                    &*attr.name.local,
                    "src" | "id" | "class" | "name" | "action" | "href" | "content"
                ) {
                    out.push_str(&attr.value);
                    out.push('\n');
                }
            }
            if is(node, "script") {
                dom::raw_text(node, out);
            }
        }
        node.children.borrow().iter().for_each(|child| walk(child, out));
    }
    let mut out = String::new();
    walk(root, &mut out);
    out
}

//! What a site served becomes the Markdown that is stored, or a named reason why it is no page.
//!
//! A wrong body must never take the place of a good page: [`clean`] gives the page's own content or
//! says what came instead ([`NotAPage`]). A real page must never be refused for what it talks about,
//! so everything that only words can tell (logins, maintenance, "not found") is believed of short
//! bodies alone.
//!
//! **Deliberately absent**: I/O, clocks, async, any knowledge of other pages.

mod fingerprint;
mod html;
mod markdown;
mod verdict;

use wholesite_address::SiteUrl;
use wholesite_content::{Kind, decode, sniff};

pub use fingerprint::fingerprint;
pub use verdict::NotAPage;

/// Version of the rules. A text that was made by other ones is made anew.
pub const VERSION: u32 = 1;

/// What was asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wanted {
    /// A Markdown view: an address that ends in `.md` or `.mdx`.
    Markdown,
    /// The page in whatever form.
    Any,
}

/// What came, with status 200.
#[derive(Debug, Clone, Copy)]
pub struct Served<'a> {
    /// The address that answered.
    pub url: &'a SiteUrl,
    /// What was asked for.
    pub wanted: Wanted,
    /// The `Content-Type`.
    pub content_type: Option<&'a str>,
    /// The body after content decoding.
    pub body: &'a [u8],
}

/// A page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cleaned {
    /// Its text in Markdown; ends in one line feed.
    pub text: String,
    /// Its title.
    pub title: Option<String>,
    /// What its author says it is about.
    pub description: Option<String>,
    /// What it was made from.
    pub form: Form,
    /// Bytes that are no text in the declared encoding were replaced.
    pub lossy: bool,
}

/// What a page's text was made from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Form {
    /// Markdown or MDX.
    Markdown,
    /// HTML.
    Html,
    /// Plain text.
    Text,
}

/// The page's own content.
///
/// # Errors
/// [`NotAPage`], where the body is something else.
pub fn clean(served: &Served<'_>) -> Result<Cleaned, NotAPage> {
    if served.body.iter().all(u8::is_ascii_whitespace) {
        return Err(NotAPage::Empty);
    }
    let kind = sniff(served.body, served.content_type);
    match kind {
        Kind::Html if served.wanted == Wanted::Markdown => return Err(NotAPage::HtmlForMarkdown),
        Kind::Json | Kind::Xml => return Err(NotAPage::Data { kind: kind.name() }),
        kind if !kind.is_text() => return Err(NotAPage::Binary { kind: kind.name() }),
        _ => {}
    }
    let decoded = decode(served.body, served.content_type);
    let lossy = decoded.replaced > 0;
    if kind == Kind::Html {
        let page = html::read(&decoded.text, served.url)?;
        verdict::of_html(&decoded.text, &page)?;
        let html::Page { text, title, description, .. } = page;
        return Ok(Cleaned { text, title, description, form: Form::Html, lossy });
    }
    let page = markdown::read(&decoded.text);
    verdict::of_text(&page)?;
    let is_plain = served.wanted == Wanted::Any && !page.has_marks;
    let form = if is_plain { Form::Text } else { Form::Markdown };
    let markdown::Page { text, title, description, .. } = page;
    Ok(Cleaned { text, title, description, form, lossy })
}

//! What a site served becomes the Markdown that is stored, or a named reason why it is no page.
//!
//! A wrong body must never take the place of a good page: [`clean`] gives the page's own content or
//! says what came instead ([`NotAPage`]). A real page must never be refused for what it talks about,
//! so whatever only words can tell (logins, maintenance, "not found") is believed of short bodies
//! alone, and only if nothing in them explains rather than apologises.
//!
//! **Deliberately absent**: I/O, clocks, async, any knowledge of other pages.

mod body;
mod fingerprint;
mod html;
mod judge;
mod markdown;
mod verdict;
mod words;

use wholesite_address::SiteUrl;

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
    let body = body::read(served)?;
    let lossy = body.lossy;
    if body.is_html {
        let page = html::read(&body.text, served.url)?;
        judge::html(&page, served.url)?;
        let html::Page { text, title, description, .. } = page;
        return Ok(Cleaned { text, title, description, form: Form::Html, lossy });
    }
    let source = markdown::normalised(&body.text);
    if !body.says_markdown && !markdown::has_marks(&source) {
        let text = markdown::one_final_newline(&source);
        judge::text(&text, None, false, served.url)?;
        return Ok(Cleaned { text, title: None, description: None, form: Form::Text, lossy });
    }
    let page = markdown::read(&source);
    judge::text(&page.text, page.title.as_deref(), page.has_front_matter, served.url)?;
    let markdown::Page { text, title, description, .. } = page;
    Ok(Cleaned { text, title, description, form: Form::Markdown, lossy })
}

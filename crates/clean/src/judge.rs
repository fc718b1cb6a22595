//! Whether a text is a page, or an excuse for the lack of one.
//!
//! Markup and scripts that only gatekeepers have are believed first ([`html`]). What only words can
//! tell is believed if a headline says it, the whole is short, something in the text pleads along
//! (or there is hardly any text), and nothing in it explains. A page whose address names the matter
//! is about it.

mod excuse;
mod gate;
mod plea;

use wholesite_address::SiteUrl;

use crate::{NotAPage, html, markdown, words};
use excuse::Excuse;

/// What is known of a text.
struct Said<'a> {
    /// Headlines: title, first heading, first line.
    heads: Vec<&'a str>,
    /// The content, as Markdown.
    text: &'a str,
    words: usize,
    url: &'a SiteUrl,
    /// Whether it has metadata, which nobody writes for an excuse, except for the page of unknown
    /// addresses.
    has_front_matter: bool,
}

/// Judges Markdown or plain text.
pub(crate) fn text(
    text: &str,
    title: Option<&str>,
    has_front_matter: bool,
    url: &SiteUrl,
) -> Result<(), NotAPage> {
    if words::is_blank(text) {
        return Err(NotAPage::Empty);
    }
    let first =
        text.lines().map(|line| line.trim_start_matches(['#', ' '])).find(|line| !line.trim().is_empty());
    let heads = title.into_iter().chain(first).collect();
    let said = Said { heads, text, words: words::count(text), url, has_front_matter };
    if let Some(verdict) = excuse::whole_body(&said) {
        return Err(verdict);
    }
    match said.excuse() {
        // Forms to sign in are HTML: under such a headline Markdown explains how to do it.
        Some(found) if found.verdict == NotAPage::Login && said.words > 25 => Ok(()),
        Some(found) => Err(found.verdict),
        None => Ok(()),
    }
}

/// Judges a page of HTML.
pub(crate) fn html(page: &html::Page, url: &SiteUrl) -> Result<(), NotAPage> {
    if let Some(verdict) = gate::verdict(page) {
        return Err(verdict);
    }
    let first =
        page.text.lines().map(|line| line.trim_start_matches(['#', ' '])).find(|line| !line.is_empty());
    let heads: Vec<&str> =
        [page.title.as_deref(), page.head_title.as_deref(), page.heading.as_deref(), first]
            .into_iter()
            .flatten()
            .collect();
    let said =
        Said { heads, text: &page.text, words: words::count(&page.text), url, has_front_matter: false };
    if let Some(verdict) = excuse::whole_body(&said) {
        return Err(verdict);
    }
    match said.excuse() {
        Some(found) if found.verdict == NotAPage::Login && !page.asks_for_name && said.words > 25 => {}
        Some(found) => return Err(found.verdict),
        None => {}
    }
    if page.is_shell() {
        return Err(NotAPage::AppShell);
    }
    if words::is_blank(&page.text) {
        return Err(NotAPage::Empty);
    }
    Ok(())
}

impl Said<'_> {
    fn excuse(&self) -> Option<Excuse> {
        let found = self.heads.iter().find_map(|head| excuse::of_headline(head))?;
        if self.words >= found.limit || self.explains() || self.is_about(&found) {
            return None;
        }
        let pleads = plea::pleads(&found.verdict, &words::fold(self.text));
        if self.has_front_matter {
            return (pleads && found.verdict == NotAPage::NotFound).then_some(found);
        }
        (self.words <= FEW || pleads).then_some(found)
    }

    /// Whether the text shows what only an explanation has: code, tables, terms of a reference.
    fn explains(&self) -> bool {
        let shows_code =
            markdown::lines(self.text).any(|line| line.in_code || line.text.trim_start().starts_with("| --"));
        let own = self.url.last_segment();
        // An excuse may quote the address.
        let quotes_code = self
            .text
            .split('`')
            .skip(1)
            .step_by(2)
            .any(|code| own.is_empty() || !code.contains(own.trim_end_matches(".md")));
        shows_code || (quotes_code && self.text.contains('`')) || plea::explains(&words::fold(self.text))
    }

    /// Whether the address names the matter, as that of a page about it does. A catch-all such as
    /// `/404` or `/maintenance` names it as well, so an own name or a telling folder must come along.
    fn is_about(&self, found: &Excuse) -> bool {
        let mut parts = self.url.path().trim_matches('/').rsplit('/');
        let last = slug(parts.next().unwrap_or_default());
        let folder = parts.next().unwrap_or_default().to_lowercase();
        let head = slug(&found.head);
        if last.len() < 3 || !(head.contains(&last) || last.contains(&head)) {
            return false;
        }
        const TELLING: [&str; 9] =
            ["error", "status", "code", "http", "trouble", "reference", "api", "faq", "message"];
        const CATCH_ALL: [&str; 14] = [
            "404",
            "429",
            "500",
            "503",
            "not-found",
            "page-not-found",
            "notfound",
            "error",
            "login",
            "log-in",
            "signin",
            "sign-in",
            "maintenance",
            "under-maintenance",
        ];
        TELLING.iter().any(|word| folder.contains(word))
            || (!folder.is_empty() && !CATCH_ALL.contains(&last.as_str()))
    }
}

/// Up to so many words a headline needs nothing to support it.
const FEW: usize = 12;

fn slug(text: &str) -> String {
    let text = text.to_lowercase();
    let bare =
        [".md", ".mdx", ".html", ".htm"].iter().find_map(|end| text.strip_suffix(end)).unwrap_or(&text);
    let parts: Vec<&str> =
        bare.split(|c: char| !c.is_alphanumeric()).filter(|part| !part.is_empty()).collect();
    parts.join("-")
}

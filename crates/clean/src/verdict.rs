//! What is no page.

use crate::{html, markdown};

/// What came in place of a page.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NotAPage {
    /// Nothing.
    #[error("the body is empty")]
    Empty,
    /// An HTML document in answer to a request for Markdown.
    #[error("HTML came where Markdown was asked for")]
    HtmlForMarkdown,
    /// No text.
    #[error("the body is no text: {kind}")]
    Binary {
        /// What it is.
        kind: &'static str,
    },
    /// Data for programs, such as an error in JSON.
    #[error("the body is data for programs: {kind}")]
    Data {
        /// What it is.
        kind: &'static str,
    },
    /// A form to sign in.
    #[error("a login page came")]
    Login,
    /// A check whether the reader is human.
    #[error("a challenge for robots came")]
    Challenge,
    /// Too many requests.
    #[error("a page about too many requests came")]
    RateLimited,
    /// The site is being worked on.
    #[error("a maintenance page came")]
    Maintenance,
    /// A page that only a script fills.
    #[error("an empty page came, which only a script fills")]
    AppShell,
    /// "Not found", with status 200.
    #[error("a page that says `not found` came")]
    NotFound,
    /// Elements nested too deeply to be read.
    #[error("the document nests more than {limit} elements")]
    TooDeep {
        /// The limit.
        limit: usize,
    },
}

impl NotAPage {
    /// The name on every wire.
    pub fn code(&self) -> &'static str {
        match self {
            NotAPage::Empty => "empty_body",
            NotAPage::HtmlForMarkdown => "html_for_markdown",
            NotAPage::Binary { .. } => "not_text",
            NotAPage::Data { .. } => "data_body",
            NotAPage::Login => "login_page",
            NotAPage::Challenge => "challenge_page",
            NotAPage::RateLimited => "rate_limit_page",
            NotAPage::Maintenance => "maintenance_page",
            NotAPage::AppShell => "app_shell",
            NotAPage::NotFound => "not_found_page",
            NotAPage::TooDeep { .. } => "too_deep",
        }
    }
}

/// What only scripts of gatekeepers hold.
const CHALLENGES: [&str; 8] = [
    "/cdn-cgi/challenge-platform/",
    "__cf_chl_",
    "cf-browser-verification",
    "_Incapsula_Resource",
    "awsWafCookieDomainList",
    "captcha-delivery.com",
    "px-captcha",
    "g-recaptcha",
];

const SHORT: usize = 80;

pub(crate) fn of_html(source: &str, page: &html::Page) -> Result<(), NotAPage> {
    let words = page.words;
    if words < SHORT && CHALLENGES.iter().any(|mark| source.contains(mark)) {
        return Err(NotAPage::Challenge);
    }
    if words < SHORT && page.asks_password {
        return Err(NotAPage::Login);
    }
    let heads = [page.title.as_deref(), page.heading.as_deref()];
    if words < SHORT {
        heads.iter().flatten().try_for_each(|head| by_words(head))?;
    }
    let content = page.text.split_whitespace().count();
    let mounts = ["id=\"root\"", "id=\"__next\"", "id=\"app\"", "id=\"__nuxt\"", "id=root", "id=app"];
    if content < 15
        && words < 15
        && source.contains("<script")
        && mounts.iter().any(|mount| source.contains(mount))
    {
        return Err(NotAPage::AppShell);
    }
    if content == 0 {
        return Err(NotAPage::Empty);
    }
    Ok(())
}

pub(crate) fn of_text(page: &markdown::Page) -> Result<(), NotAPage> {
    if page.text.trim().is_empty() {
        return Err(NotAPage::Empty);
    }
    if page.text.split_whitespace().count() < SHORT {
        let first = page.text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
        by_words(first.trim_start_matches(['#', ' ']))?;
        page.title.iter().try_for_each(|title| by_words(title))?;
    }
    Ok(())
}

/// A head line that says what is wrong and nothing else.
fn by_words(head: &str) -> Result<(), NotAPage> {
    let folded: String = head.to_lowercase().chars().map(|c| if c == '’' { '\'' } else { c }).collect();
    let head = folded.trim_matches(|c: char| !c.is_alphanumeric()).trim();
    // "Page not found | Acme Docs", "404 - Acme".
    let head = [" | ", " – ", " — ", " · "]
        .iter()
        .fold(head, |head, mark| head.split(mark).next().unwrap_or(head))
        .trim();
    let is = |exact: &[&str]| exact.contains(&head);
    let starts = |openings: &[&str]| openings.iter().any(|opening| head.starts_with(opening));
    if is(&[
        "404",
        "not found",
        "page not found",
        "404 not found",
        "404 page not found",
        "404: page not found",
        "404: not found",
        "error 404",
        "404 error",
        "this page could not be found",
        "404: this page could not be found",
        "page doesn't exist",
        "this page doesn't exist",
        "oops! page not found",
        "sorry, page not found",
    ]) || starts(&[
        "404 - ",
        "the page you were looking for",
        "the page you are looking for",
        "we couldn't find the page",
        "we couldn't find that page",
    ]) {
        return Err(NotAPage::NotFound);
    }
    if is(&[
        "too many requests",
        "429",
        "429 too many requests",
        "rate limit exceeded",
        "rate limited",
        "error 429",
    ]) {
        return Err(NotAPage::RateLimited);
    }
    if is(&[
        "just a moment",
        "attention required! | cloudflare",
        "checking your browser",
        "verify you are human",
        "are you a robot",
        "access denied",
        "ddos-guard",
        "security check",
    ]) || starts(&[
        "checking your browser before",
        "please verify you are",
        "please enable javascript and cookies",
    ]) {
        return Err(NotAPage::Challenge);
    }
    if is(&[
        "maintenance",
        "under maintenance",
        "down for maintenance",
        "scheduled maintenance",
        "site maintenance",
        "service unavailable",
        "503",
        "503 service unavailable",
        "503 service temporarily unavailable",
        "502 bad gateway",
        "bad gateway",
        "504 gateway timeout",
        "gateway timeout",
        "500 internal server error",
        "internal server error",
        "we'll be back",
        "we'll be right back",
        "we'll be back soon",
        "be right back",
        "temporarily unavailable",
    ]) || starts(&[
        "we are currently undergoing maintenance",
        "we're down for maintenance",
        "this site is under maintenance",
        "the site is under maintenance",
        "we are down for maintenance",
    ]) {
        return Err(NotAPage::Maintenance);
    }
    if is(&[
        "sign in",
        "log in",
        "login",
        "sign in to continue",
        "log in to continue",
        "please sign in",
        "please log in",
        "you need to sign in",
        "authentication required",
        "password required",
        "password protected",
    ]) {
        return Err(NotAPage::Login);
    }
    Ok(())
}

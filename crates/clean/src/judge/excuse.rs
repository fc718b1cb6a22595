//! Headlines that say why there is no page.

use super::Said;
use crate::{NotAPage, words};

/// A headline that was understood.
pub(super) struct Excuse {
    pub(super) verdict: NotAPage,
    /// The headline, folded.
    pub(super) head: String,
    /// A text of so many words is no excuse any more.
    pub(super) limit: usize,
}

/// What a headline says, if it says nothing else. Titles join the name of the site to it, so its
/// parts are looked at too: "Page not found | Acme".
pub(super) fn of_headline(head: &str) -> Option<Excuse> {
    if head.len() > 200 {
        return None;
    }
    let folded = words::fold(head);
    let mut parts = vec![folded.as_str()];
    for mark in [" | ", " - ", " – ", " — ", " · ", " • ", " :: ", ": "] {
        parts.extend(folded.split(mark));
    }
    parts.into_iter().map(bare).find_map(|part| {
        let (verdict, limit) = meaning(part)?;
        Some(Excuse { verdict, head: part.to_owned(), limit })
    })
}

fn bare(part: &str) -> &str {
    let part = part.trim_matches(|c: char| !c.is_alphanumeric());
    ["oops! ", "oops, ", "oops ", "sorry, ", "sorry! ", "sorry ", "whoops! ", "uh oh! ", "uh-oh! ", "error "]
        .iter()
        .fold(part, |part, opening| part.strip_prefix(opening).unwrap_or(part))
}

fn meaning(head: &str) -> Option<(NotAPage, usize)> {
    let is = |exact: &[&str]| exact.contains(&head);
    let starts = |openings: &[&str]| openings.iter().any(|opening| head.starts_with(opening));
    let ends = |ends: &[&str]| ends.iter().any(|end| head.ends_with(end));
    if is(NOT_FOUND) || starts(NOT_FOUND_STARTS) {
        return Some((NotAPage::NotFound, 60));
    }
    if is(RATE_LIMITED) {
        return Some((NotAPage::RateLimited, 60));
    }
    if is(CHALLENGE) || starts(CHALLENGE_STARTS) {
        return Some((NotAPage::Challenge, 80));
    }
    if is(MAINTENANCE)
        || ends(&["under maintenance", "down for maintenance", "down for scheduled maintenance"])
        || starts(&["we'll be back", "we'll be right back", "we will be back", "we will be right back"])
        || (head.contains("undergoing") && head.contains("maintenance"))
    {
        return Some((NotAPage::Maintenance, 80));
    }
    if is(LOGIN) || starts(LOGIN_STARTS) {
        return Some((NotAPage::Login, 100));
    }
    if is(ERROR) || starts(ERROR_STARTS) {
        return Some((NotAPage::ErrorPage, 60));
    }
    None
}

const NOT_FOUND: &[&str] = &[
    "404",
    "not found",
    "page not found",
    "404 not found",
    "404 page not found",
    "404 error",
    "error 404",
    "404 error page",
    "http 404",
    "file not found",
    "document not found",
    "this page could not be found",
    "the page could not be found",
    "page could not be found",
    "page cannot be found",
    "page can't be found",
    "page doesn't exist",
    "page does not exist",
    "this page doesn't exist",
    "this page does not exist",
    "page no longer exists",
    "page missing",
    "page unavailable",
    "nothing here",
    "nothing found",
    "we lost this page",
    "seite nicht gefunden",
    "page introuvable",
    "page non trouvée",
    "página no encontrada",
    "página não encontrada",
    "pagina non trovata",
    "pagina niet gevonden",
    "sidan hittades inte",
    "страница не найдена",
    "页面未找到",
    "找不到页面",
    "未找到页面",
    "找不到頁面",
    "ページが見つかりません",
    "ページが見つかりませんでした",
    "페이지를 찾을 수 없습니다",
];

const NOT_FOUND_STARTS: &[&str] = &[
    "the page you were looking for",
    "the page you are looking for",
    "the page you're looking for",
    "the page you requested",
    "the requested page",
    "the requested url",
    "we couldn't find the page",
    "we couldn't find that page",
    "we couldn't find this page",
    "we could not find the page",
    "we can't find the page",
    "we can't find that page",
    "we can't seem to find",
    "can't find this page",
    "that page doesn't exist",
    "that page does not exist",
];

const RATE_LIMITED: &[&str] = &[
    "too many requests",
    "429",
    "429 too many requests",
    "error 429",
    "429 error",
    "rate limit exceeded",
    "rate limit reached",
    "rate limited",
    "you are being rate limited",
    "you have been rate limited",
    "you've been rate limited",
    "api rate limit exceeded",
    "access denied | too many requests",
];

const CHALLENGE: &[&str] = &[
    "just a moment",
    "one moment, please",
    "attention required",
    "attention required! | cloudflare",
    "checking your browser",
    "verify you are human",
    "verifying you are human",
    "human verification",
    "robot check",
    "bot verification",
    "are you a robot",
    "are you human",
    "security check",
    "security checkpoint",
    "vercel security checkpoint",
    "client challenge",
    "ddos-guard",
    "making sure you're not a bot",
    "pardon our interruption",
    "you have been blocked",
];

const CHALLENGE_STARTS: &[&str] = &[
    "checking your browser before",
    "checking if the site connection is secure",
    "please verify you are",
    "verify that you are",
    "please enable javascript and cookies",
    "enable javascript and cookies to continue",
    "we're verifying your browser",
    "our systems have detected unusual traffic",
    "request unsuccessful. incapsula",
    "please complete the security check",
];

const MAINTENANCE: &[&str] = &[
    "under maintenance",
    "down for maintenance",
    "scheduled maintenance",
    "scheduled maintenance in progress",
    "site maintenance",
    "maintenance mode",
    "maintenance in progress",
    "service unavailable",
    "503",
    "503 service unavailable",
    "service temporarily unavailable",
    "503 service temporarily unavailable",
    "temporarily unavailable",
    "temporarily down",
    "be right back",
];

const LOGIN: &[&str] = &[
    "sign in",
    "log in",
    "login",
    "signin",
    "sign in to continue",
    "log in to continue",
    "sign in to your account",
    "log in to your account",
    "login required",
    "please sign in",
    "please log in",
    "authentication required",
    "password required",
    "password protected",
    "this page is password protected",
    "401 unauthorized",
    "unauthorized",
];

const LOGIN_STARTS: &[&str] = &[
    "you need to sign in",
    "you need to log in",
    "you must sign in",
    "you must log in",
    "you must be logged in",
    "you must be signed in",
    "please sign in to",
    "please log in to",
    "sign in to view",
    "log in to view",
];

const ERROR: &[&str] = &[
    "500",
    "internal server error",
    "500 internal server error",
    "server error",
    "500 server error",
    "502",
    "bad gateway",
    "502 bad gateway",
    "504",
    "gateway timeout",
    "504 gateway timeout",
    "gateway time-out",
    "504 gateway time-out",
    "403",
    "forbidden",
    "403 forbidden",
    "access denied",
    "400 bad request",
    "bad request",
    "something went wrong",
    "an error occurred",
    "an error has occurred",
    "unexpected error",
    "application error",
    "this site can't be reached",
    "web server is down",
    "connection timed out",
    "request blocked",
    "the request could not be satisfied",
];

const ERROR_STARTS: &[&str] = &[
    "application error: a ",
    "upstream connect error",
    "upstream request timeout",
    "no healthy upstream",
    "we're sorry, but something went wrong",
    "default backend",
    "fault filter abort",
];

/// A body that is one short line, as servers and proxies write it: `404: Not Found`,
/// `error code: 1015`.
pub(super) fn whole_body(said: &Said<'_>) -> Option<NotAPage> {
    if said.words > 25 || said.text.len() > 400 {
        return None;
    }
    let text = words::fold(said.text);
    let text = text.trim_matches(|c: char| !c.is_alphanumeric());
    let starts = |openings: &[&str]| openings.iter().any(|opening| text.starts_with(opening));
    if let Some(code) = text.strip_prefix("error code: ") {
        return Some(if code == "1015" { NotAPage::RateLimited } else { NotAPage::ErrorPage });
    }
    if starts(&["upstream connect error", "upstream request timeout", "no healthy upstream"]) {
        return Some(NotAPage::ErrorPage);
    }
    // Vercel and Netlify.
    if starts(&[
        "the page could not be found not_found",
        "the deployment could not be found",
        "not found - request id",
    ]) || text.starts_with("default backend - 404")
    {
        return Some(NotAPage::NotFound);
    }
    if starts(&[
        "rate limit exceeded. ",
        "too many requests, please",
        "too many requests. ",
        "too many requests from",
    ]) {
        return Some(NotAPage::RateLimited);
    }
    None
}

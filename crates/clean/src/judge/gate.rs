//! Gates before a page that are known by their make: scripts of gatekeepers, forms for passwords.

use crate::{NotAPage, html, words};

/// What only a gate's own scripts and elements hold, and the words that a page with it may have.
/// Those with a small number stand in good pages as well: the gatekeeper watches from inside.
const MARKS: [(&str, usize); 26] = [
    ("_cf_chl_opt", 120),
    ("__cf_chl_", 120),
    ("cf-chl-", 120),
    ("cf_chl_", 120),
    ("cf-mitigated", 120),
    ("challenge-platform/h/", 60),
    ("cf-browser-verification", 120),
    ("challenge-platform", 12),
    ("cf-turnstile", 30),
    ("challenges.cloudflare.com", 20),
    ("captcha-delivery.com", 40),
    ("px-captcha", 60),
    ("_pxCaptcha", 60),
    ("_Incapsula_Resource", 25),
    ("Incapsula incident ID", 60),
    ("awsWafCookieDomainList", 25),
    ("gokuProps", 60),
    ("awswaf.com", 15),
    ("sgcaptcha", 40),
    ("anubis_challenge", 120),
    ("KPSDK", 20),
    ("ddos-guard/js-challenge", 60),
    ("_vcrct", 40),
    ("g-recaptcha", 30),
    ("h-captcha", 30),
    ("hcaptcha.com", 20),
];

/// Fewer words than that beside a field for a password: the form is the page.
const BESIDE_A_FORM: usize = 100;

pub(super) fn verdict(page: &html::Page) -> Option<NotAPage> {
    let shows_code = page.text.contains("```");
    if !shows_code && MARKS.iter().any(|(mark, most)| page.words < *most && page.machinery.contains(mark)) {
        return Some(NotAPage::Challenge);
    }
    let content = words::count(&page.text);
    if page.asks_for_password && content < BESIDE_A_FORM && !shows_code {
        return Some(NotAPage::Login);
    }
    if page.leads_away && content < 30 {
        return Some(NotAPage::Redirect);
    }
    None
}

//! Redirects of crawled pages that prove nothing: what lies behind them is unknown, so the page is
//! kept and a blocker names it.
//!
//! A temporary redirect says that the page is elsewhere *for now* (RFC 9110 §15.4.3). One to another
//! page of the site is believed. One to a login, to another host, or to where many others are sent
//! at the same time is how outages, walls and deployments look.

use std::collections::BTreeMap;

use wholesite_address::SiteUrl;

use super::SiteMachine;
use super::errand::is_permanent;
use super::seed::looks_like_login;
use crate::blocker::BlockerCode;
use crate::read::Outcome;

/// So many addresses sent to one place at once are no longer told apart from an outage.
const CROWD: usize = 4;

/// Why a redirect is not believed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Doubt {
    Login,
    OtherOrigin,
    Crowd,
}

impl SiteMachine {
    /// Whether a redirect leaves it unknown what became of the page at `from`.
    pub(super) fn is_detour(&self, from: &SiteUrl, status: u16, to: &SiteUrl) -> bool {
        self.doubt(from, status, to).is_some()
    }

    fn doubt(&self, from: &SiteUrl, status: u16, to: &SiteUrl) -> Option<Doubt> {
        if is_permanent(status) || self.options.allow_offsite.matches(to) {
            None
        } else if looks_like_login(to) {
            Some(Doubt::Login)
        } else if to.origin() != from.origin() {
            Some(Doubt::OtherOrigin)
        } else {
            self.crowded.contains(to).then_some(Doubt::Crowd)
        }
    }

    /// Once all is crawled: names every redirect that leaves a page unknown.
    pub(super) fn block_on_detours(&mut self) {
        let redirects: Vec<(SiteUrl, u16, SiteUrl)> = self.redirects().collect();
        let mut senders: BTreeMap<&SiteUrl, usize> = BTreeMap::new();
        for (_, _, to) in redirects.iter().filter(|(_, status, _)| !is_permanent(*status)) {
            *senders.entry(to).or_default() += 1;
        }
        self.crowded = senders.into_iter().filter(|(_, n)| *n >= CROWD).map(|(to, _)| to.clone()).collect();
        for (from, status, to) in &redirects {
            let (code, what, help) = match self.doubt(from, *status, to) {
                Some(Doubt::Login) => {
                    (BlockerCode::LoginRequired, "a login", "give credentials with --header")
                }
                Some(Doubt::OtherOrigin) => (
                    BlockerCode::PageFailed,
                    "another origin",
                    "if that is as it should be, name the other origin with --allow-offsite",
                ),
                Some(Doubt::Crowd) => {
                    (BlockerCode::PageFailed, "where many others are sent too", "try again later")
                }
                None if self.goes_round(from) => {
                    let message =
                        format!("the redirect to {to} goes round in circles; what was meant is unknown");
                    self.block(
                        BlockerCode::RedirectFault,
                        from.to_string(),
                        message,
                        "mend the redirect on the site",
                    );
                    continue;
                }
                None => continue,
            };
            let message =
                format!("this page is sent, for the time being, to {what} ({to}): what it holds is unknown");
            self.block(code, from.to_string(), message, help);
        }
    }

    fn redirects(&self) -> impl Iterator<Item = (SiteUrl, u16, SiteUrl)> {
        self.pages.iter().filter(|(_, seen)| !self.answers_like_unknown(&seen.fetched)).filter_map(
            |(from, seen)| match &seen.fetched.outcome {
                Outcome::Redirect { status, to: Ok(to) } => Some((from.clone(), *status, to.clone())),
                _ => None,
            },
        )
    }

    /// Whether the redirects from an address lead back to one of themselves.
    fn goes_round(&self, from: &SiteUrl) -> bool {
        let (mut at, mut visited) = (from, vec![from]);
        while let Some(Outcome::Redirect { to: Ok(to), .. }) =
            self.pages.get(at).map(|seen| &seen.fetched.outcome)
        {
            if visited.contains(&to) {
                return true;
            }
            visited.push(to);
            at = to;
        }
        false
    }
}

//! Why something is asked, and the redirects met on the way.

use wholesite_address::SiteUrl;

use super::{Phase, SiteMachine};
use crate::blocker::BlockerCode;
use crate::classify::IndexKind;
use crate::exchange::Answer;
use crate::read::{self, Fetched, Outcome};

/// The reason for a request. The order of the variants is the order in which answers are looked at.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Purpose {
    Robots,
    Probe,
    Seed,
    Index(IndexErrand),
    Twin,
    Page { depth: u32 },
}

/// An index to be read.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct IndexErrand {
    pub(super) depth: u32,
    pub(super) kind: IndexKind,
    /// Somebody says that it exists, so its absence is a fault.
    pub(super) promised: bool,
}

/// One request with its history.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Errand {
    pub(super) purpose: Purpose,
    /// The address that was wanted.
    pub(super) first: SiteUrl,
    /// The address asked now, after the hops.
    pub(super) url: SiteUrl,
    pub(super) hops: Vec<Hop>,
}

/// One redirect.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Hop {
    pub(super) from: SiteUrl,
    pub(super) status: u16,
    pub(super) to: SiteUrl,
}

/// 301 and 308 (RFC 9110 §15.4): the resource has the new address from now on.
pub(super) fn is_permanent(status: u16) -> bool {
    matches!(status, 301 | 308)
}

/// An errand and what came of it.
#[derive(Debug)]
pub(super) struct Conclusion {
    pub(super) errand: Errand,
    pub(super) fetched: Fetched,
}

impl Errand {
    pub(super) fn new(purpose: Purpose, url: SiteUrl) -> Self {
        Errand { purpose, first: url.clone(), url, hops: Vec::new() }
    }

    pub(super) fn read(self, answer: Answer) -> Conclusion {
        let fetched = read::fetched(&self.url, answer);
        Conclusion { errand: self, fetched }
    }
}

impl SiteMachine {
    /// The request that a redirect leads to, where this purpose follows it:
    ///
    /// - robots.txt is followed anywhere, five hops (RFC 9309 §2.3.1.2);
    /// - the seed is followed within its origin, and to another origin only for good;
    /// - an index is followed within its origin, since another host's list is another site's;
    /// - pages, twins and probes are not: there the redirect itself is the answer.
    pub(super) fn next_hop(&mut self, conclusion: &Conclusion) -> Option<Errand> {
        let Outcome::Redirect { status, to: Ok(to) } = &conclusion.fetched.outcome else { return None };
        let errand = &conclusion.errand;
        let same_origin = to.origin() == errand.url.origin();
        let follow = match errand.purpose {
            Purpose::Robots => errand.hops.len() < 5,
            Purpose::Seed => same_origin || is_permanent(*status),
            Purpose::Index(_) => same_origin && !self.unknown_redirect_is(to),
            Purpose::Page { .. } | Purpose::Twin | Purpose::Probe => false,
        };
        if !follow {
            return None;
        }
        let looped = *to == errand.url || errand.hops.iter().any(|hop| hop.from == *to);
        if looped || errand.hops.len() >= self.options.limits.redirects {
            let what = if looped { "goes round in circles" } else { "has too many hops (--max-redirects)" };
            let message =
                format!("the redirect of {} {what}, at {to}; what it would lead to is unknown", errand.first);
            self.block(
                BlockerCode::RedirectFault,
                errand.first.to_string(),
                message,
                "mend the redirect on the site",
            );
            return None;
        }
        let mut next = errand.clone();
        next.hops.push(Hop { from: errand.url.clone(), status: *status, to: to.clone() });
        next.url = to.clone();
        // A site that moved to another origin is under other rules there.
        if errand.purpose == Purpose::Seed && !same_origin && self.phase == Phase::Seed {
            return None;
        }
        Some(next)
    }

    fn unknown_redirect_is(&self, to: &SiteUrl) -> bool {
        matches!(&self.unknown_paths, crate::probe::UnknownPaths::Redirect(target) if target == to)
    }
}

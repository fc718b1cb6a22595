//! Where no index lists any page: follow links from the seed, within the scope.

use wholesite_address::SiteUrl;
use wholesite_content::sniff::Kind;

use super::errand::{Conclusion, Errand, Purpose, is_permanent};
use super::{Phase, SiteMachine};
use crate::blocker::BlockerCode;
use crate::classify::{Judged, file_extension};
use crate::options::RobotsPolicy;
use crate::probe::UnknownPaths;
use crate::read::{self, Body, Fetched, IndexFault, Outcome, RawLink, ReadDocument};
use wholesite_extract::Role;

impl SiteMachine {
    pub(super) fn start_crawl(&mut self) {
        self.phase = Phase::Crawl;
        let Some(seen) = self.final_seed() else {
            return self.nothing_to_crawl();
        };
        let fetched = seen.fetched.clone();
        match &fetched.outcome {
            Outcome::Body(Body { digest, .. })
                if self.unknown_paths == (UnknownPaths::Content { digest: *digest }) =>
            {
                self.block(
                    BlockerCode::CatchAllSite,
                    fetched.url.to_string(),
                    "the start of the site and a path that can't exist get the same page, so real and unknown pages \
                     can't be told apart",
                    "the site may need JavaScript or a login; start from an index (llms.txt or a sitemap) if it has one",
                );
                self.phase = Phase::Done;
            }
            Outcome::Body(_) => {
                if let Some((url, read)) = self.seed_page.take() {
                    self.block_on_scripts(&url);
                    self.keep_page(url, 0, read);
                    self.ask_links_of(self.documents.len() - 1);
                }
                self.end_crawl_if_idle();
            }
            _ => self.nothing_to_crawl(),
        }
    }

    fn nothing_to_crawl(&mut self) {
        self.phase = Phase::Done;
        let (url, message) = match self.final_seed().map(|seen| seen.fetched.clone()) {
            None if !self.may_ask(&self.seed) => {
                (self.seed.to_string(), "robots.txt forbids asking for it".to_owned())
            }
            None => (self.seed.to_string(), "it could not be asked for".to_owned()),
            Some(Fetched { url, outcome, .. }) => (url.to_string(), outcome_words(&outcome)),
        };
        let message =
            format!("no index lists a page, and the start of the site is no page to crawl from: {message}");
        if self.blockers.is_empty() {
            self.block(BlockerCode::IndexEmpty, url, message, "check the address, or start from an index");
        } else {
            self.notes.push(message);
        }
    }

    pub(super) fn after_crawl(&mut self, settled: Vec<Conclusion>) {
        let from = self.documents.len();
        for conclusion in settled {
            self.take_page(conclusion);
        }
        for document in from..self.documents.len() {
            self.ask_links_of(document);
        }
        self.end_crawl_if_idle();
    }

    fn end_crawl_if_idle(&mut self) {
        if self.queue.is_empty() {
            self.block_on_detours();
            self.note_declared_folds();
            self.phase = Phase::Done;
        }
    }

    fn take_page(&mut self, conclusion: Conclusion) {
        let Purpose::Page { depth } = conclusion.errand.purpose else { return };
        let fetched = conclusion.fetched;
        let url = fetched.url.clone();
        match &fetched.outcome {
            Outcome::Body(_) if self.answers_like_unknown(&fetched) => {}
            Outcome::Body(body) if matches!(body.kind, Kind::Html | Kind::Text) => {
                let read = read::read_page(&url, body);
                let facts = read::PageFacts::of(&url, body);
                self.remember_page(fetched.clone());
                for next in facts.refresh.iter().chain(&facts.canonical) {
                    self.ask_page(next, depth);
                }
                if facts.refresh.is_none() {
                    self.block_on_scripts(&url);
                }
                // Also a stub that sends its reader on may link to pages that nothing else names.
                self.keep_page(url, depth, read);
                return;
            }
            Outcome::Body(body) if body.kind == Kind::Empty => {
                let message = "this page answered without a body, so what it links to is unknown";
                self.block(BlockerCode::PageFailed, url.to_string(), message, "try again");
            }
            Outcome::Redirect { status, to: Ok(to) }
                if !self.answers_like_unknown(&fetched) && !self.is_detour(&url, *status, to) =>
            {
                self.ask_page(&to.clone(), depth);
            }
            Outcome::Status(status @ (401 | 407)) => {
                let message =
                    format!("this page answered {status}: what lies behind the login can't be seen");
                self.block(
                    BlockerCode::LoginRequired,
                    url.to_string(),
                    message,
                    "give credentials with --header",
                );
            }
            Outcome::Body(_) | Outcome::Redirect { to: Ok(_), .. } | Outcome::Status(404 | 410) => {}
            outcome => {
                let message = format!(
                    "this page had to be read for its links, and could not be: {}",
                    outcome_words(outcome)
                );
                self.block(
                    BlockerCode::PageFailed,
                    url.to_string(),
                    message,
                    "try again; pages that only it links to are missing",
                );
            }
        }
        self.remember_page(fetched);
    }

    /// Keeps a page for its links. One that was cut may have linked to more.
    fn keep_page(&mut self, url: SiteUrl, depth: u32, read: ReadDocument) {
        if read.fault == Some(IndexFault::Truncated) {
            let message =
                format!("this page was cut, so what else it links to is unknown: {}", read.state.why());
            self.block(
                BlockerCode::PageFailed,
                url.to_string(),
                message,
                "try again; if it lasts, mend the page",
            );
        }
        self.keep(url, depth, read);
    }

    /// Routes that live behind `#/`, or an empty shell that a script fills, hide every page.
    fn block_on_scripts(&mut self, url: &SiteUrl) {
        let Some(facts) = self.pages.get(url).and_then(|seen| seen.facts.as_ref()) else { return };
        let message = if facts.hash_routes > 0 && facts.plain_links == 0 {
            "all links of this page lead to #/ routes, which only its script can open"
        } else if facts.is_shell {
            "this page is an empty shell that a script fills: what it shows and links to is unknown"
        } else {
            return;
        };
        let help = "start from an index (llms.txt or a sitemap) if the site has one";
        self.block(BlockerCode::ClientSideRoutes, url.to_string(), message, help);
    }

    fn ask_links_of(&mut self, document: usize) {
        let kept = &self.documents[document];
        let depth = kept.depth + 1;
        let facts = self.pages.get(&kept.url).and_then(|seen| seen.facts.as_ref());
        if self.options.robots == RobotsPolicy::Obey && facts.is_some_and(|facts| facts.nofollow) {
            return;
        }
        let rules = self.rules();
        let targets: Vec<SiteUrl> = kept
            .read
            .links
            .iter()
            .filter_map(|link: &RawLink| match rules.judge(link) {
                Judged::Candidate(url) => Some(url),
                _ => None,
            })
            .collect();
        for url in targets {
            self.ask_page(&url, depth);
        }
    }

    fn ask_page(&mut self, url: &SiteUrl, depth: u32) {
        let is_candidate = matches!(self.rules().judge_address(url, Role::Mention), Judged::Candidate(_));
        if !is_candidate || self.asked.contains(url) {
            return;
        }
        let limits = self.options.limits;
        let fault = if depth > limits.crawl_depth {
            Some((
                BlockerCode::DepthLimit,
                format!("links go deeper than {} (--max-depth)", limits.crawl_depth),
                "raise --max-depth",
            ))
        } else if self.asked.len() >= limits.pages {
            Some((
                BlockerCode::PageLimit,
                format!("more than {} pages (--max-pages)", limits.pages),
                "raise --max-pages",
            ))
        } else {
            None
        };
        match fault {
            // One blocker for a limit, not one for every link beyond it.
            Some((code, message, help)) => {
                if !self.blockers.iter().any(|blocker| blocker.code == code) {
                    self.block(code, url.to_string(), message, help);
                }
            }
            None => {
                self.enqueue(Errand::new(Purpose::Page { depth }, url.clone()));
            }
        }
    }

    /// Where a crawled address leads for good, and what is there: redirects, refreshes and
    /// canonical links followed.
    pub(super) fn crawled(&self, url: &SiteUrl) -> Crawled {
        let mut at = url.clone();
        let mut visited = vec![at.clone()];
        let mut why = Lead::Direct;
        loop {
            let Some(seen) = self.pages.get(&at) else {
                return if at == *url { Crawled::NotAsked } else { self.beyond(&at, why) };
            };
            let fetched = &seen.fetched;
            let next = match &fetched.outcome {
                _ if self.answers_like_unknown(fetched) => return Crawled::Missing(fetched.outcome.status()),
                Outcome::Redirect { status, to: Ok(to) } => {
                    if self.is_detour(&at, *status, to) {
                        return Crawled::Failed;
                    }
                    if !is_permanent(*status) {
                        why = why.max(Lead::Temporary);
                    }
                    why = why.max(Lead::Permanent);
                    to.clone()
                }
                Outcome::Body(body) => match (&seen.facts, body.kind) {
                    (Some(facts), Kind::Html | Kind::Text) => match (&facts.refresh, &facts.canonical) {
                        (Some(to), _) => {
                            why = why.max(Lead::Permanent);
                            to.clone()
                        }
                        (None, Some(to))
                            if *to != at && self.is_alive(to) && self.canonical_is_borne_out(&at, to) =>
                        {
                            why = why.max(Lead::Canonical);
                            if visited.contains(to) {
                                // Pages that name each other: the first by address stands for all.
                                let first = visited.into_iter().min().unwrap_or(at);
                                let lead = if first == *url { Lead::Direct } else { why };
                                return Crawled::Page { url: first, lead };
                            }
                            to.clone()
                        }
                        _ => return Crawled::Page { url: at, lead: why },
                    },
                    _ => {
                        let media_type =
                            body.media_type.clone().unwrap_or_else(|| body.kind.name().to_owned());
                        return Crawled::File(media_type);
                    }
                },
                Outcome::Status(status @ (404 | 410)) => return Crawled::Missing(*status),
                _ => return Crawled::Failed,
            };
            if visited.contains(&next) {
                return Crawled::Failed;
            }
            visited.push(next.clone());
            at = next;
        }
    }

    /// A redirect led to an address that was not asked, because it is no candidate.
    fn beyond(&self, url: &SiteUrl, lead: Lead) -> Crawled {
        if let Some(extension) = file_extension(url) {
            return Crawled::File(format!(".{extension} file"));
        }
        match self.rules().judge_address(url, Role::Mention) {
            Judged::Settled(disposition, why) => Crawled::Elsewhere(disposition, why),
            _ if lead == Lead::Direct => Crawled::NotAsked,
            _ => Crawled::Failed,
        }
    }

    fn is_alive(&self, url: &SiteUrl) -> bool {
        self.pages.get(url).is_some_and(|seen| {
            matches!(&seen.fetched.outcome, Outcome::Body(body) if matches!(body.kind, Kind::Html | Kind::Text))
                && !self.answers_like_unknown(&seen.fetched)
        })
    }
}

/// How an address leads to its page; the later ones outweigh the earlier.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Lead {
    Direct,
    Canonical,
    Permanent,
    Temporary,
}

/// What a crawled address turned out to be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Crawled {
    Page { url: SiteUrl, lead: Lead },
    Missing(u16),
    File(String),
    Elsewhere(crate::disposition::Disposition, crate::disposition::Why),
    Failed,
    NotAsked,
}

impl Outcome {
    fn status(&self) -> u16 {
        match self {
            Outcome::Status(status) | Outcome::Redirect { status, .. } => *status,
            Outcome::Body(_) => 200,
            Outcome::Failed(_) => 0,
        }
    }
}

fn outcome_words(outcome: &Outcome) -> String {
    match outcome {
        Outcome::Failed(failure) => failure.to_string(),
        Outcome::Redirect { to: Ok(to), .. } => format!("it redirects to {to}"),
        Outcome::Redirect { to: Err(why), .. } => why.clone(),
        Outcome::Status(status) => format!("it answered {status}"),
        Outcome::Body(body) => format!("it answered with {}", body.kind.name()),
    }
}

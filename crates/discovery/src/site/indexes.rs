//! Finding the indexes of a site, and reading everything that they name.

use wholesite_address::{Scope, SiteUrl};
use wholesite_extract::Role;

use super::errand::{Conclusion, Errand, IndexErrand, Purpose, is_permanent};
use super::seed::looks_like_login;
use super::{Mode, Phase, SiteMachine};
use crate::blocker::{At, Blocker, BlockerCode};
use crate::classify::{IndexKind, Judged, MINTLIFY_RESERVED, Rules, index_kind};
use crate::ledger::DocumentKind;
use crate::probe::UnknownPaths;
use crate::read::{self, Fetched, IndexFault, Outcome, RawLink, Resolution};

impl SiteMachine {
    /// Starts looking: at the nearest scope, at whatever the seed and robots.txt hint at, and at a
    /// path that can't exist.
    pub(super) fn ask_indexes(&mut self) {
        self.phase = Phase::Indexes;
        self.candidates = self.scope_candidates();
        self.level = 0;
        let nearest = self.candidates[0].clone();
        self.ask_probe(&nearest);
        if let Some(kind) = index_kind(&self.seed, Role::Entry) {
            self.ask_index(self.seed.clone(), IndexErrand { depth: 0, kind, promised: true });
        }
        for hint in self.index_hints() {
            let kind = index_kind(&hint, Role::Index).unwrap_or(IndexKind::Sitemap);
            self.ask_index(hint, IndexErrand { depth: 0, kind, promised: true });
        }
        self.ask_level();
    }

    fn ask_level(&mut self) {
        let scope = self.candidates[self.level].clone();
        for (path, kind) in [("/llms.txt", IndexKind::LlmsTxt), ("/sitemap.xml", IndexKind::Sitemap)] {
            self.ask_index(scope.at(path), IndexErrand { depth: 0, kind, promised: false });
        }
    }

    pub(super) fn ask_probe(&mut self, scope: &Scope) {
        let probe = scope.at(&format!("/{}", self.options.probe));
        if self.may_ask(&probe) {
            self.enqueue(Errand::new(Purpose::Probe, probe));
        }
    }

    /// The first probe speaks for the site; those of single versions only for their prefix.
    pub(super) fn take_probe(&mut self, fetched: &Fetched) {
        let unknown = UnknownPaths::of(fetched);
        if self.unknown_paths == UnknownPaths::NotProbed {
            self.unknown_paths = unknown;
        } else {
            self.version_probes.insert(Scope::folder_of(&fetched.url), unknown);
        }
    }

    /// Indexes that the seed's headers and head, and robots.txt, name on this origin.
    fn index_hints(&self) -> Vec<SiteUrl> {
        let mut hints: Vec<SiteUrl> = Vec::new();
        if let Some(seen) = self.final_seed() {
            hints.extend(seen.fetched.hints.iter().cloned());
            hints.extend(seen.facts.iter().flat_map(|facts| facts.index_hints.iter().cloned()));
        }
        let robots = self.documents.iter().filter(|kept| kept.read.kind == DocumentKind::Robots);
        hints.extend(robots.flat_map(|kept| &kept.read.links).filter_map(RawLink::address).cloned());
        hints.retain(|hint| hint.origin() == self.seed.origin());
        hints
    }

    fn ask_index(&mut self, url: SiteUrl, errand: IndexErrand) -> bool {
        if self.asked.contains(&url) {
            return false;
        }
        if !self.may_ask(&url) {
            self.asked.insert(url.clone());
            self.block(
                BlockerCode::IndexUnavailable,
                url.to_string(),
                "robots.txt forbids reading this index, so what it lists is unknown",
                "if the site is your own, use --robots ignore",
            );
            return false;
        }
        self.enqueue(Errand::new(Purpose::Index(errand), url))
    }

    pub(super) fn after_indexes(&mut self, settled: Vec<Conclusion>) {
        for conclusion in settled {
            self.take_index(conclusion);
        }
        let here = self.candidates[self.level].clone();
        let found = self.known_addresses().any(|url| here.relative(url).is_some());
        if !found && self.level + 1 < self.candidates.len() {
            self.level += 1;
            return self.ask_level();
        }
        self.settle_scope();
        self.note_declared_folds();
        self.ask_nested();
    }

    /// Every address that a document read so far claims or names.
    pub(super) fn known_addresses(&self) -> impl Iterator<Item = &SiteUrl> {
        let indexes = self.documents.iter().filter(|kept| kept.read.kind != DocumentKind::Robots);
        let seed = self.seed_page.iter().flat_map(|(_, read)| &read.links);
        indexes.flat_map(|kept| &kept.read.links).chain(seed).filter_map(RawLink::address)
    }

    fn take_index(&mut self, conclusion: Conclusion) {
        let Purpose::Index(wanted) = &conclusion.errand.purpose else { return };
        let wanted = wanted.clone();
        let Conclusion { errand, fetched } = conclusion;
        let absent = !wanted.promised && self.is_absent(&errand, &fetched);
        if absent {
            self.absent.insert(errand.first.clone());
            return;
        }
        self.indexes.insert(errand.first.clone());
        self.indexes.extend(errand.hops.iter().map(|hop| hop.from.clone()));
        match &fetched.outcome {
            Outcome::Body(body) => {
                if errand.hops.iter().any(|hop| !is_permanent(hop.status)) {
                    self.index_is_elsewhere(&errand);
                }
                let read = match wanted.kind {
                    IndexKind::LlmsTxt => read::read_llms_txt(&fetched.url, body),
                    IndexKind::Sitemap => read::read_sitemap(&fetched.url, body),
                };
                self.block_on_fault(&fetched.url, wanted.kind, &read);
                self.keep(fetched.url.clone(), wanted.depth, read);
            }
            other => self.index_unavailable(&errand, other),
        }
    }

    /// An index that is elsewhere *for now* may be another version's, or another site's state.
    fn index_is_elsewhere(&mut self, errand: &Errand) {
        let message = format!(
            "this index is sent, for the time being, to {}: whether that lists the same pages is unknown",
            errand.url
        );
        let help = format!(
            "redirect it for good (301, 308); if that is the index, start from it: discover {}",
            errand.url
        );
        self.block(BlockerCode::SourceChanged, errand.first.to_string(), message, help);
    }

    /// Whether a guessed index is simply not there: 404, or whatever this site answers to paths
    /// that can't exist.
    fn is_absent(&self, errand: &Errand, fetched: &Fetched) -> bool {
        let first_hop = errand.hops.first().map(|hop| {
            let outcome = Outcome::Redirect { status: hop.status, to: Ok(hop.to.clone()) };
            Fetched::new(&hop.from, outcome)
        });
        matches!(fetched.outcome, Outcome::Status(404 | 410))
            || self.answers_like_unknown(fetched)
            || first_hop.is_some_and(|hop| self.answers_like_unknown(&hop))
    }

    fn index_unavailable(&mut self, errand: &Errand, outcome: &Outcome) {
        let url = errand.first.to_string();
        let unknown = "so what it lists is unknown";
        let (code, message, help) = match outcome {
            Outcome::Failed(failure) => {
                let code = match failure {
                    crate::exchange::Failure::TooLarge { .. } => BlockerCode::SizeLimit,
                    _ => BlockerCode::IndexUnavailable,
                };
                let help = failure.help();
                (code, format!("this index could not be fetched ({failure}), {unknown}"), help)
            }
            Outcome::Redirect { to: Ok(to), .. } if looks_like_login(to) => (
                BlockerCode::LoginRequired,
                format!("this index redirects to a login ({to}), {unknown}"),
                CREDENTIALS,
            ),
            Outcome::Redirect { to: Ok(to), .. } => {
                let (whose, help) = if to.origin() == errand.url.origin() {
                    (
                        "as any path that can't exist does",
                        "it is named by another document: mend the link or bring it back",
                    )
                } else {
                    ("which is another site", "if that is the site, start from it")
                };
                (
                    BlockerCode::IndexUnavailable,
                    format!("this index redirects to {to}, {whose}, {unknown}"),
                    help,
                )
            }
            Outcome::Redirect { to: Err(why), .. } => {
                (BlockerCode::RedirectFault, format!("{why}, {unknown}"), "mend the redirect on the site")
            }
            Outcome::Status(status @ (401 | 407)) => {
                (BlockerCode::LoginRequired, format!("this index answered {status}, {unknown}"), CREDENTIALS)
            }
            Outcome::Status(status) => {
                let help = if matches!(status, 404 | 410) {
                    "it is named by another document: mend the link or bring the index back"
                } else {
                    "try again; if it lasts, ask the site's owner"
                };
                (BlockerCode::IndexUnavailable, format!("this index answered {status}, {unknown}"), help)
            }
            Outcome::Body(_) => return,
        };
        // A loop or an over-long chain has been named already, where it was met.
        if !self.blockers.iter().any(|b| b.url == url && b.code == BlockerCode::RedirectFault) {
            self.block(code, url, message, help);
        }
    }

    fn block_on_fault(&mut self, url: &SiteUrl, kind: IndexKind, read: &read::ReadDocument) {
        let why = read.state.why().to_owned();
        let (code, help) = match read.fault {
            None => return,
            // A list of bundles, or of anchors into itself, is read whole and names no page. Other
            // indexes may; if none does, that is said at the end.
            Some(IndexFault::NoPages) if kind == IndexKind::LlmsTxt => return,
            Some(IndexFault::NotText) => {
                (BlockerCode::IndexNotText, "serve an index there, or nothing (404)")
            }
            Some(IndexFault::Empty | IndexFault::NoPages) => {
                (BlockerCode::IndexEmpty, "serve an index with its pages there, or nothing (404)")
            }
            Some(IndexFault::Truncated) => {
                (BlockerCode::IndexTruncated, "serve it whole, or split it into several")
            }
        };
        self.block(code, url.to_string(), why, help);
    }

    /// Asks for every index that the documents read so far name; goes on when there is none left.
    pub(super) fn ask_nested(&mut self) {
        self.phase = Phase::Nested;
        let mut wanted: Vec<(SiteUrl, IndexErrand, At)> = Vec::new();
        let rules = self.rules();
        let known = |url: &SiteUrl| {
            self.indexes.contains(url) || self.asked.contains(url) && !self.absent.contains(url)
        };
        for kept in &self.documents[self.scanned..] {
            for link in &kept.read.links {
                if link.address().is_none_or(|url| index_kind(url, link.role).is_none()) {
                    continue;
                }
                let Judged::Index(kind, url) = rules.judge(link) else { continue };
                if !known(&url) {
                    let errand = IndexErrand { depth: kept.depth + 1, kind, promised: true };
                    wanted.push((url, errand, at(&kept.url, link)));
                }
            }
        }
        self.scanned = self.documents.len();
        for (url, errand, place) in wanted {
            self.ask_named_index(url, errand, place);
        }
        if self.queue.is_empty() {
            self.choose_mode();
        }
    }

    fn ask_named_index(&mut self, url: SiteUrl, errand: IndexErrand, place: At) {
        let limits = self.options.limits;
        let fault = if self.absent.remove(&url) {
            let message =
                "this index is named here, and it is not there, so what it lists is unknown".to_owned();
            Some((BlockerCode::IndexUnavailable, message, "mend the link or bring the index back"))
        } else if self.asked.contains(&url) {
            None
        } else if errand.depth > limits.index_depth {
            let message = format!("indexes nest deeper than {} (--max-index-depth)", limits.index_depth);
            Some((BlockerCode::DepthLimit, message, "raise --max-index-depth"))
        } else if self.indexes.len() + self.queue.len() >= limits.indexes {
            let message = format!("more than {} indexes (--max-indexes)", limits.indexes);
            Some((BlockerCode::IndexLimit, message, "raise --max-indexes"))
        } else {
            self.ask_index(url.clone(), errand);
            None
        };
        if let Some((code, message, help)) = fault {
            let help = help.to_owned();
            self.indexes.insert(url.clone());
            self.blockers.push(Blocker { code, url: url.to_string(), at: Some(place), message, help });
        }
    }

    pub(super) fn after_nested(&mut self, settled: Vec<Conclusion>) {
        for conclusion in settled {
            self.take_index(conclusion);
        }
        self.ask_nested();
    }

    fn choose_mode(&mut self) {
        let rules = self.rules();
        let indexes = self.documents.iter().filter(|kept| kept.read.kind.is_index());
        let mut links = indexes.flat_map(|kept| &kept.read.links);
        let lists_pages = links.any(|link| matches!(rules.judge(link), Judged::Candidate(_)));
        if lists_pages {
            self.mode = Mode::Listed;
            self.ask_twins();
        } else {
            self.mode = Mode::Crawled;
            self.start_crawl();
        }
    }

    pub(super) fn rules(&self) -> Rules<'_> {
        let reserved = if self.is_mintlify { MINTLIFY_RESERVED } else { &[] };
        Rules { scope: &self.scope, options: &self.options, robots: &self.robots, reserved }
    }
}

const CREDENTIALS: &str = "give credentials with --header";

impl RawLink {
    /// The web address that the link leads to.
    pub(crate) fn address(&self) -> Option<&SiteUrl> {
        match &self.resolution {
            Resolution::Web(url) => Some(url),
            _ => None,
        }
    }
}

/// The place of a link, for a blocker.
pub(super) fn at(document: &SiteUrl, link: &RawLink) -> At {
    At { document: document.to_string(), place: link.place, excerpt: link.excerpt.as_deref().cloned() }
}

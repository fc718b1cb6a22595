//! Which spellings of an address are one page. Folding `/a.md` into `/a` without evidence would
//! lose a page where they differ; not folding it would store every page twice where they don't.

use std::collections::BTreeSet;

use wholesite_address::{Fold, Scope, SiteUrl};

use super::errand::{Conclusion, Errand, Purpose};
use super::{Phase, Seen, SiteMachine};
use crate::classify::Judged;
use crate::read::Outcome;

/// How many pairs are asked for each kind of twin. All of them must agree.
const SAMPLES: usize = 3;
/// How many version prefixes get a probe of their own.
const VERSION_PROBES: usize = 8;

/// A kind of spelling that may fold into another one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    Markdown,
    Index,
    Slash,
    Html,
}

impl Kind {
    const ALL: [Kind; 4] = [Kind::Markdown, Kind::Index, Kind::Slash, Kind::Html];

    fn fold(self) -> Fold {
        let none = Fold::default();
        match self {
            Kind::Markdown => Fold { markdown_twin: true, ..none },
            Kind::Index => Fold { index: true, ..none },
            Kind::Slash => Fold { trailing_slash: true, ..none },
            Kind::Html => Fold { html: true, ..none },
        }
    }

    fn words(self) -> &'static str {
        match self {
            Kind::Markdown => "/a.md is /a",
            Kind::Index => "/a/index is /a/",
            Kind::Slash => "/a/ is /a",
            Kind::Html => "/a.html is /a",
        }
    }
}

impl SiteMachine {
    /// Takes what the seed itself declares about spellings.
    pub(super) fn note_declared_folds(&mut self) {
        if self.is_mintlify {
            if self.fold == self.fold.union(Fold::MINTLIFY) {
                return;
            }
            self.fold = self.fold.union(Fold::MINTLIFY);
            self.fold_evidence.push("a Mintlify host: .md, /index and a final slash fold".to_owned());
            return;
        }
        let Some(facts) = self.final_seed().and_then(|seen| Some((&seen.fetched.url, seen.facts.as_ref()?)))
        else {
            return;
        };
        let (url, facts) = facts;
        if declares_twin(url, &facts.markdown_alternates) {
            let evidence = format!("{url} declares a Markdown view of its own ({})", Kind::Markdown.words());
            let index = url.path().ends_with('/');
            self.fold = self.fold.union(Fold { markdown_twin: true, index, ..self.fold });
            self.fold_evidence.push(evidence);
        }
    }

    /// Asks for a few pairs of each kind whose folding would matter.
    pub(super) fn ask_twins(&mut self) {
        self.phase = Phase::Twins;
        let candidates = self.candidate_addresses();
        self.ask_version_probes(&candidates);
        for kind in Kind::ALL {
            if self.fold.union(kind.fold()) == self.fold {
                continue;
            }
            let pairs = sample(pairs_of(kind, &candidates));
            for (spelling, plain) in &pairs {
                for url in [spelling, plain] {
                    if self.may_ask(url) {
                        self.enqueue(Errand::new(Purpose::Twin, url.clone()));
                    }
                }
            }
            self.twin_samples.extend(pairs.into_iter().map(|pair| (kind.fold(), kind.words(), pair)));
        }
        self.ask_canonical_of_seed();
        if self.queue.is_empty() {
            self.phase = Phase::Done;
        }
    }

    /// Whether the start of the site is the page that it names as canonical is seen by looking.
    fn ask_canonical_of_seed(&mut self) {
        let canonical = self.final_seed().and_then(|seen| seen.facts.as_ref()?.canonical.clone());
        let Some(canonical) = canonical.filter(|url| self.scope.relative(url).is_some() && self.may_ask(url))
        else {
            return;
        };
        self.enqueue(Errand::new(Purpose::Twin, canonical));
    }

    /// Whether a page that names another address as canonical shows the same text as that address.
    pub(super) fn canonical_is_borne_out(&self, page: &SiteUrl, canonical: &SiteUrl) -> bool {
        let text = |url: &SiteUrl| self.pages.get(url)?.facts.as_ref()?.shown_text;
        text(page).is_some() && text(page) == text(canonical)
    }

    pub(super) fn after_twins(&mut self, settled: Vec<Conclusion>) {
        for conclusion in settled {
            if conclusion.errand.purpose == Purpose::Twin {
                self.remember_page(conclusion.fetched);
            }
        }
        for kind in Kind::ALL {
            let samples: Vec<_> =
                self.twin_samples.iter().filter(|(_, words, _)| *words == kind.words()).collect();
            let same = samples.iter().filter(|(_, _, (a, b))| self.are_one_page(kind, a, b)).count();
            if samples.is_empty() {
                continue;
            }
            let proved = same == samples.len();
            let is_dead = |url: &SiteUrl| {
                self.pages
                    .get(url)
                    .is_some_and(|seen| matches!(seen.fetched.outcome, Outcome::Status(404 | 410)))
            };
            if kind == Kind::Markdown && samples.iter().all(|(_, _, (markdown, _))| is_dead(markdown)) {
                self.markdown_is_served = false;
            }
            let outcome = if proved { "folded" } else { "kept apart" };
            let evidence = format!(
                "{}: {same} of {} sampled pairs are one page, {outcome}",
                kind.words(),
                samples.len()
            );
            if proved {
                self.fold = self.fold.union(kind.fold());
            }
            self.fold_evidence.push(evidence);
        }
        self.phase = Phase::Done;
    }

    /// The page candidates that the indexes list.
    fn candidate_addresses(&self) -> BTreeSet<SiteUrl> {
        let rules = self.rules();
        let links =
            self.documents.iter().filter(|kept| kept.read.kind.is_index()).flat_map(|kept| &kept.read.links);
        links
            .filter_map(|link| match rules.judge(link) {
                Judged::Candidate(url) => Some(url),
                _ => None,
            })
            .collect()
    }

    /// Two addresses are one page if one redirects to the other, or if they show the same text. A
    /// Markdown view is text of another make: there the page has to declare it, or both have to bear
    /// one title. A spelling that is not served at all is no page of its own either. That a page
    /// *names* another address as canonical proves nothing.
    fn are_one_page(&self, kind: Kind, spelling: &SiteUrl, plain: &SiteUrl) -> bool {
        let (Some(a), Some(b)) = (self.pages.get(spelling), self.pages.get(plain)) else { return false };
        let redirects = |from: &Seen, to: &SiteUrl| matches!(&from.fetched.outcome, Outcome::Redirect { to: Ok(target), .. } if target == to);
        if redirects(a, plain) || redirects(b, spelling) {
            return true;
        }
        let Outcome::Body(plain_body) = &b.fetched.outcome else { return false };
        if self.answers_like_unknown(&b.fetched) {
            return false;
        }
        if matches!(a.fetched.outcome, Outcome::Status(404 | 410)) {
            return true;
        }
        let Outcome::Body(body) = &a.fetched.outcome else { return false };
        if self.answers_like_unknown(&a.fetched) {
            return false;
        }
        let (Some(x), Some(y)) = (&a.facts, &b.facts) else { return false };
        let same_text = x.shown_text.is_some() && x.shown_text == y.shown_text;
        let same_title =
            x.heading.as_ref().is_some_and(|heading| !heading.is_empty()) && x.heading == y.heading;
        let markdown_view =
            kind == Kind::Markdown && (y.markdown_alternates.contains(spelling) || same_title);
        body.digest == plain_body.digest || same_text || markdown_view
    }

    /// Each version of a site may treat unknown paths in its own way.
    fn ask_version_probes(&mut self, candidates: &BTreeSet<SiteUrl>) {
        let mut prefixes: BTreeSet<String> = BTreeSet::new();
        for url in candidates {
            let Some(relative) = self.scope.relative(url) else { continue };
            let mut segments = relative[1..].split('/');
            if let (Some(first), Some(_)) = (segments.next(), segments.next())
                && is_version(first)
            {
                prefixes.insert(format!("/{first}"));
            }
        }
        for prefix in prefixes.into_iter().take(VERSION_PROBES) {
            let scope = Scope::below(&self.scope.at(&prefix));
            self.ask_probe(&scope);
        }
    }
}

/// `v1`, `1.2`, `v2.x`, `3.0rc`, `latest`, `stable`, `next`, `2025-06-18`.
fn is_version(segment: &str) -> bool {
    let digits = segment.strip_prefix('v').unwrap_or(segment);
    matches!(segment, "latest" | "stable" | "next" | "main" | "dev" | "current")
        || digits.as_bytes().first().is_some_and(u8::is_ascii_digit)
}

fn declares_twin(url: &SiteUrl, alternates: &[SiteUrl]) -> bool {
    let fold = Fold { markdown_twin: true, index: true, ..Fold::default() };
    alternates.iter().any(|twin| twin != url && fold.apply(twin) == fold.apply(url))
}

/// Pairs of addresses that would become one page, each with the plain spelling second.
fn pairs_of(kind: Kind, candidates: &BTreeSet<SiteUrl>) -> Vec<(SiteUrl, SiteUrl)> {
    let folded = |url: &SiteUrl| kind.fold().apply(url);
    let mut pairs: Vec<(SiteUrl, SiteUrl)> = candidates
        .iter()
        .filter(|url| folded(url) != **url)
        .map(|url| (url.clone(), folded(url)))
        // A Markdown address is asked about even when nobody lists its page: the page's own
        // address for people depends on it. The others matter only where both are listed.
        .filter(|(_, plain)| kind == Kind::Markdown || candidates.contains(plain))
        .collect();
    if kind == Kind::Markdown && pairs.iter().any(|(_, plain)| candidates.contains(plain)) {
        pairs.retain(|(_, plain)| candidates.contains(plain));
    }
    pairs
}

/// The first, the middle and the last pair.
fn sample(pairs: Vec<(SiteUrl, SiteUrl)>) -> Vec<(SiteUrl, SiteUrl)> {
    if pairs.len() <= SAMPLES {
        return pairs;
    }
    let last = pairs.len() - 1;
    [0, last / 2, last].into_iter().map(|at| pairs[at].clone()).collect()
}

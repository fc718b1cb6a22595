//! The end: every link of every document gets its disposition, in one fixed order, and the decision
//! is read off the account.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use wholesite_address::{PageKey, Place, Scope, SiteUrl, StorePath, Within};
use wholesite_extract::{Role, Syntax, llms_txt};

use super::crawl::{Crawled, Lead};
use super::indexes::at;
use super::{Kept, SiteMachine};
use crate::blocker::{Blocker, BlockerCode};
use crate::classify::Judged;
use crate::coverage;
use crate::disposition::{Disposition, Why};
use crate::inventory::{Inventory, Parts};
use crate::ledger::{Document, DocumentKind, Entry, Ledger};
use crate::pages::{Mention, Page, PageTable, Sighting};
use crate::read::{Outcome, RawLink};

/// How the pages were found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Mode {
    /// Indexes list them.
    #[default]
    Listed,
    /// No index lists any; links were followed.
    Crawled,
    /// The source folder holds them.
    Folder,
}

impl Mode {
    /// The name on every wire.
    pub fn name(self) -> &'static str {
        match self {
            Mode::Listed => "listed",
            Mode::Crawled => "crawled",
            Mode::Folder => "folder",
        }
    }
}

/// What a decision rests on.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Evidence {
    /// How the pages were found.
    pub mode: Mode,
    /// The documents that list pages, and how many each was the first to name.
    pub sources: Vec<SourceEvidence>,
    /// What the site answers to paths that can't exist.
    pub unknown_paths: String,
    /// Which spellings are one page, and how that is known.
    pub spellings: Vec<String>,
    /// Other things worth knowing.
    pub notes: Vec<String>,
}

/// One document's part in the evidence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceEvidence {
    /// Its name.
    pub document: String,
    /// What it is.
    pub kind: DocumentKind,
    /// `whole`, `part`, `absent`, `unusable`.
    pub state: &'static str,
    /// Links that it held.
    pub links: usize,
    /// Pages that it was the first to name.
    pub first_named: usize,
}

/// The account while it is being written.
struct Closing<'m> {
    machine: &'m SiteMachine,
    table: PageTable,
    aliases: BTreeMap<SiteUrl, SiteUrl>,
    seen_indexes: BTreeSet<SiteUrl>,
    known: BTreeSet<SiteUrl>,
    ledger: Ledger,
    blockers: Vec<Blocker>,
}

impl SiteMachine {
    pub(super) fn close(mut self) -> Inventory {
        let mut blockers = std::mem::take(&mut self.blockers);
        let mut closing = Closing {
            table: PageTable::new(self.fold),
            aliases: BTreeMap::new(),
            seen_indexes: BTreeSet::new(),
            known: self.known_pages(),
            ledger: Ledger::default(),
            blockers: Vec::new(),
            machine: &self,
        };
        for kept in &self.documents {
            closing.account(kept);
        }
        closing.add_seed();
        closing.check_declared_counts();
        let Closing { mut table, aliases, ledger, blockers: found, .. } = closing;
        blockers.extend(found);
        for (from, to) in &aliases {
            table.alias(from, to);
        }
        let pages = table.into_pages(&self.scope, self.markdown_is_served);
        blockers.extend(collisions(&pages));
        if pages.is_empty() && blockers.is_empty() {
            blockers.push(no_pages(&self.scope));
        }
        let blockers = capped(blockers, self.options.limits.blockers_per_code);
        let evidence = self.evidence(&ledger);
        let run = self.options.run.clone();
        let decision = coverage::decide(self.scope.clone(), run, pages.len(), evidence.clone(), blockers);
        Inventory::new(Parts {
            source: self.given.to_string(),
            scope: self.scope.clone(),
            fold: self.fold,
            pages,
            aliases,
            ledger,
            evidence,
            decision,
            robots: (self.robots.clone(), self.options.robots),
        })
    }

    /// Pages known without any guess about base paths.
    fn known_pages(&self) -> BTreeSet<SiteUrl> {
        if self.scope.base_path().is_empty() {
            return BTreeSet::new();
        }
        let rules = self.rules();
        let links = self.documents.iter().flat_map(|kept| &kept.read.links);
        links
            .filter_map(|link| match rules.judge(link) {
                Judged::Candidate(url) => Some(self.fold.apply(&url)),
                _ => None,
            })
            .collect()
    }

    fn evidence(&self, ledger: &Ledger) -> Evidence {
        let mut links = vec![(0, 0); ledger.documents.len()];
        for entry in &ledger.entries {
            let (all, first) = &mut links[entry.document.0 as usize];
            *all += 1;
            *first += usize::from(entry.disposition == Disposition::Page);
        }
        let sources =
            ledger.documents.iter().zip(links).map(|(document, (links, first_named))| SourceEvidence {
                document: document.name.clone(),
                kind: document.kind,
                state: document.state.name(),
                links,
                first_named,
            });
        let mut notes = self.notes.clone();
        for (scope, unknown) in &self.version_probes {
            if *unknown != self.unknown_paths {
                notes.push(format!("below {scope} unknown paths are {}", unknown.describe()));
            }
        }
        Evidence {
            mode: self.mode,
            sources: sources.collect(),
            unknown_paths: self.unknown_paths.describe(),
            spellings: self.fold_evidence.clone(),
            notes,
        }
    }
}

impl Closing<'_> {
    fn account(&mut self, kept: &Kept) {
        // From here on a link to this document leads back to something read; a document that was
        // accounted for earlier and names it was the first to mention it.
        self.seen_indexes.insert(kept.url.clone());
        let id = self.ledger.add_document(Document {
            name: kept.url.to_string(),
            kind: kept.read.kind,
            state: kept.read.state.clone(),
            depth: kept.depth,
            dynamic_links: kept.read.dynamic_links,
            oddities: kept.read.oddities.clone(),
        });
        for link in &kept.read.links {
            let mention = Mention { document: id, place: link.place };
            let (disposition, why) = self.dispose(kept, link, mention);
            if let Some(blocker) = self.blocker(kept, link, disposition, &why) {
                self.blockers.push(blocker);
            }
            let is_page = disposition == Disposition::Page;
            self.ledger.entries.push(Entry {
                document: id,
                place: link.place,
                role: link.role,
                syntax: link.syntax,
                href: link.href.clone(),
                url: link.address().cloned(),
                title: if is_page || kept.read.kind.is_index() { link.title.clone() } else { None },
                disposition,
                why,
                excerpt: link.excerpt.clone(),
            });
        }
    }

    fn dispose(&mut self, kept: &Kept, link: &RawLink, mention: Mention) -> (Disposition, Why) {
        match self.machine.rules().judge(link) {
            Judged::Index(_, url) if url == kept.url => (Disposition::Duplicate, Why::Itself),
            Judged::Index(_, url) if self.seen_indexes.insert(url.clone()) => {
                (Disposition::NestedIndex, Why::Index)
            }
            Judged::Index(..) => (Disposition::Duplicate, Why::SeenBefore),
            Judged::Candidate(url) if url == kept.url && kept.read.kind != DocumentKind::Html => {
                (Disposition::Duplicate, Why::Itself)
            }
            Judged::Candidate(url) => self.dispose_candidate(&url, link, mention),
            Judged::Settled(disposition, why) => match self.rebased(link, &why) {
                Some(url) => {
                    self.table.led_to(&url, link.title.as_deref(), mention);
                    (Disposition::Duplicate, Why::OtherSpelling)
                }
                None => (disposition, why),
            },
        }
    }

    fn dispose_candidate(&mut self, url: &SiteUrl, link: &RawLink, mention: Mention) -> (Disposition, Why) {
        let machine = self.machine;
        // Where pages are read, a page's own title goes before what others call it.
        let own_title = |page: &SiteUrl| {
            machine
                .pages
                .get(page)
                .and_then(|seen| seen.facts.as_ref()?.title.as_deref())
                .or(link.title.as_deref())
        };
        let title = link.title.as_deref();
        if self.machine.mode == Mode::Listed {
            if self.table.len() >= self.machine.options.limits.pages && !self.table.contains(url) {
                return (Disposition::OutOfScope, Why::PageLimit);
            }
            if let Some(single) = self.undoubled(url) {
                self.table.led_to(&single, title, mention);
                return (Disposition::Duplicate, Why::OtherSpelling);
            }
            return sighting(self.table.mention(url, title, mention));
        }
        match self.machine.crawled(url) {
            Crawled::Page { url: page, lead: Lead::Direct } => {
                sighting(self.table.mention(&page, own_title(&page), mention))
            }
            Crawled::Page { url: page, lead: Lead::Temporary } => {
                self.table.led_to(&page, own_title(&page), mention);
                (Disposition::Duplicate, Why::TemporaryRedirect)
            }
            Crawled::Page { url: page, lead } => {
                self.table.led_to(&page, own_title(&page), mention);
                self.aliases.insert(url.clone(), page);
                let canonical = lead == Lead::Canonical;
                (Disposition::Alias, if canonical { Why::CanonicalElsewhere } else { Why::PermanentRedirect })
            }
            Crawled::Missing(status @ (404 | 410)) => (Disposition::Missing, Why::Gone(status)),
            Crawled::Missing(_) => (Disposition::Missing, Why::AnswersLikeUnknown),
            Crawled::File(media_type) => (Disposition::SkippedFile, Why::MediaType(media_type.into())),
            Crawled::Elsewhere(disposition, why) => (disposition, why),
            // Unknown is not "not there": it stays a page, and a blocker names the failure.
            Crawled::Failed => match self.table.mention(url, title, mention) {
                Sighting::First => (Disposition::Page, Why::Failed),
                again => sighting(again),
            },
            Crawled::NotAsked => (Disposition::OutOfScope, Why::NotFollowed),
        }
    }

    /// A root-relative link that lacks the base path, where the page below the base is known.
    fn rebased(&self, link: &RawLink, why: &Why) -> Option<SiteUrl> {
        let href = link.href.as_deref()?;
        if *why != Why::OutsideBase || !href.starts_with('/') || href.starts_with("//") {
            return None;
        }
        let url = self.machine.scope.at(link.address()?.path());
        self.known.contains(&self.machine.fold.apply(&url)).then_some(url)
    }

    /// A link that carries the base path twice, where the page with one base is known.
    fn undoubled(&self, url: &SiteUrl) -> Option<SiteUrl> {
        let scope = &self.machine.scope;
        let base = scope.base_path();
        if base.is_empty() {
            return None;
        }
        let rest = scope
            .relative(url)?
            .strip_prefix(base)
            .filter(|rest| rest.is_empty() || rest.starts_with('/'))?;
        let single = scope.at(rest);
        self.known.contains(&self.machine.fold.apply(&single)).then_some(single)
    }

    fn blocker(&self, kept: &Kept, link: &RawLink, disposition: Disposition, why: &Why) -> Option<Blocker> {
        let strict = self.machine.options.strict;
        let index = kept.read.kind.is_index();
        let claims = matches!(link.role, Role::Entry | Role::Index)
            && (index || kept.read.kind == DocumentKind::Robots || kept.read.kind == DocumentKind::Head);
        let (code, message, help) = match disposition {
            Disposition::Offsite if *why == Why::OtherOrigin && (claims || strict) => offsite_words(link),
            Disposition::OutOfScope
                if *why == Why::OutsideBase && link.role == Role::Entry && self.is_own(kept) =>
            {
                (
                    BlockerCode::OutsideBase,
                    format!("this index lists an address outside the base path {}", self.machine.scope),
                    "widen the site with --base, or allow it with --allow-offsite".to_owned(),
                )
            }
            // In a crawl every page may be the only way to others.
            Disposition::OutOfScope
                if self.machine.mode == Mode::Crawled && matches!(why, Why::NotFollowed | Why::Robots) =>
            {
                (
                    BlockerCode::NotFollowed,
                    format!("no index lists the pages, so links have to be followed, and this one was not: {why}"),
                    "leave it out with --exclude if nothing hangs on it; for your own site, use --robots ignore"
                        .to_owned(),
                )
            }
            Disposition::OutOfScope if *why == Why::PageLimit => (
                BlockerCode::PageLimit,
                format!("more than {} pages", self.machine.options.limits.pages),
                "raise --max-pages".to_owned(),
            ),
            // A broken mention in a description hides no page of the set; a broken entry may.
            Disposition::Invalid if (index && link.role != Role::Mention) || strict => (
                BlockerCode::InvalidLink,
                format!("{why}, so a page that is meant here may be missing"),
                "mend the link in the index".to_owned(),
            ),
            Disposition::Unparsed => (
                BlockerCode::UnparsedLink,
                format!("{why}, so a page that is listed here may be missing"),
                "write the entry as a Markdown link".to_owned(),
            ),
            _ => return None,
        };
        let url = link
            .address()
            .map_or_else(|| link.href.as_deref().unwrap_or_default().to_owned(), SiteUrl::to_string);
        Some(Blocker { code, url, at: Some(at(&kept.url, link)), message, help })
    }

    /// Whether an index speaks for this site alone, rather than for the whole origin around it.
    fn is_own(&self, kept: &Kept) -> bool {
        kept.read.kind.is_index()
            && self.machine.scope.locate(&kept.url) == Within::Inside
            && !self.machine.options.allow_offsite.matches(&kept.url)
    }

    /// The start of the site is a page too, listed or not, if it answers with content of its own.
    fn add_seed(&mut self) {
        let machine = self.machine;
        let Some(seen) = machine.final_seed() else { return };
        let url = seen.fetched.url.clone();
        let is_page = matches!(&seen.fetched.outcome, Outcome::Body(body) if body.kind.is_text())
            && seen.facts.as_ref().is_none_or(|facts| facts.refresh.is_none())
            && !machine.answers_like_unknown(&seen.fetched)
            && matches!(machine.rules().judge_address(&url, Role::Mention), Judged::Candidate(_));
        // A start that names a listed page as its canonical address is that page under another name.
        let canonical = seen.facts.as_ref().and_then(|facts| facts.canonical.as_ref());
        if let Some(canonical) = canonical.filter(|page| is_page && self.table.contains(page))
            && !self.table.contains(&url)
            && machine.canonical_is_borne_out(&url, canonical)
        {
            self.aliases.insert(url, canonical.clone());
            return;
        }
        if let Some(title) = seen.facts.as_ref().and_then(|facts| facts.title.as_deref()).filter(|_| is_page)
        {
            self.table.title_if_missing(&url, title);
        }
        if is_page && !self.table.contains(&url) {
            let document = self.ledger.add_document(Document {
                name: url.to_string(),
                kind: DocumentKind::Head,
                state: crate::ledger::DocumentState::Whole,
                depth: 0,
                dynamic_links: 0,
                oddities: vec![(1, "the start of the site, which no index lists".to_owned())],
            });
            let title = seen.facts.as_ref().and_then(|facts| facts.title.as_deref());
            let place = Place::START;
            let (disposition, why) = sighting(self.table.mention(&url, title, Mention { document, place }));
            self.ledger.entries.push(Entry {
                document,
                place,
                role: Role::Canonical,
                syntax: Syntax::Header,
                href: None,
                url: Some(url.clone()),
                title: title.map(Into::into),
                disposition,
                why,
                excerpt: None,
            });
        }
        if is_page {
            for (from, seen) in &machine.pages {
                let is_hop = matches!(&seen.fetched.outcome, Outcome::Redirect { status, to: Ok(to) }
                    if super::errand::is_permanent(*status) && *to == url);
                if is_hop && machine.scope.locate(from) == Within::Inside && !self.table.contains(from) {
                    self.aliases.insert(from.clone(), url.clone());
                }
            }
        }
    }

    /// "(183 pages)" in the label of a nested index is a promise: fewer found means that something
    /// was lost on the way.
    fn check_declared_counts(&mut self) {
        let machine = self.machine;
        let by_url: HashMap<&SiteUrl, usize> =
            machine.documents.iter().enumerate().map(|(at, kept)| (&kept.url, at)).collect();
        let mut counted: HashMap<usize, usize> = HashMap::new();
        let mut found = Vec::new();
        for kept in machine.documents.iter().filter(|kept| kept.read.kind == DocumentKind::LlmsTxt) {
            for link in &kept.read.links {
                let declared = link.title.as_deref().and_then(llms_txt::declared_pages);
                let (Some(declared), Judged::Index(_, url)) = (declared, machine.rules().judge(link)) else {
                    continue;
                };
                let Some(&document) = by_url.get(&url) else { continue };
                let pages = *counted.entry(document).or_insert_with(|| self.pages_below(document, &by_url));
                if pages < declared as usize {
                    found.push(Blocker {
                        code: BlockerCode::DeclaredCountUnmet,
                        url: url.to_string(),
                        at: Some(at(&kept.url, link)),
                        message: format!(
                            "{declared} pages are announced here, and only {pages} were found below it"
                        ),
                        help: "the index may be cut or stale: try again, or ask the site's owner".to_owned(),
                    });
                }
            }
        }
        self.blockers.extend(found);
    }

    fn pages_below(&self, root: usize, by_url: &HashMap<&SiteUrl, usize>) -> usize {
        let machine = self.machine;
        let rules = machine.rules();
        let (mut open, mut visited) = (vec![root], BTreeSet::from([root]));
        let mut pages = BTreeSet::new();
        while let Some(document) = open.pop() {
            for link in &machine.documents[document].read.links {
                match rules.judge(link) {
                    Judged::Candidate(url) => {
                        pages.insert(machine.fold.apply(&url));
                    }
                    // A user's own exclusion does not make an index shorter.
                    Judged::Settled(Disposition::OutOfScope, _) => {
                        pages.extend(link.address().map(|url| machine.fold.apply(url)));
                    }
                    Judged::Index(_, url) => match by_url.get(&url) {
                        Some(&child) if visited.insert(child) => open.push(child),
                        _ => {}
                    },
                    Judged::Settled(..) => {}
                }
            }
        }
        pages.len()
    }
}

fn sighting(sighting: Sighting) -> (Disposition, Why) {
    match sighting {
        Sighting::First => (Disposition::Page, Why::FirstMention),
        Sighting::Again => (Disposition::Duplicate, Why::SeenBefore),
        Sighting::OtherSpelling => (Disposition::Duplicate, Why::OtherSpelling),
    }
}

fn offsite_words(link: &RawLink) -> (BlockerCode, String, String) {
    let url = link.address();
    let origin = url.map(SiteUrl::origin).unwrap_or_default();
    let what = if link.role == Role::Index { "an index" } else { "a page" };
    (
        BlockerCode::OffsiteLink,
        format!("this document lists {what} on another origin ({origin}), which this site can't answer for"),
        format!("if that is as it should be: --allow-offsite '{origin}/**'"),
    )
}

fn no_pages(scope: &Scope) -> Blocker {
    Blocker {
        code: BlockerCode::IndexEmpty,
        url: scope.to_string(),
        at: None,
        message: "no page was found, and an empty answer proves nothing".to_owned(),
        help: "check the address, --include and --exclude, or start from an index".to_owned(),
    }
}

/// Pages that would overwrite one another in a store.
pub(crate) fn collisions(pages: &[Page]) -> Vec<Blocker> {
    let mut by_key: BTreeMap<PageKey, Vec<&Page>> = BTreeMap::new();
    for page in pages {
        by_key.entry(PageKey::of(&page.path)).or_default().push(page);
    }
    let twins = by_key.into_values().filter(|twins| twins.len() > 1);
    twins
        .map(|twins| {
            let paths: BTreeSet<&StorePath> = twins.iter().map(|page| &page.path).collect();
            let others: Vec<&str> = twins[1..].iter().map(|page| page.url.as_str()).collect();
            let how = if paths.len() > 1 {
                "differ only in case or Unicode form, and would overwrite one another on common file systems"
            } else {
                "would be stored under one path, and nothing proves that they are one page"
            };
            Blocker {
                code: BlockerCode::PathCollision,
                url: twins[0].url.to_string(),
                at: None,
                message: format!("{} and {} {how}", twins[0].url, others.join(", ")),
                help: "leave one of them out with --exclude".to_owned(),
            }
        })
        .collect()
}

/// One off-site link that every index repeats is one thing to decide, not ten: the first place
/// stands for all.
fn one_for_each_address(mut blockers: Vec<Blocker>) -> Vec<Blocker> {
    blockers.sort();
    blockers.dedup();
    let mut merged: Vec<(Blocker, usize)> = Vec::new();
    for blocker in blockers {
        match merged.last_mut() {
            Some((first, more))
                if !blocker.url.is_empty() && (first.code, &first.url) == (blocker.code, &blocker.url) =>
            {
                *more += 1;
            }
            _ => merged.push((blocker, 0)),
        }
    }
    let with_count = |(mut blocker, more): (Blocker, usize)| {
        match more {
            0 => {}
            1 => blocker.message.push_str(" (and at one more place)"),
            more => blocker.message.push_str(&format!(" (and at {more} more places)")),
        }
        blocker
    };
    merged.into_iter().map(with_count).collect()
}

/// Names the first blockers of each kind one by one, and the rest in one line.
pub(crate) fn capped(blockers: Vec<Blocker>, limit: usize) -> Vec<Blocker> {
    let mut blockers = one_for_each_address(blockers);
    let mut seen: BTreeMap<BlockerCode, usize> = BTreeMap::new();
    for blocker in &blockers {
        *seen.entry(blocker.code).or_default() += 1;
    }
    let mut kept: BTreeMap<BlockerCode, usize> = BTreeMap::new();
    blockers.retain(|blocker| {
        let count = kept.entry(blocker.code).or_default();
        *count += 1;
        *count <= limit
    });
    for (code, count) in seen.into_iter().filter(|(_, count)| *count > limit) {
        blockers.push(Blocker {
            code,
            url: String::new(),
            at: None,
            message: format!("{} more blockers of this kind", count - limit),
            help: "--format json --links lists every link with its disposition".to_owned(),
        });
    }
    blockers.sort();
    blockers
}

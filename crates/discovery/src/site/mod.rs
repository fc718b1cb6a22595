//! Discovery of a site over HTTP, as a machine without HTTP.
//!
//! The machine works in *waves*: it sends out everything it can ask at once, waits until all of it
//! is answered, and only then looks at the answers, in a fixed order. So the result cannot depend
//! on the order in which answers arrive, and every limit cuts at the same place in every run.
//!
//! | phase | asks | ends in |
//! | --- | --- | --- |
//! | robots | `/robots.txt` of the seed's origin | what may be asked |
//! | seed | the address that the user gave, redirects followed | the site's origin |
//! | indexes | llms.txt and sitemap.xml at the base, then further up; hints; a path that can't exist | the scope |
//! | nested | indexes that indexes name | all listed pages |
//! | twins | a few pairs of spellings | which spellings are one page |
//! | crawl | pages, where no index lists any | all linked pages |

mod close;
mod crawl;
mod detour;
mod errand;
mod indexes;
mod robots;
mod seed;
mod twins;

use std::collections::{BTreeMap, BTreeSet};

use wholesite_address::{Fold, Scope, SiteUrl};
use wholesite_extract::Role;

use crate::blocker::{Blocker, BlockerCode};
use crate::classify::index_kind;
use crate::exchange::{Accept, Answer, Ask, Request, RequestId};
use crate::inventory::Inventory;
use crate::options::Options;
use crate::probe::UnknownPaths;
use crate::read::{Body, Fetched, Outcome, PageFacts, ReadDocument};

use errand::{Conclusion, Errand, Purpose};
pub(crate) use robots::RobotsGate;

pub use close::{Evidence, Mode, SourceEvidence};
pub(crate) use close::{capped, collisions};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phase {
    Robots,
    Seed,
    Indexes,
    Nested,
    Twins,
    Crawl,
    Done,
}

/// A document that was read, in the order in which the ledger lists it.
#[derive(Debug)]
struct Kept {
    url: SiteUrl,
    depth: u32,
    read: ReadDocument,
}

/// What is remembered of an address that was asked, so that it is asked only once.
#[derive(Debug, Clone)]
struct Seen {
    fetched: Fetched,
    facts: Option<PageFacts>,
}

#[derive(Debug)]
pub(crate) struct SiteMachine {
    options: Options,
    phase: Phase,
    /// The address that the user gave.
    given: SiteUrl,
    /// Where it led: another address after redirects of the whole site.
    seed: SiteUrl,
    moves: Vec<(SiteUrl, SiteUrl)>,
    robots: RobotsGate,
    /// Scopes to look for indexes in, nearest first.
    candidates: Vec<Scope>,
    level: usize,
    scope: Scope,
    unknown_paths: UnknownPaths,
    version_probes: BTreeMap<Scope, UnknownPaths>,
    fold: Fold,
    fold_evidence: Vec<String>,
    /// Whether the Markdown addresses that the indexes list are served, as far as samples tell.
    markdown_is_served: bool,
    twin_samples: Vec<(Fold, &'static str, (SiteUrl, SiteUrl))>,
    mode: Mode,
    documents: Vec<Kept>,
    /// How many of `documents` have been searched for further indexes.
    scanned: usize,
    /// The seed, read as a page: a document of the ledger only where the site is crawled.
    seed_page: Option<(SiteUrl, ReadDocument)>,
    /// Facts about addresses asked as pages (seed, twins, crawl).
    pages: BTreeMap<SiteUrl, Seen>,
    /// Whether any answer came from a Mintlify host, by its own word.
    is_mintlify: bool,
    /// Where many crawled addresses are sent at the same time.
    crowded: BTreeSet<SiteUrl>,
    /// Every address ever asked.
    asked: BTreeSet<SiteUrl>,
    /// Addresses of documents in `documents`, and of redirects that led to them.
    indexes: BTreeSet<SiteUrl>,
    /// Guessed indexes that are not there.
    absent: BTreeSet<SiteUrl>,
    blockers: Vec<Blocker>,
    notes: Vec<String>,

    queue: Vec<Errand>,
    sent: BTreeMap<RequestId, Errand>,
    arrived: Vec<Conclusion>,
    settled: Vec<Conclusion>,
    next_id: u32,
}

impl SiteMachine {
    pub(crate) fn new(seed: SiteUrl, options: Options) -> Self {
        let scope = Scope::below(&seed);
        let mut machine = SiteMachine {
            phase: Phase::Robots,
            given: seed.clone(),
            seed: seed.clone(),
            moves: Vec::new(),
            robots: RobotsGate::default(),
            candidates: Vec::new(),
            level: 0,
            scope,
            unknown_paths: UnknownPaths::NotProbed,
            version_probes: BTreeMap::new(),
            fold: Fold::default(),
            fold_evidence: Vec::new(),
            markdown_is_served: true,
            twin_samples: Vec::new(),
            mode: Mode::Listed,
            documents: Vec::new(),
            scanned: 0,
            seed_page: None,
            pages: BTreeMap::new(),
            is_mintlify: false,
            crowded: BTreeSet::new(),
            asked: BTreeSet::new(),
            indexes: BTreeSet::new(),
            absent: BTreeSet::new(),
            blockers: Vec::new(),
            notes: Vec::new(),
            queue: Vec::new(),
            sent: BTreeMap::new(),
            arrived: Vec::new(),
            settled: Vec::new(),
            next_id: 0,
            options,
        };
        machine.ask_robots();
        machine
    }

    /// The next thing to ask; `None` while answers are outstanding, and when all is done.
    pub(crate) fn next_request(&mut self) -> Option<Request> {
        loop {
            if let Some(errand) = self.queue.pop() {
                return Some(self.send(errand));
            }
            if !self.sent.is_empty() || self.phase == Phase::Done {
                return None;
            }
            self.end_of_wave();
        }
    }

    pub(crate) fn is_done(&self) -> bool {
        self.phase == Phase::Done
    }

    /// Takes an answer. One for a request that was never made, or was answered, is ignored.
    pub(crate) fn answer(&mut self, id: RequestId, answer: Answer) {
        if let Some(errand) = self.sent.remove(&id) {
            self.arrived.push(errand.read(answer));
        }
    }

    fn send(&mut self, errand: Errand) -> Request {
        let id = RequestId(self.next_id);
        self.next_id += 1;
        let (accept, max_bytes) = match errand.purpose {
            Purpose::Seed | Purpose::Page { .. } | Purpose::Twin => {
                (Accept::Html, self.options.limits.page_bytes)
            }
            Purpose::Probe => (Accept::Html, self.options.limits.page_bytes),
            Purpose::Robots | Purpose::Index(_) => (Accept::Any, self.options.limits.index_bytes),
        };
        let request = Request { id, ask: Ask::Get { url: errand.url.clone(), accept, max_bytes } };
        self.sent.insert(id, errand);
        request
    }

    /// Looks at everything that arrived, in a fixed order: redirects that are to be followed make
    /// the next wave; once there are none, the phase goes on with all that has been settled.
    fn end_of_wave(&mut self) {
        let mut arrived = std::mem::take(&mut self.arrived);
        arrived.sort_by(|a, b| a.errand.cmp(&b.errand));
        // What unknown paths get decides how every other answer of the wave is read.
        for probe in arrived.iter().filter(|conclusion| conclusion.errand.purpose == Purpose::Probe) {
            self.take_probe(&probe.fetched);
        }
        for conclusion in arrived {
            match self.next_hop(&conclusion) {
                Some(errand) => self.enqueue_hop(errand),
                None => self.settled.push(conclusion),
            }
        }
        if !self.queue.is_empty() {
            return self.order_queue();
        }
        let mut settled = std::mem::take(&mut self.settled);
        settled.sort_by(|a, b| a.errand.cmp(&b.errand));
        match self.phase {
            Phase::Robots => self.after_robots(settled),
            Phase::Seed => self.after_seed(settled),
            Phase::Indexes => self.after_indexes(settled),
            Phase::Nested => self.after_nested(settled),
            Phase::Twins => self.after_twins(settled),
            Phase::Crawl => self.after_crawl(settled),
            Phase::Done => {}
        }
        self.order_queue();
    }

    /// The queue is a stack: the last errand goes first, so the order is reversed once per wave.
    fn order_queue(&mut self) {
        self.queue.sort_by(|a, b| b.cmp(a));
    }

    /// Asks for an address, unless it was asked before.
    fn enqueue(&mut self, errand: Errand) -> bool {
        let fresh = self.asked.insert(errand.url.clone());
        if fresh {
            self.queue.push(errand);
        }
        fresh
    }

    /// Follows a redirect. Where robots.txt or an index leads to something that is neither, that
    /// address has not been asked for its own sake, and may still be.
    fn enqueue_hop(&mut self, errand: Errand) {
        let for_its_own_sake = match errand.purpose {
            Purpose::Robots => false,
            Purpose::Index(_) => index_kind(&errand.url, Role::Entry).is_some(),
            _ => true,
        };
        if !for_its_own_sake {
            self.queue.push(errand);
        } else {
            let note = format!("{} leads to {}, which is read already", errand.first, errand.url);
            if !self.enqueue(errand) {
                self.notes.push(note);
            }
        }
    }

    fn keep(&mut self, url: SiteUrl, depth: u32, read: ReadDocument) {
        self.indexes.insert(url.clone());
        self.documents.push(Kept { url, depth, read });
    }

    fn remember_page(&mut self, fetched: Fetched) {
        let facts = match &fetched.outcome {
            Outcome::Body(body) => Some(PageFacts::of(&fetched.url, body)),
            _ => None,
        };
        let generator = facts.as_ref().and_then(|facts| facts.generator.as_deref());
        self.is_mintlify |= fetched.by_mintlify
            || generator.is_some_and(|name| name.to_ascii_lowercase().contains("mintlify"));
        let fetched = without_bytes(fetched);
        self.pages.insert(fetched.url.clone(), Seen { fetched, facts });
    }

    fn block(
        &mut self,
        code: BlockerCode,
        url: impl Into<String>,
        message: impl Into<String>,
        help: impl Into<String>,
    ) {
        let (url, message, help) = (url.into(), message.into(), help.into());
        self.blockers.push(Blocker { code, url, at: None, message, help });
    }

    /// Whether robots.txt lets us ask for an address.
    fn may_ask(&self, url: &SiteUrl) -> bool {
        self.robots.allows(url, self.options.robots)
    }

    pub(crate) fn finish(mut self) -> Inventory {
        if self.phase != Phase::Done {
            let open = self.queue.len() + self.sent.len();
            let message = format!(
                "discovery was stopped with {open} requests open; what they would have shown is unknown"
            );
            self.block(BlockerCode::Stopped, self.seed.to_string(), message, "run it to the end");
        }
        self.close()
    }
}

/// What is known of an answer after its body was read: the body itself would only fill memory.
fn without_bytes(mut fetched: Fetched) -> Fetched {
    if let Outcome::Body(Body { bytes, .. }) = &mut fetched.outcome {
        *bytes = Vec::new();
    }
    fetched
}

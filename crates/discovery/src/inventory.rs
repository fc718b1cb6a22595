//! What a discovery ends in: the pages, the account of every link, and the decision.

use std::collections::BTreeMap;

use wholesite_address::{Fold, Scope, SiteUrl};

use crate::blocker::Blocker;
use crate::coverage::Decision;
use crate::ledger::Ledger;
use crate::options::RobotsPolicy;
use crate::pages::Page;
use crate::site::{Evidence, RobotsGate};

/// The result of a discovery.
#[derive(Debug, PartialEq, Eq)]
pub struct Inventory {
    source: String,
    scope: Scope,
    fold: Fold,
    pages: Vec<Page>,
    aliases: BTreeMap<SiteUrl, SiteUrl>,
    ledger: Ledger,
    evidence: Evidence,
    decision: Decision,
    robots: (RobotsGate, RobotsPolicy),
}

/// The parts of an inventory, named.
pub(crate) struct Parts {
    pub(crate) source: String,
    pub(crate) scope: Scope,
    pub(crate) fold: Fold,
    pub(crate) pages: Vec<Page>,
    pub(crate) aliases: BTreeMap<SiteUrl, SiteUrl>,
    pub(crate) ledger: Ledger,
    pub(crate) evidence: Evidence,
    pub(crate) decision: Decision,
    pub(crate) robots: (RobotsGate, RobotsPolicy),
}

impl Inventory {
    pub(crate) fn new(parts: Parts) -> Self {
        let Parts { source, scope, fold, pages, aliases, ledger, evidence, decision, robots } = parts;
        Inventory { source, scope, fold, pages, aliases, ledger, evidence, decision, robots }
    }

    /// What the user asked to discover.
    pub fn source(&self) -> &str {
        &self.source
    }

    /// The site: its origin and base path.
    pub fn scope(&self) -> &Scope {
        &self.scope
    }

    /// Which spellings of an address are one page on this site.
    pub fn fold(&self) -> Fold {
        self.fold
    }

    /// Every page once, sorted by store path.
    pub fn pages(&self) -> &[Page] {
        &self.pages
    }

    /// Addresses that lead for good to a page, with that page's address.
    pub fn aliases(&self) -> &BTreeMap<SiteUrl, SiteUrl> {
        &self.aliases
    }

    /// Every document and every link.
    pub fn ledger(&self) -> &Ledger {
        &self.ledger
    }

    /// What the decision rests on.
    pub fn evidence(&self) -> &Evidence {
        &self.evidence
    }

    /// Complete, or partial and why.
    pub fn decision(&self) -> &Decision {
        &self.decision
    }

    /// Hands out the decision, and with it the proof if there is one.
    pub fn into_decision(self) -> Decision {
        self.decision
    }

    /// The blockers, sorted; empty where the discovery is complete.
    pub fn blockers(&self) -> &[Blocker] {
        match &self.decision {
            Decision::Complete(_) => &[],
            Decision::Partial(blockers) => blockers.all(),
        }
    }

    /// Whether the discovery is complete.
    pub fn is_complete(&self) -> bool {
        matches!(self.decision, Decision::Complete(_))
    }

    /// What may be asked for on this site, by robots.txt as it was read.
    pub fn asking_rules(&self) -> AskingRules {
        AskingRules { gate: self.robots.0.clone(), policy: self.robots.1 }
    }

    /// The page that an address stands for, in any of its spellings or by an alias.
    pub fn page(&self, url: &SiteUrl) -> Option<&Page> {
        let target = self.aliases.get(url).unwrap_or(url);
        let identity = self.fold.apply(target);
        self.pages.iter().find(|page| page.url == *target || self.fold.apply(&page.url) == identity)
    }
}

/// What may be asked for on a site (RFC 9309). Of origins whose robots.txt was not read nothing is
/// known, and nothing is forbidden.
#[derive(Debug, Clone)]
pub struct AskingRules {
    gate: RobotsGate,
    policy: RobotsPolicy,
}

impl AskingRules {
    /// Whether an address may be asked for.
    pub fn allow(&self, url: &SiteUrl) -> bool {
        self.gate.allows(url, self.policy)
    }
}

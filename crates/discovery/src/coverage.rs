//! The decision: is this all of the site? Only this module can make the proof.

use wholesite_address::Scope;

use crate::blocker::Blocker;
use crate::site::Evidence;

/// The end of a discovery.
#[derive(Debug, PartialEq, Eq)]
pub enum Decision {
    /// Everything that the site offers was read to its end and understood.
    Complete(WholeSite),
    /// Something could not be seen; each blocker names what.
    Partial(Blockers),
}

/// The proof that a discovery was complete. It belongs to one site and one run, can't be copied,
/// and can only be made by discovery: whoever wants to remove pages has to hand it over.
///
/// ```compile_fail
/// fn forge(scope: wholesite_address::Scope) -> wholesite_discovery::WholeSite {
///     wholesite_discovery::WholeSite { scope, run: String::new(), pages: 0 } // private fields
/// }
/// ```
#[derive(Debug, PartialEq, Eq)]
pub struct WholeSite {
    scope: Scope,
    run: String,
    pages: usize,
    evidence: Evidence,
}

impl WholeSite {
    /// The site that it speaks of.
    pub fn scope(&self) -> &Scope {
        &self.scope
    }

    /// The run that made it.
    pub fn run(&self) -> &str {
        &self.run
    }

    /// How many pages that run found.
    pub fn pages(&self) -> usize {
        self.pages
    }

    /// What it rests on.
    pub fn evidence(&self) -> &Evidence {
        &self.evidence
    }
}

/// One blocker or more.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Blockers(Vec<Blocker>);

impl Blockers {
    /// The blockers, sorted; never empty.
    pub fn all(&self) -> &[Blocker] {
        &self.0
    }
}

/// Decides. `blockers` must hold every reason for doubt; none of them makes a proof.
pub(crate) fn decide(
    scope: Scope,
    run: String,
    pages: usize,
    evidence: Evidence,
    mut blockers: Vec<Blocker>,
) -> Decision {
    if blockers.is_empty() {
        return Decision::Complete(WholeSite { scope, run, pages, evidence });
    }
    blockers.sort();
    blockers.dedup();
    Decision::Partial(Blockers(blockers))
}

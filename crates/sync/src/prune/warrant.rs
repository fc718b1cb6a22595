//! The right to withdraw.

use wholesite_address::StorePath;
use wholesite_discovery::WholeSite;
use wholesite_store::{Fate, SiteKey};

use super::{Candidate, Decision, Verdict};

/// Pages to be withdrawn, with the proof that nothing was overlooked. Only this can withdraw, it is
/// used up by doing so, and nobody can make one without two complete discoveries of that site in
/// that run.
#[derive(Debug)]
pub struct Warrant {
    pages: Vec<(StorePath, Fate)>,
    run: String,
}

impl Warrant {
    /// A warrant for what `decision` withdraws. `None` where the proofs are not of this site and run.
    pub fn new(
        site: &SiteKey,
        run: &str,
        proofs: [WholeSite; 2],
        candidates: &[Candidate<'_>],
        decision: &Decision,
    ) -> Option<Self> {
        let [first, second] = &proofs;
        let of_this_run = proofs.iter().all(|proof| proof.run() == run);
        let of_one_site =
            first.scope() == second.scope() && site.as_str().starts_with(first.scope().origin());
        if !of_this_run || !of_one_site {
            return None;
        }
        let pages = candidates
            .iter()
            .zip(&decision.verdicts)
            .filter_map(|(candidate, verdict)| match verdict {
                Verdict::Withdraw(fate) => Some((candidate.path.clone(), fate.clone())),
                Verdict::Keep(_) => None,
            })
            .collect();
        Some(Warrant { pages, run: run.to_owned() })
    }

    /// How many pages.
    pub fn len(&self) -> usize {
        self.pages.len()
    }

    /// Whether there is nothing to do.
    pub fn is_empty(&self) -> bool {
        self.pages.is_empty()
    }

    /// Uses it up.
    pub(crate) fn spend(self) -> (String, Vec<(StorePath, Fate)>) {
        (self.run, self.pages)
    }
}

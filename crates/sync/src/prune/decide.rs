//! The decision.

use std::time::Duration;

use wholesite_address::StorePath;
use wholesite_store::{Absence, Fate, Timestamp};

use super::{Look, Policy, PruneMode, Said};
use crate::sabotage::{Bug, planted};

/// A stored page that is in no index at either look of this run (or has been listed and gone for so
/// long that its listing no longer counts).
#[derive(Debug, Clone)]
pub struct Candidate<'a> {
    /// The page.
    pub path: &'a StorePath,
    /// What it said in this run, in the order of asking.
    pub looks: &'a [Look],
    /// What earlier runs found, if they found it gone.
    pub before: Option<&'a Absence>,
    /// It is listed after all, and the site led to another page when it was fetched: it may move, but
    /// never be gone.
    pub listed: bool,
    /// The user wants it kept.
    pub pinned: bool,
    /// The one page that was added in this run with the very same text.
    pub same_text: Option<&'a StorePath>,
}

/// What holds for the run as a whole.
#[derive(Debug, Clone)]
pub struct RunFacts<'a> {
    /// Whether the listing was complete at both looks.
    pub whole: bool,
    /// Other reasons to withdraw nothing, in words.
    pub doubts: &'a [String],
    /// That the listing is much shorter than the last complete one, in words.
    pub shrunk: Option<&'a str>,
    /// Pages that were stored when the run began.
    pub stored: usize,
    /// Listed pages that were not proved alive in this run.
    pub listed_not_alive: usize,
    /// Those among them that are stored.
    pub listed_not_alive_stored: usize,
    /// Listed pages that failed.
    pub failed: usize,
    /// The configuration that absences are counted under.
    pub fingerprint: &'a str,
    /// Now, on the clock that [`Look::at`] is read from.
    pub at: Duration,
    /// Now.
    pub now: Timestamp,
}

/// What is to be done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decision {
    /// Whether anything may be withdrawn.
    pub gate: Gate,
    /// For each candidate, in order.
    pub verdicts: Vec<Verdict>,
    /// For each candidate, in order: what is to be remembered.
    pub counting: Vec<Counting>,
}

/// Whether this run may withdraw.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Gate {
    /// It may.
    Open,
    /// It may not, and the reasons.
    Shut(Vec<String>),
    /// It would be too much at once; the plan waits for a person.
    Held(Vec<String>),
}

/// What becomes of a candidate.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// It stays.
    Keep(Kept),
    /// It goes to the trash.
    Withdraw(Fate),
}

/// Why a candidate stays.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Kept {
    /// It is still served.
    Unlisted,
    /// Nobody can tell whether it is there.
    Unknown,
    /// It has not been looked at twice with enough time between, or not just now.
    Unconfirmed,
    /// Found gone, but more complete runs have to find it so.
    Pending {
        /// Complete runs that found it gone, this one included.
        runs: u32,
        /// How many are needed.
        needed: u32,
        /// The earliest time.
        due: Timestamp,
    },
    /// The user wants it kept.
    Pinned,
    /// It would go, but nothing is withdrawn in this run: see [`Decision::gate`].
    Gate(Fate),
}

/// What is to be remembered of a candidate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Counting {
    /// Nothing new: a run that can't tell neither counts nor resets.
    Leave,
    /// One more complete run found it gone.
    Count {
        /// By a soft 404.
        soft: bool,
    },
    /// It is there: forget that it was ever missed.
    Reset,
}

/// Decides over all candidates of a run.
pub fn decide(candidates: &[Candidate<'_>], run: &RunFacts<'_>, policy: &Policy) -> Decision {
    let mut verdicts: Vec<Verdict> =
        candidates.iter().map(|candidate| judge(candidate, run, policy)).collect();
    let gate = gate(candidates, &verdicts, run, policy);
    // A run that may not withdraw is no evidence for a later one either.
    let tells = !matches!(gate, Gate::Shut(_));
    let counting = candidates.iter().map(|candidate| count(candidate, run, policy, tells)).collect();
    let is_approved = |path: &StorePath| policy.approved.contains(path);
    for (candidate, verdict) in candidates.iter().zip(&mut verdicts) {
        let may_go = match gate {
            Gate::Open => true,
            Gate::Held(_) => is_approved(candidate.path),
            Gate::Shut(_) => false,
        };
        if let (Verdict::Withdraw(fate), false) = (&*verdict, may_go) {
            *verdict = Verdict::Keep(Kept::Gate(fate.clone()));
        }
    }
    Decision { gate, verdicts, counting }
}

/// One candidate by itself, as if the gate were open.
fn judge(candidate: &Candidate<'_>, run: &RunFacts<'_>, policy: &Policy) -> Verdict {
    let said = match agreed(candidate.looks) {
        None | Some(Said::Unknown) => return Verdict::Keep(Kept::Unknown),
        Some(said) => said,
    };
    if candidate.listed && matches!(said, Said::Gone | Said::SoftGone) {
        return Verdict::Keep(Kept::Unknown);
    }
    if candidate.pinned {
        return Verdict::Keep(Kept::Pinned);
    }
    if said == Said::Alive && policy.mode != PruneMode::Unlisted {
        return Verdict::Keep(Kept::Unlisted);
    }
    if candidate.looks.iter().any(|look| look.said == Said::Unknown) {
        return Verdict::Keep(Kept::Unknown);
    }
    if !is_confirmed(candidate.looks, run.at, policy) {
        return Verdict::Keep(Kept::Unconfirmed);
    }
    let soft = match said {
        Said::Alive => return Verdict::Withdraw(Fate::Unlisted),
        Said::Moved { to } => return Verdict::Withdraw(Fate::Moved { to }),
        Said::Gone => false,
        Said::SoftGone => !planted(Bug::SoftIsPlain),
        Said::Unknown => unreachable!("handled above"),
    };
    let history = candidate.before.filter(|absence| absence.fingerprint == run.fingerprint);
    let runs = 1 + history.map_or(0, |absence| absence.runs);
    let since = history.map_or(run.now, |absence| absence.since);
    let (needed, patience) = policy.mode.patience(soft);
    if runs < needed || run.now.since(since) < patience {
        return Verdict::Keep(Kept::Pending { runs, needed, due: since.plus(patience) });
    }
    match candidate.same_text {
        Some(to) => Verdict::Withdraw(Fate::Moved { to: to.clone() }),
        None => Verdict::Withdraw(Fate::Gone),
    }
}

/// What all looks say together. The most careful word wins: one look that saw it alive outweighs
/// any number that did not, and one that could not tell makes the rest worthless.
fn agreed(looks: &[Look]) -> Option<Said> {
    let mut said = looks.iter().map(|look| &look.said);
    let mut together = said.next()?.clone();
    for said in said {
        together = match (together, said) {
            (Said::Alive, _) | (_, Said::Alive) => Said::Alive,
            (Said::Gone, Said::Gone) => Said::Gone,
            (Said::Gone | Said::SoftGone, Said::Gone | Said::SoftGone) => Said::SoftGone,
            (Said::Moved { to }, Said::Moved { to: again }) if to == *again => Said::Moved { to },
            _ => Said::Unknown,
        };
    }
    Some(together)
}

/// Two looks or more, far enough apart, the last one fresh.
fn is_confirmed(looks: &[Look], at: Duration, policy: &Policy) -> bool {
    let [first, .., last] = looks else { return planted(Bug::OneLook) };
    last.at.saturating_sub(first.at) >= policy.confirm_after
        && at.saturating_sub(last.at) <= policy.fresh_within
}

fn gate(candidates: &[Candidate<'_>], verdicts: &[Verdict], run: &RunFacts<'_>, policy: &Policy) -> Gate {
    let mut shut: Vec<String> = run.doubts.to_vec();
    if !run.whole {
        shut.push("the discovery is not complete".to_owned());
    }
    if policy.mode == PruneMode::Never {
        shut.push("--prune never".to_owned());
    }
    if policy.strict && run.failed > 0 {
        shut.push(format!("--strict, and {} failed", pages(run.failed)));
    }
    let most_ill = (run.stored * policy.max_ill_percent as usize / 100).max(1);
    if run.listed_not_alive > most_ill && !planted(Bug::IllSiteIsFine) {
        shut.push(format!(
            "the site looks ill: {} in its indexes could not be proved alive, and {most_ill} of {} stored is the most",
            pages(run.listed_not_alive),
            run.stored,
        ));
    }
    if !shut.is_empty() {
        return Gate::Shut(shut);
    }
    // What is not proved alive counts, whether it is listed or not and whether it would go or not:
    // so neither an unknown answer nor a new link can bring the number below the limit. Where
    // unlisted pages are to go, being alive is no excuse.
    let counts = |candidate: &&Candidate<'_>| {
        !policy.approved.contains(candidate.path)
            && match agreed(candidate.looks) {
                Some(Said::Alive) => policy.mode == PruneMode::Unlisted,
                Some(Said::Moved { .. }) => false,
                _ => true,
            }
    };
    let at_stake = candidates.iter().filter(counts).count() + run.listed_not_alive_stored;
    let would_go = candidates.iter().zip(verdicts).any(|(candidate, verdict)| {
        matches!(verdict, Verdict::Withdraw(_)) && !policy.approved.contains(candidate.path)
    });
    if let (true, Some(shrunk)) = (would_go, run.shrunk) {
        return Gate::Held(vec![shrunk.to_owned()]);
    }
    if would_go && policy.max_delete.is_exceeded(at_stake, run.stored) && !planted(Bug::NoLimit) {
        return Gate::Held(vec![format!(
            "{} of {} stored {} not there, as far as could be seen, and a run may withdraw {} or {} % by itself (--max-delete)",
            pages(at_stake),
            run.stored,
            if at_stake == 1 { "is" } else { "are" },
            pages(policy.max_delete.pages),
            policy.max_delete.percent,
        )]);
    }
    Gate::Open
}

fn count(candidate: &Candidate<'_>, run: &RunFacts<'_>, policy: &Policy, tells: bool) -> Counting {
    let counts = tells && !candidate.listed && is_confirmed(candidate.looks, run.at, policy);
    match agreed(candidate.looks) {
        Some(Said::Alive) => Counting::Reset,
        Some(Said::Gone) if counts => Counting::Count { soft: false },
        Some(Said::SoftGone) if counts => Counting::Count { soft: true },
        _ => Counting::Leave,
    }
}

pub(crate) fn pages(count: usize) -> String {
    if count == 1 { "1 page".to_owned() } else { format!("{count} pages") }
}

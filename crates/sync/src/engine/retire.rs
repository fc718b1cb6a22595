//! What becomes of stored pages that left the listing. The only place that withdraws.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use futures_util::stream::{FuturesUnordered, StreamExt};
use wholesite_address::StorePath;
use wholesite_discovery::{AskingRules, Decision as Completeness, Inventory};
use wholesite_store::{Absence, Change, Fate, HeldPlan, Lease, Record, Store, StoreError, Withdrawal};

use super::look::{Heard, Looking, judge};
use super::obtain::Directory;
use super::plan::Known;
use super::publish::{Outcome, Publishing};
use super::run::discover;
use crate::prune::{
    Candidate, Counting, Decision, DeleteLimit, Gate, Kept, Look, PruneMode, RunFacts, Said, Verdict,
    Warrant, decide,
};
use crate::report::{PruneLine, PruneReport};
use crate::sabotage::{Bug, planted};
use crate::tally::list;
use crate::{Clock, Job, Origin, Tally};

/// What pruning works with.
pub(crate) struct Retiring<'a, 'o, O, S, C> {
    pub(crate) origin: &'a O,
    pub(crate) store: &'a S,
    pub(crate) clock: &'a C,
    pub(crate) job: &'a Job,
    pub(crate) tally: &'a Tally<'o>,
    pub(crate) lease: &'a Lease,
    pub(crate) directory: &'a Directory,
    pub(crate) outcome: &'a Outcome,
    pub(crate) rules: &'a AskingRules,
}

/// A stored page on its way out, perhaps.
struct Absentee {
    record: Record,
    looks: Vec<Look>,
    same_text: Option<StorePath>,
}

/// Pages that have to be there at the time of the last look.
const CANARIES: usize = 5;

/// Withdrawals that share a transaction: a batch is small enough for its looks to be fresh.
const CHUNK: usize = 64;

impl<O: Origin, S: Store, C: Clock> Retiring<'_, '_, O, S, C> {
    /// Looks, decides, withdraws. Gives the plan that waits for consent, if one does.
    pub(crate) async fn run(
        &self,
        first: Inventory,
        known: &mut Known,
    ) -> Result<Option<HeldPlan>, StoreError> {
        let mut absentees = self.absentees(&first, known);
        let mut doubts = Vec::new();
        if self.job.only_failed {
            doubts.push("--only-failed looks only at pages that failed".to_owned());
        }
        let listed = first.pages().len();
        if absentees.is_empty() {
            self.summarize(&[], None, &Gate::Open);
            return Ok(None);
        }
        self.look(&mut absentees, known, |_| true).await;
        let mut whole = first.is_complete();
        let mut proofs = Vec::new();
        if let Completeness::Complete(proof) = first.into_decision() {
            proofs.push(proof);
        }
        let worth_a_second_look = whole
            && doubts.is_empty()
            && self.job.policy.mode != PruneMode::Never
            && absentees.iter().any(|absentee| self.may_go(absentee));
        if worth_a_second_look {
            self.wait_for_confirmation(&absentees).await;
            match discover(self.origin, self.job, self.tally, true).await {
                Ok(second) => {
                    let still: BTreeSet<&StorePath> = second.pages().iter().map(|page| &page.path).collect();
                    // What the second listing names is listed, whatever the first one said.
                    let listed_after_all = |absentee: &Absentee| {
                        still.contains(&absentee.record.path)
                            && !self.outcome.listed_but_gone.contains(&absentee.record.path)
                            && !self.outcome.aliases.contains_key(&absentee.record.path)
                            && !planted(Bug::OneListing)
                    };
                    let back = absentees.iter().filter(|absentee| listed_after_all(absentee)).count();
                    if back > 0 {
                        doubts.push(format!(
                            "the listing changed during the run: {back} of its pages came back"
                        ));
                    }
                    if !second.is_complete() {
                        whole = false;
                    }
                    if let Completeness::Complete(proof) = second.into_decision() {
                        proofs.push(proof);
                    }
                }
                Err(why) => {
                    whole = false;
                    doubts.push(format!("the second look at the listing failed: {why}"));
                }
            }
            if !planted(Bug::OneLook) {
                self.look(&mut absentees, known, |absentee| self.may_go(absentee)).await;
            }
            doubts.extend(self.ask_canaries(known).await);
        }
        let warrant = match <[_; 2]>::try_from(proofs) {
            Ok(proofs) => {
                let baseline = known.state.baseline.as_ref();
                let scope = baseline.map(|before| before.scope.as_str()).filter(|scope| !scope.is_empty());
                Warrant::new(scope, &self.job.run, proofs)
            }
            Err(_) => None,
        };
        if worth_a_second_look && whole && warrant.is_none() {
            whole = false;
            doubts.push("the site is at another place than in the last complete run".to_owned());
        }
        if worth_a_second_look && self.is_another_kind_of_source(known) {
            let this = if is_live(&self.job.source) { "live site" } else { "local copy or source" };
            doubts.push(format!("the last complete run read something else than this {this}"));
        }
        let facts = Facts { whole, doubts, listed };
        self.carry_out(absentees, facts, warrant, known).await
    }

    /// A source folder lacks pages that its site serves (those that only building it makes), so a first
    /// run that goes from the one to the other takes nothing away.
    fn is_another_kind_of_source(&self, known: &Known) -> bool {
        let before = known.state.baseline.as_ref().map(|before| before.source.as_str());
        before
            .filter(|source| !source.is_empty())
            .is_some_and(|source| is_live(source) != is_live(&self.job.source))
    }

    /// Stored pages that the listing does not account for, listed ones that turned out to be aliases,
    /// and listed ones that have been gone for too long.
    fn absentees(&self, inventory: &Inventory, known: &Known) -> Vec<Absentee> {
        let mut paths = known.absentees(inventory.pages());
        let turned: BTreeSet<StorePath> =
            self.outcome.aliases.keys().chain(&self.outcome.listed_but_gone).cloned().collect();
        paths.extend(turned.into_iter().filter(|path| known.records.contains_key(path)));
        paths.sort();
        paths.dedup();
        paths
            .into_iter()
            .map(|path| {
                let record = known.records[&path].clone();
                let same_text = match self.outcome.added.get(&record.digest).map(Vec::as_slice) {
                    Some([only]) if *only != path => Some(only.clone()),
                    _ => None,
                };
                Absentee { record, looks: Vec::new(), same_text }
            })
            .collect()
    }

    /// Whether what a page said so far could end in a withdrawal.
    fn may_go(&self, absentee: &Absentee) -> bool {
        absentee.looks.iter().all(|look| match look.said {
            Said::Gone | Said::SoftGone | Said::Moved { .. } => true,
            Said::Alive => self.job.policy.mode == PruneMode::Unlisted,
            Said::Unknown => false,
        })
    }

    async fn look(&self, absentees: &mut [Absentee], known: &Known, which: impl Fn(&Absentee) -> bool) {
        let alive = |path: &StorePath| self.outcome.alive.contains(path) && known.records.contains_key(path);
        let round = absentees.iter().map(|absentee| absentee.looks.len()).max().unwrap_or(0) as u64;
        let chosen: Vec<usize> = (0..absentees.len()).filter(|&at| which(&absentees[at])).collect();
        let mut heard: Vec<(usize, Heard)> = Vec::with_capacity(chosen.len());
        {
            let absentees = &*absentees;
            let mut waiting = chosen.into_iter();
            let mut running = FuturesUnordered::new();
            loop {
                while running.len() < self.job.concurrency.max(1)
                    && let Some(at) = waiting.next()
                {
                    running.push(self.look_at(at, &absentees[at].record, known, round));
                }
                let Some(done) = running.next().await else { break };
                heard.push(done);
            }
        }
        // Crowds are told by all looks together, so the order of the answers must not matter.
        heard.sort_by_key(|(at, _)| *at);
        let (places, heard): (Vec<usize>, Vec<Heard>) = heard.into_iter().unzip();
        for (at, look) in places.into_iter().zip(judge(heard, self.directory, &alive)) {
            absentees[at].looks.push(look);
        }
    }

    async fn look_at(&self, at: usize, record: &Record, known: &Known, round: u64) -> (usize, Heard) {
        let looking = Looking {
            origin: self.origin,
            clock: self.clock,
            directory: self.directory,
            probe: self.job.probe(2 + round),
            rules: self.rules,
            max_bytes: self.job.max_page_bytes,
            last_alive: Publishing::<O, S, C>::last_alive(known, record),
        };
        self.tally.at(record.path.as_str());
        (at, looking.look(record).await)
    }

    /// Asks pages that were served a moment ago once more, at the time of the last look. Where one of
    /// them is not there either, no other answer of that time can be believed.
    async fn ask_canaries(&self, known: &Known) -> Option<String> {
        if planted(Bug::NoCanaries) {
            return None;
        }
        let was_served = |record: &&Record| self.outcome.alive.contains(&record.path);
        let mut canaries: Vec<&Record> = known.records.values().filter(was_served).collect();
        // Those that have stayed the same for longest.
        canaries.sort_by(|a, b| (a.changed, &a.path).cmp(&(b.changed, &b.path)));
        for (at, record) in canaries.into_iter().take(CANARIES).enumerate() {
            let (_, heard) = self.look_at(at, record, known, u64::MAX / 2).await;
            let look = judge(vec![heard], self.directory, &|_| false).remove(0);
            if look.said != Said::Alive {
                return Some(format!(
                    "{} was served before, and not at the last look: {}",
                    record.path, look.evidence
                ));
            }
        }
        None
    }

    async fn wait_for_confirmation(&self, absentees: &[Absentee]) {
        let last = absentees.iter().filter_map(|absentee| absentee.looks.last()).map(|look| look.at).max();
        let due = last.unwrap_or_default() + self.job.policy.confirm_after;
        let left = due.saturating_sub(self.clock.elapsed());
        if left > Duration::ZERO {
            tracing::info!("waiting {left:?} before the last look at pages that left the listing");
            self.clock.sleep(left).await;
        }
    }

    fn decide(&self, absentees: &[Absentee], facts: &Facts, known: &Known) -> Decision {
        let candidates = self.candidates(absentees, known);
        // A listed address that has always led to another page is no sign of illness. A page that fails
        // is, and so is one that was served until now and leads elsewhere.
        let never_a_page =
            self.outcome.aliases.keys().filter(|path| !known.records.contains_key(path)).count();
        let not_alive = facts.listed.saturating_sub(self.outcome.alive.len() + never_a_page);
        let stored_not_alive = known
            .failing
            .keys()
            .filter(|path| known.records.contains_key(path) && self.directory.lists(path))
            .filter(|path| !self.outcome.listed_but_gone.contains(path))
            .count();
        let shrunk = self.shrunk(facts, known);
        let facts = RunFacts {
            shrunk: shrunk.as_deref(),
            whole: facts.whole,
            doubts: &facts.doubts,
            stored: known.stored,
            listed_not_alive: not_alive,
            listed_not_alive_stored: stored_not_alive,
            failed: self.outcome.failed,
            fingerprint: &self.job.fingerprint,
            at: self.clock.elapsed(),
            now: self.clock.now(),
        };
        decide(&candidates, &facts, &self.job.policy)
    }

    /// A listing that lost more than a tenth since the last complete one may be another one: an index
    /// that vanished, moved or was cut. What it lacks waits for a person, or for the next run that
    /// finds the same.
    fn shrunk(&self, facts: &Facts, known: &Known) -> Option<String> {
        let baseline =
            known.state.baseline.as_ref().filter(|before| before.fingerprint == self.job.fingerprint)?;
        let before = usize::try_from(baseline.listed).unwrap_or(usize::MAX);
        let lost = before.saturating_sub(facts.listed);
        let limit = DeleteLimit::default();
        limit.is_exceeded(lost, before).then(|| {
            format!("the listing shrank from {before} to {} pages since the last complete run", facts.listed)
        })
    }

    fn candidates<'c>(&self, absentees: &'c [Absentee], known: &'c Known) -> Vec<Candidate<'c>> {
        absentees
            .iter()
            .map(|absentee| Candidate {
                path: &absentee.record.path,
                looks: &absentee.looks,
                before: known.absent.get(&absentee.record.path),
                listed: self.outcome.aliases.contains_key(&absentee.record.path),
                pinned: self.job.policy.keep.matches(&absentee.record.url),
                same_text: absentee.same_text.as_ref(),
            })
            .collect()
    }

    async fn carry_out(
        &self,
        mut absentees: Vec<Absentee>,
        facts: Facts,
        warrant: Option<Warrant>,
        known: &mut Known,
    ) -> Result<Option<HeldPlan>, StoreError> {
        let decision = self.decide(&absentees, &facts, known);
        self.remember(&absentees, &decision, known).await?;
        self.summarize(&absentees, Some(&decision), &decision.gate);
        let held = self.held(&absentees, &decision);
        if let Some(warrant) = warrant {
            self.withdraw(warrant, &mut absentees, &facts, known).await?;
        }
        Ok(held)
    }

    /// Withdraws what the decision lets go. Looks that have grown old since are made again first, and
    /// the decision with them.
    async fn withdraw(
        &self,
        warrant: Warrant,
        absentees: &mut [Absentee],
        facts: &Facts,
        known: &mut Known,
    ) -> Result<(), StoreError> {
        let going = |decision: &Decision| -> Vec<usize> {
            let goes = |(_, verdict): &(usize, &Verdict)| matches!(verdict, Verdict::Withdraw(_));
            decision.verdicts.iter().enumerate().filter(goes).map(|(at, _)| at).collect()
        };
        let planned = going(&self.decide_fresh(absentees, facts, known));
        for chunk in planned.chunks(CHUNK) {
            let stale = |absentee: &Absentee| {
                let last = absentee.looks.last().map(|look| look.at).unwrap_or_default();
                self.clock.elapsed().saturating_sub(last) > self.job.policy.fresh_within
            };
            let chosen: BTreeSet<StorePath> =
                chunk.iter().map(|&at| absentees[at].record.path.clone()).collect();
            self.look(absentees, known, |absentee| chosen.contains(&absentee.record.path) && stale(absentee))
                .await;
            let decision = self.decide(absentees, facts, known);
            for &at in chunk {
                if let Verdict::Withdraw(fate) = &decision.verdicts[at] {
                    self.withdraw_one(&warrant, &absentees[at], fate.clone(), known).await?;
                }
            }
        }
        Ok(())
    }

    /// The decision as it would be if every look were fresh: what is planned.
    fn decide_fresh(&self, absentees: &[Absentee], facts: &Facts, known: &Known) -> Decision {
        let mut policy = self.job.policy.clone();
        policy.fresh_within = Duration::MAX;
        let job = Job { policy, ..self.job.clone() };
        Retiring { job: &job, ..*self }.decide(absentees, facts, known)
    }

    async fn withdraw_one(
        &self,
        warrant: &Warrant,
        absentee: &Absentee,
        fate: Fate,
        known: &mut Known,
    ) -> Result<(), StoreError> {
        let path = &absentee.record.path;
        let now = self.clock.now();
        let why = Withdrawal {
            fate: fate.clone(),
            run: warrant.run().to_owned(),
            at: now,
            evidence: evidence(absentee),
        };
        let mut batch = vec![Change::Withdraw { path: path.clone(), why }];
        if known.absent.contains_key(path) {
            batch.push(Change::ClearAbsence(path.clone()));
        }
        if known.failing.contains_key(path) {
            batch.push(Change::ClearFailing(path.clone()));
        }
        let heir = match &fate {
            Fate::Moved { to } => known.records.get(to).map(|heir| inherit(heir, &absentee.record)),
            _ => None,
        };
        if let Some(heir) = &heir {
            batch.push(Change::Describe(Box::new(heir.clone())));
        }
        match self.store.apply(self.lease, batch).await {
            Ok(()) => {
                known.records.remove(path);
                known.absent.remove(path);
                known.failing.remove(path);
                if let Some(heir) = heir {
                    known.records.insert(heir.path.clone(), heir);
                }
                tracing::warn!("{path} is withdrawn ({}): {}", fate.name(), evidence(absentee));
                self.tally.withdrawn(path.as_str(), matches!(fate, Fate::Moved { .. }));
                self.tally.write(|report| {
                    list(&mut report.prune.withdrawn, line(absentee, fate.name(), Some(&fate)))
                });
            }
            Err(error @ (StoreError::Fenced | StoreError::Full { .. } | StoreError::ReadOnly { .. })) => {
                return Err(error);
            }
            Err(error) => self.tally.delete_failed(path.as_str(), &error.to_string()),
        }
        Ok(())
    }

    /// Writes down what was learned about pages that stay.
    async fn remember(
        &self,
        absentees: &[Absentee],
        decision: &Decision,
        known: &mut Known,
    ) -> Result<(), StoreError> {
        let now = self.clock.now();
        let mut batch = Vec::new();
        for ((absentee, verdict), counting) in
            absentees.iter().zip(&decision.verdicts).zip(&decision.counting)
        {
            let path = &absentee.record.path;
            match counting {
                Counting::Leave => {}
                Counting::Reset => {
                    if known.absent.remove(path).is_some() {
                        batch.push(Change::ClearAbsence(path.clone()));
                    }
                }
                Counting::Count { .. } if planted(Bug::ForgetAbsence) => {}
                Counting::Count { soft } if !matches!(verdict, Verdict::Withdraw(_)) => {
                    let before =
                        known.absent.get(path).filter(|absence| absence.fingerprint == self.job.fingerprint);
                    let absence = Absence {
                        path: path.clone(),
                        runs: 1 + before.map_or(0, |absence| absence.runs),
                        soft: u32::from(*soft) + before.map_or(0, |absence| absence.soft),
                        since: before.map_or(now, |absence| absence.since),
                        last: now,
                        fingerprint: self.job.fingerprint.clone(),
                        evidence: evidence(absentee),
                    };
                    batch.push(Change::SetAbsence(absence));
                }
                Counting::Count { .. } => {}
            }
        }
        if batch.is_empty() { Ok(()) } else { self.store.apply(self.lease, batch).await }
    }

    fn held(&self, absentees: &[Absentee], decision: &Decision) -> Option<HeldPlan> {
        let Gate::Held(why) = &decision.gate else { return None };
        let paths = absentees
            .iter()
            .zip(&decision.verdicts)
            .filter(|(_, verdict)| matches!(verdict, Verdict::Keep(Kept::Gate(_))))
            .map(|(absentee, _)| absentee.record.path.clone())
            .collect();
        Some(HeldPlan { run: self.job.run.clone(), at: self.clock.now(), paths, why: why.clone() })
    }

    fn summarize(&self, absentees: &[Absentee], decision: Option<&Decision>, gate: &Gate) {
        let mut report =
            PruneReport { mode: self.job.policy.mode.name().to_owned(), ..PruneReport::default() };
        (report.gate, report.why) = match (gate, absentees.is_empty()) {
            (_, true) => ("idle".to_owned(), Vec::new()),
            (Gate::Open, _) => ("open".to_owned(), Vec::new()),
            (Gate::Shut(why), _) => ("shut".to_owned(), why.clone()),
            (Gate::Held(why), _) => ("held".to_owned(), why.clone()),
        };
        let verdicts = decision.map(|decision| decision.verdicts.as_slice()).unwrap_or_default();
        for (absentee, verdict) in absentees.iter().zip(verdicts) {
            let Verdict::Keep(kept) = verdict else { continue };
            if let (Kept::Gate(fate), Gate::Held(_)) = (kept, gate) {
                report.held += 1;
                list(&mut report.held_pages, line(absentee, fate.name(), Some(fate)));
            } else {
                report.kept += 1;
                list(&mut report.kept_pages, line(absentee, &in_words(kept), None));
            }
        }
        self.tally.write(|all| all.prune = report);
    }
}

/// What holds for the run.
struct Facts {
    whole: bool,
    doubts: Vec<String>,
    listed: usize,
}

/// The page that another one moved to takes over its age and its addresses.
fn inherit(heir: &Record, from: &Record) -> Record {
    let mut heir = heir.clone();
    heir.first_seen = heir.first_seen.min(from.first_seen);
    heir.aliases.push(from.url.clone());
    heir.aliases.extend(from.aliases.iter().cloned());
    heir.aliases.retain(|url| *url != heir.url);
    heir.aliases.sort();
    heir.aliases.dedup();
    heir
}

fn evidence(absentee: &Absentee) -> String {
    let looks: Vec<String> = absentee
        .looks
        .iter()
        .map(|look| format!("after {} s: {}", look.at.as_secs(), look.evidence))
        .collect();
    looks.join(" | ")
}

fn line(absentee: &Absentee, verdict: &str, fate: Option<&Fate>) -> PruneLine {
    PruneLine {
        path: absentee.record.path.to_string(),
        url: absentee.record.url.to_string(),
        verdict: verdict.to_owned(),
        to: match fate {
            Some(Fate::Moved { to }) => Some(to.to_string()),
            _ => None,
        },
        evidence: absentee.looks.last().map(|look| look.evidence.clone()).unwrap_or_default(),
    }
}

fn in_words(kept: &Kept) -> String {
    match kept {
        Kept::Unlisted => "unlisted: still served".to_owned(),
        Kept::Unknown => "unknown: it can't be told whether it is there".to_owned(),
        Kept::Unconfirmed => "unconfirmed: not looked at twice".to_owned(),
        Kept::Pending { runs, needed, due } => {
            format!("pending: found gone in {runs} of {needed} complete runs, due {due}")
        }
        Kept::Pinned => "kept: by your own --keep".to_owned(),
        Kept::Gate(fate) => format!("{}, but nothing is withdrawn in this run", fate.name()),
    }
}

/// Entries of the trash whose time is over. Never in a run that withdrew.
pub(crate) async fn purge<S: Store>(
    store: &S,
    lease: &Lease,
    known: &Known,
    job: &Job,
    now: wholesite_store::Timestamp,
    tally: &Tally<'_>,
) -> Result<(), StoreError> {
    let due: BTreeMap<u64, &StorePath> = known
        .all_trash
        .iter()
        .filter(|entry| now.since(entry.withdrawal.at) > job.policy.retention)
        .map(|entry| (entry.id, &entry.page.record.path))
        .collect();
    for (id, path) in due {
        store.apply(lease, vec![Change::Purge { id }]).await?;
        tracing::warn!(
            "{path} is removed from the trash for good, after {} days",
            job.policy.retention.as_secs() / 86_400
        );
        tally.write(|report| report.prune.purged += 1);
    }
    Ok(())
}

/// Whether a source is a site on the web rather than something on disk.
fn is_live(source: &str) -> bool {
    source.starts_with("http://") || source.starts_with("https://")
}

//! Running a scenario, and the laws that it is held to.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use wholesite_store::{Change, Fate as Left, Store};
use wholesite_sync::prune::PruneMode;
use wholesite_sync::{
    Clock, Hooks, Job, PageSyncProgress, Site, Stage, SyncError, SyncReport, SyncStatus, Tally, sync,
};

use super::faults::KINDS;
use super::scenario::{Edit, Scenario, Step};
use crate::{SimClock, StoreFault, WatchedStore, Web, World, job, site};

/// What a scenario came across, so that a whole campaign can tell what it never met.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Reached {
    /// Pages withdrawn as gone.
    pub gone: u32,
    /// Pages withdrawn as moved.
    pub moved: u32,
    /// Runs whose gate was shut.
    pub shut: u32,
    /// Runs with a held plan.
    pub held: u32,
    /// Pages kept though unlisted.
    pub kept: u32,
    /// Pages that failed.
    pub failed: u32,
    /// Runs that were cancelled.
    pub cancelled: u32,
    /// Runs that died.
    pub crashed: u32,
    /// Runs that the store ended.
    pub store_errors: u32,
    /// Pages of which it was unknown whether they were written.
    pub unknown: u32,
    /// Pages that came back from the trash.
    pub restored: u32,
    /// Texts replaced.
    pub changed: u32,
    /// Partial discoveries.
    pub partial: u32,
    /// Soft 404s that wait for another run.
    pub pending: u32,
    /// Kinds of trouble that came to pass, on the way and in the store.
    pub trouble: BTreeSet<&'static str>,
}

impl Reached {
    /// Adds up.
    pub fn add(&mut self, other: Reached) {
        let Reached {
            gone,
            moved,
            shut,
            held,
            kept,
            failed,
            cancelled,
            crashed,
            store_errors,
            unknown,
            restored,
            changed,
            partial,
            pending,
            trouble,
        } = other;
        self.trouble.extend(trouble);
        self.gone += gone;
        self.moved += moved;
        self.shut += shut;
        self.held += held;
        self.kept += kept;
        self.failed += failed;
        self.cancelled += cancelled;
        self.crashed += crashed;
        self.store_errors += store_errors;
        self.unknown += unknown;
        self.restored += restored;
        self.changed += changed;
        self.partial += partial;
        self.pending += pending;
    }

    /// What was never met.
    pub fn missing(&self) -> Vec<&'static str> {
        let trouble = KINDS.into_iter().chain(StoreFault::ALL.map(StoreFault::name));
        let never = trouble.filter(|kind| !self.trouble.contains(kind));
        [
            (self.gone, "gone"),
            (self.moved, "moved"),
            (self.shut, "shut"),
            (self.held, "held"),
            (self.kept, "kept"),
            (self.failed, "failed"),
            (self.cancelled, "cancelled"),
            (self.crashed, "crashed"),
            (self.store_errors, "store_errors"),
            (self.unknown, "unknown"),
            (self.restored, "restored"),
            (self.changed, "changed"),
            (self.partial, "partial"),
            (self.pending, "pending"),
        ]
        .into_iter()
        .filter(|(count, _)| *count == 0)
        .map(|(_, name)| name)
        .chain(never)
        .collect()
    }
}

/// The truth about pages over time, as far as the laws need it.
#[derive(Debug, Default)]
struct Truth {
    /// Every text that a page ever had.
    texts: BTreeMap<String, BTreeSet<String>>,
    /// Pages that have been served without a break since this run began.
    steady: BTreeSet<String>,
    /// Pages that a fault of this run denies.
    denied: BTreeSet<String>,
    /// Pages that are stored.
    live: BTreeSet<String>,
    violations: Vec<String>,
    reached: Reached,
}

type Shared = Arc<Mutex<Truth>>;

fn lock(truth: &Shared) -> std::sync::MutexGuard<'_, Truth> {
    truth.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The path of a page in the store.
fn stored(page: &str) -> String {
    format!("{page}.md")
}

fn page_of(path: &str) -> String {
    path.trim_end_matches(".md").to_owned()
}

/// Runs a scenario.
///
/// # Errors
/// The laws that were broken.
pub fn run(scenario: &Scenario) -> Result<Reached, String> {
    crate::simulate(play(scenario))
}

async fn play(scenario: &Scenario) -> Result<Reached, String> {
    let mut world = World { absent: scenario.absent, ..World::default() };
    for n in 0..scenario.pages {
        world.put(&name(n, scenario.nested), 1);
    }
    if scenario.nested {
        world.nested.insert("n".to_owned());
    }
    let first = world.clone();
    let (web, store) = (Web::new(world), WatchedStore::new());
    let truth: Shared = Shared::default();
    lock(&truth).learn(&web.world());
    store.witness({
        let (truth, web) = (Arc::clone(&truth), web.clone());
        move |batch| lock(&truth).witness(batch, &web.world())
    });
    let mut version = 1;
    let mut number = 0;
    sync_step(scenario, &Step::default(), &web, &store, &truth, &first, &mut version, &mut number).await?;
    for step in &scenario.steps {
        tokio::time::sleep(Duration::from_secs(step.hours * 3600)).await;
        for edit in &step.edits {
            version += 1;
            web.change(|world| apply(world, *edit, version, scenario.nested));
        }
        lock(&truth).learn(&web.world());
        sync_step(scenario, step, &web, &store, &truth, &first, &mut version, &mut number).await?;
    }
    converge(scenario, &web, &store, &truth, &first, &mut version, &mut number).await?;
    let reached = lock(&truth).reached.clone();
    Ok(reached)
}

/// After everything that went wrong is over, the store becomes the site, and then stays as it is.
async fn converge(
    scenario: &Scenario,
    web: &Web,
    store: &WatchedStore,
    truth: &Shared,
    first: &World,
    version: &mut u32,
    number: &mut usize,
) -> Result<(), String> {
    let calm = Step { hours: 30, ..Step::default() };
    let runs = if scenario.mode == PruneMode::Cautious { 8 } else { 4 };
    for _ in 0..runs {
        tokio::time::sleep(Duration::from_secs(calm.hours * 3600)).await;
        sync_step(scenario, &calm, web, store, truth, first, version, number).await?;
    }
    let world = web.world();
    let now: BTreeMap<String, String> = texts(store).await;
    let mut faults = Vec::new();
    for page in world.listed() {
        match now.get(&stored(page)) {
            None => faults.push(format!("L2: {page} is listed and served, but not stored")),
            Some(text) if *text != world.pages[page] => {
                faults.push(format!("L2: {page} has an old or wrong text"))
            }
            Some(_) => {}
        }
    }
    if scenario.mode != PruneMode::Never {
        for path in now.keys().filter(|path| *path != "/index.md") {
            if !world.serves(&page_of(path)) {
                faults.push(format!("L1: {path} is gone from the site, but stored"));
            }
        }
    }
    // I17: nothing to do, nothing written.
    let writes = Arc::new(Mutex::new(Vec::new()));
    store.witness({
        let writes = Arc::clone(&writes);
        move |batch| writes.lock().unwrap_or_else(PoisonError::into_inner).extend_from_slice(batch)
    });
    sync_step(scenario, &calm, web, store, truth, first, version, number).await?;
    for change in writes.lock().unwrap_or_else(PoisonError::into_inner).iter() {
        let is_bookkeeping = matches!(change, Change::SaveRun(_) | Change::SetState(_) | Change::ForgetRevisions { .. })
            // A page that is neither to be withdrawn nor alive is counted on.
            || (scenario.mode == PruneMode::Never && matches!(change, Change::SetAbsence(_)));
        if !is_bookkeeping {
            faults.push(format!("I17: a run with nothing to do wrote {change:?}"));
        }
    }
    if faults.is_empty() { Ok(()) } else { Err(faults.join("\n")) }
}

#[allow(clippy::too_many_arguments)]
async fn sync_step(
    scenario: &Scenario,
    step: &Step,
    web: &Web,
    store: &WatchedStore,
    truth: &Shared,
    first: &World,
    version: &mut u32,
    number: &mut usize,
) -> Result<(), String> {
    *number += 1;
    let before = texts(store).await;
    let state = store.state(&site()).await.ok().flatten().unwrap_or_default();
    let mut job: Job = job(*number);
    job.concurrency = scenario.concurrency;
    job.policy.mode = scenario.mode;
    // A person looks at held plans between the runs, and consents.
    if let Some(held) = state.held {
        job.policy.approved = held.paths.into_iter().collect();
    }
    lock(truth).begin(&web.world(), step);
    let cancel = arrange(step, scenario, web, truth, first, version);
    store.fail(step.store);
    let seen = Arc::new(Mutex::new(Vec::<PageSyncProgress>::new()));
    let ended = {
        let seen = Arc::clone(&seen);
        let mut observer = move |progress: &PageSyncProgress| {
            seen.lock().unwrap_or_else(PoisonError::into_inner).push(progress.clone());
        };
        let tally = Tally::new(Some(&mut observer));
        let origin = Site { seed: web.seed(), fetch: web.clone(), concurrency: 8 };
        let hooks = Hooks::default();
        let work = sync(&origin, store, &SimClock, &job, &hooks, &tally, cancel.clone().wait());
        tokio::select! {
            biased;
            ended = work => Some(ended),
            // The process is gone: everything it held is dropped.
            () = store.died() => None,
        }
    };
    web.heal();
    if let Some((_, fault)) = step.store.filter(|_| !store.is_armed()) {
        lock(truth).reached.trouble.insert(fault.name());
    }
    store.fail(None);
    let after = texts(store).await;
    let applied = store.applied();
    tokio::time::sleep(Duration::from_secs(90)).await;
    if store.applied() != applied {
        return Err("I16: something was written after the run ended".to_owned());
    }
    let seen = seen.lock().unwrap_or_else(PoisonError::into_inner).clone();
    let mut truth = lock(truth);
    truth.check_progress(&seen, ended.as_ref().and_then(|ended| ended.as_ref().ok()));
    match &ended {
        None => truth.reached.crashed += 1,
        Some(Ok(report)) => {
            truth.check_report(report, &before, &after);
            let lost = report.deleted - report.moved;
            if job.policy.approved.is_empty() && job.policy.max_delete.is_exceeded(lost, before.len()) {
                truth.break_law(format!("I6: {lost} of {} pages went at once", before.len()));
            }
        }
        Some(Err(SyncError::Cancelled(_))) => truth.reached.cancelled += 1,
        Some(Err(SyncError::Store(_))) => truth.reached.store_errors += 1,
        Some(Err(SyncError::NothingDiscovered { .. })) => truth.reached.partial += 1,
        Some(Err(error)) => truth.violations.push(format!("the run failed: {error}")),
    }
    if truth.violations.is_empty() { Ok(()) } else { Err(std::mem::take(&mut truth.violations).join("\n")) }
}

/// Rings once a run is to be cancelled.
#[derive(Clone)]
struct Bell(Arc<tokio::sync::Notify>);

impl Bell {
    async fn wait(self) {
        self.0.notified().await;
    }
}

fn arrange(
    step: &Step,
    scenario: &Scenario,
    web: &Web,
    truth: &Shared,
    first: &World,
    version: &mut u32,
) -> Bell {
    let bell = Bell(Arc::default());
    let (ring, faults, first) = (bell.clone(), step.faults.clone(), first.clone());
    let (mut meanwhile, cancel, nested) = (step.meanwhile, step.cancel, scenario.nested);
    *version += 1;
    let (version, truth, mut count) = (*version, Arc::clone(truth), 0_u32);
    let begun = SimClock.elapsed();
    let changing = web.clone();
    web.fault(move |asked| {
        count += 1;
        if cancel.is_some_and(|after| count == after + 1) {
            ring.0.notify_one();
        }
        if let Some((after, edit)) = meanwhile
            && count > after
        {
            meanwhile = None;
            let (changing, truth) = (changing.clone(), Arc::clone(&truth));
            // The site is being asked right now; it changes a moment later.
            tokio::spawn(async move {
                changing.change(|world| apply(world, edit, version, nested));
                lock(&truth).learn(&changing.world());
            });
        }
        let since = asked.at.saturating_sub(begun);
        let open = faults.iter().filter(|(fault, window)| fault.is_plausible_page() || window.is_open(since));
        let (kind, answer) = open
            .map(|(fault, _)| fault)
            .find_map(|fault| Some((fault.kind(), fault.answer(asked, &first)?)))?;
        lock(&truth).reached.trouble.insert(kind);
        Some(answer)
    });
    bell
}

async fn texts(store: &WatchedStore) -> BTreeMap<String, String> {
    let mut texts = BTreeMap::new();
    for record in store.catalogue(&site()).await.expect("a catalogue") {
        let page = store.page(&site(), &record.path).await.expect("a read").expect("a live page");
        texts.insert(page.record.path.to_string(), page.text);
    }
    texts
}

fn name(n: u64, nested: bool) -> String {
    if nested && n.is_multiple_of(3) { format!("/n/p{n:02}") } else { format!("/p{n:02}") }
}

fn apply(world: &mut World, edit: Edit, version: u32, nested: bool) {
    match edit {
        Edit::Put(n) => {
            let name = name(n, nested);
            world.moved.remove(&name);
            world.put(&name, version);
        }
        Edit::Rewrite(n) => {
            let name = name(n, nested);
            if world.pages.contains_key(&name) {
                let text =
                    format!("# Rewritten as {version}\n\nNothing of {name} is as it was, said {version}.\n");
                world.pages.insert(name, text);
            }
        }
        Edit::Remove(n) => {
            world.pages.remove(&name(n, nested));
        }
        Edit::Delist(n) => {
            world.delisted.insert(name(n, nested));
        }
        Edit::Relist(n) => {
            world.delisted.remove(&name(n, nested));
        }
        Edit::Move(n) => {
            let (from, to) = (name(n, nested), format!("/moved/p{n:02}v{version}"));
            if let Some(text) = world.pages.remove(&from) {
                world.pages.insert(to.clone(), text);
                world.moved.insert(from, to);
            }
        }
    }
}

impl Truth {
    fn learn(&mut self, world: &World) {
        for (page, text) in &world.pages {
            self.texts.entry(page.clone()).or_default().insert(text.clone());
        }
        // What a redirect leads to for good is what the page says now.
        for (from, to) in &world.moved {
            if let Some(text) = world.pages.get(to) {
                self.texts.entry(from.clone()).or_default().insert(text.clone());
            }
        }
        self.steady.retain(|page| world.serves(page));
    }

    fn begin(&mut self, world: &World, step: &Step) {
        self.steady = world.pages.keys().cloned().collect();
        // A fault that denies some pages while it lets others through can't be told from a removal, but
        // where it hits so many of the listed ones that the site looks ill, nothing may go at all.
        let listed: Vec<&String> = world.listed().collect();
        let hits = |page: &str| {
            step.faults.iter().any(|(fault, window)| window.covers_publishing() && fault.denies(page))
        };
        let hit = listed.iter().filter(|page| hits(page)).count();
        let looks_ill = hit > (self.live.len() * 5 / 100).max(1);
        let denied = |page: &&String| step.faults.iter().any(|(fault, _)| fault.denies(page));
        self.denied = world.pages.keys().filter(denied).filter(|_| !looks_ill).cloned().collect();
    }

    fn break_law(&mut self, what: String) {
        self.violations.push(what);
    }

    /// A batch was written.
    fn witness(&mut self, batch: &[Change], world: &World) {
        for change in batch {
            match change {
                Change::Publish { page, .. } if page.record.path.as_str() != "/index.md" => {
                    let name = page_of(page.record.path.as_str());
                    let known = self.texts.get(&name).is_some_and(|texts| texts.contains(&page.text));
                    // Nothing tells an error from a page that was never seen before.
                    let is_first = self.live.insert(name.clone()) && page.text == super::faults::PLAUSIBLE;
                    if !known && !is_first {
                        self.break_law(format!(
                            "I10: {name} was published with a text it never had:\n{}",
                            page.text
                        ));
                    }
                }
                Change::Withdraw { path, why } => {
                    let name = page_of(path.as_str());
                    self.live.remove(&name);
                    if self.steady.contains(&name) && !self.denied.contains(&name) {
                        self.break_law(format!(
                            "I1: {name} was served all the time and is withdrawn: {why:?}"
                        ));
                    }
                    match &why.fate {
                        Left::Moved { to } => {
                            self.reached.moved += 1;
                            if !world.serves(&page_of(to.as_str()))
                                && self.steady.contains(&page_of(to.as_str()))
                            {
                                self.break_law(format!("I9: {name} moved to {to}, which is not there"));
                            }
                        }
                        _ => self.reached.gone += 1,
                    }
                }
                Change::Restore { .. } => self.reached.restored += 1,
                _ => {}
            }
        }
    }

    /// I15: the report is the difference of the store. I6: never more than the limit.
    fn check_report(
        &mut self,
        report: &SyncReport,
        before: &BTreeMap<String, String>,
        after: &BTreeMap<String, String>,
    ) {
        let added = after.keys().filter(|path| !before.contains_key(*path)).count();
        let deleted = before.keys().filter(|path| !after.contains_key(*path)).count();
        let changed =
            after.iter().filter(|(path, text)| before.get(*path).is_some_and(|old| old != *text)).count();
        let counted = (report.added, report.changed, report.deleted);
        if report.unknown == 0 && report.prune.failed == 0 && counted != (added, changed, deleted) {
            self.break_law(format!(
                "I15: the report says {counted:?}, the store {:?}",
                (added, changed, deleted)
            ));
        }
        let parts = report.updated + report.unchanged + report.failed + report.skipped + report.unknown;
        if parts != report.discovered {
            self.break_law(format!("I21: {parts} pages are accounted for of {}", report.discovered));
        }
        let open = report.failed > 0
            || report.unknown > 0
            || !report.discovery.complete
            || report.prune.held > 0
            || report.prune.failed > 0;
        if open != (report.status == SyncStatus::Partial) {
            self.break_law(format!("the status is {:?}: {report:#?}", report.status));
        }
        if !report.discovery.complete && report.deleted > 0 {
            self.break_law("I4: withdrawn by a partial run".to_owned());
        }
        let reached = &mut self.reached;
        reached.shut += u32::from(report.prune.gate == "shut");
        reached.held += u32::from(report.prune.gate == "held");
        reached.kept += report.prune.kept as u32;
        reached.failed += report.failed as u32;
        reached.unknown += report.unknown as u32;
        reached.changed += report.changed as u32;
        reached.partial += u32::from(!report.discovery.complete);
        reached.pending +=
            report.prune.kept_pages.iter().filter(|line| line.verdict.starts_with("pending")).count() as u32;
    }

    /// I21: counts never shrink, stages go forward, and the last snapshot equals the report.
    fn check_progress(&mut self, seen: &[PageSyncProgress], report: Option<&SyncReport>) {
        let rank = |stage: Stage| match stage {
            Stage::Waiting => 0,
            Stage::Discovered => 1,
            Stage::Publishing => 2,
            Stage::Pruning => 3,
        };
        for pair in seen.windows(2) {
            let [a, b] = pair else { continue };
            let shrinks = b.processed < a.processed
                || b.updated < a.updated
                || b.failed < a.failed
                || b.deleted < a.deleted;
            if shrinks || rank(b.stage) < rank(a.stage) || b.processed > b.discovered {
                self.break_law(format!("I21: progress went from {a:?} to {b:?}"));
            }
        }
        if let (Some(last), Some(report)) = (seen.last(), report) {
            let told = (last.discovered, last.updated, last.deleted, last.failed, last.unknown);
            let said = (report.discovered, report.updated, report.deleted, report.failed, report.unknown);
            if told != said {
                self.break_law(format!("I21: the last snapshot says {told:?}, the report {said:?}"));
            }
        }
    }
}

//! One sync, from the lease to the report.

use std::future::Future;
use std::pin::pin;

use futures_util::future::{Either, select};
use wholesite_discovery::{Inventory, Page};
use wholesite_store::{Baseline, Change, Holder, Lease, Record, RunRecord, SiteState, Store, StoreError};

use super::obtain::Directory;
use super::plan::Known;
use super::publish::Publishing;
use super::retire::{Retiring, purge};
use crate::report::{BlockerLine, LISTED};
use crate::sabotage::{Bug, planted};
use crate::{Clock, Job, Origin, Progress, Stage, SyncError, SyncReport, SyncStatus, Tally};

/// Looks at a listing before anything is fetched: what was discovered, and what is published.
pub type Validate<'h> = dyn Fn(&Inventory, &[Record]) -> Result<(), String> + Send + Sync + 'h;
/// Changes the text of a page before it is stored.
pub type Transform<'h> = dyn Fn(&Page, String) -> String + Send + Sync + 'h;

/// What users can hook in.
#[derive(Default)]
pub struct Hooks<'h> {
    /// Refuses a listing.
    pub validate: Option<Box<Validate<'h>>>,
    /// Changes texts. Must give the same text for the same page every time.
    pub transform: Option<Box<Transform<'h>>>,
}

/// Syncs a site into a store. Dropping the future stops it at once, as `cancel` does when it is done:
/// requests end, the lease is given back, what was published stays, and nothing more is withdrawn.
///
/// # Errors
/// [`SyncError`]. A page that fails, or an incomplete discovery, is no error but part of the report.
pub async fn sync<O: Origin, S: Store, C: Clock>(
    origin: &O,
    store: &S,
    clock: &C,
    job: &Job,
    hooks: &Hooks<'_>,
    tally: &Tally<'_>,
    cancel: impl Future<Output = ()> + Send,
) -> Result<SyncReport, SyncError> {
    let started = clock.now();
    tally.write(|report| {
        report.site = job.site.to_string();
        report.source = job.source.clone();
        report.run = job.run.clone();
        report.dry_run = job.dry_run;
        report.started = started;
    });
    let holder = Holder { run: job.run.clone(), process: job.process, since: started };
    let lease = store.acquire(&job.site, holder, started, job.lease).await?;
    let run = Run { origin, store, clock, job, hooks, tally, lease: &lease };
    let ended = {
        let work = pin!(run.work());
        let renew = pin!(run.keep_the_lease());
        let cancel = pin!(cancel);
        match select(select(work, renew), cancel).await {
            Either::Left((Either::Left((ended, _)), _)) => Some(ended),
            Either::Left((Either::Right((error, _)), _)) => Some(Err(error.into())),
            Either::Right((_, work)) if planted(Bug::DeafToCancel) => match work.await {
                Either::Left((ended, _)) => Some(ended),
                Either::Right((error, _)) => Some(Err(error.into())),
            },
            Either::Right(_) => None,
        }
    };
    tally.write(|report| report.ended = clock.now());
    let Some(ended) = ended else {
        tally.stopped();
        let report = tally.report();
        run.save_run("cancelled", &report).await?;
        return Err(SyncError::Cancelled(Box::new(report)));
    };
    if let Err(error) = &ended {
        tracing::error!("the sync of {} failed: {error}", job.site);
        // Whatever is wrong with the store may keep this from being written too.
        let _ = run.save_run("failed", &tally.report()).await;
    }
    ended
}

/// One look at the listing.
pub(super) async fn discover<O: Origin>(
    origin: &O,
    job: &Job,
    tally: &Tally<'_>,
    again: bool,
) -> Result<Inventory, String> {
    let mut options = job.discovery.clone();
    options.run = job.run.clone();
    options.probe = job.probe(if again { 101 } else { 100 });
    let mut on_progress = |progress: Progress<'_>| tally.at(progress.asking.as_str());
    origin.discover(options, again, &mut on_progress).await
}

struct Run<'a, 'o, O, S, C> {
    origin: &'a O,
    store: &'a S,
    clock: &'a C,
    job: &'a Job,
    hooks: &'a Hooks<'a>,
    tally: &'a Tally<'o>,
    lease: &'a Lease,
}

impl<O: Origin, S: Store, C: Clock> Run<'_, '_, O, S, C> {
    /// Renews the lease for ever; ends only when it is lost.
    async fn keep_the_lease(&self) -> StoreError {
        loop {
            self.clock.sleep(self.job.lease / 3).await;
            match self.store.renew(self.lease, self.clock.now(), self.job.lease).await {
                Err(error @ StoreError::Fenced) => return error,
                Err(error) => self.tally.warn(format!("the lease could not be renewed: {error}")),
                Ok(()) => {}
            }
        }
    }

    async fn work(&self) -> Result<SyncReport, SyncError> {
        let mut known = Known::read(self.store, &self.job.site).await?;
        self.open_the_run(&known).await?;
        let begun = self.clock.elapsed();
        let inventory =
            discover(self.origin, self.job, self.tally, false).await.map_err(SyncError::Source)?;
        self.note(&inventory);
        if let Some(validate) = &self.hooks.validate {
            let records: Vec<Record> = known.records.values().cloned().collect();
            validate(&inventory, &records).map_err(SyncError::Refused)?;
        }
        if inventory.pages().is_empty() {
            let blockers = inventory.blockers();
            let why =
                blockers.first().map_or_else(|| "it lists none".to_owned(), |first| first.message.clone());
            let report = Box::new(self.tally.report());
            return Err(SyncError::NothingDiscovered { site: self.job.site.to_string(), why, report });
        }
        self.tally.discovered(inventory.pages().len());
        let discovered = self.clock.elapsed();

        self.tally.enter(Stage::Publishing);
        let directory = Directory::new(inventory.pages(), inventory.aliases(), inventory.scope().clone());
        let publishing = Publishing {
            origin: self.origin,
            store: self.store,
            clock: self.clock,
            job: self.job,
            tally: self.tally,
            hooks: self.hooks,
            lease: self.lease,
            directory: &directory,
            made_by: self.job.made_by(),
        };
        let chosen: Vec<Page> = if self.job.only_failed {
            inventory.pages().iter().filter(|page| known.failing.contains_key(&page.path)).cloned().collect()
        } else {
            Vec::new()
        };
        let pages = if self.job.only_failed { chosen.as_slice() } else { inventory.pages() };
        let outcome = publishing.run(pages, &mut known).await?;
        let published = self.clock.elapsed();

        self.tally.enter(Stage::Pruning);
        let listed = inventory.pages().len();
        let complete = inventory.is_complete();
        if complete {
            self.forget_failures_of_unlisted(&directory, &mut known).await?;
        }
        let rules = inventory.asking_rules();
        let retiring = Retiring {
            origin: self.origin,
            store: self.store,
            clock: self.clock,
            job: self.job,
            tally: self.tally,
            lease: self.lease,
            directory: &directory,
            outcome: &outcome,
            rules: &rules,
        };
        let held = retiring.run(inventory, &mut known).await?;
        let withdrew = self.tally.report().deleted > 0;
        if !withdrew {
            purge(self.store, self.lease, &known, self.job, self.clock.now(), self.tally).await?;
        }
        let pruned = self.clock.elapsed();

        self.tally.write(|report| {
            let ms = |from: std::time::Duration, to: std::time::Duration| {
                to.saturating_sub(from).as_millis() as u64
            };
            report.cost.discovery_ms = ms(begun, discovered);
            report.cost.publishing_ms = ms(discovered, published);
            report.cost.pruning_ms = ms(published, pruned);
            report.ended = self.clock.now();
            report.status = status(report, complete, self.job.only_failed);
        });
        let report = self.tally.report();
        let scope = directory.scope().to_string();
        self.close_the_run(&report, known.state, held, complete, listed as u64, scope).await?;
        Ok(report)
    }

    fn note(&self, inventory: &Inventory) {
        let line = |blocker: &wholesite_discovery::Blocker| BlockerLine {
            code: blocker.code.name().to_owned(),
            url: blocker.url.clone(),
            document: blocker.at.as_ref().map(|at| at.document.clone()),
            line: blocker.at.as_ref().map(|at| at.place.line),
            message: blocker.message.clone(),
            help: blocker.help.clone(),
        };
        self.tally.write(|report| {
            let found = &mut report.discovery;
            found.complete = inventory.is_complete();
            found.documents = inventory.ledger().documents().len();
            found.links = inventory.ledger().entries().len();
            found.blocker_count = inventory.blockers().len();
            found.blockers = inventory.blockers().iter().take(LISTED).map(line).collect();
        });
    }

    /// A run that a killed process left open is closed as what it is.
    async fn open_the_run(&self, known: &Known) -> Result<(), StoreError> {
        let mut batch = Vec::new();
        for run in self.store.runs(&self.job.site, 1).await? {
            if run.status == "running" {
                batch.push(Change::SaveRun(Box::new(RunRecord { status: "interrupted".to_owned(), ..run })));
            }
        }
        if known.state.source != self.job.source {
            let state = SiteState { source: self.job.source.clone(), ..known.state.clone() };
            batch.push(Change::SetState(Box::new(state)));
        }
        batch.push(Change::SaveRun(Box::new(RunRecord {
            id: self.job.run.clone(),
            started: self.tally.report().started,
            ended: None,
            status: "running".to_owned(),
            report: String::new(),
        })));
        self.store.apply(self.lease, batch).await
    }

    fn run_record(&self, status: &str, report: &SyncReport) -> Change {
        Change::SaveRun(Box::new(RunRecord {
            id: self.job.run.clone(),
            started: report.started,
            ended: Some(self.clock.now()),
            status: status.to_owned(),
            report: serde_json::to_string(report).unwrap_or_default(),
        }))
    }

    async fn save_run(&self, status: &str, report: &SyncReport) -> Result<(), StoreError> {
        self.store.apply(self.lease, vec![self.run_record(status, report)]).await
    }

    async fn close_the_run(
        &self,
        report: &SyncReport,
        state: SiteState,
        held: Option<wholesite_store::HeldPlan>,
        complete: bool,
        listed: u64,
        scope: String,
    ) -> Result<(), StoreError> {
        let baseline = if complete {
            let (run, at, fingerprint) = (self.job.run.clone(), report.ended, self.job.fingerprint.clone());
            let source = self.job.source.clone();
            Some(Baseline { run, at, listed, fingerprint, scope, source })
        } else {
            state.baseline
        };
        // A run that could not decide leaves an older plan as it is.
        let decided = matches!(report.prune.gate.as_str(), "idle" | "open" | "held");
        let held = if complete && decided { held } else { held.or(state.held) };
        let state = SiteState {
            source: self.job.source.clone(),
            last_run: Some(self.job.run.clone()),
            last_ended: Some(report.ended),
            baseline,
            held,
            soft_404: state.soft_404,
        };
        let forget = Change::ForgetRevisions {
            replaced_before: wholesite_store::Timestamp(
                report.ended.0.saturating_sub(self.job.policy.retention.as_millis() as i64),
            ),
        };
        let batch =
            vec![self.run_record(report.status.name(), report), Change::SetState(Box::new(state)), forget];
        self.store.apply(self.lease, batch).await
    }

    /// A page that is listed no more and was never stored can't fail any longer.
    async fn forget_failures_of_unlisted(
        &self,
        directory: &Directory,
        known: &mut Known,
    ) -> Result<(), StoreError> {
        let over: Vec<_> = known.failing.keys().filter(|path| !directory.lists(path)).cloned().collect();
        if over.is_empty() {
            return Ok(());
        }
        for path in &over {
            known.failing.remove(path);
        }
        self.store.apply(self.lease, over.into_iter().map(Change::ClearFailing).collect()).await
    }
}

fn status(report: &SyncReport, complete: bool, only_failed: bool) -> SyncStatus {
    let open = report.failed > 0 || report.unknown > 0 || report.prune.failed > 0 || report.prune.held > 0;
    if open || !(complete || only_failed) {
        SyncStatus::Partial
    } else if report.updated > 0 || report.deleted > 0 {
        SyncStatus::Completed
    } else {
        SyncStatus::Unchanged
    }
}

//! `wholesite sync` and `wholesite apply`.

use std::collections::BTreeSet;
use std::time::Duration;

use wholesite::address::StorePath;
use wholesite::store::Store;
use wholesite::sync::prune::{DeleteLimit, PruneMode};
use wholesite::{PageSync, SyncError, SyncReport, SyncStatus, async_sync_pages_until};

use super::args::{Apply, How, Mode, Sync};
use super::live::LiveLine;
use super::report;
use super::shelf;
use crate::Exit;
use crate::error::Failure;
use crate::run::fetcher;
use crate::source::{self, Source};

pub(crate) fn sync(args: &Sync) -> Result<Exit, Failure> {
    run(&args.source, &args.how, BTreeSet::new())
}

fn run(source: &str, how: &How, approved: BTreeSet<StorePath>) -> Result<Exit, Failure> {
    logging(how);
    let origin = match Source::parse(source, how.site.seed.as_deref())? {
        Source::Live(seed) => {
            let fetcher = fetcher(&seed, &how.site.network)?;
            wholesite::Source::live(seed, fetcher, how.site.network.max_concurrency)
        }
        Source::Recording(recording) => wholesite::Source::recording(*recording),
        Source::Folder(path) => wholesite::Source::folder(path, source::served_at(&how.site)?),
    };
    // Everything that was typed is looked at before a store is made.
    let options = source::options(&how.site)?;
    let max_delete = limit(&how.prune.max_delete)?;
    let pinned = source::globs(&how.prune.keep)?;
    let store = shelf::open(&how.store)?;
    let mut pages = PageSync::new(origin, store).discovery(options);
    if let Some(agent) = &how.site.network.user_agent {
        pages.job.discovery.user_agent = agent.split(['/', ' ']).next().unwrap_or("wholesite").to_owned();
    }
    pages.job.source = source.to_owned();
    pages.job.dry_run = how.dry_run;
    pages.job.full = how.full;
    pages.job.only_failed = how.only_failed;
    pages.job.concurrency = how.concurrency;
    pages.job.max_page_bytes = pages.job.discovery.limits.page_bytes;
    let policy = &mut pages.job.policy;
    policy.mode = match how.prune.prune {
        Mode::Gone => PruneMode::Gone,
        Mode::Unlisted => PruneMode::Unlisted,
        Mode::Cautious => PruneMode::Cautious,
        Mode::Never => PruneMode::Never,
    };
    if let Some(seconds) = how.prune.confirm_after {
        policy.confirm_after = Duration::try_from_secs_f64(seconds).map_err(|_| Failure::Wrong {
            what: format!("--confirm-after {seconds} is no time"),
            help: "give seconds, such as 30",
        })?;
    }
    policy.max_delete = max_delete;
    policy.keep = pinned;
    policy.retention = Duration::from_secs(u64::from(how.prune.retention) * 86_400);
    policy.strict = how.site.strict;
    policy.approved = approved;

    let mut line = LiveLine::new(!how.quiet && !how.json);
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    let signal = std::sync::Mutex::new(Exit::Interrupted);
    let ended = runtime.block_on(async {
        let cancel =
            async { *signal.lock().unwrap_or_else(std::sync::PoisonError::into_inner) = interrupted().await };
        async_sync_pages_until(&pages, |progress| line.show(progress), cancel).await
    });
    line.finish();
    // Whatever a worker still does is of no use to anybody.
    runtime.shutdown_background();
    match ended {
        Ok(report) => {
            keep(how, &report)?;
            show(how, &report)?;
            Ok(exit(&report))
        }
        Err(SyncError::Cancelled(report)) => {
            keep(how, &report)?;
            if how.json {
                report::json(&report)?;
            } else {
                report::cancelled(&report)?;
            }
            Ok(signal.into_inner().unwrap_or(Exit::Interrupted))
        }
        Err(SyncError::NothingDiscovered { report, site, why }) => {
            keep(how, &report)?;
            if how.json {
                report::json(&report)?;
            } else {
                report::print(&report, how.verbose, true)?;
            }
            Err(SyncError::NothingDiscovered { report, site, why }.into())
        }
        Err(error) => Err(error.into()),
    }
}

/// Consents to the held plan of a site: its pages, and no others, may go beyond the limit in a new
/// sync, which proves everything anew.
pub(crate) fn apply(args: &Apply) -> Result<Exit, Failure> {
    let place = super::args::Where { store: args.how.store.clone(), site: args.at.clone(), json: false };
    let (source, plan) = shelf::block_on(async {
        let shelf = shelf::Shelf::open(&place, false).await?;
        let state = shelf.store.state(&shelf.site).await?.unwrap_or_default();
        let plan = state.held.ok_or_else(|| Failure::No {
            what: format!("no plan of {} waits for consent", shelf.site),
            help: "`wholesite status` shows how the last run ended",
        })?;
        Ok::<_, Failure>((state.source, plan))
    })??;
    let approved = plan.paths.into_iter().collect();
    run(&source, &args.how, approved)
}

fn show(how: &How, report: &SyncReport) -> Result<(), Failure> {
    if how.json { report::json(report) } else { report::print(report, how.verbose, how.quiet) }
}

fn keep(how: &How, report: &SyncReport) -> Result<(), Failure> {
    let Some(path) = &how.report else { return Ok(()) };
    let json = serde_json::to_string_pretty(report).map_err(std::io::Error::other)?;
    std::fs::write(path, json + "\n").map_err(|cause| Failure::File { path: path.clone(), cause })
}

fn exit(report: &SyncReport) -> Exit {
    match report.status {
        _ if report.prune.held > 0 => Exit::Refused,
        SyncStatus::Partial => Exit::Partial,
        SyncStatus::Unchanged | SyncStatus::Completed => Exit::Complete,
    }
}

/// Done at the first sign that the user, or the system, wants an end.
pub(crate) async fn interrupted() -> Exit {
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        let Ok(mut terminate) = signal(SignalKind::terminate()) else { return std::future::pending().await };
        tokio::select! {
            _ = tokio::signal::ctrl_c() => Exit::Interrupted,
            _ = terminate.recv() => Exit::Terminated,
        }
    }
    #[cfg(not(unix))]
    {
        let _ = tokio::signal::ctrl_c().await;
        Exit::Interrupted
    }
}

/// `3`, `10%` or `3,10%`.
fn limit(text: &str) -> Result<DeleteLimit, Failure> {
    let wrong = || Failure::Wrong {
        what: format!("`{text}` is no limit"),
        help: "give pages, percent of the store, or both: 3, 10% or 3,10%",
    };
    let mut limit = DeleteLimit { pages: 0, percent: 0 };
    for part in text.split(',').map(str::trim) {
        match part.strip_suffix('%') {
            Some(percent) => limit.percent = percent.trim().parse().map_err(|_| wrong())?,
            None => limit.pages = part.parse().map_err(|_| wrong())?,
        }
    }
    Ok(limit)
}

/// Logs go to standard error: warnings always, everything with `-v`.
fn logging(how: &How) {
    let level = match (how.verbose, how.quiet || how.json) {
        (true, _) => tracing::Level::INFO,
        // The report says it all again.
        (false, _) => tracing::Level::ERROR,
    };
    let _ = tracing_subscriber::fmt()
        .with_max_level(level)
        .with_target(false)
        .without_time()
        .with_writer(std::io::stderr)
        .try_init();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits() {
        let limit_of = |text| limit(text).ok().map(|limit| (limit.pages, limit.percent));
        let table = [
            ("3,10%", Some((3, 10))),
            ("10%, 3", Some((3, 10))),
            ("0", Some((0, 0))),
            ("25%", Some((0, 25))),
            ("", None),
            ("many", None),
            ("-1", None),
        ];
        for (text, expected) in table {
            assert_eq!(limit_of(text), expected, "{text}");
        }
    }
}

//! What happened: status, why, log, diff.

use std::io::{self, BufWriter, Write};

use serde_json::json;
use similar::TextDiff;
use wholesite::SyncReport;
use wholesite::store::{RunRecord, Store};

use super::args::{Diff, Log, Where, Why};
use super::read::{no_page, summary};
use super::report::{self, plural};
use super::shelf::{Shelf, block_on, names};
use crate::Exit;
use crate::error::Failure;
use crate::print::escape::terminal_safe;
use crate::print::style::{BOLD, DIM, ERROR, GOOD};

fn print_json(value: &serde_json::Value) -> Result<(), Failure> {
    let text = serde_json::to_string_pretty(value).map_err(io::Error::other)?;
    Ok(writeln!(io::stdout().lock(), "{text}")?)
}

fn report_of(run: &RunRecord) -> Option<SyncReport> {
    serde_json::from_str(&run.report).ok()
}

pub(crate) fn status(place: &Where) -> Result<Exit, Failure> {
    block_on(async {
        let shelf = Shelf::open(place, false).await?;
        let (store, site) = (&shelf.store, &shelf.site);
        let pages = store.catalogue(site).await?;
        let (failing, absent) = (store.failing(site).await?, store.absent(site).await?);
        let trash = store.trash(site).await?;
        let state = store.state(site).await?.unwrap_or_default();
        let runs = store.runs(site, 5).await?;
        if place.json {
            let last = runs.iter().find_map(report_of);
            print_json(&json!({
                "site": site.as_str(), "source": state.source, "pages": pages.len(), "failing": failing,
                "absent": absent, "trash": trash.len(), "held": state.held, "baseline": state.baseline,
                "runs": runs.iter().map(run_json).collect::<Vec<_>>(), "last_report": last,
            }))?;
            return Ok(Exit::Complete);
        }
        let mut out = anstream::stdout().lock();
        let bytes: u64 = pages.iter().map(|record| record.bytes).sum();
        writeln!(
            out,
            "{BOLD}{}{BOLD:#}  {}, {} kB of text",
            site,
            plural(pages.len(), "page"),
            bytes / 1000
        )?;
        for run in &runs {
            run_line(&mut out, run)?;
        }
        if let Some(held) = &state.held {
            writeln!(
                out,
                "\n{ERROR}held{ERROR:#}: {} wait for consent since {} (`wholesite apply`)",
                plural(held.paths.len(), "withdrawal"),
                held.at
            )?;
            held.why.iter().try_for_each(|why| writeln!(out, "  {}", terminal_safe(why)))?;
        }
        if !failing.is_empty() {
            writeln!(out, "\n{BOLD}Failing{BOLD:#}")?;
            for item in &failing {
                let (path, cause) = (terminal_safe(item.path.as_str()), terminal_safe(&item.cause));
                writeln!(
                    out,
                    "  {ERROR}!{ERROR:#} {path}  {cause}\n    {DIM}{} since {}{DIM:#}",
                    plural(item.runs as usize, "run"),
                    item.since
                )?;
            }
        }
        if !absent.is_empty() {
            writeln!(out, "\n{BOLD}Gone, but not yet withdrawn{BOLD:#}")?;
            for item in &absent {
                let (path, evidence) = (terminal_safe(item.path.as_str()), terminal_safe(&item.evidence));
                writeln!(
                    out,
                    "  · {path}  {}\n    {DIM}{evidence}{DIM:#}",
                    plural(item.runs as usize, "complete run")
                )?;
            }
        }
        if !trash.is_empty() {
            writeln!(out, "\n{} in the trash (`wholesite restore` shows them)", plural(trash.len(), "page"))?;
        }
        Ok(Exit::Complete)
    })?
}

fn run_json(run: &RunRecord) -> serde_json::Value {
    json!({ "id": run.id, "started": run.started.to_string(), "ended": run.ended.map(|at| at.to_string()), "status": run.status })
}

fn run_line(out: &mut impl Write, run: &RunRecord) -> io::Result<()> {
    let style = if matches!(run.status.as_str(), "completed" | "unchanged") { GOOD } else { ERROR };
    let what = report_of(run).map_or_else(String::new, |report| {
        format!(
            "{} listed, {} added, {} changed, {} withdrawn, {} failed",
            report.discovered, report.added, report.changed, report.deleted, report.failed
        )
    });
    writeln!(out, "  {}  {style}{:<11}{style:#} {}  {DIM}{}{DIM:#}", run.started, run.status, what, run.id)
}

pub(crate) fn log(args: &Log) -> Result<Exit, Failure> {
    block_on(async {
        let shelf = Shelf::open(&args.place, false).await?;
        let runs = shelf.store.runs(&shelf.site, args.limit).await?;
        let mut out = BufWriter::new(anstream::stdout().lock());
        for run in &runs {
            if args.place.json {
                let mut value = run_json(run);
                value["report"] = serde_json::from_str(&run.report).unwrap_or_default();
                serde_json::to_writer(&mut out, &value).map_err(io::Error::other)?;
                writeln!(out)?;
            } else {
                run_line(&mut out, run)?;
            }
        }
        out.flush()?;
        Ok(if runs.is_empty() { Exit::No } else { Exit::Complete })
    })?
}

/// All that the store knows of one page.
pub(crate) fn why(args: &Why) -> Result<Exit, Failure> {
    block_on(async {
        let shelf = Shelf::open(&args.place, false).await?;
        let (store, site) = (&shelf.store, &shelf.site);
        let live = shelf.find(&args.page).await?;
        let failing: Vec<_> = store
            .failing(site)
            .await?
            .into_iter()
            .filter(|item| names(&args.page, &item.path, &item.url, &[]))
            .collect();
        let trash: Vec<_> = store
            .trash(site)
            .await?
            .into_iter()
            .filter(|entry| {
                let record = &entry.page.record;
                names(&args.page, &record.path, &record.url, &record.aliases)
            })
            .collect();
        let path = live
            .as_ref()
            .map(|record| &record.path)
            .or_else(|| trash.first().map(|entry| &entry.page.record.path));
        let absent: Vec<_> =
            store.absent(site).await?.into_iter().filter(|item| Some(&item.path) == path).collect();
        let held = store
            .state(site)
            .await?
            .unwrap_or_default()
            .held
            .filter(|plan| path.is_some_and(|path| plan.paths.contains(path)));
        let revisions = match path {
            Some(path) => store.revisions(site, path).await?,
            None => Vec::new(),
        };
        let known = live.is_some() || !failing.is_empty() || !trash.is_empty();
        if args.place.json {
            print_json(&json!({
                "page": args.page, "stored": live.as_ref().map(summary), "failing": failing, "absent": absent,
                "held": held.is_some(), "revisions": revisions,
                "trash": trash.iter().map(|entry| json!({ "id": entry.id, "path": entry.page.record.path.as_str(), "withdrawal": entry.withdrawal })).collect::<Vec<_>>(),
            }))?;
            return Ok(if known { Exit::Complete } else { Exit::No });
        }
        let mut out = anstream::stdout().lock();
        if let Some(record) = &live {
            writeln!(
                out,
                "{GOOD}stored{GOOD:#}  {BOLD}{}{BOLD:#}  {}",
                record.path,
                terminal_safe(record.url.as_str())
            )?;
            writeln!(
                out,
                "  {} bytes of {}, revision {}",
                record.bytes,
                record.representation.name(),
                record.revision
            )?;
            writeln!(out, "  first seen {}, text of {}", record.first_seen, record.changed)?;
            for alias in &record.aliases {
                writeln!(out, "  also at {}", terminal_safe(alias.as_str()))?;
            }
        }
        for item in &failing {
            let stays = if live.is_some() {
                "; its published version stays"
            } else {
                "; no version of it is published"
            };
            writeln!(out, "{ERROR}failing{ERROR:#}  {}  {}{stays}", item.path, terminal_safe(&item.cause))?;
            writeln!(out, "  {} in a row, since {}", plural(item.runs as usize, "run"), item.since)?;
        }
        for item in &absent {
            writeln!(
                out,
                "{ERROR}gone{ERROR:#}  found so in {} since {}",
                plural(item.runs as usize, "complete run"),
                item.since
            )?;
            writeln!(out, "  {}", terminal_safe(&item.evidence))?;
        }
        if held.is_some() {
            writeln!(out, "{ERROR}held{ERROR:#}  its withdrawal waits for `wholesite apply`")?;
        }
        for entry in &trash {
            let why = &entry.withdrawal;
            writeln!(
                out,
                "{ERROR}withdrawn{ERROR:#}  {}  {} on {} by run {}",
                entry.page.record.path,
                why.fate.name(),
                why.at,
                why.run
            )?;
            writeln!(out, "  {}", terminal_safe(&why.evidence))?;
        }
        if !known {
            writeln!(out, "{} is not in the store, and no run has met it", terminal_safe(&args.page))?;
            writeln!(
                out,
                "  = help: `discover explain SOURCE {}` asks the site itself",
                terminal_safe(&args.page)
            )?;
            return Ok(Exit::No);
        }
        for info in &revisions {
            writeln!(
                out,
                "  {DIM}revision {} of {}, {} bytes, run {}{DIM:#}",
                info.revision, info.at, info.bytes, info.run
            )?;
        }
        Ok(Exit::Complete)
    })?
}

pub(crate) fn diff(args: &Diff) -> Result<Exit, Failure> {
    let Some(page) = &args.page else { return last_run(args) };
    block_on(async {
        let shelf = Shelf::open(&args.place, false).await?;
        let (store, site) = (&shelf.store, &shelf.site);
        let record = shelf.find(page).await?.ok_or_else(|| no_page(page))?;
        let revisions = store.revisions(site, &record.path).await?;
        let older = match args.revision {
            Some(number) => Some(number),
            None => revisions.iter().map(|info| info.revision).find(|number| *number < record.revision),
        };
        let none = || Failure::No {
            what: format!("{} has no older revision that is kept", record.path),
            help: "revisions are kept for as long as pages stay in the trash (--retention)",
        };
        let older = older.ok_or_else(none)?;
        let before = store.revision(site, &record.path, older).await?.ok_or_else(none)?;
        let now = store.page(site, &record.path).await?.ok_or_else(|| no_page(page))?;
        let diff = TextDiff::from_lines(&before.text, &now.text);
        let names = (
            format!("{} (revision {older})", record.path),
            format!("{} (revision {})", record.path, record.revision),
        );
        let text = diff.unified_diff().context_radius(3).header(&names.0, &names.1).to_string();
        write!(io::stdout().lock(), "{text}")?;
        Ok(if text.is_empty() { Exit::No } else { Exit::Complete })
    })?
}

/// What the last run that ended changed.
fn last_run(args: &Diff) -> Result<Exit, Failure> {
    block_on(async {
        let shelf = Shelf::open(&args.place, false).await?;
        let runs = shelf.store.runs(&shelf.site, 50).await?;
        let Some(report) = runs.iter().find_map(report_of) else {
            return Err(Failure::No {
                what: "no run has ended yet".to_owned(),
                help: "`wholesite log` shows all runs",
            });
        };
        if args.place.json {
            report::json(&report)?;
        } else {
            report::print(&report, true, false)?;
        }
        Ok(if report.updated + report.deleted == 0 { Exit::No } else { Exit::Complete })
    })?
}

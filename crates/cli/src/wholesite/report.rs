//! The report of a sync, for people: the verdict, the listing, the pages, what was pruned, what to do.

use std::io::{self, Write};

use wholesite::sync::{BlockerLine, PageFailure, PruneLine};
use wholesite::{SyncReport, SyncStatus};

use crate::error::Failure;
use crate::print::escape::terminal_safe;
use crate::print::style::{BOLD, DIM, ERROR, GOOD, PLACE};

pub(crate) fn json(report: &SyncReport) -> Result<(), Failure> {
    let text = serde_json::to_string_pretty(report).map_err(io::Error::other)?;
    Ok(writeln!(io::stdout().lock(), "{text}")?)
}

pub(crate) fn cancelled(report: &SyncReport) -> Result<(), Failure> {
    let mut out = anstream::stdout().lock();
    let done = report.updated + report.unchanged + report.failed + report.skipped;
    writeln!(
        out,
        "{ERROR}CANCELLED{ERROR:#}  {BOLD}{}{BOLD:#}  {done} of {} pages were done; {} were published and stay, nothing more was withdrawn",
        safe(&report.site),
        report.discovered,
        report.updated,
    )?;
    Ok(writeln!(out, "\nNext\n  the same command again goes on from here")?)
}

/// Prints a report: all of it, or (`brief`) only the verdict and what is left open.
pub(crate) fn print(report: &SyncReport, verbose: bool, brief: bool) -> Result<(), Failure> {
    let mut out = anstream::stdout().lock();
    verdict(&mut out, report)?;
    blockers(&mut out, report, if verbose { usize::MAX } else { 5 })?;
    failures(&mut out, report, if verbose { usize::MAX } else { 8 })?;
    if !brief {
        listing(&mut out, report)?;
        pages(&mut out, report, verbose)?;
    }
    pruning(&mut out, report, verbose)?;
    for warning in &report.warnings {
        writeln!(out, "\nnote: {}", safe(warning))?;
    }
    Ok(next(&mut out, report)?)
}

fn safe(text: &str) -> std::borrow::Cow<'_, str> {
    terminal_safe(text)
}

fn verdict(out: &mut impl Write, report: &SyncReport) -> io::Result<()> {
    let (style, word) = match report.status {
        _ if report.prune.held > 0 => (ERROR, "HELD"),
        SyncStatus::Unchanged => (GOOD, "UNCHANGED"),
        SyncStatus::Completed => (GOOD, "COMPLETED"),
        SyncStatus::Partial => (ERROR, "PARTIAL"),
    };
    let mut parts = Vec::new();
    let mut part = |count: usize, what: &str| {
        if count > 0 {
            parts.push(format!("{count} {what}"));
        }
    };
    part(report.added, "added");
    part(report.changed, "changed");
    part(report.unchanged, "unchanged");
    part(report.deleted - report.moved.min(report.deleted), "withdrawn");
    part(report.moved, "moved");
    part(report.skipped, "skipped");
    part(report.failed, "failed");
    part(report.unknown, "unknown");
    part(report.prune.held, "held back");
    let dry = if report.dry_run { "  (dry run: nothing was written)" } else { "" };
    let took = report.ended.since(report.started).as_secs_f64();
    writeln!(
        out,
        "{style}{word}{style:#}  {BOLD}{}{BOLD:#}  {}  {DIM}in {took:.1} s{DIM:#}{dry}",
        safe(&report.site),
        if parts.is_empty() { "no pages".to_owned() } else { parts.join(", ") },
    )
}

fn blockers(out: &mut impl Write, report: &SyncReport, shown: usize) -> io::Result<()> {
    let found = &report.discovery;
    if found.blocker_count == 0 {
        return Ok(());
    }
    writeln!(out, "\n{BOLD}Why the listing is not complete{BOLD:#} (so nothing was withdrawn)")?;
    for blocker in found.blockers.iter().take(shown) {
        let BlockerLine { code, url, document, line, message, help } = blocker;
        writeln!(out, "  {ERROR}{code}{ERROR:#}: {}", safe(message))?;
        match (document, line) {
            (Some(document), Some(line)) => {
                writeln!(out, "   {PLACE}-->{PLACE:#} {}:{line}", safe(document))?
            }
            _ => writeln!(out, "   {PLACE}-->{PLACE:#} {}", safe(url))?,
        }
        writeln!(out, "    = help: {}", safe(help))?;
    }
    more(out, found.blocker_count, shown.min(found.blockers.len()), "blocker")
}

fn failures(out: &mut impl Write, report: &SyncReport, shown: usize) -> io::Result<()> {
    if report.failed == 0 {
        return Ok(());
    }
    writeln!(out, "\n{BOLD}Pages that could not be had{BOLD:#}")?;
    for failure in report.failures.iter().take(shown) {
        let PageFailure { path, cause, attempts, runs, stored, .. } = failure;
        writeln!(out, "  {ERROR}!{ERROR:#} {}  {}", safe(path), safe(cause))?;
        let mut notes = Vec::new();
        if *attempts > 1 {
            notes.push(format!("{attempts} attempts"));
        }
        if *runs > 1 {
            notes.push(format!("{runs} runs in a row"));
        }
        if *stored {
            notes.push("its published version stays".to_owned());
        }
        if !notes.is_empty() {
            writeln!(out, "    {DIM}{}{DIM:#}", notes.join(", "))?;
        }
    }
    more(out, report.failed, shown.min(report.failures.len()), "page")
}

fn more(out: &mut impl Write, all: usize, shown: usize, what: &str) -> io::Result<()> {
    match all.saturating_sub(shown) {
        0 => Ok(()),
        1 => writeln!(out, "  … and 1 more {what}"),
        left => writeln!(out, "  … and {left} more {what}s"),
    }
}

fn listing(out: &mut impl Write, report: &SyncReport) -> io::Result<()> {
    let found = &report.discovery;
    let whole = if found.complete { "complete" } else { "not complete" };
    writeln!(
        out,
        "\n{BOLD}Listing{BOLD:#}\n  {}, {whole}: {} with {} read",
        plural(report.discovered, "page"),
        plural(found.documents, "document"),
        plural(found.links, "link"),
    )
}

fn pages(out: &mut impl Write, report: &SyncReport, verbose: bool) -> io::Result<()> {
    if report.updated == 0 && report.skipped == 0 {
        return Ok(());
    }
    let shown = if verbose { usize::MAX } else { 8 };
    writeln!(out, "\n{BOLD}Pages{BOLD:#}")?;
    let lists: [(&str, &[String], usize); 3] = [
        ("+", &report.added_paths, report.added),
        ("~", &report.changed_paths, report.changed),
        ("=", &report.skipped_paths, report.skipped),
    ];
    for (mark, paths, all) in lists {
        for path in paths.iter().take(shown) {
            writeln!(out, "  {GOOD}{mark}{GOOD:#} {}", safe(path))?;
        }
        let what = match mark {
            "+" => "new page",
            "~" => "changed page",
            _ => "skipped address",
        };
        let what = if all.saturating_sub(paths.len().min(shown)) > 1 && mark == "=" {
            "skipped addresse"
        } else {
            what
        };
        more(out, all, paths.len().min(shown), what)?;
    }
    Ok(())
}

fn pruning(out: &mut impl Write, report: &SyncReport, verbose: bool) -> io::Result<()> {
    let prune = &report.prune;
    let shown = if verbose { usize::MAX } else { 8 };
    if !prune.withdrawn.is_empty() {
        writeln!(out, "\n{BOLD}Withdrawn{BOLD:#} (in the trash, out of every list and search)")?;
        for line in prune.withdrawn.iter().take(shown) {
            prune_line(out, "-", line)?;
        }
        more(out, report.deleted, prune.withdrawn.len().min(shown), "page")?;
    }
    if prune.held > 0 {
        writeln!(out, "\n{BOLD}Held back{BOLD:#}: {}", safe(&prune.why.join("; ")))?;
        for line in prune.held_pages.iter().take(shown) {
            prune_line(out, "?", line)?;
        }
        more(out, prune.held, prune.held_pages.len().min(shown), "page")?;
    }
    if prune.kept > 0 {
        let why = if prune.gate == "shut" {
            format!(": nothing is withdrawn, since {}", prune.why.join("; "))
        } else {
            String::new()
        };
        writeln!(out, "\n{BOLD}Not listed any more, and kept{BOLD:#}{}", safe(&why))?;
        for line in prune.kept_pages.iter().take(shown) {
            prune_line(out, "·", line)?;
        }
        more(out, prune.kept, prune.kept_pages.len().min(shown), "page")?;
    }
    if prune.purged > 0 {
        writeln!(out, "\n{} of the trash were removed for good", plural(prune.purged, "page"))?;
    }
    Ok(())
}

fn prune_line(out: &mut impl Write, mark: &str, line: &PruneLine) -> io::Result<()> {
    let PruneLine { path, verdict, to, evidence, .. } = line;
    let to = to.as_ref().map(|to| format!(" to {to}")).unwrap_or_default();
    writeln!(out, "  {ERROR}{mark}{ERROR:#} {}  {}{}", safe(path), safe(verdict), safe(&to))?;
    if !evidence.is_empty() {
        writeln!(out, "    {DIM}{}{DIM:#}", safe(evidence))?;
    }
    Ok(())
}

fn next(out: &mut impl Write, report: &SyncReport) -> io::Result<()> {
    let mut steps: Vec<String> = Vec::new();
    if report.prune.held > 0 {
        steps.push("wholesite apply      if these pages are really to go".to_owned());
    }
    if report.discovery.blocker_count > 0 {
        steps.push(format!("discover {}      shows every blocker in its place", report.source));
    }
    if report.failed > 0 {
        steps.push(format!("wholesite sync {} --only-failed      tries those pages again", report.source));
    }
    if steps.is_empty() && report.updated + report.unchanged > 0 && !report.dry_run {
        steps.push("wholesite search WORDS".to_owned());
    }
    if steps.is_empty() {
        return Ok(());
    }
    writeln!(out, "\n{BOLD}Next{BOLD:#}")?;
    steps.iter().try_for_each(|step| writeln!(out, "  {}", safe(step)))
}

pub(crate) fn plural(count: usize, what: &str) -> String {
    if count == 1 { format!("1 {what}") } else { format!("{count} {what}s") }
}

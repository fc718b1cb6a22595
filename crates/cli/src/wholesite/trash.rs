//! The trash: showing it, bringing pages back, removing them for good.

use std::io::Write;
use std::time::Duration;

use serde_json::json;
use wholesite::store::{Change, Holder, Lease, Store, Trashed};
use wholesite::sync::Clock;
use wholesite::{SystemClock, run_id};

use super::args::{Purge, Restore};
use super::report::plural;
use super::shelf::{Shelf, block_on, names};
use crate::Exit;
use crate::error::Failure;
use crate::print::escape::terminal_safe;
use crate::print::style::{BOLD, DIM};

async fn lease(shelf: &Shelf) -> Result<Lease, Failure> {
    let now = SystemClock.now();
    let holder = Holder { run: run_id(), process: std::process::id(), since: now };
    Ok(shelf.store.acquire(&shelf.site, holder, now, Duration::from_secs(60)).await?)
}

pub(crate) fn restore(args: &Restore) -> Result<Exit, Failure> {
    block_on(async {
        if args.page.is_none() && args.run.is_none() {
            return show(&Shelf::open(&args.place, false).await?, args.place.json).await;
        }
        let shelf = Shelf::open(&args.place, true).await?;
        let mut wanted: Vec<Trashed> = shelf.store.trash(&shelf.site).await?;
        wanted.retain(|entry| {
            let record = &entry.page.record;
            match (&args.page, &args.run) {
                (Some(page), _) => names(page, &record.path, &record.url, &record.aliases),
                (None, Some(run)) => entry.withdrawal.run == *run,
                (None, None) => false,
            }
        });
        if args.page.is_some() {
            // The newest one: the trash comes newest first.
            wanted.truncate(1);
        }
        if wanted.is_empty() {
            return Err(Failure::No {
                what: "nothing like that is in the trash".to_owned(),
                help: "`wholesite restore` shows what is",
            });
        }
        let lease = lease(&shelf).await?;
        let batch = wanted.iter().map(|entry| Change::Restore { id: entry.id }).collect();
        shelf.store.apply(&lease, batch).await?;
        let mut out = anstream::stdout().lock();
        for entry in &wanted {
            writeln!(out, "restored {}", terminal_safe(entry.page.record.path.as_str()))?;
        }
        Ok(Exit::Complete)
    })?
}

async fn show(shelf: &Shelf, as_json: bool) -> Result<Exit, Failure> {
    let trash = shelf.store.trash(&shelf.site).await?;
    let mut out = anstream::stdout().lock();
    for entry in &trash {
        let (record, why) = (&entry.page.record, &entry.withdrawal);
        if as_json {
            let value = json!({ "id": entry.id, "path": record.path.as_str(), "url": record.url.as_str(), "withdrawal": why });
            writeln!(out, "{value}")?;
        } else {
            let path = terminal_safe(record.path.as_str());
            writeln!(out, "{BOLD}{path}{BOLD:#}  {} on {} by run {}", why.fate.name(), why.at, why.run)?;
            writeln!(out, "  {DIM}{}{DIM:#}", terminal_safe(&why.evidence))?;
        }
    }
    Ok(if trash.is_empty() { Exit::No } else { Exit::Complete })
}

pub(crate) fn purge(args: &Purge) -> Result<Exit, Failure> {
    block_on(async {
        let shelf = Shelf::open(&args.place, true).await?;
        let lease = lease(&shelf).await?;
        let now = SystemClock.now();
        let retention = Duration::from_secs(u64::from(args.retention) * 86_400);
        let mut purged = 0;
        for entry in shelf.store.trash(&shelf.site).await? {
            if now.since(entry.withdrawal.at) > retention {
                shelf.store.apply(&lease, vec![Change::Purge { id: entry.id }]).await?;
                purged += 1;
            }
        }
        writeln!(anstream::stdout(), "{} removed for good", plural(purged, "page"))?;
        Ok(if purged == 0 { Exit::No } else { Exit::Complete })
    })?
}

//! `discover record`: a live site into a recording.

use std::io::Write;

use jiff::Timestamp;
use wholesite::recording::{Begin, NewRecording};
use wholesite::{Recap, record_live};

use crate::Exit;
use crate::args::Record;
use crate::error::Failure;
use crate::print::escape::terminal_safe;
use crate::print::style::{BOLD, GOOD};
use crate::progress::ProgressLine;
use crate::run::{self, fetcher};
use crate::source;
use crate::wholesite::interrupted;

/// How many of the pages that could not be had are named.
const SHOWN: usize = 10;

pub(crate) fn record(args: &Record) -> Result<Exit, Failure> {
    let seed = source::url(&args.url)?;
    let options = run::live_options(&args.site)?;
    let network = &args.site.network;
    let fetcher = fetcher(&seed, network)?;
    let software = network.user_agent.as_deref().unwrap_or(concat!("wholesite/", env!("CARGO_PKG_VERSION")));
    let run = wholesite::run_id();
    let begin = Begin { seed: &seed, probe: &options.probe, run: &run, date: Timestamp::now(), software };
    let recording = NewRecording::create(&args.out, &begin)?;
    let line = ProgressLine::new(args.quiet == 0);
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    let pages = !args.indexes_only;
    let ended = runtime.block_on(async {
        let at_once = network.max_concurrency;
        let show = |progress: wholesite::Progress<'_>| line.show(&progress);
        tokio::select! {
            recap = record_live(seed.clone(), options, &fetcher, at_once, recording, pages, show) => Ok(recap),
            exit = interrupted() => Err(exit),
        }
    });
    line.finish();
    match ended {
        Ok(recap) => show(args, &recap?),
        Err(exit) => {
            let out = args.out.display().to_string();
            writeln!(std::io::stderr(), "interrupted: {} was not written", terminal_safe(&out))?;
            Ok(exit)
        }
    }
}

fn show(args: &Record, recap: &Recap) -> Result<Exit, Failure> {
    let Recap { inventory, answers, pages, missed } = recap;
    if args.quiet < 2 {
        let mut out = anstream::stdout();
        let name = args.out.display().to_string();
        let name = terminal_safe(&name);
        let of_pages = match (args.indexes_only, inventory.pages().len()) {
            (true, all) => format!("none of its {all} pages"),
            (false, all) => format!("{pages} of its {all} pages"),
        };
        let scope = inventory.scope().to_string();
        let scope = terminal_safe(&scope);
        writeln!(out, "{GOOD}RECORDED{GOOD:#}  {BOLD}{scope}{BOLD:#}  {answers} addresses, {of_pages}")?;
        for (url, why) in missed.iter().take(SHOWN) {
            writeln!(out, "  without {}: {}", terminal_safe(url.as_str()), terminal_safe(why))?;
        }
        if missed.len() > SHOWN {
            writeln!(out, "  … and {} more", missed.len() - SHOWN)?;
        }
        if !inventory.is_complete() {
            writeln!(out, "  the discovery is partial: {} blockers", inventory.blockers().len())?;
        }
        writeln!(out, "\nNext\n  discover {name}")?;
    }
    Ok(match run::exit(inventory) {
        Exit::Complete if !missed.is_empty() => Exit::Partial,
        exit => exit,
    })
}

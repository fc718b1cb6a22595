//! What is shown while a sync runs: one live line on a terminal, a plain line every ten seconds
//! elsewhere.

use std::io::{IsTerminal, Write};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};
use wholesite::PageSyncProgress;
use wholesite::sync::Stage;

use crate::print::escape::terminal_safe;

pub(crate) struct LiveLine {
    bar: Option<ProgressBar>,
    plain: bool,
    began: Instant,
    told: Instant,
    stage: Stage,
}

const EVERY: Duration = Duration::from_secs(10);

impl LiveLine {
    pub(crate) fn new(wanted: bool) -> Self {
        let dumb =
            std::env::var_os("TERM").is_some_and(|term| term == "dumb") || std::env::var_os("CI").is_some();
        let is_terminal = std::io::stderr().is_terminal() && !dumb;
        let bar = (wanted && is_terminal).then(|| {
            let bar = ProgressBar::new(0);
            bar.enable_steady_tick(Duration::from_millis(120));
            bar
        });
        let now = Instant::now();
        let line =
            LiveLine { plain: wanted && bar.is_none(), bar, began: now, told: now, stage: Stage::Waiting };
        line.style(Stage::Waiting);
        line
    }

    fn style(&self, stage: Stage) {
        let Some(bar) = &self.bar else { return };
        let template = match stage {
            Stage::Waiting | Stage::Discovered => "{spinner} discovering  {wide_msg}",
            Stage::Publishing => "{spinner} publishing  {pos}/{len}  {prefix}  {wide_msg}",
            Stage::Pruning => "{spinner} pruning  {prefix}  {wide_msg}",
        };
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style);
        }
    }

    pub(crate) fn show(&mut self, progress: &PageSyncProgress) {
        // Called for every step: whoever shows nothing must cost nothing.
        let due = self.plain && self.told.elapsed() >= EVERY;
        if self.bar.is_none() && !due {
            return;
        }
        if progress.stage != self.stage {
            self.stage = progress.stage;
            self.style(progress.stage);
        }
        let rate = progress.processed as f64 / self.began.elapsed().as_secs_f64().max(0.001);
        let mut counts = format!("{} new or changed, {} failed", progress.updated, progress.failed);
        if progress.deleted > 0 {
            counts.push_str(&format!(", {} withdrawn", progress.deleted));
        }
        if let Some(bar) = &self.bar {
            bar.set_length(progress.discovered as u64);
            bar.set_position(progress.processed as u64);
            bar.set_prefix(format!("{counts}, {rate:.0} a second"));
            bar.set_message(terminal_safe(progress.path.as_deref().unwrap_or_default()).into_owned());
        } else {
            self.told = Instant::now();
            let (stage, done, all) = (progress.stage.name(), progress.processed, progress.discovered);
            let _ =
                writeln!(std::io::stderr(), "{stage}: {done} of {all} pages, {counts}, {rate:.0} a second");
        }
    }

    pub(crate) fn finish(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

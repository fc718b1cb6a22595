//! One live line on standard error while a discovery runs. Shown only on a terminal.

use std::io::IsTerminal;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};
use wholesite::Progress;

use crate::print::escape::terminal_safe;

pub(crate) struct ProgressLine {
    bar: Option<ProgressBar>,
}

impl ProgressLine {
    pub(crate) fn new(wanted: bool) -> Self {
        let dumb =
            std::env::var_os("TERM").is_some_and(|term| term == "dumb") || std::env::var_os("CI").is_some();
        if !wanted || dumb || !std::io::stderr().is_terminal() {
            return ProgressLine { bar: None };
        }
        let bar = ProgressBar::new_spinner();
        if let Ok(style) =
            ProgressStyle::with_template("{spinner} {pos} answered, {prefix} under way  {wide_msg}")
        {
            bar.set_style(style);
        }
        bar.enable_steady_tick(Duration::from_millis(120));
        ProgressLine { bar: Some(bar) }
    }

    pub(crate) fn show(&self, progress: &Progress<'_>) {
        let Some(bar) = &self.bar else { return };
        bar.set_position(progress.answered as u64);
        bar.set_prefix(progress.in_flight.to_string());
        bar.set_message(terminal_safe(progress.asking.as_str()).into_owned());
    }

    pub(crate) fn finish(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

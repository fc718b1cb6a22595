//! The books of a run: what is counted, what is told while it runs, and what the report will say.
//!
//! They are kept outside of the work itself, so that a run that is cancelled in the middle can still
//! account for what it did.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use wholesite_store::Failing;

use crate::report::{LISTED, PageFailure};
use crate::{PageSyncProgress, Stage, SyncReport};

/// Told of every step.
pub type Observer<'o> = dyn FnMut(&PageSyncProgress) + Send + 'o;

/// The books of one run.
pub struct Tally<'o> {
    books: Mutex<Books<'o>>,
    /// Pages that are being written. A write that nobody waits for any more stays counted: it is
    /// unknown whether it happened.
    writing: AtomicUsize,
}

struct Books<'o> {
    progress: PageSyncProgress,
    report: SyncReport,
    observer: Option<&'o mut Observer<'o>>,
}

/// What became of a listed page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ended {
    Added,
    Changed,
    Unchanged,
    Skipped,
}

impl<'o> Tally<'o> {
    /// Empty books. `observer` is told of every step, from within the run: it must be quick.
    pub fn new(observer: Option<&'o mut Observer<'o>>) -> Self {
        let report = SyncReport { schema_version: 1, ..SyncReport::default() };
        let books = Mutex::new(Books { progress: PageSyncProgress::default(), report, observer });
        Tally { books, writing: AtomicUsize::new(0) }
    }

    /// The report so far.
    pub fn report(&self) -> SyncReport {
        self.lock().report.clone()
    }

    fn lock(&self) -> MutexGuard<'_, Books<'o>> {
        self.books.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A page is about to be written.
    pub(crate) fn writing(&self) {
        self.writing.fetch_add(1, Ordering::Relaxed);
    }

    /// It is known what came of it.
    pub(crate) fn written(&self) {
        self.writing.fetch_sub(1, Ordering::Relaxed);
    }

    /// The run was stopped: what was being written then may have been written.
    pub(crate) fn stopped(&self) {
        self.write(|report| report.unknown += self.writing.load(Ordering::Relaxed));
    }

    /// Writes to the report.
    pub(crate) fn write<T>(&self, write: impl FnOnce(&mut SyncReport) -> T) -> T {
        write(&mut self.lock().report)
    }

    pub(crate) fn warn(&self, warning: impl Into<String>) {
        let warning = warning.into();
        tracing::warn!("{warning}");
        self.write(|report| report.warnings.push(warning));
    }

    /// Enters a stage.
    pub(crate) fn enter(&self, stage: Stage) {
        let mut books = self.lock();
        books.progress.stage = stage;
        books.progress.path = None;
        books.tell();
    }

    /// The listing is there.
    pub(crate) fn discovered(&self, pages: usize) {
        let mut books = self.lock();
        books.report.discovered = pages;
        books.progress.discovered = pages;
        books.progress.stage = Stage::Discovered;
        books.tell();
    }

    /// A page is at hand.
    pub(crate) fn at(&self, path: &str) {
        let mut books = self.lock();
        books.progress.path = Some(path.to_owned());
        books.tell();
    }

    /// A listed page is done with.
    pub(crate) fn ended(&self, path: &str, ended: Ended) {
        let mut books = self.lock();
        let report = &mut books.report;
        match ended {
            Ended::Added => {
                report.added += 1;
                list(&mut report.added_paths, path.to_owned());
            }
            Ended::Changed => {
                report.changed += 1;
                list(&mut report.changed_paths, path.to_owned());
            }
            Ended::Unchanged => report.unchanged += 1,
            Ended::Skipped => {
                report.skipped += 1;
                list(&mut report.skipped_paths, path.to_owned());
            }
        }
        report.updated = report.added + report.changed;
        books.close_page(path);
    }

    /// A listed page could not be had.
    pub(crate) fn failed(&self, failing: &Failing, stored: bool) {
        let line =
            format!("Page sync failed for {} (SyncFailed: sync_failed <- {})", failing.path, failing.cause);
        tracing::warn!("{line}");
        let mut books = self.lock();
        let report = &mut books.report;
        report.failed += 1;
        list(&mut report.errors, line);
        list(&mut report.failed_paths, failing.path.to_string());
        list(
            &mut report.failures,
            PageFailure {
                path: failing.path.to_string(),
                url: failing.url.to_string(),
                code: failing.code.clone(),
                cause: failing.cause.clone(),
                attempts: failing.attempts,
                runs: failing.runs,
                stored,
            },
        );
        books.close_page(failing.path.as_str());
    }

    /// It is unknown whether a listed page was written.
    pub(crate) fn uncertain(&self, path: &str, cause: &str) {
        let line = format!("Page sync unknown for {path} ({cause})");
        tracing::warn!("{line}");
        let mut books = self.lock();
        books.report.unknown += 1;
        list(&mut books.report.errors, line);
        books.close_page(path);
    }

    /// A page was withdrawn.
    pub(crate) fn withdrawn(&self, path: &str, moved: bool) {
        let mut books = self.lock();
        books.report.deleted += 1;
        books.report.moved += usize::from(moved);
        books.progress.deleted = books.report.deleted;
        books.progress.path = Some(path.to_owned());
        books.tell();
    }

    /// A page could not be withdrawn.
    pub(crate) fn delete_failed(&self, path: &str, cause: &str) {
        let line = format!("Page delete failed for {path} ({cause})");
        tracing::warn!("{line}");
        self.write(|report| {
            report.prune.failed += 1;
            list(&mut report.errors, line);
        });
    }
}

impl Books<'_> {
    fn close_page(&mut self, path: &str) {
        let SyncReport { updated, unchanged, failed, unknown, skipped, .. } = self.report;
        self.progress.processed = updated + unchanged + failed + unknown + skipped;
        self.progress.updated = updated;
        self.progress.failed = failed;
        self.progress.unknown = unknown;
        self.progress.path = Some(path.to_owned());
        self.tell();
    }

    /// An observer that panics is told nothing more; the sync goes on.
    fn tell(&mut self) {
        let Some(observer) = &mut self.observer else { return };
        let progress = &self.progress;
        if catch_unwind(AssertUnwindSafe(|| observer(progress))).is_err() {
            self.observer = None;
            let warning = "the progress observer failed and was switched off".to_owned();
            tracing::warn!("{warning}");
            self.report.warnings.push(warning);
        }
    }
}

/// Adds to a list that names only the first few, in order, whatever the order they come in.
pub(crate) fn list<T: Ord>(items: &mut Vec<T>, item: T) {
    let at = items.partition_point(|known| *known <= item);
    items.insert(at, item);
    items.truncate(LISTED);
}

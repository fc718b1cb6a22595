//! Syncing pages: blocking or not, with an observer or as a stream.

use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};
use std::time::Duration;

use futures_util::Stream;
use tokio::sync::{mpsc, oneshot};
use wholesite_discovery::{Inventory, Options, Page};
use wholesite_store::{Record, SiteKey, Store};
use wholesite_sync::{
    DryRun, Hooks, Job, Observer, Origin, PageSyncProgress, SyncError, SyncReport, Tally, sync,
};

use crate::{Source, SystemClock, run_id};

/// A sync that is ready to go: from where, into which store, and how. [`PageSync::job`] holds
/// everything that can be set, with sane defaults.
pub struct PageSync<O, S> {
    origin: Arc<O>,
    store: S,
    /// How to sync.
    pub job: Job,
    hooks: Arc<Hooks<'static>>,
}

impl<S: Store> PageSync<Source, S> {
    /// A sync of `source` into `store`.
    pub fn new(source: Source, store: S) -> Self {
        let key = source.key();
        let is_live = source.is_live();
        let mut sync = PageSync::with_origin(source, key, store);
        if !is_live {
            // What does not change by itself says the same however long one waits.
            sync.job.policy.confirm_after = Duration::ZERO;
        }
        sync
    }
}

impl<O: Origin, S: Store> PageSync<O, S> {
    /// A sync from an origin of one's own.
    pub fn with_origin(origin: O, site: SiteKey, store: S) -> Self {
        let mut job = Job::new(site, run_id());
        job.process = std::process::id();
        job.entropy = fastrand::u64(..);
        PageSync { origin: Arc::new(origin), store, job, hooks: Arc::default() }
    }

    /// Sets how to discover, and what that means for what is remembered: texts and absences of other
    /// options don't count.
    pub fn discovery(mut self, options: Options) -> Self {
        self.job.fingerprint = fingerprint(&options);
        self.job.discovery = options;
        self
    }

    /// Refuses listings: called with what was discovered and what is published, before anything is
    /// fetched.
    pub fn validate_discovery(
        mut self,
        validate: impl Fn(&Inventory, &[Record]) -> Result<(), String> + Send + Sync + 'static,
    ) -> Self {
        let transform = Arc::try_unwrap(self.hooks).ok().and_then(|hooks| hooks.transform);
        self.hooks = Arc::new(Hooks { validate: Some(Box::new(validate)), transform });
        self
    }

    /// Changes the text of each page before it is stored. Must give the same text for the same page
    /// every time.
    pub fn transform(mut self, transform: impl Fn(&Page, String) -> String + Send + Sync + 'static) -> Self {
        let validate = Arc::try_unwrap(self.hooks).ok().and_then(|hooks| hooks.validate);
        self.hooks = Arc::new(Hooks { validate, transform: Some(Box::new(transform)) });
        self
    }
}

/// Everything that bears on which pages are listed, in one short text.
fn fingerprint(options: &Options) -> String {
    let parts = format!(
        "{:?} {:?} {:?} {:?} {:?} {}",
        options.include.patterns(),
        options.exclude.patterns(),
        options.allow_offsite.patterns(),
        options.base_path,
        options.robots,
        options.strict,
    );
    blake3::hash(parts.as_bytes()).to_hex()[..16].to_owned()
}

/// Syncs. `on_progress` is told of every step, from within the sync: it must be quick; one that
/// panics is switched off and never fails the sync. Dropping the future stops it at once: no request
/// is under way afterwards, the lease is given back, what was published stays.
///
/// # Errors
/// [`SyncError`]. A page that fails, or an incomplete discovery, is part of the report.
pub async fn async_sync_pages<O: Origin, S: Store>(
    pages: &PageSync<O, S>,
    on_progress: impl FnMut(&PageSyncProgress) + Send,
) -> Result<SyncReport, SyncError> {
    async_sync_pages_until(pages, on_progress, std::future::pending()).await
}

/// As [`async_sync_pages`], until `cancel` is done: then it ends with [`SyncError::Cancelled`], which
/// holds the report so far.
///
/// # Errors
/// [`SyncError`].
pub async fn async_sync_pages_until<O: Origin, S: Store>(
    pages: &PageSync<O, S>,
    mut on_progress: impl FnMut(&PageSyncProgress) + Send,
    cancel: impl Future<Output = ()> + Send,
) -> Result<SyncReport, SyncError> {
    let observer: &mut Observer<'_> = &mut on_progress;
    let tally = Tally::new(Some(observer));
    let PageSync { origin, store, job, hooks } = pages;
    if job.dry_run {
        sync(&**origin, &DryRun(store), &SystemClock, job, hooks, &tally, cancel).await
    } else {
        sync(&**origin, store, &SystemClock, job, hooks, &tally, cancel).await
    }
}

/// Syncs, and blocks until it is done.
///
/// # Errors
/// [`SyncError`].
///
/// # Panics
/// Within an asynchronous runtime: use [`async_sync_pages`] there.
pub fn sync_pages<O: Origin, S: Store>(
    pages: &PageSync<O, S>,
    on_progress: impl FnMut(&PageSyncProgress) + Send,
) -> Result<SyncReport, SyncError> {
    runtime()?.block_on(async_sync_pages(pages, on_progress))
}

fn runtime() -> Result<tokio::runtime::Runtime, SyncError> {
    tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .map_err(|error| SyncError::Source(format!("no runtime: {error}")))
}

/// What a stream of a sync yields.
#[derive(Debug)]
#[allow(clippy::large_enum_variant)] // the large one comes once
pub enum SyncEvent {
    /// How far it is. A slow reader misses some.
    Progress(PageSyncProgress),
    /// How it ended; always the last, never missed.
    Ended(Result<SyncReport, SyncError>),
}

/// The newest snapshot that nobody has read yet, and a bell.
#[derive(Default)]
struct Latest {
    snapshot: Mutex<Option<PageSyncProgress>>,
}

/// A sync as a stream. It goes on by itself, however slowly the stream is read; dropping the stream
/// stops it.
#[derive(Debug)]
pub struct SyncStream {
    latest: Arc<Latest>,
    bell: mpsc::Receiver<()>,
    ended: Option<oneshot::Receiver<Result<SyncReport, SyncError>>>,
    task: tokio::task::JoinHandle<()>,
}

impl std::fmt::Debug for Latest {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Latest").finish_non_exhaustive()
    }
}

/// Syncs on the current Tokio runtime, as a stream of events that ends with [`SyncEvent::Ended`].
///
/// # Panics
/// Outside of a Tokio runtime: use [`stream_sync_pages`] there.
pub fn astream_sync_pages<O, S>(pages: PageSync<O, S>) -> SyncStream
where
    O: Origin + 'static,
    S: Store + 'static,
{
    let latest = Arc::<Latest>::default();
    let (ring, bell) = mpsc::channel(1);
    let (report, ended) = oneshot::channel();
    let shared = Arc::clone(&latest);
    let task = tokio::spawn(async move {
        let observer = move |progress: &PageSyncProgress| {
            *shared.snapshot.lock().unwrap_or_else(PoisonError::into_inner) = Some(progress.clone());
            // A bell that rings already is enough.
            let _ = ring.try_send(());
        };
        let result = async_sync_pages(&pages, observer).await;
        let _ = report.send(result);
    });
    SyncStream { latest, bell, ended: Some(ended), task }
}

impl SyncStream {
    fn take(&self) -> Option<PageSyncProgress> {
        self.latest.snapshot.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

impl Stream for SyncStream {
    type Item = SyncEvent;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<SyncEvent>> {
        loop {
            if let Some(snapshot) = self.take() {
                return Poll::Ready(Some(SyncEvent::Progress(snapshot)));
            }
            match self.bell.poll_recv(context) {
                Poll::Ready(Some(())) => {}
                Poll::Pending => return Poll::Pending,
                // The observer is gone: the sync is over.
                Poll::Ready(None) => break,
            }
        }
        let Some(ended) = &mut self.ended else { return Poll::Ready(None) };
        let result = match Pin::new(ended).poll(context) {
            Poll::Pending => return Poll::Pending,
            Poll::Ready(Ok(result)) => result,
            Poll::Ready(Err(_)) => Err(SyncError::Source("the sync panicked".to_owned())),
        };
        self.ended = None;
        Poll::Ready(Some(SyncEvent::Ended(result)))
    }
}

impl Drop for SyncStream {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// A sync as an iterator. It goes on by itself, however slowly the iterator is read; dropping it stops
/// the sync.
#[derive(Debug)]
pub struct SyncIter {
    stream: Option<SyncStream>,
    runtime: Option<tokio::runtime::Runtime>,
    failed: Option<SyncError>,
}

/// Syncs in the background, as an iterator of events that ends with [`SyncEvent::Ended`].
pub fn stream_sync_pages<O, S>(pages: PageSync<O, S>) -> SyncIter
where
    O: Origin + 'static,
    S: Store + 'static,
{
    match runtime() {
        Ok(runtime) => {
            let stream = {
                let _inside = runtime.enter();
                astream_sync_pages(pages)
            };
            SyncIter { stream: Some(stream), runtime: Some(runtime), failed: None }
        }
        Err(error) => SyncIter { stream: None, runtime: None, failed: Some(error) },
    }
}

impl Iterator for SyncIter {
    type Item = SyncEvent;

    fn next(&mut self) -> Option<SyncEvent> {
        if let Some(error) = self.failed.take() {
            return Some(SyncEvent::Ended(Err(error)));
        }
        let stream = self.stream.as_mut()?;
        self.runtime.as_ref()?.block_on(futures_util::StreamExt::next(stream))
    }
}

impl Drop for SyncIter {
    fn drop(&mut self) {
        self.stream = None;
        if let Some(runtime) = self.runtime.take() {
            // Waits for nothing: what the sync held was given back when its task was aborted.
            runtime.shutdown_timeout(Duration::from_millis(200));
        }
    }
}

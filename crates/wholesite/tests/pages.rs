//! The four ways to sync, on a recorded site, and what they promise.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use futures_util::StreamExt;
use wholesite::recording::Recording;
use wholesite::store::{MemoryStore, Store};
use wholesite::store_sqlite::SqliteStore;
use wholesite::{
    PageSync, PageSyncProgress, Source, SyncError, SyncEvent, SyncStatus, astream_sync_pages,
    async_sync_pages, async_sync_pages_until, stream_sync_pages, sync_pages,
};

fn recorded() -> Source {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../corpora/mintlify-flat");
    Source::recording(Recording::open(&folder).expect("a recorded site"))
}

fn pages() -> PageSync<Source, MemoryStore> {
    PageSync::new(recorded(), MemoryStore::new())
}

#[test]
fn blocking() {
    let mut last = PageSyncProgress::default();
    let report = sync_pages(&pages(), |progress| last = progress.clone()).unwrap();
    assert_eq!((report.status, report.discovered, report.added), (SyncStatus::Completed, 10, 10));
    assert_eq!((last.discovered, last.processed, last.updated), (10, 10, 10));
}

#[test]
fn an_iterator_ends_with_the_report_however_slowly_it_is_read() {
    let mut events = stream_sync_pages(pages());
    std::thread::sleep(Duration::from_millis(200));
    let mut seen = 0;
    let report = loop {
        match events.next().expect("it ends with the report") {
            SyncEvent::Progress(_) => seen += 1,
            SyncEvent::Ended(report) => break report.unwrap(),
        }
    };
    assert!(seen <= 2, "the sync went on by itself, and only the newest snapshot was kept: {seen}");
    assert_eq!(report.added, 10);
    assert!(events.next().is_none(), "exactly one report, and it is the last");
}

#[tokio::test]
async fn a_stream_ends_with_the_report() {
    let events: Vec<SyncEvent> = astream_sync_pages(pages()).collect().await;
    let reports = events.iter().filter(|event| matches!(event, SyncEvent::Ended(_))).count();
    assert_eq!(reports, 1);
    assert!(matches!(events.last(), Some(SyncEvent::Ended(Ok(report))) if report.added == 10));
}

#[tokio::test]
async fn an_observer_that_panics_is_switched_off() {
    let mut calls = 0;
    let report = async_sync_pages(&pages(), |_| {
        calls += 1;
        panic!("not my day");
    })
    .await
    .unwrap();
    assert_eq!((calls, report.added), (1, 10));
    assert_eq!(report.warnings, ["the progress observer failed and was switched off"]);
}

#[tokio::test]
async fn a_cancelled_sync_is_an_error_with_the_report_so_far_and_frees_the_site_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let store = SqliteStore::open(&folder.path().join("pages.db")).unwrap();
    let mut sync = PageSync::new(recorded(), store.clone());
    sync.job.concurrency = 1;
    let (ring, bell) = tokio::sync::oneshot::channel::<()>();
    let mut ring = Some(ring);
    let stopped = async_sync_pages_until(
        &sync,
        |progress| {
            if progress.updated == 4 {
                drop(ring.take());
            }
        },
        async move { drop(bell.await) },
    )
    .await;
    let cancelled = Instant::now();
    let Err(SyncError::Cancelled(report)) = stopped else { panic!("{stopped:?}") };
    assert!((4..10).contains(&report.updated), "{report:?}");
    let stored = store.catalogue(&sync.job.site).await.unwrap().len();
    let known = report.updated..=report.updated + report.unknown;
    assert!(known.contains(&stored), "what was published stays: {stored}, {report:?}");
    let second = async_sync_pages(&PageSync::new(recorded(), store.clone()), |_| {}).await.unwrap();
    assert!(cancelled.elapsed() < Duration::from_secs(5));
    assert_eq!((second.added, second.unchanged), (10 - stored, stored));
    let statuses: Vec<String> =
        store.runs(&sync.job.site, 9).await.unwrap().into_iter().map(|run| run.status).collect();
    // The page that was being written when the cancel came may have been the last one.
    let then = if stored == 10 { "unchanged" } else { "completed" };
    assert_eq!(statuses, [then, "cancelled"]);
}

#[tokio::test]
async fn dropping_a_stream_stops_the_sync_and_frees_the_site() {
    let store = MemoryStore::new();
    let mut sync = PageSync::new(recorded(), store.clone());
    sync.job.concurrency = 1;
    let mut stream = astream_sync_pages(sync);
    stream.next().await.expect("a snapshot");
    drop(stream);
    tokio::time::sleep(Duration::from_millis(250)).await;
    let report = async_sync_pages(&PageSync::new(recorded(), store), |_| {}).await.unwrap();
    assert_eq!(report.discovered, 10);
}

#[tokio::test]
async fn a_listing_can_be_refused_and_texts_changed() {
    let refused = pages().validate_discovery(|found, stored| {
        Err(format!("{} found, {} stored", found.pages().len(), stored.len()))
    });
    match async_sync_pages(&refused, |_| {}).await {
        Err(SyncError::Refused(why)) => assert_eq!(why, "10 found, 0 stored"),
        other => panic!("{other:?}"),
    }
    let store = MemoryStore::new();
    let changed = PageSync::new(recorded(), store.clone())
        .validate_discovery(|_, _| Ok(()))
        .transform(|page, text| format!("<!-- {} -->\n{text}", page.url));
    let site = changed.job.site.clone();
    async_sync_pages(&changed, |_| {}).await.unwrap();
    for record in store.catalogue(&site).await.unwrap() {
        let page = store.page(&site, &record.path).await.unwrap().unwrap();
        assert!(page.text.starts_with(&format!("<!-- {} -->\n", record.url)), "{}", page.text);
    }
}

#[tokio::test]
async fn a_dry_run_writes_nothing_and_says_the_same() {
    let store = MemoryStore::new();
    let mut dry = PageSync::new(recorded(), store.clone());
    dry.job.dry_run = true;
    let planned = async_sync_pages(&dry, |_| {}).await.unwrap();
    assert!(store.sites().await.unwrap().is_empty());
    let done = async_sync_pages(&PageSync::new(recorded(), store), |_| {}).await.unwrap();
    assert_eq!((planned.added, planned.added_paths), (done.added, done.added_paths));
}

/// Users spawn syncs: the future must be able to go to another thread.
#[tokio::test]
async fn a_sync_can_be_spawned() {
    let task = tokio::spawn(async { async_sync_pages(&pages(), |_| {}).await });
    assert_eq!(task.await.unwrap().unwrap().added, 10);
}

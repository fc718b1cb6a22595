//! Stops after three pages. What was published stays; the next sync goes on from there.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use tokio::sync::Notify;
use wholesite::recording::Recording;
use wholesite::store::{MemoryStore, Store};
use wholesite::{PageSync, Source, SyncError, async_sync_pages, async_sync_pages_until};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = std::env::args().nth(1).unwrap_or_else(|| "corpora/mintlify-flat".to_owned());
    let store = MemoryStore::new();
    let pages = || {
        let source = Source::recording(Recording::open(folder.as_ref())?);
        let mut pages = PageSync::new(source, store.clone());
        pages.job.concurrency = 1;
        Ok::<_, Box<dyn std::error::Error>>(pages)
    };
    let (enough, seen) = (Arc::new(Notify::new()), AtomicUsize::new(0));
    let ring = Arc::clone(&enough);
    let first = pages()?;
    let stopped = async_sync_pages_until(
        &first,
        |progress| {
            if progress.updated >= 3 && seen.fetch_add(1, Ordering::Relaxed) == 0 {
                ring.notify_one();
            }
        },
        async move { enough.notified().await },
    )
    .await;
    match stopped {
        Err(SyncError::Cancelled(report)) => println!("stopped: {} published", report.updated),
        other => println!("not stopped: {other:?}"),
    }
    let report = async_sync_pages(&pages()?, |_| {}).await?;
    let stored = store.catalogue(&first.job.site).await?.len();
    println!("{}: {} more published, {stored} stored", report.status.name(), report.updated);
    Ok(())
}

//! A sync as a stream of events, with a progress line of one's own.

use wholesite::recording::Recording;
use wholesite::store::MemoryStore;
use wholesite::{PageSync, Source, SyncEvent, stream_sync_pages};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = std::env::args().nth(1).unwrap_or_else(|| "corpora/mintlify-flat".to_owned());
    let source = Source::recording(Recording::open(folder.as_ref())?);
    for event in stream_sync_pages(PageSync::new(source, MemoryStore::new())) {
        match event {
            SyncEvent::Progress(at) => {
                println!(
                    "{:<10} {:>4} of {:<4} {}",
                    at.stage.name(),
                    at.processed,
                    at.discovered,
                    at.path.unwrap_or_default()
                );
            }
            SyncEvent::Ended(report) => println!("{}", report?.status.name()),
        }
    }
    Ok(())
}

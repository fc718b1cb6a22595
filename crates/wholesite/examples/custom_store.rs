//! A store of one's own: here one that tells what is written, on top of the one in memory.

use wholesite::recording::Recording;
use wholesite::store::{Change, Lease, MemoryStore, Store, StoreError};
use wholesite::{PageSync, Source, sync_pages};

struct Telling(MemoryStore);

impl Store for Telling {
    async fn apply(&self, lease: &Lease, batch: Vec<Change>) -> Result<(), StoreError> {
        for change in &batch {
            if let Change::Publish { page, .. } = change {
                println!("published {}", page.record.path);
            }
        }
        self.0.apply(lease, batch).await
    }

    // Everything else is handed on.
    wholesite::store::store_reads!(Telling(store) => store);
    wholesite::store::store_leases!(Telling(store) => store);
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = std::env::args().nth(1).unwrap_or_else(|| "corpora/mintlify-flat".to_owned());
    let source = Source::recording(Recording::open(folder.as_ref())?);
    let report = sync_pages(&PageSync::new(source, Telling(MemoryStore::new())), |_| {})?;
    println!("{}", report.status.name());
    Ok(())
}

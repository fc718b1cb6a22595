//! A sync in ten lines: `cargo run --example sync -- corpora/mintlify-flat`.

use wholesite::recording::Recording;
use wholesite::store_sqlite::SqliteStore;
use wholesite::{PageSync, Source, sync_pages};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = std::env::args().nth(1).unwrap_or_else(|| "corpora/mintlify-flat".to_owned());
    let source = Source::recording(Recording::open(folder.as_ref())?);
    let store = SqliteStore::open("target/example/pages.db".as_ref())?;
    let report = sync_pages(&PageSync::new(source, store), |_| {})?;
    println!("{}: {} pages, {} updated", report.status.name(), report.discovered, report.updated);
    Ok(())
}

//! How fast pages are published and read: `cargo run --release -p wholesite-store-dir --example speed`.

use std::time::Instant;

use futures_util::stream::{self, StreamExt};
use wholesite_store::conformance::{lease, page, site};
use wholesite_store::{Change, Query, Store};
use wholesite_store_dir::DirStore;

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = DirStore::open(folder.path()).expect("a store");
    let docs = site("docs");
    let held = lease(&store, &docs, 1).await;
    let text = |n: usize| (0..1_500).map(|at| format!("w{:x} ", (at * n) % 9_973)).collect::<String>();
    let pages: Vec<_> =
        (0..4_000).map(|n| page(&format!("guides/section-{}/page-{n}", n % 40), &text(n), 1)).collect();
    let (count, bytes) = (pages.len(), pages.iter().map(|page| page.text.len()).sum::<usize>());
    let begun = Instant::now();
    stream::iter(pages.into_iter().map(|page| {
        store.apply(&held, vec![Change::Publish { page: Box::new(page), run: "run".to_owned() }])
    }))
    .buffer_unordered(32)
    .for_each(|done| async { done.expect("published") })
    .await;
    println!("{count} pages, {} MB, published in {:?}", bytes / 1_000_000, begun.elapsed());
    let begun = Instant::now();
    let count = store.catalogue(&docs).await.expect("a catalogue").len();
    println!("catalogue of {count}, the first time, in {:?}", begun.elapsed());
    let begun = Instant::now();
    let query = Query { words: "w1eef".to_owned(), prefix: None, limit: 20 };
    let hits = store.search(&docs, &query).await.expect("a search").len();
    println!("search with {hits} hits in {:?}", begun.elapsed());
    let begun = Instant::now();
    drop(held);
    drop(store);
    println!("released in {:?}", begun.elapsed());
    let begun = Instant::now();
    let store = DirStore::open(folder.path()).expect("a store");
    println!("opened, all files looked at, in {:?}", begun.elapsed());
    let begun = Instant::now();
    let count = store.catalogue(&docs).await.expect("a catalogue").len();
    println!("catalogue of {count}, from the snapshot, in {:?}", begun.elapsed());
}

//! How fast pages are published and read: `cargo run --release -p wholesite-store-sqlite --example speed`.

use std::time::Instant;

use futures_util::stream::{self, StreamExt};
use wholesite_store::conformance::{lease, page, site};
use wholesite_store::{Change, Query, Store};
use wholesite_store_sqlite::SqliteStore;

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let folder = tempfile::tempdir().expect("a folder");
    let made_up = std::env::args().nth(1).is_none();
    let store = SqliteStore::open(&folder.path().join("pages.db")).expect("a store");
    let docs = site("docs");
    let held = lease(&store, &docs, 1).await;
    let pages: Vec<_> = texts()
        .iter()
        .enumerate()
        .map(|(n, text)| page(&format!("guides/section-{}/page-{n}", n % 40), text, 1))
        .collect();
    let count = pages.len();
    let bytes: usize = pages.iter().map(|page| page.text.len()).sum();
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
    println!("catalogue of {count} in {:?}", begun.elapsed());
    let begun = Instant::now();
    let query =
        Query { words: if made_up { "w1eef" } else { "install" }.to_owned(), prefix: None, limit: 20 };
    let hits = store.search(&docs, &query).await.expect("a search").len();
    println!("search with {hits} hits in {:?}", begun.elapsed());
}

/// The Markdown files below the folder that was named, or made-up ones.
fn texts() -> Vec<String> {
    let Some(folder) = std::env::args().nth(1) else {
        // About 9 KB of words that repeat as in prose: few of them often, most of them seldom.
        let mut seed = 1_u64;
        let mut word = || {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let share = (seed >> 40) as f64 / (1 << 24) as f64;
            (share.powi(5) * 20_000.0) as u64
        };
        let mut text = |_| {
            let words: Vec<String> =
                (0..1_500).map(|_| word()).map(|n| format!("w{:x}", n * 7_919 % 999_983)).collect();
            words.join(" ")
        };
        return (0..4_000).map(&mut text).collect();
    };
    let (mut texts, mut open) = (Vec::new(), vec![std::path::PathBuf::from(folder)]);
    while let Some(folder) = open.pop() {
        for entry in std::fs::read_dir(folder).expect("a folder").flatten() {
            let path = entry.path();
            if path.is_dir() {
                open.push(path);
            } else if path.extension().is_some_and(|extension| extension == "mdx" || extension == "md") {
                texts.extend(std::fs::read_to_string(path));
            }
        }
    }
    texts
}

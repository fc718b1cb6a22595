//! How fast pages are published and read: `cargo run --release -p wholesite-store-sqlite --example speed`.

use std::time::Instant;

use futures_util::stream::{self, StreamExt};
use wholesite_store::conformance::{lease, page, site};
use wholesite_store::{Change, Query, Store};
use wholesite_store_sqlite::SqliteStore;

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let folder = tempfile::tempdir().expect("a folder");
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
    let query = Query { words: "install".to_owned(), prefix: None, limit: 20 };
    let hits = store.search(&docs, &query).await.expect("a search").len();
    println!("search with {hits} hits in {:?}", begun.elapsed());
}

/// The Markdown files below the folder that was named, or made-up ones.
fn texts() -> Vec<String> {
    let Some(folder) = std::env::args().nth(1) else {
        let words: Vec<String> = (0..3_000).map(|n| format!("word{}", n * 7919 % 9973)).collect();
        let text = |n: usize| {
            let text: Vec<&str> =
                (0..1_300).map(|w| words[(n * 31 + w * (1 + n % 7)) % words.len()].as_str()).collect();
            text.join(" ")
        };
        return (0..4_000).map(text).collect();
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

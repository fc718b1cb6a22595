//! Words are the same words to the index as to the store in memory.

use std::path::PathBuf;

use tempfile::TempDir;
use wholesite_store::conformance::{lease, page, site};
use wholesite_store::{Change, MemoryStore, Query, Store};
use wholesite_store_sqlite::SqliteStore;

const TEXTS: [&str; 14] = [
    "caf\u{e9} composed",
    "cafe\u{301} with an accent of its own",
    "\u{130}stanbul and ISTANBUL",
    "ΟΔΟΣ and οδος",
    "Straße STRASSE",
    "हिन्दी में लिखा",
    "ภาษาไทย",
    "日本語 の ドキュメント",
    "한국어",
    "\u{24b6}\u{24d0} circled, x² squared, ½, Ⅷ, ǅ",
    "private\u{e000}use zero\u{0}byte soft\u{ad}hyphen zero\u{200b}width join\u{200d}er",
    "don’t — “quoted” naïve\u{1f980}crab",
    "snake_case kebab-case node.js C++ #5 a/b",
    "Ünïcödé ПРИВЕТ привет",
];

fn query(words: &str) -> Query {
    Query { words: words.to_owned(), prefix: None, limit: 100 }
}

fn fresh() -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("pages.db");
    (folder, path)
}

async fn found<S: Store>(store: &S, words: &str) -> Vec<String> {
    let hits = store.search(&site("docs"), &query(words)).await.unwrap();
    let mut paths: Vec<_> = hits.into_iter().map(|hit| hit.path.to_string()).collect();
    paths.sort();
    paths
}

#[tokio::test]
async fn every_word_is_found_where_the_reference_finds_it_and_nowhere_else() {
    let (_folder, path) = fresh();
    let (store, memory) = (SqliteStore::open(&path).unwrap(), MemoryStore::new());
    let docs = site("docs");
    let (held, reference) = (lease(&store, &docs, 1).await, lease(&memory, &docs, 1).await);
    let mut batch = Vec::new();
    for (n, text) in TEXTS.iter().enumerate() {
        let mut page = page(&format!("p{n}"), text, 1);
        page.record.title = Some(format!("{} heading", TEXTS[(n + 5) % TEXTS.len()]));
        batch.push(Change::Publish { page: Box::new(page), run: "run".to_owned() });
    }
    store.apply(&held, batch.clone()).await.unwrap();
    memory.apply(&reference, batch).await.unwrap();
    let words = TEXTS.iter().flat_map(|text| text.split(' '));
    for words in words.chain(TEXTS).chain(["cafe", "istanbul", "strasse", "i", "ह", "heading composed"]) {
        for words in [words.to_owned(), words.to_uppercase(), words.to_lowercase()] {
            let (seen, right) = (found(&store, &words).await, found(&memory, &words).await);
            assert_eq!(seen, right, "{words:?}");
        }
    }
}

#[tokio::test]
async fn any_number_of_words_is_a_query() {
    let (_folder, path) = fresh();
    let store = SqliteStore::open(&path).unwrap();
    let docs = site("docs");
    let held = lease(&store, &docs, 1).await;
    let text: Vec<String> = (0..3_000).map(|n| format!("w{n}")).collect();
    let text = text.join(" ");
    let change = Change::Publish { page: Box::new(page("a", &text, 1)), run: "run".to_owned() };
    store.apply(&held, vec![change]).await.unwrap();
    assert_eq!(found(&store, &text).await, ["/a.md"]);
    assert!(found(&store, &format!("{text} missing")).await.is_empty());
    let nothing = Query { limit: 0, ..query("w1") };
    assert!(store.search(&docs, &nothing).await.unwrap().is_empty());
}

#[tokio::test]
async fn hits_come_best_first_with_a_piece_of_text() {
    let (_folder, path) = fresh();
    let store = SqliteStore::open(&path).unwrap();
    let docs = site("docs");
    let held = lease(&store, &docs, 1).await;
    let long = format!("{} the Ärger needle {}", "é ".repeat(500), "ü ".repeat(500));
    let mut titled = page("titled", "nothing of it here", 1);
    titled.record.title = Some("Needle".to_owned());
    let pages = [page("long", &long, 1), titled, page("other", "hay", 1)];
    let batch = pages.map(|page| Change::Publish { page: Box::new(page), run: "run".to_owned() });
    store.apply(&held, batch.to_vec()).await.unwrap();
    let hits = store.search(&docs, &query("NEEDLE")).await.unwrap();
    let paths: Vec<_> = hits.iter().map(|hit| hit.path.to_string()).collect();
    assert_eq!(paths, ["/titled.md", "/long.md"], "a title counts for more");
    assert!(hits[0].score > hits[1].score);
    assert!(hits[1].snippet.contains("Ärger needle"), "{}", hits[1].snippet);
    assert!(hits[1].snippet.chars().count() <= 160);
}

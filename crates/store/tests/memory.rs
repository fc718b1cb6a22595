//! The store in memory passes the suite that all stores pass.

use wholesite_store::{MemoryStore, conformance};

#[tokio::test]
async fn it_does_what_a_store_does() {
    conformance::every_case(MemoryStore::new).await;
}

/// Compared with itself: the suite's own laws hold, and its histories do reach every kind of change.
#[tokio::test]
async fn histories() {
    for seed in 0..20 {
        conformance::agrees_with_memory(&MemoryStore::new(), seed, 60).await;
    }
}

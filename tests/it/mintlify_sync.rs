//! Syncs over loopback of real documentation trees as they really changed. Server and trees stand
//! beside the corpora; absent, or without python3, the tests say so and pass.

use std::collections::BTreeSet;
use std::time::Duration;

use wholesite::address::SiteUrl;
use wholesite::discovery::{Globs, Options};
use wholesite::store::{Query, Store};
use wholesite::store_sqlite::SqliteStore;
use wholesite::sync::prune::{DeleteLimit, Policy};
use wholesite::{PageSync, Source, SyncReport, SyncStatus, async_sync_pages};
use wholesite_fetch_http::HttpFetcher;

use crate::mintlify_server::{Server, decoded, listed, serve, serve_at, served, tool};

fn sync(server: &Server, store: &SqliteStore) -> SyncReport {
    sync_with(server, store, |_| {})
}

fn sync_with(server: &Server, store: &SqliteStore, change: impl FnOnce(&mut Policy)) -> SyncReport {
    let seed: SiteUrl = server.url.parse().expect("a URL");
    let fetcher = HttpFetcher::builder().allow_private(true).build().expect("a client");
    let allow_offsite = Globs::new(["https://**", "http://127.0.0.0/"]).expect("a glob");
    let mut pages = PageSync::new(Source::live(seed, fetcher, 16), store.clone())
        .discovery(Options { allow_offsite, ..Options::default() });
    pages.job.policy.confirm_after = Duration::from_millis(100);
    change(&mut pages.job.policy);
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .expect("a runtime");
    runtime.block_on(async_sync_pages(&pages, |_| {})).expect("a report")
}

fn port(server: &Server) -> u16 {
    server.url.rsplit(':').next().and_then(|port| port.trim_matches('/').parse().ok()).expect("a port")
}

/// The paths of the stored pages, as addresses.
fn stored(store: &SqliteStore) -> BTreeSet<String> {
    block_on(async {
        let site = store.sites().await.expect("sites").pop().expect("one site");
        let records = store.catalogue(&site).await.expect("a catalogue");
        records.iter().map(|record| decoded(record.url.path())).collect()
    })
}

fn block_on<T>(future: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().build().expect("a runtime").block_on(future)
}

#[test]
fn mintlifys_own_docs_with_faults_then_edited_and_shortened() {
    let (Some(corpora), Some(tool)) = (wholesite_tests::corpora(), tool()) else { return };
    let tree = corpora.join("mintlify/mintlify-docs");
    let folder = tempfile::tempdir().expect("a folder");
    let store = SqliteStore::open(&folder.path().join("pages.db")).expect("a store");
    // One request in twenty is reset, one in twenty is answered with an error, and some never end.
    let faults = [
        ["--reset-rate", "0.05"],
        ["--error-rate", "0.05"],
        ["--truncate-rate", "0.02"],
        ["--stall-rate", "0.002"],
        ["--stall-s", "12"],
    ]
    .concat();
    let server = serve(&tool, &tree, &faults);
    let port = port(&server);
    let first = sync(&server, &store);
    let truth = listed(&tool, &tree, &[]);
    assert_eq!((first.failed, first.added), (0, truth.len()), "retries make up for it: {first:#?}");
    assert_eq!(stored(&store), truth);
    drop(server);

    // With one seed the edited pages would be the removed ones.
    let later = ["--edit-rate", "0.01", "--edit-seed", "7", "--remove-rate", "0.01"];
    let now = listed(&tool, &tree, &later);
    let removed: BTreeSet<_> = truth.difference(&now).cloned().collect();
    let server = serve_at(&tool, &tree, port, &later);
    let second = sync(&server, &store);
    assert_eq!(second.status, SyncStatus::Completed, "{second:#?}");
    assert_eq!((second.deleted, second.added), (removed.len(), 0), "{second:#?}");
    assert!(removed.len() > 3 && second.changed > 3, "{second:#?}");
    assert_eq!(stored(&store), now);
    assert_eq!(sync(&server, &store).status, SyncStatus::Unchanged);
    // What was removed is found no more.
    block_on(async {
        let site = store.sites().await.expect("sites").pop().expect("one site");
        for entry in store.trash(&site).await.expect("the trash") {
            let words = entry.page.record.title.clone().unwrap_or_default();
            let query = Query { words, prefix: None, limit: 100 };
            let hits = store.search(&site, &query).await.expect("a search");
            assert!(hits.iter().all(|hit| hit.path != entry.page.record.path), "{}", entry.page.record.path);
        }
    });
}

#[test]
fn agnos_docs_as_they_really_changed() {
    let (Some(corpora), Some(tool)) = (wholesite_tests::corpora(), tool()) else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let store = SqliteStore::open(&folder.path().join("pages.db")).expect("a store");
    let mut port = 0;
    let mut before = BTreeSet::new();
    // The state, and what the sync says: added, changed, withdrawn, and of these moved.
    let states = [
        ("2026-02-06", (1529, 0, 0, 0)),
        ("2026-04-14", (1810, 136, 6, 5)),
        ("2026-07-14", (876, 2652, 128, 80)),
    ];
    for (state, expected) in states {
        let tree = corpora.join("mintlify/agno-history").join(state);
        let server = serve_at(&tool, &tree, port, &[]);
        port = self::port(&server);
        // The last state takes more away than somebody who is careful lets go without a look.
        let careful = |policy: &mut Policy| policy.max_delete = DeleteLimit { pages: 50, percent: 0 };
        let held = sync_with(&server, &store, careful);
        let report = if held.prune.held > 0 {
            assert_eq!((held.prune.held, held.deleted), (expected.2, 0), "{state}: all of them, or none");
            assert_eq!(stored(&store).len(), before.len() + expected.0, "{state}: nothing is withdrawn");
            let plan = block_on(async {
                let site = store.sites().await.expect("sites").pop().expect("one site");
                store.state(&site).await.expect("a state").expect("synced").held.expect("the plan is kept")
            });
            assert_eq!(plan.paths.len(), expected.2);
            let applied = sync_with(&server, &store, |policy| {
                careful(policy);
                policy.approved = plan.paths.iter().cloned().collect();
            });
            assert_eq!((applied.deleted, applied.prune.held), (expected.2, 0), "{state}: {applied:#?}");
            SyncReport { added: held.added, changed: held.changed, ..applied }
        } else {
            held
        };
        let (listing, alive) = (listed(&tool, &tree, &[]), served(&tool, &tree, &[]));
        assert!(report.discovery.complete && report.failed == 0, "{state}: {report:#?}");
        assert_eq!(report.discovered, listing.len(), "{state}");
        assert_eq!(
            (report.added, report.changed, report.deleted, report.moved),
            expected,
            "{state}: {report:#?}"
        );
        let now = stored(&store);
        assert!(listing.is_subset(&now), "{state}: every listed page is stored");
        let left: BTreeSet<_> = before.difference(&listing).cloned().collect();
        let gone: BTreeSet<_> = before.difference(&now).cloned().collect();
        assert_eq!(gone.len(), report.deleted, "{state}");
        assert!(
            gone.iter().all(|page| !alive.contains(page)),
            "{state}: nothing that is served was withdrawn"
        );
        assert_eq!(
            left.len(),
            report.deleted + report.prune.kept,
            "{state}: each is withdrawn, or kept and named"
        );
        let still_served = left.iter().filter(|page| alive.contains(*page)).count();
        println!(
            "{state}: {expected:?}, {} left the listing, {still_served} of them still served",
            left.len()
        );
        before = now;
    }
    // Each page that moved leads to its heir.
    block_on(async {
        let site = store.sites().await.expect("sites").pop().expect("one site");
        let records = store.catalogue(&site).await.expect("a catalogue");
        let aliases: BTreeSet<&str> =
            records.iter().flat_map(|record| &record.aliases).map(|url| url.path()).collect();
        for entry in store.trash(&site).await.expect("the trash") {
            if let wholesite::store::Fate::Moved { .. } = entry.withdrawal.fate {
                assert!(aliases.contains(entry.page.record.url.path()), "{}", entry.page.record.url);
            }
        }
    });
}

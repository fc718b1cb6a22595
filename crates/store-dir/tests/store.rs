//! The folder store does what a store does, and keeps it.

mod shared;

use std::fs;
use std::io::Write;
use std::time::Duration;

use futures_util::FutureExt;
use shared::{assert_same, docs, publish, withdraw};
use wholesite_store::conformance::{self, lease, observe, path, site};
use wholesite_store::{Change, Holder, RunRecord, Store, StoreError, Timestamp};
use wholesite_store_dir::DirStore;

#[tokio::test]
async fn it_does_what_a_store_does() {
    let mut folders = Vec::new();
    let fresh = || {
        let folder = tempfile::tempdir().unwrap();
        let store = DirStore::open(&folder.path().join("deep/er")).expect("a new store");
        folders.push(folder);
        store
    };
    conformance::every_case(fresh).await;
}

#[tokio::test]
async fn it_agrees_with_the_reference_on_long_histories_and_reads_the_same_when_opened_again() {
    for seed in 0..10 {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        let store = DirStore::open(root).unwrap();
        conformance::agrees_with_memory(&store, seed, 40).await;
        let before = observe(&store, &site("docs")).await;
        assert_same(&store, root).await;
        drop(store);
        let journal = fs::metadata(docs(root).join(".wholesite/journal.ndjson")).unwrap();
        assert_eq!(journal.len(), 0, "the lease was released, so there is a snapshot");
        for _ in 0..2 {
            let again = DirStore::open(root).unwrap();
            assert_eq!(observe(&again, &site("docs")).await, before, "seed {seed}");
            let reader = DirStore::open_read_only(root).unwrap();
            assert_eq!(observe(&reader, &site("docs")).await, before, "seed {seed}");
            assert_same(&again, root).await;
        }
        let texts = fs::read_dir(docs(root).join(".wholesite/texts")).unwrap().count();
        let kept = fs::read_dir(docs(root).join(".wholesite/unfinished")).unwrap().count();
        assert!(texts >= before.revisions.len() && kept == 0);
    }
}

#[tokio::test]
async fn a_reader_elsewhere_follows_the_journal_and_snapshots() {
    let folder = tempfile::tempdir().unwrap();
    let store = DirStore::open(folder.path()).unwrap();
    let reader = DirStore::open_read_only(folder.path()).unwrap();
    let docs_site = site("docs");
    assert!(reader.catalogue(&docs_site).await.unwrap().is_empty());
    let mut held = Some(lease(&store, &docs_site, 1).await);
    let mut names = Vec::new();
    for round in 0..60 {
        let name = format!("p{}", round % 7);
        let text = format!("round {round}");
        let mut batch = vec![publish(&name, &text)];
        if round % 5 == 0 {
            // Fat, so that the journal outgrows its limit now and then.
            batch.push(Change::SaveRun(Box::new(RunRecord {
                id: format!("r{}", round % 10),
                started: Timestamp(round),
                ended: None,
                status: "running".to_owned(),
                report: "x".repeat(900_000),
            })));
        }
        if round % 3 == 0 {
            batch.push(Change::ForgetRevisions { replaced_before: Timestamp(i64::MAX) });
        }
        store.apply(held.as_ref().unwrap(), batch).await.unwrap();
        names.push(name.clone());
        let read = reader.page(&docs_site, &path(&name)).await.unwrap().expect("live");
        assert_eq!(read.text, text);
        if round % 4 != 1 {
            assert_eq!(observe(&reader, &docs_site).await, observe(&store, &docs_site).await);
        }
        if round % 13 == 12 {
            drop(held.take());
            held = Some(lease(&store, &docs_site, round).await);
        }
    }
    assert_eq!(reader.sites().await.unwrap(), [docs_site]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 3)]
async fn a_reader_elsewhere_is_never_behind_what_was_reported_as_done() {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicI64, Ordering};
    let folder = tempfile::tempdir().unwrap();
    let store = DirStore::open(folder.path()).unwrap();
    drop(lease(&store, &site("docs"), 1).await);
    let done = Arc::new(AtomicI64::new(-1));
    let readers: Vec<_> = (0..2)
        .map(|_| {
            let (done, reader) = (Arc::clone(&done), DirStore::open_read_only(folder.path()).unwrap());
            tokio::spawn(async move {
                let mut reads = 0;
                loop {
                    let told = done.load(Ordering::SeqCst);
                    if told == i64::MAX {
                        return reads;
                    }
                    let page = reader.page(&site("docs"), &path("a")).await.unwrap();
                    let read: i64 = page.map_or(-1, |page| page.text.parse().unwrap());
                    assert!(read >= told, "{read} was read after {told} was reported as done");
                    reads += 1;
                }
            })
        })
        .collect();
    for round in 0..200 {
        // A snapshot after every one, and the text before it is gone.
        let held = lease(&store, &site("docs"), 1).await;
        let forget = Change::ForgetRevisions { replaced_before: Timestamp(i64::MAX) };
        store.apply(&held, vec![publish("a", &round.to_string()), forget]).await.unwrap();
        done.store(round, Ordering::SeqCst);
    }
    done.store(i64::MAX, Ordering::SeqCst);
    for reader in readers {
        assert!(reader.await.unwrap() > 10);
    }
}

#[tokio::test]
async fn a_torn_last_line_is_as_if_it_was_never_written() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    let journal = docs(root).join(".wholesite/journal.ndjson");
    let store = DirStore::open(root).unwrap();
    let held = lease(&store, &site("docs"), 1).await;
    store.apply(&held, vec![publish("a", "one")]).await.unwrap();
    let before = observe(&store, &site("docs")).await;
    let whole = fs::read(&journal).unwrap();
    store.apply(&held, vec![publish("a", "two"), publish("b", "two")]).await.unwrap();
    let longer = fs::read(&journal).unwrap();
    // As if the process had died: no release, no snapshot.
    std::mem::forget(held);
    drop(store);
    for end in (whole.len()..longer.len()).step_by(11).chain([longer.len() - 1]) {
        fs::write(&journal, &longer[..end]).unwrap();
        let reader = DirStore::open_read_only(root).unwrap();
        assert_eq!(observe(&reader, &site("docs")).await, before, "{end}");
    }
    let mut longer = fs::OpenOptions::new().append(true).open(&journal).unwrap();
    longer.write_all(&[0; 100]).and_then(|()| longer.write_all(b"\n")).unwrap();
    drop(longer);
    let store = DirStore::open(root).unwrap();
    assert_eq!(observe(&store, &site("docs")).await, before);
    let held = lease(&store, &site("docs"), 100_000).await;
    store.apply(&held, vec![publish("c", "three"), withdraw("a")]).await.unwrap();
    drop(held);
    drop(store);
    // Counting goes on where it was, from the journal as well as from a snapshot.
    let again = DirStore::open(root).unwrap();
    let held = lease(&again, &site("docs"), 100_000).await;
    again.apply(&held, vec![publish("d", "four"), withdraw("c")]).await.unwrap();
    let page = again.page(&site("docs"), &path("d")).await.unwrap().expect("live");
    assert_eq!(page.record.revision, 3);
    let trash = again.trash(&site("docs")).await.unwrap();
    assert_eq!(trash.iter().map(|entry| entry.id).collect::<Vec<_>>(), [2, 1]);
}

#[tokio::test]
async fn a_process_may_die_between_a_snapshot_and_the_cut_of_its_journal() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    let journal = docs(root).join(".wholesite/journal.ndjson");
    let store = DirStore::open(root).unwrap();
    let held = lease(&store, &site("docs"), 1).await;
    store.apply(&held, vec![publish("a", "one"), publish("b", "one")]).await.unwrap();
    store.apply(&held, vec![publish("a", "two"), withdraw("b")]).await.unwrap();
    let before = observe(&store, &site("docs")).await;
    let whole = fs::read(&journal).unwrap();
    drop(held);
    drop(store);
    assert!(fs::read(&journal).unwrap().is_empty());
    fs::write(&journal, whole).unwrap();
    let store = DirStore::open(root).unwrap();
    assert_eq!(observe(&store, &site("docs")).await, before);
    let held = lease(&store, &site("docs"), 1).await;
    store.apply(&held, vec![Change::Restore { id: 1 }]).await.unwrap();
    let reader = DirStore::open_read_only(root).unwrap();
    assert_eq!(reader.catalogue(&site("docs")).await.unwrap().len(), 2);
    assert_same(&store, root).await;
}

#[tokio::test]
async fn a_damaged_line_in_the_middle_is_told_and_nothing_is_lost_by_it() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    let journal = docs(root).join(".wholesite/journal.ndjson");
    let store = DirStore::open(root).unwrap();
    let held = lease(&store, &site("docs"), 1).await;
    for name in ["a", "b", "c"] {
        store.apply(&held, vec![publish(name, name)]).await.unwrap();
    }
    std::mem::forget(held);
    drop(store);
    let text = fs::read_to_string(&journal).unwrap();
    fs::write(&journal, text.replacen("\"/b.md\"", "\"/x.md\"", 1)).unwrap();
    for result in [DirStore::open(root).map(drop), reads(root).await] {
        let error = result.expect_err("it is damaged");
        assert!(matches!(error, StoreError::Unusable { .. }), "{error:?}");
        assert!(error.to_string().contains("backup"), "{error}");
    }
    assert_eq!(fs::read_to_string(&journal).unwrap().len(), text.len(), "it is left as it is");
    // So is a snapshot.
    fs::write(&journal, &text).unwrap();
    drop(lease(&DirStore::open(root).unwrap(), &site("docs"), 100_000).await);
    let manifest = docs(root).join(".wholesite/manifest.json");
    let text = fs::read_to_string(&manifest).unwrap();
    fs::write(&manifest, text.replacen("\"/b.md\"", "\"/x.md\"", 1)).unwrap();
    assert!(matches!(reads(root).await, Err(StoreError::Unusable { .. })));
    // A newer one is told as such.
    fs::write(&manifest, text).unwrap();
    let mark = root.join(".wholesite/store.json");
    fs::write(&mark, fs::read_to_string(&mark).unwrap().replace(": 1,", ": 9,")).unwrap();
    assert!(matches!(DirStore::open(root), Err(StoreError::TooNew { found: 9, known: 1, .. })));
}

async fn reads(root: &std::path::Path) -> Result<(), StoreError> {
    DirStore::open_read_only(root)?.catalogue(&site("docs")).await.map(drop)
}

#[tokio::test]
async fn two_open_the_same_folder() {
    let folder = tempfile::tempdir().unwrap();
    let (one, other) = (DirStore::open(folder.path()).unwrap(), DirStore::open(folder.path()).unwrap());
    let docs = site("docs");
    let held = lease(&one, &docs, 1_000).await;
    let ask = |store: &DirStore, now| {
        let (store, docs) = (store.clone(), docs.clone());
        let holder = Holder { run: "second".to_owned(), process: 7, since: Timestamp(now) };
        async move { store.acquire(&docs, holder, Timestamp(now), Duration::from_secs(60)).await }
    };
    let second = ask(&other, 2_000).await;
    assert!(matches!(second, Err(StoreError::Busy(holder)) if holder.run == "run-1000"));
    one.apply(&held, vec![publish("a", "one")]).await.unwrap();
    assert_eq!(other.catalogue(&docs).await.unwrap().len(), 1, "readers see what is committed");
    // It expired, though its process is alive: it is taken over, and the old holder is kept out.
    let second = ask(&other, 100_000).await.expect("it has expired");
    assert!(second.token() > held.token());
    assert!(matches!(one.apply(&held, vec![publish("a", "late")]).await, Err(StoreError::Fenced)));
    other.apply(&second, vec![publish("a", "two")]).await.unwrap();
    drop(held);
    assert!(matches!(ask(&one, 110_000).await, Err(StoreError::Busy(_))), "the second is alive");
    drop(second);
    drop(other);
    let third = ask(&one, 110_000).await.expect("it was given back");
    one.apply(&third, vec![publish("b", "three")]).await.unwrap();
    assert_eq!(one.catalogue(&docs).await.unwrap().len(), 2);
}

#[tokio::test]
async fn a_store_that_was_dropped_has_written_what_it_was_asked() {
    let folder = tempfile::tempdir().unwrap();
    let docs = site("docs");
    for round in 0..20 {
        let store = DirStore::open(folder.path()).unwrap();
        let held = lease(&store, &docs, 1).await;
        // Asked once, and not waited for.
        let _ = store.apply(&held, vec![publish(&format!("p{round}"), "text")]).now_or_never();
        drop(held);
        drop(store);
        let reader = DirStore::open_read_only(folder.path()).unwrap();
        assert_eq!(reader.catalogue(&docs).await.unwrap().len(), round + 1);
    }
}

#[tokio::test]
async fn a_lease_is_free_as_soon_as_it_was_dropped_and_outlives_its_store() {
    let folder = tempfile::tempdir().unwrap();
    let store = DirStore::open(folder.path()).unwrap();
    for _ in 0..20 {
        drop(lease(&store, &site("docs"), 1_000).await);
    }
    let held = lease(&store, &site("docs"), 1_000).await;
    drop(store);
    let other = DirStore::open(folder.path()).unwrap();
    other.apply(&held, vec![publish("a", "one")]).await.unwrap();
    drop(held);
    assert_eq!(other.catalogue(&site("docs")).await.unwrap().len(), 1);
}

#[test]
fn many_open_a_new_folder_at_once() {
    for _ in 0..10 {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("new");
        std::thread::scope(|scope| {
            let open = || DirStore::open(&path).map(drop);
            let threads: Vec<_> = (0..8).map(|_| scope.spawn(open)).collect();
            threads.into_iter().for_each(|thread| thread.join().unwrap().unwrap());
        });
    }
}

#[tokio::test]
async fn a_reader_can_not_write() {
    let folder = tempfile::tempdir().unwrap();
    let store = DirStore::open(folder.path()).unwrap();
    let held = lease(&store, &site("docs"), 1).await;
    let reader = DirStore::open_read_only(folder.path()).unwrap();
    let error = reader.apply(&held, vec![publish("a", "one")]).await.expect_err("it only reads");
    assert!(matches!(error, StoreError::ReadOnly { .. }), "{error:?}");
    #[cfg(target_os = "linux")]
    {
        let error = DirStore::open(std::path::Path::new("/sys/kernel/pages")).expect_err("nobody can");
        assert!(matches!(error, StoreError::ReadOnly { .. }), "{error:?}");
    }
}

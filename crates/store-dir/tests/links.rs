//! Links that somebody planted lead nowhere: nothing outside is written, changed or deleted.
#![cfg(unix)]

mod shared;

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use shared::{assert_same, docs, publish, tree, withdraw};
use wholesite_store::conformance::{lease, path, site};
use wholesite_store::{Change, Store, StoreError};
use wholesite_store_dir::DirStore;

/// A refusal that names the link.
fn assert_refused(result: Result<(), StoreError>, link: &Path) {
    match result {
        Err(StoreError::Unusable { place, message }) => {
            assert!(message.contains("symbolic link"), "{message}");
            assert_eq!(place.file_name(), link.file_name());
        }
        other => panic!("{} was followed: {other:?}", link.display()),
    }
}

#[tokio::test]
async fn links_among_the_pages_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let (root, outside) = (folder.path().join("store"), folder.path().join("outside"));
    fs::create_dir(&outside).unwrap();
    fs::write(outside.join("a.md"), "one").unwrap();
    fs::write(outside.join("target"), "precious").unwrap();
    let before = tree(&outside);
    let store = DirStore::open(&root).unwrap();
    let held = lease(&store, &site("docs"), 1).await;
    let pages = ["guides/a", "b", "c"].map(|name| publish(name, "one"));
    store.apply(&held, pages.to_vec()).await.unwrap();
    store.apply(&held, vec![withdraw("c")]).await.unwrap();
    let (guides, file, gone) =
        (docs(&root).join("guides"), docs(&root).join("b.md"), docs(&root).join("c.md"));
    fs::remove_dir_all(&guides).unwrap();
    symlink(&outside, &guides).unwrap();
    fs::remove_file(&file).unwrap();
    symlink(outside.join("target"), &file).unwrap();
    symlink(outside.join("nowhere"), &gone).unwrap();
    let attacks = [
        (publish("guides/a", "two"), &guides),
        (publish("guides/deep/new", "two"), &guides),
        (withdraw("guides/a"), &guides),
        (publish("b", "two"), &file),
        (withdraw("b"), &file),
        (Change::Restore { id: 1 }, &gone),
        (publish("c", "two"), &gone),
    ];
    for (change, link) in attacks {
        // The batch is refused as a whole; others that came with it are not.
        let (refused, done) = tokio::join!(
            store.apply(&held, vec![publish("x", "with it"), change]),
            store.apply(&held, vec![publish("y", "beside it")])
        );
        assert_refused(refused, link);
        done.unwrap();
        assert_eq!(tree(&outside), before);
        assert_eq!(store.page(&site("docs"), &path("x")).await.unwrap(), None);
    }
    std::mem::forget(held);
    drop(store);
    // Repairs do not follow them either.
    assert_refused(DirStore::open(&root).map(drop), &gone);
    assert_eq!(tree(&outside), before);
    for link in [&guides, &file, &gone] {
        fs::remove_file(link).unwrap();
    }
    let store = DirStore::open(&root).unwrap();
    assert_same(&store, &root).await;
    assert_eq!(tree(&outside), before);
}

#[tokio::test]
async fn links_among_our_own_files_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let (root, outside) = (folder.path().join("store"), folder.path().join("outside"));
    fs::create_dir(&outside).unwrap();
    let own = docs(&root).join(".wholesite");
    let store = DirStore::open(&root).unwrap();
    let held = lease(&store, &site("docs"), 1).await;
    store.apply(&held, vec![publish("a", "one")]).await.unwrap();
    for name in ["texts", "unfinished", "journal.ndjson", "lease.json", "write.lock", "lease.lock", ""] {
        let (path, moved) = (own.join(name), outside.join("moved"));
        let path = if name.is_empty() { own.clone() } else { path };
        fs::rename(&path, &moved).unwrap();
        symlink(&moved, &path).unwrap();
        let before = (tree(&outside), fs::metadata(&moved).unwrap().modified().unwrap());
        assert_refused(store.apply(&held, vec![publish("a", "two")]).await, &path);
        assert_eq!((tree(&outside), fs::metadata(&moved).unwrap().modified().unwrap()), before, "{name}");
        fs::remove_file(&path).unwrap();
        fs::rename(&moved, &path).unwrap();
    }
    // A text that is about to be written.
    fs::write(outside.join("target"), "precious").unwrap();
    symlink(outside.join("target"), own.join("texts/2.md")).unwrap();
    symlink(outside.join("target"), own.join("unfinished/0.md")).unwrap();
    store.apply(&held, vec![publish("a", "two")]).await.unwrap();
    assert_eq!(fs::read_to_string(outside.join("target")).unwrap(), "precious");
    assert_eq!(tree(&docs(&root))["a.md"], "two");
    // A hard link, such as of a backup, is not written to either.
    for name in ["journal.ndjson", "lease.json", "texts/2.md"] {
        let other = outside.join(name.replace('/', "-"));
        fs::hard_link(own.join(name), &other).unwrap();
    }
    fs::hard_link(docs(&root).join("a.md"), outside.join("a.md")).unwrap();
    let before = tree(&outside);
    store.apply(&held, vec![publish("a", "three"), withdraw("a"), publish("a", "four")]).await.unwrap();
    assert_eq!(tree(&outside), before);
    // The folder of a whole site.
    drop(held);
    fs::rename(docs(&root), outside.join("site")).unwrap();
    symlink(outside.join("site"), docs(&root)).unwrap();
    let holder =
        wholesite_store::Holder { run: "r".to_owned(), process: 1, since: wholesite_store::Timestamp(1) };
    let ttl = std::time::Duration::from_secs(1);
    let refused = store.acquire(&site("docs"), holder, wholesite_store::Timestamp(1), ttl).await;
    assert_refused(refused.map(drop), &docs(&root));
}

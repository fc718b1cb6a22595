//! The folder is one for people: what they find there, and what of theirs is left alone.

mod shared;

use std::fs;

use shared::{assert_same, docs, publish, tree, withdraw};
use wholesite_store::conformance::{lease, observe, path, site};
use wholesite_store::{Change, Store, StoreError};
use wholesite_store_dir::DirStore;

#[tokio::test]
async fn other_folders_are_refused_and_left_as_they_are() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("notes.txt"), "mine").unwrap();
    for result in [DirStore::open(folder.path()), DirStore::open_read_only(folder.path())] {
        let error = result.expect_err("it is not ours");
        assert!(matches!(error, StoreError::Unusable { .. }), "{error:?}");
    }
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    let file = folder.path().join("notes.txt");
    for place in [file.as_path(), &file.join("below"), std::path::Path::new("")] {
        assert!(matches!(DirStore::open(place), Err(StoreError::Unusable { .. })), "{}", place.display());
    }
    let missing = folder.path().join("missing");
    assert!(DirStore::open_read_only(&missing).is_err() && !missing.exists());
    // So is a folder of somebody's where a site is to go.
    let root = folder.path().join("store");
    let store = DirStore::open(&root).unwrap();
    fs::create_dir(docs(&root)).unwrap();
    fs::write(docs(&root).join("notes.txt"), "mine").unwrap();
    let holder =
        wholesite_store::Holder { run: "run".to_owned(), process: 1, since: wholesite_store::Timestamp(1) };
    let now = wholesite_store::Timestamp(1);
    let refused = store.acquire(&site("docs"), holder, now, std::time::Duration::from_secs(1)).await;
    assert!(matches!(refused, Err(StoreError::Unusable { .. })));
    assert_eq!(fs::read_dir(docs(&root)).unwrap().count(), 1);
}

#[tokio::test]
async fn pages_are_plain_files_that_come_and_go() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    let store = DirStore::open(root).unwrap();
    let held = lease(&store, &site("docs"), 1).await;
    let text = "# Title\r\n\n\u{0}\u{1f600} no end of line";
    store.apply(&held, vec![publish("guides/deep/setup", text), publish("", "home")]).await.unwrap();
    let files = tree(&docs(root));
    assert_eq!(files.keys().collect::<Vec<_>>(), ["guides/deep/setup.md", "index.md"]);
    assert_eq!(files["guides/deep/setup.md"], text);
    store.apply(&held, vec![withdraw("guides/deep/setup")]).await.unwrap();
    assert_eq!(tree(&docs(root)).keys().collect::<Vec<_>>(), ["index.md"], "and no empty folders");
    store.apply(&held, vec![Change::Restore { id: 1 }]).await.unwrap();
    assert_eq!(tree(&docs(root)), files);
}

#[tokio::test]
async fn names_that_some_file_system_confuses_get_marks() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    let store = DirStore::open(root).unwrap();
    let held = lease(&store, &site("docs"), 1).await;
    let names =
        ["Guide", "guide", "GUIDE", "caf%C3%A9", "CAF%C3%89", "x.md/y", "x", ".wholesite/journal.ndjson"];
    for name in names {
        store.apply(&held, vec![publish(name, &format!("text of {name}"))]).await.unwrap();
    }
    let files: Vec<String> = tree(&docs(root)).into_keys().collect();
    assert_eq!(files.len(), names.len(), "{files:?}");
    let folded: std::collections::BTreeSet<String> = files.iter().map(|file| file.to_lowercase()).collect();
    assert_eq!(folded.len(), files.len(), "{files:?}");
    assert_same(&store, root).await;
    // A folder gives way to a file of its name, and the other way round, in one batch.
    store.apply(&held, vec![withdraw("x.md/y"), withdraw("x"), publish("x", "now a file")]).await.unwrap();
    assert_eq!(tree(&docs(root))["x.md"], "now a file");
    store.apply(&held, vec![withdraw("x"), publish("x.md/y", "again a folder")]).await.unwrap();
    assert_eq!(tree(&docs(root))["x.md/y.md"], "again a folder");
    assert_same(&store, root).await;
}

#[tokio::test]
async fn what_people_wrote_is_moved_aside_and_never_lost() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    let site_folder = docs(root);
    let store = DirStore::open(root).unwrap();
    let held = lease(&store, &site("docs"), 1).await;
    store
        .apply(&held, vec![publish("a", "one"), publish("b", "one"), publish("keep/c", "one")])
        .await
        .unwrap();
    // Where a page is, where one will be, where a folder will be, and where nothing will be.
    fs::write(site_folder.join("a.md"), "my version").unwrap();
    fs::write(site_folder.join("b.md"), "my other version").unwrap();
    fs::write(site_folder.join("new.md"), "my page").unwrap();
    fs::write(site_folder.join("guides"), "my file").unwrap();
    fs::create_dir(site_folder.join("d.md")).unwrap();
    fs::write(site_folder.join("d.md/notes"), "my notes").unwrap();
    fs::write(site_folder.join("keep/notes.txt"), "my notes").unwrap();
    let batch = vec![
        publish("a", "two"),
        withdraw("b"),
        publish("new", "two"),
        publish("guides/x", "two"),
        publish("d", "two"),
        withdraw("keep/c"),
    ];
    store.apply(&held, batch).await.unwrap();
    let expected = [
        ("a.md", "two"),
        ("a.md.orig-1", "my version"),
        ("b.md.orig-1", "my other version"),
        ("d.md", "two"),
        ("d.md.orig-1/notes", "my notes"),
        ("guides.orig-1", "my file"),
        ("guides/x.md", "two"),
        ("keep/notes.txt", "my notes"),
        ("new.md", "two"),
        ("new.md.orig-1", "my page"),
    ];
    let found = tree(&site_folder);
    let found: Vec<(&str, &str)> = found.iter().map(|(file, text)| (file.as_str(), text.as_str())).collect();
    assert_eq!(found, expected);
    fs::write(site_folder.join("a.md"), "my third version").unwrap();
    store.apply(&held, vec![publish("a", "three")]).await.unwrap();
    assert_eq!(tree(&site_folder)["a.md.orig-2"], "my third version");
}

#[tokio::test]
async fn files_for_people_are_put_right() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    let site_folder = docs(root);
    let store = DirStore::open(root).unwrap();
    let held = lease(&store, &site("docs"), 1).await;
    store.apply(&held, vec![publish("a", "one"), publish("b", "one"), publish("c/d", "one")]).await.unwrap();
    store.apply(&held, vec![publish("a", "two"), publish("gone", "gone")]).await.unwrap();
    store.apply(&held, vec![withdraw("gone")]).await.unwrap();
    let before = observe(&store, &site("docs")).await;
    std::mem::forget(held);
    // What a crash may leave: an old text, no text, no file, one that should be gone, leftovers.
    fs::write(site_folder.join("a.md"), "one").unwrap();
    fs::write(site_folder.join("b.md"), "").unwrap();
    fs::remove_dir_all(site_folder.join("c")).unwrap();
    fs::write(site_folder.join("gone.md"), "gone").unwrap();
    fs::write(site_folder.join(".wholesite/texts/99.md"), "never committed").unwrap();
    fs::write(site_folder.join(".wholesite/unfinished/3.md"), "half").unwrap();
    assert_eq!(observe(&store, &site("docs")).await, before, "reads do not go by these files");
    drop(store);
    let store = DirStore::open(root).unwrap();
    assert_eq!(observe(&store, &site("docs")).await, before);
    assert_same(&store, root).await;
    assert!(!site_folder.join(".wholesite/texts/99.md").exists());
    assert_eq!(fs::read_dir(site_folder.join(".wholesite/unfinished")).unwrap().count(), 0);
}

#[tokio::test]
async fn forgotten_revisions_leave_no_texts() {
    let folder = tempfile::tempdir().unwrap();
    let store = DirStore::open(folder.path()).unwrap();
    let held = lease(&store, &site("docs"), 1).await;
    for round in 0..5 {
        store.apply(&held, vec![publish("a", &format!("{round}")), publish("b", "same")]).await.unwrap();
    }
    let texts = || fs::read_dir(docs(folder.path()).join(".wholesite/texts")).unwrap().count();
    assert_eq!(texts(), 10);
    let forget = Change::ForgetRevisions { replaced_before: wholesite_store::Timestamp(99) };
    store.apply(&held, vec![forget]).await.unwrap();
    assert_eq!(texts(), 2);
    assert_eq!(store.page(&site("docs"), &path("a")).await.unwrap().expect("live").text, "4");
}

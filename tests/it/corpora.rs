//! `discover` on every documentation tree of others that it knows how to read: no crash, and
//! something true about each.

use std::path::PathBuf;

use wholesite::address::SiteUrl;
use wholesite::discovery::{Disposition, Options};

/// The trees: every folder that holds a `corpus.toml`, with its `tree/` folders.
fn trees() -> Vec<PathBuf> {
    let Some(corpora) = wholesite_tests::corpora() else { return Vec::new() };
    let mut trees = Vec::new();
    let mut open = vec![(corpora, 0)];
    while let Some((folder, depth)) = open.pop() {
        let tree = folder.join("tree");
        if tree.is_dir() {
            trees.push(tree);
        } else if depth < 4 {
            let entries =
                std::fs::read_dir(&folder).expect("readable").map(|entry| entry.expect("readable").path());
            open.extend(entries.filter(|path| path.is_dir()).map(|path| (path, depth + 1)));
        }
    }
    trees.sort();
    trees
}

#[test]
fn every_tree_is_read_without_a_crash_and_its_account_balances() {
    let site: SiteUrl = "https://docs.example.com/".parse().expect("a URL");
    for tree in trees() {
        let inventory =
            wholesite::discover_folder(&tree, site.clone(), Options::default()).expect("a folder");
        let counts = inventory.ledger().counts();
        assert_eq!(counts.values().sum::<usize>(), inventory.ledger().entries().len(), "{}", tree.display());
        if inventory.pages().is_empty() {
            // Nothing is recognised, or the texts were left out: an empty answer proves nothing.
            assert!(!inventory.is_complete(), "{}", tree.display());
        } else {
            assert_eq!(counts[&Disposition::Page], inventory.pages().len(), "{}", tree.display());
        }
        println!(
            "{:>6} pages, {:>3} blockers  {}",
            inventory.pages().len(),
            inventory.blockers().len(),
            tree.display()
        );
    }
}

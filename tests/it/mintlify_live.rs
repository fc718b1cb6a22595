//! Live discovery over loopback, against a server that serves documentation trees as a Mintlify
//! host would. Server and trees stand beside the corpora; absent, or without python3, the tests say
//! so and pass.

use std::collections::BTreeSet;

use wholesite::address::SiteUrl;
use wholesite::discovery::{Globs, Inventory, Options};
use wholesite_fetch_http::HttpFetcher;

use crate::mintlify_server::{Server, decoded, listed, serve, tool};

fn discover(server: &Server, options: Options) -> Inventory {
    let seed: SiteUrl = server.url.parse().expect("a URL");
    let fetcher = HttpFetcher::builder().allow_private(true).build().expect("a client");
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    runtime.block_on(wholesite::discover_live(seed, options, &fetcher, 16, |_| {}))
}

fn check(name: &str, flags: &[&str]) {
    let (Some(corpora), Some(tool)) = (wholesite_tests::corpora(), tool()) else { return };
    let tree = corpora.join("mintlify").join(name);
    let truth = listed(&tool, &tree, flags);
    let server = serve(&tool, &tree, flags);
    let allow_offsite = Globs::new(["https://**", "http://127.0.0.0/"]).expect("a glob");
    let inventory = discover(&server, Options { allow_offsite, ..Options::default() });
    let found: BTreeSet<String> = inventory.pages().iter().map(|page| decoded(page.url.path())).collect();
    let missing: Vec<_> = truth.difference(&found).take(10).collect();
    let surplus: Vec<_> = found.difference(&truth).take(10).collect();
    assert!(
        missing.is_empty() && surplus.is_empty(),
        "{name} {flags:?}: missing {missing:?}, surplus {surplus:?}"
    );
    assert!(inventory.is_complete(), "{name} {flags:?}: {:?}", inventory.blockers());
    println!("{name} {flags:?}: {} pages, complete", found.len());
}

#[test]
fn mintlifys_own_docs_flat() {
    check("mintlify-docs", &[]);
}

#[test]
fn mintlifys_own_docs_nested() {
    check("mintlify-docs", &["--nested"]);
}

#[test]
fn agnos_docs_flat() {
    check("agno-skeleton", &[]);
}

#[test]
fn agnos_docs_nested() {
    check("agno-skeleton", &["--nested"]);
}

#[test]
fn under_a_base_path() {
    check("fastmcp", &["--base", "/docs"]);
}

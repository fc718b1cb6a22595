//! Live discovery over loopback, against a server that serves documentation trees as a Mintlify
//! host would. Server and trees stand beside the corpora; absent, or without python3, the tests say
//! so and pass.

use std::collections::BTreeSet;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use serde_json::Value;
use wholesite::address::SiteUrl;
use wholesite::discovery::{Globs, Inventory, Options};
use wholesite_fetch_http::HttpFetcher;

/// A server that ends with its test.
struct Server {
    child: Child,
    url: String,
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn tool() -> Option<PathBuf> {
    let tool = wholesite_tests::beside_corpora("tools/mintlify_site.py")?;
    let python =
        Command::new("python3").arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
    if !python.is_ok_and(|status| status.success()) {
        println!("SKIPPED: there is no python3");
        return None;
    }
    Some(tool)
}

fn serve(tool: &Path, tree: &Path, flags: &[&str]) -> Server {
    let mut child = Command::new("python3")
        .arg("-u")
        .arg(tool)
        .arg(tree)
        .args(["--port", "0"])
        .args(flags)
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("python3 runs");
    let mut line = String::new();
    BufReader::new(child.stdout.take().expect("piped"))
        .read_line(&mut line)
        .expect("the server says its address");
    let url =
        line.split_whitespace().find(|word| word.starts_with("http://")).expect("an address").to_owned();
    Server { child, url }
}

/// What the server knows to be true: the pages that its indexes list.
fn listed(tool: &Path, tree: &Path, flags: &[&str]) -> BTreeSet<String> {
    let output = Command::new("python3")
        .arg(tool)
        .arg(tree)
        .args(flags)
        .args(["--expect", "-"])
        .output()
        .expect("runs");
    let truth: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let pages = truth["pages"].as_array().expect("pages");
    let is_listed = |page: &&Value| page["listed"] == true || page["in_flat_llms"] == true;
    pages.iter().filter(is_listed).map(|page| page["url"].as_str().expect("a URL").to_owned()).collect()
}

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

fn decoded(path: &str) -> String {
    let mut bytes = Vec::new();
    let mut rest = path.as_bytes();
    while let [first, tail @ ..] = rest {
        let hex = tail.get(..2).and_then(|h| u8::from_str_radix(std::str::from_utf8(h).ok()?, 16).ok());
        match (first, hex) {
            (b'%', Some(value)) => {
                bytes.push(value);
                rest = &tail[2..];
            }
            _ => {
                bytes.push(*first);
                rest = tail;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
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

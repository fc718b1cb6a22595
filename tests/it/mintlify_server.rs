//! A server that serves documentation trees as a Mintlify host would, and what it knows to be true.

use std::collections::BTreeSet;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use serde_json::Value;

/// A server that ends with its test.
pub(crate) struct Server {
    child: Child,
    pub(crate) url: String,
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

pub(crate) fn tool() -> Option<PathBuf> {
    let tool = wholesite_tests::beside_corpora("tools/mintlify_site.py")?;
    let python =
        Command::new("python3").arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
    if !python.is_ok_and(|status| status.success()) {
        println!("SKIPPED: there is no python3");
        return None;
    }
    Some(tool)
}

pub(crate) fn serve(tool: &Path, tree: &Path, flags: &[&str]) -> Server {
    serve_at(tool, tree, 0, flags)
}

/// Serves at a port; 0 is any free one.
pub(crate) fn serve_at(tool: &Path, tree: &Path, port: u16, flags: &[&str]) -> Server {
    let mut child = Command::new("python3")
        .arg("-u")
        .arg(tool)
        .arg(tree)
        .args(["--port", &port.to_string()])
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
pub(crate) fn listed(tool: &Path, tree: &Path, flags: &[&str]) -> BTreeSet<String> {
    pages(tool, tree, flags, |page| page["listed"] == true || page["in_flat_llms"] == true)
}

/// The pages that it serves, listed or not.
pub(crate) fn served(tool: &Path, tree: &Path, flags: &[&str]) -> BTreeSet<String> {
    pages(tool, tree, flags, |page| page["external"].is_null())
}

fn pages(tool: &Path, tree: &Path, flags: &[&str], which: impl Fn(&Value) -> bool) -> BTreeSet<String> {
    let output = Command::new("python3")
        .arg(tool)
        .arg(tree)
        .args(flags)
        .args(["--expect", "-"])
        .output()
        .expect("runs");
    let truth: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let pages = truth["pages"].as_array().expect("pages");
    let url = |page: &Value| page["url"].as_str().expect("a URL").to_owned();
    pages.iter().filter(|page| which(page)).map(url).collect()
}

pub(crate) fn decoded(path: &str) -> String {
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

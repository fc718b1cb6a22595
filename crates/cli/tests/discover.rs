//! `discover` as its users see it: output, exit status, streams.

use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

use serde_json::Value;

fn corpora() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../corpora")
}

fn discover(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_discover"))
        .args(args)
        .current_dir(corpora())
        .stdin(Stdio::null())
        .output()
        .expect("discover runs")
}

fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).expect("UTF-8")
}

#[test]
fn exit_status_tells_complete_partial_failed_and_usage_apart() {
    for (args, status) in [
        (&["mintlify-flat"][..], 0),
        (&["hand-written"][..], 3),
        (&["robots-down"][..], 5),
        (&["no-such-folder"][..], 2),
        (&["--no-such-flag", "mintlify-flat"][..], 2),
        (&["mintlify-flat", "--exclude", "a[b"][..], 2),
        (&["https://"][..], 2),
        (&[][..], 2),
    ] {
        let output = discover(args);
        assert_eq!(
            output.status.code(),
            Some(status),
            "{args:?}: {}",
            String::from_utf8_lossy(&output.stderr)
        );
    }
}

#[test]
fn the_verdict_comes_first_and_blockers_show_their_line() {
    let output = stdout(&discover(&["hand-written"]));
    assert!(output.starts_with("PARTIAL"), "{output}");
    assert!(output.contains("offsite_link: "), "{output}");
    assert!(output.contains("^^^"), "a caret under the link: {output}");
    assert!(output.contains("--allow-offsite"), "what to do about it: {output}");
    assert!(stdout(&discover(&["mintlify-flat"])).starts_with("COMPLETE"));
}

#[test]
fn json_is_json_from_first_byte_to_last_and_has_the_contract_s_fields() {
    for site in ["mintlify-flat", "hand-written", "robots-down"] {
        let output = discover(&[site, "--format", "json", "--links"]);
        let report: Value = serde_json::from_slice(&output.stdout).expect("one JSON value");
        assert_eq!(report["schema_version"], 1);
        assert_eq!(report["complete"], output.status.code() == Some(0));
        let counts = report["counts"].as_object().expect("counts");
        let links = counts["links"].as_u64().expect("a number");
        let sum: u64 = counts
            .iter()
            .filter(|(k, _)| !["links", "documents"].contains(&k.as_str()))
            .map(|(_, v)| v.as_u64().unwrap_or(0))
            .sum();
        assert_eq!(sum, links, "{site}: the ledger balances");
        assert_eq!(report["links"].as_array().expect("links").len() as u64, links);
        for page in report["pages"].as_array().expect("pages") {
            for field in ["path", "url", "fetch_url", "title", "aliases", "found_in"] {
                assert!(page.get(field).is_some(), "{site}: a page has {field}");
            }
        }
        for blocker in report["blockers"].as_array().expect("blockers") {
            for field in ["code", "url", "at", "message", "help"] {
                assert!(blocker.get(field).is_some(), "{site}: a blocker has {field}");
            }
        }
    }
}

#[test]
fn ndjson_is_one_value_a_line_and_ends_with_the_summary() {
    let output = stdout(&discover(&["mintlify-flat", "--format", "ndjson"]));
    let lines: Vec<Value> = output.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    let (last, others) = lines.split_last().expect("lines");
    assert_eq!(last["summary"]["complete"], true);
    assert!(others.iter().all(|line| line.get("page").is_some()));
}

#[test]
fn a_refused_start_leaves_standard_output_empty() {
    let output = discover(&["no-such-folder", "--format", "json"]);
    assert!(output.stdout.is_empty());
    assert!(String::from_utf8_lossy(&output.stderr).contains("help:"));
}

#[test]
fn two_runs_print_the_same_bytes() {
    for site in ["mintlify-flat", "no-index", "hand-written"] {
        let args = [site, "--format", "json", "--links"];
        assert_eq!(discover(&args).stdout, discover(&args).stdout, "{site}");
    }
}

#[test]
fn explain_gives_the_chain_of_evidence() {
    for (url, expected) in [
        ("/", "a page of this site, stored as /index.md"),
        ("/no/such/page", "names it"),
        ("https://elsewhere.example.net/", "outside of this site"),
    ] {
        let output = stdout(&discover(&["explain", "mintlify-flat", url]));
        assert!(output.contains(expected), "{url}: {output}");
    }
}

#[test]
fn links_reads_standard_input_and_ends_with_the_document() {
    let mut child = Command::new(env!("CARGO_BIN_EXE_discover"))
        .args(["links", "--kind", "llms_txt", "--base-url", "https://docs.example.com/docs/llms.txt"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("discover runs");
    let input = "# Kit\n\n- [One](/docs/one): first\n- [Out](/blog/x)\n- [Far](https://far.example.net/)\n";
    child.stdin.take().expect("piped").write_all(input.as_bytes()).expect("written");
    let output = child.wait_with_output().expect("ends");
    let text = stdout(&output);
    let lines: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    let dispositions: Vec<&str> = lines.iter().filter_map(|line| line["disposition"].as_str()).collect();
    assert_eq!(dispositions, ["page", "out_of_scope", "offsite"]);
    assert_eq!((lines[0]["line"].as_u64(), lines[0]["column"].as_u64()), (Some(3), Some(3)));
    assert_eq!(lines[0]["title"], "One");
    assert_eq!(lines[3]["document"]["verdict"], "ok");
}

#[test]
fn nothing_that_a_site_sends_steers_the_terminal() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::create_dir(folder.path().join("routes")).expect("made");
    std::fs::write(folder.path().join("site.toml"), "seed = \"https://docs.example.com/\"\n")
        .expect("written");
    let index = "# Kit\n\n- [Evil \u{1b}[2J\u{1b}]0;title\u{7} \u{202e}txt](/one)\n- [Out\u{9b}31m](https://far.example.net/)\n";
    std::fs::write(folder.path().join("routes/llms.txt"), index).expect("written");
    let path = folder.path().to_str().expect("UTF-8");
    for args in [&[path][..], &[path, "--links", "-v"], &["explain", path, "/one"]] {
        let output = stdout(&discover(args));
        assert!(!output.contains(['\u{1b}', '\u{9b}', '\u{7}', '\u{202e}']), "{args:?}: {output:?}");
    }
}

#[test]
fn a_source_folder_is_read_without_network() {
    let folder = tempfile::tempdir().expect("a folder");
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).expect("written");
    write(
        "docs.json",
        r#"{"name": "Kit", "navigation": {"groups": [{"group": "Start", "pages": ["index", "setup", "gone"]}]}}"#,
    );
    write(
        "index.mdx",
        "---\ntitle: Welcome\n---\n\nSee [setup](/setup) and <Card href=\"/hidden\">more</Card>.\n",
    );
    write("setup.mdx", "# Setup\n");
    write("hidden.mdx", "---\ntitle: Hidden\nhidden: true\n---\n");
    let path = folder.path().to_str().expect("UTF-8");
    let output = discover(&[path, "--format", "json"]);
    let report: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let paths: Vec<&str> =
        report["pages"].as_array().expect("pages").iter().filter_map(|p| p["path"].as_str()).collect();
    assert_eq!(paths, ["/hidden.md", "/index.md", "/setup.md"]);
    assert_eq!(report["counts"]["missing"], 1, "the dead entry is accounted for");
    assert_eq!(output.status.code(), Some(0), "{}", report["blockers"]);
}

/// A page file behind a link may be served; what can't be looked into must not pass in silence.
#[cfg(unix)]
#[test]
fn symbolic_links_of_a_source_folder_are_read_or_named() {
    use std::os::unix::fs::symlink;
    let parent = tempfile::tempdir().expect("a folder");
    let docs = parent.path().join("docs");
    std::fs::create_dir_all(&docs).expect("made");
    std::fs::create_dir_all(parent.path().join("elsewhere")).expect("made");
    std::fs::write(docs.join("docs.json"), r#"{"name": "Kit", "navigation": {"pages": ["index"]}}"#)
        .expect("written");
    std::fs::write(docs.join("index.mdx"), "# Welcome\n").expect("written");
    symlink("index.mdx", docs.join("again.mdx")).expect("linked");
    let path = docs.to_str().expect("UTF-8");
    let output = discover(&[path, "--json"]);
    let report: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(
        report["pages"].as_array().expect("pages").len(),
        2,
        "a link to a file of the folder is that file"
    );
    assert_eq!(output.status.code(), Some(0));
    symlink("../elsewhere", docs.join("more")).expect("linked");
    let output = discover(&[path, "--json"]);
    let report: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(output.status.code(), Some(3));
    assert_eq!(report["blockers"][0]["code"], "unresolved_reference");
    assert_eq!(report["blockers"][0]["url"], "more");
}

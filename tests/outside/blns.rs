//! The Big List of Naughty Strings, as label, path, query and body, through every reader and both
//! printers.

use std::path::Path;
use std::process::Command;

use wholesite::address::{Base, Resolved, Scope, SiteUrl, StorePath};
use wholesite::discovery::{LinkKind, Options, links_of};
use wholesite_clean::{Served, Wanted, clean};
use wholesite_extract::link_header;

use crate::packages::Package;
use crate::score::Score;

const BLNS: Package =
    Package::npm("blns", "2.0.4", "07defd1e4ac44024cec61c668696afed8353ee01d2fcaeca2a174d5220c24d9d");

const KINDS: [LinkKind; 8] = [
    LinkKind::LlmsTxt,
    LinkKind::Sitemap,
    LinkKind::Robots,
    LinkKind::Mdx,
    LinkKind::Markdown,
    LinkKind::Html,
    LinkKind::DocsJson,
    LinkKind::Url,
];

fn strings() -> Option<Vec<String>> {
    let text = std::fs::read_to_string(BLNS.folder()?.join("resources/blns.json")).expect("readable");
    Some(serde_json::from_str(&text).expect("a list"))
}

fn home() -> SiteUrl {
    "https://docs.example.com/guides/".parse().expect("a URL")
}

#[test]
fn no_string_hides_a_link_or_breaks_a_reader() {
    let Some(strings) = strings() else { return };
    let mut score = Score::of("naughty-strings");
    for (at, string) in strings.iter().enumerate() {
        score.case(format!("{} as a document", at + 1), as_document(string));
        score.case(format!("{} as an address", at + 1), as_address(string));
        score.case(format!("{} as a label", at + 1), as_label(string));
    }
    score.settle();
}

/// Any reader reads it, and gives no more links than it has bytes.
fn as_document(string: &str) -> Result<(), String> {
    for kind in KINDS {
        let found = links_of(kind, &home(), None, string.as_bytes(), &Options::default());
        if found.links.len() > string.len() + 1 {
            return Err(format!("{kind:?}: {} links", found.links.len()));
        }
    }
    for wanted in [Wanted::Markdown, Wanted::Any] {
        let served = Served { url: &home(), wanted, content_type: Some(string), body: string.as_bytes() };
        // Whether it is a page does not matter, only that there is an answer.
        let _ = clean(&served);
    }
    link_header::read([string]);
    Ok(())
}

/// An address has one spelling, a place in the store, and a way back; and nothing in it steers a
/// terminal or leaves the site's folder.
fn as_address(string: &str) -> Result<(), String> {
    let Ok(Resolved::Web { url, .. }) = Base::of(&home()).resolve(string) else { return Ok(()) };
    let again = SiteUrl::parse(url.as_str()).map_err(|error| format!("{url} is refused: {error}"))?;
    if again != url {
        return Err(format!("{url} becomes {again}"));
    }
    if !url.as_str().bytes().all(|byte| byte.is_ascii_graphic()) {
        return Err(format!("{url:?} holds more than visible ASCII"));
    }
    let scope = Scope::below(&url.with_path("/"));
    let path = StorePath::of(&url, &scope).map_err(|error| error.to_string())?;
    if path.as_str().split('/').any(|segment| segment == "..") {
        return Err(format!("{path} climbs"));
    }
    let back = path.to_url(&scope).map_err(|error| error.to_string())?;
    let twin = StorePath::of(&back, &scope).map_err(|error| error.to_string())?;
    if twin == path { Ok(()) } else { Err(format!("{path} comes back as {twin}")) }
}

/// As the label of an index entry it hides neither that entry nor the ones beside it. A label of
/// several lines ends the list, and brackets end the label: those are other documents.
fn as_label(string: &str) -> Result<(), String> {
    if string.contains(['[', ']', '\n', '\r', '\\', '`', '<']) {
        return Ok(());
    }
    let index = format!(
        "# Docs\n\n- [Before](/guides/before)\n- [{string}](/guides/this)\n- [After](/guides/after)\n"
    );
    let url = "https://docs.example.com/llms.txt".parse().expect("a URL");
    let found = links_of(LinkKind::LlmsTxt, &url, None, index.as_bytes(), &Options::default());
    let paths: Vec<_> = found.links.iter().filter_map(|link| link.url.as_ref()).map(SiteUrl::path).collect();
    let wanted = ["/guides/before", "/guides/this", "/guides/after"];
    if wanted.iter().all(|path| paths.contains(path)) { Ok(()) } else { Err(format!("{paths:?}")) }
}

/// All of them as labels and addresses of one index: what `discover` prints for people holds no
/// character that steers a terminal, and what it prints for programs is JSON.
#[test]
fn printers_let_nothing_through() {
    let Some(strings) = strings() else { return };
    let lines = strings.iter().map(|string| format!("- [{string}](/a) [x]({string})\n"));
    let lines: String = lines.collect();
    let index = format!("# Docs\n\n{lines}- [Escapes \u{1b}]0;t\u{7}\u{9b}31m\u{202e}](/\u{202e}b)\n");
    let site = tempfile::tempdir().expect("a folder");
    std::fs::create_dir(site.path().join("routes")).expect("made");
    std::fs::write(site.path().join("site.toml"), "seed = \"https://docs.example.com/\"\n").expect("written");
    std::fs::write(site.path().join("routes/llms.txt"), index).expect("written");

    let people = discover(site.path(), &["--links", "-v"]);
    let steers = |c: &char| {
        c.is_control() && *c != '\n'
            || matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}')
    };
    let through: Vec<char> = people.chars().filter(steers).collect();
    assert!(through.is_empty(), "{through:?}");
    assert!(people.lines().count() > strings.len() / 2, "too little was printed:\n{people}");

    let programs = discover(site.path(), &["--format", "json"]);
    serde_json::from_str::<serde_json::Value>(&programs).expect("JSON");
    assert!(!programs.bytes().any(|byte| byte < 0x20 && byte != b'\n'), "raw control characters in JSON");
}

fn discover(site: &Path, args: &[&str]) -> String {
    let mut command = Command::new(env!("CARGO"));
    // What Cargo tells this test about itself would have its build scripts run anew.
    let is_ours =
        |name: &str| name.starts_with("CARGO") && !["CARGO_HOME", "CARGO_TARGET_DIR"].contains(&name);
    for name in
        std::env::vars_os().filter_map(|(name, _)| name.into_string().ok()).filter(|name| is_ours(name))
    {
        command.env_remove(name);
    }
    let output = command
        .args(["run", "--quiet", "--locked", "--offline", "--bin", "discover", "--"])
        .arg(site)
        .args(args)
        .current_dir(wholesite_tests::workspace())
        .output()
        .expect("cargo runs");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.code().is_some_and(|code| code <= 3), "{:?}: {errors}", output.status);
    String::from_utf8(output.stdout).expect("UTF-8")
}

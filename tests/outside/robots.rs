//! robots.txt: the examples of RFC 9309 and Google's cases (in `robots.md`), the tests of the npm
//! package robots-parser, and the Rust port of Google's parser on four thousand real files.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

use robotstxt::DefaultMatcher;
use wholesite::address::{Base, Resolved, SiteUrl};
use wholesite_extract::robots::Robots;

use crate::packages::Package;
use crate::score::Score;

const ROBOTS_PARSER: Package = Package::npm(
    "robots-parser",
    "3.0.1",
    "9ed5321d822efd8a613937b01cda8256bf8303c2e817a62ef246706d50c518aa",
);

const PROTEGO: Package =
    Package::pypi("protego", "0.6.2", "88ff004544ce44e61269cc6f8735f7837d12e09bb77619fc94fbb26b72e5d137");

#[test]
fn the_book_and_google() {
    let mut score = Score::of("robots-book");
    for case in include_str!("robots.md").split("\n## ").skip(1) {
        let (name, rest) = case.split_once('\n').expect("a name");
        let (file, verdicts): (Vec<&str>, Vec<&str>) =
            rest.lines().partition(|line| line.starts_with("    ") || line.is_empty());
        let file: String =
            file.iter().map(|line| format!("{}\n", line.get(4..).unwrap_or_default())).collect();
        let robots = Robots::parse(&file);
        for verdict in verdicts {
            let words: Vec<&str> = verdict.split(' ').collect();
            let &[word, agent, path] = words.as_slice() else { panic!("{name}: no verdict: {verdict}") };
            assert!(["allow", "deny"].contains(&word), "{name}: {verdict}");
            let allowed = robots.rules_for(agent).allows(path);
            score.same(format!("{name}: {agent} {path}"), allowed, word == "allow");
        }
    }
    score.settle();
}

/// Its tests are run by Node with a recorder in the package's place, so that nothing of theirs has
/// to be parsed here.
#[test]
fn the_tests_of_robots_parser() {
    let Some(folder) = ROBOTS_PARSER.folder() else { return };
    let recorder = wholesite_tests::workspace().join("tests/outside/robots_parser.js");
    let output = Command::new("node").arg(recorder).arg(folder.join("test/Robots.js")).output();
    let Ok(output) = output else { return println!("SKIPPED: there is no Node here") };
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let mut score = Score::of("robots-parser");
    for (at, line) in String::from_utf8_lossy(&output.stdout).lines().enumerate() {
        type Question = (String, Option<String>, Option<String>, Option<String>, Option<String>, bool);
        let (test, home, file, asked, agent, expected): Question = serde_json::from_str(line).expect("a row");
        let home = Base::of(&"http://www.example.com/".parse().expect("a URL"))
            .resolve(home.as_deref().unwrap_or("/robots.txt"))
            .ok()
            .and_then(web)
            .expect("the address of a robots.txt");
        let Some(asked) = asked.and_then(|asked| Base::of(&home).resolve(&asked).ok()).and_then(web) else {
            continue;
        };
        // Files speak for their own origin; who asks elsewhere asks another file.
        if asked.origin() != home.origin() {
            continue;
        }
        let rules =
            Robots::parse(file.as_deref().unwrap_or_default()).rules_for(agent.as_deref().unwrap_or("*"));
        score.same(
            format!("{} {test}: {}", at + 1, asked.path_and_query()),
            rules.allows(asked.path_and_query()),
            expected,
        );
    }
    score.settle();
}

fn web(resolved: Resolved) -> Option<SiteUrl> {
    match resolved {
        Resolved::Web { url, .. } => Some(url),
        Resolved::OtherScheme { .. } => None,
    }
}

#[test]
fn real_files_mean_what_google_takes_them_for() {
    let Some(folder) = PROTEGO.folder() else { return };
    let mut files: Vec<_> = std::fs::read_dir(folder.join("tests/test_data"))
        .expect("files")
        .flatten()
        .map(|file| file.path())
        .collect();
    files.sort();
    let mut score = Score::of("robots-real");
    for file in files {
        let host = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
        score.case(host, same_verdicts(&file));
    }
    score.settle();
}

fn same_verdicts(file: &Path) -> Result<(), String> {
    let bytes = std::fs::read(file).expect("readable");
    let text = String::from_utf8_lossy(&bytes);
    let robots = Robots::parse(&text);
    // Google skips a byte order mark; its port loses the first line with it.
    let text = text.trim_start_matches('\u{feff}');
    // What is no robots.txt at all rules nothing here, and is another matter there.
    if robots.unusable().is_some() {
        return Ok(());
    }
    let mut faults = Vec::new();
    // A file is parsed anew for each question there, so the second agent asks few.
    for (agent, questions) in [("wholesite", 20), ("Googlebot", 5)] {
        let rules = robots.rules_for(agent);
        for path in paths(text).into_iter().take(questions) {
            let address = format!("https://example.com{path}");
            let theirs = DefaultMatcher::default().one_agent_allowed_by_robots(text, agent, &address);
            if rules.allows(&path) != theirs {
                faults.push(format!("{agent} {path}: here {}", rules.allows(&path)));
            }
        }
    }
    if faults.is_empty() { Ok(()) } else { Err(faults.join("; ")) }
}

/// Up to twenty paths that the file itself is about, and a few that it is not.
fn paths(text: &str) -> BTreeSet<String> {
    let about = text.lines().filter_map(|line| {
        let (field, value) = line.split_once(':')?;
        let is_rule = ["allow", "disallow"].contains(&field.trim().to_ascii_lowercase().as_str());
        let path = value.split('#').next().unwrap_or_default().trim().replace('*', "~").replace('$', "");
        // The paths of requests are ASCII and begin with a slash.
        let is_path = path.starts_with('/') && path.bytes().all(|byte| byte.is_ascii_graphic());
        // Addresses come with their escapes in one spelling.
        let address = SiteUrl::parse(&format!("https://example.com{path}")).ok()?;
        (is_rule && is_path).then(|| address.path_and_query().to_owned())
    });
    let others = ["/", "/index.html", "/docs/setup.md", "/a/b?c=d"].map(str::to_owned);
    // robots.txt itself is always allowed by the RFC, and not by Google's parser.
    others.into_iter().chain(about.filter(|path| path != "/robots.txt").take(16)).collect()
}

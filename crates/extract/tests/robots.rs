//! The robots.txt reader: rules as a table, the shared cases, real files, and the laws.

mod support;

use std::time::{Duration, Instant};

use proptest::prelude::*;
use support::{check_laws, corpora, files};
use wholesite_address::Place;
use wholesite_extract::robots::{self, Robots, SitemapLine};
use wholesite_extract::{Link, Role, Syntax};

fn allows(text: &str, agent: &str, path: &str) -> bool {
    Robots::parse(text).rules_for(agent).allows(path)
}

/// What RFC 9309 §2.2.1 and §5 say of groups.
#[test]
fn groups() {
    const FOR_ALL: &str = "User-agent: *\nDisallow: /internal\n";
    const OWN_FIRST: &str = "User-agent: kitebot\nDisallow: /drafts\n\nUser-agent: *\nDisallow: /guides\n";
    const OWN_LAST: &str = "User-agent: *\nDisallow: /guides\n\nUser-agent: kitebot\nDisallow: /drafts\n";
    const SHARED: &str = "User-agent: *\nUser-agent: OtherBot\nDisallow: /internal\n";
    const SHARED_SWAPPED: &str = "User-agent: OtherBot\nUser-agent: *\nDisallow: /internal\n";
    const TWICE: &str =
        "User-agent: kitebot\nDisallow: /a\nUser-agent: x\nDisallow: /b\nUser-agent: KiteBot\nDisallow: /c\n";
    const STARS: &str =
        "User-agent: *\nDisallow: /a\nUser-agent: x\nDisallow: /b\nUser-agent: * all\nDisallow: /c\n";
    let table = [
        (FOR_ALL, "kitebot", "/internal/x", false),
        (FOR_ALL, "kitebot", "/public", true),
        (FOR_ALL, "", "/internal", false),
        (OWN_FIRST, "kitebot", "/guides/x", true),
        (OWN_FIRST, "kitebot", "/drafts/x", false),
        (OWN_LAST, "kitebot", "/guides/x", true),
        (OWN_LAST, "kitebot", "/drafts/x", false),
        (OWN_LAST, "other", "/guides/x", false),
        (SHARED, "kitebot", "/internal", false),
        (SHARED_SWAPPED, "kitebot", "/internal", false),
        (SHARED, "otherbot", "/internal", false),
        ("user-agent: KITEBOT\ndisallow: /x", "kitebot", "/x", false),
        ("USER-AGENT:kitebot\n\tDISALLOW :/x", "KiteBot/2.1 (+https://kite.test)", "/x", false),
        ("User-agent: kitebot/2.1\nDisallow: /x", "kitebot", "/x", false),
        ("User-agent: kite\nDisallow: /x", "kitebot", "/x", true),
        ("User-agent: kitebot-news\nDisallow: /x", "kitebot", "/x", true),
        (TWICE, "kitebot", "/a", false),
        (TWICE, "kitebot", "/b", true),
        (TWICE, "kitebot", "/c", false),
        (STARS, "kitebot", "/a", false),
        (STARS, "kitebot", "/b", true),
        (STARS, "kitebot", "/c", false),
        // A group of one's own without rules allows everything.
        ("User-agent: *\nDisallow: /\nUser-agent: kitebot\n", "kitebot", "/x", true),
        ("User-agent: *\nDisallow: /\nUser-agent: kitebot\nDisallow:\n", "kitebot", "/x", true),
        // Lines of other kinds end no group, and blank lines neither.
        (
            "User-agent: a\nSitemap: /s.xml\n\nCrawl-delay: 1\nNoindex: /y\nUser-agent: kitebot\nDisallow: /x",
            "kitebot",
            "/x",
            false,
        ),
        ("User-agent: kitebot\n\n\nDisallow: /x\n\nDisallow: /y", "kitebot", "/y", false),
        // Rules before any group are nobody's.
        ("Disallow: /x\nUser-agent: *\nDisallow: /y", "kitebot", "/x", true),
        // Ways to write lines.
        ("\u{feff}User-agent: *\r\nDisallow: /x # not yet\r\n", "kitebot", "/x", false),
        ("User-agent: *\rDisallow: /x\r", "kitebot", "/x", false),
        ("User-agent: *\n#Disallow: /x", "kitebot", "/x", true),
        ("User-agent *\nDisallow /x", "kitebot", "/x", true),
        ("", "kitebot", "/x", true),
        // Misspellings that Google knows.
        ("useragent: *\nDissallow: /x", "kitebot", "/x", false),
        ("User Agent: *\nDisalow: /x", "kitebot", "/x", false),
    ];
    for (text, agent, path, want) in table {
        assert_eq!(allows(text, agent, path), want, "{path} for {agent:?} by {text:?}");
    }
}

/// What RFC 9309 §2.2.2 and §2.2.3 say of patterns, one rule `Disallow: pattern` each.
#[test]
fn patterns() {
    let table = [
        // pattern, path, matches
        ("/", "/", true),
        ("/", "/x?y", true),
        ("/fish", "/fish", true),
        ("/fish", "/fish.html", true),
        ("/fish", "/fishheads/yummy.html", true),
        ("/fish", "/Fish.asp", false),
        ("/fish", "/catfish", false),
        ("/fish", "/desert/fish", false),
        ("/fish*", "/fish.php?id=1", true),
        ("/fish*", "/Fish", false),
        ("/fish/", "/fish/", true),
        ("/fish/", "/fish", false),
        ("/fish/", "/animals/fish/", false),
        ("/%a%a", "/%25a%25a", true),
        ("/100%", "/100%25/x", true),
        ("/*.php", "/index.php", true),
        ("/*.php", "/folder/any.php.file.html", true),
        ("/*.php", "/", false),
        ("/*.php", "/windows.PHP", false),
        ("/*.php$", "/file.php", true),
        ("/*.php$", "/file.php?p", false),
        ("/*.php$", "/file.php.php", true),
        ("/fish*.php", "/fishheads/catfish.php?p", true),
        ("/fish*.php", "/fish.asp", false),
        ("/*", "/x", true),
        ("*", "/x", true),
        ("*.pdf$", "/a/b.pdf", true),
        ("/a**b", "/axxb", true),
        ("/a*$", "/axx", true),
        ("/a$", "/a", true),
        ("/a$", "/ab", false),
        ("$", "/", false),
        ("/$", "/", true),
        ("/a$b", "/a$b", true),
        ("/a$b", "/a", false),
        ("/a%24", "/a$", true),
        ("/a%2A", "/a*", true),
        ("/a%2a", "/ab", false),
        ("/*/a*/b*c", "/x/ay/bzzc", true),
        ("/*/a*/b*c", "/x/ay/zzc", false),
        ("fish", "/fish", false),
        // Percent-encoding.
        ("/foo/bar?baz=https://foo.bar", "/foo/bar?baz=https%3A%2F%2Ffoo.bar", true),
        ("/foo/bar?baz=https%3a%2f%2ffoo.bar", "/foo/bar?baz=https://foo.bar", true),
        ("/foo/bar/ツ", "/foo/bar/%E3%83%84", true),
        ("/foo/bar/%e3%83%84", "/foo/bar/ツ", true),
        ("/foo/bar/%62%61%7A", "/foo/bar/baz", true),
        ("/foo/bar/baz", "/foo/bar/%62a%7a", true),
        ("/a%2Fb", "/a/b", false),
        ("/a/b", "/a%2fb", false),
        ("/a%3cd", "/a%3Cd", true),
        ("/a b", "/a%20b", true),
        ("/100%", "/100%", true),
        ("/a%zz", "/a%zz", true),
    ];
    for (pattern, path, want) in table {
        assert_eq!(
            !allows(&format!("User-agent: *\nDisallow: {pattern}"), "kitebot", path),
            want,
            "{pattern} and {path}"
        );
    }
}

/// The longest pattern decides, and of two equally long ones the one that allows.
#[test]
fn precedence() {
    let table: &[(&[&str], &str, bool)] = &[
        (&["allow: /p", "disallow: /"], "/page", true),
        (&["disallow: /", "allow: /p"], "/page", true),
        (&["allow: /folder", "disallow: /folder"], "/folder/page", true),
        (&["allow: /page", "disallow: /*.htm"], "/page.htm", false),
        (&["allow: /page", "disallow: /*.ph"], "/page.php5", true),
        (&["allow: /$", "disallow: /"], "/", true),
        (&["allow: /$", "disallow: /"], "/page.htm", false),
        (&["disallow: /x/page.html", "allow: /x/"], "/x/", true),
        (&["disallow: /x/page.html", "allow: /x/"], "/x/page.html", false),
        (&["disallow: /%E3%83%84", "allow: /ツ"], "/ツ", true),
        (&["disallow:", "disallow: /x"], "/x", false),
        (&["allow:", "disallow: /"], "/x", false),
        (&["disallow: /"], "/robots.txt", true),
        (&["disallow: /"], "/robots.txt?x", true),
        (&["disallow: /"], "/robots.txt.bak", false),
    ];
    for (rules, path, want) in table {
        let text = format!("user-agent: *\n{}", rules.join("\n"));
        assert_eq!(allows(&text, "kitebot", path), *want, "{path} by {rules:?}");
    }
}

#[test]
fn what_decides_and_what_else_there_is() {
    let text = "# ours\nUser-agent: KiteBot\nCrawl-delay: 1.5\nDisallow: /a # no\n\nSitemap: /maps/a.xml\nsitemap:https://kite.test/b.xml # main\nLLMs-Txt: /docs/llms.txt\n  Sitemap : /robots.txt\nSitemap:\n";
    let robots = Robots::parse(text);
    let line =
        |value: &str, line, column| SitemapLine { value: value.to_owned(), place: Place { line, column } };
    let lines = [
        line("/maps/a.xml", 6, 1),
        line("https://kite.test/b.xml", 7, 1),
        line("/robots.txt", 9, 3),
        line("", 10, 1),
    ];
    assert_eq!(robots.sitemaps(), lines);
    let rules = robots.rules_for("kitebot/1.0");
    let rule = rules.decide("/a/b").rule.expect("a rule decides");
    assert_eq!((rule.allow, rule.pattern.as_str(), rule.place), (false, "/a", Place { line: 4, column: 1 }));
    assert_eq!(rules.decide("/b").rule, None);
    assert_eq!((rules.group(), rules.crawl_delay()), (Some("kitebot"), Some(Duration::from_millis(1500))));
    assert!(robots.rules_for("other").is_empty() && robots.rules_for("other").group().is_none());
    assert!(robots.unusable().is_none() && !robots.is_cut());

    let reading = robots::read(text);
    check_laws(text, &reading);
    let hrefs: Vec<_> = reading.links.iter().map(Link::href).collect();
    assert_eq!(hrefs, ["/maps/a.xml", "https://kite.test/b.xml", "/docs/llms.txt", "/robots.txt", ""]);
    assert!(
        reading.links.iter().all(|link| link.role == Role::Index && link.syntax == Syntax::RobotsSitemap)
    );
    assert_eq!(&text[reading.links[1].span.clone()], "sitemap:https://kite.test/b.xml");
}

#[test]
fn a_start_page_in_place_of_robots_txt_rules_nothing() {
    for text in ["<!doctype html>\n<p>User-agent: *\nDisallow: /\nSitemap: /s.xml", "{\"User-agent\": \"*\"}"]
    {
        let robots = Robots::parse(text);
        assert!(
            robots.unusable().is_some() && robots.sitemaps().is_empty() && robots.rules_for("x").allows("/")
        );
        assert_eq!(robots::read(text).verdict.name(), "unusable");
    }
}

#[test]
fn large_and_hostile_files_take_linear_time() {
    let filler = format!("# {}\n", "x".repeat(98)).repeat(5500);
    let text = format!("{filler}User-agent: *\nDisallow: /late\n");
    assert!(text.len() > 500 * 1024 && !allows(&text, "kitebot", "/late"), "a rule behind 500 KiB counts");
    let too_long =
        format!("User-agent: *\nDisallow: /x\n{}Disallow: /y", "# filler\n".repeat(robots::MAX_BYTES / 9));
    assert!(Robots::parse(&too_long).is_cut() && robots::read(&too_long).verdict.name() == "truncated");

    let started = Instant::now();
    let path = format!("/{}", "a".repeat(8000));
    for pattern in [
        "a*".repeat(4000),
        "*a".repeat(4000) + "b",
        "**".repeat(4000) + "$",
        format!("{}b", "a".repeat(7999)),
    ] {
        allows(&format!("User-agent: *\nDisallow: /{pattern}"), "kitebot", &path);
    }
    for scrap in
        ["User-agent: a\n", "Disallow: /*\n", ":", "#", "Sitemap: x\n", "\r", "User-agent: *\nAllow: /\n"]
    {
        let text = scrap.repeat(1024 * 1024 / scrap.len());
        robots::read(&text);
        Robots::parse(&text).rules_for("a").allows("/x");
    }
    assert!(started.elapsed() < Duration::from_secs(20), "{:?}", started.elapsed());
}

#[test]
fn real_files_and_shared_cases() {
    let Some(corpora) = corpora() else { return };
    let (mut count, mut sitemaps) = (0, 0);
    for path in files(&corpora, &|name| name == "robots.txt") {
        let text = String::from_utf8_lossy(&std::fs::read(&path).expect("a readable file")).into_owned();
        let reading = robots::read(&text);
        check_laws(&text, &reading);
        let lines =
            text.lines().filter(|line| line.trim().to_ascii_lowercase().starts_with("sitemap:")).count();
        assert_eq!(Robots::parse(&text).sitemaps().len(), lines, "{}", path.display());
        count += 1;
        sitemaps += lines;
    }
    println!("{count} files, {sitemaps} sitemap lines");
    let Ok(lines) = std::fs::read_to_string(corpora.join("../index-cases.jsonl")) else { return };
    for line in lines.lines() {
        let case: serde_json::Value = serde_json::from_str(line).expect("a case");
        let Some(input) = case["input"].as_str().filter(|_| case["kind"] == "robots") else { continue };
        let wants = case["expect"]
            .as_array()
            .expect("expectations")
            .iter()
            .filter(|want| want["disposition"] != "not_a_link");
        let wanted: Vec<_> = wants.map(|want| want["url"].as_str().expect("an address")).collect();
        let reading = robots::read(input);
        let got = reading.links.iter().map(Link::href);
        let got: Vec<_> = got
            .map(|href| {
                if href.starts_with('/') {
                    format!("https://docs.example.com{href}")
                } else {
                    href.to_owned()
                }
            })
            .collect();
        assert_eq!(got, wanted, "{}", case["id"]);
    }
}

/// The meaning of a pattern, by the book and at any cost.
fn matches_slowly(pattern: &[u8], path: &[u8]) -> bool {
    match pattern {
        [] => true,
        [b'$'] => path.is_empty(),
        [b'*', rest @ ..] => (0..=path.len()).any(|at| matches_slowly(rest, &path[at..])),
        [first, rest @ ..] => path.first() == Some(first) && matches_slowly(rest, &path[1..]),
    }
}

proptest! {
    #[test]
    fn patterns_match_as_by_the_book(pattern in "/[ab*/]{0,8}\\$?", path in "/[ab/]{0,10}") {
        let text = format!("User-agent: *\nDisallow: {pattern}");
        prop_assert_eq!(!allows(&text, "x", &path), matches_slowly(pattern.as_bytes(), path.as_bytes()), "{} {}", pattern, path);
    }

    #[test]
    fn no_text_breaks_the_reader(text in "(?s)(User-agent|Allow|Disallow|Sitemap|[:#*$%/ \\r\\nxé]|%4){0,40}", path in "(?s).{0,20}") {
        check_laws(&text, &robots::read(&text));
        Robots::parse(&text).rules_for("x").decide(&path);
    }
}

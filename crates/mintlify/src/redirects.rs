//! The redirect rules of a site, and where they lead.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use wholesite_address::Place;

use crate::forest::{At, Forest, View};
use crate::model::{Note, NoteKind};
use crate::pattern::{Captures, Pattern};
use crate::slug::{decode, encode, has_scheme, is_web_url};

/// Chains are legal and occur; no real one is longer.
const MAX_HOPS: usize = 20;

/// Longer paths (decoded, in bytes) are not followed: a rule can make a path grow at each hop.
const MAX_PATH: usize = 8 * 1024;

/// The rules of a configuration, in file order.
#[derive(Debug, Clone, Default)]
pub struct Redirects {
    rules: Vec<Rule>,
    compiled: Vec<Compiled>,
    /// Decoded source of each rule without wildcards; the first of equals.
    literal: HashMap<String, usize>,
    /// Rules with wildcards, in file order.
    wildcard: Vec<usize>,
}

/// One rule, as written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rule {
    /// What is matched: a path or a pattern (`:name`, `:slug*`, `*`). The leading slash is optional.
    pub source: String,
    /// Where it leads: a path, which may have a query, a fragment and the wildcards of the source, or a URL.
    pub destination: String,
    /// 308 (the default) or 307.
    pub permanent: bool,
    /// The JSON file, below the docs root.
    pub file: Arc<str>,
    /// Where the rule begins in it.
    pub place: Place,
}

/// Where a path ends up.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Followed {
    /// No rule takes the path.
    NoRule,
    /// A path of the site.
    Final {
        /// Percent-encoded, a trailing `/index` folded, as in [`crate::SourcePage::url_path`].
        path: String,
        /// Query and fragment of the last destination, with their marks; empty where it has none.
        suffix: String,
        /// How many rules were taken; at least 1.
        hops: usize,
    },
    /// Another site.
    External {
        /// The URL.
        url: String,
        /// How many rules were taken; at least 1.
        hops: usize,
    },
    /// The rules lead in a circle.
    Loop,
    /// The chain is longer than any honest one, or the path grows beyond measure.
    TooLong,
}

#[derive(Debug, Clone)]
struct Compiled {
    /// Decoded, so that `/a%20b` and `/a b` are one.
    source: Pattern,
    /// The source when its final `/:name*` takes nothing.
    short: Option<Pattern>,
    destination: Destination,
}

#[derive(Debug, Clone)]
enum Destination {
    /// Decoded path, and query with fragment.
    Path(Pattern, Pattern),
    /// Scheme and host as they stand (a port is no wildcard), and the rest.
    Url(String, Pattern),
}

/// One hop.
enum Hop {
    Path(String, String),
    Url(String),
    TooLong,
}

impl Redirects {
    /// Reads the `redirects` of a configuration. Rules that are not understood become notes.
    pub(crate) fn read(forest: &Forest, list: At) -> (Redirects, Vec<Note>) {
        let (mut out, mut notes) = (Redirects::default(), Vec::new());
        let mut sources = HashSet::new();
        let mut note = |at: At, message: String| {
            let file = forest.path(at).to_string();
            notes.push(Note { kind: NoteKind::Redirect, file, at: Some(forest.place(at)), message });
        };
        let View::Array(elements) = forest.view(list) else {
            note(list, "`redirects` is no list".into());
            return (out, notes);
        };
        for at in elements {
            let text = |key| forest.get(at, key).and_then(|at| forest.text(at)).map(str::to_owned);
            let (Some(source), Some(destination)) = (text("source"), text("destination")) else {
                note(at, "a redirect needs `source` and `destination`".into());
                continue;
            };
            let permanent = forest.get(at, "permanent").map(|at| forest.view(at));
            let permanent = !matches!(permanent, Some(View::Bool(false)));
            let Some(compiled) = Compiled::new(&source, &destination) else {
                note(at, "a redirect with so many wildcards is not followed".into());
                continue;
            };
            if !sources.insert(source.clone()) {
                note(at, format!("a second redirect from {source:?}; Mintlify refuses such a file"));
            }
            let (file, place) = (Arc::clone(forest.path(at)), forest.place(at));
            out.push(Rule { source, destination, permanent, file, place }, compiled);
        }
        (out, notes)
    }

    fn push(&mut self, rule: Rule, compiled: Compiled) {
        let number = self.rules.len();
        if compiled.source.is_literal() {
            self.literal.entry(compiled.source.prefix().to_owned()).or_insert(number);
        } else {
            self.wildcard.push(number);
        }
        self.rules.push(rule);
        self.compiled.push(compiled);
    }

    /// The rules, in file order.
    pub fn rules(&self) -> &[Rule] {
        &self.rules
    }

    /// The rules without wildcards, each with its path as in [`crate::SourcePage::url_path`], in file order.
    pub fn literal(&self) -> impl Iterator<Item = (String, &Rule)> {
        (self.rules.iter().zip(&self.compiled))
            .filter(|(_, compiled)| compiled.source.is_literal())
            .map(|(rule, compiled)| (encode(fold(compiled.source.prefix())), rule))
    }

    /// Follows the rules from a path (without the site's base path, encoded or not) to the end of the chain. A rule
    /// without wildcards goes before one with; among the latter the first in the file wins.
    pub fn follow(&self, path: &str) -> Followed {
        self.follow_until(path, |_| false)
    }

    /// As [`Redirects::follow`], but a live page stops the chain, also at its start (then there is no rule to take):
    /// whether hosts let a rule hide a page is not known, and a page that may be there counts as there. `is_page` is
    /// asked with paths as in [`crate::SourcePage::url_path`].
    pub fn follow_until(&self, path: &str, is_page: impl Fn(&str) -> bool) -> Followed {
        let mut path = rooted(&decode(path));
        let mut suffix = String::new();
        let mut seen = HashSet::new();
        for hops in 0..=MAX_HOPS {
            let public = encode(fold(&path));
            let hop = if is_page(&public) { None } else { self.hop(&path) };
            let Some(hop) = hop else {
                return match hops {
                    0 => Followed::NoRule,
                    _ => Followed::Final { path: public, suffix, hops },
                };
            };
            if !seen.insert(public) {
                return Followed::Loop;
            }
            match hop {
                Hop::Url(url) => return Followed::External { url, hops: hops + 1 },
                Hop::TooLong => return Followed::TooLong,
                Hop::Path(next, rest) => (path, suffix) = (next, rest),
            }
        }
        Followed::TooLong
    }

    fn hop(&self, path: &str) -> Option<Hop> {
        if path.len() > MAX_PATH {
            return Some(Hop::TooLong);
        }
        let trimmed = trimmed(path);
        if let Some(number) = self.literal.get(trimmed) {
            return Some(self.compiled[*number].destination.expand(&Captures::NONE));
        }
        self.wildcard.iter().find_map(|number| {
            let rule = &self.compiled[*number];
            let caught = (rule.source.captures(trimmed))
                .or_else(|| (trimmed != path).then(|| rule.source.captures(path)).flatten())
                .or_else(|| rule.short.as_ref()?.captures(trimmed))?;
            Some(rule.destination.expand(&caught))
        })
    }
}

impl Compiled {
    fn new(source: &str, destination: &str) -> Option<Compiled> {
        let source = Pattern::parse(trimmed(&rooted(&decode(source.trim()))))?;
        let destination = Destination::new(destination.trim())?;
        Some(Compiled { short: source.without_rest(), source, destination })
    }
}

impl Destination {
    fn new(text: &str) -> Option<Destination> {
        if is_web_url(text) || has_scheme(text) {
            let host = text.find("://").map_or(0, |at| at + 3);
            let host = host + text[host..].find('/').unwrap_or(text.len() - host);
            let (head, rest) = match text.contains("://") {
                true => text.split_at(host),
                false => (text, ""),
            };
            return Some(Destination::Url(head.to_owned(), Pattern::parse(rest)?));
        }
        let (path, suffix) = text.split_at(text.find(['?', '#']).unwrap_or(text.len()));
        Some(Destination::Path(Pattern::parse(&rooted(&decode(path)))?, Pattern::parse(suffix)?))
    }

    fn expand(&self, captures: &Captures<'_, '_>) -> Hop {
        match self {
            Destination::Url(head, rest) => match rest.expand(captures, MAX_PATH) {
                Some(rest) => Hop::Url(format!("{head}{rest}")),
                None => Hop::TooLong,
            },
            Destination::Path(path, suffix) => {
                match (path.expand(captures, MAX_PATH), suffix.expand(captures, MAX_PATH)) {
                    (Some(path), Some(suffix)) => Hop::Path(trimmed(&rooted(&path)).to_owned(), suffix),
                    _ => Hop::TooLong,
                }
            }
        }
    }
}

/// The path with exactly one leading slash.
fn rooted(path: &str) -> String {
    format!("/{}", path.trim_start_matches('/'))
}

/// The path without trailing slashes; the root keeps its one.
fn trimmed(path: &str) -> &str {
    match path.trim_end_matches('/') {
        "" => "/",
        path => path,
    }
}

/// The path without a trailing slash or `/index`.
fn fold(path: &str) -> &str {
    let path = trimmed(path);
    trimmed(path.strip_suffix("/index").unwrap_or(path))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::Document;

    fn redirects(rules: &[(&str, &str)]) -> Redirects {
        let list: Vec<_> =
            rules.iter().map(|(from, to)| serde_json::json!({"source": from, "destination": to})).collect();
        let document = Document::parse(&serde_json::to_string(&list).unwrap()).unwrap();
        let forest = Forest::single("docs.json", document);
        Redirects::read(&forest, forest.root()).0
    }

    #[test]
    fn paths_are_followed() {
        let redirects = redirects(&[
            ("/area/*", "/late/*"),
            ("/area/chat/*", "/never/*"),
            ("area/exact", "new/exact"),
            ("/beta/:slug*", "/gamma/:slug*"),
            ("/one", "/two"),
            ("/two", "/three?tab=1#part"),
            ("/away", "https://docs.example:8443/x"),
            ("/out/:page", "https://other.example/:page?from=:page"),
            ("/ring-a", "/ring-b"),
            ("/ring-b", "/ring-a"),
            ("/self", "/self"),
            ("/grow/*", "/grow/x/*"),
            ("/double/:x", "/double/:x:x:x:x"),
            ("/sp%20ace", "/dir/index"),
            ("/posts/article-*", "/blog/*"),
            ("/home", "/"),
            ("/mail", "mailto:a@b.example"),
        ]);
        let to = |path: &str, suffix: &str, hops| Followed::Final {
            path: path.into(),
            suffix: suffix.into(),
            hops,
        };
        let out = |url: &str| Followed::External { url: url.into(), hops: 1 };
        let cases = [
            ("/area/exact", to("/new/exact", "", 1)),
            ("/area/chat/x", to("/late/chat/x", "", 1)),
            ("/area/", to("/late", "", 1)),
            ("/beta/a/b", to("/gamma/a/b", "", 1)),
            ("/beta", to("/gamma", "", 1)),
            ("/beta/", to("/gamma", "", 1)),
            ("/one", to("/three", "?tab=1#part", 2)),
            ("one/", to("/three", "?tab=1#part", 2)),
            ("/away", out("https://docs.example:8443/x")),
            ("/out/p", out("https://other.example/p?from=p")),
            ("/ring-a", Followed::Loop),
            ("/self", Followed::Loop),
            ("/grow/a", Followed::TooLong),
            ("/double/abc", Followed::TooLong),
            ("/sp ace", to("/dir", "", 1)),
            ("/sp%20ace", to("/dir", "", 1)),
            ("/posts/article-%C3%A9", to("/blog/%C3%A9", "", 1)),
            ("/home", to("/", "", 1)),
            ("/mail", out("mailto:a@b.example")),
            ("/unknown", Followed::NoRule),
            ("", Followed::NoRule),
            ("/Area/exact", Followed::NoRule),
        ];
        for (path, expected) in cases {
            assert_eq!(redirects.follow(path), expected, "{path}");
        }
        assert_eq!(redirects.follow_until("/one", |path| path == "/two"), to("/two", "", 1));
        assert_eq!(redirects.follow_until("/one", |path| path == "/one"), Followed::NoRule);
    }
}

//! robots.txt (RFC 9309): what may be asked for, and which sitemaps a site names.
//!
//! Where the RFC leaves a choice, this follows what crawlers at large do: everything behind a `#` is
//! a comment, fields that are no rules end no group, and a pattern that starts with neither `/` nor
//! `*` matches nothing.

mod line;
mod pattern;

use std::borrow::Cow;
use std::time::Duration;

use wholesite_address::{LineIndex, Place};

use crate::{Link, Oddity, Reading, Role, Syntax, Target, Verdict};
use line::{Field, Line, lines};
use pattern::Pattern;

/// Bytes that are read at most. RFC 9309 §2.5 asks for at least 500 KiB; nothing real is larger.
pub const MAX_BYTES: usize = 4 * 1024 * 1024;

/// A robots.txt, read.
#[derive(Debug, Clone, Default)]
pub struct Robots {
    groups: Vec<Group>,
    sitemaps: Vec<SitemapLine>,
    unusable: Option<&'static str>,
    is_cut: bool,
}

/// A `Sitemap:` line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SitemapLine {
    /// The value as written: absolute by sitemaps.org, relative in the wild.
    pub value: String,
    /// Where the line's field name starts.
    pub place: Place,
}

/// Rules under one or more `User-agent` lines.
#[derive(Debug, Clone, Default)]
struct Group {
    /// Product tokens in lower case; `*` stands for everybody.
    agents: Vec<String>,
    rules: Vec<Rule>,
    crawl_delay: Option<Duration>,
}

/// An `Allow` or `Disallow` line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rule {
    /// `Allow`, as opposed to `Disallow`.
    pub allow: bool,
    /// The path pattern as written.
    pub pattern: String,
    /// Where the line's field name starts.
    pub place: Place,
    compiled: Pattern,
}

/// The rules that one agent obeys.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Rules {
    /// Those with the longest pattern first, `Allow` before `Disallow`: the first match decides.
    rules: Vec<Rule>,
    crawl_delay: Option<Duration>,
    group: Option<String>,
}

/// Whether an address may be asked for, and because of which line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Decision<'r> {
    /// Whether it may be asked for.
    pub allowed: bool,
    /// The line that decided; `None` where no rule matches.
    pub rule: Option<&'r Rule>,
}

impl Robots {
    /// Reads a robots.txt. Lines that are not understood are skipped (RFC 9309 §2.2.4); linear.
    ///
    /// A body that is HTML or JSON has no rules, see [`Robots::unusable`].
    pub fn parse(text: &str) -> Robots {
        if let Some(why) = foreign(text) {
            return Robots { unusable: Some(why), ..Robots::default() };
        }
        let (text, is_cut) = capped(text);
        let places = LineIndex::new(text);
        let mut robots = Robots { is_cut, ..Robots::default() };
        let mut takes_agents = false;
        for line in lines(text) {
            match line.field {
                Field::UserAgent => {
                    if !takes_agents {
                        robots.groups.push(Group::default());
                    }
                    takes_agents = true;
                    if let Some(group) = robots.groups.last_mut() {
                        group.agents.extend(product_token(line.value));
                    }
                }
                Field::Allow | Field::Disallow => {
                    takes_agents = false;
                    // Rules before the first `User-agent` are nobody's.
                    if let Some(group) = robots.groups.last_mut() {
                        group.rules.extend(rule(&line, &places));
                    }
                }
                Field::CrawlDelay => {
                    if let Some(group) = robots.groups.last_mut() {
                        group.crawl_delay = group.crawl_delay.or_else(|| delay(line.value));
                    }
                }
                Field::Sitemap => {
                    let place = places.place(line.span.start);
                    robots.sitemaps.push(SitemapLine { value: line.value.to_owned(), place });
                }
                Field::LlmsTxt => {}
            }
        }
        robots
    }

    /// The `Sitemap:` lines, wherever they stand; they belong to no group.
    pub fn sitemaps(&self) -> &[SitemapLine] {
        &self.sitemaps
    }

    /// The rules for an agent, given by its product token or its whole `User-Agent` value.
    ///
    /// All groups that name it are taken together, or, where none does, all groups of `*` (RFC 9309
    /// §2.2.1). Names are compared without regard to case.
    pub fn rules_for(&self, agent: &str) -> Rules {
        let token = product_token(agent).filter(|token| token != "*");
        let naming =
            |wanted: &str| self.groups.iter().any(|group| group.agents.iter().any(|name| name == wanted));
        let Some(name) = token.into_iter().chain(["*".to_owned()]).find(|name| naming(name)) else {
            return Rules::default();
        };
        let mut rules = Rules { group: Some(name.clone()), ..Rules::default() };
        for group in self.groups.iter().filter(|group| group.agents.contains(&name)) {
            rules.rules.extend_from_slice(&group.rules);
            rules.crawl_delay = rules.crawl_delay.max(group.crawl_delay);
        }
        rules.rules.sort_by_key(|rule| (std::cmp::Reverse(rule.compiled.len()), !rule.allow, rule.place));
        rules
    }

    /// Why the body is no robots.txt at all, if it is none; then there are no rules.
    pub fn unusable(&self) -> Option<&'static str> {
        self.unusable
    }

    /// Whether there was more than [`MAX_BYTES`], so that rules may be missing.
    pub fn is_cut(&self) -> bool {
        self.is_cut
    }
}

impl Rules {
    /// Whether an address may be asked for, by its path and query as they go over the wire.
    pub fn allows(&self, path_and_query: &str) -> bool {
        self.decide(path_and_query).allowed
    }

    /// As [`Rules::allows`], with the line that decides: the one with the most octets in its
    /// pattern, `Allow` before `Disallow` (RFC 9309 §2.2.2). `/robots.txt` itself is always allowed.
    pub fn decide(&self, path_and_query: &str) -> Decision<'_> {
        if path_and_query.split('?').next() == Some("/robots.txt") || self.rules.is_empty() {
            return Decision { allowed: true, rule: None };
        }
        let path = pattern::canonical_path(path_and_query);
        let rule = self.rules.iter().find(|rule| rule.compiled.matches(path.as_bytes()));
        Decision { allowed: rule.is_none_or(|rule| rule.allow), rule }
    }

    /// The pause that the site asks for between two requests. No part of RFC 9309; the longest of
    /// several counts.
    pub fn crawl_delay(&self) -> Option<Duration> {
        self.crawl_delay
    }

    /// The name that the rules stand under, in lower case: the agent's own, `*`, or nothing.
    pub fn group(&self) -> Option<&str> {
        self.group.as_deref()
    }

    /// Whether everything is allowed.
    pub fn is_empty(&self) -> bool {
        self.rules.is_empty()
    }
}

/// Reads the indexes that a robots.txt names: `Sitemap:` lines, and `LLMs-Txt:` lines as some sites
/// write them.
pub fn read(text: &str) -> Reading<'_> {
    if let Some(why) = foreign(text) {
        return Reading::unusable(why);
    }
    let (text, is_cut) = capped(text);
    let links =
        lines(text).filter(|line| matches!(line.field, Field::Sitemap | Field::LlmsTxt)).map(|line| Link {
            target: Target::Literal(Cow::Borrowed(line.value)),
            label: Cow::Borrowed(""),
            span: line.span,
            role: Role::Index,
            syntax: Syntax::RobotsSitemap,
        });
    let links = links.collect();
    let cut = is_cut
        .then(|| Oddity { span: text.len()..text.len(), what: "only the first 4 MiB were read".into() });
    let verdict =
        if is_cut { Verdict::Truncated("robots.txt is larger than 4 MiB".into()) } else { Verdict::Ok };
    Reading { links, verdict, title: None, oddities: cut.into_iter().collect() }
}

/// The leading letters, `-` and `_` of an agent's name (RFC 9309 §2.2.1), in lower case; `*` alone or
/// before a blank is everybody.
fn product_token(value: &str) -> Option<String> {
    let value = value.trim();
    if let Some(rest) = value.strip_prefix('*') {
        return rest.chars().next().is_none_or(char::is_whitespace).then(|| "*".to_owned());
    }
    let is_token = |c: char| c.is_ascii_alphabetic() || matches!(c, '-' | '_');
    let end = value.find(|c| !is_token(c)).unwrap_or(value.len());
    (end > 0).then(|| value[..end].to_ascii_lowercase())
}

fn rule(line: &Line<'_>, places: &LineIndex<'_>) -> Option<Rule> {
    // An empty pattern matches nothing: `Disallow:` allows everything.
    if line.value.is_empty() {
        return None;
    }
    Some(Rule {
        allow: line.field == Field::Allow,
        pattern: line.value.to_owned(),
        place: places.place(line.span.start),
        compiled: Pattern::new(line.value),
    })
}

fn delay(value: &str) -> Option<Duration> {
    let seconds: f64 = value.parse().ok()?;
    Duration::try_from_secs_f64(seconds.min(86_400.0)).ok()
}

/// What a body is that can't be a robots.txt: a server that answers everything with its start page.
fn foreign(text: &str) -> Option<&'static str> {
    match wholesite_content::sniff(text.as_bytes(), None) {
        wholesite_content::Kind::Html => Some("this is an HTML page, and no robots.txt"),
        wholesite_content::Kind::Json => Some("this is a JSON document, and no robots.txt"),
        _ => None,
    }
}

/// At most [`MAX_BYTES`], ending with a whole line.
fn capped(text: &str) -> (&str, bool) {
    if text.len() <= MAX_BYTES {
        return (text, false);
    }
    let end = memchr::memrchr2(b'\n', b'\r', &text.as_bytes()[..MAX_BYTES]).map_or(0, |at| at + 1);
    (&text[..end], true)
}

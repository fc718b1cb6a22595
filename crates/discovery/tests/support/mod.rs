//! Whole small sites as text, and a driver that answers from them.
//!
//! ```text
//! #### name of the case
//! seed https://docs.example.com/
//! base /docs                          (optional: options for this case)
//! /llms.txt 200 text/plain            route, status, media type; the body follows, indented
//!   - [A](/a)
//! /old 301 -> /new                    a redirect
//! /down fail connection reset         no answer
//! * 404                               everything else (also: * 200 text/html, * 308 -> /start)
//! ---- complete                       or: partial CODE CODE …, each code once
//! page /a.md                          every page, by store path
//! alias /old -> /new
//! count duplicate 2
//! asked 5                             how many requests at most
//! never /x                            an address that must not be asked
//! ```

// Each test binary uses its own part; `pub` is what a `mod support;` needs.
#![allow(dead_code, unreachable_pub)]

use std::collections::{BTreeMap, BTreeSet};

use wholesite_address::SiteUrl;
use wholesite_discovery::{
    Answer, Ask, Discovery, Failure, Globs, Inventory, Options, Request, Response, RobotsPolicy,
};

#[derive(Debug, Clone, Default)]
pub struct World {
    pub name: String,
    pub seed: String,
    pub options: Vec<(String, String)>,
    pub routes: BTreeMap<String, Route>,
    pub fallback: Option<Route>,
    pub expect: Expect,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Route {
    Answer { status: u16, headers: Vec<(String, String)>, body: String },
    Fail(String),
}

#[derive(Debug, Clone, Default)]
pub struct Expect {
    pub complete: bool,
    pub codes: BTreeSet<String>,
    pub pages: BTreeSet<String>,
    pub aliases: BTreeSet<(String, String)>,
    pub counts: Vec<(String, usize)>,
    pub asked: Option<usize>,
    pub never: Vec<String>,
}

pub fn parse(text: &str) -> Vec<World> {
    let mut worlds: Vec<World> = Vec::new();
    let mut route: Option<String> = None;
    let mut expecting = false;
    for line in text.lines() {
        if let Some(name) = line.strip_prefix("#### ") {
            worlds.push(World { name: name.to_owned(), ..World::default() });
            (route, expecting) = (None, false);
            continue;
        }
        let Some(world) = worlds.last_mut() else { continue };
        if let Some(body) = line.strip_prefix("  ") {
            let route =
                route.as_ref().unwrap_or_else(|| panic!("{}: a body without a route: {line}", world.name));
            let target = if route == "*" { world.fallback.as_mut() } else { world.routes.get_mut(route) };
            if let Some(Route::Answer { body: whole, .. }) = target {
                whole.push_str(body);
                whole.push('\n');
            }
        } else if line.trim().is_empty() {
            if let Some(Route::Answer { body, .. }) =
                route.as_ref().and_then(|route| world.routes.get_mut(route))
            {
                body.push('\n');
            }
        } else if let Some(verdict) = line.strip_prefix("---- ") {
            expecting = true;
            let mut words = verdict.split_whitespace();
            world.expect.complete = words.next() == Some("complete");
            world.expect.codes = words.map(str::to_owned).collect();
        } else if expecting {
            expectation(world, line);
        } else {
            route = head(world, line);
        }
    }
    worlds
}

fn expectation(world: &mut World, line: &str) {
    let (key, value) = line.split_once(' ').unwrap_or((line, ""));
    let expect = &mut world.expect;
    match key {
        "page" => drop(expect.pages.insert(value.to_owned())),
        "alias" => {
            let (from, to) = value.split_once(" -> ").expect("alias FROM -> TO");
            expect.aliases.insert((from.to_owned(), to.to_owned()));
        }
        "count" => {
            let (name, count) = value.split_once(' ').expect("count NAME N");
            expect.counts.push((name.to_owned(), count.parse().expect("a number")));
        }
        "asked" => expect.asked = Some(value.parse().expect("a number")),
        "never" => expect.never.push(value.to_owned()),
        _ => panic!("{}: no such expectation: {line}", world.name),
    }
}

fn head(world: &mut World, line: &str) -> Option<String> {
    let mut words = line.split_whitespace();
    let first = words.next()?.to_owned();
    if !first.starts_with('/') && !first.starts_with("http") && first != "*" {
        let value = line[first.len()..].trim().to_owned();
        if first == "seed" {
            world.seed = value;
        } else if first == "header" {
            // `header NAME: VALUE` belongs to the route before it.
            let (name, value) = value.split_once(": ").expect("header NAME: VALUE");
            let last = world.options.iter().rev().find(|(key, _)| key == "_route").map(|(_, v)| v.clone());
            let route = last.expect("a route before its header");
            let target = if route == "*" { world.fallback.as_mut() } else { world.routes.get_mut(&route) };
            if let Some(Route::Answer { headers, .. }) = target {
                headers.push((name.to_owned(), value.to_owned()));
            }
            return Some(route);
        } else {
            world.options.push((first, value));
        }
        return None;
    }
    let rest: Vec<&str> = words.collect();
    let route = match rest.as_slice() {
        ["fail", message @ ..] => Route::Fail(message.join(" ")),
        [status, "->", target] => Route::Answer {
            status: status.parse().expect("a status"),
            headers: vec![("location".to_owned(), (*target).to_owned())],
            body: String::new(),
        },
        [status, media @ ..] => Route::Answer {
            status: status.parse().unwrap_or_else(|_| panic!("{}: {line}", world.name)),
            headers: media
                .first()
                .map(|m| ("content-type".to_owned(), (*m).to_owned()))
                .into_iter()
                .collect(),
            body: String::new(),
        },
        [] => panic!("{}: a route needs a status: {line}", world.name),
    };
    world.options.push(("_route".to_owned(), first.clone()));
    if first == "*" {
        world.fallback = Some(route);
    } else {
        world.routes.insert(first.clone(), route);
    }
    Some(first)
}

impl World {
    pub fn options(&self) -> Options {
        let mut options = Options::default();
        let list = |value: &str| Globs::new(value.split_whitespace()).expect("globs");
        for (key, value) in &self.options {
            match key.as_str() {
                "base" => options.base_path = Some(value.clone()),
                "include" => options.include = list(value),
                "exclude" => options.exclude = list(value),
                "allow-offsite" => options.allow_offsite = list(value),
                "strict" => options.strict = true,
                "agent" => options.user_agent = value.clone(),
                "robots" => options.robots = RobotsPolicy::Ignore,
                "max-pages" => options.limits.pages = value.parse().expect("a number"),
                "max-indexes" => options.limits.indexes = value.parse().expect("a number"),
                "max-index-depth" => options.limits.index_depth = value.parse().expect("a number"),
                "max-depth" => options.limits.crawl_depth = value.parse().expect("a number"),
                "_route" => {}
                _ => panic!("{}: no such option: {key}", self.name),
            }
        }
        options
    }

    pub fn seed(&self) -> SiteUrl {
        SiteUrl::parse(&self.seed).unwrap_or_else(|error| panic!("{}: {error}", self.name))
    }

    pub fn answer(&self, url: &SiteUrl) -> Answer {
        let same_origin = url.origin() == self.seed().origin();
        let route = self
            .routes
            .get(url.as_str())
            .or_else(|| self.routes.get(url.path_and_query()).filter(|_| same_origin))
            .or(self.fallback.as_ref());
        match route {
            None => Answer::Response(Response { status: 404, framed: true, ..Response::default() }),
            Some(Route::Fail(message)) => Answer::Failed(Failure::Unreachable { message: message.clone() }),
            Some(Route::Answer { status, headers, body }) => {
                let body = body.strip_suffix('\n').unwrap_or(body).as_bytes().to_vec();
                Answer::Response(Response { status: *status, headers: headers.clone(), body, framed: true })
            }
        }
    }

    /// Runs the discovery, one request at a time.
    pub fn discover(&self) -> (Inventory, Vec<SiteUrl>) {
        self.discover_in_order(|_| 0)
    }

    /// Runs the discovery with every request of a wave under way at once; `pick` chooses which of
    /// so many outstanding ones is answered next.
    pub fn discover_in_order(&self, mut pick: impl FnMut(usize) -> usize) -> (Inventory, Vec<SiteUrl>) {
        let mut discovery = Discovery::of_site(self.seed(), self.options());
        let mut outstanding: Vec<Request> = Vec::new();
        let mut asked = Vec::new();
        loop {
            while let Some(request) = discovery.next_request() {
                outstanding.push(request);
            }
            if outstanding.is_empty() {
                break;
            }
            let at = pick(outstanding.len()) % outstanding.len();
            let request = outstanding.swap_remove(at);
            let Ask::Get { url, .. } = &request.ask else { panic!("a site asks for addresses only") };
            asked.push(url.clone());
            assert!(asked.len() < 5_000, "{}: no end of requests", self.name);
            discovery.answer(request.id, self.answer(url));
        }
        assert!(discovery.is_done(), "{}: idle, but not done", self.name);
        (discovery.finish(), asked)
    }
}

/// The paths of all pages.
pub fn paths(inventory: &Inventory) -> BTreeSet<String> {
    inventory.pages().iter().map(|page| page.path.to_string()).collect()
}

/// The codes of all blockers.
pub fn codes(inventory: &Inventory) -> BTreeSet<String> {
    inventory.blockers().iter().map(|blocker| blocker.code.name().to_owned()).collect()
}

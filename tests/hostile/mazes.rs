//! Sites without an end: redirects that lead on and on, calendars with one more day, indexes of
//! indexes.

use std::time::{Duration, Instant};

use wholesite::address::SiteUrl;
use wholesite::discovery::{Answer, Ask, BlockerCode, Discovery, Inventory, Options, Response};

use crate::peak;

const MEGABYTE: usize = 1 << 20;
const MOST: Duration = Duration::from_secs(60);
/// The number of the last thing there is, far behind every limit.
const FAR: usize = 10_000;
const PAGES: usize = 500;

/// What a maze answers to a path.
type Site = fn(&str) -> Response;

struct Maze {
    name: &'static str,
    site: Site,
    blocker: BlockerCode,
    most_requests: usize,
}

pub(crate) fn faults() -> Vec<String> {
    let mazes = [
        Maze {
            name: "10,000 redirects",
            site: redirects,
            blocker: BlockerCode::RedirectFault,
            most_requests: 40,
        },
        Maze {
            name: "an endless calendar",
            site: calendar,
            blocker: BlockerCode::DepthLimit,
            most_requests: 120,
        },
        Maze {
            name: "indexes of indexes",
            site: nested,
            blocker: BlockerCode::DepthLimit,
            most_requests: 80,
        },
    ];
    mazes.iter().filter_map(|maze| fault(maze).err()).collect()
}

fn fault(maze: &Maze) -> Result<(), String> {
    let started = Instant::now();
    let ((inventory, requests), held) = peak(|| walk(maze.site));
    let took = started.elapsed();
    let blockers: Vec<BlockerCode> = inventory.blockers().iter().map(|blocker| blocker.code).collect();
    if inventory.is_complete() || !blockers.contains(&maze.blocker) {
        return Err(format!("{}: {blockers:?}, and {:?} is wanted", maze.name, maze.blocker));
    }
    if requests > maze.most_requests || held > 16 * MEGABYTE || took > MOST {
        return Err(format!("{}: {requests} requests, {held} bytes held, {took:?}", maze.name));
    }
    Ok(())
}

fn walk(site: Site) -> (Inventory, usize) {
    let seed: SiteUrl = "https://docs.example.com/".parse().expect("a URL");
    let mut options = Options::default();
    options.limits.pages = PAGES;
    let mut discovery = Discovery::of_site(seed, options);
    let mut requests = 0;
    while let Some(request) = discovery.next_request() {
        let Ask::Get { url, .. } = &request.ask else { continue };
        requests += 1;
        assert!(requests < FAR, "no end in sight");
        discovery.answer(request.id, Answer::Response(site(url.path())));
    }
    (discovery.finish(), requests)
}

/// The number in `/7`, `/level-7/…`; the start has none, and is the first.
fn number(path: &str) -> Option<usize> {
    let name = path.trim_start_matches('/').trim_start_matches("level-").split('/').next()?;
    if path == "/" { Some(0) } else { name.parse().ok() }
}

fn found(body: String) -> Response {
    Response { status: 200, body: body.into_bytes(), framed: true, ..Response::default() }
}

fn missing() -> Response {
    Response { status: 404, framed: true, ..Response::default() }
}

fn redirects(path: &str) -> Response {
    let Some(at) = number(path).filter(|at| *at < FAR) else { return missing() };
    let headers = vec![("location".to_owned(), format!("/{}", at + 1))];
    Response { status: 308, headers, framed: true, ..Response::default() }
}

fn calendar(path: &str) -> Response {
    let Some(day) = number(path) else { return missing() };
    let words = format!("Day {day} of the calendar. ").repeat(20);
    found(format!(
        "<!doctype html><title>{day}</title><main>{words}<a href=\"/{}\">Tomorrow</a></main>",
        day + 1
    ))
}

fn nested(path: &str) -> Response {
    if path == "/" {
        return found(
            "<!doctype html><title>Start</title><main>Words and words and words.</main>".to_owned(),
        );
    }
    let level = match path {
        "/llms.txt" => 0,
        _ => match path.strip_suffix("/llms.txt").and_then(number) {
            Some(level) => level,
            None => return missing(),
        },
    };
    found(format!("# Level {level}\n\n- [Page](/page-{level})\n- [More](/level-{}/llms.txt)\n", level + 1))
}

//! One gate a host, for all tasks.

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use tokio::task::JoinSet;
use wholesite_fetch::{Fetch, HostLimits};

use crate::support::{Server, Step, answer, ok, quick, request, tell};

const WINDOW: Duration = Duration::from_secs(1);

/// Three answers, then "429, come back in a second" to everything for a second, then all is well.
#[tokio::test]
async fn a_refusal_holds_all_workers() {
    let refusing_since = Arc::new(Mutex::new(None::<Instant>));
    let server = Server::start({
        let since = Arc::clone(&refusing_since);
        move |seen| {
            let pause = Step::Pause(Duration::from_millis(5));
            if seen.nth < 3 {
                return [vec![pause], ok("page")].concat();
            }
            let since = *since.lock().unwrap().get_or_insert(seen.at);
            if since.elapsed() < WINDOW {
                [vec![pause], answer("429 Too Many Requests", "Retry-After: 1\r\n", b"")].concat()
            } else {
                [vec![pause], ok("page")].concat()
            }
        }
    })
    .await;
    let fetcher = quick().build().unwrap();
    let pages = Arc::new(Mutex::new((0..20).collect::<Vec<_>>()));
    let mut workers = JoinSet::new();
    for _ in 0..8 {
        let (fetcher, pages, base) = (fetcher.clone(), Arc::clone(&pages), server.url("/"));
        workers.spawn(async move {
            let mut outcomes = Vec::new();
            loop {
                let Some(page) = pages.lock().unwrap().pop() else { return outcomes };
                outcomes.push(fetcher.fetch(request(&format!("{base}{page}"))).await);
            }
        });
    }
    let outcomes: Vec<_> = workers.join_all().await.into_iter().flatten().collect();
    assert_eq!(outcomes.len(), 20);
    for outcome in &outcomes {
        assert!(tell(outcome).starts_with("200 in"), "{}", tell(outcome));
    }
    let since = refusing_since.lock().unwrap().unwrap();
    // Those in flight may finish; the first refusal is on its way for a few milliseconds.
    let inside = |at: Instant| at > since + Duration::from_millis(60) && at < since + WINDOW;
    let starts = server.seen().iter().filter(|seen| inside(seen.at)).count();
    assert_eq!(starts, 0, "requests started inside the window");
}

#[tokio::test]
async fn requests_at_once_are_bounded() {
    let server = Server::start(|_| [vec![Step::Pause(Duration::from_millis(20))], ok("page")].concat()).await;
    let fetcher = quick().host_limits(HostLimits { in_flight: 3, ..HostLimits::default() }).build().unwrap();
    let mut all = JoinSet::new();
    for _ in 0..20 {
        let (fetcher, url) = (fetcher.clone(), server.url("/"));
        all.spawn(async move { fetcher.fetch(request(&url)).await.unwrap() });
    }
    all.join_all().await;
    // HTTP/1 carries one request at a time, so connections tell how many were in flight.
    assert!(server.connections() <= 3, "{}", server.connections());
}

/// A host that never stops refusing is left alone, and those in line are told at once.
#[tokio::test]
async fn endless_refusal_ends() {
    let server = Server::start(|_| answer("429 X", "Retry-After: 0\r\n", b"")).await;
    let limits = HostLimits { strikes: 4, ..HostLimits::default() };
    let fetcher = quick().host_limits(limits).build().unwrap();
    let mut told = Vec::new();
    for _ in 0..10 {
        told.push(tell(&fetcher.fetch(request(&server.url("/"))).await));
    }
    assert_eq!(told[..2], ["429 in 3, Framed: ", "429 in 1, Framed: "]);
    assert!(told[2..].iter().all(|outcome| outcome == "host_closed in 0"), "{told:?}");
    assert_eq!(server.seen().len(), 4);
}

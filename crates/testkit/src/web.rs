//! The way to a site, and what goes wrong on it.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use wholesite_address::SiteUrl;
use wholesite_fetch::{Answer, Completeness, Failure, Fetch, Headers, HttpVersion, Request};

use crate::{SITE, SimClock, World};
use wholesite_sync::Clock;

/// A request as it arrives.
#[derive(Debug, Clone, Copy)]
pub struct Asked<'a> {
    /// The request.
    pub request: &'a Request,
    /// The site as it is.
    pub world: &'a World,
    /// The time of the simulation.
    pub at: Duration,
}

/// Answers in place of the site, or leaves it to it.
type Fault = dyn FnMut(Asked<'_>) -> Option<Result<Answer, Failure>> + Send;

/// A [`Fetch`] that leads to a [`World`]. Clones lead to the same one.
#[derive(Clone)]
pub struct Web {
    state: Arc<Mutex<State>>,
}

struct State {
    world: World,
    fault: Option<Box<Fault>>,
    requests: Vec<(SiteUrl, u16)>,
    latency: Duration,
}

impl Web {
    /// The way to a site on which nothing goes wrong.
    pub fn new(world: World) -> Self {
        let latency = Duration::from_millis(20);
        Web { state: Arc::new(Mutex::new(State { world, fault: None, requests: Vec::new(), latency })) }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Where the site begins.
    pub fn seed(&self) -> SiteUrl {
        SiteUrl::parse(SITE).expect("a valid address")
    }

    /// Changes the site.
    pub fn change<T>(&self, change: impl FnOnce(&mut World) -> T) -> T {
        change(&mut self.lock().world)
    }

    /// The site as it is.
    pub fn world(&self) -> World {
        self.lock().world.clone()
    }

    /// From now on `fault` answers first.
    pub fn fault(&self, fault: impl FnMut(Asked<'_>) -> Option<Result<Answer, Failure>> + Send + 'static) {
        self.lock().fault = Some(Box::new(fault));
    }

    /// Nothing goes wrong any more.
    pub fn heal(&self) {
        self.lock().fault = None;
    }

    /// What was asked since the last call, with the status that was answered (0 where none was).
    pub fn requests(&self) -> Vec<(SiteUrl, u16)> {
        std::mem::take(&mut self.lock().requests)
    }
}

impl Fetch for Web {
    async fn fetch(&self, request: Request) -> Result<Answer, Failure> {
        let latency = self.lock().latency;
        tokio::time::sleep(latency).await;
        let mut state = self.lock();
        let State { world, fault, .. } = &mut *state;
        let asked = Asked { request: &request, world, at: SimClock.elapsed() };
        let result = match fault.as_mut().and_then(|fault| fault(asked)) {
            Some(result) => result,
            None => Ok(world.serve(&request)),
        };
        let status = result.as_ref().map_or(0, |answer| answer.status);
        state.requests.push((request.url.clone(), status));
        result
    }
}

/// An answer to a request.
pub fn respond(request: &Request, status: u16, headers: &[(&str, &str)], body: String) -> Answer {
    Answer {
        url: request.url.clone(),
        status,
        headers: Headers::from_pairs(headers.iter().copied()).expect("few headers"),
        received_bytes: body.len() as u64,
        body: body.into_bytes(),
        complete: Completeness::Framed,
        version: HttpVersion::Http2,
        fetched_in: Duration::from_millis(1),
        attempts: 1,
    }
}

/// As [`respond`], as faults give it.
pub fn answer(
    asked: Asked<'_>,
    status: u16,
    headers: &[(&str, &str)],
    body: impl Into<String>,
) -> Option<Result<Answer, Failure>> {
    Some(Ok(respond(asked.request, status, headers, body.into())))
}

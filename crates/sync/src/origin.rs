//! Where a site is: on the network, in a recording, in a folder, or in a simulator.

use std::future::Future;

use futures_util::stream::{FuturesUnordered, StreamExt};
use wholesite_address::SiteUrl;
use wholesite_discovery::{
    Accept, Answer, Ask, Discovery, Failure, Inventory, Options, Request, RequestId, Response,
};
use wholesite_fetch::{Completeness, Fetch};

/// A site that can be discovered and whose pages can be fetched.
pub trait Origin: Send + Sync {
    /// Discovers the site. With `fresh`, every cache on the way is gone past.
    ///
    /// # Errors
    /// The source can't be opened at all. Whatever else goes wrong is a blocker of the inventory.
    fn discover(
        &self,
        options: Options,
        fresh: bool,
        on_progress: &mut (dyn FnMut(Progress<'_>) + Send),
    ) -> impl Future<Output = Result<Inventory, String>> + Send;

    /// Fetches one document.
    ///
    /// # Errors
    /// As [`Fetch::fetch`].
    fn fetch(
        &self,
        request: wholesite_fetch::Request,
    ) -> impl Future<Output = Result<wholesite_fetch::Answer, wholesite_fetch::Failure>> + Send;
}

/// How far a discovery is.
#[derive(Debug, Clone, Copy)]
pub struct Progress<'a> {
    /// Requests answered.
    pub answered: usize,
    /// Requests under way.
    pub in_flight: usize,
    /// The address asked last.
    pub asking: &'a SiteUrl,
}

/// A site behind a [`Fetch`].
#[derive(Debug, Clone)]
pub struct Site<F> {
    /// Any address of it.
    pub seed: SiteUrl,
    /// How to ask.
    pub fetch: F,
    /// The most requests of a discovery under way at once; a transport may allow fewer.
    pub concurrency: usize,
}

impl<F: Fetch> Origin for Site<F> {
    async fn discover(
        &self,
        options: Options,
        fresh: bool,
        on_progress: &mut (dyn FnMut(Progress<'_>) + Send),
    ) -> Result<Inventory, String> {
        Ok(discover(self.seed.clone(), options, &self.fetch, self.concurrency, fresh, on_progress).await)
    }

    fn fetch(
        &self,
        request: wholesite_fetch::Request,
    ) -> impl Future<Output = Result<wholesite_fetch::Answer, wholesite_fetch::Failure>> + Send {
        self.fetch.fetch(request)
    }
}

/// Discovers a site from any address of it, with at most `concurrency` requests under way (a
/// transport may allow fewer for each host), past all caches where it must be `fresh`. Dropping the
/// future ends all requests.
pub async fn discover<F: Fetch>(
    seed: SiteUrl,
    options: Options,
    fetch: &F,
    concurrency: usize,
    fresh: bool,
    on_progress: &mut (dyn FnMut(Progress<'_>) + Send),
) -> Inventory {
    let mut discovery = Discovery::of_site(seed, options);
    let mut in_flight = FuturesUnordered::new();
    let mut answered = 0;
    loop {
        while in_flight.len() < concurrency.max(1) {
            let Some(request) = discovery.next_request() else { break };
            if let Ask::Get { url, .. } = &request.ask {
                on_progress(Progress { answered, in_flight: in_flight.len() + 1, asking: url });
            }
            in_flight.push(ask(fetch, request, fresh));
        }
        match in_flight.next().await {
            Some((id, answer)) => {
                answered += 1;
                discovery.answer(id, answer);
            }
            None => return discovery.finish(),
        }
    }
}

async fn ask<F: Fetch>(fetch: &F, request: Request, fresh: bool) -> (RequestId, Answer) {
    let Ask::Get { url, accept, max_bytes } = request.ask else {
        let message = "a live site has no folder".to_owned();
        return (request.id, Answer::Failed(Failure::Unreachable { message }));
    };
    let accept = match accept {
        Accept::Any => wholesite_fetch::Accept::Any,
        Accept::Html => wholesite_fetch::Accept::Html,
    };
    let mut wanted = wholesite_fetch::Request::new(url).accept(accept).max_bytes(max_bytes);
    wanted.no_cache = fresh;
    let answer = match fetch.fetch(wanted).await {
        Ok(answer) => Answer::Response(Response {
            status: answer.status,
            headers: answer
                .headers
                .iter()
                .map(|(name, value)| (name.to_string(), value.to_string()))
                .collect(),
            framed: answer.complete == Completeness::Framed,
            body: answer.body,
        }),
        Err(failure) => Answer::Failed(failed(&failure, max_bytes)),
    };
    (request.id, answer)
}

fn failed(failure: &wholesite_fetch::Failure, limit: u64) -> Failure {
    let message = failure.to_string();
    match failure.code() {
        "too_large" => Failure::TooLarge { limit },
        "blocked_address" => Failure::Blocked { message },
        _ => Failure::Unreachable { message },
    }
}

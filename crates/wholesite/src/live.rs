//! Discovery of a live site, through any [`Fetch`].

use futures_util::stream::{FuturesUnordered, StreamExt};
use wholesite_address::SiteUrl;
use wholesite_discovery::{
    Accept, Answer, Ask, Discovery, Failure, Inventory, Options, Request, RequestId, Response,
};
use wholesite_fetch::{Completeness, Fetch};

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

/// Discovers a site from any address of it, with at most `concurrency` requests under way (a
/// transport may allow fewer for each host). Dropping the future ends all requests.
pub async fn discover_live<F: Fetch>(
    seed: SiteUrl,
    options: Options,
    fetch: &F,
    concurrency: usize,
    mut on_progress: impl FnMut(Progress<'_>),
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
            in_flight.push(ask(fetch, request));
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

async fn ask<F: Fetch>(fetch: &F, request: Request) -> (RequestId, Answer) {
    let Ask::Get { url, accept, max_bytes } = request.ask else {
        let message = "a live site has no folder".to_owned();
        return (request.id, Answer::Failed(Failure::Unreachable { message }));
    };
    let accept = match accept {
        Accept::Any => wholesite_fetch::Accept::Any,
        Accept::Html => wholesite_fetch::Accept::Html,
    };
    let wanted = wholesite_fetch::Request::new(url).accept(accept).max_bytes(max_bytes);
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

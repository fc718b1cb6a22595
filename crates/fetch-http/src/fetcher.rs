//! Fetching: through the gate, as often as it takes.

use std::collections::HashMap;
use std::fmt;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use reqwest::Client;
use reqwest::header::HeaderMap;
use tokio::time::{Instant, sleep, timeout};
use url::{Host, Url};
use wholesite_address::SiteUrl;
use wholesite_fetch::{Answer, Failure, Fetch, Headers, Outcome, Request, RetryPolicy, Verdict, retry_after};

use crate::attempt::{self, Arrived};
use crate::builder::Builder;
use crate::gates::Gates;
use crate::resolver;

/// Fetches over HTTP/1.1 and HTTP/2. Clones share connections, gates and settings.
///
/// Must be used within a Tokio runtime that has time and I/O.
#[derive(Clone)]
pub struct HttpFetcher {
    pooled: Client,
    /// Keeps no connection, so that each request makes its own.
    fresh: Client,
    allow_private: bool,
    /// By origin.
    credentials: Arc<HashMap<String, HeaderMap>>,
    retry: RetryPolicy,
    gates: Arc<Gates>,
}

impl HttpFetcher {
    /// Default settings, to be changed.
    pub fn builder() -> Builder {
        Builder::new()
    }

    pub(crate) fn new(
        pooled: Client,
        fresh: Client,
        allow_private: bool,
        credentials: Arc<HashMap<String, HeaderMap>>,
        retry: RetryPolicy,
        gates: Arc<Gates>,
    ) -> Self {
        HttpFetcher { pooled, fresh, allow_private, credentials, retry, gates }
    }

    /// What is sent, and to which host.
    fn target(&self, request: &Request) -> Result<Target, Failure> {
        let url =
            Url::parse(request.url.as_str()).map_err(|error| Failure::BadUrl { why: error.to_string() })?;
        let host =
            url.host_str().ok_or_else(|| Failure::BadUrl { why: "it has no host".to_owned() })?.to_owned();
        // The resolver is not asked about hosts that are numbers, so they are judged here.
        let literal = match url.host() {
            Some(Host::Ipv4(addr)) => Some(IpAddr::V4(addr)),
            Some(Host::Ipv6(addr)) => Some(IpAddr::V6(addr)),
            _ => None,
        };
        if let Some(addr) = literal.filter(|_| !self.allow_private) {
            resolver::check(&host, addr)?;
        }
        let mut fields = attempt::request_headers(request);
        if let Some(credentials) = self.credentials.get(request.url.origin()) {
            fields.extend(credentials.clone());
        }
        Ok(Target { url, host, fields })
    }

    /// One attempt, with one deadline from the first to the last byte.
    async fn attempt(&self, target: &Target, request: &Request, limit: Duration) -> Result<Arrived, Failure> {
        let client = if request.no_cache { &self.fresh } else { &self.pooled };
        let attempt = attempt::run(
            client,
            target.url.clone(),
            target.fields.clone(),
            request.max_bytes,
            self.retry.connect,
        );
        timeout(limit, attempt).await.unwrap_or(Err(Failure::AttemptTimeout { after: limit }))
    }
}

impl Fetch for HttpFetcher {
    async fn fetch(&self, request: Request) -> Result<Answer, Failure> {
        let target = self.target(&request)?;
        let gate = self.gates.of(&target.host);
        let mut permit = gate.enter().await?;
        let started = Instant::now();
        let mut in_line = Duration::ZERO;
        let mut made = 0;
        loop {
            let spent = started.elapsed() - in_line;
            let result = self.attempt(&target, &request, self.retry.attempt_limit(spent)).await;
            made += 1;
            let jitter = fastrand::f64();
            let asked = result.as_ref().ok().and_then(|arrived| retry_after_of(&arrived.headers));
            permit.finish(self.verdict(&result, asked, made, jitter));
            let outcome = match &result {
                Ok(arrived) => Outcome::Status(arrived.status),
                Err(failure) => Outcome::Failed(failure),
            };
            let spent = started.elapsed() - in_line;
            let Some(pause) = self.retry.next_delay(made, outcome, asked, spent, jitter) else {
                return finish(request.url, result, made, started.elapsed());
            };
            sleep(pause).await;
            let queued = Instant::now();
            permit = match gate.enter().await {
                Ok(permit) => permit,
                // The host is closed for good: what it said last says more than that it is.
                Err(_) => return finish(request.url, result, made, started.elapsed()),
            };
            in_line += queued.elapsed();
        }
    }
}

impl HttpFetcher {
    /// What an attempt tells about the host as a whole.
    fn verdict(
        &self,
        result: &Result<Arrived, Failure>,
        asked: Option<Duration>,
        made: u32,
        jitter: f64,
    ) -> Verdict {
        let Ok(arrived) = result else { return Verdict::Unknown };
        let pause = asked.map(|time| self.retry.asked(time));
        match (arrived.status, pause) {
            (429 | 503, Some(pause)) => Verdict::KeepOff(pause),
            (429, None) => Verdict::KeepOff(self.retry.backoff(made, jitter)),
            (503, None) => Verdict::Strained(self.retry.backoff(made, jitter)),
            (500.., _) => Verdict::Unknown,
            _ => Verdict::Served,
        }
    }
}

struct Target {
    url: Url,
    host: String,
    fields: HeaderMap,
}

/// The last answer, whatever its status; or the last failure, with the number of attempts where there
/// was more than one.
fn finish(
    url: SiteUrl,
    result: Result<Arrived, Failure>,
    attempts: u32,
    elapsed: Duration,
) -> Result<Answer, Failure> {
    match result {
        Ok(Arrived { status, headers, body, complete, version, received_bytes }) => Ok(Answer {
            url,
            status,
            headers,
            body,
            complete,
            version,
            received_bytes,
            fetched_in: elapsed,
            attempts,
        }),
        Err(failure) if attempts > 1 => Err(Failure::GaveUp { attempts, elapsed, last: Box::new(failure) }),
        Err(failure) => Err(failure),
    }
}

fn retry_after_of(headers: &Headers) -> Option<Duration> {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_secs());
    headers.get("retry-after").and_then(|value| retry_after::parse(value, now))
}

/// Tells the names of credentials only.
impl fmt::Debug for HttpFetcher {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HttpFetcher")
            .field("allow_private", &self.allow_private)
            .field("credentials", &self.credentials)
            .field("retry", &self.retry)
            .finish_non_exhaustive()
    }
}

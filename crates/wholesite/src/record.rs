//! Recording a live site while it is discovered, and its pages after that.

use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};

use futures_util::stream::{self, StreamExt};
use wholesite_address::{Base, Resolved, SiteUrl};
use wholesite_discovery::{AskingRules, Inventory, Options, Page};
use wholesite_fetch::{Accept, Answer, Completeness, Failure, Fetch, Request};
use wholesite_recording::{FailureKind, Given, NewRecording, Recorded, RecordingError};
use wholesite_sync::Progress;

/// Redirects of a page that are followed, as a sync does.
const MOST_HOPS: usize = 5;

/// Answers that nobody reads and that may open doors.
const SECRET: [&str; 2] = ["set-cookie", "set-cookie2"];

/// What was recorded.
#[derive(Debug)]
pub struct Recap {
    /// What the discovery found: a discovery of the recording gives the same, byte for byte.
    pub inventory: Inventory,
    /// Addresses that were asked for.
    pub answers: usize,
    /// Pages that came with a success, where pages were asked for.
    pub pages: usize,
    /// Pages that did not, with what was said in their place. The recording holds that too.
    pub missed: Vec<(SiteUrl, String)>,
}

/// Discovers a live site, writes every answer into `recording`, and with `pages` fetches each page once,
/// the way a sync would. Dropping the future ends all requests and leaves no recording behind.
///
/// # Errors
/// The recording can't be written. A page that can't be had is part of the [`Recap`].
pub async fn record_live<F: Fetch>(
    seed: SiteUrl,
    options: Options,
    fetch: &F,
    concurrency: usize,
    recording: NewRecording,
    pages: bool,
    mut on_progress: impl FnMut(Progress<'_>) + Send,
) -> Result<Recap, RecordingError> {
    let recorder = Recorder::new(fetch, recording);
    let probe = options.probe.clone();
    let limit = options.limits.page_bytes;
    let inventory =
        wholesite_sync::discover(seed, options, &recorder, concurrency, false, &mut on_progress).await;
    let mut recap = Recap { inventory, answers: 0, pages: 0, missed: Vec::new() };
    if pages {
        let taking = Taking { recorder: &recorder, rules: recap.inventory.asking_rules(), limit };
        // What a sync asks for to know what unknown addresses get.
        for name in [format!("/{probe}.md"), format!("/{probe}")] {
            taking.ask(&recap.inventory.scope().at(&name)).await;
        }
        let all = recap.inventory.pages();
        let taking = &taking;
        let mut taken = stream::iter(all)
            .map(|page| async move { (page, taking.page(page).await) })
            .buffer_unordered(concurrency.max(1));
        let mut answered = 0;
        while let Some((page, missed)) = taken.next().await {
            answered += 1;
            let in_flight = (all.len() - answered).min(concurrency);
            on_progress(Progress { answered, in_flight, asking: &page.fetch_url });
            match missed {
                None => recap.pages += 1,
                Some(why) => recap.missed.push((page.url.clone(), why)),
            }
        }
        drop(taken);
        recap.missed.sort();
    }
    recap.answers = recorder.finish()?;
    Ok(recap)
}

/// Fetches pages into a recording.
struct Taking<'a, F> {
    recorder: &'a Recorder<'a, F>,
    rules: AskingRules,
    limit: u64,
}

/// What an address said, as far as it leads on.
enum Said {
    Success,
    LeadsTo(SiteUrl),
    Other(String),
}

impl<F: Fetch> Taking<'_, F> {
    /// Asks for a page where a sync would. Gives what was said in place of the page.
    async fn page(&self, page: &Page) -> Option<String> {
        let mut url = page.fetch_url.clone();
        let mut asked_plainly = url == page.url;
        let mut hops = 0;
        loop {
            let why = match self.ask(&url).await {
                Said::Success => return None,
                Said::LeadsTo(to) if hops < MOST_HOPS && to.origin() == url.origin() => {
                    hops += 1;
                    asked_plainly |= to == page.url;
                    url = to;
                    continue;
                }
                Said::LeadsTo(to) => format!("{url} leads to {to}"),
                Said::Other(why) => why,
            };
            if asked_plainly {
                return Some(why);
            }
            asked_plainly = true;
            url = page.url.clone();
        }
    }

    async fn ask(&self, url: &SiteUrl) -> Said {
        if !self.rules.allow(url) {
            return Said::Other("robots.txt forbids asking".to_owned());
        }
        let name = url.last_segment();
        let is_markdown = name.ends_with(".md") || name.ends_with(".mdx");
        let accept = if is_markdown { Accept::Markdown } else { Accept::Html };
        let request = Request::new(url.clone()).accept(accept).max_bytes(self.limit);
        match self.recorder.fetch(request).await {
            Ok(answer) if answer.is_success() => Said::Success,
            Ok(answer) => match answer.redirect().map(|to| Base::of(url).resolve(to)) {
                Some(Ok(Resolved::Web { url: to, .. })) => Said::LeadsTo(to),
                _ => Said::Other(format!("{url}: {}", answer.status)),
            },
            Err(failure) => Said::Other(format!("{url}: {failure}")),
        }
    }
}

/// Fetches, and writes down what came.
struct Recorder<'f, F> {
    fetch: &'f F,
    state: Mutex<State>,
}

struct State {
    recording: NewRecording,
    asked: BTreeSet<SiteUrl>,
    /// The first fault of the output; there is no use in going on behind it.
    fault: Option<RecordingError>,
}

impl<'f, F: Fetch> Recorder<'f, F> {
    fn new(fetch: &'f F, recording: NewRecording) -> Self {
        let state = State { recording, asked: BTreeSet::new(), fault: None };
        Recorder { fetch, state: Mutex::new(state) }
    }

    fn finish(self) -> Result<usize, RecordingError> {
        let state = self.state.into_inner().unwrap_or_else(PoisonError::into_inner);
        match state.fault {
            Some(fault) => Err(fault),
            None => state.recording.finish().map(|()| state.asked.len()),
        }
    }
}

impl<F: Fetch> Fetch for Recorder<'_, F> {
    async fn fetch(&self, request: Request) -> Result<Answer, Failure> {
        if self.state.lock().unwrap_or_else(PoisonError::into_inner).fault.is_some() {
            return Err(Failure::Cancelled);
        }
        let (url, accept) = (request.url.clone(), request.accept);
        let result = self.fetch.fetch(request).await;
        let recorded = match &result {
            Ok(answer) => response(answer),
            Err(failure) => failed(failure),
        };
        let date = jiff::Timestamp::now();
        let given = Given { url: &url, accept: accept.header_value(), date, recorded: &recorded };
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if let Err(fault) = state.recording.add(&given) {
            state.fault.get_or_insert(fault);
        }
        state.asked.insert(url);
        result
    }
}

fn response(answer: &Answer) -> Recorded {
    let fields = answer.headers.iter().filter(|(name, _)| !SECRET.contains(name));
    Recorded::Response {
        status: answer.status,
        headers: fields.map(|(name, value)| (name.to_owned(), value.to_owned())).collect(),
        body: answer.body.clone(),
        framed: answer.complete == Completeness::Framed,
    }
}

/// In the words that a discovery of the live site has for it.
fn failed(failure: &Failure) -> Recorded {
    let kind = match failure.code() {
        "too_large" => FailureKind::TooLarge,
        "blocked_address" => FailureKind::Blocked,
        _ => FailureKind::Unreachable,
    };
    Recorded::Failed { kind, message: failure.to_string() }
}

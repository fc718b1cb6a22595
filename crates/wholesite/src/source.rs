//! Where a site is: on the network, in a recording, or in a docs source folder.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use wholesite_address::SiteUrl;
use wholesite_discovery::{Inventory, Options};
use wholesite_fetch::{Answer, Causes, Completeness, Failure, Fetch, Headers, HttpVersion, Request};
use wholesite_fetch_http::HttpFetcher;
use wholesite_recording::{FailureKind, Recorded, Recording};
use wholesite_store::SiteKey;
use wholesite_sync::{Origin, Progress, Site};

/// A site that can be synced.
#[derive(Clone)]
pub enum Source {
    /// On the network.
    Live(Box<Site<HttpFetcher>>),
    /// In a recording.
    Recording(Site<Replay>),
    /// In a docs source folder.
    Folder(Folder),
}

impl Source {
    /// A live site, by any address of it.
    pub fn live(seed: SiteUrl, fetcher: HttpFetcher, concurrency: usize) -> Self {
        Source::Live(Box::new(Site { seed, fetch: fetcher, concurrency }))
    }

    /// A recorded site.
    pub fn recording(recording: Recording) -> Self {
        let seed = recording.seed().clone();
        Source::Recording(Site { seed, fetch: Replay(Arc::new(recording)), concurrency: 1 })
    }

    /// The docs source folder `root`, whose pages will be served below `site`.
    pub fn folder(root: PathBuf, site: SiteUrl) -> Self {
        Source::Folder(Folder { root, site, files: Arc::default() })
    }

    /// The site, as stores name it.
    pub fn key(&self) -> SiteKey {
        match self {
            Source::Live(site) => SiteKey::of(&site.seed),
            Source::Recording(site) => SiteKey::of(&site.seed),
            Source::Folder(folder) => SiteKey::of(&folder.site),
        }
    }

    /// Whether asking again may give another answer.
    pub fn is_live(&self) -> bool {
        matches!(self, Source::Live(_))
    }
}

impl Origin for Source {
    async fn discover(
        &self,
        options: Options,
        fresh: bool,
        on_progress: &mut (dyn FnMut(Progress<'_>) + Send),
    ) -> Result<Inventory, String> {
        match self {
            Source::Live(site) => site.discover(options, fresh, on_progress).await,
            Source::Recording(site) => site.fetch.discover(options, fresh),
            Source::Folder(folder) => folder.discover(options),
        }
    }

    async fn fetch(&self, request: Request) -> Result<Answer, Failure> {
        match self {
            Source::Live(site) => site.fetch.fetch(request).await,
            Source::Recording(site) => site.fetch.fetch(request).await,
            Source::Folder(folder) => folder.fetch(&request),
        }
    }
}

/// A recorded site as something to fetch from.
#[derive(Debug, Clone)]
pub struct Replay(Arc<Recording>);

impl Replay {
    /// Discovers as [`discover_recording`](crate::discover_recording) does.
    fn discover(&self, options: Options, fresh: bool) -> Result<Inventory, String> {
        // Two looks at one capture are one look at the site, and one look proves nothing gone.
        if fresh && self.0.is_capture() {
            return Err("a capture is one look at the site, and can't be asked again".to_owned());
        }
        Ok(crate::discover_recording(&self.0, options))
    }
}

impl Fetch for Replay {
    async fn fetch(&self, request: Request) -> Result<Answer, Failure> {
        match self.0.answer(&request.url, request.accept.header_value(), request.max_bytes) {
            Recorded::Response { status, headers, body, framed } => {
                let pairs = headers.iter().map(|(name, value)| (name.as_str(), value.as_str()));
                let headers = Headers::from_pairs(pairs)
                    .map_err(|full| Failure::Protocol { causes: Causes::of(&full) })?;
                let complete = if framed { Completeness::Framed } else { Completeness::CloseDelimited };
                Ok(Answer { complete, ..answer(&request, status, headers, body) })
            }
            Recorded::Failed { kind: FailureKind::TooLarge, .. } => {
                Err(Failure::BodyTooLarge { limit: request.max_bytes })
            }
            Recorded::Failed { message, .. } => Err(Failure::Connect { causes: Causes::text(message) }),
        }
    }
}

/// A docs source folder. Its pages are fetched from the files that the last discovery named.
#[derive(Debug, Clone)]
pub struct Folder {
    root: PathBuf,
    site: SiteUrl,
    /// `None` for a page that only running the generator would make.
    files: Arc<Mutex<BTreeMap<SiteUrl, Option<PathBuf>>>>,
}

impl Folder {
    fn discover(&self, options: Options) -> Result<Inventory, String> {
        let inventory = crate::discover_folder(&self.root, self.site.clone(), options)
            .map_err(|error| error.to_string())?;
        let mut files = BTreeMap::new();
        for page in inventory.pages() {
            let file = page.file.as_ref().map(|file| self.root.join(&**file));
            for url in [&page.url, &page.fetch_url] {
                files.insert(url.clone(), file.clone());
            }
        }
        *self.files.lock().unwrap_or_else(PoisonError::into_inner) = files;
        Ok(inventory)
    }

    fn fetch(&self, request: &Request) -> Result<Answer, Failure> {
        let file = self.files.lock().unwrap_or_else(PoisonError::into_inner).get(&request.url).cloned();
        let Some(file) = file else { return Ok(answer(request, 404, Headers::new(), Vec::new())) };
        let Some(file) = file else {
            let why = std::io::Error::other("the page has no file: only building the site would make it");
            return Err(Failure::Connect { causes: Causes::of(&why) });
        };
        match std::fs::read(&file) {
            Ok(body) if body.len() as u64 > request.max_bytes => {
                Err(Failure::BodyTooLarge { limit: request.max_bytes })
            }
            Ok(body) => {
                let headers = Headers::from_pairs([("content-type", "text/markdown; charset=utf-8")])
                    .unwrap_or_default();
                Ok(answer(request, 200, headers, body))
            }
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                Ok(answer(request, 404, Headers::new(), Vec::new()))
            }
            Err(error) => Err(Failure::Connect { causes: Causes::of(&error) }),
        }
    }
}

fn answer(request: &Request, status: u16, headers: Headers, body: Vec<u8>) -> Answer {
    Answer {
        url: request.url.clone(),
        status,
        headers,
        received_bytes: body.len() as u64,
        body,
        complete: Completeness::Framed,
        version: HttpVersion::Http11,
        fetched_in: Duration::ZERO,
        attempts: 1,
    }
}

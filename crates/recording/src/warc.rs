//! A WARC file as a recorded site.

use std::collections::HashMap;
use std::fs::File;
use std::io::BufReader;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use wholesite_address::SiteUrl;
use wholesite_warc::{Capture, CaptureKind, Captured, Index};

use crate::error::RecordingError;
use crate::recording::{FailureKind, Recorded};

/// The field of the file's description that says where a discovery starts.
pub(crate) const SEED: &str = "wholesite-seed";
/// The field that holds the path segment that no site has.
pub(crate) const PROBE: &str = "wholesite-probe";

/// An indexed file. It stays open: what another process puts in its place is another recording.
#[derive(Debug)]
pub(crate) struct WarcSite {
    file: Mutex<File>,
    index: Index,
    captures: HashMap<SiteUrl, Vec<u32>>,
}

impl WarcSite {
    pub(crate) fn open(path: &Path) -> Result<Self, RecordingError> {
        let io = |cause| RecordingError::Io { path: path.to_owned(), cause };
        let file = File::open(path).map_err(io)?;
        let input = BufReader::with_capacity(256 << 10, &file);
        let index =
            Index::build(input).map_err(|fault| RecordingError::Warc { path: path.to_owned(), fault })?;
        let mut captures: HashMap<SiteUrl, Vec<u32>> = HashMap::new();
        for (at, capture) in (0_u32..).zip(index.captures()) {
            // What is no web address can't be asked for: `dns:`, a crawler's own log.
            if let Ok(url) = SiteUrl::parse(&capture.uri) {
                captures.entry(url).or_default().push(at);
            }
        }
        Ok(WarcSite { file: Mutex::new(file), index, captures })
    }

    /// Where the file says that a discovery starts, or the first page that was answered.
    pub(crate) fn seed(&self) -> Option<SiteUrl> {
        let own = self.index.info(SEED).and_then(|seed| SiteUrl::parse(seed).ok());
        let answered = |capture: &&Capture| capture.kind != CaptureKind::Failure;
        let pages = self.index.captures().iter().filter(answered);
        let pages = pages.filter_map(|capture| SiteUrl::parse(&capture.uri).ok());
        own.or_else(|| pages.into_iter().find(|url| url.path() != "/robots.txt"))
    }

    pub(crate) fn probe(&self) -> Option<&str> {
        self.index.info(PROBE).filter(|probe| !probe.is_empty())
    }

    pub(crate) fn addresses(&self) -> impl Iterator<Item = &SiteUrl> {
        self.captures.keys()
    }

    pub(crate) fn answer(&self, url: &SiteUrl, accept: &str, max_bytes: u64) -> Option<Recorded> {
        let captures = self.captures.get(url)?;
        let all = || captures.iter().filter_map(|at| self.index.captures().get(*at as usize));
        let asked_so = all().filter(|capture| capture.accept.as_deref() == Some(accept));
        // The last of the latest ones.
        let capture = asked_so
            .max_by_key(|capture| capture.date)
            .or_else(|| all().max_by_key(|capture| capture.date))?;
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        Some(match self.index.read(capture, &mut *file, max_bytes) {
            Ok(Captured::Response(found)) => Recorded::Response {
                status: found.status,
                headers: found.headers,
                body: found.body,
                framed: found.framed,
            },
            Ok(Captured::Failed { kind, message }) => Recorded::Failed { kind: kind_of(kind), message },
            Err(error) if error.is_too_large() => Recorded::too_large(max_bytes),
            Err(error) => Recorded::unreachable(format!("the recording can't be read: {error}")),
        })
    }
}

fn kind_of(kind: wholesite_warc::FailureKind) -> FailureKind {
    match kind {
        wholesite_warc::FailureKind::Unreachable => FailureKind::Unreachable,
        wholesite_warc::FailureKind::Blocked => FailureKind::Blocked,
        wholesite_warc::FailureKind::TooLarge => FailureKind::TooLarge,
    }
}

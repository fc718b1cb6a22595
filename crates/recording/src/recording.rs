//! A recorded site, opened.

use std::collections::{BTreeMap, HashMap};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use wholesite_address::{Base, Resolved, SiteUrl};

use crate::error::RecordingError;
use crate::expected::Expected;
use crate::files;
use crate::manifest::{self, Manifest, Route, Unknown};
use crate::warc::WarcSite;

pub(crate) const MANIFEST: &str = "site.toml";
const EXPECTED: &str = "expected.toml";
const ROUTES: &str = "routes";

/// What the path segments begin with that are asked for since no site has them.
const PROBE: &str = "wholesite-probe-";

/// A recorded site. The same question gets the same answer every time.
///
/// There are two kinds. One written by hand is the whole site: what it does not name is not there. A
/// *capture* of a live site ([`Recording::is_capture`]) holds what somebody asked for at one time: of all
/// else nobody knows anything, and it fails by name.
#[derive(Debug, Clone)]
pub struct Recording {
    seed: SiteUrl,
    teaches: String,
    is_capture: bool,
    probe: Option<String>,
    answers: Answers,
    expected: Option<Expected>,
}

#[derive(Debug, Clone)]
enum Answers {
    /// All in memory, so that reading them cannot fail.
    Routes { routes: HashMap<SiteUrl, Recorded>, unknown: Recorded },
    /// In a file, read when they are asked for.
    Warc(Arc<WarcSite>),
}

/// What the recorded site answers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Recorded {
    /// A response.
    Response {
        /// Status code.
        status: u16,
        /// Header fields; of a folder sorted by name, of a WARC file as they came.
        headers: Vec<(String, String)>,
        /// The body.
        body: Vec<u8>,
        /// Whether something vouched for the end of the body.
        framed: bool,
    },
    /// No answer.
    Failed {
        /// What kind of failure.
        kind: FailureKind,
        /// Why.
        message: String,
    },
}

/// Kinds of failures that a discovery tells apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FailureKind {
    /// No answer, or none that could be trusted.
    #[default]
    Unreachable,
    /// An address that may not be asked.
    Blocked,
    /// The answer is larger than was wanted.
    TooLarge,
}

impl Recorded {
    pub(crate) fn unreachable(message: String) -> Self {
        Recorded::Failed { kind: FailureKind::Unreachable, message }
    }

    pub(crate) fn too_large(limit: u64) -> Self {
        Recorded::Failed { kind: FailureKind::TooLarge, message: format!("larger than {limit} bytes") }
    }
}

impl Recording {
    /// Whether a path is a recording: a folder with a `site.toml`, or a file `*.warc` or `*.warc.gz`.
    pub fn is_recording(path: &Path) -> bool {
        if path.is_dir() { path.join(MANIFEST).is_file() } else { path.is_file() && is_warc_name(path) }
    }

    /// Opens a recording. A folder is read whole; a WARC file is read once for where its answers stand.
    ///
    /// # Errors
    /// A file that can't be read, a TOML file that is not in the format, a route that makes no
    /// sense, a symbolic link, a WARC file that is broken or holds no answer. Every error names the file
    /// and what would be right.
    pub fn open(path: &Path) -> Result<Self, RecordingError> {
        if path.is_dir() { Recording::open_folder(path) } else { Recording::open_warc(path) }
    }

    fn open_warc(path: &Path) -> Result<Self, RecordingError> {
        let site = WarcSite::open(path)?;
        let seed = site.seed().ok_or_else(|| RecordingError::Empty { path: path.to_owned() })?;
        Ok(Recording {
            seed,
            teaches: String::new(),
            is_capture: true,
            probe: site.probe().map(str::to_owned),
            answers: Answers::Warc(Arc::new(site)),
            expected: None,
        })
    }

    fn open_folder(folder: &Path) -> Result<Self, RecordingError> {
        let path = folder.join(MANIFEST);
        let manifest: Manifest = manifest::read(&path)?;
        let fault = |route: &str, message: String| RecordingError::Route {
            path: path.clone(),
            route: route.to_owned(),
            message,
        };
        let is_capture = manifest.captured.is_some();
        if is_capture && manifest.unknown.is_some() {
            return Err(fault("unknown", "a capture has none: what was not asked is not known".to_owned()));
        }
        let seed = SiteUrl::parse(&manifest.seed).map_err(|error| fault("seed", error.to_string()))?;
        let base = Base::of(&seed);
        let mut answers = HashMap::new();
        for served in files::list(&folder.join(ROUTES), manifest.clean_urls)? {
            let url =
                address(&base, &encoded(&served.url_path)).map_err(|why| fault(&served.url_path, why))?;
            let body = read(&served.file)?;
            let mut headers = lower_case(&manifest.headers);
            headers.insert("content-type".to_owned(), served.content_type.to_owned());
            let headers = headers.into_iter().collect();
            answers.insert(url, Recorded::Response { status: 200, headers, body, framed: true });
        }
        let mut special: HashMap<SiteUrl, ()> = HashMap::new();
        for route in &manifest.route {
            let url = address(&base, &route.path).map_err(|why| fault(&route.path, why))?;
            if special.insert(url.clone(), ()).is_some() {
                return Err(fault(&route.path, "this address has two routes; keep one of them".to_owned()));
            }
            let recorded = recorded(folder, route, answers.get(&url), is_capture)
                .map_err(|why| fault(&route.path, why))?;
            answers.insert(url, recorded);
        }
        let expected_path = folder.join(EXPECTED);
        let expected = if expected_path.is_file() { Some(manifest::read(&expected_path)?) } else { None };
        let answers = Answers::Routes { routes: answers, unknown: unknown(manifest.unknown) };
        let Manifest { teaches, probe, .. } = manifest;
        Ok(Recording { seed, teaches, is_capture, probe, answers, expected })
    }

    /// Starts discoveries elsewhere.
    pub fn with_seed(mut self, seed: SiteUrl) -> Self {
        self.seed = seed;
        self
    }

    /// Where a discovery starts.
    pub fn seed(&self) -> &SiteUrl {
        &self.seed
    }

    /// One line on what this site is there to show.
    pub fn teaches(&self) -> &str {
        &self.teaches
    }

    /// Whether this is what a live site answered at one time, and not a site made by hand. Then an
    /// address that is not in it is unknown, and asking twice is no second look.
    pub fn is_capture(&self) -> bool {
        self.is_capture
    }

    /// The path segment that was asked for since no site has it.
    pub fn probe(&self) -> Option<&str> {
        self.probe.as_deref()
    }

    /// What a discovery has to find, where the recording says so.
    pub fn expected(&self) -> Option<&Expected> {
        self.expected.as_ref()
    }

    /// Every address with an answer, sorted.
    pub fn addresses(&self) -> Vec<&SiteUrl> {
        let mut addresses: Vec<&SiteUrl> = match &self.answers {
            Answers::Routes { routes, .. } => routes.keys().collect(),
            Answers::Warc(site) => site.addresses().collect(),
        };
        addresses.sort();
        addresses
    }

    /// The answer to a GET of this address with this `Accept`, with at most `max_bytes` of body. Of several
    /// captures of an address those with the same `Accept` count, and of these the latest. Addresses that
    /// are not recorded are not reachable, but for those of a site made by hand: it says what is there.
    pub fn answer(&self, url: &SiteUrl, accept: &str, max_bytes: u64) -> Recorded {
        let known = self.known(url, accept, max_bytes).or_else(|| {
            // Whoever asks makes up a segment of their own; what was asked for then says the same.
            self.known(
                &with_probe(url, self.probe.as_deref().filter(|_| self.is_capture)?)?,
                accept,
                max_bytes,
            )
        });
        match (known, &self.answers) {
            (Some(Recorded::Response { body, .. }), _) if body.len() as u64 > max_bytes => {
                Recorded::too_large(max_bytes)
            }
            (Some(recorded), _) => recorded,
            (None, Answers::Routes { unknown, .. })
                if !self.is_capture && url.origin() == self.seed.origin() =>
            {
                unknown.clone()
            }
            (None, _) if self.is_capture => Recorded::unreachable(format!(
                "not captured: this recording holds no answer of {url}, so nothing is known of it"
            )),
            (None, _) => Recorded::unreachable(format!("{} is not part of this recording", url.origin())),
        }
    }

    fn known(&self, url: &SiteUrl, accept: &str, max_bytes: u64) -> Option<Recorded> {
        match &self.answers {
            Answers::Routes { routes, .. } => routes.get(url).cloned(),
            Answers::Warc(site) => site.answer(url, accept, max_bytes),
        }
    }
}

/// Whether a file is a WARC file by its name.
pub(crate) fn is_warc_name(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
    name.ends_with(".warc") || name.ends_with(".warc.gz")
}

/// The address with the recorded probe in place of another one.
fn with_probe(url: &SiteUrl, probe: &str) -> Option<SiteUrl> {
    let path = url.path();
    let at = path.find(PROBE)?;
    let length =
        path[at..].find(|c: char| !(c.is_ascii_alphanumeric() || c == '-')).unwrap_or(path.len() - at);
    Some(url.with_path(&format!("{}{probe}{}", &path[..at], &path[at + length..])))
}

fn recorded(
    folder: &Path,
    route: &Route,
    file_route: Option<&Recorded>,
    is_capture: bool,
) -> Result<Recorded, String> {
    if let Some(message) = &route.fail {
        if route.status.is_some() || route.body.is_some() || route.file.is_some() {
            return Err("`fail` means that no answer comes, so it can't have a status or body".to_owned());
        }
        return Ok(Recorded::Failed { kind: route.failure.unwrap_or_default(), message: message.clone() });
    }
    if route.failure.is_some() {
        return Err("`failure` says what kind of failure it is, and needs `fail`, which says why".to_owned());
    }
    let mut headers = lower_case(&route.headers);
    let mut body = match (&route.body, &route.file, file_route) {
        (Some(_), Some(_), _) => return Err("give either `body` or `file`".to_owned()),
        (Some(body), None, _) => body.clone().into_bytes(),
        (None, Some(file), _) => read(&inside(folder, file)?).map_err(|error| error.to_string())?,
        // A route that only adds a status or header fields to a file of `routes/`.
        (None, None, Some(Recorded::Response { body, headers: own, .. })) => {
            for (name, value) in own {
                headers.entry(name.clone()).or_insert_with(|| value.clone());
            }
            body.clone()
        }
        (None, None, _) => Vec::new(),
    };
    if route.gzip {
        body = gzip(&body);
    }
    let status = route.status.unwrap_or(200);
    // A slip of the pen, but nothing that a live site couldn't do.
    if !is_capture && (300..400).contains(&status) && status != 304 && !headers.contains_key("location") {
        return Err(format!("status {status} needs a location: headers = {{ location = \"/new\" }}"));
    }
    let framed = !route.unframed;
    Ok(Recorded::Response { status, headers: headers.into_iter().collect(), body, framed })
}

fn unknown(unknown: Option<Unknown>) -> Recorded {
    let Some(Unknown { status, headers, body }) = unknown else {
        let headers = vec![("content-type".to_owned(), "text/html; charset=utf-8".to_owned())];
        let body = b"<!doctype html><title>Not found</title><h1>Not found</h1>".to_vec();
        return Recorded::Response { status: 404, headers, body, framed: true };
    };
    let mut headers = lower_case(&headers);
    headers.entry("content-type".to_owned()).or_insert_with(|| "text/html; charset=utf-8".to_owned());
    let headers = headers.into_iter().collect();
    Recorded::Response { status, headers, body: body.into_bytes(), framed: true }
}

/// A path as a route names it, or a URL of another origin.
pub(crate) fn address(base: &Base, path: &str) -> Result<SiteUrl, String> {
    if !path.starts_with('/') && !path.starts_with("http") {
        return Err("a route is a path that begins with `/`, or a whole URL".to_owned());
    }
    match base.resolve(path) {
        Ok(Resolved::Web { url, fragment: None }) => Ok(url),
        Ok(Resolved::Web { .. }) => Err("a route has no fragment".to_owned()),
        Ok(Resolved::OtherScheme { scheme }) => Err(format!("{scheme}: is no web address")),
        Err(error) => Err(error.to_string()),
    }
}

/// File names stand for themselves, also where a URL would read them otherwise.
fn encoded(path: &str) -> String {
    path.replace('%', "%25").replace('?', "%3F").replace('#', "%23")
}

/// A file of the recording; nothing outside the folder can be named.
fn inside(folder: &Path, file: &str) -> Result<PathBuf, String> {
    let outside = || format!("`{file}` leads out of the recording");
    let path = folder.join(file).canonicalize().map_err(|error| format!("`{file}`: {error}"))?;
    let folder = folder.canonicalize().map_err(|error| error.to_string())?;
    if path.starts_with(&folder) { Ok(path) } else { Err(outside()) }
}

fn read(path: &Path) -> Result<Vec<u8>, RecordingError> {
    std::fs::read(path).map_err(|cause| RecordingError::Io { path: path.to_owned(), cause })
}

fn lower_case(headers: &BTreeMap<String, String>) -> BTreeMap<String, String> {
    headers.iter().map(|(name, value)| (name.to_ascii_lowercase(), value.clone())).collect()
}

/// Without time and name, so that the bytes are the same every time.
fn gzip(body: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    let written = encoder.write_all(body).and_then(|()| encoder.finish());
    written.expect("writing to memory can't fail")
}

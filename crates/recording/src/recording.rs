//! A recorded site, opened.

use std::collections::{BTreeMap, HashMap};
use std::io::Write;
use std::path::{Path, PathBuf};

use wholesite_address::{Base, Resolved, SiteUrl};

use crate::error::RecordingError;
use crate::expected::Expected;
use crate::files;
use crate::manifest::{self, Manifest, Route, Unknown};

const MANIFEST: &str = "site.toml";
const EXPECTED: &str = "expected.toml";
const ROUTES: &str = "routes";

/// A recorded site. Opening it reads everything, so that answers cannot fail and never change.
#[derive(Debug, Clone)]
pub struct Recording {
    seed: SiteUrl,
    teaches: String,
    answers: HashMap<SiteUrl, Recorded>,
    unknown: Recorded,
    expected: Option<Expected>,
}

/// What the recorded site answers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Recorded {
    /// A response.
    Response {
        /// Status code.
        status: u16,
        /// Header fields, sorted by name.
        headers: Vec<(String, String)>,
        /// The body.
        body: Vec<u8>,
    },
    /// No answer.
    Failed {
        /// Why.
        message: String,
    },
}

impl Recording {
    /// Whether a folder holds a recording: whether there is a `site.toml`.
    pub fn is_recording(folder: &Path) -> bool {
        folder.join(MANIFEST).is_file()
    }

    /// Opens a recording.
    ///
    /// # Errors
    /// A file that can't be read, a TOML file that is not in the format, a route that makes no
    /// sense, a symbolic link. Every error names the file and what would be right.
    pub fn open(folder: &Path) -> Result<Self, RecordingError> {
        let path = folder.join(MANIFEST);
        let manifest: Manifest = manifest::read(&path)?;
        let fault = |route: &str, message: String| RecordingError::Route {
            path: path.clone(),
            route: route.to_owned(),
            message,
        };
        let seed = SiteUrl::parse(&manifest.seed).map_err(|error| fault("seed", error.to_string()))?;
        let base = Base::of(&seed);
        let mut answers = HashMap::new();
        for served in files::list(&folder.join(ROUTES), manifest.clean_urls)? {
            let url =
                address(&base, &encoded(&served.url_path)).map_err(|why| fault(&served.url_path, why))?;
            let body = read(&served.file)?;
            let mut headers = lower_case(&manifest.headers);
            headers.insert("content-type".to_owned(), served.content_type.to_owned());
            answers.insert(
                url,
                Recorded::Response { status: 200, headers: headers.into_iter().collect(), body },
            );
        }
        let mut special: HashMap<SiteUrl, ()> = HashMap::new();
        for route in &manifest.route {
            let url = address(&base, &route.path).map_err(|why| fault(&route.path, why))?;
            if special.insert(url.clone(), ()).is_some() {
                return Err(fault(&route.path, "this address has two routes; keep one of them".to_owned()));
            }
            let recorded =
                recorded(folder, route, answers.get(&url)).map_err(|why| fault(&route.path, why))?;
            answers.insert(url, recorded);
        }
        let expected_path = folder.join(EXPECTED);
        let expected = if expected_path.is_file() { Some(manifest::read(&expected_path)?) } else { None };
        let unknown = unknown(manifest.unknown);
        Ok(Recording { seed, teaches: manifest.teaches, answers, unknown, expected })
    }

    /// Where a discovery starts.
    pub fn seed(&self) -> &SiteUrl {
        &self.seed
    }

    /// One line on what this site is there to show.
    pub fn teaches(&self) -> &str {
        &self.teaches
    }

    /// What a discovery has to find, where the recording says so.
    pub fn expected(&self) -> Option<&Expected> {
        self.expected.as_ref()
    }

    /// Every address with a route, sorted.
    pub fn addresses(&self) -> Vec<&SiteUrl> {
        let mut addresses: Vec<&SiteUrl> = self.answers.keys().collect();
        addresses.sort();
        addresses
    }

    /// The answer to a GET of this address. Addresses of other origins without a route are not
    /// reachable.
    pub fn answer(&self, url: &SiteUrl) -> Recorded {
        match self.answers.get(url) {
            Some(recorded) => recorded.clone(),
            None if url.origin() == self.seed.origin() => self.unknown.clone(),
            None => Recorded::Failed { message: format!("{} is not part of this recording", url.origin()) },
        }
    }
}

fn recorded(folder: &Path, route: &Route, file_route: Option<&Recorded>) -> Result<Recorded, String> {
    if let Some(message) = &route.fail {
        if route.status.is_some() || route.body.is_some() || route.file.is_some() {
            return Err("`fail` means that no answer comes, so it can't have a status or body".to_owned());
        }
        return Ok(Recorded::Failed { message: message.clone() });
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
    if (300..400).contains(&status) && status != 304 && !headers.contains_key("location") {
        return Err(format!("status {status} needs a location: headers = {{ location = \"/new\" }}"));
    }
    Ok(Recorded::Response { status, headers: headers.into_iter().collect(), body })
}

fn unknown(unknown: Option<Unknown>) -> Recorded {
    let Some(Unknown { status, headers, body }) = unknown else {
        let headers = vec![("content-type".to_owned(), "text/html; charset=utf-8".to_owned())];
        let body = b"<!doctype html><title>Not found</title><h1>Not found</h1>".to_vec();
        return Recorded::Response { status: 404, headers, body };
    };
    let mut headers = lower_case(&headers);
    headers.entry("content-type".to_owned()).or_insert_with(|| "text/html; charset=utf-8".to_owned());
    Recorded::Response { status, headers: headers.into_iter().collect(), body: body.into_bytes() }
}

/// A path as a route names it, or a URL of another origin.
fn address(base: &Base, path: &str) -> Result<SiteUrl, String> {
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

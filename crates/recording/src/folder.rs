//! Writing a recorded-site folder from what a live site answers.

use std::collections::{BTreeMap, HashSet};
use std::io;
use std::path::{Path, PathBuf};

use wholesite_address::{Base, SiteUrl};

use crate::manifest::{Manifest, Route};
use crate::new::{Begin, Given};
use crate::recording::{MANIFEST, Recorded, address};

/// Where the bodies lie. Under `routes/` two addresses could need one name as a file and as a folder.
const BODIES: &str = "bodies";
/// The longest part of an address that becomes part of a file name.
const NAME: usize = 40;

#[derive(Debug)]
pub(crate) struct FolderWriter {
    folder: PathBuf,
    base: Base,
    origin: String,
    manifest: Manifest,
    written: HashSet<SiteUrl>,
}

impl FolderWriter {
    pub(crate) fn create(folder: &Path, begin: &Begin<'_>) -> io::Result<Self> {
        std::fs::create_dir(folder)?;
        std::fs::create_dir(folder.join(BODIES))?;
        let manifest = Manifest {
            seed: begin.seed.as_str().to_owned(),
            captured: Some(begin.date.strftime("%Y-%m-%dT%H:%M:%SZ").to_string()),
            probe: Some(begin.probe.to_owned()),
            ..Manifest::default()
        };
        Ok(FolderWriter {
            folder: folder.to_owned(),
            base: Base::of(begin.seed),
            origin: begin.seed.origin().to_owned(),
            manifest,
            written: HashSet::new(),
        })
    }

    /// An address has one answer here: the first.
    pub(crate) fn add(&mut self, given: &Given<'_>) -> io::Result<()> {
        if !self.written.insert(given.url.clone()) {
            return Ok(());
        }
        let mut route = Route { path: self.path(given.url), ..Route::default() };
        match given.recorded {
            Recorded::Failed { kind, message } => {
                route.fail = Some(message.clone());
                route.failure = Some(*kind);
            }
            Recorded::Response { status, headers, body, framed } => {
                route.status = Some(*status).filter(|status| *status != 200);
                route.headers = joined(headers);
                route.unframed = !framed;
                if !body.is_empty() {
                    let file = format!("{BODIES}/{}", self.name(given.url));
                    std::fs::write(self.folder.join(&file), body)?;
                    route.file = Some(file);
                }
            }
        }
        self.manifest.route.push(route);
        Ok(())
    }

    pub(crate) fn finish(mut self) -> io::Result<()> {
        self.manifest.route.sort_by(|a, b| a.path.cmp(&b.path));
        let text = toml::to_string(&self.manifest).map_err(io::Error::other)?;
        std::fs::write(self.folder.join(MANIFEST), text)
    }

    /// The path, where it leads back to the address, else all of it.
    fn path(&self, url: &SiteUrl) -> String {
        let path = url.path_and_query();
        let leads_back = url.origin() == self.origin && address(&self.base, path).as_ref() == Ok(url);
        if leads_back { path.to_owned() } else { url.as_str().to_owned() }
    }

    fn name(&self, url: &SiteUrl) -> String {
        let plain = |c: char| if c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_') { c } else { '-' };
        let segment = url.path().trim_end_matches('/').rsplit('/').next().unwrap_or_default();
        let tail: Vec<char> = segment.chars().map(plain).collect();
        let tail: String = tail[tail.len().saturating_sub(NAME)..].iter().collect();
        let number = self.manifest.route.len() + 1;
        if tail.is_empty() { format!("{number:05}") } else { format!("{number:05}-{tail}") }
    }
}

/// Several fields of one name are one list (RFC 9110 §5.3).
fn joined(headers: &[(String, String)]) -> BTreeMap<String, String> {
    let mut joined: BTreeMap<String, String> = BTreeMap::new();
    for (name, value) in headers {
        joined
            .entry(name.clone())
            .and_modify(|all| {
                all.push_str(", ");
                all.push_str(value);
            })
            .or_insert_with(|| value.clone());
    }
    joined
}

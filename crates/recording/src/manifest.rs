//! `site.toml` as written.

use std::collections::BTreeMap;
use std::path::Path;

use serde::Deserialize;

use crate::error::RecordingError;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Manifest {
    /// Where a discovery starts.
    pub(crate) seed: String,
    /// One line on what this site is there to show.
    #[serde(default)]
    pub(crate) teaches: String,
    /// `routes/guide.html` answers `/guide` instead of `/guide.html`.
    #[serde(default)]
    pub(crate) clean_urls: bool,
    /// Header fields that every file of `routes/` is served with.
    #[serde(default)]
    pub(crate) headers: BTreeMap<String, String>,
    /// The answer to every path without a route.
    #[serde(default)]
    pub(crate) unknown: Option<Unknown>,
    /// Routes that are no plain file.
    #[serde(default)]
    pub(crate) route: Vec<Route>,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Unknown {
    pub(crate) status: u16,
    #[serde(default)]
    pub(crate) headers: BTreeMap<String, String>,
    #[serde(default)]
    pub(crate) body: String,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Route {
    /// A path with its query, or a URL of another origin.
    pub(crate) path: String,
    #[serde(default)]
    pub(crate) status: Option<u16>,
    #[serde(default)]
    pub(crate) headers: BTreeMap<String, String>,
    /// The body as text …
    #[serde(default)]
    pub(crate) body: Option<String>,
    /// … or from a file of the recording (not under `routes/`).
    #[serde(default)]
    pub(crate) file: Option<String>,
    /// No answer comes; this is why.
    #[serde(default)]
    pub(crate) fail: Option<String>,
    /// The body goes out as a gzip file.
    #[serde(default)]
    pub(crate) gzip: bool,
}

/// Reads a TOML file of a recording.
pub(crate) fn read<T: for<'de> Deserialize<'de>>(path: &Path) -> Result<T, RecordingError> {
    let text =
        std::fs::read_to_string(path).map_err(|cause| RecordingError::Io { path: path.to_owned(), cause })?;
    toml::from_str(&text).map_err(|error| RecordingError::Toml {
        path: path.to_owned(),
        message: error.to_string().trim_end().to_owned(),
    })
}

//! `site.toml` as written.

use std::collections::BTreeMap;
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::error::RecordingError;
use crate::recording::FailureKind;

#[derive(Debug, Default, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Manifest {
    /// Where a discovery starts.
    pub(crate) seed: String,
    /// One line on what this site is there to show.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub(crate) teaches: String,
    /// When a live site was captured. What has no route was not asked then, and nobody knows it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) captured: Option<String>,
    /// The path segment that was asked for since no site has it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) probe: Option<String>,
    /// `routes/guide.html` answers `/guide` instead of `/guide.html`.
    #[serde(default, skip_serializing_if = "is_false")]
    pub(crate) clean_urls: bool,
    /// Header fields that every file of `routes/` is served with.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub(crate) headers: BTreeMap<String, String>,
    /// The answer to every path without a route.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) unknown: Option<Unknown>,
    /// Routes that are no plain file.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) route: Vec<Route>,
}

#[derive(Debug, Clone, Default, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Unknown {
    pub(crate) status: u16,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub(crate) headers: BTreeMap<String, String>,
    #[serde(default)]
    pub(crate) body: String,
}

#[derive(Debug, Clone, Default, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Route {
    /// A path with its query, or a URL of another origin.
    pub(crate) path: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) status: Option<u16>,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub(crate) headers: BTreeMap<String, String>,
    /// The body as text …
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) body: Option<String>,
    /// … or from a file of the recording (not under `routes/`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) file: Option<String>,
    /// No answer comes; this is why.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) fail: Option<String>,
    /// What kind of failure that is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) failure: Option<FailureKind>,
    /// Nothing vouches for the end of the body.
    #[serde(default, skip_serializing_if = "is_false")]
    pub(crate) unframed: bool,
    /// The body goes out as a gzip file.
    #[serde(default, skip_serializing_if = "is_false")]
    pub(crate) gzip: bool,
}

fn is_false(value: &bool) -> bool {
    !value
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

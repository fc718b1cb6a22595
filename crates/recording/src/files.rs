//! The files under `routes/`, and the addresses that they answer.

use std::path::{Path, PathBuf};

use crate::error::RecordingError;

/// One file with the path it is served under.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Served {
    pub(crate) url_path: String,
    pub(crate) file: PathBuf,
    pub(crate) content_type: &'static str,
}

/// Lists `routes/`, sorted by path. `index.html` answers its folder's address with a slash; with
/// `clean_urls`, `guide.html` answers `/guide`.
pub(crate) fn list(routes: &Path, clean_urls: bool) -> Result<Vec<Served>, RecordingError> {
    let mut served = Vec::new();
    if !routes.exists() {
        return Ok(served);
    }
    let mut open = vec![(routes.to_owned(), String::from("/"))];
    while let Some((folder, prefix)) = open.pop() {
        let io = |cause| RecordingError::Io { path: folder.clone(), cause };
        for entry in std::fs::read_dir(&folder).map_err(io)? {
            let entry = entry.map_err(io)?;
            let kind = entry.file_type().map_err(io)?;
            let name = entry.file_name().to_string_lossy().into_owned();
            if kind.is_symlink() {
                return Err(RecordingError::Link { path: entry.path() });
            } else if kind.is_dir() {
                open.push((entry.path(), format!("{prefix}{name}/")));
            } else {
                let url_path = url_path(&prefix, &name, clean_urls);
                served.push(Served { url_path, content_type: content_type(&name), file: entry.path() });
            }
        }
    }
    served.sort_by(|a, b| a.url_path.cmp(&b.url_path));
    Ok(served)
}

fn url_path(prefix: &str, name: &str, clean_urls: bool) -> String {
    match name.strip_suffix(".html") {
        Some("index") => prefix.to_owned(),
        Some(stem) if clean_urls => format!("{prefix}{stem}"),
        _ => format!("{prefix}{name}"),
    }
}

fn content_type(name: &str) -> &'static str {
    match name.rsplit('.').next().unwrap_or_default() {
        "html" => "text/html; charset=utf-8",
        "md" | "mdx" => "text/markdown; charset=utf-8",
        "txt" => "text/plain; charset=utf-8",
        "xml" => "application/xml",
        "json" => "application/json",
        "yaml" | "yml" => "application/yaml",
        "gz" => "application/gzip",
        "pdf" => "application/pdf",
        "svg" => "image/svg+xml",
        "png" => "image/png",
        _ => "application/octet-stream",
    }
}

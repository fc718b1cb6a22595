//! Where the tests find what they read.

use std::path::{Path, PathBuf};

/// The root of the workspace.
pub fn workspace() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// The recorded sites that ship with the project.
pub fn recordings() -> PathBuf {
    workspace().join("corpora")
}

/// Documentation trees of others, which are not part of the project: `WHOLESITE_CORPORA`, by
/// default a folder beside the workspace. `None`, said aloud, where they are absent.
pub fn corpora() -> Option<PathBuf> {
    let folder = match std::env::var_os("WHOLESITE_CORPORA") {
        Some(folder) => PathBuf::from(folder),
        None => workspace().join("../shared/corpora"),
    };
    if folder.is_dir() {
        return Some(folder);
    }
    println!("SKIPPED: no corpora at {} (set WHOLESITE_CORPORA)", folder.display());
    None
}

/// A file beside the corpora.
pub fn beside_corpora(name: &str) -> Option<PathBuf> {
    let path = corpora()?.join("..").join(name);
    if path.exists() {
        return Some(path);
    }
    println!("SKIPPED: there is no {}", path.display());
    None
}

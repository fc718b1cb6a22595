//! Where the files of a site are, and the few ways in which they are touched.
//!
//! Nothing below the root is ever reached through a symbolic link: whoever can plant one could else
//! make us write or delete anywhere. Each component is looked at before a write. Somebody who swaps
//! a folder for a link in the very instant between look and write is not kept out by that; on a
//! folder that hostile users can write to, no program that works by paths is safe.

use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};

use wholesite_store::{SiteKey, StoreError};

use crate::error;
use crate::names::{OWN, site_folder};

/// The folder of a site.
#[derive(Debug, Clone)]
pub(crate) struct Place {
    folder: PathBuf,
}

impl Place {
    pub(crate) fn of(root: &Path, site: &SiteKey) -> Self {
        Place { folder: root.join(site_folder(site)) }
    }

    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    /// A file or folder among those that are not for people.
    pub(crate) fn own(&self, name: &str) -> PathBuf {
        self.own_folder().join(name)
    }

    /// The folder of what is not for people.
    pub(crate) fn own_folder(&self) -> PathBuf {
        self.folder.join(OWN)
    }

    pub(crate) fn journal(&self) -> PathBuf {
        self.own("journal.ndjson")
    }

    pub(crate) fn snapshot(&self) -> PathBuf {
        self.own("manifest.json")
    }

    pub(crate) fn texts(&self) -> PathBuf {
        self.own("texts")
    }

    pub(crate) fn text(&self, revision: u64) -> PathBuf {
        self.texts().join(format!("{revision}.md"))
    }

    /// For files that are not finished. Beside what they become, in the same file system, rather than
    /// among the pages: so a killed process leaves nothing there.
    pub(crate) fn unfinished(&self) -> PathBuf {
        self.own("unfinished")
    }

    /// # Errors
    /// [`StoreError::Unusable`] where one of our own files or folders is a link.
    pub(crate) fn check_own(&self) -> Result<(), StoreError> {
        let names = [
            "texts",
            "unfinished",
            "journal.ndjson",
            "manifest.json",
            "site.json",
            "lease.json",
            "lease.lock",
            "write.lock",
        ];
        no_link(&self.folder)?;
        no_link(&self.own_folder())?;
        names.iter().try_for_each(|name| no_link(&self.own(name)))
    }

    /// Replaces one of our own files: readers see the old one or the new one.
    pub(crate) fn replace(&self, path: &Path, content: &[u8]) -> Result<(), StoreError> {
        let name = path.file_name().unwrap_or_default();
        let unfinished = self.unfinished().join(name);
        write_new(&unfinished, content, true)
            .and_then(|()| fs::rename(&unfinished, path))
            .and_then(|()| sync_folder(&self.own_folder()))
            .map_err(|cause| error::of(path, &cause))
    }

    /// Every component of a page's file, the folders first.
    pub(crate) fn components(&self, file: &str) -> impl Iterator<Item = PathBuf> {
        let mut path = self.folder.clone();
        let names: Vec<String> = file.split('/').map(str::to_owned).collect();
        names.into_iter().map(move |name| {
            path.push(name);
            path.clone()
        })
    }

    /// # Errors
    /// [`StoreError::Unusable`] where the way to a page's file leads through a link.
    pub(crate) fn check_way(&self, file: &str) -> Result<(), StoreError> {
        self.components(file).try_for_each(|path| no_link(&path))
    }
}

/// # Errors
/// [`StoreError::Unusable`] where this is a link.
pub(crate) fn no_link(path: &Path) -> Result<(), StoreError> {
    match fs::symlink_metadata(path) {
        Ok(found) if found.file_type().is_symlink() => Err(error::link(path)),
        _ => Ok(()),
    }
}

/// Writes a file that is not there; what is there goes first. It is never written through a link.
pub(crate) fn write_new(path: &Path, content: &[u8], durably: bool) -> io::Result<()> {
    let open = || OpenOptions::new().write(true).create_new(true).open(path);
    let mut file = match open() {
        Err(cause) if cause.kind() == ErrorKind::AlreadyExists => {
            fs::remove_file(path)?;
            open()?
        }
        opened => opened?,
    };
    file.write_all(content)?;
    if durably { file.sync_all() } else { Ok(()) }
}

/// Makes the names in a folder durable, where systems know of that.
pub(crate) fn sync_folder(path: &Path) -> io::Result<()> {
    if cfg!(unix) { File::open(path)?.sync_all() } else { Ok(()) }
}

/// The content of a file; `None` where there is none.
pub(crate) fn read_if_there(path: &Path) -> Result<Option<Vec<u8>>, StoreError> {
    match fs::read(path) {
        Ok(content) => Ok(Some(content)),
        Err(cause) if is_missing(&cause) => Ok(None),
        Err(cause) => Err(error::of(path, &cause)),
    }
}

pub(crate) fn is_missing(cause: &io::Error) -> bool {
    matches!(cause.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory)
}

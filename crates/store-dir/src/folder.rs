//! The folder of a store, and the folders of its sites: made, and told from other folders.

use std::fs::{self, DirEntry};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use wholesite_store::{SiteKey, StoreError};

use crate::error;
use crate::names::{OWN, site_folder};
use crate::place::{Place, no_link, read_if_there, sync_folder, write_new};
use crate::snapshot::FORMAT;

/// What marks the folder of a store.
#[derive(Serialize, Deserialize)]
struct Mark {
    format: u32,
    about: String,
}

/// What marks the folder of a site.
#[derive(Serialize, Deserialize)]
struct SiteMark {
    format: u32,
    site: String,
}

/// Makes a store, or finds one; returns the folder by a path that leads through no links.
pub(crate) fn make(root: &Path) -> Result<PathBuf, StoreError> {
    if root.as_os_str().is_empty() {
        return Err(error::unusable(root, "no folder is named"));
    }
    fs::create_dir_all(root).map_err(|cause| error::of(root, &cause))?;
    let root = &canonical(root)?;
    let own = root.join(OWN);
    no_link(&own)?;
    if is_marked(root)? {
        return Ok(root.clone());
    }
    // A process that died while it made a store leaves our own folder at most.
    if entries(root)?.iter().any(|entry| entry.file_name() != OWN) {
        let what = "it holds other files, which a store must not be mixed with; name an empty folder";
        return Err(error::unusable(root, what));
    }
    let about = "A folder of wholesite: each site has a folder, each page of it a Markdown file.";
    let mark = Mark { format: FORMAT, about: about.to_owned() };
    make_folder(&own)?;
    write_mark(&own, "store.json", &mark)?;
    Ok(root.clone())
}

/// Finds a store, and makes none.
pub(crate) fn find(root: &Path) -> Result<PathBuf, StoreError> {
    if !root.is_dir() {
        return Err(error::unusable(root, "there is no such folder; `wholesite sync` makes one"));
    }
    let root = canonical(root)?;
    if is_marked(&root)? { Ok(root) } else { Err(error::unusable(&root, "it is not a folder of wholesite")) }
}

fn canonical(root: &Path) -> Result<PathBuf, StoreError> {
    fs::canonicalize(root).map_err(|cause| error::of(root, &cause))
}

fn is_marked(root: &Path) -> Result<bool, StoreError> {
    let path = root.join(OWN).join("store.json");
    let Some(content) = read_if_there(&path)? else { return Ok(false) };
    let mark: Mark = serde_json::from_slice(&content).map_err(|cause| error::damaged(&path, cause))?;
    known(&path, mark.format).map(|()| true)
}

fn known(path: &Path, found: u32) -> Result<(), StoreError> {
    if found <= FORMAT {
        Ok(())
    } else {
        Err(StoreError::TooNew { place: path.to_owned(), found, known: FORMAT })
    }
}

/// Makes the folder of a site, or finds it.
pub(crate) fn make_site(place: &Place, key: &SiteKey) -> Result<(), StoreError> {
    no_link(place.folder())?;
    if !is_site(place, key)? {
        let own = place.own_folder();
        if place.folder().is_dir() && !own.is_dir() && !entries(place.folder())?.is_empty() {
            let what = "it holds other files, and a site is to go there; move it away and run again";
            return Err(error::unusable(place.folder(), what));
        }
        make_folder(place.folder())?;
        no_link(&own)?;
        for folder in [own.clone(), place.texts(), place.unfinished()] {
            make_folder(&folder)?;
        }
        write_mark(&own, "site.json", &SiteMark { format: FORMAT, site: key.to_string() })?;
        let parent = place.folder().parent().unwrap_or(place.folder());
        for folder in [place.folder(), parent] {
            sync_folder(folder).map_err(|cause| error::of(folder, &cause))?;
        }
    }
    place.check_own()?;
    // Empty folders get lost where people keep a store in Git.
    make_folder(&place.texts()).and_then(|()| make_folder(&place.unfinished()))
}

/// Whether the folder of a site is there.
pub(crate) fn is_site(place: &Place, key: &SiteKey) -> Result<bool, StoreError> {
    match read_mark(place.folder())? {
        None => Ok(false),
        Some(found) if found == *key => Ok(true),
        Some(found) => {
            Err(error::unusable(place.folder(), format!("it holds the site {found} and not {key}")))
        }
    }
}

fn read_mark(folder: &Path) -> Result<Option<SiteKey>, StoreError> {
    let path = folder.join(OWN).join("site.json");
    let Some(content) = read_if_there(&path)? else { return Ok(None) };
    let mark: SiteMark = serde_json::from_slice(&content).map_err(|cause| error::damaged(&path, cause))?;
    known(&path, mark.format)?;
    SiteKey::parse(&mark.site).map(Some).map_err(|cause| error::damaged(&path, cause))
}

/// The sites of a store, sorted.
pub(crate) fn sites(root: &Path) -> Result<Vec<SiteKey>, StoreError> {
    let mut sites = Vec::new();
    for entry in entries(root)? {
        if entry.file_type().is_ok_and(|kind| kind.is_dir())
            && let Some(site) = read_mark(&entry.path())?
            // A copy that somebody made of a site's folder is no site.
            && entry.file_name() == site_folder(&site).as_str()
        {
            sites.push(site);
        }
    }
    sites.sort();
    Ok(sites)
}

fn entries(folder: &Path) -> Result<Vec<DirEntry>, StoreError> {
    let read = fs::read_dir(folder).and_then(Iterator::collect::<io::Result<Vec<DirEntry>>>);
    read.map_err(|cause| error::of(folder, &cause))
}

fn make_folder(path: &Path) -> Result<(), StoreError> {
    match fs::create_dir(path) {
        Err(cause) if cause.kind() == ErrorKind::AlreadyExists && path.is_dir() => Ok(()),
        made => made.map_err(|cause| error::of(path, &cause)),
    }
}

/// Writes a mark such that it is there whole, or not; several may do so at once.
fn write_mark(own: &Path, name: &str, mark: &impl Serialize) -> Result<(), StoreError> {
    let path = own.join(name);
    let text = serde_json::to_string_pretty(mark).map_err(|cause| StoreError::Io(cause.to_string()))?;
    let thread = format!("{:?}", std::thread::current().id()).replace(['(', ')'], "-");
    let unfinished = own.join(format!("{name}.{}-{thread}unfinished", std::process::id()));
    write_new(&unfinished, (text + "\n").as_bytes(), true)
        .and_then(|()| fs::rename(&unfinished, &path))
        .and_then(|()| sync_folder(own))
        .map_err(|cause| error::of(&path, &cause))
}

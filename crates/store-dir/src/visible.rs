//! The files for people: one for each live page, with exactly its text.
//!
//! They follow what the journal says, and are put right when they do not, so people can delete or
//! change them without harm. They are copies of the kept texts rather than hard links, since an
//! editor that writes in place would change the kept text as well.
//!
//! What this store did not write is never overwritten or deleted: where a page must go, such a file
//! or folder is moved aside, from `setup.md` to `setup.md.orig-1`.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs::{self, Metadata};
use std::path::{Path, PathBuf};

use wholesite_store::{Digest, StoreError};

use crate::manifest::Manifest;
use crate::place::{Place, is_missing, write_new};
use crate::step::TextId;
use crate::{error, texts};

/// Files that are ready to be put in place: what needs room on the disk is done before a batch is
/// committed, so that a full disk stops it as a whole.
#[derive(Debug, Default)]
pub(crate) struct Ready {
    put: Vec<(String, PathBuf)>,
    remove: Vec<String>,
}

/// Makes ready what the manifest now says of some files. `new` are texts that need not be read again.
pub(crate) fn prepare(
    place: &Place,
    manifest: &Manifest,
    touched: &BTreeSet<String>,
    new: &[(u64, String)],
) -> Result<Ready, StoreError> {
    let mut ready = Ready::default();
    for file in touched {
        place.check_way(file)?;
        let Some(live) = manifest.live_in(file) else {
            ready.remove.push(file.clone());
            continue;
        };
        let id = TextId::of(&live.record);
        let known = new.iter().find(|(revision, _)| *revision == id.revision).map(|(_, text)| text);
        let unfinished = match known {
            Some(text) => write_unfinished(place, ready.put.len(), text)?,
            None => write_unfinished(place, ready.put.len(), &texts::must_read(place, id)?)?,
        };
        ready.put.push((file.clone(), unfinished));
    }
    Ok(ready)
}

fn write_unfinished(place: &Place, number: usize, text: &str) -> Result<PathBuf, StoreError> {
    let path = place.unfinished().join(format!("{number}.md"));
    // Not synced: what a power cut takes is put right from the kept text.
    write_new(&path, text.as_bytes(), false).map_err(|cause| error::of(&path, &cause))?;
    Ok(path)
}

/// Puts files in place. Those that go come first: their names may be wanted.
pub(crate) fn install(place: &Place, manifest: &Manifest, ready: Ready) -> Result<(), StoreError> {
    for file in &ready.remove {
        take_away(place, manifest, file)?;
    }
    for (file, unfinished) in &ready.put {
        put(place, manifest, file, unfinished)?;
    }
    Ok(())
}

/// Makes the files as the manifest says, after a process died halfway or people changed them.
pub(crate) fn repair(place: &Place, manifest: &Manifest) -> Result<(), StoreError> {
    for file in manifest.wrote.keys().filter(|file| manifest.live_in(file).is_none()) {
        take_away(place, manifest, file)?;
    }
    for live in manifest.pages.values() {
        place.check_way(&live.file)?;
        if digest_at(&target(place, &live.file)) != Some(live.record.digest) {
            let text = texts::must_read(place, TextId::of(&live.record))?;
            put(place, manifest, &live.file, &write_unfinished(place, 0, &text)?)?;
        }
    }
    clear_unfinished(place)
}

/// Removes what was made ready and never put in place.
pub(crate) fn clear_unfinished(place: &Place) -> Result<(), StoreError> {
    let folder = place.unfinished();
    for entry in fs::read_dir(&folder).map_err(|cause| error::of(&folder, &cause))?.flatten() {
        let path = entry.path();
        fs::remove_file(&path).map_err(|cause| error::of(&path, &cause))?;
    }
    Ok(())
}

fn target(place: &Place, file: &str) -> PathBuf {
    place.folder().join(file)
}

/// The digest of a text file, if it is one.
fn digest_at(path: &Path) -> Option<Digest> {
    fs::read(path).ok().and_then(|content| Some(Digest::of(std::str::from_utf8(&content).ok()?)))
}

/// Whether what stands somewhere is a file that this store left there.
fn is_ours(manifest: &Manifest, file: &str, path: &Path, found: &Metadata) -> bool {
    // A power cut may leave a file without content, or zeros in its place.
    let is_blank = || fs::read(path).is_ok_and(|content| content.iter().all(|&byte| byte == 0));
    found.is_file()
        && (digest_at(path).is_some_and(|digest| manifest.has_written(file, &digest)) || is_blank())
}

fn take_away(place: &Place, manifest: &Manifest, file: &str) -> Result<(), StoreError> {
    place.check_way(file)?;
    let path = target(place, file);
    match look(&path)? {
        Some(found) if is_ours(manifest, file, &path, &found) => {
            fs::remove_file(&path).map_err(|cause| error::of(&path, &cause))?;
        }
        // Changed by somebody: kept, but not under the name of a page that is no more.
        Some(found) if found.is_file() => move_aside(&path)?,
        _ => {}
    }
    remove_empty_folders(place, file);
    Ok(())
}

/// Removes the folders of a file that are empty now; a folder that is not refuses to go.
fn remove_empty_folders(place: &Place, file: &str) {
    let mut folders: Vec<PathBuf> = place.components(file).collect();
    folders.pop();
    for folder in folders.iter().rev() {
        if fs::remove_dir(folder).is_err_and(|cause| !is_missing(&cause)) {
            break;
        }
    }
}

fn put(place: &Place, manifest: &Manifest, file: &str, unfinished: &Path) -> Result<(), StoreError> {
    let mut components: Vec<PathBuf> = place.components(file).collect();
    components.pop();
    for folder in components {
        match look(&folder)? {
            Some(found) if found.is_dir() => continue,
            Some(_) => move_aside(&folder)?,
            None => {}
        }
        fs::create_dir(&folder).map_err(|cause| error::of(&folder, &cause))?;
    }
    let path = target(place, file);
    if let Some(found) = look(&path)?
        && !is_ours(manifest, file, &path, &found)
    {
        move_aside(&path)?;
    }
    fs::rename(unfinished, &path).map_err(|cause| error::of(&path, &cause))
}

/// What stands somewhere, which must not be a link.
fn look(path: &Path) -> Result<Option<Metadata>, StoreError> {
    match fs::symlink_metadata(path) {
        Ok(found) if found.is_symlink() => Err(error::link(path)),
        Ok(found) => Ok(Some(found)),
        Err(cause) if is_missing(&cause) => Ok(None),
        Err(cause) => Err(error::of(path, &cause)),
    }
}

fn move_aside(path: &Path) -> Result<(), StoreError> {
    for number in 1_u32.. {
        let mut name = OsString::from(path.as_os_str());
        name.push(format!(".orig-{number}"));
        let free = PathBuf::from(name);
        if fs::symlink_metadata(&free).is_err_and(|cause| is_missing(&cause)) {
            return fs::rename(path, &free).map_err(|cause| error::of(path, &cause));
        }
    }
    Ok(())
}

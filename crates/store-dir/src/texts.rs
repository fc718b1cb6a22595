//! The texts that are kept, each in a file of its own that is never changed.

use std::fs;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use wholesite_store::{Digest, StoreError};

use crate::error;
use crate::manifest::Manifest;
use crate::place::{Place, is_missing, read_if_there, sync_folder, write_new};
use crate::step::TextId;

/// Threads that wait for the disk at once. Most systems write what several wait for together.
const THREADS: usize = 4;

/// Writes texts by their revisions, durably.
pub(crate) fn write(place: &Place, texts: &[(u64, String)]) -> Result<(), StoreError> {
    if texts.is_empty() {
        return Ok(());
    }
    let next = AtomicUsize::new(0);
    let failed = Mutex::new(None);
    let work = || {
        while let Some((revision, text)) = texts.get(next.fetch_add(1, Ordering::Relaxed)) {
            let path = place.text(*revision);
            if let Err(cause) = write_new(&path, text.as_bytes(), true) {
                if let Ok(mut failed) = failed.lock() {
                    *failed = Some(error::of(&path, &cause));
                }
                return;
            }
        }
    };
    if texts.len() == 1 {
        work();
    } else {
        std::thread::scope(|scope| {
            for _ in 0..THREADS.min(texts.len()) {
                scope.spawn(work);
            }
        });
    }
    if let Some(error) = failed.into_inner().unwrap_or_default() {
        return Err(error);
    }
    sync_folder(&place.texts()).map_err(|cause| error::of(&place.texts(), &cause))
}

/// A text; `None` where it is not there or not as it was written, as when it was forgotten meanwhile.
pub(crate) fn read(place: &Place, id: TextId) -> Result<Option<String>, StoreError> {
    let Some(content) = read_if_there(&place.text(id.revision))? else { return Ok(None) };
    Ok(String::from_utf8(content).ok().filter(|text| Digest::of(text) == id.digest))
}

/// A text that must be there.
pub(crate) fn must_read(place: &Place, id: TextId) -> Result<String, StoreError> {
    read(place, id)?
        .ok_or_else(|| error::damaged(&place.text(id.revision), "it is missing, or not as it was written"))
}

/// Removes a text that nothing uses.
pub(crate) fn remove(place: &Place, revision: u64) -> Result<(), StoreError> {
    let path = place.text(revision);
    match fs::remove_file(&path) {
        Err(cause) if !is_missing(&cause) => Err(error::of(&path, &cause)),
        _ => Ok(()),
    }
}

/// Removes what a process that died wrote, or was to remove.
pub(crate) fn tidy(place: &Place, manifest: &Manifest) -> Result<(), StoreError> {
    let folder = place.texts();
    let kept = manifest.revisions();
    let entries = fs::read_dir(&folder).map_err(|cause| error::of(&folder, &cause))?;
    for entry in entries.flatten() {
        let name = entry.file_name();
        let revision = name.to_str().and_then(|name| name.strip_suffix(".md")).and_then(|n| n.parse().ok());
        if let Some(revision) = revision.filter(|revision| !kept.contains(revision)) {
            remove(place, revision)?;
        }
    }
    Ok(())
}

//! Reading, which goes by the manifest and the kept texts: whatever happens to the files for people,
//! and while a run writes, a page is read whole and of one revision.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use wholesite_address::StorePath;
use wholesite_store::{Page, Query, Record, Revision, SiteKey, StoreError, Trashed};

use crate::manifest::Manifest;
use crate::place::Place;
use crate::search::Search;
use crate::step::TextId;
use crate::tail::Tail;
use crate::{error, folder, texts};

/// What this process knows of the sites, each brought up to date before it is read.
#[derive(Debug)]
pub(crate) struct Readers {
    root: PathBuf,
    sites: Mutex<HashMap<SiteKey, Arc<Mutex<Tail>>>>,
}

/// How often a text is looked for whose revision is forgotten meanwhile.
const ATTEMPTS: usize = 10;

impl Readers {
    pub(crate) fn new(root: PathBuf) -> Self {
        Readers { root, sites: Mutex::default() }
    }

    pub(crate) fn root(&self) -> &Path {
        &self.root
    }

    /// Reads a manifest; one of a site that is not there is empty.
    pub(crate) fn read<T>(&self, site: &SiteKey, read: impl FnOnce(&Manifest) -> T) -> Result<T, StoreError> {
        let known = lock(&self.sites).get(site).cloned();
        let tail = match known {
            Some(tail) => tail,
            None => {
                let place = Place::of(&self.root, site);
                if !folder::is_site(&place, site)? {
                    return Ok(read(&Manifest::default()));
                }
                Arc::clone(
                    lock(&self.sites)
                        .entry(site.clone())
                        .or_insert_with(|| Arc::new(Mutex::new(Tail::new(place)))),
                )
            }
        };
        let mut tail = lock(&tail);
        tail.refresh()?;
        Ok(read(tail.manifest()))
    }

    /// Reads something with its text.
    fn read_with_text<T>(
        &self,
        site: &SiteKey,
        read: impl Fn(&Manifest) -> Option<(T, TextId)>,
    ) -> Result<Option<(T, String)>, StoreError> {
        let place = Place::of(&self.root, site);
        let mut attempt = 1;
        loop {
            let Some((found, id)) = self.read(site, &read)? else { return Ok(None) };
            match texts::read(&place, id)? {
                Some(text) => return Ok(Some((found, text))),
                // It was replaced and forgotten meanwhile; the manifest says so by now.
                None if attempt < ATTEMPTS => attempt += 1,
                None => {
                    let what = "it is missing, or not as it was written";
                    return Err(error::damaged(&place.text(id.revision), what));
                }
            }
            if let Some(tail) = lock(&self.sites).get(site).cloned() {
                lock(&tail).forget();
            }
        }
    }

    pub(crate) fn sites(&self) -> Result<Vec<SiteKey>, StoreError> {
        let mut sites = Vec::new();
        for site in folder::sites(&self.root)? {
            if self.read(&site, |manifest| manifest.number > 0)? {
                sites.push(site);
            }
        }
        Ok(sites)
    }

    pub(crate) fn page(&self, site: &SiteKey, path: &StorePath) -> Result<Option<Page>, StoreError> {
        let found = self.read_with_text(site, |manifest| {
            let record = manifest.pages.get(path)?.record.clone();
            let id = TextId::of(&record);
            Some((record, id))
        })?;
        Ok(found.map(|(record, text)| Page { record, text }))
    }

    pub(crate) fn revision(
        &self,
        site: &SiteKey,
        path: &StorePath,
        revision: u64,
    ) -> Result<Option<Revision>, StoreError> {
        let found = self.read_with_text(site, |manifest| {
            let past = manifest.past.get(path)?;
            let info = past.iter().map(|kept| &kept.info).find(|info| info.revision == revision)?.clone();
            let id = TextId { revision, digest: info.digest };
            Some((info, id))
        })?;
        Ok(found.map(|(info, text)| Revision { info, text }))
    }

    pub(crate) fn trashed(&self, site: &SiteKey, id: u64) -> Result<Option<Trashed>, StoreError> {
        let found = self.read_with_text(site, |manifest| {
            let entry = manifest.trash.get(&id)?;
            Some((entry.clone(), TextId::of(&entry.record)))
        })?;
        Ok(found.map(|(entry, text)| {
            let page = Page { record: entry.record, text };
            Trashed { id, page, withdrawal: entry.withdrawal }
        }))
    }

    pub(crate) fn search(&self, site: &SiteKey, query: &Query) -> Result<Search, StoreError> {
        let mut search = Search::new(query);
        let records: Vec<Record> = self.read(site, |manifest| {
            let records = manifest.pages.values().map(|live| &live.record);
            records.filter(|record| search.wants(record)).cloned().collect()
        })?;
        let place = Place::of(&self.root, site);
        for record in records {
            match texts::read(&place, TextId::of(&record))? {
                Some(text) => search.look_at(Page { record, text }),
                // Replaced and forgotten meanwhile.
                None => {
                    if let Some(page) = self.page(site, &record.path)? {
                        search.look_at(page);
                    }
                }
            }
        }
        Ok(search)
    }
}

/// A panic elsewhere leaves a copy that the next refresh puts right.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

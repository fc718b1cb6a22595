//! The listing beside the store.

use std::collections::{BTreeMap, BTreeSet};

use wholesite_address::StorePath;
use wholesite_discovery::Page;
use wholesite_store::{Absence, Failing, Record, SiteKey, SiteState, Store, StoreError, Trashed};

/// What the store knew when the run began, and what this run has learned since.
pub(crate) struct Known {
    /// The live pages, kept up to date as they are published and withdrawn.
    pub(crate) records: BTreeMap<StorePath, Record>,
    /// How many there were when the run began.
    pub(crate) stored: usize,
    pub(crate) failing: BTreeMap<StorePath, Failing>,
    pub(crate) absent: BTreeMap<StorePath, Absence>,
    /// The newest entry of the trash for each path, where no page is live.
    pub(crate) trash: BTreeMap<StorePath, Trashed>,
    pub(crate) all_trash: Vec<Trashed>,
    pub(crate) state: SiteState,
}

impl Known {
    pub(crate) async fn read<S: Store>(store: &S, site: &SiteKey) -> Result<Self, StoreError> {
        let records: BTreeMap<_, _> =
            store.catalogue(site).await?.into_iter().map(|record| (record.path.clone(), record)).collect();
        let all_trash = store.trash(site).await?;
        let mut trash = BTreeMap::new();
        for entry in &all_trash {
            if !records.contains_key(&entry.page.record.path) {
                trash.entry(entry.page.record.path.clone()).or_insert_with(|| entry.clone());
            }
        }
        Ok(Known {
            stored: records.len(),
            failing: store.failing(site).await?.into_iter().map(|item| (item.path.clone(), item)).collect(),
            absent: store.absent(site).await?.into_iter().map(|item| (item.path.clone(), item)).collect(),
            state: store.state(site).await?.unwrap_or_default(),
            records,
            trash,
            all_trash,
        })
    }

    /// The stored pages that no page of the listing accounts for.
    pub(crate) fn absentees(&self, listed: &[Page]) -> Vec<StorePath> {
        let listed: BTreeSet<&StorePath> = listed.iter().map(|page| &page.path).collect();
        self.records.keys().filter(|path| !listed.contains(path)).cloned().collect()
    }
}

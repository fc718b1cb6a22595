//! What can be written.

use wholesite_address::StorePath;

use crate::{Absence, Digest, Failing, Page, Record, RunRecord, SiteState, Timestamp, Withdrawal};

/// One step of a batch. Steps of a batch happen in order, and all or none of them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Change {
    /// Puts a page in place, with its search entries: a new one, or a new revision of one that is
    /// live. `run` is remembered with the revision.
    Publish {
        /// The page; its `revision` is assigned by the store.
        page: Box<Page>,
        /// The run.
        run: String,
    },
    /// Replaces what is known of a live page whose text stays as it is. `digest`, `bytes` and
    /// `revision` are kept as they are stored.
    Describe(Box<Record>),
    /// Moves a live page to the trash. [`StoreError::Conflict`](crate::StoreError::Conflict) where it
    /// is not live.
    Withdraw {
        /// The page.
        path: StorePath,
        /// Why.
        why: Withdrawal,
    },
    /// Puts an entry of the trash back exactly as it was, revision included.
    /// [`StoreError::Conflict`](crate::StoreError::Conflict) where there is no such entry, or a page
    /// is live at its path.
    Restore {
        /// The entry.
        id: u64,
    },
    /// Removes an entry of the trash for good. Nothing happens where there is none.
    Purge {
        /// The entry.
        id: u64,
    },
    /// Sets what is known of a page that fails.
    SetFailing(Failing),
    /// Forgets it.
    ClearFailing(StorePath),
    /// Sets what is known of a page that is absent.
    SetAbsence(Absence),
    /// Forgets it.
    ClearAbsence(StorePath),
    /// Replaces what is remembered of the site.
    SetState(Box<SiteState>),
    /// Adds a run, or replaces the one of that id.
    SaveRun(Box<RunRecord>),
    /// Forgets revisions that are neither live nor in the trash and were replaced before that time.
    ForgetRevisions {
        /// The time.
        replaced_before: Timestamp,
    },
}

impl Change {
    /// Sets what a store sets by itself: digest and size of a published text.
    pub fn seal(&mut self) {
        if let Change::Publish { page, .. } = self {
            page.record.digest = Digest::of(&page.text);
            page.record.bytes = page.text.len() as u64;
        }
    }
}

//! Writing to one site: batches that came together are committed together.
//!
//! The order is what makes a batch happen whole or not at all. First the texts are written, durably,
//! to files that nothing refers to, and the files for people are made ready. Then the journal gets
//! its lines: that is the moment at which the batches happened. Then the files for people are put in
//! place. Whoever dies before the lines leaves only files that the next one clears away; whoever
//! dies after them leaves files for people that the next one puts right.

use std::collections::BTreeSet;
use std::path::Path;
use std::time::Duration;

use wholesite_store::{Change, Holder, SiteKey, StoreError, Timestamp};

use crate::lease::{self, Alive, Before, LeaseFile, begin_writing};
use crate::place::Place;
use crate::step::Step;
use crate::tail::Tail;
use crate::visible::{self, Ready};
use crate::{error, folder, texts};

/// A journal longer than this gives way to a snapshot.
const JOURNAL_BYTES: u64 = 4 * 1024 * 1024;

/// How long to wait with repairs for a batch that another process writes.
const REPAIR_PATIENCE: Duration = Duration::from_secs(1);

/// A site that is written to.
#[derive(Debug)]
pub(crate) struct Site {
    key: SiteKey,
    place: Place,
    tail: Tail,
    alive: Option<Alive>,
    /// Whether files for people may not be as the manifest says.
    is_behind: bool,
}

/// A batch, and the token of its lease.
pub(crate) type Asked = (u64, Vec<Change>);

/// What a group of batches comes to.
#[derive(Default)]
struct Plan {
    batches: Vec<Vec<Step>>,
    texts: Vec<(u64, String)>,
    /// The files for people that change.
    touched: BTreeSet<String>,
    /// Whether revisions may be forgotten.
    forgets: bool,
}

impl Site {
    pub(crate) fn new(root: &Path, key: &SiteKey) -> Self {
        let place = Place::of(root, key);
        let tail = Tail::new(place.clone());
        Site { key: key.clone(), place, tail, alive: None, is_behind: false }
    }

    pub(crate) fn acquire(
        &mut self,
        holder: Holder,
        now: Timestamp,
        until: Timestamp,
    ) -> Result<u64, StoreError> {
        folder::make_site(&self.place, &self.key)?;
        let _writing = begin_writing(&self.place)?;
        self.tail.refresh()?;
        let known = self.tail.manifest().token;
        let (token, before) = lease::acquire(&self.place, &mut self.alive, holder, now, until, known)?;
        if before == Before::Somebody
            && let Err(error) = self.put_right()
        {
            let _ = lease::release(&self.place, &mut self.alive, token);
            return Err(error);
        }
        Ok(token)
    }

    pub(crate) fn renew(&mut self, token: u64, until: Timestamp) -> Result<(), StoreError> {
        let _writing = self.begin()?;
        lease::renew(&self.place, &mut self.alive, token, until)
    }

    /// Gives a lease back, and leaves the site tidy.
    pub(crate) fn release(&mut self, token: u64) -> Result<(), StoreError> {
        let released = self.begin().and_then(|_writing| {
            if LeaseFile::read(&self.place)?.token == token {
                // If this fails, the journal stays, which is no loss.
                let _ = self.tail.refresh().and_then(|()| self.shorten(1));
            }
            lease::release(&self.place, &mut self.alive, token)
        });
        lease::unlock(&mut self.alive, token);
        released
    }

    /// Puts right what a process that died, or people, left. One that is writing at this time does so
    /// itself.
    pub(crate) fn repair(&mut self) -> Result<(), StoreError> {
        self.place.check_own()?;
        let Some(_writing) = lease::try_writing(&self.place, REPAIR_PATIENCE)? else { return Ok(()) };
        self.tail.refresh()?;
        self.put_right()
    }

    fn begin(&self) -> Result<lease::Writing, StoreError> {
        if !self.place.own_folder().is_dir() {
            return Err(StoreError::Fenced);
        }
        self.place.check_own()?;
        begin_writing(&self.place)
    }

    fn put_right(&mut self) -> Result<(), StoreError> {
        self.is_behind = true;
        visible::repair(&self.place, self.tail.manifest())?;
        texts::tidy(&self.place, self.tail.manifest())?;
        self.is_behind = false;
        Ok(())
    }

    /// Writes batches: each of them whole, or not at all.
    pub(crate) fn apply(&mut self, group: Vec<Asked>) -> Vec<Result<(), StoreError>> {
        let mut results: Vec<Result<(), StoreError>> = group.iter().map(|_| Ok(())).collect();
        if let Err(error) = self.try_apply(group, &mut results) {
            self.tail.forget();
            for result in results.iter_mut().filter(|result| result.is_ok()) {
                *result = Err(error::again(&error));
            }
        }
        results
    }

    fn try_apply(
        &mut self,
        group: Vec<Asked>,
        results: &mut [Result<(), StoreError>],
    ) -> Result<(), StoreError> {
        let _writing = self.begin()?;
        self.tail.refresh()?;
        if self.is_behind {
            self.put_right()?;
        }
        let token = LeaseFile::read(&self.place)?.token;
        let mut plan = Plan::default();
        for ((asked, batch), result) in group.into_iter().zip(results.iter_mut()) {
            *result = if asked == token { self.plan(batch, &mut plan)? } else { Err(StoreError::Fenced) };
        }
        if plan.batches.is_empty() {
            return Ok(());
        }
        let ready = texts::write(&self.place, &plan.texts)
            .and_then(|()| visible::prepare(&self.place, self.tail.manifest(), &plan.touched, &plan.texts))
            .inspect_err(|_| {
                // A disk that is full needs the room. What stays is cleared away by the next repair.
                let _ = plan.texts.iter().try_for_each(|(revision, _)| texts::remove(&self.place, *revision));
                let _ = visible::clear_unfinished(&self.place);
            })?;
        // Looked at again for file systems without locks.
        if LeaseFile::read(&self.place)?.token != token {
            return Err(StoreError::Fenced);
        }
        // Where it is uncertain whether the lines are there, so are the files for people.
        self.tail.append(token, plan.batches).inspect_err(|_| self.is_behind = true)?;
        self.finish(ready, plan.forgets).map_err(|error| {
            let what = "the batch is written, but not everything after it was done";
            StoreError::Uncertain(format!("{what}: {error}"))
        })
    }

    /// Adds a batch to a plan, and to the manifest. The outer error leaves the manifest unfit.
    fn plan(&mut self, batch: Vec<Change>, plan: &mut Plan) -> Result<Result<(), StoreError>, StoreError> {
        if let Err(error) = self.tail.manifest().check(&batch).and_then(|()| self.check_ways(&batch)) {
            return Ok(Err(error));
        }
        let manifest = self.tail.manifest_mut();
        let mut steps = Vec::with_capacity(batch.len());
        for change in batch {
            if let Change::Withdraw { path, .. } = &change {
                plan.touched.insert(manifest.file_of(path));
            }
            let (step, text) = manifest.change(change).map_err(StoreError::Conflict)?;
            match &step {
                Step::Publish { file, record, .. } => {
                    plan.touched.insert(file.clone());
                    plan.texts.extend(text.map(|text| (record.revision, text)));
                }
                Step::Restore { file, .. } => {
                    plan.touched.insert(file.clone());
                }
                Step::ForgetRevisions { .. } => plan.forgets = true,
                _ => {}
            }
            steps.push(step);
        }
        plan.batches.push(steps);
        Ok(Ok(()))
    }

    /// Refuses a batch whose files for people would be reached through a link.
    fn check_ways(&self, batch: &[Change]) -> Result<(), StoreError> {
        let manifest = self.tail.manifest();
        batch.iter().try_for_each(|change| {
            let path = match change {
                Change::Publish { page, .. } => &page.record.path,
                Change::Withdraw { path, .. } => path,
                Change::Restore { id } => match manifest.trash.get(id) {
                    Some(entry) => &entry.record.path,
                    None => return Ok(()),
                },
                _ => return Ok(()),
            };
            self.place.check_way(&manifest.file_of(path))
        })
    }

    fn finish(&mut self, ready: Ready, forgets: bool) -> Result<(), StoreError> {
        self.is_behind = true;
        visible::install(&self.place, self.tail.manifest(), ready)?;
        self.is_behind = false;
        // The rest is tidying. Where it fails, the batch is no less done, and the next one tries again.
        if forgets {
            let _ = texts::tidy(&self.place, self.tail.manifest());
        }
        // Writing it out costs as much as the manifest is large, so a large one is written less often.
        let (_, snapshot) = self.tail.bytes();
        let _ = self.shorten(JOURNAL_BYTES.max(snapshot));
        Ok(())
    }

    /// Makes a snapshot of a journal that has so many bytes.
    fn shorten(&mut self, bytes: u64) -> Result<(), StoreError> {
        if self.is_behind || self.tail.bytes().0 < bytes { Ok(()) } else { self.tail.snapshot() }
    }
}

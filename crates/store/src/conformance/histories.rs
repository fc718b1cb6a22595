//! Random histories: whatever is done to both, a store and the one in memory read alike.

use super::{lease, page, path, site};
use crate::{
    Absence, Change, Failing, Fate, MemoryStore, Page, Record, Revision, RunRecord, SiteKey, SiteState,
    Store, StoreError, Timestamp, Trashed, Withdrawal,
};

const NAMES: [&str; 8] = ["a", "b", "A", "a/b", "guide/c", "guide/c/d", "x?q=1", "con"];

/// Everything that can be read of a site, search aside.
#[derive(Debug, Clone, PartialEq)]
pub struct Observed {
    /// [`Store::state`].
    pub state: Option<SiteState>,
    /// [`Store::page`] for each of the catalogue.
    pub pages: Vec<Page>,
    /// [`Store::revision`] for each revision of the paths that are live or in the trash.
    pub revisions: Vec<Revision>,
    /// [`Store::trashed`] for each of the trash.
    pub trash: Vec<Trashed>,
    /// [`Store::failing`].
    pub failing: Vec<Failing>,
    /// [`Store::absent`].
    pub absent: Vec<Absence>,
    /// [`Store::runs`].
    pub runs: Vec<RunRecord>,
}

/// Reads everything of a site.
///
/// # Panics
/// Where the store contradicts itself.
pub async fn observe<S: Store>(store: &S, site: &SiteKey) -> Observed {
    let catalogue: Vec<Record> = store.catalogue(site).await.expect("catalogue");
    let mut pages = Vec::new();
    for record in &catalogue {
        let page =
            store.page(site, &record.path).await.expect("page").expect("what is in the catalogue is live");
        assert_eq!(&page.record, record);
        pages.push(page);
    }
    let mut trash = Vec::new();
    for entry in store.trash(site).await.expect("trash") {
        trash.push(store.trashed(site, entry.id).await.expect("entry").expect("what is listed is there"));
    }
    let mut paths: Vec<_> = catalogue
        .iter()
        .chain(trash.iter().map(|entry| &entry.page.record))
        .map(|record| &record.path)
        .collect();
    paths.sort();
    paths.dedup();
    let mut revisions = Vec::new();
    for path in paths {
        for info in store.revisions(site, path).await.expect("revisions") {
            revisions
                .push(store.revision(site, path, info.revision).await.expect("revision").expect("listed"));
        }
    }
    Observed {
        state: store.state(site).await.expect("state"),
        pages,
        revisions,
        trash,
        failing: store.failing(site).await.expect("failing"),
        absent: store.absent(site).await.expect("absent"),
        runs: store.runs(site, usize::MAX).await.expect("runs"),
    }
}

/// Does `batches` random batches to `store` and to a [`MemoryStore`], and compares after each.
///
/// # Panics
/// Where they differ.
pub async fn agrees_with_memory<S: Store>(store: &S, seed: u64, batches: usize) {
    let memory = MemoryStore::new();
    let docs = site("docs");
    let mut random = Random(seed);
    let (held, reference) = (lease(store, &docs, 1).await, lease(&memory, &docs, 1).await);
    for at in 1..=batches as i64 {
        let batch: Vec<Change> = (0..1 + random.below(4)).map(|_| change(&mut random, at)).collect();
        let (done, expected) =
            (store.apply(&held, batch.clone()).await, memory.apply(&reference, batch.clone()).await);
        match (&done, &expected) {
            (Ok(()), Ok(())) | (Err(StoreError::Conflict(_)), Err(StoreError::Conflict(_))) => {}
            _ => panic!("seed {seed}, batch {at}: {done:?} in place of {expected:?} after {batch:?}"),
        }
        let (seen, right) = (observe(store, &docs).await, observe(&memory, &docs).await);
        assert_eq!(seen, right, "seed {seed}, batch {at}: {batch:?}");
        for word in ["fox", "snail", "Title"] {
            let query = crate::Query { words: word.to_owned(), prefix: None, limit: 100 };
            let paths = |hits: Vec<crate::Hit>| {
                let mut found: Vec<_> = hits.into_iter().map(|hit| (hit.path, hit.revision)).collect();
                found.sort();
                found
            };
            assert_eq!(
                paths(store.search(&docs, &query).await.expect("search")),
                paths(memory.search(&docs, &query).await.expect("search")),
                "seed {seed}, batch {at}, {word}"
            );
        }
    }
}

fn change(random: &mut Random, at: i64) -> Change {
    let name = NAMES[random.below(NAMES.len())];
    let text = format!("{} {}", ["fox", "snail", "", "# Fox\n\nsnail"][random.below(4)], random.below(3));
    match random.below(14) {
        0..=4 => Change::Publish { page: Box::new(page(name, &text, at)), run: format!("run-{at}") },
        5 => Change::Describe(Box::new(page(name, &text, at).record)),
        6 | 7 => {
            let fate = match random.below(3) {
                0 => Fate::Gone,
                1 => Fate::Unlisted,
                _ => Fate::Moved { to: path("b") },
            };
            let why = Withdrawal {
                fate,
                run: format!("run-{at}"),
                at: Timestamp(at),
                evidence: format!("{at} \u{1f980}"),
            };
            Change::Withdraw { path: path(name), why }
        }
        8 => Change::Restore { id: 1 + random.below(6) as u64 },
        9 => Change::Purge { id: 1 + random.below(6) as u64 },
        10 => Change::ForgetRevisions { replaced_before: Timestamp(at - random.below(5) as i64) },
        11 => {
            let failing = Failing {
                path: path(name),
                url: page(name, "", 1).record.url,
                code: "timeout".to_owned(),
                cause: "no answer".to_owned(),
                attempts: 5,
                runs: at as u32,
                same: 1,
                since: Timestamp(at),
                last: Timestamp(at),
            };
            if random.below(3) == 0 {
                Change::ClearFailing(failing.path)
            } else {
                Change::SetFailing(failing)
            }
        }
        12 => {
            let absence = Absence {
                path: path(name),
                runs: at as u32,
                soft: 1,
                since: Timestamp(at),
                last: Timestamp(at),
                fingerprint: "f".to_owned(),
                evidence: "404".to_owned(),
            };
            if random.below(3) == 0 {
                Change::ClearAbsence(absence.path)
            } else {
                Change::SetAbsence(absence)
            }
        }
        _ => Change::SaveRun(Box::new(RunRecord {
            id: format!("r{}", random.below(4)),
            started: Timestamp(at),
            ended: None,
            status: "running".to_owned(),
            report: format!("{{\"at\":{at}}}"),
        })),
    }
}

/// SplitMix64 (Steele, Lea and Flood 2014): small, and the same everywhere.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) % bound as u64) as usize
    }
}

//! What happens, as data.

use wholesite_sync::prune::PruneMode;

use super::faults::{Fault, Window};
use crate::{Absent, Random, StoreFault};

/// A site, and what happens to it.
#[derive(Debug, Clone)]
pub struct Scenario {
    /// Pages at the beginning.
    pub pages: u64,
    /// Whether part of them is listed in a sub-index.
    pub nested: bool,
    /// What unknown paths get.
    pub absent: Absent,
    /// The policy.
    pub mode: PruneMode,
    /// Pages under way at once.
    pub concurrency: usize,
    /// One sync each.
    pub steps: Vec<Step>,
}

/// What happens before and during one sync.
#[derive(Debug, Clone, Default)]
pub struct Step {
    /// Hours since the last one.
    pub hours: u64,
    /// Changes of the site before it.
    pub edits: Vec<Edit>,
    /// A change in the middle of it, after so many requests.
    pub meanwhile: Option<(u32, Edit)>,
    /// What goes wrong on the way.
    pub faults: Vec<(Fault, Window)>,
    /// Which write goes wrong, and how.
    pub store: Option<(u32, StoreFault)>,
    /// It is cancelled after so many requests.
    pub cancel: Option<u32>,
}

/// A change of the site; pages are told by number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Edit {
    /// A page appears, or has a new text.
    Put(u64),
    /// A page is removed, from the listing too.
    Remove(u64),
    /// A page is listed no more, but served.
    Delist(u64),
    /// It is listed again.
    Relist(u64),
    /// A page moves for good.
    Move(u64),
    /// A page is rewritten from the first line to the last.
    Rewrite(u64),
}

impl Scenario {
    /// The scenario of a seed.
    pub fn of(seed: u64) -> Self {
        let mut random = Random::new(seed);
        let pages = 6 + random.below(24);
        let steps = 2 + random.below(5);
        // Each seed has kinds of trouble of its own; a fault that always comes hides others.
        let faulty = random.below(1000);
        Scenario {
            pages,
            nested: random.chance(400),
            absent: match random.below(8) {
                0..=3 => Absent::Status404,
                4 => Absent::Status410,
                5 | 6 => Absent::Redirect,
                _ => Absent::Soft,
            },
            mode: match random.below(10) {
                0..=7 => PruneMode::Gone,
                8 => PruneMode::Cautious,
                _ => PruneMode::Never,
            },
            concurrency: 1 + random.below(12) as usize,
            steps: (0..steps).map(|_| step(&mut random, pages, faulty)).collect(),
        }
    }
}

fn step(random: &mut Random, pages: u64, faulty: u64) -> Step {
    let edit = |random: &mut Random| {
        let page = random.below(pages + 4);
        match random.below(12) {
            0..=3 => Edit::Put(page),
            4 | 5 => Edit::Remove(page),
            6 | 7 => Edit::Delist(page),
            8 => Edit::Relist(page),
            9 | 10 => Edit::Move(page),
            _ => Edit::Rewrite(page),
        }
    };
    let edits = random.below(5);
    let faults = if random.chance(faulty) { 1 + random.below(3) } else { 0 };
    Step {
        hours: 1 + random.below(30),
        edits: (0..edits).map(|_| edit(random)).collect(),
        meanwhile: random.chance(200).then(|| (random.below(60) as u32, edit(random))),
        faults: (0..faults).map(|_| (Fault::any(random), Window::any(random))).collect(),
        store: random.chance(120).then(|| {
            let fault = match random.below(6) {
                0 => StoreFault::Io,
                1 => StoreFault::Full,
                2 => StoreFault::UncertainDone,
                3 => StoreFault::UncertainLost,
                4 => StoreFault::CrashBefore,
                _ => StoreFault::CrashAfter,
            };
            (random.below(25) as u32, fault)
        }),
        cancel: random.chance(80).then(|| random.below(80) as u32),
    }
}

/// The smallest scenario that still fails, by leaving out one thing after another.
pub fn shrink(scenario: &Scenario, fails: impl Fn(&Scenario) -> bool) -> Scenario {
    let mut best = scenario.clone();
    loop {
        let smaller = candidates(&best).into_iter().find(|smaller| fails(smaller));
        match smaller {
            Some(smaller) => best = smaller,
            None => return best,
        }
    }
}

fn candidates(scenario: &Scenario) -> Vec<Scenario> {
    let mut all = Vec::new();
    let mut with = |change: &dyn Fn(&mut Scenario)| {
        let mut smaller = scenario.clone();
        change(&mut smaller);
        all.push(smaller);
    };
    for at in 0..scenario.steps.len() {
        with(&|s| drop(s.steps.remove(at)));
        let step = &scenario.steps[at];
        for edit in 0..step.edits.len() {
            with(&|s| {
                s.steps[at].edits.remove(edit);
            });
        }
        for fault in 0..step.faults.len() {
            with(&|s| {
                s.steps[at].faults.remove(fault);
            });
        }
        if step.meanwhile.is_some() {
            with(&|s| s.steps[at].meanwhile = None);
        }
        if step.store.is_some() {
            with(&|s| s.steps[at].store = None);
        }
        if step.cancel.is_some() {
            with(&|s| s.steps[at].cancel = None);
        }
    }
    if scenario.pages > 3 {
        with(&|s| s.pages -= 1);
    }
    if scenario.nested {
        with(&|s| s.nested = false);
    }
    if scenario.absent != Absent::Status404 {
        with(&|s| s.absent = Absent::Status404);
    }
    if scenario.concurrency > 1 {
        with(&|s| s.concurrency = 1);
    }
    all
}

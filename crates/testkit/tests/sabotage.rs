//! The laws bite: each of these bugs, planted in the engine, breaks one of them within some thousand
//! seeds.

use wholesite_sync::sabotage::{Bug, plant};
use wholesite_testkit::sim::{Scenario, run};

const SEEDS: u64 = 8_000;

#[test]
fn every_planted_bug_is_found() {
    let workers = std::thread::available_parallelism().map_or(2, |count| count.get());
    let next = std::sync::atomic::AtomicUsize::new(0);
    let hunt = || {
        let mut lines = Vec::new();
        while let Some(bug) = Bug::ALL.get(next.fetch_add(1, std::sync::atomic::Ordering::Relaxed)) {
            plant(Some(*bug));
            let found = (0..SEEDS).find_map(|seed| run(&Scenario::of(seed)).err().map(|why| (seed, why)));
            plant(None);
            lines.push((*bug, found));
        }
        lines
    };
    let found: Vec<_> = std::thread::scope(|scope| {
        let hunters: Vec<_> = (0..workers).map(|_| scope.spawn(hunt)).collect();
        hunters.into_iter().flat_map(|hunter| hunter.join().expect("it hunts")).collect()
    });
    let mut missed = Vec::new();
    for (bug, found) in found {
        match found {
            Some((seed, why)) => {
                println!("{bug:?}: seed {seed}: {}", why.lines().next().unwrap_or_default());
            }
            None => missed.push(bug),
        }
    }
    assert_eq!(missed, [], "not found in {SEEDS} seeds");
}

//! The laws bite: each of these bugs, planted in the engine, breaks one of them.
//!
//! The seeds were found by a hunt, `SABOTAGE_SEEDS=4000 cargo test --profile sim -p wholesite-testkit
//! --test sabotage -- --nocapture`, which prints this table; whoever changes what seeds mean hunts again.

use wholesite_sync::sabotage::{Bug, plant};
use wholesite_testkit::sim::{Scenario, run};

/// A bug, and the seed of a history that shows it. Those of [`Bug::ALL`] that are missing here were not
/// shown by the first 900 seeds; most need two rare things at once.
const SHOWN_BY: &[(Bug, u64)] = &[
    (Bug::NoLimit, 68),
    (Bug::UnknownIsGone, 417),
    (Bug::PublishSoft404, 141),
    (Bug::NotModifiedIsUnseen, 1),
    (Bug::FailureIsSuccess, 1),
    (Bug::ForgetAbsence, 1),
];

#[test]
fn every_planted_bug_is_found() {
    if let Some(seeds) = std::env::var("SABOTAGE_SEEDS").ok().and_then(|seeds| seeds.parse().ok()) {
        return hunt(seeds);
    }
    for (bug, seed) in SHOWN_BY {
        let scenario = Scenario::of(*seed);
        assert_eq!(run(&scenario).map(|_| ()), Ok(()), "seed {seed} is fine without a bug");
        plant(Some(*bug));
        let result = run(&scenario);
        plant(None);
        assert!(result.is_err(), "{bug:?} is not found by seed {seed} any more: hunt again");
    }
}

fn hunt(seeds: u64) {
    let workers = std::thread::available_parallelism().map_or(2, |count| count.get());
    let next = std::sync::atomic::AtomicUsize::new(0);
    let hunt = || {
        while let Some(bug) = Bug::ALL.get(next.fetch_add(1, std::sync::atomic::Ordering::Relaxed)) {
            plant(Some(*bug));
            let found = (0..seeds).find_map(|seed| run(&Scenario::of(seed)).err().map(|why| (seed, why)));
            plant(None);
            match found {
                Some((seed, why)) => {
                    println!("    (Bug::{bug:?}, {seed}), // {}", why.lines().next().unwrap_or_default())
                }
                None => println!("    // {bug:?}: not found in {seeds} seeds"),
            }
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..workers {
            scope.spawn(hunt);
        }
    });
}

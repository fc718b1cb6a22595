//! Thousands of sites, each with a history of its own and trouble of its own.
//!
//! `SIM_SEEDS=1000000` runs more of them, `SIM_SEED=123` one, `SIM_FIRST=5000` others.

use std::sync::atomic::{AtomicU64, Ordering};

use wholesite_testkit::sim::{Reached, Scenario, run, shrink};

fn number(name: &str) -> Option<u64> {
    std::env::var(name).ok().and_then(|text| text.parse().ok())
}

#[test]
fn nothing_live_is_lost_and_the_store_becomes_the_site() {
    if let Some(seed) = number("SIM_SEED") {
        let scenario = Scenario::of(seed);
        let result = run(&scenario);
        panic_with(seed, &scenario, result);
        return;
    }
    let (first, seeds) = (number("SIM_FIRST").unwrap_or(0), number("SIM_SEEDS").unwrap_or(1_000));
    let next = AtomicU64::new(first);
    let workers = std::thread::available_parallelism().map_or(2, |count| count.get());
    let reached: Vec<Reached> = std::thread::scope(|scope| {
        let work = || {
            let mut reached = Reached::default();
            loop {
                let seed = next.fetch_add(1, Ordering::Relaxed);
                if seed >= first + seeds {
                    return reached;
                }
                let scenario = Scenario::of(seed);
                match run(&scenario) {
                    Ok(met) => reached.add(met),
                    failed => {
                        // The other threads need not go on.
                        next.store(u64::MAX / 2, Ordering::Relaxed);
                        panic_with(seed, &scenario, failed);
                    }
                }
            }
        };
        let handles: Vec<_> = (0..workers).map(|_| scope.spawn(work)).collect();
        handles.into_iter().map(|handle| handle.join().expect("a seed failed")).collect()
    });
    let mut all = Reached::default();
    reached.into_iter().for_each(|met| all.add(met));
    println!("{seeds} seeds: {all:?}");
    assert_eq!(all.missing(), Vec::<&str>::new(), "the campaign never met these");
}

fn panic_with(seed: u64, scenario: &Scenario, result: Result<Reached, String>) {
    let Err(why) = result else { return };
    let smallest = shrink(scenario, |scenario| run(scenario).is_err());
    let still = run(&smallest).expect_err("it still fails");
    panic!("SIM_SEED={seed}\n{why}\n\nthe smallest that fails:\n{smallest:#?}\n{still}");
}

//! Hostile input: four megabytes of the same few bytes, bombs, redirects and calendars without end.
//! Time in proportion to the input, memory flat, and a blocker that says what happened.
//!
//! A test binary of its own, since the allocator counts for the whole process; for the same reason
//! there is one test that does one thing after the other.

mod bombs;
mod mazes;
mod repeats;

use peak_alloc::PeakAlloc;

#[global_allocator]
static ALLOCATOR: PeakAlloc = PeakAlloc;

#[test]
fn hostile_input_costs_what_it_weighs_and_no_more() {
    let faults: Vec<String> = [repeats::faults(), bombs::faults(), mazes::faults()].concat();
    assert!(faults.is_empty(), "{} faults:\n{}", faults.len(), faults.join("\n"));
}

/// Runs something and tells how many bytes it held at once, beyond those that were held before.
fn peak<T>(run: impl FnOnce() -> T) -> (T, usize) {
    ALLOCATOR.reset_peak_usage();
    let before = ALLOCATOR.current_usage();
    let value = run();
    (value, ALLOCATOR.peak_usage().saturating_sub(before))
}

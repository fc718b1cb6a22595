//! Truths of others: test suites, specifications and real files that nobody here wrote, read from the
//! registries at test time and never copied. What is not as they say stands in `scores/`, with the
//! reason.

mod blns;
mod commonmark;
mod counter;
mod html5lib;
mod packages;
mod pathological;
mod robots;
mod score;
mod sitemaps;
mod soup;
mod stored_cases;
mod wpt;

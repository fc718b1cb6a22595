//! x

pub mod prune;

//! Simulation: a scenario is data, made from a seed; running it holds the real engine to its laws.

mod faults;
mod run;
mod scenario;

pub use faults::{Fate, Fault, Share, Window};
pub use run::{Reached, run};
pub use scenario::{Edit, Scenario, Step, shrink};

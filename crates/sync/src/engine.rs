//! The work of one sync, from the listing to the report.
//!
//! | stage | does | module |
//! | --- | --- | --- |
//! | waiting | takes the lease, discovers | `run` |
//! | discovered | matches the listing with the store | `plan` |
//! | publishing | fetches, judges, cleans, publishes, a page at a time | `publish`, `obtain` |
//! | pruning | looks twice at what left the listing, decides, withdraws | `retire`, `look` |

mod look;
mod obtain;
mod plan;
mod publish;
mod retire;
mod run;

pub use run::{Hooks, Transform, Validate, sync};

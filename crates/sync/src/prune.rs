//! When a page leaves the live set: the safety case.
//!
//! Three steps, and only the last one deletes:
//!
//! 1. [`Look`]s: what a page itself said when it was asked, on all of its addresses, at one moment.
//! 2. [`decide`]: a pure function of the looks, what is remembered of earlier runs, and the facts of
//!    this run. The dry run, the real run and the tests share it.
//! 3. [`Warrant`]: the plan together with the proof that discovery was complete, at both of its
//!    looks. It is consumed by the one place that withdraws.
//!
//! The laws that [`decide`] keeps, and that its tests hold it to:
//!
//! - *Unknown is not gone.* Replacing any answer by "unknown" never makes it withdraw more.
//! - *A link never deletes.* Adding a link to any index never makes it withdraw more. So no threshold
//!   is a share of what is *listed*: shares are of what was stored when the run began.
//! - Without a proof it withdraws nothing.
//! - More than the limit: nothing at all, but a plan that a person may apply.

mod decide;
mod look;
mod policy;
mod warrant;

pub use decide::{Candidate, Counting, Decision, Gate, Kept, RunFacts, Verdict, decide};
pub use look::{Look, Said};
pub use policy::{DeleteLimit, Policy, PruneMode};
pub use warrant::Warrant;

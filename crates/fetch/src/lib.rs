//! Asking for documents, without a transport.
//!
//! What every transport shares: the [`Request`], the [`Answer`] (any status, redirects included:
//! a transport never follows one), the [`Failure`] when there was no answer that can be trusted,
//! and the two policies that keep a fetcher polite, [`RetryPolicy`] and [`HostGate`]. Both are pure
//! state and take the time as an argument, so a simulator drives them as well as a socket does.
//!
//! **Deliberately absent**: sockets, TLS, DNS, a runtime, any clock. Also robots.txt: its rules belong
//! to whoever decides *what* to ask for, one layer above.

mod answer;
mod failure;
mod fetch;
mod gate;
mod headers;
mod request;
mod retry;
pub mod retry_after;

pub use answer::{Answer, Completeness, HttpVersion};
pub use failure::{Causes, Failure};
pub use fetch::Fetch;
pub use gate::{HostGate, HostLimits, Turn, Verdict};
pub use headers::{Headers, HeadersFull};
pub use request::{Accept, Request, Validators};
pub use retry::{Outcome, RetryPolicy};

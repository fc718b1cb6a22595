//! Recorded sites: a folder of routes and bodies that replays offline, the same bytes every time.
//!
//! The format is made to be written by hand; `corpora/README.md` describes it in full.
//!
//! ```text
//! my-site/
//!   site.toml        the seed, what the site teaches, routes that are no plain 200
//!   routes/          files served under their path: routes/llms.txt, routes/guide/index.html
//!   expected.toml    what a discovery has to find
//! ```
//!
//! **Deliberately absent**: the network, clocks, discovery itself.

mod error;
mod expected;
mod files;
mod manifest;
mod recording;

pub use error::RecordingError;
pub use expected::{Expected, ExpectedBlocker};
pub use recording::{Recorded, Recording};

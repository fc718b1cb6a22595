//! Recorded sites, which replay offline, the same bytes every time: a folder of routes and bodies, or a
//! WARC file.
//!
//! The folder is made to be written by hand; `corpora/README.md` describes it in full.
//!
//! ```text
//! my-site/
//!   site.toml        the seed, what the site teaches, routes that are no plain 200
//!   routes/          files served under their path: routes/llms.txt, routes/guide/index.html
//!   expected.toml    what a discovery has to find
//! ```
//!
//! [`NewRecording`] writes either form from the answers of a live site, one by one as they come.
//!
//! **Deliberately absent**: the network, clocks, discovery itself.

mod error;
mod expected;
mod files;
mod folder;
mod manifest;
mod new;
mod recording;
mod warc;

pub use error::RecordingError;
pub use expected::{Expected, ExpectedBlocker};
pub use new::{Begin, Given, NewRecording};
pub use recording::{FailureKind, Recorded, Recording};

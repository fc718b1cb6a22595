//! Wholesite keeps a local copy of a documentation site equal to the site: the whole site, and
//! nothing but the site.
//!
//! This is the facade that most users depend on. It drives the pure [`discovery`] machine over
//! whatever answers it: a live site through a [`fetch::Fetch`], a recorded site, or a docs source
//! folder.
//!
//! ```
//! use wholesite::discovery::Options;
//!
//! let recording = wholesite::recording::Recording::open("../../corpora/mintlify-flat".as_ref())?;
//! let inventory = wholesite::discover_recording(&recording, Options::default());
//! for page in inventory.pages() {
//!     println!("{} {}", page.path, page.title.as_deref().unwrap_or_default());
//! }
//! assert!(inventory.is_complete());
//! # Ok::<(), wholesite::recording::RecordingError>(())
//! ```

mod folder;
mod live;
mod replay;

pub use wholesite_address as address;
pub use wholesite_discovery as discovery;
pub use wholesite_fetch as fetch;
pub use wholesite_recording as recording;

pub use folder::{FolderError, discover_folder};
pub use live::{Progress, discover_live};
pub use replay::discover_recording;

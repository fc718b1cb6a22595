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

mod any_store;
mod folder;
mod live;
mod pages;
mod record;
mod replay;
mod source;
mod system;

pub use wholesite_address as address;
pub use wholesite_discovery as discovery;
pub use wholesite_fetch as fetch;
pub use wholesite_fetch_http as fetch_http;
pub use wholesite_recording as recording;
pub use wholesite_store as store;
pub use wholesite_store_dir as store_dir;
pub use wholesite_store_sqlite as store_sqlite;
pub use wholesite_sync as sync;

pub use any_store::{AnyStore, StoreName, StoreNameError};
pub use folder::{FolderError, discover_folder};
pub use live::{Progress, discover_live};
pub use pages::{
    PageSync, SyncEvent, SyncIter, SyncStream, astream_sync_pages, async_sync_pages, async_sync_pages_until,
    stream_sync_pages, sync_pages,
};
pub use record::{Recap, record_live};
pub use replay::discover_recording;
pub use source::{Folder, Replay, Source};
pub use system::{SystemClock, run_id};
pub use wholesite_sync::{PageSyncProgress, SyncError, SyncReport, SyncStatus};

//! Reads the source folder of a Mintlify site: navigation, files, API descriptions, redirects.
//!
//! [`SourceReading`] is handed the listing of a docs root and asks for the files it wants; [`SourceReading::finish`]
//! returns the [`Source`]: every page the host serves, from a file or from an API description, every entry of the navigation with its place, every redirect,
//! and everything that makes the reading incomplete. [`find_root`] finds docs roots in a listing, [`read_nav`] reads a
//! configuration file on its own.
//!
//! Mintlify's grammar is taken permissively: whatever looks like a page is one, whatever the site's own tools would
//! silently drop is kept. What cannot be known from the folder alone is a [`Blocker`], never an absence.
//!
//! **Deliberately absent**: I/O, clocks, async; links in page bodies (`wholesite-extract` reads those); the site's
//! address and base path; descriptions on other hosts, overlays, GraphQL and SDK descriptions, which are blockers.

mod api;
mod assemble;
mod files;
mod forest;
mod json;
mod model;
mod nav;
mod page;
mod pattern;
mod read_nav;
mod reading;
mod redirects;
mod root;
mod slug;
mod spec;

pub use model::{
    Alias, Blocker, BlockerKind, Collision, Config, ConfigFormat, EntryKind, NavEntry, Note, NoteKind,
    Reason, Resolution, Source, SourcePage,
};
pub use read_nav::read_nav;
pub use reading::{SourceReading, Unreadable};
pub use redirects::{Followed, Redirects, Rule};
pub use root::find_root;

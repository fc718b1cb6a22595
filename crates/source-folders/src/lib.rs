//! Reads the source folders of documentation generators as far as that goes without running them.
//!
//! [`detect`] finds the generators' marker files in a listing. [`FolderReading`] is handed the listing of one folder,
//! asks for the files it wants, and [`FolderReading::finish`] returns the [`Source`]: every page that the generator
//! makes with the file it comes from, its address below the site's base, its title and its place in the navigation;
//! the redirects that end at pages; and every page-like file that makes no page, with the reason.
//!
//! What only running the generator would tell (a plugin that makes pages, a configuration that is computed) is a
//! [`Blocker`] with its place, never an absence.
//!
//! **Deliberately absent**: I/O, clocks, async, running anybody's code; links in page bodies; Mintlify folders, which
//! `wholesite-mintlify` reads.

mod build;
mod detect;
mod docusaurus;
mod facts;
mod gitbook;
mod js;
mod mdbook;
mod mkdocs;
mod model;
mod nested;
mod paths;
mod reading;
mod redirects;
mod sphinx;
mod starlight;
mod summary;
mod tree;
mod vitepress;

pub use detect::{Found, detect};
pub use model::{
    Alias, Blocker, BlockerKind, Collision, Generator, NavEntry, Resolution, Source, SourcePage,
    UnknownGenerator,
};
pub use reading::{FolderReading, Unreadable};

//! Which pages a documentation site has, why we think so, and what we could not see.
//!
//! Discovery reads every index that a site offers and gives **every link exactly one
//! [`Disposition`]**, with the place where it stood. It ends in a [`Decision`]: complete, with a
//! proof ([`WholeSite`]) that only this crate can make, or partial, with every [`Blocker`] named.
//! "We don't know" never becomes "it is not there".
//!
//! [`Discovery`] is a machine: `next_request` → you fetch or replay → `answer` → … → `finish`.
//!
//! **Deliberately absent**: network, files, async, clocks, randomness, environment, printing,
//! serialization.

mod blocker;
mod classify;
mod coverage;
mod discovery;
mod disposition;
mod exchange;
mod explain;
mod folder;
mod inventory;
mod ledger;
mod links;
mod options;
mod pages;
mod probe;
mod read;
mod site;

pub use blocker::{At, Blocker, BlockerCode, EXCERPT_CHARS, Excerpt};
pub use coverage::{Blockers, Decision, WholeSite};
pub use discovery::Discovery;
pub use disposition::{Disposition, Why};
pub use exchange::{Accept, Answer, Ask, Failure, Listing, Request, RequestId, Response};
pub use explain::{Explanation, Verdict};
pub use inventory::{AskingRules, Inventory};
pub use ledger::{Document, DocumentId, DocumentKind, DocumentState, Entry, Ledger};
pub use links::{DocumentLinks, LinkKind, LinkLine, links_of};
pub use options::{FolderGenerator, Globs, Limits, Options, RobotsPolicy};
pub use pages::{MENTIONS_KEPT, Mention, Page};
pub use probe::UnknownPaths;
pub use site::{Evidence, Mode, SourceEvidence};
pub use wholesite_source_folders::{Generator, UnknownGenerator};

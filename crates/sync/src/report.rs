//! What a sync did, for people and for machines. Every field has a default, so that reports which an
//! older version stored stay readable.

use serde::{Deserialize, Serialize};
use wholesite_store::Timestamp;

/// How many items a list of a report names; the counts beside it stay whole, and the store keeps all.
pub const LISTED: usize = 20;

/// The stage that a sync is in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Stage {
    /// Discovery is under way.
    #[default]
    Waiting,
    /// The listing is there.
    Discovered,
    /// Pages are fetched and published.
    Publishing,
    /// Pages that left the listing are looked at, and withdrawn.
    Pruning,
}

impl Stage {
    /// The name on every wire.
    pub fn name(self) -> &'static str {
        match self {
            Stage::Waiting => "waiting",
            Stage::Discovered => "discovered",
            Stage::Publishing => "publishing",
            Stage::Pruning => "pruning",
        }
    }
}

/// How far a sync is. Counts never shrink.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct PageSyncProgress {
    /// The stage.
    pub stage: Stage,
    /// Pages that the site lists.
    pub discovered: usize,
    /// Pages among them that are done with, whatever came of them.
    pub processed: usize,
    /// Pages published: new ones, and new texts.
    pub updated: usize,
    /// Pages withdrawn.
    pub deleted: usize,
    /// Pages that could not be had.
    pub failed: usize,
    /// Pages of which it is unknown whether they were written.
    pub unknown: usize,
    /// The page at hand.
    pub path: Option<String>,
}

/// How a sync ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SyncStatus {
    /// The store was equal to the site already.
    Unchanged,
    /// The store is equal to the site now.
    Completed,
    /// Something is left open; the report names it.
    #[default]
    Partial,
}

impl SyncStatus {
    /// The name on every wire.
    pub fn name(self) -> &'static str {
        match self {
            SyncStatus::Unchanged => "unchanged",
            SyncStatus::Completed => "completed",
            SyncStatus::Partial => "partial",
        }
    }
}

/// What a sync did.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct SyncReport {
    /// The version of this shape.
    pub schema_version: u32,
    /// How it ended.
    pub status: SyncStatus,
    /// Pages that the site lists.
    pub discovered: usize,
    /// Pages published: new ones, and new texts.
    pub updated: usize,
    /// Pages withdrawn, moved ones included.
    pub deleted: usize,
    /// Pages that could not be had. Their published versions stay.
    pub failed: usize,
    /// Pages of which it is unknown whether they were written.
    pub unknown: usize,
    /// What went wrong, a line each.
    pub errors: Vec<String>,
    /// The pages that failed.
    pub failed_paths: Vec<String>,
    /// Listed addresses that are no pages of their own, such as redirects.
    pub skipped: usize,
    /// Those.
    pub skipped_paths: Vec<String>,

    /// The site, as the store names it.
    pub site: String,
    /// What the user asked to sync.
    pub source: String,
    /// The run.
    pub run: String,
    /// Nothing was written: this is what would have been done.
    pub dry_run: bool,
    /// When it began.
    pub started: Timestamp,
    /// When it ended.
    pub ended: Timestamp,
    /// Pages among `updated` that are new.
    pub added: usize,
    /// Pages among `updated` that have a new text.
    pub changed: usize,
    /// Listed pages whose stored text is the site's.
    pub unchanged: usize,
    /// Pages among `deleted` that live on under another path.
    pub moved: usize,
    /// The new pages.
    pub added_paths: Vec<String>,
    /// The pages with a new text.
    pub changed_paths: Vec<String>,
    /// What went wrong with single pages.
    pub failures: Vec<PageFailure>,
    /// The discovery.
    pub discovery: DiscoverySummary,
    /// The pruning.
    pub prune: PruneReport,
    /// Other things worth knowing.
    pub warnings: Vec<String>,
    /// What it took.
    pub cost: Cost,
}

/// A page that could not be had.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct PageFailure {
    /// Where it would be kept.
    pub path: String,
    /// Its address.
    pub url: String,
    /// The kind, such as `http_500`.
    pub code: String,
    /// In words, with the chain of causes.
    pub cause: String,
    /// Requests that were sent.
    pub attempts: u32,
    /// Runs in a row that failed.
    pub runs: u32,
    /// Whether a version of it is published.
    pub stored: bool,
}

/// The discovery of a sync.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct DiscoverySummary {
    /// Whether it was complete.
    pub complete: bool,
    /// Documents that were read.
    pub documents: usize,
    /// Links in them.
    pub links: usize,
    /// How many blockers there are.
    pub blocker_count: usize,
    /// The blockers.
    pub blockers: Vec<BlockerLine>,
}

/// A blocker of the discovery.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct BlockerLine {
    /// Its code.
    pub code: String,
    /// The address concerned.
    pub url: String,
    /// The document, where it stands in one.
    pub document: Option<String>,
    /// The line in it, from 1.
    pub line: Option<u32>,
    /// What and why.
    pub message: String,
    /// What the user can do.
    pub help: String,
}

/// What became of pages that left the listing.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct PruneReport {
    /// The policy.
    pub mode: String,
    /// `open`, `shut`, `held`; `idle` where no page left the listing.
    pub gate: String,
    /// Why it was shut or held.
    pub why: Vec<String>,
    /// Withdrawn pages.
    pub withdrawn: Vec<PruneLine>,
    /// Pages that stay although they left the listing, and how many.
    pub kept: usize,
    /// Those.
    pub kept_pages: Vec<PruneLine>,
    /// The pages that wait for consent.
    pub held: usize,
    /// Those.
    pub held_pages: Vec<PruneLine>,
    /// Withdrawals that failed, and how many.
    pub failed: usize,
    /// Entries of the trash that were removed for good.
    pub purged: usize,
}

/// One page that left the listing.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct PruneLine {
    /// The page.
    pub path: String,
    /// Its address.
    pub url: String,
    /// `gone`, `unlisted`, `moved`, or why it stays.
    pub verdict: String,
    /// Where it moved to.
    pub to: Option<String>,
    /// What it rests on.
    pub evidence: String,
}

/// What a sync took.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Cost {
    /// Milliseconds of discovery.
    pub discovery_ms: u64,
    /// Milliseconds of fetching and publishing.
    pub publishing_ms: u64,
    /// Milliseconds of pruning, waiting included.
    pub pruning_ms: u64,
    /// Requests for pages, attempts included.
    pub requests: u64,
    /// Answers 304.
    pub not_modified: u64,
    /// Bytes of bodies received, before decompression.
    pub received_bytes: u64,
}

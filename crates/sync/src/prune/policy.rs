//! What the user wants.

use std::collections::BTreeSet;
use std::time::Duration;

use wholesite_address::StorePath;
use wholesite_discovery::Globs;

/// When pages are withdrawn, and how many.
#[derive(Debug, Clone)]
pub struct Policy {
    /// Which pages.
    pub mode: PruneMode,
    /// The shortest time between the first and the last look at a page (`--confirm-after`).
    pub confirm_after: Duration,
    /// How fresh the last look must be when the decision is carried out.
    pub fresh_within: Duration,
    /// The most that one run withdraws without a person's consent (`--max-delete`).
    pub max_delete: DeleteLimit,
    /// The share of the store, in percent, that may be listed but not proved alive before the origin
    /// counts as ill. One page never makes it ill, however small the store.
    pub max_ill_percent: u32,
    /// Withdraw nothing while any page fails (`--strict`).
    pub strict: bool,
    /// Pages that are never withdrawn (`--keep`).
    pub keep: Globs,
    /// The pages of a held plan that a person consented to.
    pub approved: BTreeSet<StorePath>,
    /// How long a withdrawn page stays in the trash.
    pub retention: Duration,
    /// How long a page may be listed and gone at once before it is treated as if it were not listed.
    pub listed_but_gone: Duration,
}

/// Which pages are withdrawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum PruneMode {
    /// Those that are gone, in the run that finds them so.
    #[default]
    Gone,
    /// Those, and the ones that are still served but in no index.
    Unlisted,
    /// Those that three complete runs over two days found gone (five runs and a week for soft 404s).
    Cautious,
    /// None; the report says what the others would do.
    Never,
}

impl PruneMode {
    /// The name on every wire.
    pub fn name(self) -> &'static str {
        match self {
            PruneMode::Gone => "gone",
            PruneMode::Unlisted => "unlisted",
            PruneMode::Cautious => "cautious",
            PruneMode::Never => "never",
        }
    }
}

/// A number that must be exceeded in both ways before it bites.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DeleteLimit {
    /// Pages.
    pub pages: usize,
    /// Percent of the store as it was when the run began.
    pub percent: u32,
}

impl Default for DeleteLimit {
    fn default() -> Self {
        DeleteLimit { pages: 3, percent: 10 }
    }
}

impl DeleteLimit {
    /// Whether `count` of `stored` pages is more than the limit.
    pub fn is_exceeded(self, count: usize, stored: usize) -> bool {
        count > self.pages && count as u128 * 100 > stored as u128 * u128::from(self.percent)
    }
}

impl Default for Policy {
    fn default() -> Self {
        const DAY: Duration = Duration::from_secs(24 * 60 * 60);
        Policy {
            mode: PruneMode::Gone,
            confirm_after: Duration::from_secs(30),
            fresh_within: Duration::from_secs(60),
            max_delete: DeleteLimit::default(),
            max_ill_percent: 5,
            strict: false,
            keep: Globs::default(),
            approved: BTreeSet::new(),
            retention: DAY * 30,
            listed_but_gone: DAY * 30,
        }
    }
}

impl PruneMode {
    /// Complete runs that must have found a page gone, this one included, and the time between the
    /// first and this one.
    pub(super) fn patience(self, soft: bool) -> (u32, Duration) {
        const HOUR: Duration = Duration::from_secs(60 * 60);
        match (self, soft) {
            (PruneMode::Cautious, false) => (3, HOUR * 48),
            (PruneMode::Cautious, true) => (5, HOUR * 24 * 7),
            (_, false) => (1, Duration::ZERO),
            (_, true) => (2, Duration::ZERO),
        }
    }
}

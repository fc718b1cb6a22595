//! What a sync is asked to do.

use std::time::Duration;

use wholesite_discovery::Options;
use wholesite_store::SiteKey;

use crate::prune::Policy;

/// Everything that a sync is asked to do. [`Job::new`] gives sane defaults.
#[derive(Debug, Clone)]
pub struct Job {
    /// The site, as the store names it.
    pub site: SiteKey,
    /// What the user typed, for reports.
    pub source: String,
    /// Names this run; ids must sort by time and be unique within a site.
    pub run: String,
    /// The process that does it, for people who find the site busy.
    pub process: u32,
    /// How to discover. `run` and `probe` are set by the engine.
    pub discovery: Options,
    /// When pages are withdrawn.
    pub policy: Policy,
    /// Pages under way at once.
    pub concurrency: usize,
    /// The longest page, in bytes after decompression.
    pub max_page_bytes: u64,
    /// Fetch everything, whatever the validators say.
    pub full: bool,
    /// Only pages that failed last time; nothing is withdrawn.
    pub only_failed: bool,
    /// Write nothing.
    pub dry_run: bool,
    /// Digest of everything in the configuration that bears on which pages are listed and what their
    /// text is. Validators and absences of another fingerprint don't count.
    pub fingerprint: String,
    /// How long the lease on the site lasts unless it is renewed, which happens three times as often.
    pub lease: Duration,
    /// Where chance comes from: path segments that no site can have are made of it.
    pub entropy: u64,
}

impl Job {
    /// A sync of `site` with the defaults.
    pub fn new(site: SiteKey, run: impl Into<String>) -> Self {
        Job {
            source: site.to_string(),
            site,
            run: run.into(),
            process: 0,
            discovery: Options::default(),
            policy: Policy::default(),
            concurrency: 32,
            max_page_bytes: 16 << 20,
            full: false,
            only_failed: false,
            dry_run: false,
            fingerprint: String::new(),
            lease: Duration::from_secs(60),
            entropy: 0x5eed,
        }
    }

    /// The rules that make a page's text.
    pub(crate) fn made_by(&self) -> String {
        format!("{}:{}", wholesite_clean::VERSION, self.fingerprint)
    }

    /// A path segment that nobody can have made; another one for each `salt`.
    pub(crate) fn probe(&self, salt: u64) -> String {
        let mix = |value: u64| {
            let mut z = value.wrapping_add(0x9e37_79b9_7f4a_7c15);
            z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
            z ^ (z >> 31)
        };
        let first = mix(self.entropy ^ mix(salt));
        format!("wholesite-probe-{first:016x}{:016x}", mix(first ^ self.entropy))
    }
}

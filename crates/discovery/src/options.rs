//! What the user asked for: globs, limits, robots, strictness.

use globset::{GlobBuilder, GlobSet, GlobSetBuilder};
use wholesite_address::SiteUrl;
use wholesite_source_folders::{Generator, UnknownGenerator};

/// How a discovery is to be made. The default obeys robots.txt, takes the whole site, and has
/// limits far above the largest known sites.
#[derive(Debug, Clone)]
pub struct Options {
    /// Names this run in the proof; any text that the caller finds unique.
    pub run: String,
    /// Take only addresses that match; empty means all.
    pub include: Globs,
    /// Leave out addresses that match; wins over `include`.
    pub exclude: Globs,
    /// Off-site addresses that are known and fine.
    pub allow_offsite: Globs,
    /// The base path, where it is not to be inferred from the seed.
    pub base_path: Option<String>,
    /// The product token that robots.txt groups are matched with (RFC 9309 §2.2.1).
    pub user_agent: String,
    /// Whether robots.txt is obeyed.
    pub robots: RobotsPolicy,
    /// Off-site and invalid links block wherever they stand, not only where a document claims them
    /// as pages of the set.
    pub strict: bool,
    /// A path segment that no site has, for telling real answers from catch-all ones. Callers with
    /// randomness at hand should make a new one for each run.
    pub probe: String,
    /// Whose source folder it is, where that is not to be told from its files.
    pub generator: Option<FolderGenerator>,
    /// A source folder is served where its own configuration says, if it says so.
    pub configured_site: bool,
    /// Upper bounds.
    pub limits: Limits,
}

/// The generators whose source folders can be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum FolderGenerator {
    /// Mintlify.
    Mintlify,
    /// Another one.
    Other(Generator),
}

impl FolderGenerator {
    /// All of them, by their names.
    pub fn all() -> impl Iterator<Item = FolderGenerator> {
        std::iter::once(FolderGenerator::Mintlify).chain(Generator::ALL.map(FolderGenerator::Other))
    }

    /// The name that flags use.
    pub fn name(self) -> &'static str {
        match self {
            FolderGenerator::Mintlify => "mintlify",
            FolderGenerator::Other(generator) => generator.name(),
        }
    }
}

impl std::str::FromStr for FolderGenerator {
    type Err = UnknownGenerator;

    fn from_str(text: &str) -> Result<Self, UnknownGenerator> {
        let same = |generator: &FolderGenerator| generator.name().eq_ignore_ascii_case(text);
        FolderGenerator::all().find(same).ok_or_else(|| UnknownGenerator(text.to_owned()))
    }
}

/// Whether robots.txt is obeyed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum RobotsPolicy {
    /// RFC 9309.
    #[default]
    Obey,
    /// For one's own site: its rules are not asked, only its `Sitemap:` lines.
    Ignore,
}

/// Every upper bound of a discovery. Running into one is a blocker, never a silent cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Indexes read (`--max-indexes`); blocker `index_limit`.
    pub indexes: usize,
    /// How deep indexes may nest (`--max-index-depth`); blocker `depth_limit`.
    pub index_depth: u32,
    /// Pages (`--max-pages`); blocker `page_limit`.
    pub pages: usize,
    /// Links away from the start that an HTML crawl goes (`--max-depth`); blocker `depth_limit`.
    pub crawl_depth: u32,
    /// Bytes of one index after decompression (`--max-index-bytes`); blocker `size_limit`.
    pub index_bytes: u64,
    /// Bytes of one page after decompression (`--max-page-bytes`); blocker `size_limit`.
    pub page_bytes: u64,
    /// Hops of one redirect chain (`--max-redirects`); blocker `redirect_fault`.
    pub redirects: usize,
    /// Blockers of one kind that a report names one by one; the rest are counted in one line.
    pub blockers_per_code: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            indexes: 50_000,
            index_depth: 32,
            pages: 5_000_000,
            crawl_depth: 64,
            index_bytes: 64 << 20,
            page_bytes: 16 << 20,
            redirects: 10,
            blockers_per_code: 100,
        }
    }
}

impl Default for Options {
    fn default() -> Self {
        Options {
            run: "run".to_owned(),
            include: Globs::default(),
            exclude: Globs::default(),
            allow_offsite: Globs::default(),
            base_path: None,
            user_agent: "wholesite".to_owned(),
            robots: RobotsPolicy::Obey,
            strict: false,
            probe: "wholesite-probe-7f3a9c51e2".to_owned(),
            generator: None,
            configured_site: false,
            limits: Limits::default(),
        }
    }
}

/// A set of globs, matched against a whole URL and against its path. `*` stays within one path
/// segment, `**` crosses them.
#[derive(Debug, Clone, Default)]
pub struct Globs {
    set: GlobSet,
    patterns: Vec<String>,
}

impl Globs {
    /// Compiles patterns such as `/guides/**` or `https://cdn.example.com/**`.
    ///
    /// # Errors
    /// The first pattern that is no glob, with the reason.
    pub fn new<S: AsRef<str>>(patterns: impl IntoIterator<Item = S>) -> Result<Self, globset::Error> {
        let mut builder = GlobSetBuilder::new();
        let mut kept = Vec::new();
        for pattern in patterns {
            let pattern = pattern.as_ref();
            builder.add(GlobBuilder::new(pattern).literal_separator(true).build()?);
            kept.push(pattern.to_owned());
        }
        Ok(Globs { set: builder.build()?, patterns: kept })
    }

    /// Whether no pattern was given.
    pub fn is_empty(&self) -> bool {
        self.patterns.is_empty()
    }

    /// The patterns as given.
    pub fn patterns(&self) -> &[String] {
        &self.patterns
    }

    /// Whether any pattern matches the URL or its path.
    pub fn matches(&self, url: &SiteUrl) -> bool {
        !self.is_empty() && (self.set.is_match(url.as_str()) || self.set.is_match(url.path()))
    }
}

impl Options {
    /// Whether the user's own globs leave this address out.
    pub(crate) fn excludes(&self, url: &SiteUrl) -> bool {
        self.exclude.matches(url) || (!self.include.is_empty() && !self.include.matches(url))
    }
}

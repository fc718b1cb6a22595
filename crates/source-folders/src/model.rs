//! What a source folder says, as values.

use std::fmt;
use std::str::FromStr;

use wholesite_address::{Fold, Place};

/// The generators whose folders can be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Generator {
    /// MkDocs, with or without Material.
    MkDocs,
    /// mdBook.
    MdBook,
    /// GitBook with Git Sync, and the older GitBook and HonKit tools.
    GitBook,
    /// VitePress.
    VitePress,
    /// Docusaurus 2 and 3.
    Docusaurus,
    /// Starlight, on Astro.
    Starlight,
    /// Fumadocs.
    Fumadocs,
    /// Nextra 2 to 4.
    Nextra,
    /// Sphinx: sources, or a built site with its inventory.
    Sphinx,
}

impl Generator {
    /// All of them.
    pub const ALL: [Generator; 9] = [
        Generator::MkDocs,
        Generator::MdBook,
        Generator::GitBook,
        Generator::VitePress,
        Generator::Docusaurus,
        Generator::Starlight,
        Generator::Fumadocs,
        Generator::Nextra,
        Generator::Sphinx,
    ];

    /// The name that flags and reports use.
    pub fn name(self) -> &'static str {
        match self {
            Generator::MkDocs => "mkdocs",
            Generator::MdBook => "mdbook",
            Generator::GitBook => "gitbook",
            Generator::VitePress => "vitepress",
            Generator::Docusaurus => "docusaurus",
            Generator::Starlight => "starlight",
            Generator::Fumadocs => "fumadocs",
            Generator::Nextra => "nextra",
            Generator::Sphinx => "sphinx",
        }
    }

    /// The name as its makers write it.
    pub fn title(self) -> &'static str {
        match self {
            Generator::MkDocs => "MkDocs",
            Generator::MdBook => "mdBook",
            Generator::GitBook => "GitBook",
            Generator::VitePress => "VitePress",
            Generator::Docusaurus => "Docusaurus",
            Generator::Starlight => "Starlight",
            Generator::Fumadocs => "Fumadocs",
            Generator::Nextra => "Nextra",
            Generator::Sphinx => "Sphinx",
        }
    }

    /// Which spellings of an address mean the same page on the hosts that these sites are served from.
    pub fn fold(self) -> Fold {
        match self {
            // `/a/` and `/a/index.html` are one file; a static host sends `/a` to `/a/`.
            Generator::MkDocs => {
                Fold { trailing_slash: true, index: false, html: true, markdown_twin: false }
            }
            Generator::MdBook | Generator::Sphinx => {
                Fold { trailing_slash: false, index: false, html: true, markdown_twin: false }
            }
            Generator::GitBook | Generator::Fumadocs => {
                Fold { trailing_slash: true, index: false, html: true, markdown_twin: true }
            }
            // `/a` and `/a.html` are one file; hosts differ in what they do with a final slash.
            Generator::VitePress | Generator::Docusaurus | Generator::Starlight | Generator::Nextra => {
                Fold { trailing_slash: true, index: false, html: true, markdown_twin: false }
            }
        }
    }
}

impl fmt::Display for Generator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A name that is no [`Generator`].
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("no generator is called {0:?}")]
pub struct UnknownGenerator(pub String);

impl FromStr for Generator {
    type Err = UnknownGenerator;

    fn from_str(text: &str) -> Result<Self, UnknownGenerator> {
        let same = |generator: &Generator| generator.name().eq_ignore_ascii_case(text);
        Generator::ALL.into_iter().find(same).ok_or_else(|| UnknownGenerator(text.to_owned()))
    }
}

/// A source folder, read.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Source {
    /// Where the configuration says that the site is served, where it says so: an absolute URL with the base path.
    pub site_url: Option<String>,
    /// The base path of the site as configured: empty, or `/docs` without a final slash.
    pub base_path: String,
    /// The pages, in the order of the navigation; those it does not list come last, in file order.
    pub pages: Vec<SourcePage>,
    /// Every entry of the navigation, in its order.
    pub entries: Vec<NavEntry>,
    /// Addresses that redirect to a page.
    pub aliases: Vec<Alias>,
    /// Page-like files that make no page, with the reason.
    pub not_pages: Vec<(String, String)>,
    /// Addresses that more than one file claims.
    pub collisions: Vec<Collision>,
    /// What makes this reading incomplete.
    pub blockers: Vec<Blocker>,
    /// What is worth knowing and loses nothing.
    pub notes: Vec<String>,
}

/// One page of the site.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourcePage {
    /// Its path below the base, with a leading `/`, percent-encoded, in the spelling that the generator links to.
    pub url_path: String,
    /// The file that makes it, below the root of the folder.
    pub file: String,
    /// It has no file of its own: a list that the generator makes, because `file` says so.
    pub generated: bool,
    /// Its title: the page's own, else the navigation's, else one made of its file name.
    pub title: String,
    /// Whether the navigation lists it.
    pub listed: bool,
}

/// One entry of the navigation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NavEntry {
    /// The file that holds it.
    pub file: String,
    /// Where in that file.
    pub place: Place,
    /// The target as written.
    pub text: String,
    /// The label, where it has one.
    pub label: Option<String>,
    /// What it leads to.
    pub resolution: Resolution,
}

/// What an entry of the navigation leads to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Resolution {
    /// A page of the folder: its [`SourcePage::url_path`].
    Page(String),
    /// No file of the folder makes it.
    Missing,
    /// A file of the folder that is no page: what it is instead.
    NotAPage(String),
    /// An absolute address.
    External,
    /// A label without a target: a heading, a draft, a separator.
    Label,
}

/// An old address of a page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Alias {
    /// The old path, as in [`SourcePage::url_path`].
    pub from: String,
    /// The page's path.
    pub to: String,
}

/// One address, claimed by several files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Collision {
    /// The address, as in [`SourcePage::url_path`].
    pub url_path: String,
    /// The files, the one taken first.
    pub files: Vec<String>,
}

/// Something that makes a reading incomplete.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Blocker {
    /// The kind.
    pub kind: BlockerKind,
    /// The file that is at fault.
    pub file: String,
    /// Where in that file.
    pub at: Option<Place>,
    /// What and why, for people.
    pub message: String,
}

/// Kinds of blockers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum BlockerKind {
    /// A file of the configuration is not there.
    ConfigMissing,
    /// A file that has to be read could not be.
    Unreadable,
    /// A file of the configuration can't be understood.
    Invalid,
    /// Only running the site's own code would tell.
    NeedsRunning,
    /// The configuration names something that is not in the folder.
    Outside,
    /// The configuration is too deep or too large to read to its end.
    Limit,
}

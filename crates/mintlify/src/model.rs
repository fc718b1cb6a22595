//! What a source folder turned out to say. Plain values, filled by [`crate::SourceReading`].

use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::sync::Arc;

use wholesite_address::Place;

use crate::redirects::{Followed, Redirects};

/// A Mintlify source folder, read to its end.
///
/// Nothing here is a verdict: whether the folder as a whole counts as complete is decided by the caller, from
/// [`Source::blockers`], [`Source::collisions`] and the resolution of each entry.
#[derive(Debug, Clone)]
pub struct Source {
    /// The configuration file, or what is wrong with it.
    pub config: Config,
    /// Every page string and `href` of the navigation, in reading order (a group's `root` before its pages).
    pub entries: Vec<NavEntry>,
    /// Every page the host serves: those from files, in order of path, then those made from API descriptions. No two
    /// have the same `url_path`.
    pub pages: Vec<SourcePage>,
    /// Every Markdown file that is no page, and every generated-file override, with the reason; in order of path.
    /// Pictures, specs and other assets are not listed.
    pub not_pages: Vec<(String, Reason)>,
    /// The redirect rules, in file order.
    pub redirects: Redirects,
    /// What makes this reading incomplete, whatever else was found.
    pub blockers: Vec<Blocker>,
    /// Addresses that two or more page files claim.
    pub collisions: Vec<Collision>,
    /// Oddities that lose nothing.
    pub notes: Vec<Note>,
    /// `seo.indexing: "all"` (legacy `seo.indexHiddenPages`): hidden and unlisted pages are in llms.txt and the
    /// sitemap too.
    pub index_all: bool,
    pub(crate) labels: Vec<LabelNode>,
    pub(crate) by_url: HashMap<String, usize>,
}

/// The configuration file of a docs root. `docs.json` wins over `mint.json`, even when it is broken.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Config {
    /// Read as JSON.
    Read {
        /// Path below the docs root.
        file: String,
        /// Which of the two grammars.
        format: ConfigFormat,
        /// The site's `name`, if it is a text.
        name: Option<String>,
    },
    /// The folder holds neither file.
    Missing,
    /// The file is there and could not be had or is no JSON object; also among the blockers.
    Broken {
        /// Path below the docs root.
        file: String,
        /// Why.
        why: String,
        /// Where the JSON goes wrong; `None` where the file could not be read at all.
        at: Option<Place>,
    },
}

/// The two grammars of a Mintlify configuration.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ConfigFormat {
    /// `docs.json`: nested divisions.
    Docs,
    /// Legacy `mint.json`: a flat list of groups; tabs and anchors are path prefixes.
    Mint,
}

/// One page string or `href` of the navigation, with everything that is known of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NavEntry {
    /// The text as it stands in the file, unescaped.
    pub text: String,
    /// The JSON file it stands in, below the docs root.
    pub file: Arc<str>,
    /// Byte range of the JSON string, quotes included.
    pub span: Range<usize>,
    /// Line and column of its opening quote.
    pub place: Place,
    /// What kind of entry.
    pub kind: EntryKind,
    /// `hidden` of the nearest node that sets it. Front matter of the page goes before; see [`SourcePage::hidden`].
    pub hidden: bool,
    /// `searchable` of the nearest node that sets it.
    pub searchable: Option<bool>,
    /// What the entry leads to.
    pub resolution: Resolution,
    pub(crate) label: Option<u32>,
}

/// The kind of a navigation entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EntryKind {
    /// A page string, or a group's `root`.
    Page,
    /// `METHOD /path` or `spec METHOD /path`: a page made from an API description.
    Endpoint {
        /// The description named in the entry itself.
        spec: Option<String>,
        /// Lower-case HTTP method.
        method: String,
        /// Path as written.
        path: String,
    },
    /// `webhook NAME` or `spec webhook NAME`.
    Webhook {
        /// The description named in the entry itself.
        spec: Option<String>,
        /// Name as written.
        name: String,
    },
    /// A channel of an AsyncAPI description that a node declares as a whole.
    Channel {
        /// Its name in the description.
        name: String,
    },
    /// An `href`: a link in the sidebar, not a claim that the page belongs to the site.
    Href,
}

/// What a navigation entry leads to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Resolution {
    /// A page of the folder; the slug of [`SourcePage::slug`].
    Page(String),
    /// No file of that name. Mintlify keeps such an entry in the sidebar; its address is not served, unless a
    /// redirect or a generated page answers there.
    MissingFile,
    /// The file is there and is ignored, or is a kind of file that is never a page.
    Ignored(String),
    /// The file is there and is a snippet.
    Snippet(String),
    /// A page made from an API description that is not known; a blocker says why.
    Generated,
    /// An absolute URL, `mailto:` or the like: leads out of the folder. For a page string ([`EntryKind::Page`])
    /// Mintlify makes a bogus path of it, yet a page was meant.
    External,
    /// Only a fragment, or empty: leads nowhere.
    InPage,
}

/// One page that the host serves.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourcePage {
    /// File path less its extension: `guides/index`.
    pub slug: String,
    /// Path on the host, without the base path of the site: starts with `/`, a trailing `/index` is folded, the home
    /// page is `/`, percent-encoded as a URL path needs it.
    pub url_path: String,
    /// The file, below the docs root; the API description of a page that is made from one.
    pub file: String,
    /// Made from an API description: it has no file of its own.
    pub generated: bool,
    /// Front matter `title`, else made from the last segment of the slug as Mintlify does.
    pub title: String,
    /// Whether `title` came from the front matter.
    pub titled: bool,
    /// Left out of the sidebar: front matter `hidden`, else hidden at one of its places at least. Served all the same.
    pub hidden: bool,
    /// Hidden, yet kept in sitemap and llms.txt by `searchable: true`.
    pub searchable: bool,
    /// Front matter `noindex`: in the sidebar, in neither sitemap nor llms.txt. Served.
    pub noindex: bool,
    /// Front matter `deprecated`.
    pub deprecated: bool,
    /// Front matter `url` with an absolute URL: the entry links out and the file has no content of its own worth
    /// keeping; hosts answer its own address with a redirect or not at all.
    pub external_url: Option<String>,
    /// Front matter `openapi`, `api` or `asyncapi` as written: a hand-written page about an operation.
    pub api: Option<String>,
    /// Restricted to reader `groups` (front matter): not public on sites with sign-in.
    pub restricted: bool,
    /// Where the navigation lists it: indexes into [`Source::entries`]; empty for a page that is not listed.
    pub occurrences: Vec<usize>,
}

/// Why a file is no page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reason {
    /// Under `snippets/` or `_snippets/` at the docs root.
    SnippetFolder,
    /// Imported by that page or snippet.
    ImportedBy(String),
    /// Under a path that every Mintlify site ignores; the pattern.
    BuiltInIgnore(&'static str),
    /// Excluded by this line of `.mintignore`.
    MintIgnore(String),
    /// `readme.md`, `license.md`, `contributing.md`, `contribute.md`.
    RepositoryFile,
    /// A skill file for agents.
    Skill,
    /// `llms.txt`, `llms-full.txt`, `robots.txt` or `sitemap.xml`: served in place of the generated file.
    Override,
    /// Another file claims the same address and goes before; also among the collisions.
    Shadowed(String),
}

/// An address that more than one page file claims.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Collision {
    /// The address, as in [`SourcePage::url_path`].
    pub url_path: String,
    /// The files, the one taken first.
    pub files: Vec<String>,
}

/// Something that makes the reading incomplete.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Blocker {
    /// The kind.
    pub kind: BlockerKind,
    /// The file that names it, below the docs root.
    pub file: String,
    /// Where in that file; `None` where it concerns the file as a whole.
    pub at: Option<Place>,
    /// What and why, for people.
    pub message: String,
}

/// Kinds of blockers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum BlockerKind {
    /// Neither docs.json nor mint.json.
    ConfigMissing,
    /// A file of the configuration is no JSON, or is nested beyond reading.
    InvalidJson,
    /// The configuration holds no navigation that can be read.
    NoNavigation,
    /// A file that has to be read could not be.
    Unreadable,
    /// The target of a `$ref`, a description, or an operation is not where it is said to be.
    RefMissing,
    /// A `$ref` that leaves the folder, starts with `/`, or is a URL.
    RefEscapes,
    /// A `$ref` that leads back to its own file.
    RefCycle,
    /// `sourceRef`: navigation that stands in another repository.
    SourceRef,
    /// An API description on another host.
    RemoteSpec,
    /// Pages made from a description that can't be followed: of another kind, or changed by overlays.
    GeneratedPages,
    /// The navigation is too deep or too large to walk to its end.
    Limit,
}

/// Something worth knowing that loses nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Note {
    /// The kind.
    pub kind: NoteKind,
    /// The file, below the docs root.
    pub file: String,
    /// Where in that file.
    pub at: Option<Place>,
    /// What, for people.
    pub message: String,
}

/// Kinds of notes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum NoteKind {
    /// A page string without a served page.
    DeadEntry,
    /// JSON with comments or trailing commas: Mintlify itself would refuse it.
    LooseJson,
    /// Front matter that is no YAML mapping.
    FrontMatter,
    /// A redirect rule that is not understood, is doubled, or stands over a live page.
    Redirect,
    /// A line of `.mintignore` that is no pattern.
    IgnorePattern,
    /// A part of the navigation with an unexpected shape.
    Navigation,
}

/// A literal redirect rule whose final target is a page of the folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Alias {
    /// The old path, as in [`SourcePage::url_path`].
    pub from: String,
    /// The page it ends at, as in [`SourcePage::url_path`].
    pub to: String,
}

/// One label on the way from the root of the navigation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct LabelNode {
    pub(crate) parent: Option<u32>,
    pub(crate) text: Arc<str>,
}

impl Source {
    /// Completes a source with what is derived from its parts.
    pub(crate) fn new(mut source: Source) -> Source {
        source.by_url = source.pages.iter().zip(0..).map(|(page, at)| (page.url_path.clone(), at)).collect();
        source
    }

    /// The labels above an entry, outermost first: language, version, tab, group …
    pub fn breadcrumb(&self, entry: &NavEntry) -> Vec<&str> {
        let mut labels = Vec::new();
        let mut next = entry.label;
        while let Some(node) = next.and_then(|at| self.labels.get(at as usize)) {
            labels.push(&*node.text);
            next = node.parent;
        }
        labels.reverse();
        labels
    }

    /// The page served under a path (as in [`SourcePage::url_path`]).
    pub fn page_at(&self, url_path: &str) -> Option<&SourcePage> {
        self.by_url.get(url_path).map(|at| &self.pages[*at])
    }

    /// The old addresses of pages: literal redirect rules that end at a page of the folder, in file order. A rule whose
    /// source is itself a page makes no alias, and a wildcard is a rule, not a list.
    pub fn aliases(&self) -> Vec<Alias> {
        let mut seen = HashSet::new();
        let is_page = |path: &str| self.by_url.contains_key(path);
        (self.redirects.literal())
            .filter(|(from, _)| seen.insert(from.clone()))
            .filter_map(|(from, _)| match self.redirects.follow_until(&from, is_page) {
                Followed::Final { path, .. } if is_page(&path) => Some(Alias { from, to: path }),
                _ => None,
            })
            .collect()
    }

    /// Whether Mintlify puts the page into the sitemap and into llms.txt (the flat form of which still leaves out
    /// other languages and versions).
    pub fn is_indexed(&self, page: &SourcePage) -> bool {
        let shown = !page.occurrences.is_empty() && (!page.hidden || page.searchable);
        page.external_url.is_none() && !page.noindex && (self.index_all || shown)
    }
}

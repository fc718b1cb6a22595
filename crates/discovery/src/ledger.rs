//! The account of every link of every document read.

use std::collections::BTreeMap;

use wholesite_address::{Place, SiteUrl};
use wholesite_extract::{Role, Syntax};

use crate::blocker::Excerpt;
use crate::disposition::{Disposition, Why};

/// Position of a document in [`Ledger::documents`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct DocumentId(pub(crate) u32);

/// What a document is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum DocumentKind {
    /// robots.txt.
    Robots,
    /// llms.txt, or a nested index of its kind.
    LlmsTxt,
    /// A sitemap, a sitemap index, or a feed that serves as one.
    Sitemap,
    /// A navigation: docs.json or mint.json.
    Navigation,
    /// An HTML page that was read for its links.
    Html,
    /// The head of an HTML page and the headers it came with: canonical, alternates, hints.
    Head,
    /// A Markdown page.
    Markdown,
    /// An MDX page.
    Mdx,
    /// The listing of a source folder.
    Folder,
}

impl DocumentKind {
    /// The name on every wire.
    pub fn name(self) -> &'static str {
        match self {
            DocumentKind::Robots => "robots",
            DocumentKind::LlmsTxt => "llms_txt",
            DocumentKind::Sitemap => "sitemap",
            DocumentKind::Navigation => "docs_json",
            DocumentKind::Html => "html",
            DocumentKind::Head => "head",
            DocumentKind::Markdown => "markdown",
            DocumentKind::Mdx => "mdx",
            DocumentKind::Folder => "folder",
        }
    }

    /// Whether documents of this kind claim pages by listing them.
    pub fn is_index(self) -> bool {
        matches!(self, DocumentKind::LlmsTxt | DocumentKind::Sitemap | DocumentKind::Navigation)
    }
}

/// How far a document could be used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DocumentState {
    /// Read to its end and understood.
    Whole,
    /// Read, but cut off or partly not understood.
    Part(String),
    /// There is no such document (404, or the answer for unknown paths).
    Absent(String),
    /// It could not be read or is none; nothing is known of its content.
    Unusable(String),
}

impl DocumentState {
    /// The name on every wire.
    pub fn name(&self) -> &'static str {
        match self {
            DocumentState::Whole => "whole",
            DocumentState::Part(_) => "part",
            DocumentState::Absent(_) => "absent",
            DocumentState::Unusable(_) => "unusable",
        }
    }

    /// Why it is not whole; empty where it is.
    pub fn why(&self) -> &str {
        match self {
            DocumentState::Whole => "",
            DocumentState::Part(why) | DocumentState::Absent(why) | DocumentState::Unusable(why) => why,
        }
    }
}

/// One document that discovery asked for because of its links.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Document {
    /// Its URL, or its path in a source folder.
    pub name: String,
    /// What it is.
    pub kind: DocumentKind,
    /// How far it could be used.
    pub state: DocumentState,
    /// How many indexes lead to it; 0 for a root.
    pub depth: u32,
    /// Expressions in link position whose value only running the page would tell.
    pub dynamic_links: u32,
    /// Things that a person may want to know of it, each with its line.
    pub oddities: Vec<(u32, String)>,
}

/// One link, with its place and what became of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// The document it stood in.
    pub document: DocumentId,
    /// Line and column in that document.
    pub place: Place,
    /// What the document says by listing it.
    pub role: Role,
    /// The construct.
    pub syntax: Syntax,
    /// The reference as written, where it differs from the address.
    pub href: Option<Box<str>>,
    /// The address, where there is one.
    pub url: Option<SiteUrl>,
    /// The label, where there is one.
    pub title: Option<Box<str>>,
    /// What it counts as.
    pub disposition: Disposition,
    /// Why.
    pub why: Why,
    /// The source line, kept where a person will have to look at it.
    pub excerpt: Option<Box<Excerpt>>,
}

impl Entry {
    /// The reference as written.
    pub fn href(&self) -> &str {
        match (&self.href, &self.url) {
            (Some(href), _) => href,
            (None, Some(url)) => url.as_str(),
            (None, None) => "",
        }
    }
}

/// Every document and every link. It balances by construction: an entry has one disposition, and
/// counts are sums over entries.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Ledger {
    pub(crate) documents: Vec<Document>,
    pub(crate) entries: Vec<Entry>,
}

impl Ledger {
    /// The documents, in the order in which they were asked for.
    pub fn documents(&self) -> &[Document] {
        &self.documents
    }

    /// The links: by document, then in document order.
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// The document that an entry stood in.
    pub fn document(&self, id: DocumentId) -> &Document {
        &self.documents[id.0 as usize]
    }

    /// How many links have each disposition; every disposition is there, also with 0.
    pub fn counts(&self) -> BTreeMap<Disposition, usize> {
        let mut counts: BTreeMap<_, _> = Disposition::ALL.into_iter().map(|d| (d, 0)).collect();
        for entry in &self.entries {
            *counts.entry(entry.disposition).or_default() += 1;
        }
        counts
    }

    pub(crate) fn add_document(&mut self, document: Document) -> DocumentId {
        let id = DocumentId(self.documents.len() as u32);
        self.documents.push(document);
        id
    }
}

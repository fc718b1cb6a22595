//! The report of a discovery: `discover --format json` and `--format ndjson`.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use wholesite_discovery::{At, Blocker, Entry, Evidence, Inventory, Ledger, Page};

use crate::SCHEMA_VERSION;

/// A whole report.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Report {
    /// What holds for the whole discovery.
    #[serde(flatten)]
    pub summary: Summary,
    /// Every page once, sorted by path.
    pub pages: Vec<PageRecord>,
    /// Every blocker; empty where the discovery is complete.
    pub blockers: Vec<BlockerRecord>,
    /// Every link, if asked for; else empty.
    pub links: Vec<LedgerLink>,
}

/// The part of a report that does not grow with the site.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Summary {
    /// [`SCHEMA_VERSION`].
    pub schema_version: u32,
    /// What was discovered, as the user named it.
    pub source: String,
    /// Origin and base path of the site.
    pub site: String,
    /// Whether this is all of the site.
    pub complete: bool,
    /// `documents`, `links`, and one count for each disposition; the dispositions sum up to `links`.
    pub counts: BTreeMap<String, usize>,
    /// What the decision rests on.
    pub evidence: EvidenceRecord,
}

/// What a decision rests on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct EvidenceRecord {
    /// `listed`, `crawled` or `folder`.
    pub mode: String,
    /// The documents that list pages.
    pub sources: Vec<SourceRecord>,
    /// What the site answers to paths that can't exist.
    pub unknown_paths: String,
    /// Which spellings are one page, and how that is known.
    pub spellings: Vec<String>,
    /// Other things worth knowing.
    pub notes: Vec<String>,
}

/// One document's part in the evidence.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SourceRecord {
    /// URL or path.
    pub document: String,
    /// `llms_txt`, `sitemap`, `robots`, `docs_json`, `html` …
    pub kind: String,
    /// `whole`, `part`, `absent` or `unusable`.
    pub state: String,
    /// Links in it.
    pub links: usize,
    /// Pages that it was the first to name.
    pub first_named: usize,
}

/// One page.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PageRecord {
    /// Store path: begins with `/`, ends in `.md`; the home page is `/index.md`.
    pub path: String,
    /// The address for people.
    pub url: String,
    /// The address to fetch.
    pub fetch_url: String,
    /// The title that an index gave.
    pub title: Option<String>,
    /// Addresses that lead to it for good.
    pub aliases: Vec<String>,
    /// The first places where it was named (at most 20).
    pub found_in: Vec<PlaceRecord>,
    /// How often it was named altogether.
    pub mentions: usize,
    /// The file of a source folder that makes it.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub file: Option<String>,
}

/// A place in a document; lines and columns count from 1, columns in characters.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlaceRecord {
    /// URL or path.
    pub document: String,
    /// Line.
    pub line: u32,
    /// Column.
    pub column: u32,
}

/// One blocker.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct BlockerRecord {
    /// The kind.
    pub code: String,
    /// The address concerned.
    pub url: String,
    /// Where it stands, if it stands in a document.
    pub at: Option<PlaceRecord>,
    /// What is wrong and why that matters.
    pub message: String,
    /// What can be done.
    pub help: String,
}

/// One link of the ledger.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LedgerLink {
    /// The document it stood in.
    pub document: String,
    /// Line.
    pub line: u32,
    /// Column.
    pub column: u32,
    /// As written.
    pub href: String,
    /// The address, where there is one.
    pub url: Option<String>,
    /// What it counts as.
    pub disposition: String,
    /// Why.
    pub why: String,
    /// Its label, where the document is an index.
    pub title: Option<String>,
}

/// One line of `--format ndjson`: any number of pages, blockers and links, then one summary.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Line {
    /// A page.
    Page(PageRecord),
    /// A blocker.
    Blocker(BlockerRecord),
    /// A link.
    Link(LedgerLink),
    /// The last line.
    Summary(Summary),
}

impl Report {
    /// The report of an inventory, with every link if `links`.
    pub fn of(inventory: &Inventory, links: bool) -> Self {
        let ledger = inventory.ledger();
        Report {
            summary: Summary::of(inventory),
            pages: inventory.pages().iter().map(|page| PageRecord::of(page, ledger)).collect(),
            blockers: inventory.blockers().iter().map(BlockerRecord::of).collect(),
            links: if links { ledger_links(ledger).collect() } else { Vec::new() },
        }
    }

    /// The same as lines.
    pub fn lines(inventory: &Inventory, links: bool) -> impl Iterator<Item = Line> {
        let ledger = inventory.ledger();
        let pages = inventory.pages().iter().map(|page| Line::Page(PageRecord::of(page, ledger)));
        let blockers = inventory.blockers().iter().map(|blocker| Line::Blocker(BlockerRecord::of(blocker)));
        let links = ledger_links(ledger).filter(move |_| links).map(Line::Link);
        pages
            .chain(blockers)
            .chain(links)
            .chain(std::iter::once_with(|| Line::Summary(Summary::of(inventory))))
    }
}

impl Summary {
    /// The summary of an inventory.
    pub fn of(inventory: &Inventory) -> Self {
        let ledger = inventory.ledger();
        let mut counts: BTreeMap<String, usize> = ledger
            .counts()
            .into_iter()
            .map(|(disposition, count)| (disposition.name().to_owned(), count))
            .collect();
        counts.insert("documents".to_owned(), ledger.documents().len());
        counts.insert("links".to_owned(), ledger.entries().len());
        Summary {
            schema_version: SCHEMA_VERSION,
            source: inventory.source().to_owned(),
            site: inventory.scope().to_string(),
            complete: inventory.is_complete(),
            counts,
            evidence: EvidenceRecord::of(inventory.evidence()),
        }
    }
}

impl EvidenceRecord {
    fn of(evidence: &Evidence) -> Self {
        let sources = evidence.sources.iter().map(|source| SourceRecord {
            document: source.document.clone(),
            kind: source.kind.name().to_owned(),
            state: source.state.to_owned(),
            links: source.links,
            first_named: source.first_named,
        });
        EvidenceRecord {
            mode: evidence.mode.name().to_owned(),
            sources: sources.collect(),
            unknown_paths: evidence.unknown_paths.clone(),
            spellings: evidence.spellings.clone(),
            notes: evidence.notes.clone(),
        }
    }
}

impl PageRecord {
    /// The record of a page of `ledger`.
    pub fn of(page: &Page, ledger: &Ledger) -> Self {
        let found_in = page.found_in.iter().map(|mention| PlaceRecord {
            document: ledger.document(mention.document).name.clone(),
            line: mention.place.line,
            column: mention.place.column,
        });
        PageRecord {
            path: page.path.to_string(),
            url: page.url.to_string(),
            fetch_url: page.fetch_url.to_string(),
            title: page.title.as_deref().map(str::to_owned),
            aliases: page.aliases.iter().map(ToString::to_string).collect(),
            found_in: found_in.collect(),
            mentions: page.mentions,
            file: page.file.as_deref().map(str::to_owned),
        }
    }
}

impl BlockerRecord {
    /// The record of a blocker.
    pub fn of(blocker: &Blocker) -> Self {
        let place = |at: &At| PlaceRecord {
            document: at.document.clone(),
            line: at.place.line,
            column: at.place.column,
        };
        BlockerRecord {
            code: blocker.code.name().to_owned(),
            url: blocker.url.clone(),
            at: blocker.at.as_ref().map(place),
            message: blocker.message.clone(),
            help: blocker.help.clone(),
        }
    }
}

impl LedgerLink {
    /// The record of an entry of `ledger`.
    pub fn of(entry: &Entry, ledger: &Ledger) -> Self {
        LedgerLink {
            document: ledger.document(entry.document).name.clone(),
            line: entry.place.line,
            column: entry.place.column,
            href: entry.href().to_owned(),
            url: entry.url.as_ref().map(ToString::to_string),
            disposition: entry.disposition.name().to_owned(),
            why: entry.why.to_string(),
            title: entry.title.as_deref().map(str::to_owned),
        }
    }
}

fn ledger_links(ledger: &Ledger) -> impl Iterator<Item = LedgerLink> {
    ledger.entries().iter().map(|entry| LedgerLink::of(entry, ledger))
}

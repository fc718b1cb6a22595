//! The pages of a site: one record for each, whatever its spellings and aliases.

use std::collections::BTreeMap;

use wholesite_address::{Fold, Scope, SiteUrl, StorePath};

use crate::ledger::DocumentId;
use wholesite_address::Place;

/// Where a page was named.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Mention {
    /// The document.
    pub document: DocumentId,
    /// Line and column in it.
    pub place: Place,
}

/// How many of a page's mentions are kept one by one.
pub const MENTIONS_KEPT: usize = 20;

/// One page of the site.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Page {
    /// The path under which a store keeps it.
    pub path: StorePath,
    /// Its address for people.
    pub url: SiteUrl,
    /// The address to fetch: the Markdown view where the site is known to have one.
    pub fetch_url: SiteUrl,
    /// The title that the first document to name it gave.
    pub title: Option<Box<str>>,
    /// Addresses that lead to it for good, sorted.
    pub aliases: Vec<SiteUrl>,
    /// The first [`MENTIONS_KEPT`] places where it was named.
    pub found_in: Vec<Mention>,
    /// How often it was named altogether.
    pub mentions: usize,
    /// The file of a source folder that makes it.
    pub file: Option<Box<str>>,
}

/// Pages by their folded address.
#[derive(Debug, Default)]
pub(crate) struct PageTable {
    fold: Fold,
    by_identity: BTreeMap<SiteUrl, Record>,
}

#[derive(Debug, Default)]
struct Record {
    spellings: Vec<SiteUrl>,
    title: Option<Box<str>>,
    aliases: Vec<SiteUrl>,
    found_in: Vec<Mention>,
    mentions: usize,
    /// The address by which an alias led here.
    led_to: Option<SiteUrl>,
    file: Option<Box<str>>,
}

impl Record {
    fn note(&mut self, mention: Mention) {
        if self.found_in.len() < MENTIONS_KEPT {
            self.found_in.push(mention);
        }
        self.mentions += 1;
    }
}

/// What a mention of a page was.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Sighting {
    First,
    Again,
    /// Again, and under a spelling that was not seen before.
    OtherSpelling,
}

impl PageTable {
    pub(crate) fn new(fold: Fold) -> Self {
        PageTable { fold, by_identity: BTreeMap::new() }
    }

    pub(crate) fn len(&self) -> usize {
        self.by_identity.len()
    }

    pub(crate) fn contains(&self, url: &SiteUrl) -> bool {
        self.by_identity.contains_key(&self.fold.apply(url))
    }

    /// Notes a mention of a page.
    pub(crate) fn mention(&mut self, url: &SiteUrl, title: Option<&str>, mention: Mention) -> Sighting {
        let record = self.by_identity.entry(self.fold.apply(url)).or_default();
        let sighting = match (record.spellings.is_empty(), record.spellings.contains(url)) {
            (true, _) => Sighting::First,
            (false, true) => Sighting::Again,
            (false, false) => Sighting::OtherSpelling,
        };
        if sighting != Sighting::Again {
            record.spellings.push(url.clone());
        }
        if record.title.is_none() {
            record.title = title.map(Into::into);
        }
        record.note(mention);
        sighting
    }

    /// Notes that a link to another address led to this page. That is no sighting of the page's own
    /// address.
    pub(crate) fn led_to(&mut self, url: &SiteUrl, title: Option<&str>, mention: Mention) {
        let record = self.by_identity.entry(self.fold.apply(url)).or_default();
        record.led_to.get_or_insert_with(|| url.clone());
        if record.title.is_none() {
            record.title = title.map(Into::into);
        }
        record.note(mention);
    }

    /// Gives a page a title that no document gave.
    pub(crate) fn title_if_missing(&mut self, url: &SiteUrl, title: &str) {
        if let Some(record) = self.by_identity.get_mut(&self.fold.apply(url)) {
            record.title.get_or_insert_with(|| title.into());
        }
    }

    /// Names the source file, where it has one, and the title of a page that was mentioned.
    pub(crate) fn made_by(&mut self, url: &SiteUrl, file: Option<&str>, title: &str) {
        if let Some(record) = self.by_identity.get_mut(&self.fold.apply(url)) {
            record.file = file.map(Into::into);
            record.title = Some(title.into());
        }
    }

    pub(crate) fn alias(&mut self, from: &SiteUrl, to: &SiteUrl) {
        if let Some(record) = self.by_identity.get_mut(&self.fold.apply(to)) {
            record.aliases.push(from.clone());
        }
    }

    /// Turns the table into pages, sorted by path.
    pub(crate) fn into_pages(self, scope: &Scope, prefer_markdown: bool) -> Vec<Page> {
        let fold = self.fold;
        let mut pages: Vec<Page> = self
            .by_identity
            .into_iter()
            .filter_map(|(identity, record)| {
                let path = StorePath::of(&identity, scope).ok()?;
                let spellings = match record.led_to {
                    Some(url) if record.spellings.is_empty() => vec![url],
                    _ => record.spellings,
                };
                let (url, fetch_url) = addresses(fold, &identity, &spellings, prefer_markdown);
                let mut aliases = record.aliases;
                aliases.sort();
                aliases.dedup();
                let (title, found_in, mentions) = (record.title, record.found_in, record.mentions);
                Some(Page { path, url, fetch_url, title, aliases, found_in, mentions, file: record.file })
            })
            .collect();
        pages.sort_by(|a, b| a.path.cmp(&b.path).then_with(|| a.url.cmp(&b.url)));
        pages
    }
}

/// The address for people and the one to fetch. Only spellings that the site itself wrote are
/// fetched: whether `/a/index.md` or `/a.md` is served differs from host to host.
fn addresses(
    fold: Fold,
    identity: &SiteUrl,
    spellings: &[SiteUrl],
    prefer_markdown: bool,
) -> (SiteUrl, SiteUrl) {
    let is_markdown = |url: &&SiteUrl| url.path().ends_with(".md") || url.path().ends_with(".mdx");
    let markdown = spellings.iter().filter(is_markdown).min();
    let plain = spellings.iter().filter(|url| !is_markdown(url)).min_by_key(|url| (*url != identity, *url));
    let url = match plain {
        Some(plain) => plain.clone(),
        None if fold.markdown_twin => identity.clone(),
        None => spellings.iter().min().unwrap_or(identity).clone(),
    };
    let fetch_url = match markdown {
        Some(markdown) if prefer_markdown => markdown.clone(),
        _ => url.clone(),
    };
    (url, fetch_url)
}

//! Puts a [`Source`] together: one record a page, whatever names it.

use std::collections::{BTreeMap, HashMap};

use wholesite_address::{LineIndex, Place};

use crate::paths::title_of;
use crate::tree::Tree;
use crate::{Alias, Blocker, BlockerKind, Collision, NavEntry, Resolution, Source, SourcePage};

/// A source under construction.
#[derive(Debug)]
pub(crate) struct Builder<'t> {
    pub(crate) tree: &'t Tree,
    source: Source,
    by_url: HashMap<String, usize>,
    by_file: HashMap<String, usize>,
    /// Pages in the order in which the navigation names them.
    order: Vec<usize>,
    collisions: BTreeMap<String, Vec<String>>,
}

impl<'t> Builder<'t> {
    pub(crate) fn new(tree: &'t Tree) -> Self {
        Builder {
            tree,
            source: Source::default(),
            by_url: HashMap::new(),
            by_file: HashMap::new(),
            order: Vec::new(),
            collisions: BTreeMap::new(),
        }
    }

    /// Sets where the configuration says that the site is served.
    pub(crate) fn served_at(&mut self, site_url: Option<String>, base_path: String) {
        self.source.site_url = site_url;
        self.source.base_path = base_path;
    }

    /// Adds a page. A second file with the same address is a collision; the first stays.
    pub(crate) fn page(&mut self, file: &str, url_path: String, title: Option<String>) {
        self.add(file, url_path, title, false);
    }

    /// Adds a page that has no file of its own: a list that the generator makes because of `cause`.
    pub(crate) fn generated(&mut self, cause: &str, url_path: String, title: String) {
        self.add(cause, url_path, Some(title), true);
    }

    fn add(&mut self, file: &str, url_path: String, title: Option<String>, generated: bool) {
        if let Some(at) = self.by_url.get(&url_path) {
            let first = self.source.pages[*at].file.clone();
            if !generated {
                self.by_file.insert(file.to_owned(), *at);
            }
            self.collisions.entry(url_path).or_insert_with(|| vec![first]).push(file.to_owned());
            return;
        }
        let at = self.source.pages.len();
        self.by_url.insert(url_path.clone(), at);
        if !generated {
            // A file may make a page in each language; its own address is the first.
            self.by_file.entry(file.to_owned()).or_insert(at);
        }
        let title = title.unwrap_or_else(|| title_of(file));
        self.source.pages.push(SourcePage {
            url_path,
            file: file.to_owned(),
            title,
            generated,
            listed: false,
        });
    }

    /// Adds a page with the title that its own file gives.
    pub(crate) fn page_of_file(&mut self, file: &str, url_path: String) {
        let title = self.tree.facts(file).and_then(|facts| facts.title());
        self.page(file, url_path, title);
    }

    /// Adds an entry of the navigation, and puts the page it leads to in order.
    pub(crate) fn entry(&mut self, entry: NavEntry) {
        if let Resolution::Page(url_path) = &entry.resolution
            && let Some(at) = self.by_url.get(url_path).copied()
            && !self.source.pages[at].listed
        {
            self.source.pages[at].listed = true;
            self.order.push(at);
        }
        self.source.entries.push(entry);
    }

    /// Puts a page in order without an entry of the navigation (generators that list folders by themselves).
    pub(crate) fn list(&mut self, url_path: &str) {
        if let Some(at) = self.by_url.get(url_path).copied()
            && !self.source.pages[at].listed
        {
            self.source.pages[at].listed = true;
            self.order.push(at);
        }
    }

    /// The address of the page that a file makes.
    pub(crate) fn address_of(&self, file: &str) -> Option<String> {
        self.by_file.get(file).map(|at| self.source.pages[*at].url_path.clone())
    }

    /// The addresses of all pages.
    pub(crate) fn addresses(&self) -> impl Iterator<Item = &str> {
        self.source.pages.iter().map(|page| page.url_path.as_str())
    }

    /// Whether a page has this address.
    pub(crate) fn is_page(&self, url_path: &str) -> bool {
        self.by_url.contains_key(url_path)
    }

    /// Adds a redirect; one from a page, to none, or to itself makes no alias.
    pub(crate) fn alias(&mut self, from: String, to: String) {
        if from != to && !self.is_page(&from) && self.is_page(&to) {
            self.source.aliases.push(Alias { from, to });
        }
    }

    pub(crate) fn not_a_page(&mut self, file: &str, why: impl Into<String>) {
        self.source.not_pages.push((file.to_owned(), why.into()));
    }

    pub(crate) fn block(
        &mut self,
        kind: BlockerKind,
        file: &str,
        at: Option<Place>,
        message: impl Into<String>,
    ) {
        self.source.blockers.push(Blocker { kind, file: file.to_owned(), at, message: message.into() });
    }

    pub(crate) fn note(&mut self, note: impl Into<String>) {
        self.source.notes.push(note.into());
    }

    /// Puts the pages in order: as the navigation lists them, then the others as they were added.
    pub(crate) fn finish(self) -> Source {
        let mut source = self.source;
        let mut rank = vec![usize::MAX; source.pages.len()];
        for (position, at) in self.order.iter().enumerate() {
            rank[*at] = position;
        }
        let mut pages: Vec<(usize, SourcePage)> =
            rank.into_iter().zip(std::mem::take(&mut source.pages)).collect();
        pages.sort_by_key(|(rank, _)| *rank);
        source.pages = pages.into_iter().map(|(_, page)| page).collect();
        source.collisions =
            self.collisions.into_iter().map(|(url_path, files)| Collision { url_path, files }).collect();
        source.not_pages.sort();
        source.not_pages.dedup();
        source.blockers.dedup();
        source
    }
}

/// Finds the places of texts that stand in a file in the order in which they are looked for, in one pass over it.
/// A text that is not found further down is looked for from the top, a bounded number of times.
#[derive(Debug)]
pub(crate) struct Places<'t> {
    text: &'t str,
    lines: LineIndex<'t>,
    from: usize,
    second_looks: u32,
}

impl<'t> Places<'t> {
    pub(crate) fn new(text: &'t str) -> Self {
        Places { text, lines: LineIndex::new(text), from: 0, second_looks: 64 }
    }

    /// Where `needle` stands next; the first character of the file where it is not to be found.
    pub(crate) fn next(&mut self, needle: &str) -> Place {
        if needle.is_empty() {
            return Place::START;
        }
        if self.second_looks == 0 {
            return Place::START;
        }
        if let Some(at) = self.text[self.from..].find(needle) {
            let at = self.from + at;
            self.from = at + needle.len();
            return self.lines.place(at);
        }
        self.second_looks -= 1;
        match self.text.find(needle) {
            Some(at) => self.lines.place(at),
            None => Place::START,
        }
    }
}

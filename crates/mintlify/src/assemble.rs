//! From everything that was read to the [`Source`].

use std::collections::{BTreeMap, HashMap, HashSet};

use wholesite_address::Place;

use crate::api::{self, Made};
use crate::files::{Class, Classifier, IGNORE_FILE};
use crate::forest::{At, Forest, View};
use crate::model::{
    Blocker, BlockerKind, Collision, Config, ConfigFormat, EntryKind, NavEntry, Note, NoteKind, Reason,
    Resolution, Source, SourcePage,
};
use crate::nav::{self, Walked};
use crate::page::PageFacts;
use crate::reading::SourceReading;
use crate::redirects::Redirects;
use crate::slug::{decode, has_scheme, normalize, slug_of, title_of, url_path};

pub(crate) fn assemble(mut reading: SourceReading) -> Source {
    let mut files = Files::sort(&reading);
    let mut site = Configured::read(&mut reading);
    for entry in &mut site.walked.entries {
        entry.resolution = files.resolve(entry);
    }
    let mut answer = api::answer(&site.walked.demands, &site.walked.entries, &reading.specs);
    files.generate(std::mem::take(&mut answer.made));
    for (at, slug) in std::mem::take(&mut answer.picked) {
        site.walked.entries[at].resolution = Resolution::Page(slug);
    }
    site.walked.entries.append(&mut answer.entries);
    files.list(&site.walked.entries);
    let mut notes = std::mem::take(&mut site.notes);
    notes.append(&mut files.notes);
    notes.append(&mut site.walked.notes);
    notes.extend(site.walked.entries.iter().filter_map(dead));
    let mut blockers: Vec<Blocker> = reading.faults.into_values().collect();
    blockers.append(&mut site.blockers);
    blockers.append(&mut site.walked.blockers);
    blockers.append(&mut answer.blockers);
    blockers.sort_by(|a, b| (&a.file, a.at, a.kind).cmp(&(&b.file, b.at, b.kind)));
    Source::new(Source {
        config: site.config,
        entries: site.walked.entries,
        labels: site.walked.labels,
        pages: files.pages,
        not_pages: files.not_pages.into_iter().collect(),
        redirects: site.redirects,
        blockers,
        collisions: files.collisions,
        notes,
        index_all: site.index_all,
        by_url: HashMap::new(),
    })
}

fn dead(entry: &NavEntry) -> Option<Note> {
    let why = match (&entry.kind, &entry.resolution) {
        (EntryKind::Href, _) => return None,
        (_, Resolution::MissingFile) => "no file of that name".to_owned(),
        (_, Resolution::Ignored(file)) => format!("{file} is ignored"),
        (_, Resolution::Snippet(file)) => format!("{file} is a snippet"),
        (_, Resolution::External) => "a web address is no page string".to_owned(),
        (_, Resolution::Page(_) | Resolution::Generated | Resolution::InPage) => return None,
    };
    Some(Note {
        kind: NoteKind::DeadEntry,
        file: entry.file.to_string(),
        at: Some(entry.place),
        message: format!("{:?} is listed and leads to no page: {why}", entry.text),
    })
}

/// The files of the folder, told apart.
struct Files {
    pages: Vec<SourcePage>,
    not_pages: BTreeMap<String, Reason>,
    collisions: Vec<Collision>,
    notes: Vec<Note>,
    /// Page of a slug. A file that lost its address to another leads to that one.
    by_slug: HashMap<String, usize>,
    /// File that is no page, of a slug.
    other_by_slug: HashMap<String, String>,
    /// `hidden` of the front matter, of each page.
    hidden: Vec<Option<bool>>,
}

impl Files {
    fn sort(reading: &SourceReading) -> Files {
        let (mut classifier, bad) = Classifier::new(&reading.ignore_file);
        let notes = (bad.into_iter())
            .map(|(line, message)| Note {
                kind: NoteKind::IgnorePattern,
                file: IGNORE_FILE.into(),
                at: Some(Place { line, column: 1 }),
                message,
            })
            .collect();
        let imported = importers(reading);
        let mut files = Files {
            pages: Vec::new(),
            not_pages: BTreeMap::new(),
            collisions: Vec::new(),
            notes,
            by_slug: HashMap::new(),
            other_by_slug: HashMap::new(),
            hidden: Vec::new(),
        };
        let mut claims: BTreeMap<String, Vec<&str>> = BTreeMap::new();
        for path in &reading.listing {
            let reason = match classifier.class(path) {
                Class::Other => continue,
                Class::NotPage(reason) => reason,
                Class::Snippet => Reason::SnippetFolder,
                Class::Page => match imported.get(path.to_lowercase().as_str()) {
                    Some(importer) => Reason::ImportedBy((*importer).to_owned()),
                    None => {
                        claims.entry(url_path(slug_of(path).unwrap_or(path))).or_default().push(path);
                        continue;
                    }
                },
            };
            if let Some(slug) = slug_of(path) {
                files.other_by_slug.insert(slug.to_owned(), path.clone());
            }
            files.not_pages.insert(path.clone(), reason);
        }
        files.settle(claims, &reading.pages);
        files
    }

    /// Gives each address to one file: `x.mdx` before `x.md` before `x/index.mdx` before `x/index.md`, the order in
    /// which Mintlify looks.
    fn settle(&mut self, claims: BTreeMap<String, Vec<&str>>, facts: &BTreeMap<String, PageFacts>) {
        let mut losers = Vec::new();
        let mut winners: Vec<(&str, String)> = Vec::new();
        for (address, mut claimants) in claims {
            claimants.sort_by_key(|path| (path.matches('/').count(), path.ends_with(".md")));
            let winner = claimants[0];
            for loser in &claimants[1..] {
                losers.push((*loser, winner));
                self.not_pages.insert((*loser).to_owned(), Reason::Shadowed(winner.to_owned()));
            }
            if claimants.len() > 1 {
                let files = claimants.iter().map(|path| (*path).to_owned()).collect();
                self.collisions.push(Collision { url_path: address.clone(), files });
            }
            winners.push((winner, address));
        }
        winners.sort_unstable();
        let unread = PageFacts::default();
        for (path, address) in winners {
            let facts = facts.get(path).unwrap_or(&unread);
            let page = page_of(path, address, facts);
            if let Some(why) = &facts.fault {
                self.notes.push(Note {
                    kind: NoteKind::FrontMatter,
                    file: path.to_owned(),
                    at: Some(Place::START),
                    message: format!("the front matter is no YAML: {why}"),
                });
            }
            self.by_slug.insert(page.slug.clone(), self.pages.len());
            self.hidden.push(facts.hidden);
            self.pages.push(page);
        }
        for (loser, winner) in losers {
            let winner = slug_of(winner).and_then(|slug| self.by_slug.get(slug)).copied();
            if let (Some(slug), Some(winner)) = (slug_of(loser), winner) {
                self.by_slug.entry(slug.to_owned()).or_insert(winner);
            }
        }
    }

    /// Adds the pages that descriptions make. A file with the same address goes before, and of two descriptions the
    /// first.
    fn generate(&mut self, made: Vec<(String, Made)>) {
        let mut taken: HashMap<String, usize> =
            self.pages.iter().enumerate().map(|(at, page)| (page.url_path.clone(), at)).collect();
        for (spec, made) in made {
            let address = url_path(&made.slug);
            if self.by_slug.contains_key(&made.slug) {
                continue;
            }
            if let Some(at) = taken.get(&address) {
                self.by_slug.insert(made.slug, *at);
                continue;
            }
            taken.insert(address.clone(), self.pages.len());
            self.by_slug.insert(made.slug.clone(), self.pages.len());
            self.hidden.push(made.hidden.then_some(true));
            self.pages.push(SourcePage {
                slug: made.slug,
                url_path: address,
                file: spec,
                generated: true,
                title: made.title,
                titled: true,
                hidden: made.hidden,
                searchable: false,
                noindex: made.noindex,
                deprecated: made.deprecated,
                external_url: None,
                api: Some(made.text),
                restricted: false,
                occurrences: Vec::new(),
            });
        }
    }

    /// What an entry leads to.
    fn resolve(&self, entry: &NavEntry) -> Resolution {
        match entry.kind {
            EntryKind::Page => self.resolve_page(&entry.text),
            EntryKind::Href => self.resolve_href(&entry.text),
            EntryKind::Channel { .. } => entry.resolution.clone(),
            // A file with a name such as `get started` goes before an operation.
            EntryKind::Endpoint { .. } | EntryKind::Webhook { .. } => match self.resolve_page(&entry.text) {
                page @ Resolution::Page(_) => page,
                _ => entry.resolution.clone(),
            },
        }
    }

    fn resolve_page(&self, text: &str) -> Resolution {
        if has_scheme(text) {
            return Resolution::External;
        }
        let path = normalize(text);
        // `quickstart.mdx` works on hosts by Mintlify's documentation, though not in its build.
        let spellings = [Some(path.as_str()), slug_of(&path)];
        self.find(&spellings).unwrap_or(Resolution::MissingFile)
    }

    fn resolve_href(&self, href: &str) -> Resolution {
        if has_scheme(href) || href.starts_with("//") {
            return Resolution::External;
        }
        let path = href.split(['?', '#']).next().unwrap_or_default();
        if path.is_empty() {
            return Resolution::InPage;
        }
        let path = normalize(&decode(path));
        let index = if path.is_empty() { "index".to_owned() } else { format!("{path}/index") };
        self.find(&[Some(&path), Some(&index)]).unwrap_or(Resolution::MissingFile)
    }

    fn find(&self, spellings: &[Option<&str>]) -> Option<Resolution> {
        let spellings = || spellings.iter().flatten();
        if let Some(page) = spellings().find_map(|slug| self.by_slug.get(*slug)) {
            return Some(Resolution::Page(self.pages[*page].slug.clone()));
        }
        let file = spellings().find_map(|slug| self.other_by_slug.get(*slug))?;
        Some(match self.not_pages.get(file) {
            Some(Reason::SnippetFolder | Reason::ImportedBy(_)) => Resolution::Snippet(file.clone()),
            _ => Resolution::Ignored(file.clone()),
        })
    }

    /// Tells each page where it is listed, and what follows from it. One hidden place hides a page everywhere.
    fn list(&mut self, entries: &[NavEntry]) {
        let is_place = |entry: &NavEntry| entry.kind != EntryKind::Href;
        for (number, entry) in entries.iter().enumerate().filter(|(_, entry)| is_place(entry)) {
            let Resolution::Page(slug) = &entry.resolution else { continue };
            let Some(at) = self.by_slug.get(slug).copied() else { continue };
            let page = &mut self.pages[at];
            page.occurrences.push(number);
            if self.hidden[at].unwrap_or(entry.hidden) {
                page.hidden = true;
                page.searchable |= entry.searchable == Some(true);
            }
        }
    }
}

/// Who imports a Markdown file (path lower-cased); the first by path, where several do.
fn importers(reading: &SourceReading) -> HashMap<&str, &str> {
    let mut importers = HashMap::new();
    for (path, facts) in &reading.pages {
        for target in &facts.imports {
            importers.entry(target.as_str()).or_insert(path.as_str());
        }
    }
    importers
}

fn page_of(path: &str, address: String, facts: &PageFacts) -> SourcePage {
    let slug = slug_of(path).unwrap_or(path);
    SourcePage {
        slug: slug.to_owned(),
        url_path: address,
        file: path.to_owned(),
        generated: false,
        title: facts.title.clone().unwrap_or_else(|| title_of(slug)),
        titled: facts.title.is_some(),
        hidden: facts.hidden.unwrap_or(false),
        searchable: false,
        noindex: facts.noindex,
        deprecated: facts.deprecated,
        external_url: facts.external_url.clone(),
        api: facts.api.clone(),
        restricted: facts.restricted,
        occurrences: Vec::new(),
    }
}

/// The configuration, with everything it says.
struct Configured {
    config: Config,
    walked: Walked,
    redirects: Redirects,
    index_all: bool,
    blockers: Vec<Blocker>,
    notes: Vec<Note>,
}

impl Configured {
    fn read(reading: &mut SourceReading) -> Configured {
        let mut site = Configured {
            config: Config::Missing,
            walked: Walked::default(),
            redirects: Redirects::default(),
            index_all: false,
            blockers: Vec::new(),
            notes: Vec::new(),
        };
        let Some(file) = reading.config else {
            let message = "the folder holds neither docs.json nor mint.json".into();
            site.blockers.push(Blocker {
                kind: BlockerKind::ConfigMissing,
                file: String::new(),
                at: None,
                message,
            });
            return site;
        };
        if let Some(fault) = reading.faults.get(file) {
            site.config = Config::Broken { file: file.into(), why: fault.message.clone(), at: fault.at };
            return site;
        }
        let faulty: HashSet<String> = reading.faults.keys().cloned().collect();
        let (forest, blockers) = Forest::join(file, std::mem::take(&mut reading.documents), &faulty);
        site.blockers = blockers;
        site.notes.extend(forest.loose().map(|(file, fault)| Note {
            kind: NoteKind::LooseJson,
            file: file.to_string(),
            at: Some(fault.place),
            message: format!("is JSON only with comments and trailing commas forgiven: {}", fault.why),
        }));
        site.take(file, &forest);
        site
    }

    fn take(&mut self, file: &str, forest: &Forest) {
        let root = forest.root();
        if !matches!(forest.view(root), View::Object(_)) {
            let (why, at) = ("holds no object".to_owned(), Some(forest.place(root)));
            self.block(BlockerKind::InvalidJson, file, at, why.clone());
            self.config = Config::Broken { file: file.into(), why, at };
            return;
        }
        let format = if file == "mint.json" { ConfigFormat::Mint } else { ConfigFormat::Docs };
        let name = forest.get(root, "name").and_then(|at| forest.text(at)).map(str::to_owned);
        self.config = Config::Read { file: file.into(), format, name };
        self.index_all = indexes_all(forest, root);
        if let Some(list) = forest.get(root, "redirects") {
            let (redirects, mut notes) = Redirects::read(forest, list);
            self.redirects = redirects;
            self.notes.append(&mut notes);
        }
        let navigation = forest.get(root, "navigation");
        match navigation.map(|at| forest.view(at)) {
            Some(View::Object(_) | View::Array(_)) => {}
            Some(_) => {
                let at = navigation.map(|at| forest.place(at));
                self.block(
                    BlockerKind::NoNavigation,
                    file,
                    at,
                    "`navigation` is neither object nor list".into(),
                );
            }
            None => self.block(BlockerKind::NoNavigation, file, None, "there is no `navigation`".into()),
        }
        self.walked = match (format, navigation) {
            (ConfigFormat::Mint, navigation) => nav::walk_mint(forest, navigation, root),
            (ConfigFormat::Docs, Some(navigation)) => nav::walk_docs(forest, navigation, root),
            (ConfigFormat::Docs, None) => Walked::default(),
        };
    }

    fn block(&mut self, kind: BlockerKind, file: &str, at: Option<Place>, message: String) {
        self.blockers.push(Blocker { kind, file: file.into(), at, message });
    }
}

fn indexes_all(forest: &Forest, root: At) -> bool {
    let Some(seo) = forest.get(root, "seo") else { return false };
    let everything = forest.get(seo, "indexing").and_then(|at| forest.text(at)) == Some("all");
    let legacy = forest.get(seo, "indexHiddenPages").map(|at| forest.view(at));
    everything || matches!(legacy, Some(View::Bool(true)))
}

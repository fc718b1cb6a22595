//! Discovery of a docs source folder: the same account, with files in place of answers.

mod close;
mod generated;

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use wholesite_address::{Base, Fold, Scope, SiteUrl};
use wholesite_content::decode;
use wholesite_extract::{markdown, mdx};
use wholesite_mintlify::{NoteKind, Source, SourceReading, Unreadable, find_root};
use wholesite_source_folders::{self as generators, FolderReading, detect};

use crate::blocker::{Blocker, BlockerCode};
use crate::coverage;
use crate::disposition::Disposition;
use crate::exchange::{Answer, Ask, Listing, Request, RequestId};
use crate::inventory::{Inventory, Parts};
use crate::ledger::{DocumentKind, Ledger};
use crate::options::{FolderGenerator, Options};
use crate::pages::PageTable;
use crate::read::{ReadDocument, Resolver};
use close::Closing;
use generated::GeneratedClosing;

use crate::site::{Evidence, Mode, SourceEvidence, capped, collisions};

/// How many notes of a reading are shown.
const NOTES: usize = 20;

#[derive(Debug)]
pub(crate) struct FolderMachine {
    name: String,
    site: SiteUrl,
    options: Options,
    stage: Stage,
    queue: VecDeque<Ask>,
    sent: BTreeMap<RequestId, Ask>,
    next_id: u32,
    blockers: Vec<Blocker>,
    notes: Vec<String>,
    /// The folder that holds the configuration, with a final slash, or nothing.
    root: String,
    files: BTreeSet<String>,
    reading: Option<Reading>,
    bodies: BTreeMap<String, ReadDocument>,
}

/// Whose folder it is, and what was read of it.
#[derive(Debug)]
enum Reading {
    Mintlify(SourceReading),
    Other(FolderReading),
}

impl Reading {
    fn next_file(&mut self) -> Option<String> {
        match self {
            Reading::Mintlify(reading) => reading.next_file(),
            Reading::Other(reading) => reading.next_file(),
        }
    }
}

/// All that an inventory is made of.
struct Account {
    scope: Scope,
    fold: Fold,
    table: PageTable,
    ledger: Ledger,
    blockers: Vec<Blocker>,
    aliases: BTreeMap<SiteUrl, SiteUrl>,
    spellings: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stage {
    Listing,
    Reading,
    Done,
}

impl FolderMachine {
    pub(crate) fn new(name: String, site: SiteUrl, options: Options) -> Self {
        FolderMachine {
            name,
            site,
            options,
            stage: Stage::Listing,
            queue: VecDeque::from([Ask::ListFiles]),
            sent: BTreeMap::new(),
            next_id: 0,
            blockers: Vec::new(),
            notes: Vec::new(),
            root: String::new(),
            files: BTreeSet::new(),
            reading: None,
            bodies: BTreeMap::new(),
        }
    }

    pub(crate) fn next_request(&mut self) -> Option<Request> {
        if self.queue.is_empty()
            && let Some(path) = self.reading.as_mut().and_then(Reading::next_file)
        {
            self.queue.push_back(Ask::ReadFile { path: format!("{}{path}", self.root) });
        }
        match self.queue.pop_front() {
            Some(ask) => {
                let id = RequestId(self.next_id);
                self.next_id += 1;
                self.sent.insert(id, ask.clone());
                Some(Request { id, ask })
            }
            None => {
                if self.sent.is_empty() {
                    self.stage = Stage::Done;
                }
                None
            }
        }
    }

    pub(crate) fn is_done(&self) -> bool {
        self.stage == Stage::Done
    }

    pub(crate) fn answer(&mut self, id: RequestId, answer: Answer) {
        match (self.sent.remove(&id), answer) {
            (Some(Ask::ListFiles), Answer::Files(files)) => self.take_listing(files),
            (Some(Ask::ListFiles), answer) => {
                let why = failure_words(&answer);
                let message = format!("the folder could not be listed ({why}), so nothing is known of it");
                self.block(
                    BlockerCode::IndexUnavailable,
                    self.name.clone(),
                    message,
                    "check the path and its permissions",
                );
            }
            (Some(Ask::ReadFile { path }), answer) => self.take_file(&path, answer),
            (Some(Ask::Get { .. }) | None, _) => {}
        }
    }

    fn take_listing(&mut self, listing: Listing) {
        self.stage = Stage::Reading;
        for (path, why) in listing.unlisted {
            let message = format!("{why}, so what is below it is unknown");
            self.block(BlockerCode::UnresolvedReference, path, message, "put the files themselves there");
        }
        self.files = listing.files.into_iter().collect();
        let Some((generator, root)) = self.recognise() else {
            let found = engine_hint(&self.files);
            let message = format!("no file here says which generator makes the site{found}");
            let help = "name the folder that holds its configuration, say whose it is with --generator, or name \
                        the address of the built site";
            return self.block(BlockerCode::IndexUnavailable, self.name.clone(), message, help);
        };
        self.root = if root.is_empty() { String::new() } else { format!("{}/", root.trim_end_matches('/')) };
        let below: Vec<String> = self
            .files
            .iter()
            .filter_map(|file| file.strip_prefix(self.root.as_str()))
            .map(str::to_owned)
            .collect();
        self.files = below.iter().cloned().collect();
        self.reading = Some(match generator {
            FolderGenerator::Mintlify => Reading::Mintlify(SourceReading::new(below)),
            FolderGenerator::Other(generator) => Reading::Other(FolderReading::new(generator, below)),
        });
    }

    /// Whose folder this is, and where its root lies. Mintlify's marker goes before all others, since nothing else
    /// is called `docs.json`; other roots are noted.
    fn recognise(&mut self) -> Option<(FolderGenerator, String)> {
        let mut found: Vec<(FolderGenerator, String, String)> = find_root(self.files.iter())
            .into_iter()
            .map(|root| {
                let marker = if root.is_empty() { "this folder".to_owned() } else { root.clone() };
                (FolderGenerator::Mintlify, root, marker)
            })
            .collect();
        let others = detect(self.files.iter().map(String::as_str)).into_iter();
        found.extend(others.map(|f| (FolderGenerator::Other(f.generator), f.root, f.marker)));
        if let Some(wanted) = self.options.generator {
            found.retain(|(generator, ..)| *generator == wanted);
            if found.is_empty() {
                return Some((wanted, String::new()));
            }
        }
        let mut found = found.into_iter();
        let (generator, root, _) = found.next()?;
        for (_, _, other) in found {
            self.notes.push(format!("{other} holds a configuration of its own, and is another site"));
        }
        Some((generator, root))
    }

    fn take_file(&mut self, path: &str, answer: Answer) {
        let path = path.strip_prefix(self.root.as_str()).unwrap_or(path).to_owned();
        let content = match answer {
            Answer::File(bytes) => {
                let is_mintlify = matches!(self.reading, Some(Reading::Mintlify(_)));
                if let Some(kind) = body_kind(&path, is_mintlify) {
                    let text = decode::decode(&bytes, None).text;
                    self.bodies.insert(path.clone(), self.read_body(&path, &text, kind));
                }
                Ok(bytes)
            }
            answer => Err(failure_words(&answer)),
        };
        match &mut self.reading {
            Some(Reading::Mintlify(reading)) => {
                let text = content.map(|bytes| decode::decode(&bytes, None).text.into_owned());
                reading.file(path, text.map_err(Unreadable));
            }
            Some(Reading::Other(reading)) => reading.file(path, content.map_err(generators::Unreadable)),
            None => {}
        }
    }

    fn read_body(&self, path: &str, text: &str, kind: DocumentKind) -> ReadDocument {
        let reading = if kind == DocumentKind::Mdx { mdx::read(text) } else { markdown::read(text) };
        // Links that begin with a dot are relative to the file (Mintlify), so the file's own place
        // in the site is the base.
        let own = self.site_scope().at(&format!("/{}", path_as_url(path)));
        let mut resolver = Resolver::new(text, &own, Base::of(&own));
        let links = reading.links.iter().filter_map(|link| resolver.link(link)).collect();
        let oddities =
            reading.oddities.iter().map(|o| (resolver.line_of(o.span.start), o.what.to_string())).collect();
        ReadDocument { oddities, dynamic_links: resolver.dynamic_links, ..ReadDocument::whole(kind, links) }
    }

    fn site_scope(&self) -> Scope {
        Scope::below(&self.site)
    }

    fn block(&mut self, code: BlockerCode, url: String, message: impl Into<String>, help: impl Into<String>) {
        self.blockers.push(Blocker { code, url, at: None, message: message.into(), help: help.into() });
    }

    pub(crate) fn finish(mut self) -> Inventory {
        if self.stage != Stage::Done {
            let message = "discovery was stopped before all files were read";
            self.block(BlockerCode::Stopped, self.name.clone(), message, "run it to the end");
        }
        match self.reading.take() {
            Some(Reading::Other(reading)) => self.finish_generated(reading),
            Some(Reading::Mintlify(reading)) => self.finish_mintlify(Some(reading.finish())),
            None => self.finish_mintlify(None),
        }
    }

    fn finish_mintlify(mut self, source: Option<Source>) -> Inventory {
        let scope = self.site_scope();
        let mut closing = Closing {
            scope: scope.clone(),
            options: &self.options,
            source: source.as_ref(),
            page_paths: source
                .iter()
                .flat_map(|source| &source.pages)
                .map(|page| page.url_path.as_str())
                .collect(),
            table: PageTable::new(Fold::MINTLIFY),
            ledger: Ledger::default(),
            blockers: std::mem::take(&mut self.blockers),
            aliases: BTreeMap::new(),
        };
        if let Some(source) = &source {
            closing.take_aliases(source);
            closing.take_navigation(source);
            closing.take_listing(&self.name, source, &self.root);
            for (path, read) in &self.bodies {
                closing.take_body(path, read);
            }
            closing.take_faults(source);
            self.notes.extend(dead_entries(source));
        }
        let Closing { table, ledger, blockers, aliases, .. } = closing;
        let spellings = "a Mintlify source folder: .md, /index and a final slash fold".to_owned();
        self.conclude(Account { scope, fold: Fold::MINTLIFY, table, ledger, blockers, aliases, spellings })
    }

    fn finish_generated(mut self, reading: FolderReading) -> Inventory {
        let generator = reading.generator();
        let source = reading.finish();
        let scope = generated::scope(&self.site, &source, &self.options);
        if let Some(url) = source.site_url.as_deref().filter(|_| !self.options.configured_site) {
            self.notes.push(format!("the configuration says that the site is served at {url}"));
        }
        let mut closing = GeneratedClosing::new(generator, scope.clone(), &self.options, &source, &self.root);
        closing.blockers = std::mem::take(&mut self.blockers);
        closing.take_source(&self.name);
        for (path, read) in &self.bodies {
            closing.take_body(path, read);
        }
        let GeneratedClosing { table, ledger, blockers, aliases, .. } = closing;
        self.notes.extend(source.notes.iter().take(NOTES).cloned());
        if source.notes.len() > NOTES {
            self.notes.push(format!("{} more notes", source.notes.len() - NOTES));
        }
        let (fold, spellings) = (generator.fold(), generated::spellings(generator));
        self.conclude(Account { scope, fold, table, ledger, blockers, aliases, spellings })
    }

    fn conclude(self, account: Account) -> Inventory {
        let Account { scope, fold, mut table, ledger, mut blockers, aliases, spellings } = account;
        for (from, to) in &aliases {
            table.alias(from, to);
        }
        let pages = table.into_pages(&scope, false);
        blockers.extend(collisions(&pages));
        if pages.is_empty() && blockers.is_empty() {
            let message = "the folder makes no page, and an empty answer proves nothing".to_owned();
            let help = "check the path, --include and --exclude".to_owned();
            blockers.push(Blocker {
                code: BlockerCode::IndexEmpty,
                url: self.name.clone(),
                at: None,
                message,
                help,
            });
        }
        let blockers = capped(blockers, self.options.limits.blockers_per_code);
        let evidence = evidence(&ledger, self.notes, spellings);
        let decision = coverage::decide(
            scope.clone(),
            self.options.run.clone(),
            pages.len(),
            evidence.clone(),
            blockers,
        );
        let robots = Default::default();
        Inventory::new(Parts {
            source: self.name,
            scope,
            fold,
            pages,
            aliases,
            ledger,
            evidence,
            decision,
            robots,
        })
    }
}

/// How a page's text is read. Mintlify reads `.md` with its MDX parser, too.
fn body_kind(path: &str, is_mintlify: bool) -> Option<DocumentKind> {
    match path.rsplit('.').next()? {
        "mdx" => Some(DocumentKind::Mdx),
        "md" if is_mintlify => Some(DocumentKind::Mdx),
        "md" | "markdown" => Some(DocumentKind::Markdown),
        _ => None,
    }
}

/// A file path as it stands in a URL; whatever a URL can't hold raw is encoded by the parser.
fn path_as_url(path: &str) -> String {
    path.replace('%', "%25").replace('?', "%3F").replace('#', "%23")
}

fn failure_words(answer: &Answer) -> String {
    match answer {
        Answer::Failed(failure) => failure.to_string(),
        _ => "answered with something else".to_owned(),
    }
}

/// Names the generator of a folder that is not recognised, where a file hints at it.
fn engine_hint(files: &BTreeSet<String>) -> String {
    const ENGINES: &[(&str, &str)] = &[
        ("astro.config.mjs", "Astro without Starlight"),
        ("meta.json", "Fumadocs, of which source.config.ts is missing"),
        ("_pkgdown.yml", "pkgdown"),
    ];
    let has = |name: &str| files.iter().any(|file| file == name || file.ends_with(&format!("/{name}")));
    match ENGINES.iter().find(|(name, _)| has(name)) {
        Some((name, engine)) => format!(" ({name} says {engine}, whose source folders can't be read yet)"),
        None => String::new(),
    }
}

fn dead_entries(source: &Source) -> Vec<String> {
    let dead: Vec<_> = source.notes.iter().filter(|note| note.kind == NoteKind::DeadEntry).collect();
    let mut notes: Vec<String> =
        dead.iter().take(10).map(|note| format!("{}: {}", note.file, note.message)).collect();
    if dead.len() > 10 {
        notes.push(format!("{} more dead entries", dead.len() - 10));
    }
    notes
}

fn evidence(ledger: &Ledger, notes: Vec<String>, spellings: String) -> Evidence {
    let mut counts = vec![(0, 0); ledger.documents.len()];
    for entry in &ledger.entries {
        let (links, first_named) = &mut counts[entry.document.0 as usize];
        *links += 1;
        *first_named += usize::from(entry.disposition == Disposition::Page);
    }
    let sources = ledger
        .documents
        .iter()
        .zip(counts)
        .filter(|(document, _)| matches!(document.kind, DocumentKind::Navigation | DocumentKind::Folder))
        .map(|(document, (links, first_named))| SourceEvidence {
            document: document.name.clone(),
            kind: document.kind,
            state: document.state.name(),
            links,
            first_named,
        });
    let unknown_paths = "not asked: a folder answers for itself".to_owned();
    Evidence {
        mode: Mode::Folder,
        sources: sources.collect(),
        unknown_paths,
        spellings: vec![spellings],
        notes,
    }
}

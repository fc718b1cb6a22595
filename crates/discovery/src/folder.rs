//! Discovery of a docs source folder: the same account, with files in place of answers.

mod close;

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use wholesite_address::{Base, Fold, Scope, SiteUrl};
use wholesite_content::decode;
use wholesite_extract::{markdown, mdx};
use wholesite_mintlify::{NoteKind, Source, SourceReading, Unreadable, find_root};

use crate::blocker::{Blocker, BlockerCode};
use crate::coverage;
use crate::disposition::Disposition;
use crate::exchange::{Answer, Ask, Listing, Request, RequestId};
use crate::inventory::{Inventory, Parts};
use crate::ledger::{DocumentKind, Ledger};
use crate::options::Options;
use crate::pages::PageTable;
use crate::read::{ReadDocument, Resolver};
use close::Closing;

use crate::site::{Evidence, Mode, SourceEvidence, capped, collisions};

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
    reading: Option<SourceReading>,
    bodies: BTreeMap<String, ReadDocument>,
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
            && let Some(path) = self.reading.as_mut().and_then(SourceReading::next_file)
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
        let mut roots = find_root(self.files.iter()).into_iter();
        let Some(root) = roots.next() else {
            let found = engine_hint(&self.files);
            let message = format!("no docs.json and no mint.json here{found}, so its pages are unknown");
            let help = "name a Mintlify docs folder, or the address of the built site";
            return self.block(BlockerCode::IndexUnavailable, self.name.clone(), message, help);
        };
        for other in roots {
            self.notes.push(format!("{other} holds a configuration of its own, and is another site"));
        }
        self.root = if root.is_empty() { String::new() } else { format!("{}/", root.trim_end_matches('/')) };
        let below: Vec<String> = self
            .files
            .iter()
            .filter_map(|file| file.strip_prefix(self.root.as_str()))
            .map(str::to_owned)
            .collect();
        self.files = below.iter().cloned().collect();
        self.reading = Some(SourceReading::new(below));
    }

    fn take_file(&mut self, path: &str, answer: Answer) {
        let path = path.strip_prefix(self.root.as_str()).unwrap_or(path).to_owned();
        let content = match answer {
            Answer::File(bytes) => {
                let text = decode::decode(&bytes, None).text.into_owned();
                if let Some(kind) = body_kind(&path) {
                    self.bodies.insert(path.clone(), self.read_body(&path, &text, kind));
                }
                Ok(text)
            }
            answer => Err(Unreadable(failure_words(&answer))),
        };
        if let Some(reading) = &mut self.reading {
            reading.file(path, content);
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
        let source = self.reading.take().map(SourceReading::finish);
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
            closing.take_listing(&self.name, source);
            for (path, read) in &self.bodies {
                closing.take_body(path, read);
            }
            closing.take_faults(source);
            self.notes.extend(dead_entries(source));
        }
        let Closing { mut table, ledger, mut blockers, aliases, .. } = closing;
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
        let evidence = evidence(&ledger, self.notes);
        let decision = coverage::decide(
            scope.clone(),
            self.options.run.clone(),
            pages.len(),
            evidence.clone(),
            blockers,
        );
        let fold = Fold::MINTLIFY;
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

fn body_kind(path: &str) -> Option<DocumentKind> {
    match path.rsplit('.').next()? {
        "mdx" => Some(DocumentKind::Mdx),
        // Mintlify reads both extensions with its MDX parser.
        "md" => Some(DocumentKind::Mdx),
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

/// Names the generator of a folder that has no Mintlify configuration.
fn engine_hint(files: &BTreeSet<String>) -> String {
    const ENGINES: &[(&str, &str)] = &[
        ("mkdocs.yml", "MkDocs"),
        ("docusaurus.config.js", "Docusaurus"),
        ("docusaurus.config.ts", "Docusaurus"),
        (".vitepress/config.ts", "VitePress"),
        (".vitepress/config.mts", "VitePress"),
        (".vitepress/config.js", "VitePress"),
        ("book.toml", "mdBook"),
        ("SUMMARY.md", "GitBook or mdBook"),
        ("conf.py", "Sphinx"),
        ("astro.config.mjs", "Astro (Starlight)"),
        ("meta.json", "Fumadocs or Nextra"),
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

fn evidence(ledger: &Ledger, notes: Vec<String>) -> Evidence {
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
    let spellings = vec!["a Mintlify source folder: .md, /index and a final slash fold".to_owned()];
    Evidence { mode: Mode::Folder, sources: sources.collect(), unknown_paths, spellings, notes }
}

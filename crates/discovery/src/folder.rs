//! Discovery of a docs source folder: the same account, with files in place of answers.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use wholesite_address::{Base, Fold, Place, Scope, SiteUrl};
use wholesite_content::decode;
use wholesite_extract::{Role, Syntax, markdown, mdx};
use wholesite_mintlify::{
    BlockerKind, EntryKind, Followed, NoteKind, Reason, Resolution as NavResolution, Source, SourcePage,
    SourceReading, Unreadable, find_root,
};

use crate::blocker::{At, Blocker, BlockerCode};
use crate::classify::file_extension;
use crate::coverage;
use crate::disposition::{Disposition, Why};
use crate::exchange::{Answer, Ask, Request, RequestId};
use crate::inventory::{Inventory, Parts};
use crate::ledger::{Document, DocumentId, DocumentKind, DocumentState, Entry, Ledger};
use crate::options::Options;
use crate::pages::{Mention, PageTable, Sighting};
use crate::read::{RawLink, ReadDocument, Resolution, Resolver};
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

    fn take_listing(&mut self, files: Vec<String>) {
        self.stage = Stage::Reading;
        self.files = files.into_iter().collect();
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
        Inventory::new(Parts { source: self.name, scope, fold, pages, aliases, ledger, evidence, decision })
    }
}

/// The account while it is being written.
struct Closing<'m> {
    scope: Scope,
    options: &'m Options,
    source: Option<&'m Source>,
    page_paths: BTreeSet<&'m str>,
    table: PageTable,
    ledger: Ledger,
    blockers: Vec<Blocker>,
    aliases: BTreeMap<SiteUrl, SiteUrl>,
}

impl Closing<'_> {
    fn at(&self, url_path: &str) -> SiteUrl {
        if url_path == "/" && !self.scope.base_path().is_empty() {
            self.scope.at("")
        } else {
            self.scope.at(url_path)
        }
    }

    fn document(&mut self, name: &str, kind: DocumentKind) -> DocumentId {
        self.ledger.add_document(Document {
            name: name.to_owned(),
            kind,
            state: DocumentState::Whole,
            depth: 0,
            dynamic_links: 0,
            oddities: Vec::new(),
        })
    }

    fn take_aliases(&mut self, source: &Source) {
        for alias in source.aliases() {
            let (from, to) = (self.at(&alias.from), self.at(&alias.to));
            if !self.page_paths.contains(alias.from.as_str()) {
                self.aliases.insert(from, to);
            }
        }
    }

    fn take_navigation(&mut self, source: &Source) {
        let pages = slugs(source);
        let mut documents: BTreeMap<&str, DocumentId> = BTreeMap::new();
        for entry in &source.entries {
            let document = match documents.get(&*entry.file) {
                Some(document) => *document,
                None => {
                    let document = self.document(&entry.file, DocumentKind::Navigation);
                    documents.insert(&entry.file, document);
                    document
                }
            };
            let is_href = entry.kind == EntryKind::Href;
            let mention = Mention { document, place: entry.place };
            let (url, disposition, why) = match &entry.resolution {
                NavResolution::Page(slug) => match pages.get(slug.as_str()) {
                    Some(page) => {
                        let url = self.at(&page.url_path);
                        let (disposition, why) = self.page_of(page, &url, mention);
                        (Some(url), disposition, why)
                    }
                    None => (None, Disposition::Missing, Why::NoSuchFile),
                },
                NavResolution::MissingFile => {
                    let (url, disposition, why) = self.missing(&entry.text);
                    (Some(url), disposition, why)
                }
                NavResolution::Ignored(what) | NavResolution::Snippet(what) => {
                    (None, Disposition::Missing, Why::NotAPageFile(what.as_str().into()))
                }
                NavResolution::Generated => (None, Disposition::Unparsed, Why::Generated),
                NavResolution::InPage => (None, Disposition::Duplicate, Why::Itself),
                NavResolution::External => self.external(&entry.text),
            };
            if disposition == Disposition::Offsite
                && why == Why::OtherOrigin
                && (!is_href || self.options.strict)
            {
                self.blockers.push(offsite_page(&entry.text, &entry.file, entry.place));
            }
            self.ledger.entries.push(Entry {
                document,
                place: entry.place,
                role: if is_href { Role::Mention } else { Role::Entry },
                syntax: if is_href { Syntax::NavHref } else { Syntax::NavPage },
                href: Some(entry.text.as_str().into()),
                url,
                title: None,
                disposition,
                why,
                excerpt: None,
            });
        }
    }

    /// The folder's own listing claims every page file, listed in the navigation or not.
    fn take_listing(&mut self, name: &str, source: &Source) {
        let document = self.document(name, DocumentKind::Folder);
        let mut line = 0;
        let mut entry = |href: &str, url, disposition, why| {
            line += 1;
            Entry {
                document,
                place: Place { line, column: 1 },
                role: Role::Entry,
                syntax: Syntax::NavPage,
                href: Some(href.into()),
                url,
                title: None,
                disposition,
                why,
                excerpt: None,
            }
        };
        for page in &source.pages {
            let url = self.at(&page.url_path);
            let place = Place { line: self.ledger.entries.len() as u32 + 1, column: 1 };
            let (disposition, mut why) = self.page_of(page, &url, Mention { document, place });
            if disposition == Disposition::Page {
                why = Why::ServedUnlisted;
            }
            self.table.made_by(&url, &page.file, &page.title);
            self.ledger.entries.push(entry(&page.file, Some(url), disposition, why));
        }
        for (file, reason) in &source.not_pages {
            let why = Why::NotAPageFile(reason_words(reason).into());
            self.ledger.entries.push(entry(file, None, Disposition::SkippedFile, why));
        }
    }

    fn take_body(&mut self, path: &str, read: &ReadDocument) {
        let document = self.ledger.add_document(Document {
            name: path.to_owned(),
            kind: read.kind,
            state: read.state.clone(),
            depth: 0,
            dynamic_links: read.dynamic_links,
            oddities: read.oddities.clone(),
        });
        for link in &read.links {
            let mention = Mention { document, place: link.place };
            let (url, disposition, why) = self.dispose(path, link, mention);
            if self.options.strict && matches!(disposition, Disposition::Offsite | Disposition::Invalid) {
                self.blockers.push(strict_blocker(path, link, disposition, &why));
            }
            self.ledger.entries.push(Entry {
                document,
                place: link.place,
                role: link.role,
                syntax: link.syntax,
                href: link.href.clone(),
                url,
                title: None,
                disposition,
                why,
                excerpt: None,
            });
        }
    }

    fn dispose(
        &mut self,
        path: &str,
        link: &RawLink,
        mention: Mention,
    ) -> (Option<SiteUrl>, Disposition, Why) {
        let url = match &link.resolution {
            Resolution::Web(url) => url.clone(),
            Resolution::Scheme(scheme) => {
                return (None, Disposition::SkippedFile, Why::Scheme(scheme.clone()));
            }
            Resolution::Bad(error) => return (None, Disposition::Invalid, Why::Reference(error.clone())),
            Resolution::Unreadable(_) => return (None, Disposition::Unparsed, Why::NoRule),
        };
        if url.origin() != self.scope.origin() {
            let allowed = self.options.allow_offsite.matches(&url);
            return (
                Some(url),
                Disposition::Offsite,
                if allowed { Why::AllowedOffsite } else { Why::OtherOrigin },
            );
        }
        let candidates = self.readings(path, link, url.clone());
        for candidate in candidates {
            if self.table.contains(&candidate) {
                let (disposition, why) = self.page(&candidate, mention);
                return (Some(candidate), disposition, why);
            }
        }
        if let Some(target) = self.redirected(&url) {
            self.table.led_to(&target, None, mention);
            return (Some(url), Disposition::Alias, Why::RedirectRule);
        }
        if let Some(extension) = file_extension(&url) {
            return (Some(url), Disposition::SkippedFile, Why::FileExtension(extension.into()));
        }
        (Some(url), Disposition::Missing, Why::NoSuchFile)
    }

    /// The addresses that a body link may mean, the likeliest first: as resolved against the file;
    /// as a browser resolves it against the page; below the base path.
    fn readings(&self, path: &str, link: &RawLink, url: SiteUrl) -> Vec<SiteUrl> {
        let mut readings = vec![url.clone()];
        let href = link.href.as_deref().unwrap_or_default();
        if !href.starts_with(['/', '.', '#']) && !href.contains(':') {
            let page = Fold::MINTLIFY.apply(&self.scope.at(&format!("/{}", path_as_url(path))));
            if let Resolution::Web(from_page) = crate::read::resolve(&Base::of(&page), href) {
                readings.insert(0, from_page);
            }
        }
        if href.starts_with('/') && !self.scope.base_path().is_empty() {
            readings.push(self.scope.at(url.path()));
        }
        readings
    }

    /// A page file; one with `url:` in its front matter has no content of its own and links out.
    fn page_of(&mut self, page: &SourcePage, url: &SiteUrl, mention: Mention) -> (Disposition, Why) {
        match &page.external_url {
            Some(to) => (Disposition::Offsite, Why::LinksOut(to.as_str().into())),
            None => self.page(url, mention),
        }
    }

    fn page(&mut self, url: &SiteUrl, mention: Mention) -> (Disposition, Why) {
        if self.options.excludes(url) {
            return (Disposition::OutOfScope, Why::UserGlob);
        }
        match self.table.mention(url, None, mention) {
            Sighting::First => (Disposition::Page, Why::FirstMention),
            Sighting::Again => (Disposition::Duplicate, Why::SeenBefore),
            Sighting::OtherSpelling => (Disposition::Duplicate, Why::OtherSpelling),
        }
    }

    fn missing(&mut self, text: &str) -> (SiteUrl, Disposition, Why) {
        let url = match Base::of(&self.scope.at("/")).resolve(text.trim_start_matches('/')) {
            Ok(wholesite_address::Resolved::Web { url, .. }) => url,
            _ => self.scope.at("/"),
        };
        match self.redirected(&url) {
            Some(_) => (url, Disposition::Alias, Why::RedirectRule),
            None => (url, Disposition::Missing, Why::NoSuchFile),
        }
    }

    fn external(&self, text: &str) -> (Option<SiteUrl>, Disposition, Why) {
        match crate::read::resolve(&Base::of(&self.scope.at("/")), text) {
            Resolution::Web(url) => {
                let allowed = self.options.allow_offsite.matches(&url);
                (
                    Some(url),
                    Disposition::Offsite,
                    if allowed { Why::AllowedOffsite } else { Why::OtherOrigin },
                )
            }
            Resolution::Scheme(scheme) => (None, Disposition::SkippedFile, Why::Scheme(scheme)),
            Resolution::Bad(error) => (None, Disposition::Invalid, Why::Reference(error)),
            Resolution::Unreadable(_) => (None, Disposition::Unparsed, Why::NoRule),
        }
    }

    /// The page that the redirect rules lead an address to.
    fn redirected(&self, url: &SiteUrl) -> Option<SiteUrl> {
        let source = self.source?;
        let folded = Fold::MINTLIFY.apply(url);
        match source
            .redirects
            .follow_until(self.scope.relative(&folded)?, |path| self.page_paths.contains(path))
        {
            Followed::Final { path, .. } if self.page_paths.contains(path.as_str()) => Some(self.at(&path)),
            _ => None,
        }
    }

    fn take_faults(&mut self, source: &Source) {
        for fault in &source.blockers {
            let code = match fault.kind {
                BlockerKind::ConfigMissing | BlockerKind::Unreadable => BlockerCode::IndexUnavailable,
                BlockerKind::InvalidJson => BlockerCode::IndexNotText,
                BlockerKind::NoNavigation => BlockerCode::IndexEmpty,
                BlockerKind::Limit => BlockerCode::IndexLimit,
                _ => BlockerCode::UnresolvedReference,
            };
            let help = match fault.kind {
                BlockerKind::GeneratedPages => {
                    "discover the built site instead: it lists these pages in llms.txt and the sitemap"
                }
                BlockerKind::RemoteSpec | BlockerKind::SourceRef => {
                    "discover the built site instead of its source"
                }
                _ => "mend the file",
            };
            let at = fault.at.map(|place| At { document: fault.file.clone(), place, excerpt: None });
            let (url, message) = (fault.file.clone(), fault.message.clone());
            self.blockers.push(Blocker { code, url, at, message, help: help.to_owned() });
        }
        for collision in &source.collisions {
            self.blockers.push(Blocker {
                code: BlockerCode::PathCollision,
                url: self.at(&collision.url_path).to_string(),
                at: None,
                message: format!("{} claim one address", collision.files.join(" and ")),
                help: "rename one of the files".to_owned(),
            });
        }
    }
}

fn slugs(source: &Source) -> BTreeMap<&str, &SourcePage> {
    source.pages.iter().map(|page| (page.slug.as_str(), page)).collect()
}

fn reason_words(reason: &Reason) -> String {
    match reason {
        Reason::SnippetFolder => "a snippet".to_owned(),
        Reason::ImportedBy(page) => format!("a snippet that {page} imports"),
        Reason::BuiltInIgnore(pattern) => format!("ignored by every Mintlify site ({pattern})"),
        Reason::MintIgnore(line) => format!("ignored by .mintignore ({line})"),
        Reason::RepositoryFile => "about the repository, not the docs".to_owned(),
        Reason::Skill => "a skill for agents".to_owned(),
        Reason::Override => "served in place of a generated file".to_owned(),
        Reason::Shadowed(other) => format!("{other} has the same address"),
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

fn offsite_page(text: &str, file: &str, place: Place) -> Blocker {
    Blocker {
        code: BlockerCode::OffsiteLink,
        url: text.to_owned(),
        at: Some(At { document: file.to_owned(), place, excerpt: None }),
        message: "the navigation lists a page on another origin, which this site can't answer for".to_owned(),
        help: "make it an href, or allow it with --allow-offsite".to_owned(),
    }
}

fn strict_blocker(path: &str, link: &RawLink, disposition: Disposition, why: &Why) -> Blocker {
    let code =
        if disposition == Disposition::Offsite { BlockerCode::OffsiteLink } else { BlockerCode::InvalidLink };
    let url = link
        .address()
        .map_or_else(|| link.href.as_deref().unwrap_or_default().to_owned(), SiteUrl::to_string);
    let at = At { document: path.to_owned(), place: link.place, excerpt: link.excerpt.as_deref().cloned() };
    let help = "leave out --strict, or mend the link".to_owned();
    Blocker { code, url, at: Some(at), message: why.to_string(), help }
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

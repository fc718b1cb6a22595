//! The account of a source folder that is not Mintlify's.

use std::collections::BTreeMap;

use wholesite_address::{Base, Fold, Place, Scope, SiteUrl};
use wholesite_extract::{Role, Syntax};
use wholesite_source_folders::{BlockerKind, Generator, Resolution as Leads, Source, SourcePage};

use crate::blocker::{At, Blocker, BlockerCode};
use crate::classify::file_extension;
use crate::disposition::{Disposition, Why};
use crate::ledger::{Document, DocumentId, DocumentKind, DocumentState, Entry, Ledger};
use crate::options::Options;
use crate::pages::{Mention, PageTable, Sighting};
use crate::read::{RawLink, ReadDocument, Resolution, resolve};

/// The account while it is being written.
pub(super) struct GeneratedClosing<'m> {
    scope: Scope,
    fold: Fold,
    options: &'m Options,
    source: &'m Source,
    /// The folder of the configuration below the one discovered, with a final slash, or nothing.
    root: &'m str,
    /// The address of every page, by the one under which its spellings meet.
    spellings: BTreeMap<SiteUrl, SiteUrl>,
    by_file: BTreeMap<&'m str, &'m SourcePage>,
    pub(super) table: PageTable,
    pub(super) ledger: Ledger,
    pub(super) blockers: Vec<Blocker>,
    pub(super) aliases: BTreeMap<SiteUrl, SiteUrl>,
}

impl<'m> GeneratedClosing<'m> {
    pub(super) fn new(
        generator: Generator,
        scope: Scope,
        options: &'m Options,
        source: &'m Source,
        root: &'m str,
    ) -> Self {
        let fold = generator.fold();
        let mut closing = GeneratedClosing {
            scope,
            fold,
            options,
            source,
            root,
            spellings: BTreeMap::new(),
            by_file: BTreeMap::new(),
            table: PageTable::new(fold),
            ledger: Ledger::default(),
            blockers: Vec::new(),
            aliases: BTreeMap::new(),
        };
        for page in &source.pages {
            let url = closing.at(&page.url_path);
            closing.spellings.entry(fold.apply(&url)).or_insert(url);
            if !page.generated {
                closing.by_file.insert(&page.file, page);
            }
        }
        for alias in &source.aliases {
            let (from, to) = (closing.at(&alias.from), closing.at(&alias.to));
            closing.aliases.insert(from, to);
        }
        closing
    }

    /// Writes the whole account but for the bodies.
    pub(super) fn take_source(&mut self, name: &str) {
        self.take_navigation();
        self.take_listing(name);
        self.take_faults();
    }

    fn at(&self, url_path: &str) -> SiteUrl {
        // The home page below a base path is the base with its slash, as static hosts serve it.
        self.scope.at(url_path)
    }

    fn listed(&self, file: &str) -> String {
        format!("{}{file}", self.root)
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

    fn take_navigation(&mut self) {
        let mut documents: BTreeMap<&str, DocumentId> = BTreeMap::new();
        let source = self.source;
        for entry in &source.entries {
            let document = match documents.get(&*entry.file) {
                Some(document) => *document,
                None => {
                    let document = self.document(&self.listed(&entry.file), DocumentKind::Navigation);
                    documents.insert(&entry.file, document);
                    document
                }
            };
            let mention = Mention { document, place: entry.place };
            let (url, disposition, why) = match &entry.resolution {
                Leads::Page(path) => {
                    let url = self.at(path);
                    let (disposition, why) = self.page(&url, entry.label.as_deref(), mention);
                    (Some(url), disposition, why)
                }
                Leads::Missing => (None, Disposition::Missing, Why::NoSuchFile),
                Leads::NotAPage(what) => {
                    (None, Disposition::SkippedFile, Why::NotAPageFile(what.as_str().into()))
                }
                Leads::External => self.external(&entry.text),
                Leads::Label => (None, Disposition::Duplicate, Why::Itself),
            };
            self.ledger.entries.push(Entry {
                document,
                place: entry.place,
                role: Role::Mention,
                syntax: Syntax::NavHref,
                href: Some(entry.text.as_str().into()),
                url,
                title: entry.label.as_deref().map(Into::into),
                disposition,
                why,
                excerpt: None,
            });
        }
    }

    /// The folder's own listing claims every page, in the order of the site.
    fn take_listing(&mut self, name: &str) {
        let document = self.document(name, DocumentKind::Folder);
        let source = self.source;
        let mut line = 0;
        let mut entry = |href: String, url, disposition, why| {
            line += 1;
            let place = Place { line, column: 1 };
            let (role, syntax) = (Role::Entry, Syntax::NavPage);
            let href = Some(href.into());
            Entry { document, place, role, syntax, href, url, title: None, disposition, why, excerpt: None }
        };
        let mut entries = Vec::new();
        for page in &source.pages {
            let url = self.at(&page.url_path);
            let place = Place { line: entries.len() as u32 + 1, column: 1 };
            let (disposition, mut why) = self.page(&url, None, Mention { document, place });
            if disposition == Disposition::Page {
                why = if page.listed { Why::FirstMention } else { Why::ServedUnlisted };
            }
            let file = (!page.generated).then(|| self.listed(&page.file));
            self.table.made_by(&url, file.as_deref(), &page.title);
            entries.push(entry(self.listed(&page.file), Some(url), disposition, why));
        }
        for (file, reason) in &source.not_pages {
            let why = Why::NotAPageFile(reason.as_str().into());
            entries.push(entry(self.listed(file), None, Disposition::SkippedFile, why));
        }
        self.ledger.entries.append(&mut entries);
    }

    fn take_faults(&mut self) {
        for fault in &self.source.blockers {
            let code = match fault.kind {
                BlockerKind::ConfigMissing | BlockerKind::Unreadable => BlockerCode::IndexUnavailable,
                BlockerKind::Invalid => BlockerCode::IndexNotText,
                BlockerKind::Limit => BlockerCode::IndexLimit,
                _ => BlockerCode::UnresolvedReference,
            };
            let help = match fault.kind {
                BlockerKind::NeedsRunning | BlockerKind::Outside => {
                    "discover the built site instead of its source"
                }
                _ => "mend the file",
            };
            let document = self.listed(&fault.file);
            let at = fault.at.map(|place| At { document: document.clone(), place, excerpt: None });
            // Blockers are told apart by their address, and one file may have many.
            let url = match fault.at {
                Some(place) => format!("{document}:{}:{}", place.line, place.column),
                None => document,
            };
            let message = fault.message.clone();
            self.blockers.push(Blocker { code, url, at, message, help: help.to_owned() });
        }
        for collision in &self.source.collisions {
            self.blockers.push(Blocker {
                code: BlockerCode::PathCollision,
                url: self.at(&collision.url_path).to_string(),
                at: None,
                message: format!("{} claim one address", collision.files.join(" and ")),
                help: "rename one of the files".to_owned(),
            });
        }
    }

    /// The links of a page's text. `path` is the file below the root.
    pub(super) fn take_body(&mut self, path: &str, read: &ReadDocument) {
        let document = self.ledger.add_document(Document {
            name: self.listed(path),
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
                let listed = self.listed(path);
                self.blockers.push(super::close::strict_blocker(&listed, link, disposition, &why));
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

    /// What a link of a page's text leads to: a file of the folder, as the generators let authors write it, or an
    /// address.
    fn dispose(
        &mut self,
        path: &str,
        link: &RawLink,
        mention: Mention,
    ) -> (Option<SiteUrl>, Disposition, Why) {
        let url = match &link.resolution {
            Resolution::Web(url) => url,
            Resolution::Scheme(scheme) => {
                return (None, Disposition::SkippedFile, Why::Scheme(scheme.clone()));
            }
            Resolution::Bad(error) => return (None, Disposition::Invalid, Why::Reference(error.clone())),
            Resolution::Unreadable(_) => return (None, Disposition::Unparsed, Why::NoRule),
        };
        let href = link.href.as_deref().unwrap_or(url.as_str());
        if href.contains("://") || href.starts_with("//") {
            if url.origin() != self.scope.origin() {
                return self.external(url.as_str());
            }
            return self.inside(vec![url.clone()], mention);
        }
        if let Some(page) = self.file_named(path, href) {
            let url = self.at(&page.url_path);
            let (disposition, why) = self.page(&url, None, mention);
            return (Some(url), disposition, why);
        }
        self.inside(self.readings(path, href), mention)
    }

    /// The page whose file a link names: relative to the linking file, or from the root of the folder.
    fn file_named(&self, path: &str, href: &str) -> Option<&'m SourcePage> {
        let href = href.split(['#', '?']).next().unwrap_or_default();
        if href.is_empty() {
            return self.by_file.get(path).copied();
        }
        let (folder, href) = match href.strip_prefix("@site/") {
            Some(from_root) => ("", from_root),
            None if href.starts_with('/') => ("", href),
            None => (path.rsplit_once('/').map_or("", |(folder, _)| folder), href),
        };
        let base = Base::of(&SiteUrl::parse(&format!("http://folder.invalid/{folder}/")).ok()?);
        let joined = match resolve(&base, href.trim_start_matches('/')) {
            Resolution::Web(url) => decoded(url.path().trim_start_matches('/')),
            _ => return None,
        };
        self.by_file.get(joined.as_str()).copied()
    }

    /// The addresses that a link may mean: as a browser resolves it against the page, and below the base path.
    fn readings(&self, path: &str, href: &str) -> Vec<SiteUrl> {
        let mut readings = Vec::new();
        let own = self.by_file.get(path).map_or_else(|| self.at("/"), |page| self.at(&page.url_path));
        if let Resolution::Web(url) = resolve(&Base::of(&own), href) {
            readings.push(url);
        }
        if href.starts_with('/')
            && let Resolution::Web(url) = resolve(&Base::of(&self.at("/")), href.trim_start_matches('/'))
        {
            readings.push(url);
        }
        readings
    }

    fn inside(&mut self, readings: Vec<SiteUrl>, mention: Mention) -> (Option<SiteUrl>, Disposition, Why) {
        for url in &readings {
            if let Some(known) = self.spellings.get(&self.fold.apply(url)).cloned() {
                let (disposition, mut why) = self.page(&known, None, mention);
                if disposition == Disposition::Duplicate && known != *url {
                    why = Why::OtherSpelling;
                }
                return (Some(known), disposition, why);
            }
            if let Some(target) = self.aliases.get(url).cloned() {
                self.table.led_to(&target, None, mention);
                return (Some(url.clone()), Disposition::Alias, Why::RedirectRule);
            }
        }
        let Some(url) = readings.into_iter().next() else {
            return (None, Disposition::Missing, Why::NoSuchFile);
        };
        match file_extension(&url) {
            Some(extension) => {
                let why = Why::FileExtension(extension.into());
                (Some(url), Disposition::SkippedFile, why)
            }
            None => (Some(url), Disposition::Missing, Why::NoSuchFile),
        }
    }

    fn page(&mut self, url: &SiteUrl, title: Option<&str>, mention: Mention) -> (Disposition, Why) {
        if self.options.excludes(url) {
            return (Disposition::OutOfScope, Why::UserGlob);
        }
        match self.table.mention(url, title, mention) {
            Sighting::First => (Disposition::Page, Why::FirstMention),
            Sighting::Again => (Disposition::Duplicate, Why::SeenBefore),
            Sighting::OtherSpelling => (Disposition::Duplicate, Why::OtherSpelling),
        }
    }

    fn external(&self, text: &str) -> (Option<SiteUrl>, Disposition, Why) {
        match resolve(&Base::of(&self.at("/")), text) {
            Resolution::Web(url) => {
                let allowed = self.options.allow_offsite.matches(&url);
                let why = if allowed { Why::AllowedOffsite } else { Why::OtherOrigin };
                (Some(url), Disposition::Offsite, why)
            }
            Resolution::Scheme(scheme) => (None, Disposition::SkippedFile, Why::Scheme(scheme)),
            Resolution::Bad(error) => (None, Disposition::Invalid, Why::Reference(error)),
            Resolution::Unreadable(_) => (None, Disposition::Unparsed, Why::NoRule),
        }
    }
}

/// A URL path as a file path: percent-escapes undone where the result is text.
fn decoded(path: &str) -> String {
    let bytes = path.as_bytes();
    let mut raw = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        let escape = (bytes[at] == b'%')
            .then(|| path.get(at + 1..at + 3))
            .flatten()
            .and_then(|hex| u8::from_str_radix(hex, 16).ok());
        raw.push(escape.unwrap_or(bytes[at]));
        at += if escape.is_some() { 3 } else { 1 };
    }
    String::from_utf8(raw).unwrap_or_else(|_| path.to_owned())
}

/// Where the site is served: as its configuration says, where the caller has left it to that; the base path of the
/// configuration counts where the address given has none.
pub(super) fn scope(site: &SiteUrl, source: &Source, options: &Options) -> Scope {
    let configured = source.site_url.as_deref().filter(|_| options.configured_site);
    if let Some(url) = configured.and_then(|url| SiteUrl::parse(url).ok()) {
        return Scope::below(&url);
    }
    let given = Scope::below(site);
    if !given.base_path().is_empty() {
        return given;
    }
    match resolve(&Base::of(&given.at("/")), &source.base_path) {
        Resolution::Web(url) if url.origin() == given.origin() => Scope::below(&url),
        _ => given,
    }
}

/// In a sentence, which spellings of an address are one page.
pub(super) fn spellings(generator: Generator) -> String {
    let fold = generator.fold();
    let mut parts = Vec::new();
    if fold.html {
        parts.push(".html and /index.html");
    }
    if fold.markdown_twin {
        parts.push(".md");
    }
    if fold.trailing_slash {
        parts.push("a final slash");
    }
    format!("a {} source folder: {} fold", generator.title(), parts.join(", "))
}

//! The account of a source folder: what became of every entry of its navigation, every file, and
//! every link of its pages.

use std::collections::{BTreeMap, BTreeSet};

use wholesite_address::{Base, Fold, Place, Scope, SiteUrl};
use wholesite_extract::{Role, Syntax};
use wholesite_mintlify::{
    BlockerKind, EntryKind, Followed, Reason, Resolution as NavResolution, Source, SourcePage,
};

use super::path_as_url;
use crate::blocker::{At, Blocker, BlockerCode};
use crate::classify::file_extension;
use crate::disposition::{Disposition, Why};
use crate::ledger::{Document, DocumentId, DocumentKind, DocumentState, Entry, Ledger};
use crate::options::Options;
use crate::pages::{Mention, PageTable, Sighting};
use crate::read::{RawLink, ReadDocument, Resolution};

/// The account while it is being written.
pub(super) struct Closing<'m> {
    pub(super) scope: Scope,
    pub(super) options: &'m Options,
    pub(super) source: Option<&'m Source>,
    pub(super) page_paths: BTreeSet<&'m str>,
    pub(super) table: PageTable,
    pub(super) ledger: Ledger,
    pub(super) blockers: Vec<Blocker>,
    pub(super) aliases: BTreeMap<SiteUrl, SiteUrl>,
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

    pub(super) fn take_aliases(&mut self, source: &Source) {
        for alias in source.aliases() {
            let (from, to) = (self.at(&alias.from), self.at(&alias.to));
            if !self.page_paths.contains(alias.from.as_str()) {
                self.aliases.insert(from, to);
            }
        }
    }

    pub(super) fn take_navigation(&mut self, source: &Source) {
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

    /// The folder's own listing claims every page file, listed in the navigation or not. `root` is the folder of the
    /// configuration, with a final slash, or nothing: files are named as the listing names them.
    pub(super) fn take_listing(&mut self, name: &str, source: &Source, root: &str) {
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
            let file = (!page.generated).then(|| format!("{root}{}", page.file));
            self.table.made_by(&url, file.as_deref(), &page.title);
            self.ledger.entries.push(entry(&page.file, Some(url), disposition, why));
        }
        for (file, reason) in &source.not_pages {
            let why = Why::NotAPageFile(reason_words(reason).into());
            self.ledger.entries.push(entry(file, None, Disposition::SkippedFile, why));
        }
    }

    pub(super) fn take_body(&mut self, path: &str, read: &ReadDocument) {
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

    pub(super) fn take_faults(&mut self, source: &Source) {
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

fn offsite_page(text: &str, file: &str, place: Place) -> Blocker {
    Blocker {
        code: BlockerCode::OffsiteLink,
        url: text.to_owned(),
        at: Some(At { document: file.to_owned(), place, excerpt: None }),
        message: "the navigation lists a page on another origin, which this site can't answer for".to_owned(),
        help: "make it an href, or allow it with --allow-offsite".to_owned(),
    }
}

pub(super) fn strict_blocker(path: &str, link: &RawLink, disposition: Disposition, why: &Why) -> Blocker {
    let code =
        if disposition == Disposition::Offsite { BlockerCode::OffsiteLink } else { BlockerCode::InvalidLink };
    let url = link
        .address()
        .map_or_else(|| link.href.as_deref().unwrap_or_default().to_owned(), SiteUrl::to_string);
    let at = At { document: path.to_owned(), place: link.place, excerpt: link.excerpt.as_deref().cloned() };
    let help = "leave out --strict, or mend the link".to_owned();
    Blocker { code, url, at: Some(at), message: why.to_string(), help }
}

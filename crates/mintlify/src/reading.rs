//! The conversation: which files the reading wants, and what becomes of the answers.

use std::collections::{BTreeMap, BTreeSet, HashSet, VecDeque};

use crate::api::Specs;
use crate::assemble;
use crate::files::{Class, Classifier, IGNORE_FILE};
use crate::forest::{RefTarget, ref_target, references};
use crate::json::Document;
use crate::model::{Blocker, BlockerKind, Source};
use crate::page::{self, PageFacts};
use crate::slug::{is_markdown, normalize};
use crate::spec;

/// Why a file could not be had, in words for people.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Unreadable(pub String);

/// Reads a source folder by asking for its files.
///
/// The caller lists the folder, then hands in what is asked for. Several questions may be open at once, and answers may
/// come in any order: the result is the same. Each file is asked for once; of a page only its facts are kept.
///
/// ```
/// use wholesite_mintlify::{SourceReading, Unreadable};
///
/// let read = |path: &str| match path {
///     "docs.json" => Ok(r#"{"navigation": {"pages": ["index"]}}"#.to_owned()),
///     "index.mdx" => Ok("---\ntitle: Welcome\n---\n".to_owned()),
///     _ => Err(Unreadable("no such file".into())),
/// };
/// let mut reading = SourceReading::new(["docs.json", "index.mdx"].map(String::from));
/// while let Some(path) = reading.next_file() {
///     let content = read(&path);
///     reading.file(path, content);
/// }
/// let site = reading.finish();
/// assert_eq!(site.pages[0].url_path, "/");
/// assert_eq!(site.pages[0].title, "Welcome");
/// ```
#[derive(Debug)]
pub struct SourceReading {
    pub(crate) listing: BTreeSet<String>,
    /// `docs.json` or `mint.json`, where the folder holds one.
    pub(crate) config: Option<&'static str>,
    pub(crate) documents: BTreeMap<String, Document>,
    /// Facts of every page and snippet that was read.
    pub(crate) pages: BTreeMap<String, PageFacts>,
    /// Text of `.mintignore`.
    pub(crate) ignore_file: String,
    /// Files that were asked for in vain, or hold something else than they should; by path.
    pub(crate) faults: BTreeMap<String, Blocker>,
    /// Data files, which may be API descriptions; by path.
    pub(crate) specs: Specs,
    /// Whether the configuration names API descriptions.
    names_descriptions: bool,
    /// Data files that were asked for as such.
    data_files: HashSet<String>,
    asked: HashSet<String>,
    queue: VecDeque<String>,
    open: BTreeSet<String>,
    pages_queued: bool,
}

impl SourceReading {
    /// Begins with the listing of the docs root: the paths of all files below it, relative, with `/`.
    pub fn new(paths: impl IntoIterator<Item = String>) -> Self {
        let listing: BTreeSet<String> =
            paths.into_iter().map(|path| normalize(&path)).filter(|path| !path.is_empty()).collect();
        let config = ["docs.json", "mint.json"].into_iter().find(|name| listing.contains(*name));
        let mut reading = SourceReading {
            config,
            documents: BTreeMap::new(),
            pages: BTreeMap::new(),
            ignore_file: String::new(),
            faults: BTreeMap::new(),
            specs: Specs::new(),
            names_descriptions: false,
            data_files: HashSet::new(),
            asked: HashSet::new(),
            queue: VecDeque::new(),
            open: BTreeSet::new(),
            pages_queued: false,
            listing,
        };
        if let Some(config) = config {
            reading.ask(config);
        }
        if reading.listing.contains(IGNORE_FILE) {
            reading.ask(IGNORE_FILE);
        } else {
            reading.ask_for_pages();
        }
        reading
    }

    /// The next file to read. `None` means that nothing more is wanted until the answers arrive that are still open;
    /// with none open, the reading is done.
    pub fn next_file(&mut self) -> Option<String> {
        if self.queue.is_empty() && self.open.is_empty() {
            self.ask_for_descriptions();
        }
        let path = self.queue.pop_front()?;
        self.open.insert(path.clone());
        Some(path)
    }

    /// Takes the decoded text of a file, or why it could not be had. Files that were not asked for are ignored.
    pub fn file(&mut self, path: String, content: Result<String, Unreadable>) {
        if !self.open.remove(&path) {
            return;
        }
        let is_ignore_file = path == IGNORE_FILE;
        if self.data_files.contains(&path) {
            let read = content.map_err(|why| why.0).and_then(|text| spec::read(&text));
            self.specs.insert(path, read);
            return;
        }
        match content {
            Err(why) => self.fault(&path, BlockerKind::Unreadable, None, format!("could not be read: {why}")),
            Ok(text) if is_ignore_file => self.ignore_file = text,
            Ok(text) if is_markdown(&path) => {
                let facts = page::read(&path, &text);
                self.pages.insert(path, facts);
            }
            Ok(text) => self.json(path, &text),
        }
        if is_ignore_file {
            self.ask_for_pages();
        }
    }

    /// Puts everything together. Files that were asked for and never handed in count as unreadable.
    pub fn finish(mut self) -> Source {
        let missing: Vec<String> = self.queue.drain(..).chain(std::mem::take(&mut self.open)).collect();
        for path in missing {
            self.fault(&path, BlockerKind::Unreadable, None, "was asked for and not handed in".into());
        }
        assemble::assemble(self)
    }

    fn ask(&mut self, path: &str) {
        if self.asked.insert(path.to_owned()) {
            self.queue.push_back(path.to_owned());
        }
    }

    fn ask_for_pages(&mut self) {
        if std::mem::replace(&mut self.pages_queued, true) {
            return;
        }
        let (mut classifier, _) = Classifier::new(&self.ignore_file);
        let wanted: Vec<String> = (self.listing.iter())
            .filter(|path| matches!(classifier.class(path), Class::Page | Class::Snippet))
            .cloned()
            .collect();
        for path in wanted {
            self.ask(&path);
        }
    }

    /// Asks for all data files once the configuration is known and names descriptions: any of them may be a
    /// description, or an overlay of one.
    fn ask_for_descriptions(&mut self) {
        if !std::mem::take(&mut self.names_descriptions) {
            return;
        }
        let (mut classifier, _) = Classifier::new(&self.ignore_file);
        let is_data =
            |path: &str| [".json", ".yaml", ".yml"].iter().any(|extension| path.ends_with(extension));
        let wanted: Vec<String> = (self.listing.iter())
            .filter(|path| is_data(path) && classifier.class(path) == Class::Other)
            .filter(|path| !self.asked.contains(*path))
            .cloned()
            .collect();
        for path in wanted {
            self.ask(&path);
            self.data_files.insert(path);
        }
    }

    /// Takes a file of the configuration, and asks for those it refers to.
    fn json(&mut self, path: String, text: &str) {
        const NAMES: [&str; 5] = ["openapi", "asyncapi", ".json ", ".yaml ", ".yml "];
        self.names_descriptions |= NAMES.iter().any(|name| text.contains(name));
        let document = match Document::parse(text) {
            Ok(document) => document,
            Err(fault) => {
                let why = format!("is no JSON: {}", fault.why);
                return self.fault(&path, BlockerKind::InvalidJson, Some(fault.place), why);
            }
        };
        let targets: Vec<String> = references(&document)
            .filter_map(|(_, _, reference)| match ref_target(&path, reference) {
                RefTarget::File(target) => Some(target).filter(|target| self.listing.contains(target)),
                RefTarget::Escapes => None,
            })
            .collect();
        for target in targets {
            if is_markdown(&target) || target == IGNORE_FILE {
                self.fault(
                    &target,
                    BlockerKind::InvalidJson,
                    None,
                    "is the target of a `$ref` and no JSON".into(),
                );
            } else {
                self.ask(&target);
            }
        }
        self.documents.insert(path, document);
    }

    fn fault(
        &mut self,
        path: &str,
        kind: BlockerKind,
        at: Option<wholesite_address::Place>,
        message: String,
    ) {
        let blocker = Blocker { kind, file: path.to_owned(), at, message };
        // A Markdown file can be at fault twice: as a page and as the target of a `$ref`. The worse one stays,
        // whichever was met first.
        let known = self.faults.entry(path.to_owned()).or_insert_with(|| blocker.clone());
        if blocker.kind < known.kind {
            *known = blocker;
        }
    }
}

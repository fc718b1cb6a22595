//! The conversation: which files a reading wants, and what becomes of the answers.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use wholesite_content::decode;

use crate::build::Builder;
use crate::facts::Facts;
use crate::tree::{Content, Keep, Tree};
use crate::{BlockerKind, Generator, Source};
use crate::{docusaurus, gitbook, mdbook, mkdocs, nested, sphinx, starlight, vitepress};

/// Chains of configuration files that name one another are followed this far.
const ROUNDS: usize = 16;

/// Why a file could not be had, in words for people.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Unreadable(pub String);

/// Reads one generator's source folder by asking for its files.
///
/// The caller lists the folder, then hands in what is asked for, in any order. Each file is asked for once.
///
/// ```
/// use wholesite_source_folders::{FolderReading, Generator, Unreadable};
///
/// let read = |path: &str| match path {
///     "mkdocs.yml" => Ok(b"site_name: Bees\nnav: [index.md, hive.md]\n".to_vec()),
///     "docs/index.md" => Ok(b"# Bees\n".to_vec()),
///     "docs/hive.md" => Ok(b"# The hive\n".to_vec()),
///     _ => Err(Unreadable("no such file".into())),
/// };
/// let listing = ["mkdocs.yml", "docs/index.md", "docs/hive.md"].map(String::from);
/// let mut reading = FolderReading::new(Generator::MkDocs, listing);
/// while let Some(path) = reading.next_file() {
///     let content = read(&path);
///     reading.file(path, content);
/// }
/// let site = reading.finish();
/// assert_eq!(site.pages[1].url_path, "/hive/");
/// assert_eq!(site.pages[1].title, "The hive");
/// ```
#[derive(Debug)]
pub struct FolderReading {
    generator: Generator,
    tree: Tree,
    asked: BTreeMap<String, Keep>,
    queue: VecDeque<String>,
    open: BTreeSet<String>,
    rounds: usize,
}

impl FolderReading {
    /// Begins with the listing of the generator's root: the paths of all files below it, with `/`.
    pub fn new(generator: Generator, listing: impl IntoIterator<Item = String>) -> Self {
        let tree = Tree { listing: listing.into_iter().collect(), files: BTreeMap::new() };
        FolderReading {
            generator,
            tree,
            asked: BTreeMap::new(),
            queue: VecDeque::new(),
            open: BTreeSet::new(),
            rounds: 0,
        }
    }

    /// Whose folder this is read as.
    pub fn generator(&self) -> Generator {
        self.generator
    }

    /// The next file to read. `None` means that nothing more is wanted until the answers arrive that are still open;
    /// with none open, the reading is done.
    pub fn next_file(&mut self) -> Option<String> {
        if self.queue.is_empty() && self.open.is_empty() && self.rounds < ROUNDS {
            self.rounds += 1;
            for (path, keep) in wants(self.generator, &self.tree) {
                if !self.asked.contains_key(&path) {
                    self.asked.insert(path.clone(), keep);
                    self.queue.push_back(path);
                }
            }
        }
        let path = self.queue.pop_front()?;
        self.open.insert(path.clone());
        Some(path)
    }

    /// Takes the bytes of a file, or why they could not be had. Files that were not asked for are ignored.
    pub fn file(&mut self, path: String, content: Result<Vec<u8>, Unreadable>) {
        if !self.open.remove(&path) {
            return;
        }
        let content = match (content, self.asked.get(&path)) {
            (Err(why), _) => Content::Failed(why.0),
            (Ok(bytes), Some(Keep::Page)) => {
                Content::Page(Facts::markdown(&decode::decode(&bytes, None).text))
            }
            (Ok(bytes), Some(Keep::Restructured)) => {
                Content::Page(sphinx::restructured(&decode::decode(&bytes, None).text))
            }
            (Ok(bytes), Some(Keep::Myst)) => Content::Page(sphinx::myst(&decode::decode(&bytes, None).text)),
            (Ok(bytes), Some(Keep::Bytes)) => Content::Bytes(bytes),
            (Ok(bytes), _) => Content::Text(decode::decode(&bytes, None).text.into_owned()),
        };
        self.tree.files.insert(path, content);
    }

    /// Puts everything together. Files that were asked for and never handed in count as unreadable.
    pub fn finish(mut self) -> Source {
        for path in self.queue.drain(..).chain(std::mem::take(&mut self.open)) {
            self.tree.files.insert(path, Content::Failed("was asked for and not handed in".to_owned()));
        }
        let mut builder = Builder::new(&self.tree);
        for (path, content) in &self.tree.files {
            match content {
                Content::Failed(why) => {
                    builder.block(BlockerKind::Unreadable, path, None, format!("could not be read: {why}"));
                }
                Content::Page(facts) => {
                    if let Some(why) = &facts.fault {
                        builder.note(format!("{path}: front matter read line by line ({why})"));
                    }
                }
                Content::Text(_) | Content::Bytes(_) => {}
            }
        }
        match self.generator {
            Generator::MkDocs => mkdocs::build(&mut builder),
            Generator::MdBook => mdbook::build(&mut builder),
            Generator::GitBook => gitbook::build(&mut builder),
            Generator::VitePress => vitepress::build(&mut builder),
            Generator::Docusaurus => docusaurus::build(&mut builder),
            Generator::Starlight => starlight::build(&mut builder),
            Generator::Fumadocs => nested::build_fumadocs(&mut builder),
            Generator::Nextra => nested::build_nextra(&mut builder),
            Generator::Sphinx => sphinx::build(&mut builder),
        }
        builder.finish()
    }
}

/// The files that are wanted, given what is known.
fn wants(generator: Generator, tree: &Tree) -> Vec<(String, Keep)> {
    match generator {
        Generator::MkDocs => mkdocs::wants(tree),
        Generator::MdBook => mdbook::wants(tree),
        Generator::GitBook => gitbook::wants(tree),
        Generator::VitePress => vitepress::wants(tree),
        Generator::Docusaurus => docusaurus::wants(tree),
        Generator::Starlight => starlight::wants(tree),
        Generator::Fumadocs => nested::want_fumadocs(tree),
        Generator::Nextra => nested::want_nextra(tree),
        Generator::Sphinx => sphinx::wants(tree),
    }
}

//! The JSON files of a configuration, joined by `$ref`.
//!
//! Any object with a text `$ref` stands for another file: if that file holds an object, the keys beside `$ref` override
//! its keys; if it holds a list or a scalar, they are dropped. A `$ref` always takes in a whole file, so a cycle of
//! files is a cycle of values, and it is enough to cut the graph of files. Nothing is expanded ahead of time: a file
//! that is taken in a thousand times is stored once, and [`Forest::view`] joins where a walk passes by.

use std::cell::Cell;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

use wholesite_address::Place;

use crate::json::{Document, Fault, NodeId, Value};
use crate::model::{Blocker, BlockerKind};
use crate::slug::{folder_of, has_scheme, join};

/// How many nodes one reading may pass by. Far above any site (the largest known have some 50,000), and the guard
/// against files that take each other in so often that the whole never ends.
const STEPS: u32 = 5_000_000;

/// A node of the forest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct At {
    file: u32,
    node: NodeId,
}

/// A value with every `$ref` on the way to it followed.
pub(crate) enum View<'f> {
    /// Keys and values. A key that is doubled in one file comes twice.
    Object(Vec<(&'f str, At)>),
    Array(Vec<At>),
    /// The text, and the node that holds it.
    Text(&'f str, At),
    Bool(bool),
    Number(&'f str),
    Null,
}

/// What a `$ref` names.
pub(crate) enum RefTarget {
    /// A path below the docs root.
    File(String),
    /// Not a path that stays below the docs root.
    Escapes,
}

pub(crate) struct Forest {
    files: Vec<File>,
    steps: Cell<u32>,
}

struct File {
    path: Arc<str>,
    document: Document,
    /// Objects whose `$ref` is followed, and the file it takes in.
    refs: HashMap<NodeId, u32>,
}

/// Every `$ref` of a document: the object, the node of the reference, its text.
pub(crate) fn references(document: &Document) -> impl Iterator<Item = (NodeId, NodeId, &str)> {
    document.nodes().filter_map(|(id, node)| {
        let Value::Object(fields) = &node.value else { return None };
        let (_, target) = fields.iter().rev().find(|(key, _)| &**key == "$ref")?;
        Some((id, *target, document.node(*target).value.as_text()?))
    })
}

/// The file a `$ref` in `file` names.
pub(crate) fn ref_target(file: &str, reference: &str) -> RefTarget {
    let path = reference.trim();
    if path.starts_with(['/', '#']) || has_scheme(path) {
        return RefTarget::Escapes;
    }
    match join(folder_of(file), path) {
        Some(path) if !path.is_empty() => RefTarget::File(path),
        _ => RefTarget::Escapes,
    }
}

impl Forest {
    /// Joins files that were read. `root` is the configuration file; a reference to a file that is not among `files`
    /// is reported as missing unless the file is in `faulty` (reported already).
    pub(crate) fn join(
        root: &str,
        files: BTreeMap<String, Document>,
        faulty: &HashSet<String>,
    ) -> (Forest, Vec<Blocker>) {
        let mut blockers = Vec::new();
        let mut documents: Vec<(String, Document)> = files.into_iter().collect();
        if let Some(at) = documents.iter().position(|(path, _)| path == root) {
            documents[..=at].rotate_right(1);
        }
        let numbers: HashMap<String, u32> =
            documents.iter().zip(0..).map(|((path, _), number)| (path.clone(), number)).collect();
        let mut forest = Forest { files: Vec::new(), steps: Cell::new(STEPS) };
        for (path, document) in documents {
            let mut refs = HashMap::new();
            for (object, target, text) in references(&document) {
                let mut block = |kind, message| {
                    let at = Some(document.node(target).place);
                    blockers.push(Blocker { kind, file: path.clone(), at, message });
                };
                match ref_target(&path, text) {
                    RefTarget::Escapes => {
                        block(
                            BlockerKind::RefEscapes,
                            format!("`$ref` {text:?} is no path inside the docs folder"),
                        );
                    }
                    RefTarget::File(file) => match numbers.get(&file) {
                        Some(number) => {
                            refs.insert(object, *number);
                        }
                        None if faulty.contains(&file) => {}
                        None => {
                            block(BlockerKind::RefMissing, format!("`$ref` names {file}, which is not there"))
                        }
                    },
                }
            }
            forest.files.push(File { path: path.into(), document, refs });
        }
        forest.cut_cycles(&mut blockers);
        (forest, blockers)
    }

    /// A forest of one document.
    pub(crate) fn single(path: &str, document: Document) -> Forest {
        let file = File { path: path.into(), document, refs: HashMap::new() };
        Forest { files: vec![file], steps: Cell::new(STEPS) }
    }

    /// Removes every reference that leads back to a file which is being taken in (depth first, in file order).
    fn cut_cycles(&mut self, blockers: &mut Vec<Blocker>) {
        #[derive(Clone, Copy, PartialEq)]
        enum Mark {
            New,
            Open,
            Done,
        }
        let edges: Vec<Vec<(NodeId, u32)>> = (self.files.iter())
            .map(|file| {
                let mut edges: Vec<_> = file.refs.iter().map(|(node, to)| (*node, *to)).collect();
                edges.sort_unstable();
                edges
            })
            .collect();
        let mut marks = vec![Mark::New; self.files.len()];
        for start in 0..self.files.len() {
            if marks[start] != Mark::New {
                continue;
            }
            marks[start] = Mark::Open;
            let mut open = vec![(start, 0)];
            while let Some((file, next)) = open.last_mut() {
                let Some((node, target)) = edges[*file].get(*next).copied() else {
                    marks[*file] = Mark::Done;
                    open.pop();
                    continue;
                };
                *next += 1;
                let from = *file;
                match marks[target as usize] {
                    Mark::New => {
                        marks[target as usize] = Mark::Open;
                        open.push((target as usize, 0));
                    }
                    Mark::Open => {
                        let target = self.files[target as usize].path.clone();
                        let file = &mut self.files[from];
                        file.refs.remove(&node);
                        blockers.push(Blocker {
                            kind: BlockerKind::RefCycle,
                            file: file.path.to_string(),
                            at: Some(file.document.node(node).place),
                            message: format!("`$ref` to {target} leads back to {}", file.path),
                        });
                    }
                    Mark::Done => {}
                }
            }
        }
    }

    /// The outermost value of the configuration file.
    pub(crate) fn root(&self) -> At {
        At { file: 0, node: Document::ROOT }
    }

    pub(crate) fn path(&self, at: At) -> &Arc<str> {
        &self.files[at.file as usize].path
    }

    pub(crate) fn place(&self, at: At) -> Place {
        self.node(at).place
    }

    pub(crate) fn span(&self, at: At) -> std::ops::Range<usize> {
        self.node(at).span.clone()
    }

    fn node(&self, at: At) -> &crate::json::Node {
        self.files[at.file as usize].document.node(at.node)
    }

    /// Whether the walk was given up because it passed too many nodes.
    pub(crate) fn is_exhausted(&self) -> bool {
        self.steps.get() == 0
    }

    fn step(&self, count: usize) {
        let count = u32::try_from(count).unwrap_or(u32::MAX);
        self.steps.set(self.steps.get().saturating_sub(count));
    }

    /// The value at a node, references followed. [`View::Null`] for everything once the walk is exhausted.
    pub(crate) fn view(&self, at: At) -> View<'_> {
        let mut here = at;
        let mut beside: Vec<At> = Vec::new();
        while let Some(target) = self.files[here.file as usize].refs.get(&here.node) {
            self.step(1);
            beside.push(here);
            here = At { file: *target, node: Document::ROOT };
        }
        self.step(1);
        if self.is_exhausted() {
            return View::Null;
        }
        match &self.node(here).value {
            Value::Null => View::Null,
            Value::Bool(flag) => View::Bool(*flag),
            Value::Number(digits) => View::Number(digits),
            Value::Text(text) => View::Text(text, here),
            Value::Array(elements) => {
                View::Array(elements.iter().map(|node| At { file: here.file, node: *node }).collect())
            }
            Value::Object(_) => View::Object(self.overridden(here, &beside)),
        }
    }

    /// The fields of an object, those of the referring objects before their own (the outermost, first in `beside`,
    /// wins).
    fn overridden(&self, here: At, beside: &[At]) -> Vec<(&str, At)> {
        let own = |at: At| {
            let fields: &[_] = match &self.node(at).value {
                Value::Object(fields) => fields,
                _ => &[],
            };
            self.step(fields.len());
            fields.iter().map(move |(key, node)| (&**key, At { file: at.file, node: *node }))
        };
        if beside.is_empty() {
            return own(here).collect();
        }
        let mut taken = HashSet::new();
        let mut fields = Vec::new();
        for layer in beside.iter().copied().chain([here]) {
            let added: Vec<_> =
                own(layer).filter(|(key, _)| *key != "$ref" && !taken.contains(key)).collect();
            taken.extend(added.iter().map(|(key, _)| *key));
            fields.extend(added);
        }
        fields
    }

    /// The last value of a key, where the node is an object that has it.
    pub(crate) fn get(&self, at: At, key: &str) -> Option<At> {
        match self.view(at) {
            View::Object(fields) => {
                fields.iter().rev().find(|(name, _)| *name == key).map(|(_, value)| *value)
            }
            _ => None,
        }
    }

    pub(crate) fn text(&self, at: At) -> Option<&str> {
        match self.view(at) {
            View::Text(text, _) => Some(text),
            _ => None,
        }
    }

    /// What had to be forgiven in each file.
    pub(crate) fn loose(&self) -> impl Iterator<Item = (&Arc<str>, &Fault)> {
        self.files.iter().filter_map(|file| Some((&file.path, file.document.loose.as_ref()?)))
    }
}

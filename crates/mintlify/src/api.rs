//! Pages made from API descriptions: what the navigation asks for.
//!
//! The walk of the navigation collects [`Demand`]s; [`answer`] makes the pages that the descriptions of the folder
//! ask for, and a blocker for every description that is elsewhere or can't be followed.

mod made;
mod slugs;

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use wholesite_address::Place;

use crate::forest::{At, Forest, View};
use crate::model::{Blocker, BlockerKind, EntryKind, NavEntry, Resolution};
use crate::slug::{folder_of, is_web_url, join, normalize};
use crate::spec::{OpenApi, Spec};

pub(crate) use made::{Made, Origin};

/// The kinds of descriptions that make pages.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum SpecKind {
    OpenApi,
    AsyncApi,
    GraphQl,
    Sdk,
}

impl SpecKind {
    /// The key in the navigation.
    pub(crate) fn key(self) -> &'static str {
        match self {
            SpecKind::OpenApi => "openapi",
            SpecKind::AsyncApi => "asyncapi",
            SpecKind::GraphQl => "graphql",
            SpecKind::Sdk => "sdk",
        }
    }

    pub(crate) const ALL: [SpecKind; 4] =
        [SpecKind::OpenApi, SpecKind::AsyncApi, SpecKind::GraphQl, SpecKind::Sdk];
}

/// One description that a node of the navigation declares, or that an entry names.
#[derive(Debug, Clone)]
pub(crate) struct Demand {
    pub(crate) kind: SpecKind,
    /// Paths or URLs as written; empty where the declaration has another shape.
    pub(crate) sources: Vec<String>,
    pub(crate) file: Arc<str>,
    pub(crate) place: Place,
    pub(crate) span: Range<usize>,
    /// Where the pages lie, where the declaration says so.
    pub(crate) directory: Option<String>,
    /// Whether the declaration names overlays.
    pub(crate) overlaid: bool,
    /// `hidden`, `searchable` and label of the declaring node.
    pub(crate) hidden: bool,
    pub(crate) searchable: Option<bool>,
    pub(crate) label: Option<u32>,
    /// Whether the declaring node appends pages for every operation (it does, unless an entry picks operations).
    pub(crate) bulk: bool,
    /// Entries that pick one operation each: indexes into the entries of the navigation.
    pub(crate) picked: Vec<usize>,
}

/// A field of the declaration beside its `source`; of a list, the first element's.
pub(crate) fn beside(forest: &Forest, value: At, key: &str) -> Option<At> {
    match forest.view(value) {
        View::Object(_) => forest.get(value, key),
        View::Array(elements) => elements
            .into_iter()
            .next()
            .filter(|at| matches!(forest.view(*at), View::Object(_)))
            .and_then(|at| forest.get(at, key)),
        _ => None,
    }
}

/// Reads the value of an `openapi`, `asyncapi`, `graphql` or `sdk` key; `None` where it declares nothing. Of a list,
/// OpenAPI takes the first element only, the others take all.
pub(crate) fn declared(forest: &Forest, kind: SpecKind, value: At) -> Option<Vec<String>> {
    let one = |at: At| match forest.view(at) {
        View::Text(text, _) => Some(text.trim().to_owned()).filter(|text| !text.is_empty()),
        View::Object(_) => Some(forest.get(at, "source").and_then(|at| forest.text(at))?.trim().to_owned()),
        _ => None,
    };
    match forest.view(value) {
        View::Null | View::Bool(_) | View::Number(_) => None,
        View::Array(elements) if kind == SpecKind::OpenApi => {
            elements.into_iter().find_map(one).map(|one| vec![one])
        }
        View::Array(elements) => Some(elements.into_iter().filter_map(one).collect()),
        View::Text(..) => one(value).map(|one| vec![one]),
        // A description whose source is not understood may still make pages.
        View::Object(_) => Some(one(value).into_iter().collect()),
    }
}

/// The data files of the folder that were read, by path; an error says why one could not be.
pub(crate) type Specs = BTreeMap<String, Result<Spec, String>>;

/// What comes of the demands.
#[derive(Debug, Default)]
pub(crate) struct Answer {
    /// Pages, each with the description that makes it.
    pub(crate) made: Vec<(String, Made)>,
    /// Entries of the navigation that stand for operations of a description as a whole.
    pub(crate) entries: Vec<NavEntry>,
    /// What entries that pick an operation lead to: the entry's number and the slug.
    pub(crate) picked: Vec<(usize, String)>,
    pub(crate) blockers: Vec<Blocker>,
}

/// Makes pages where the descriptions are in the folder, and blockers where they are not or can't be followed. An
/// entry that turned out to name a file asks for nothing.
pub(crate) fn answer(demands: &[Demand], entries: &[NavEntry], specs: &Specs) -> Answer {
    let mut answer = Answer::default();
    for demand in demands {
        let open: Vec<usize> = (demand.picked.iter().copied())
            .filter(|at| entries.get(*at).is_some_and(|entry| entry.resolution == Resolution::Generated))
            .collect();
        if !demand.bulk && open.is_empty() {
            continue;
        }
        match demand.kind {
            SpecKind::GraphQl | SpecKind::Sdk => {
                let message = format!("pages are made from {}, which is not read here", name(demand));
                answer.block(demand, BlockerKind::GeneratedPages, message);
            }
            SpecKind::OpenApi | SpecKind::AsyncApi => answer.descriptions(demand, &open, entries, specs),
        }
    }
    let mut told = std::collections::BTreeSet::new();
    answer
        .blockers
        .retain(|blocker| told.insert((blocker.file.clone(), blocker.at, blocker.message.clone())));
    answer
}

fn name(demand: &Demand) -> String {
    match demand.sources.as_slice() {
        [] => format!("`{}`", demand.kind.key()),
        sources => sources.join(", "),
    }
}

impl Answer {
    fn block(&mut self, demand: &Demand, kind: BlockerKind, message: String) {
        let (file, at) = (demand.file.to_string(), Some(demand.place));
        self.blockers.push(Blocker { kind, file, at, message });
    }

    fn descriptions(&mut self, demand: &Demand, open: &[usize], entries: &[NavEntry], specs: &Specs) {
        if demand.sources.is_empty() {
            let message = format!("{} declares a description in a form that is not understood", name(demand));
            self.block(demand, BlockerKind::GeneratedPages, message);
        }
        for source in &demand.sources {
            if is_web_url(source) {
                let message = format!("pages are made from {source}, which lies outside the folder");
                self.block(demand, BlockerKind::RemoteSpec, message);
                continue;
            }
            let path = normalize(source);
            if demand.overlaid || is_overlaid(&path, specs) {
                let message = format!("an overlay changes {source}, and overlays are not applied here");
                self.block(demand, BlockerKind::GeneratedPages, message);
            }
            match specs.get(&path) {
                None => {
                    let message = format!("{source} is not in the folder, and pages are made from it");
                    self.block(demand, BlockerKind::RefMissing, message);
                }
                Some(Err(why)) => {
                    let message = format!("{source} can't be read, and pages are made from it: {why}");
                    self.block(demand, BlockerKind::Unreadable, message);
                }
                Some(Ok(spec)) => self.description(demand, &path, spec, open, entries),
            }
        }
    }

    fn description(
        &mut self,
        demand: &Demand,
        path: &str,
        spec: &Spec,
        open: &[usize],
        entries: &[NavEntry],
    ) {
        let directory = demand.directory.as_deref();
        let (made, unresolved) = match (spec, demand.kind) {
            (Spec::OpenApi(api), SpecKind::OpenApi) if demand.bulk => {
                (made::all_operations(api, directory), &api.unresolved)
            }
            (Spec::OpenApi(api), SpecKind::OpenApi) => {
                self.pick(path, api, directory, open, entries);
                (Vec::new(), &api.unresolved)
            }
            (Spec::AsyncApi(api), SpecKind::AsyncApi) => {
                (made::all_channels(api, directory), &api.unresolved)
            }
            (other, kind) => {
                let what = match other {
                    Spec::Other(what) => what.clone(),
                    _ => format!("is no {} description", kind.key()),
                };
                return self.block(demand, BlockerKind::GeneratedPages, format!("{path} {what}"));
            }
        };
        for reference in unresolved {
            let message =
                format!("`$ref` {reference:?} leads to no part of this file, and its pages are unknown");
            let (kind, file) = (BlockerKind::RefMissing, path.to_owned());
            self.blockers.push(Blocker { kind, file, at: None, message });
        }
        if made.is_empty() && demand.bulk {
            let message = format!("{path} describes nothing that makes a page");
            self.block(demand, BlockerKind::GeneratedPages, message);
        }
        for page in made {
            if !page.hidden {
                self.entries.push(entry(demand, &page));
            }
            self.made.push((path.to_owned(), page));
        }
    }

    /// The operations that entries pick, each at the place of its entry.
    fn pick(
        &mut self,
        path: &str,
        api: &OpenApi,
        directory: Option<&str>,
        open: &[usize],
        entries: &[NavEntry],
    ) {
        for at in open {
            let Some(entry) = entries.get(*at) else { continue };
            let (method, wanted) = match &entry.kind {
                EntryKind::Endpoint { method, path, .. } => (method.as_str(), path.as_str()),
                EntryKind::Webhook { name, .. } => ("webhook", name.as_str()),
                EntryKind::Page | EntryKind::Href | EntryKind::Channel { .. } => continue,
            };
            match made::operation(api, directory, method, wanted) {
                Ok(page) => {
                    self.picked.push((*at, page.slug.clone()));
                    self.made.push((path.to_owned(), page));
                }
                Err(why) => self.blockers.push(Blocker {
                    kind: BlockerKind::RefMissing,
                    file: entry.file.to_string(),
                    at: Some(entry.place),
                    message: format!("{:?} names an operation, and {path} {why}", entry.text),
                }),
            }
        }
    }
}

/// Whether an overlay of the folder says that it extends this description, or does not say which.
fn is_overlaid(path: &str, specs: &Specs) -> bool {
    specs.iter().any(|(overlay, spec)| match spec {
        Ok(Spec::Overlay(Some(extends))) => {
            normalize(extends) == path
                || join(folder_of(overlay), extends).as_deref() == Some(path)
                || extends.ends_with(&format!("/{path}"))
        }
        _ => false,
    })
}

fn entry(demand: &Demand, page: &Made) -> NavEntry {
    let kind = match &page.of {
        Origin::Operation { method, path } => {
            EntryKind::Endpoint { spec: None, method: (*method).to_owned(), path: path.clone() }
        }
        Origin::Webhook(name) => EntryKind::Webhook { spec: None, name: name.clone() },
        Origin::Channel(name) => EntryKind::Channel { name: name.clone() },
    };
    NavEntry {
        text: page.text.clone(),
        file: Arc::clone(&demand.file),
        span: demand.span.clone(),
        place: demand.place,
        kind,
        hidden: demand.hidden,
        searchable: demand.searchable,
        resolution: Resolution::Page(page.slug.clone()),
        label: demand.label,
    }
}

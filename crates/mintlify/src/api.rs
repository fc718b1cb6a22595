//! Pages made from API descriptions: what the navigation asks for.
//!
//! The walk of the navigation collects [`Demand`]s; this module says what comes of them. For now that is a blocker
//! each, because the addresses of such pages depend on the contents of the description. A generator takes the place of
//! [`answer`]: it is handed every demand and returns pages where it can and blockers where it cannot.

use std::collections::BTreeMap;
use std::sync::Arc;

use wholesite_address::Place;

use crate::forest::{At, Forest, View};
use crate::model::{Blocker, BlockerKind, NavEntry, Resolution};
use crate::slug::is_web_url;

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
    /// Whether the declaring node appends pages for every operation (it does, unless an entry picks operations).
    pub(crate) bulk: bool,
    /// Entries that pick one operation each: indexes into the entries of the navigation.
    pub(crate) picked: Vec<usize>,
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

/// What comes of the demands: today a blocker for every description, told once per place. An entry that turned out to
/// name a file asks for nothing.
pub(crate) fn answer(demands: &[Demand], entries: &[NavEntry]) -> Vec<Blocker> {
    let mut told: BTreeMap<(&str, Place, SpecKind), Blocker> = BTreeMap::new();
    for demand in demands {
        let is_open =
            |at: &&usize| entries.get(**at).is_some_and(|entry| entry.resolution == Resolution::Generated);
        let name = match demand.sources.as_slice() {
            [] => format!("`{}`", demand.kind.key()),
            sources => sources.join(", "),
        };
        let message = match (demand.bulk, demand.picked.iter().filter(is_open).count()) {
            (true, _) => {
                format!("every operation of {name} is a page, and which those are only the description tells")
            }
            (false, 0) => continue,
            (false, 1) => {
                format!("an entry names an operation of {name}, and its address only the description tells")
            }
            (false, count) => {
                format!(
                    "{count} entries name operations of {name}, and their addresses only the description tells"
                )
            }
        };
        let is_remote = demand.sources.iter().any(|source| is_web_url(source));
        let kind = if is_remote { BlockerKind::RemoteSpec } else { BlockerKind::GeneratedPages };
        let blocker = Blocker { kind, file: demand.file.to_string(), at: Some(demand.place), message };
        told.entry((&demand.file, demand.place, demand.kind)).or_insert(blocker);
    }
    told.into_values().collect()
}

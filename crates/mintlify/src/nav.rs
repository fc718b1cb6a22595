//! The walk of the navigation.
//!
//! Mintlify reads its navigation as ordered unions: the first shape that fits wins and everything beside it is silently
//! lost. This walk is permissive instead: it takes every container key of every node, in whatever company. A page
//! found extra is harmless; a page missed would count as gone.

use std::sync::Arc;

use crate::api::{self, Demand, SpecKind};
use crate::forest::{At, Forest, View};
use crate::model::{Blocker, BlockerKind, EntryKind, LabelNode, NavEntry, Note, NoteKind, Resolution};
use crate::slug::is_web_url;

/// Keys that name a node, outermost first where a node has several (legacy groups have `version` and `group`).
const LABELS: [&str; 8] = ["language", "version", "product", "tab", "dropdown", "anchor", "item", "group"];

/// Keys that hold further nodes or page strings.
const CONTAINERS: [&str; 9] =
    ["products", "languages", "versions", "tabs", "dropdowns", "anchors", "menu", "groups", "pages"];

/// HTTP methods (and `webhook`) that make an endpoint of a page string.
const METHODS: [&str; 9] = ["get", "put", "post", "delete", "options", "head", "patch", "trace", "webhook"];

/// Everything the walk met. Entries are not resolved yet.
#[derive(Default)]
pub(crate) struct Walked {
    pub(crate) entries: Vec<NavEntry>,
    pub(crate) labels: Vec<LabelNode>,
    pub(crate) demands: Vec<Demand>,
    pub(crate) blockers: Vec<Blocker>,
    pub(crate) notes: Vec<Note>,
}

/// What a node hands down to those below it.
#[derive(Clone, Copy, Default)]
struct Scope {
    label: Option<u32>,
    hidden: bool,
    searchable: Option<bool>,
    /// The OpenAPI declaration in force: an index into the demands.
    spec: Option<u32>,
}

/// What a text means where it is met.
#[derive(Clone, Copy, PartialEq)]
enum Texts {
    /// A page string.
    Pages,
    /// Nothing: `"versions": ["v1", "v2"]` only names them.
    Names,
}

struct Step {
    at: At,
    scope: Scope,
    texts: Texts,
}

/// Walks the `navigation` of a docs.json. `defaults` is the outermost object of the configuration, whose `openapi` and
/// `api.openapi` hold for entries that name no description.
pub(crate) fn walk_docs(forest: &Forest, navigation: At, defaults: At) -> Walked {
    let mut walk = Walk { forest, out: Walked::default() };
    let scope = walk.default_scope(defaults);
    walk.run(navigation, scope);
    walk.finish()
}

/// Walks the `navigation` of a mint.json. Its tabs and anchors are path prefixes, which add no page of their own; only
/// their descriptions and web addresses count.
pub(crate) fn walk_mint(forest: &Forest, navigation: Option<At>, root: At) -> Walked {
    let mut walk = Walk { forest, out: Walked::default() };
    let scope = walk.default_scope(root);
    if let Some(navigation) = navigation {
        walk.run(navigation, scope);
    }
    for key in ["tabs", "anchors"] {
        let Some(View::Array(items)) = forest.get(root, key).map(|at| forest.view(at)) else { continue };
        for item in items {
            walk.prefix(item, scope);
        }
    }
    walk.finish()
}

struct Walk<'f> {
    forest: &'f Forest,
    out: Walked,
}

impl<'f> Walk<'f> {
    fn default_scope(&mut self, root: At) -> Scope {
        let mut scope = Scope::default();
        let api = self.forest.get(root, "api");
        for holder in [Some(root), api].into_iter().flatten() {
            if let Some(value) = self.forest.get(holder, "openapi") {
                scope.spec = self.declare(SpecKind::OpenApi, value, false, scope).or(scope.spec);
            }
        }
        scope
    }

    fn run(&mut self, start: At, scope: Scope) {
        let mut stack = vec![Step { at: start, scope, texts: Texts::Pages }];
        while let Some(Step { at, scope, texts }) = stack.pop() {
            match self.forest.view(at) {
                View::Object(fields) => self.node(at, &fields, scope, &mut stack),
                View::Array(elements) => {
                    stack.extend(elements.into_iter().rev().map(|at| Step { at, scope, texts }));
                }
                View::Text(text, at) if texts == Texts::Pages => self.page(text, at, scope),
                View::Text(..) | View::Null => {}
                View::Bool(_) | View::Number(_) => self.odd(at, "neither a page string nor a node".into()),
            }
        }
    }

    /// One division or group: what it says of itself, then what it holds.
    fn node(&mut self, at: At, fields: &[(&'f str, At)], outer: Scope, stack: &mut Vec<Step>) {
        let field = |key: &str| fields.iter().rev().find(|(name, _)| *name == key).map(|(_, at)| *at);
        let scope = self.scope_of(&field, outer);
        if let Some(reference) = field("sourceRef") {
            let target = self.forest.text(reference).unwrap_or_default();
            self.block(
                BlockerKind::SourceRef,
                at,
                format!("navigation of another repository, {target:?}, stands here"),
            );
        }
        let scope = self.with_descriptions(&field, scope);
        if let Some(View::Text(text, at)) = field("href").map(|at| self.forest.view(at)) {
            self.push(text, at, EntryKind::Href, scope);
        }
        let mut steps = Vec::new();
        if let Some(root) = field("root") {
            steps.push(Step { at: root, scope, texts: Texts::Pages });
        }
        for (key, value) in fields {
            if let Some(texts) = self.contents(key, *value) {
                steps.push(Step { at: *value, scope, texts });
            }
        }
        stack.extend(steps.into_iter().rev());
    }

    /// Whether a field holds nodes, and what texts in it mean.
    fn contents(&mut self, key: &str, value: At) -> Option<Texts> {
        match key {
            "pages" | "groups" | "menu" => Some(Texts::Pages),
            _ if CONTAINERS.contains(&key) => Some(Texts::Names),
            "global" => Some(Texts::Names),
            _ if self.is_unknown_container(key, value) => {
                self.odd(value, format!("`{key}` is no known container, yet holds nodes"));
                Some(Texts::Pages)
            }
            _ => None,
        }
    }

    /// A list of nodes under a key of a later grammar than the known one.
    fn is_unknown_container(&self, key: &str, value: At) -> bool {
        if key == "root" || SpecKind::ALL.iter().any(|kind| kind.key() == key) {
            return false;
        }
        let View::Array(elements) = self.forest.view(value) else { return false };
        elements.into_iter().any(|element| match self.forest.view(element) {
            View::Object(fields) => {
                fields.iter().any(|(key, _)| *key == "pages" || *key == "groups" || LABELS.contains(key))
            }
            _ => false,
        })
    }

    fn scope_of(&mut self, field: &impl Fn(&str) -> Option<At>, outer: Scope) -> Scope {
        let flag = |key: &str| match field(key).map(|at| self.forest.view(at)) {
            Some(View::Bool(flag)) => Some(flag),
            _ => None,
        };
        let hidden = flag("hidden").unwrap_or(outer.hidden);
        let searchable = flag("searchable").or(outer.searchable);
        let mut scope = Scope { hidden, searchable, ..outer };
        // A node under `global` is walked like a division; it has no label when it is the `global` object itself.
        for key in LABELS {
            let label = match field(key).map(|at| self.forest.view(at)) {
                // Groups of the legacy form may have an empty name.
                Some(View::Text(text, _) | View::Number(text)) if !text.is_empty() => text,
                _ => continue,
            };
            scope.label = Some(self.label(label, scope.label));
        }
        scope
    }

    fn label(&mut self, text: &str, parent: Option<u32>) -> u32 {
        self.out.labels.push(LabelNode { parent, text: text.into() });
        u32::try_from(self.out.labels.len() - 1).unwrap_or(u32::MAX)
    }

    fn with_descriptions(&mut self, field: &impl Fn(&str) -> Option<At>, outer: Scope) -> Scope {
        let mut scope = outer;
        for kind in SpecKind::ALL {
            let Some(value) = field(kind.key()) else { continue };
            let declared = self.declare(kind, value, true, scope);
            if kind == SpecKind::OpenApi {
                scope.spec = declared.or(scope.spec);
            }
        }
        scope
    }

    fn declare(&mut self, kind: SpecKind, value: At, bulk: bool, scope: Scope) -> Option<u32> {
        let sources = api::declared(self.forest, kind, value)?;
        let directory = api::beside(self.forest, value, "directory").and_then(|at| self.forest.text(at));
        let directory = directory.map(str::to_owned);
        let number = self.demand(kind, sources, value, scope, directory)?;
        let demand = self.out.demands.last_mut()?;
        demand.bulk = bulk;
        demand.overlaid = match api::beside(self.forest, value, "overlays").map(|at| self.forest.view(at)) {
            Some(View::Array(overlays)) => !overlays.is_empty(),
            Some(View::Text(..) | View::Object(_)) => true,
            _ => false,
        };
        Some(number)
    }

    fn demand(
        &mut self,
        kind: SpecKind,
        sources: Vec<String>,
        at: At,
        scope: Scope,
        directory: Option<String>,
    ) -> Option<u32> {
        self.out.demands.push(Demand {
            kind,
            sources,
            file: Arc::clone(self.forest.path(at)),
            place: self.forest.place(at),
            span: self.forest.span(at),
            directory,
            overlaid: false,
            hidden: scope.hidden,
            searchable: scope.searchable,
            label: scope.label,
            bulk: false,
            picked: Vec::new(),
        });
        u32::try_from(self.out.demands.len() - 1).ok()
    }

    fn page(&mut self, text: &str, at: At, scope: Scope) {
        let kind = endpoint(text).unwrap_or(EntryKind::Page);
        let named = match &kind {
            EntryKind::Endpoint { spec, .. } | EntryKind::Webhook { spec, .. } => Some(spec.clone()),
            EntryKind::Page | EntryKind::Href | EntryKind::Channel { .. } => None,
        };
        self.push(text, at, kind, scope);
        let number = self.out.entries.len() - 1;
        match (named, scope.spec) {
            (None, _) => {}
            (Some(Some(spec)), _) => {
                let inherited = scope.spec.and_then(|spec| self.out.demands.get(spec as usize));
                let directory = inherited.and_then(|demand| demand.directory.clone());
                self.demand(SpecKind::OpenApi, vec![spec], at, scope, directory);
                if let Some(demand) = self.out.demands.last_mut() {
                    demand.picked.push(number);
                }
            }
            (Some(None), Some(declared)) => {
                if let Some(demand) = self.out.demands.get_mut(declared as usize) {
                    demand.bulk = false;
                    demand.picked.push(number);
                }
            }
            (Some(None), None) => {
                // Mintlify leaves such an entry as a path that leads nowhere.
                if let Some(entry) = self.out.entries.last_mut() {
                    entry.resolution = Resolution::MissingFile;
                }
            }
        }
    }

    fn push(&mut self, text: &str, at: At, kind: EntryKind, scope: Scope) {
        self.out.entries.push(NavEntry {
            text: text.into(),
            file: Arc::clone(self.forest.path(at)),
            span: self.forest.span(at),
            place: self.forest.place(at),
            resolution: match kind {
                EntryKind::Endpoint { .. } | EntryKind::Webhook { .. } => Resolution::Generated,
                EntryKind::Page | EntryKind::Href | EntryKind::Channel { .. } => Resolution::MissingFile,
            },
            kind,
            hidden: scope.hidden,
            searchable: scope.searchable,
            label: scope.label,
        });
    }

    /// A tab or anchor of a mint.json.
    fn prefix(&mut self, item: At, scope: Scope) {
        let label = self.forest.get(item, "name").and_then(|at| self.forest.text(at));
        let scope = Scope { label: label.map(|label| self.label(label, None)), ..scope };
        if let Some(value) = self.forest.get(item, "openapi") {
            let declared = self.declare(SpecKind::OpenApi, value, true, scope);
            // The prefix of a tab or anchor is where the pages of its description lie.
            let prefix = self.forest.get(item, "url").and_then(|at| self.forest.text(at));
            if let (Some(_), Some(prefix), Some(demand)) =
                (declared, prefix.filter(|url| !is_web_url(url)), self.out.demands.last_mut())
            {
                demand.directory.get_or_insert_with(|| prefix.to_owned());
            }
        }
        if let Some(View::Text(url, at)) = self.forest.get(item, "url").map(|at| self.forest.view(at))
            && is_web_url(url)
        {
            self.push(url, at, EntryKind::Href, scope);
        }
    }

    fn odd(&mut self, at: At, message: String) {
        self.out.notes.push(Note {
            kind: NoteKind::Navigation,
            file: self.forest.path(at).to_string(),
            at: Some(self.forest.place(at)),
            message,
        });
    }

    fn block(&mut self, kind: BlockerKind, at: At, message: String) {
        let (file, place) = (self.forest.path(at).to_string(), self.forest.place(at));
        self.out.blockers.push(Blocker { kind, file, at: Some(place), message });
    }

    fn finish(mut self) -> Walked {
        if self.forest.is_exhausted() {
            let root = self.forest.root();
            self.block(BlockerKind::Limit, root, "the navigation is too large to walk to its end".into());
        }
        self.out
    }
}

/// Reads `METHOD /path`, `spec METHOD /path`, `webhook NAME`, `spec webhook NAME`.
fn endpoint(text: &str) -> Option<EntryKind> {
    let mut words = text.split_whitespace();
    let (first, second, third) = (words.next()?, words.next()?, words.next());
    if words.next().is_some() {
        return None;
    }
    let (spec, method, path) = match third {
        None => (None, first, second),
        Some(third) => (Some(first.to_owned()), second, third),
    };
    let method = method.to_ascii_lowercase();
    if !METHODS.contains(&method.as_str()) {
        return None;
    }
    Some(match method.as_str() {
        "webhook" => EntryKind::Webhook { spec, name: path.into() },
        _ => EntryKind::Endpoint { spec, method, path: path.into() },
    })
}

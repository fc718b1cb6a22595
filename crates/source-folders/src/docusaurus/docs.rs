//! The docs plugin: versions, ids, slugs, sidebars, categories with a page of their own, tags.

use std::collections::{BTreeMap, BTreeSet};

use globset::{GlobBuilder, GlobSet, GlobSetBuilder};
use serde_json::Value;

use super::config::{Docs, route};
use super::sidebars::{self, Sidebars};
use super::slug::kebab;
use super::{Build, ContentFile, MARKDOWN, content_files, excluded_by_default, prefix};
use crate::BlockerKind;
use crate::build::Builder;
use crate::facts::Facts;
use crate::paths::{folder_of, join, name_of, split_extension, title_of};
use crate::tree::Tree;

/// One version of the docs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Version {
    name: String,
    folder: String,
    /// With slashes around.
    route: String,
    sidebars: Option<String>,
    /// The name of the folder that holds its translations.
    translated: String,
}

/// A doc as sidebars know it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Doc {
    pub(super) id: String,
    pub(super) address: String,
    /// Places in the sidebar that Docusaurus makes by itself: of each folder, then of the doc.
    pub(super) order: Vec<(u64, String)>,
    /// The folder as written, below the version's.
    pub(super) folder: String,
    pub(super) unlisted: bool,
}

pub(super) fn build(
    builder: &mut Builder<'_>,
    build: &Build,
    docs: &Docs,
    taken: &mut Vec<(String, String)>,
) {
    let excluded = globs(builder, docs);
    for version in versions(builder, docs) {
        one_version(builder, build, docs, &version, &excluded, taken);
    }
}

fn globs(builder: &mut Builder<'_>, docs: &Docs) -> Option<GlobSet> {
    let patterns = docs.content.exclude.as_ref()?;
    let mut set = GlobSetBuilder::new();
    for pattern in patterns {
        match GlobBuilder::new(pattern).literal_separator(true).build() {
            Ok(glob) => {
                set.add(glob);
            }
            Err(error) => builder.note(format!("exclude holds {pattern:?}, which is no pattern: {error}")),
        }
    }
    set.build().ok()
}

/// The versions, as `versions.json` and the options say.
fn versions(builder: &mut Builder<'_>, docs: &Docs) -> Vec<Version> {
    let tree = builder.tree;
    let start = if docs.content.id == "default" { String::new() } else { format!("{}_", docs.content.id) };
    let listing = format!("{start}versions.json");
    let mut names: Vec<String> = Vec::new();
    if docs.versioned
        && let Some(text) = tree.text(&listing)
    {
        match serde_json::from_str(text) {
            Ok(read) => names = read,
            Err(error) => builder.block(BlockerKind::Invalid, &listing, None, format!("is no list: {error}")),
        }
    }
    let last =
        docs.last_version.clone().or_else(|| names.first().cloned()).unwrap_or_else(|| "current".to_owned());
    let mut versions = Vec::new();
    if docs.include_current || names.is_empty() {
        versions.push(version(docs, "current", docs.content.path.clone(), &last, docs.sidebars.clone()));
    }
    for name in &names {
        let folder = format!("{start}versioned_docs/version-{name}");
        let sidebars = format!("{start}versioned_sidebars/version-{name}-sidebars.json");
        versions.push(version(docs, name, folder, &last, Some(sidebars).filter(|path| tree.has(path))));
    }
    if let Some(only) = &docs.only_versions {
        versions.retain(|version| only.contains(&version.name));
    }
    versions
}

fn version(docs: &Docs, name: &str, folder: String, last: &str, sidebars: Option<String>) -> Version {
    let given =
        docs.version_routes.iter().find(|(version, _)| version == name).map(|(_, path)| path.as_str());
    let part = given.unwrap_or(match name {
        _ if name == last => "",
        "current" => "next",
        _ => name,
    });
    let translated = if name == "current" { "current".to_owned() } else { format!("version-{name}") };
    let route = route(&format!("{}{part}", docs.content.route));
    Version { name: name.to_owned(), folder, route, sidebars, translated }
}

fn one_version(
    builder: &mut Builder<'_>,
    build: &Build,
    docs: &Docs,
    version: &Version,
    excluded: &Option<GlobSet>,
    taken: &mut Vec<(String, String)>,
) {
    let tree = builder.tree;
    let translated = build.translations("docusaurus-plugin-content-docs", &docs.content.id);
    let translated = translated.map(|folder| format!("{folder}/{}", version.translated));
    let files = content_files(tree, &version.folder, translated.as_deref(), MARKDOWN);
    let mut known: Vec<Doc> = Vec::new();
    let mut tags = BTreeSet::new();
    for file in &files {
        let is_excluded = match excluded {
            Some(globs) => globs.is_match(&file.relative),
            None => excluded_by_default(&file.relative),
        };
        let facts = tree.facts(&file.file).cloned().unwrap_or_default();
        if is_excluded {
            taken.push((file.file.clone(), "excluded: a part of other pages".to_owned()));
        } else if facts.flag("draft") == Some(true) {
            taken.push((file.file.clone(), "a draft".to_owned()));
        } else {
            let doc = doc(tree, build, docs, version, file, &facts);
            let title = facts.text("title").or_else(|| facts.heading.clone());
            builder.page(&file.file, doc.address.clone(), Some(title.unwrap_or_else(|| doc_title(file))));
            if !doc.unlisted {
                tags.extend(tag_routes(&facts));
            }
            known.push(doc);
        }
    }
    let sidebars = sidebars::read(builder, version.sidebars.as_deref());
    order(builder, version, &sidebars, &known);
    category_pages(builder, build, version, &sidebars, &known);
    if !tags.is_empty() {
        let base = format!("{}{}", version.route, docs.tags_route.trim_matches('/'));
        tag_pages(builder, build, &base, &version.folder, &tags);
    }
}

fn doc_title(file: &ContentFile) -> String {
    title_of(prefix::split(name_of(&file.relative)).0)
}

fn doc(tree: &Tree, build: &Build, docs: &Docs, version: &Version, file: &ContentFile, facts: &Facts) -> Doc {
    let stem = split_extension(&file.relative).0;
    let (folder, name) = (folder_of(stem), name_of(stem));
    let strip = |path: &str| if docs.number_prefixes { prefix::strip(path) } else { path.to_owned() };
    let clean_folder = strip(folder);
    let base_id = facts.text("id").unwrap_or_else(|| strip(name));
    let id = if clean_folder.is_empty() { base_id.clone() } else { format!("{clean_folder}/{base_id}") };
    let folder_slug = if clean_folder.is_empty() { "/".to_owned() } else { format!("/{clean_folder}/") };
    let slug = match facts.text("slug") {
        Some(slug) if slug.starts_with('/') => slug,
        Some(slug) => resolve(&folder_slug, &slug),
        None if is_category_index(name, folder) => folder_slug,
        None => resolve(&folder_slug, &base_id),
    };
    let address = build.address(&format!("{}{}", version.route, slug.trim_start_matches('/')));
    Doc {
        id,
        address,
        order: places(tree, &version.folder, folder, name, facts, docs.number_prefixes),
        folder: folder.to_owned(),
        unlisted: facts.flag("unlisted") == Some(true),
    }
}

/// A relative slug as seen from its folder; a final slash stays.
fn resolve(folder: &str, slug: &str) -> String {
    let joined = join(folder, slug.trim_start_matches('/')).unwrap_or_else(|| slug.to_owned());
    let end = if slug.ends_with('/') { "/" } else { "" };
    format!("/{joined}{end}")
}

/// `index`, `README`, or a file called like its folder, stands for the folder.
fn is_category_index(name: &str, folder: &str) -> bool {
    let name = name.to_lowercase();
    name == "index" || name == "readme" || (!folder.is_empty() && name == name_of(folder).to_lowercase())
}

/// The places of a doc and of the folders above it.
fn places(
    tree: &Tree,
    version: &str,
    folder: &str,
    name: &str,
    facts: &Facts,
    prefixes: bool,
) -> Vec<(u64, String)> {
    let place = |given: Option<f64>, name: &str| {
        let number = if prefixes { prefix::split(name).1.map(f64::from) } else { None };
        // Thousandths, so that `1.5` stands between 1 and 2; what has no place comes last.
        given.or(number).map_or(u64::MAX, |place| (place.max(0.0) * 1000.0) as u64)
    };
    let mut order = Vec::new();
    let mut path = String::new();
    for segment in folder.split('/').filter(|segment| !segment.is_empty()) {
        path = if path.is_empty() { segment.to_owned() } else { format!("{path}/{segment}") };
        let position = category(tree, &format!("{version}/{path}"))
            .and_then(|(_, value)| value.get("position")?.as_f64());
        order.push((place(position, segment), segment.to_owned()));
    }
    let position = facts.front.get("sidebar_position").and_then(Value::as_f64);
    order.push((place(position, name), name.to_owned()));
    order
}

/// The `_category_` file of a folder, and what it says.
pub(super) fn category(tree: &Tree, folder: &str) -> Option<(String, Value)> {
    let path = tree.first_of(folder, &["_category_.json", "_category_.yml", "_category_.yaml"])?;
    let text = tree.text(&path)?;
    let value = if path.ends_with(".json") {
        serde_json::from_str(text).ok()
    } else {
        serde_saphyr::from_str(text).ok()
    };
    Some((path, value?))
}

/// Puts the pages in the order of the sidebars.
fn order(builder: &mut Builder<'_>, version: &Version, sidebars: &Sidebars, docs: &[Doc]) {
    let by_id: BTreeMap<&str, &Doc> = docs.iter().map(|doc| (doc.id.as_str(), doc)).collect();
    for item in &sidebars.items {
        match item {
            sidebars::Item::Doc { id, place } => {
                // Versioned sidebars of old name docs with their version.
                let short = id.strip_prefix(&format!("version-{}/", version.name)).unwrap_or(id);
                let address = by_id.get(short).map(|doc| doc.address.clone());
                sidebars::entry(builder, sidebars, id, *place, address);
            }
            sidebars::Item::Folder(folder) => {
                let mut below: Vec<&Doc> =
                    docs.iter().filter(|doc| !doc.unlisted && is_below(&doc.folder, folder)).collect();
                below.sort_by(|a, b| a.order.cmp(&b.order));
                for doc in below {
                    builder.list(&doc.address);
                }
            }
            sidebars::Item::GeneratedIndex { .. } => {}
        }
    }
}

fn is_below(folder: &str, root: &str) -> bool {
    let root = root.trim_matches('/').trim_start_matches("./");
    root.is_empty() || root == "." || folder == root || folder.starts_with(&format!("{root}/"))
}

/// Categories that are pages: those of the sidebars file, and those of folders that a sidebar lists by itself.
fn category_pages(
    builder: &mut Builder<'_>,
    build: &Build,
    version: &Version,
    sidebars: &Sidebars,
    docs: &[Doc],
) {
    let tree = builder.tree;
    let mut pages: Vec<(String, String, String)> = Vec::new();
    for item in &sidebars.items {
        if let sidebars::Item::GeneratedIndex { label, slug } = item {
            pages.push((sidebars.file.clone(), label.clone(), slug.clone().unwrap_or_default()));
        }
    }
    let folders: BTreeSet<&str> = docs.iter().flat_map(|doc| ancestors(&doc.folder)).collect();
    for folder in folders {
        let listed = sidebars
            .items
            .iter()
            .any(|item| matches!(item, sidebars::Item::Folder(root) if is_below(folder, root)));
        let Some((file, value)) = category(tree, &format!("{}/{folder}", version.folder)).filter(|_| listed)
        else {
            continue;
        };
        let link = value.get("link");
        if link.and_then(|link| link.get("type")).and_then(Value::as_str) != Some("generated-index") {
            continue;
        }
        let text = |value: Option<&Value>, key: &str| {
            value.and_then(|v| v.get(key)).and_then(Value::as_str).map(str::to_owned)
        };
        let label =
            text(Some(&value), "label").unwrap_or_else(|| prefix::split(name_of(folder)).0.to_owned());
        pages.push((file, label, text(link, "slug").unwrap_or_default()));
    }
    let mut used: BTreeMap<String, usize> = BTreeMap::new();
    for (file, label, slug) in pages {
        let slug = if slug.is_empty() {
            let slug = format!("category/{}", kebab(&label));
            let count = used.entry(slug.clone()).or_insert(0);
            *count += 1;
            if *count == 1 { slug } else { format!("{slug}-{}", *count - 1) }
        } else {
            slug
        };
        let address = build.address(&format!("{}{}", version.route, slug.trim_start_matches('/')));
        builder.generated(&file, address.clone(), label);
        builder.list(&address);
    }
}

fn ancestors(folder: &str) -> impl Iterator<Item = &str> {
    let ends = folder.match_indices('/').map(|(at, _)| at).chain([folder.len()]);
    ends.map(|end| &folder[..end]).filter(|path| !path.is_empty())
}

/// The routes of a page's tags, below that of all tags, with their labels.
pub(super) fn tag_routes(facts: &Facts) -> Vec<(String, String)> {
    let Some(Value::Array(tags)) = facts.front.get("tags") else { return Vec::new() };
    let of = |tag: &Value| match tag {
        Value::String(label) => Some((kebab(label), label.clone())),
        Value::Object(tag) => {
            let label = tag.get("label")?.as_str()?.to_owned();
            let permalink = tag.get("permalink")?.as_str()?.trim_matches('/').to_owned();
            Some((permalink, label))
        }
        Value::Number(number) => Some((number.to_string(), number.to_string())),
        _ => None,
    };
    tags.iter().filter_map(of).collect()
}

/// The list of all tags, and the list of each tag's pages.
pub(super) fn tag_pages(
    builder: &mut Builder<'_>,
    build: &Build,
    base: &str,
    folder: &str,
    tags: &BTreeSet<(String, String)>,
) {
    let by_file = format!("{folder}/tags.yml");
    if builder.tree.has(&by_file) {
        let message = "tags with addresses of their own are not read here";
        return builder.block(BlockerKind::NeedsRunning, &by_file, None, message);
    }
    builder.generated(&build.cause, build.address(base), "Tags".to_owned());
    let mut routes: BTreeMap<&str, &str> = BTreeMap::new();
    for (route, label) in tags {
        routes.entry(route).or_insert(label);
    }
    for (route, label) in routes {
        builder.generated(&build.cause, build.address(&format!("{base}/{route}")), label.to_owned());
    }
}

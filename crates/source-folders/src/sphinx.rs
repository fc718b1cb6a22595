//! Sphinx: the documents below `conf.py`, their toctrees, and the inventory of a built site.
//!
//! Source: the Sphinx documentation (configuration, toctree, `sphinx.util.matching`), the MyST-Parser documentation.

mod conf;
mod inventory;
mod toctree;

use std::collections::{BTreeMap, HashSet};

use crate::build::Builder;
use crate::paths::{base_of_url, encode, folder_of, is_external, join, name_of};
use crate::tree::{Keep, Tree};
use crate::{BlockerKind, NavEntry, Resolution};
use conf::Conf;
pub(crate) use toctree::{Toctree, myst, restructured};

const CONF: &str = "conf.py";
const INVENTORY: &str = "objects.inv";

/// Extensions that write documents of their own when they run.
const WRITERS: &[(&str, &str)] = &[
    ("sphinx.ext.viewcode", "makes a page of code for every module that is imported"),
    ("sphinx.ext.autosummary", "may write a document for every name in a table"),
    ("autoapi.extension", "writes documents from code"),
    ("sphinx_autodoc2", "writes documents from code"),
    ("autodoc2", "writes documents from code"),
    ("sphinxcontrib.apidoc", "writes documents from code"),
    ("sphinx.ext.apidoc", "writes documents from code"),
    ("sphinx_gallery.gen_gallery", "writes documents from scripts"),
    ("exhale", "writes documents from code"),
    ("ablog", "makes lists of posts"),
    ("sphinx_multiversion", "builds the site once for each version"),
    ("sphinx_reredirects", "makes redirects"),
];

/// Extensions that make no document: they read, link, check or decorate those that there are. What is
/// not named here may write some.
const HARMLESS: &[&str] = &[
    "sphinx.ext.autodoc",
    "sphinx.ext.autodoc.typehints",
    "sphinx.ext.autosectionlabel",
    "sphinx.ext.coverage",
    "sphinx.ext.doctest",
    "sphinx.ext.duration",
    "sphinx.ext.extlinks",
    "sphinx.ext.githubpages",
    "sphinx.ext.graphviz",
    "sphinx.ext.ifconfig",
    "sphinx.ext.imgconverter",
    "sphinx.ext.imgmath",
    "sphinx.ext.inheritance_diagram",
    "sphinx.ext.intersphinx",
    "sphinx.ext.linkcode",
    "sphinx.ext.mathjax",
    "sphinx.ext.napoleon",
    "sphinx.ext.todo",
    "myst_nb",
    "myst_parser",
    "nbsphinx",
    "notfound.extension",
    "numpydoc",
    "recommonmark",
    "sphinx_autodoc_typehints",
    "sphinx_click",
    "sphinx_copybutton",
    "sphinx_design",
    "sphinx_inline_tabs",
    "sphinx_rtd_theme",
    "sphinx_sitemap",
    "sphinx_tabs.tabs",
    "sphinxcontrib.bibtex",
    "sphinxcontrib.httpdomain",
    "sphinxcontrib.mermaid",
    "sphinxext.opengraph",
];

/// What keeps an extension from being taken for one that makes no document.
fn may_write(extension: &str) -> Option<&'static str> {
    match WRITERS.iter().find(|(name, _)| *name == extension) {
        Some((_, what)) => Some(what),
        None if HARMLESS.contains(&extension) => None,
        None => Some("is not known here, and may write documents"),
    }
}

pub(crate) fn wants(tree: &Tree) -> Vec<(String, Keep)> {
    if !tree.has(CONF) {
        let inventory = tree.has(INVENTORY).then(|| (INVENTORY.to_owned(), Keep::Bytes));
        return inventory.into_iter().collect();
    }
    if !tree.files.contains_key(CONF) {
        return vec![(CONF.to_owned(), Keep::Text)];
    }
    let conf = Conf::read(tree.text(CONF).unwrap_or_default());
    let document = |path: &&String| conf.suffix_of(path).is_some();
    let keep = |path: &str| if path.ends_with(".md") { Keep::Myst } else { Keep::Restructured };
    tree.listing.iter().filter(document).map(|path| (path.clone(), keep(path))).collect()
}

pub(crate) fn build(builder: &mut Builder<'_>) {
    let tree = builder.tree;
    if !tree.has(CONF) {
        return built(builder);
    }
    let text = tree.text(CONF).unwrap_or_default();
    let mut conf = Conf::read(text);
    builder.served_at(conf.base_url.clone(), conf.base_url.as_deref().map(base_of_url).unwrap_or_default());
    for (message, place) in std::mem::take(&mut conf.faults) {
        builder.block(BlockerKind::NeedsRunning, CONF, Some(place), message);
    }
    for (extension, place) in &conf.extensions {
        if let Some(what) = may_write(extension) {
            builder.block(
                BlockerKind::NeedsRunning,
                CONF,
                Some(*place),
                format!("the extension {extension} {what}"),
            );
        }
    }
    let mut documents: BTreeMap<String, String> = BTreeMap::new();
    for file in &tree.listing {
        let Some(suffix) = conf.suffix_of(file) else {
            if [".md", ".rst"].iter().any(|suffix| file.ends_with(suffix)) {
                builder.not_a_page(file, "source_suffix does not name its kind");
            }
            continue;
        };
        let name = &file[..file.len() - suffix.len()];
        if conf.excludes(file) {
            builder.not_a_page(file, "excluded by exclude_patterns, or by Sphinx itself");
        } else if let Some(first) = documents.get(name) {
            builder.not_a_page(file, format!("{first} is the document of that name"));
        } else {
            documents.insert(name.to_owned(), file.clone());
            builder.page_of_file(file, url_path(name));
        }
    }
    order(builder, &conf, &documents);
}

/// `a/b` is `/a/b.html`; the index at the root is the root.
fn url_path(document: &str) -> String {
    if document == "index" { "/".to_owned() } else { encode(&format!("/{document}.html")) }
}

/// Walks the toctrees from the root document, each document once.
fn order(builder: &mut Builder<'_>, conf: &Conf, documents: &BTreeMap<String, String>) {
    let tree = builder.tree;
    if !documents.contains_key(&conf.root_document) {
        let message = format!("there is no document {}, at which the contents begin", conf.root_document);
        builder.block(BlockerKind::Outside, CONF, None, message);
        return;
    }
    let mut seen: HashSet<String> = HashSet::from([conf.root_document.clone()]);
    let mut open: Vec<String> = vec![conf.root_document.clone()];
    while let Some(document) = open.pop() {
        let Some(file) = documents.get(&document) else { continue };
        builder.list(&url_path(&document));
        let toctrees = tree.facts(file).map(|facts| facts.toctrees.as_slice()).unwrap_or_default();
        let mut below: Vec<String> = Vec::new();
        for toctree in toctrees {
            entries(builder, file, &document, toctree, documents, &mut below);
        }
        below.retain(|document| seen.insert(document.clone()));
        open.extend(below.into_iter().rev());
    }
}

fn entries(
    builder: &mut Builder<'_>,
    file: &str,
    document: &str,
    toctree: &Toctree,
    documents: &BTreeMap<String, String>,
    below: &mut Vec<String>,
) {
    for entry in &toctree.entries {
        let target = entry.target.trim_end_matches(".rst").trim_end_matches(".md");
        let path = join(folder_of(document), target);
        if toctree.glob && target.contains(['*', '?', '[']) {
            let Some(pattern) = path.and_then(|path| conf::glob(&path)) else { continue };
            let found = documents.keys().filter(|name| pattern.is_match(name) && *name != document);
            let mut found: Vec<String> = found.cloned().collect();
            if toctree.reversed {
                found.reverse();
            }
            below.extend(found);
            continue;
        }
        let resolution = match path {
            _ if target == "self" => Resolution::Label,
            _ if is_external(target) => Resolution::External,
            Some(path) if documents.contains_key(&path) => {
                let address = Resolution::Page(url_path(&path));
                below.push(path);
                address
            }
            // Pages that Sphinx makes by itself, without content of their own.
            _ if matches!(name_of(target), "genindex" | "modindex" | "search") => Resolution::Label,
            _ => Resolution::Missing,
        };
        builder.entry(NavEntry {
            file: file.to_owned(),
            place: entry.place,
            text: entry.target.clone(),
            label: entry.label.clone(),
            resolution,
        });
    }
}

/// A built site: its inventory names all documents.
fn built(builder: &mut Builder<'_>) {
    let tree = builder.tree;
    let Some(bytes) = tree.bytes(INVENTORY) else {
        let message = "there is neither conf.py nor objects.inv";
        return builder.block(BlockerKind::ConfigMissing, CONF, None, message);
    };
    match inventory::documents(bytes) {
        Ok(documents) => {
            for (path, title) in documents {
                let file = path.trim_start_matches('/').to_owned();
                let path = if path == "/index.html" { "/".to_owned() } else { path };
                builder.page(&file, path.clone(), Some(title));
                builder.list(&path);
                if !tree.has(&file) {
                    builder.block(
                        BlockerKind::Outside,
                        INVENTORY,
                        None,
                        format!("{file} is not in the folder"),
                    );
                }
            }
        }
        Err(why) => builder.block(BlockerKind::Invalid, INVENTORY, None, why),
    }
}

//! VitePress: the Markdown files of `srcDir`, and what is written out in `.vitepress/config`.
//!
//! Source: the VitePress guide (routing, site config), 1.6.

mod rewrites;

use std::collections::HashMap;

use globset::{GlobBuilder, GlobSet, GlobSetBuilder};
use wholesite_address::{LineIndex, Place};

use crate::build::Builder;
use crate::detect::is_script;
use crate::js::{Js, Kind, Module, Node, Token, tokens};
use crate::paths::{
    base_path, below, decode, encode, folder_of, is_external, join, name_of, split_extension,
};
use crate::redirects;
use crate::tree::{Keep, Tree, has_extension};
use crate::{BlockerKind, NavEntry, Resolution};
use rewrites::Rewrites;

const HOME: &str = ".vitepress";

/// The configuration, as far as it is written out.
#[derive(Debug, Default)]
struct Config {
    file: String,
    src_dir: String,
    base: String,
    clean_urls: bool,
    exclude: Vec<String>,
    rewrites: Rewrites,
    faults: Vec<(BlockerKind, String, Option<Place>)>,
}

fn config_file(tree: &Tree) -> Option<String> {
    tree.script(&format!("{HOME}/config")).or_else(|| tree.script(&format!("{HOME}/config/index")))
}

/// The scripts of the configuration, the main one first. The theme is code that shows pages.
fn scripts(tree: &Tree) -> Vec<String> {
    let main = config_file(tree);
    let others = tree.files_below(HOME).filter(|path| {
        let rest = below(path, HOME).unwrap_or_default();
        let generated = ["theme/", "cache/", "dist/"].iter().any(|folder| rest.starts_with(folder));
        let (stem, _) = split_extension(name_of(path));
        !generated && is_script(name_of(path), stem) && Some(*path) != main.as_deref()
    });
    main.iter().cloned().chain(others.map(str::to_owned)).collect()
}

impl Config {
    fn read(tree: &Tree) -> Config {
        let mut config = Config::default();
        let Some(file) = config_file(tree) else {
            config.faults.push((
                BlockerKind::ConfigMissing,
                "there is no .vitepress/config".to_owned(),
                None,
            ));
            return config;
        };
        config.file = file;
        let text = tree.text(&config.file).unwrap_or_default();
        let lines = LineIndex::new(text);
        let place = |node: &Node| Some(lines.place(node.at));
        let root = Module::read(text).exported();
        let Some(root) = root.filter(|root| matches!(root.value, Js::Object { .. })) else {
            let message = "the configuration is computed: only running it would tell what it says";
            config.faults.push((BlockerKind::NeedsRunning, message.to_owned(), None));
            return config;
        };
        if let Js::Object { open: true, .. } = root.value {
            let message =
                "the configuration takes in fields from elsewhere, which may say what pages there are";
            config.faults.push((BlockerKind::NeedsRunning, message.to_owned(), place(&root)));
        }
        for key in ["srcDir", "srcExclude", "rewrites", "base"] {
            if let Some(node) = root.value.get(key)
                && is_computed(&node.value)
            {
                let message = format!("{key} is computed: only running the configuration would tell");
                config.faults.push((BlockerKind::NeedsRunning, message, place(node)));
            }
        }
        let get = |key: &str| root.value.get(key).map(|node| &node.value);
        config.src_dir = get("srcDir").and_then(Js::text).and_then(|dir| join("", dir)).unwrap_or_default();
        config.base = get("base").and_then(Js::text).map(base_path).unwrap_or_default();
        config.clean_urls = get("cleanUrls").and_then(Js::flag).unwrap_or(false);
        config.exclude = get("srcExclude")
            .map(Js::items)
            .unwrap_or_default()
            .iter()
            .filter_map(|n| n.value.text())
            .map(str::to_owned)
            .collect();
        if let Some(Js::Object { fields, .. }) = get("rewrites") {
            for (from, to) in fields {
                let Some(target) = to.value.text() else { continue };
                if !config.rewrites.add(from, target) {
                    let message = format!("the rewrite {from:?} holds a pattern that can't be followed here");
                    config.faults.push((BlockerKind::NeedsRunning, message, place(to)));
                }
            }
        }
        config
    }
}

fn is_computed(value: &Js) -> bool {
    match value {
        Js::Computed => true,
        Js::Array(items) => items.iter().any(|item| item.value == Js::Computed),
        Js::Object { fields, open } => *open || fields.iter().any(|(_, node)| node.value == Js::Computed),
        _ => false,
    }
}

fn redirects_file(config: &Config) -> String {
    join(&config.src_dir, "public/_redirects").unwrap_or_default()
}

pub(crate) fn wants(tree: &Tree) -> Vec<(String, Keep)> {
    let mut wanted: Vec<(String, Keep)> = scripts(tree).into_iter().map(|path| (path, Keep::Text)).collect();
    if wanted.iter().all(|(path, _)| tree.files.contains_key(path)) {
        let config = Config::read(tree);
        let pages = tree.files_below(&config.src_dir).filter(|path| has_extension(path, &["md"]));
        wanted.extend(pages.map(|path| (path.to_owned(), Keep::Page)));
        let rules = redirects_file(&config);
        if tree.has(&rules) {
            wanted.push((rules, Keep::Text));
        }
    }
    wanted
}

pub(crate) fn build(builder: &mut Builder<'_>) {
    let mut config = Config::read(builder.tree);
    builder.served_at(None, config.base.clone());
    for (kind, message, place) in std::mem::take(&mut config.faults) {
        builder.block(kind, &config.file, place, message);
    }
    pages(builder, &config);
    let by_key = keys(builder);
    navigation(builder, &by_key);
    let rules = redirects_file(&config);
    redirects::take(builder, &rules, &config.base, |path| by_key.get(redirects::key(path)).cloned());
}

fn pages(builder: &mut Builder<'_>, config: &Config) {
    let excluded = globs(builder, config);
    let tree = builder.tree;
    for file in tree.listing.iter().filter(|path| has_extension(path, &["md"])) {
        let Some(relative) = below(file, &config.src_dir) else {
            builder.not_a_page(file, format!("outside srcDir ({})", config.src_dir));
            continue;
        };
        if relative.split('/').any(|segment| segment.starts_with('.')) {
            builder.not_a_page(file, "in a hidden folder");
        } else if relative.split('/').any(|segment| segment == "node_modules") {
            builder.not_a_page(file, "in node_modules");
        } else if excluded.is_match(relative) {
            builder.not_a_page(file, "excluded by srcExclude");
        } else if relative.contains('[') {
            dynamic_route(builder, file);
        } else {
            let target = config.rewrites.apply(relative).unwrap_or_else(|| relative.to_owned());
            builder.page_of_file(file, url_path(&target, config.clean_urls));
        }
    }
}

/// A route with parameters makes as many pages as its script says.
fn dynamic_route(builder: &mut Builder<'_>, file: &str) {
    let stem = split_extension(file).0;
    let script = builder.tree.script(&format!("{stem}.paths"));
    let by = script.as_deref().unwrap_or("a script that is not here");
    builder.block(BlockerKind::NeedsRunning, file, None, format!("one page for each path that {by} returns"));
    builder.not_a_page(file, "the pattern of a dynamic route");
}

fn globs(builder: &mut Builder<'_>, config: &Config) -> GlobSet {
    let mut set = GlobSetBuilder::new();
    for pattern in &config.exclude {
        match GlobBuilder::new(pattern.trim_start_matches("./")).literal_separator(true).build() {
            Ok(glob) => {
                set.add(glob);
            }
            Err(error) => {
                let message = format!("srcExclude holds {pattern:?}, which is no pattern: {error}");
                builder.block(BlockerKind::Invalid, &config.file, None, message);
            }
        }
    }
    set.build().unwrap_or_else(|_| GlobSet::empty())
}

/// `a/b.md` is `/a/b.html`, `/a/b` with clean URLs; `index.md` is its folder.
fn url_path(relative: &str, clean: bool) -> String {
    let stem = split_extension(relative).0;
    let folder = folder_of(stem);
    let path = match (name_of(stem) == "index", folder.is_empty()) {
        (true, true) => "/".to_owned(),
        (true, false) => format!("/{folder}/"),
        (false, _) if clean => format!("/{stem}"),
        (false, _) => format!("/{stem}.html"),
    };
    encode(&path)
}

/// Pages by the path under which all their spellings meet.
fn keys(builder: &Builder<'_>) -> HashMap<String, String> {
    builder.addresses().map(|address| (redirects::key(address).to_owned(), address.to_owned())).collect()
}

/// Every `link: '…'` of the configuration, in the order in which they are written.
fn navigation(builder: &mut Builder<'_>, by_key: &HashMap<String, String>) {
    let tree = builder.tree;
    for script in scripts(tree) {
        let Some(text) = tree.text(&script) else { continue };
        let lines = LineIndex::new(text);
        let found = tokens(text);
        for (at, target) in links(&found) {
            let resolution = if is_external(target) {
                Resolution::External
            } else {
                let path = format!("/{}", decode(redirects::key(target)).trim_start_matches('/'));
                match by_key.get(redirects::key(&encode(&path))) {
                    Some(address) => Resolution::Page(address.clone()),
                    None => Resolution::Missing,
                }
            };
            builder.entry(NavEntry {
                file: script.clone(),
                place: lines.place(found[at].start),
                text: target.to_owned(),
                label: label(&found, at),
                resolution,
            });
        }
    }
}

/// The values of all fields called `link`, with their token.
fn links(tokens: &[Token]) -> impl Iterator<Item = (usize, &str)> {
    let is_link = |kind: &Kind| matches!(kind, Kind::Word(key) | Kind::Text(key) if key == "link");
    tokens.windows(3).enumerate().filter_map(move |(at, three)| {
        let [key, colon, value] = three else { return None };
        match &value.kind {
            Kind::Text(text) if is_link(&key.kind) && colon.kind == Kind::Punct(":") => {
                Some((at + 2, text.as_str()))
            }
            _ => None,
        }
    })
}

/// The `text` that stands right before a `link`.
fn label(tokens: &[Token], link_value: usize) -> Option<String> {
    let before = tokens.get(link_value.checked_sub(6)?..link_value)?;
    match (&before[0].kind, &before[2].kind) {
        (Kind::Word(key), Kind::Text(text)) if key == "text" => Some(text.clone()),
        _ => None,
    }
}

//! Fumadocs: `content/docs`, `meta.json`.

use serde_json::Value;

use super::{Folders, MAX_DEPTH, child, url_path};
use crate::build::{Builder, Places};
use crate::js::{Kind, tokens};
use crate::paths::{base_path, below, folder_of, is_external, join, name_of};
use crate::tree::{Keep, Tree, has_extension};
use crate::{BlockerKind, NavEntry, Resolution};

const MARKDOWN: &[&str] = &["md", "mdx"];
const META: &str = "meta.json";

pub(crate) fn wants(tree: &Tree) -> Vec<(String, Keep)> {
    let mut wanted = Vec::new();
    for path in &tree.listing {
        if has_extension(path, MARKDOWN) {
            wanted.push((path.clone(), Keep::Page));
        } else if name_of(path) == META || is_code(path) {
            wanted.push((path.clone(), Keep::Text));
        }
    }
    wanted
}

/// Files that say where the docs lie and are served.
fn is_code(path: &str) -> bool {
    let is_source = path.contains("lib/source") || name_of(path).starts_with("source.config.");
    is_source && has_extension(path, &["ts", "tsx", "js", "mjs"])
}

pub(crate) fn build(builder: &mut Builder<'_>) {
    let tree = builder.tree;
    let root = folder(builder);
    let base = match literal(tree, "baseUrl") {
        Some((_, base)) => base_path(&base),
        None => {
            let message =
                "no file here says where the docs are served (baseUrl of loader), so /docs is taken";
            builder.block(BlockerKind::Outside, &config_file(tree), None, message);
            "/docs".to_owned()
        }
    };
    let files: Vec<&str> = tree.files_below(&root).filter(|path| has_extension(path, MARKDOWN)).collect();
    for file in &files {
        builder.page_of_file(file, url_path(below(file, &root).unwrap_or(file), &base));
    }
    let folders = Folders::of(files.iter().copied(), &root);
    Walk { builder, folders: &folders, base: &base, root: &root }.folder(&root, 0);
    for file in tree.listing.iter().filter(|path| has_extension(path, MARKDOWN)) {
        let Some(_) = below(file, &root) else {
            builder.not_a_page(
                file,
                format!("outside {root}: only the code of the site says what becomes of it"),
            );
            if file.starts_with("content/") {
                let folder = folder_of(file).to_owned();
                let message = "only the code of the site says where this folder is served";
                builder.block(BlockerKind::NeedsRunning, &folder, None, message);
            }
            continue;
        };
    }
}

fn config_file(tree: &Tree) -> String {
    tree.script("source.config").unwrap_or_else(|| "source.config.ts".to_owned())
}

/// Where the docs lie: as `defineDocs` says, else `content/docs`.
fn folder(builder: &mut Builder<'_>) -> String {
    let tree = builder.tree;
    let said = literal(tree, "dir").and_then(|(_, dir)| join("", &dir)).filter(|dir| tree.has_folder(dir));
    let usual = ["content/docs", "src/content/docs", "content"].into_iter().find(|dir| tree.has_folder(dir));
    match said.or_else(|| usual.map(str::to_owned)) {
        Some(folder) => folder,
        None => {
            let message = "no folder content/docs, and none that the configuration names";
            builder.block(BlockerKind::Outside, &config_file(tree), None, message);
            "content/docs".to_owned()
        }
    }
}

/// The first text that a field of this name has in the code, and the file.
fn literal(tree: &Tree, key: &str) -> Option<(String, String)> {
    tree.listing.iter().filter(|path| is_code(path)).find_map(|path| {
        let found = tokens(tree.text(path)?);
        found.windows(3).find_map(|three| match (&three[0].kind, &three[1].kind, &three[2].kind) {
            (Kind::Word(word), Kind::Punct(":"), Kind::Text(text)) if word == key => {
                Some((path.clone(), text.clone()))
            }
            _ => None,
        })
    })
}

struct Walk<'w, 't> {
    builder: &'w mut Builder<'t>,
    folders: &'w Folders,
    base: &'w str,
    root: &'w str,
}

impl Walk<'_, '_> {
    fn list(&mut self, file: &str) {
        if let Some(address) = self.builder.address_of(file) {
            self.builder.list(&address);
        }
    }

    /// Puts a folder's pages in order. Recursion is bounded by `depth`.
    fn folder(&mut self, folder: &str, depth: usize) {
        if depth > MAX_DEPTH {
            return self.builder.note(format!("{folder} lies too deep to be put in order"));
        }
        let tree = self.builder.tree;
        let meta = child(folder, META);
        let pages = tree.text(&meta).map(|text| (text, serde_json::from_str::<Value>(text)));
        let items = match pages {
            Some((text, Ok(value))) => {
                value.get("pages").and_then(Value::as_array).cloned().map(|items| (text, items))
            }
            Some((_, Err(error))) => {
                self.builder.block(BlockerKind::Invalid, &meta, None, format!("is no JSON: {error}"));
                None
            }
            None => None,
        };
        let Some((text, items)) = items else {
            for name in self.folders.names(folder) {
                self.named(folder, &name, depth);
            }
            return;
        };
        let mut places = Places::new(text);
        let items: Vec<&str> = items.iter().filter_map(Value::as_str).collect();
        for item in &items {
            let place = places.next(item);
            match *item {
                "..." | "z...a" => self.rest(folder, &items, *item == "z...a", depth),
                _ if item.starts_with("---") || item.starts_with('!') => {}
                _ if item.starts_with("...") => self.named(folder, &item[3..], depth),
                _ => {
                    let resolution = self.resolve(folder, item);
                    let is_page = matches!(resolution, Resolution::Page(_));
                    self.builder.entry(NavEntry {
                        file: meta.clone(),
                        place,
                        text: (*item).to_owned(),
                        label: None,
                        resolution,
                    });
                    if !is_page || self.folders.has_folder(folder, item) {
                        self.named(folder, item, depth);
                    }
                }
            }
        }
    }

    fn resolve(&self, folder: &str, item: &str) -> Resolution {
        if item.contains("](") {
            let link = item.split_once("](").map_or("", |(_, link)| link).trim_end_matches(')');
            let path = link.strip_prefix(self.base).unwrap_or(link);
            let file =
                join(self.root, path).and_then(|path| self.folders.page(folder_of(&path), name_of(&path)));
            return match file.and_then(|file| self.builder.address_of(file)) {
                Some(address) => Resolution::Page(address),
                None if is_external(link) => Resolution::External,
                None => Resolution::Label,
            };
        }
        let Some(path) = join(folder, item) else { return Resolution::Missing };
        if let Some(address) =
            self.folders.page(folder_of(&path), name_of(&path)).and_then(|file| self.builder.address_of(file))
        {
            return Resolution::Page(address);
        }
        match self.folders.has_folder(folder_of(&path), name_of(&path)) {
            true => Resolution::Label,
            false => Resolution::Missing,
        }
    }

    fn named(&mut self, folder: &str, name: &str, depth: usize) {
        let Some(path) = join(folder, name) else { return };
        if let Some(file) = self.folders.page(folder_of(&path), name_of(&path)).cloned() {
            self.list(&file);
        }
        if self.folders.has_folder(folder_of(&path), name_of(&path)) && path.len() > folder.len() {
            self.folder(&path, depth + 1);
        }
    }

    /// What the list does not name.
    fn rest(&mut self, folder: &str, items: &[&str], reversed: bool, depth: usize) {
        let mut names = self.folders.names(folder);
        if reversed {
            names.reverse();
        }
        let named: std::collections::HashSet<&str> =
            items.iter().map(|item| item.trim_start_matches('!').trim_start_matches("...")).collect();
        for name in names.iter().filter(|name| !named.contains(name.as_str())) {
            self.named(folder, name, depth);
        }
    }
}

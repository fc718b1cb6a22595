//! Nextra: `pages`, `content` or `app`, `_meta`.

use super::{Folders, MAX_DEPTH, child, url_path};
use crate::build::Builder;
use crate::js::{Js, Kind, Module, tokens};
use crate::paths::{base_path, below, folder_of, name_of, split_extension};
use crate::tree::{Keep, Tree, has_extension};
use crate::{BlockerKind, NavEntry, Resolution};
use wholesite_address::LineIndex;

const MARKDOWN: &[&str] = &["md", "mdx"];
const META: &[&str] =
    &["_meta.json", "_meta.js", "_meta.jsx", "_meta.ts", "_meta.tsx", "_meta.mjs", "_meta.global.js"];

pub(crate) fn wants(tree: &Tree) -> Vec<(String, Keep)> {
    let mut wanted = Vec::new();
    for path in &tree.listing {
        if has_extension(path, MARKDOWN) {
            wanted.push((path.clone(), Keep::Page));
        } else if META.contains(&name_of(path)) || path.starts_with("next.config.") {
            wanted.push((path.clone(), Keep::Text));
        }
    }
    wanted
}

pub(crate) fn build(builder: &mut Builder<'_>) {
    let tree = builder.tree;
    let config = tree.script("next.config");
    let option = |key: &str| config.as_ref().and_then(|path| text_of(tree.text(path)?, key));
    builder.served_at(None, option("basePath").map(|base| base_path(&base)).unwrap_or_default());
    let roots = ["pages", "src/pages", "content", "src/content", "app", "src/app"];
    let Some(root) =
        roots.into_iter().find(|root| tree.files_below(root).any(|path| has_extension(path, MARKDOWN)))
    else {
        let message = "no Markdown in pages, content or app";
        return builder.block(BlockerKind::Outside, "next.config.mjs", None, message);
    };
    let is_content = name_of(root) == "content";
    let base =
        option("contentDirBasePath").filter(|_| is_content).map(|base| base_path(&base)).unwrap_or_default();
    let is_app = name_of(root) == "app";
    let files: Vec<&str> = tree.files_below(root).filter(|path| has_extension(path, MARKDOWN)).collect();
    let mut pages = Vec::new();
    for file in files {
        let relative = below(file, root).unwrap_or(file);
        let stem = split_extension(relative).0;
        if relative.split('/').any(|segment| segment.starts_with(['_', '.'])) {
            builder.not_a_page(file, "its name begins with an underscore");
        } else if is_app && name_of(stem) != "page" {
            builder.not_a_page(file, "in app only files called page are pages");
        } else if stem.contains('[') {
            let message = "a route with parameters makes as many pages as its code says";
            builder.block(BlockerKind::NeedsRunning, file, None, message);
            builder.not_a_page(file, "the pattern of a dynamic route");
        } else {
            let route = if is_app { folder_of(relative).to_owned() + "/index" } else { relative.to_owned() };
            builder.page_of_file(file, url_path(&route, &base));
            pages.push(file);
        }
    }
    for file in
        tree.listing.iter().filter(|path| has_extension(path, MARKDOWN) && below(path, root).is_none())
    {
        builder.not_a_page(file, format!("outside {root}"));
    }
    let folders = Folders::of(pages.into_iter(), root);
    folder(builder, &folders, root, is_app, 0);
}

/// The first text of a field in a file of code.
fn text_of(code: &str, key: &str) -> Option<String> {
    let found = tokens(code);
    found.windows(3).find_map(|three| match (&three[0].kind, &three[1].kind, &three[2].kind) {
        (Kind::Word(word), Kind::Punct(":"), Kind::Text(text)) if word == key => Some(text.clone()),
        _ => None,
    })
}

/// Puts a folder's pages in the order of its `_meta`, and what that does not name behind. Recursion is bounded.
fn folder(builder: &mut Builder<'_>, folders: &Folders, path: &str, is_app: bool, depth: usize) {
    if depth > MAX_DEPTH {
        return builder.note(format!("{path} lies too deep to be put in order"));
    }
    let tree = builder.tree;
    let mut names: Vec<String> = Vec::new();
    if let Some(meta) = tree.first_of(path, META)
        && let Some(text) = tree.text(&meta)
    {
        let shift = if meta.ends_with(".json") { "export default ".len() } else { 0 };
        let code = if shift > 0 { format!("export default {text}") } else { text.to_owned() };
        let lines = LineIndex::new(text);
        match Module::read(&code).exported().map(|root| root.value) {
            Some(Js::Object { fields, .. }) => {
                for (name, node) in fields {
                    let file = if is_app {
                        folders.page(&child(path, &name), "page")
                    } else {
                        folders.page(path, &name).or_else(|| folders.page(&child(path, &name), "index"))
                    };
                    let href = node.value.get("href").is_some() || node.value.find(&["type"]).is_some();
                    let resolution = match file.and_then(|file| builder.address_of(file)) {
                        Some(address) => Resolution::Page(address),
                        None if href || folders.has_folder(path, &name) => Resolution::Label,
                        None => Resolution::Missing,
                    };
                    let place = lines.place(node.at.saturating_sub(shift));
                    let label = node
                        .value
                        .text()
                        .or_else(|| node.value.get("title")?.value.text())
                        .map(str::to_owned);
                    builder.entry(NavEntry {
                        file: meta.clone(),
                        place,
                        text: name.clone(),
                        label,
                        resolution,
                    });
                    names.push(name);
                }
            }
            _ => builder.note(format!("{meta} is computed, so the order here may differ")),
        }
    }
    let named: std::collections::HashSet<String> = names.iter().cloned().collect();
    names.extend(folders.names(path).into_iter().filter(|name| !named.contains(name)));
    for name in names {
        if let Some(address) = folders.page(path, &name).and_then(|file| builder.address_of(file)) {
            builder.list(&address);
        }
        if folders.has_folder(path, &name) {
            folder(builder, folders, &child(path, &name), is_app, depth + 1);
        }
    }
}

//! GitBook: `.gitbook.yaml` and `SUMMARY.md` of Git Sync, or `book.json` of the older tools (HonKit among them).
//!
//! Source: the GitBook documentation (Git Sync, content configuration); HonKit's documentation for `book.json`.

use serde_json::{Map, Value};

use crate::build::{Builder, Places};
use crate::paths::{below, encode, folder_of, is_external, join, name_of, split_extension, without_fragment};
use crate::summary::{self, Item};
use crate::tree::{Keep, Tree, has_extension};
use crate::{BlockerKind, NavEntry, Resolution};

#[derive(Debug, Default)]
struct Config {
    file: Option<String>,
    root: String,
    readme: String,
    summary: String,
    redirects: Map<String, Value>,
    /// The older tools write `.html` files.
    html: bool,
    fault: Option<String>,
}

fn config_file(tree: &Tree) -> Option<String> {
    tree.first_of("", &[".gitbook.yaml", ".gitbook.yml", "book.json"])
}

fn config(tree: &Tree) -> Config {
    let file = config_file(tree);
    let text = file.as_deref().and_then(|file| tree.text(file));
    let html = file.as_deref() == Some("book.json");
    let (value, fault) = match text {
        None => (Value::Null, None),
        Some(text) if html => match serde_json::from_str(text) {
            Ok(value) => (value, None),
            Err(error) => (Value::Null, Some(error.to_string())),
        },
        Some(text) => match serde_saphyr::from_str(&readable(text)) {
            Ok(value) => (value, None),
            Err(error) => {
                (Value::Null, Some(error.to_string().lines().next().unwrap_or_default().to_owned()))
            }
        },
    };
    let structure = |key: &str| value.get("structure").and_then(|s| s.get(key)).and_then(Value::as_str);
    let root = value.get("root").and_then(Value::as_str).unwrap_or_default();
    let root = join("", root.trim_start_matches('/')).unwrap_or_default();
    let below_root =
        |name: &str| join(&root, name.trim_start_matches("./").trim_start_matches('/')).unwrap_or_default();
    Config {
        readme: below_root(structure("readme").unwrap_or("README.md")),
        summary: below_root(structure("summary").unwrap_or("SUMMARY.md")),
        redirects: value.get("redirects").and_then(Value::as_object).cloned().unwrap_or_default(),
        file,
        root,
        html,
        fault,
    }
}

/// Invisible letters that editors put into the file, and that GitBook does not mind, are no part of it.
fn readable(text: &str) -> String {
    text.replace(['\u{200b}', '\u{feff}'], "").replace('\u{a0}', " ")
}

pub(crate) fn wants(tree: &Tree) -> Vec<(String, Keep)> {
    if let Some(file) = config_file(tree)
        && !tree.files.contains_key(&file)
    {
        return vec![(file, Keep::Text)];
    }
    let config = config(tree);
    let files = tree.files_below(&config.root).filter(|path| has_extension(path, &["md"]));
    let keep = |path: &str| if path == config.summary { Keep::Text } else { Keep::Page };
    files.map(|path| (path.to_owned(), keep(path))).collect()
}

pub(crate) fn build(builder: &mut Builder<'_>) {
    let tree = builder.tree;
    let config = config(tree);
    let config_name = config.file.clone().unwrap_or_else(|| config.summary.clone());
    if let Some(why) = &config.fault {
        builder.block(BlockerKind::Invalid, &config_name, None, format!("can't be read: {why}"));
    }
    if tree.has(&config.readme) {
        page(builder, &config, &config.readme, None);
    }
    match tree.text(&config.summary) {
        Some(text) => table(builder, &config, summary::read(text)),
        None if config.html => {
            let message = "there is no SUMMARY.md, which alone says what the pages are";
            builder.block(BlockerKind::ConfigMissing, &config.summary, None, message);
        }
        // Without a summary GitBook takes every Markdown file, by folders.
        None => {
            for file in tree.files_below(&config.root).filter(|path| has_extension(path, &["md"])) {
                page(builder, &config, file, None);
            }
        }
    }
    others(builder, &config);
    redirects(builder, &config, &config_name);
}

fn table(builder: &mut Builder<'_>, config: &Config, items: Vec<Item>) {
    for item in &items {
        if let Some(file) = file_of(builder.tree, config, item) {
            page(builder, config, &file, Some(&item.label));
        }
    }
    for item in items {
        let file = file_of(builder.tree, config, &item);
        let resolution = match file.and_then(|file| builder.address_of(&file)) {
            Some(address) => Resolution::Page(address),
            None if item.target.is_empty() => Resolution::Label,
            None if is_external(&item.target) => Resolution::External,
            None => match target(config, &item) {
                Some(path) if builder.tree.has_folder(&path) => Resolution::NotAPage("a folder".to_owned()),
                Some(path) if builder.tree.has(&path) => Resolution::NotAPage("no Markdown".to_owned()),
                _ => Resolution::Missing,
            },
        };
        builder.entry(NavEntry {
            file: config.summary.clone(),
            place: item.place,
            text: item.target,
            label: Some(item.label),
            resolution,
        });
    }
}

fn target(config: &Config, item: &Item) -> Option<String> {
    let target = without_fragment(&item.target);
    if target.is_empty() || is_external(&item.target) {
        return None;
    }
    let folder = if target.starts_with('/') { &config.root } else { folder_of(&config.summary) };
    join(folder, target.trim_start_matches('/'))
}

/// The Markdown file that an entry names.
fn file_of(tree: &Tree, config: &Config, item: &Item) -> Option<String> {
    target(config, item).filter(|file| has_extension(file, &["md"]) && tree.has(file))
}

fn page(builder: &mut Builder<'_>, config: &Config, file: &str, label: Option<&str>) {
    if builder.address_of(file).is_some() {
        return;
    }
    let url_path = url_path(config, file);
    let label = label.filter(|label| !label.is_empty()).map(str::to_owned);
    let own = builder.tree.facts(file).and_then(|facts| facts.title());
    builder.page(file, url_path, label.or(own));
}

/// `a/b.md` is `/a/b` (`/a/b.html` of the older tools); `README.md` is its folder.
fn url_path(config: &Config, file: &str) -> String {
    if file == config.readme {
        return "/".to_owned();
    }
    let stem = split_extension(below(file, &config.root).unwrap_or(file)).0;
    let folder = folder_of(stem);
    let path = match (name_of(stem) == "README", config.html) {
        (true, _) if folder.is_empty() => "/".to_owned(),
        (true, true) => format!("/{folder}/"),
        (true, false) => format!("/{folder}"),
        (false, true) => format!("/{stem}.html"),
        (false, false) => format!("/{stem}"),
    };
    encode(&path)
}

fn others(builder: &mut Builder<'_>, config: &Config) {
    let tree = builder.tree;
    for file in tree.listing.iter().filter(|file| has_extension(file, &["md"])) {
        if builder.address_of(file).is_some() {
            continue;
        }
        let why = if *file == config.summary {
            "the table of contents"
        } else if below(file, &config.root).is_none() {
            "outside the root of the configuration"
        } else {
            "not in SUMMARY.md"
        };
        builder.not_a_page(file, why);
    }
}

fn redirects(builder: &mut Builder<'_>, config: &Config, config_name: &str) {
    let tree = builder.tree;
    let mut places = Places::new(tree.text(config_name).unwrap_or_default());
    for (from, to) in &config.redirects {
        let place = places.next(from);
        let target = to.as_str().and_then(|to| join(&config.root, to.trim_start_matches('/')));
        match target.and_then(|file| builder.address_of(&file)) {
            Some(address) => builder.alias(encode(&format!("/{}", from.trim_matches('/'))), address),
            None => builder.note(format!("{config_name}:{}: {from} redirects to no page", place.line)),
        }
    }
}

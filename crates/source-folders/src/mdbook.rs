//! mdBook: `book.toml` and `SUMMARY.md`. Only what the summary lists becomes a page.
//!
//! Source: the mdBook guide (SUMMARY.md, configuration).

use toml::{Table, Value};

use crate::build::{Builder, Places};
use crate::paths::{
    base_path, below, encode, folder_of, is_external, join, name_of, split_extension, title_of,
};
use crate::summary::{self, Item};
use crate::tree::{Keep, Tree, has_extension};
use crate::{BlockerKind, NavEntry, Resolution};

const CONFIG: &str = "book.toml";

/// Preprocessors that change the text of chapters, and neither make nor remove any.
const HARMLESS: &[&str] = &[
    "links",
    "index",
    "mermaid",
    "admonish",
    "toc",
    "pagetoc",
    "katex",
    "callouts",
    "alerts",
    "emojicodes",
    "emoji",
    "linkcheck",
    "footnote",
    "variables",
    "svgbob",
    "plantuml",
    "graphviz",
    "cmdrun",
    "quiz",
    "tabs",
    "bib",
    "yml-header",
    "keeper",
    "gettext",
    "d2",
    "theme",
    "external-links",
    "last-changed",
    "open-on-gh",
];

#[derive(Debug)]
struct Config {
    table: Table,
    src: String,
    fault: Option<String>,
}

fn config(tree: &Tree) -> Config {
    let text = tree.text(CONFIG).unwrap_or_default();
    let (table, fault) = match text.parse::<Table>() {
        Ok(table) => (table, None),
        Err(error) => (Table::new(), Some(error.message().to_owned())),
    };
    let src = at(&table, &["book", "src"]).and_then(Value::as_str).unwrap_or("src").to_owned();
    Config { table, src: join("", &src).unwrap_or(src), fault }
}

fn at<'t>(table: &'t Table, keys: &[&str]) -> Option<&'t Value> {
    let (last, folders) = keys.split_last()?;
    let mut table = table;
    for key in folders {
        table = table.get(*key)?.as_table()?;
    }
    table.get(*last)
}

fn in_folder(folder: &str, name: &str) -> String {
    if folder.is_empty() { name.to_owned() } else { format!("{folder}/{name}") }
}

pub(crate) fn wants(tree: &Tree) -> Vec<(String, Keep)> {
    let mut wanted = Vec::new();
    if tree.has(CONFIG) {
        wanted.push((CONFIG.to_owned(), Keep::Text));
        if !tree.files.contains_key(CONFIG) {
            return wanted;
        }
    }
    let src = config(tree).src;
    let summary = in_folder(&src, "SUMMARY.md");
    for path in tree.files_below(&src).filter(|path| has_extension(path, &["md"])) {
        wanted.push((path.to_owned(), if path == summary { Keep::Text } else { Keep::Page }));
    }
    wanted
}

pub(crate) fn build(builder: &mut Builder<'_>) {
    let tree = builder.tree;
    let config = config(tree);
    if let Some(why) = &config.fault {
        builder.block(BlockerKind::Invalid, CONFIG, None, format!("is no TOML: {why}"));
    }
    let base = at(&config.table, &["output", "html", "site-url"]).and_then(Value::as_str).map(base_path);
    builder.served_at(None, base.unwrap_or_default());
    judge_preprocessors(builder, &config);
    let summary = in_folder(&config.src, "SUMMARY.md");
    let Some(text) = tree.text(&summary) else {
        let message = "the book has no SUMMARY.md, which alone says what its chapters are";
        return builder.block(BlockerKind::ConfigMissing, &summary, None, message);
    };
    let items = summary::read(text);
    for item in &items {
        chapter(builder, &config, item);
    }
    for item in items {
        let resolution = resolve(builder, &config, &item);
        if resolution == Resolution::Missing {
            let message = format!("the chapter {} is not there; mdBook would make an empty one", item.target);
            builder.block(BlockerKind::Outside, &summary, Some(item.place), message);
        }
        builder.entry(NavEntry {
            file: summary.clone(),
            place: item.place,
            text: item.target,
            label: Some(item.label),
            resolution,
        });
    }
    others(builder, &config, &summary);
    redirects(builder, &config);
}

/// Adds the page of a chapter once, however often it is listed.
fn chapter(builder: &mut Builder<'_>, config: &Config, item: &Item) {
    let tree = builder.tree;
    let Some(file) = file_of(config, item).filter(|file| tree.has(file)) else { return };
    if builder.address_of(&file).is_none() {
        let relative = below(&file, &config.src).unwrap_or(&file);
        let title = if item.label.is_empty() { title_of(&file) } else { item.label.clone() };
        builder.page(&file, url_path(relative), Some(title));
    }
}

fn file_of(config: &Config, item: &Item) -> Option<String> {
    if item.target.is_empty() || is_external(&item.target) {
        return None;
    }
    join(&config.src, item.target.trim_start_matches('/'))
}

fn resolve(builder: &Builder<'_>, config: &Config, item: &Item) -> Resolution {
    if item.target.is_empty() {
        return Resolution::Label;
    }
    if is_external(&item.target) {
        return Resolution::External;
    }
    match file_of(config, item).and_then(|file| builder.address_of(&file)) {
        Some(address) => Resolution::Page(address),
        None => Resolution::Missing,
    }
}

/// `a/b.md` is `/a/b.html`; `README.md` is its folder's index.
pub(crate) fn url_path(relative: &str) -> String {
    let stem = split_extension(relative).0;
    let folder = folder_of(stem);
    let is_index = name_of(stem).eq_ignore_ascii_case("readme") || name_of(stem) == "index";
    let path = match (is_index, folder.is_empty()) {
        (true, true) => "/".to_owned(),
        (true, false) => format!("/{folder}/index.html"),
        (false, _) => format!("/{stem}.html"),
    };
    encode(&path)
}

fn others(builder: &mut Builder<'_>, config: &Config, summary: &str) {
    let tree = builder.tree;
    for file in tree.listing.iter().filter(|file| has_extension(file, &["md"])) {
        let why = if file == summary {
            "the table of contents".to_owned()
        } else if builder.address_of(file).is_some() {
            continue;
        } else if below(file, &config.src).is_none() {
            format!("outside the book's src ({})", config.src)
        } else {
            "not in SUMMARY.md".to_owned()
        };
        builder.not_a_page(file, why);
    }
}

fn redirects(builder: &mut Builder<'_>, config: &Config) {
    let Some(Value::Table(rules)) = at(&config.table, &["output", "html", "redirect"]) else { return };
    for (from, to) in rules {
        let Some(to) = to.as_str().filter(|to| !is_external(to)) else { continue };
        let from_path = format!("/{}", from.trim_start_matches('/'));
        let folder = folder_of(from_path.trim_start_matches('/'));
        let target = to.split('#').next().unwrap_or(to);
        let Some(target) = join(folder, target) else { continue };
        let target = if target == "index.html" { "/".to_owned() } else { encode(&format!("/{target}")) };
        if builder.is_page(&target) {
            builder.alias(encode(&from_path), target);
        } else {
            builder.note(format!("{CONFIG}: {from} redirects to {to}, which is no page"));
        }
    }
}

fn judge_preprocessors(builder: &mut Builder<'_>, config: &Config) {
    let Some(Value::Table(preprocessors)) = config.table.get("preprocessor") else { return };
    let tree = builder.tree;
    let mut places = Places::new(tree.text(CONFIG).unwrap_or_default());
    for name in preprocessors.keys() {
        if !HARMLESS.contains(&name.as_str()) {
            let place = places.next(&format!("preprocessor.{name}"));
            let message = format!("the preprocessor {name} may make or remove chapters");
            builder.block(BlockerKind::NeedsRunning, CONFIG, Some(place), message);
        }
    }
}

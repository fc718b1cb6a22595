//! Starlight: the content collection `docs` of an Astro site, what its configuration says in literals, `src/pages`.
//!
//! Source: the Starlight and Astro documentation (pages, internationalization, sidebar, redirects), Starlight 0.35.

mod config;

use std::collections::{BTreeMap, HashMap};

use wholesite_address::{LineIndex, Place};

use crate::build::Builder;
use crate::js::{Js, Node};
use crate::paths::{below, encode, is_external, split_extension};
use crate::redirects;
use crate::tree::{Keep, Tree, has_extension};
use crate::{BlockerKind, NavEntry, Resolution};
use config::Config;

const DOCS: &str = "src/content/docs";
const PAGES: &str = "src/pages";
const MARKDOWN: &[&str] = &["md", "mdx", "markdown", "mdown", "mkdn", "mkd", "mdwn", "mdoc"];

pub(crate) fn wants(tree: &Tree) -> Vec<(String, Keep)> {
    let config = tree.script("astro.config").map(|path| (path, Keep::Text));
    let pages = [DOCS, PAGES].into_iter().flat_map(|folder| tree.files_below(folder));
    let pages = pages.filter(|path| has_extension(path, MARKDOWN)).map(|path| (path.to_owned(), Keep::Page));
    let rules = tree.has("public/_redirects").then(|| ("public/_redirects".to_owned(), Keep::Text));
    config.into_iter().chain(pages).chain(rules).collect()
}

pub(crate) fn build(builder: &mut Builder<'_>) {
    let mut config = Config::read(builder.tree);
    builder.served_at(config.site_url(), config.base.clone());
    for (kind, message, place) in std::mem::take(&mut config.faults) {
        builder.block(kind, &config.file, place, message);
    }
    let slugs = docs(builder, &config);
    fallbacks(builder, &config, &slugs);
    routes(builder, &config);
    sidebar(builder, &config, &slugs);
    redirect(builder, &config);
    let tree = builder.tree;
    for file in tree.listing.iter().filter(|path| has_extension(path, MARKDOWN)) {
        if below(file, DOCS).is_none() && below(file, PAGES).is_none() {
            builder.not_a_page(file, "in neither src/content/docs nor src/pages");
        }
    }
}

/// Adds the pages of the collection; returns their files by slug.
fn docs(builder: &mut Builder<'_>, config: &Config) -> BTreeMap<String, String> {
    let tree = builder.tree;
    let mut slugs = BTreeMap::new();
    for file in tree.files_below(DOCS).filter(|path| has_extension(path, MARKDOWN)) {
        let relative = below(file, DOCS).unwrap_or(file);
        let facts = tree.facts(file);
        if relative.split('/').any(|segment| segment.starts_with('_')) {
            builder.not_a_page(file, "its name begins with an underscore");
        } else if facts.is_some_and(|facts| facts.flag("draft") == Some(true)) {
            builder.not_a_page(file, "a draft");
        } else {
            let slug = match facts.and_then(|facts| facts.text("slug")) {
                Some(slug) => slug.trim_matches('/').to_owned(),
                None => slug_of(split_extension(relative).0),
            };
            if slug == "404" || slug.ends_with("/404") {
                builder.not_a_page(file, "the answer to unknown addresses");
                continue;
            }
            builder.page_of_file(file, config.address(&slug));
            slugs.entry(slug).or_insert_with(|| file.to_owned());
        }
    }
    slugs
}

/// A path as Astro makes a slug of it: each segment in lower case, blanks to dashes, other marks dropped; `index` is
/// its folder.
fn slug_of(stem: &str) -> String {
    let segment = |segment: &str| -> String {
        let kept = segment.to_lowercase();
        let kept =
            kept.chars().filter(|letter| letter.is_alphanumeric() || matches!(letter, ' ' | '-' | '_'));
        kept.map(|letter| if letter == ' ' { '-' } else { letter }).collect()
    };
    let slug = stem.split('/').map(segment).collect::<Vec<_>>().join("/");
    match slug.as_str() {
        "index" => String::new(),
        _ => slug.strip_suffix("/index").unwrap_or(&slug).to_owned(),
    }
}

/// A page that a language lacks is shown in the default language at that language's address.
fn fallbacks(builder: &mut Builder<'_>, config: &Config, slugs: &BTreeMap<String, String>) {
    let others: Vec<&String> =
        config.locales.iter().filter(|locale| **locale != config.default_locale).collect();
    for (slug, file) in slugs {
        let in_default = if config.default_locale.is_empty() {
            let first = slug.split('/').next().unwrap_or_default();
            (!config.locales.iter().any(|locale| locale == first)).then_some(slug.as_str())
        } else if *slug == config.default_locale {
            Some("")
        } else {
            below(slug, &config.default_locale)
        };
        let Some(rest) = in_default else { continue };
        for locale in &others {
            let translated = if rest.is_empty() { (*locale).clone() } else { format!("{locale}/{rest}") };
            if !slugs.contains_key(&translated) {
                builder.page_of_file(file, config.address(&translated));
            }
        }
    }
}

/// Files of `src/pages` at their own paths.
fn routes(builder: &mut Builder<'_>, config: &Config) {
    let tree = builder.tree;
    for file in tree.files_below(PAGES) {
        let relative = below(file, PAGES).unwrap_or(file);
        let is_page = has_extension(file, MARKDOWN) || has_extension(file, &["astro", "html"]);
        if relative.split('/').any(|segment| segment.starts_with('_')) {
            if is_page {
                builder.not_a_page(file, "its name begins with an underscore");
            }
            continue;
        }
        let stem = split_extension(relative).0;
        if !is_page || stem == "404" || stem == "500" {
            if has_extension(file, MARKDOWN) {
                builder.not_a_page(file, "the answer to unknown addresses");
            }
            continue;
        }
        if stem.contains('[') {
            let message = "a route with parameters makes as many pages as its code says";
            builder.block(BlockerKind::NeedsRunning, file, None, message);
            continue;
        }
        let slug = if stem == "index" { "" } else { stem.strip_suffix("/index").unwrap_or(stem) };
        builder.page_of_file(file, config.address(slug));
    }
}

/// Puts the pages in the order of the sidebar; without one, as their folders lie.
fn sidebar(builder: &mut Builder<'_>, config: &Config, slugs: &BTreeMap<String, String>) {
    let tree = builder.tree;
    let text = tree.text(&config.file).unwrap_or_default();
    let lines = LineIndex::new(text);
    let Some(sidebar) = &config.sidebar else { return generated(builder, config, slugs, "") };
    let mut open: Vec<std::slice::Iter<'_, Node>> = vec![sidebar.value.items().iter()];
    while let Some(items) = open.last_mut() {
        let Some(item) = items.next() else {
            open.pop();
            continue;
        };
        let field = |key: &str| item.value.get(key).and_then(|node| node.value.text());
        let place = lines.place(item.at);
        match &item.value {
            Js::Text(slug) => entry(builder, config, slugs, slug, None, place),
            Js::Object { .. } => {
                if let Some(target) = field("slug").or_else(|| field("link")) {
                    entry(builder, config, slugs, target, field("label"), place);
                } else if let Some(folder) = item.value.find(&["autogenerate", "directory"]) {
                    generated(builder, config, slugs, folder.value.text().unwrap_or_default());
                }
                if let Some(items) = item.value.get("items") {
                    open.push(items.value.items().iter());
                }
            }
            _ => builder.note(format!("{}:{}: a part of the sidebar is computed", config.file, place.line)),
        }
    }
}

fn entry(
    builder: &mut Builder<'_>,
    config: &Config,
    slugs: &BTreeMap<String, String>,
    target: &str,
    label: Option<&str>,
    place: Place,
) {
    let slug = redirects::key(target).trim_start_matches('/').to_owned();
    let localized = format!("{}/{slug}", config.default_locale);
    let resolution = if is_external(target) {
        Resolution::External
    } else {
        let known =
            [slug.as_str(), localized.trim_matches('/')].into_iter().find(|slug| slugs.contains_key(*slug));
        known.map_or(Resolution::Missing, |slug| Resolution::Page(config.address(slug)))
    };
    let (text, label) = (target.to_owned(), label.map(str::to_owned));
    builder.entry(NavEntry { file: config.file.clone(), place, text, label, resolution });
}

/// The pages of a folder, by their `sidebar.order`, then by slug.
fn generated(builder: &mut Builder<'_>, config: &Config, slugs: &BTreeMap<String, String>, folder: &str) {
    let tree = builder.tree;
    let root = [config.default_locale.as_str(), folder.trim_matches('/')];
    let root = root.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("/");
    let order = |file: &str| {
        let order = tree.facts(file).and_then(|facts| facts.front.get("sidebar")?.get("order")?.as_f64());
        order.map_or(i64::MAX, |order| (order * 1000.0) as i64)
    };
    let in_root = |slug: &str| slug == root || below(slug, &root).is_some();
    let other_language = |slug: &str| {
        let first = slug.split('/').next().unwrap_or_default();
        config.locales.iter().any(|locale| locale == first && *locale != config.default_locale)
    };
    let mut found: Vec<(i64, &String)> = (slugs.iter())
        .filter(|(slug, _)| in_root(slug) && !other_language(slug))
        .map(|(slug, file)| (order(file), slug))
        .collect();
    found.sort();
    for (_, slug) in found {
        builder.list(&config.address(slug));
    }
}

fn redirect(builder: &mut Builder<'_>, config: &Config) {
    let by_key: HashMap<String, String> =
        builder.addresses().map(|address| (redirects::key(address).to_owned(), address.to_owned())).collect();
    for (from, to) in &config.redirects {
        if from.contains('[') {
            builder.note(format!("{}: the redirect {from} is a rule, and no list of addresses", config.file));
            continue;
        }
        let below_base = to.strip_prefix(&config.base).unwrap_or(to);
        match by_key.get(redirects::key(&encode(below_base))) {
            Some(page) => builder.alias(encode(from), page.clone()),
            None => builder.note(format!("{}: {from} redirects to {to}, which is no page", config.file)),
        }
    }
    redirects::take(builder, "public/_redirects", &config.base, |path| {
        by_key.get(redirects::key(path)).cloned()
    });
}

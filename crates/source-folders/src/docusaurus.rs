//! Docusaurus: what is written out in `docusaurus.config`, docs with their versions, blog, and `src/pages`.
//!
//! Source: the Docusaurus documentation, and the sources of its content plugins, 3.9.

mod blog;
mod config;
mod docs;
mod pages;
mod prefix;
mod sidebars;
mod slug;

use crate::build::Builder;
use crate::paths::encode;
use crate::redirects;
use crate::tree::{Keep, Tree, has_extension};
use config::{Config, Plugin};

/// What the content plugins read as pages.
const MARKDOWN: &[&str] = &["md", "mdx"];

/// One build of the site: one language.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Build {
    /// The language, where it is not the default one.
    locale: Option<String>,
    /// Whether addresses end with a slash; `None` leaves them as they come.
    trailing_slash: Option<bool>,
    /// The configuration, which is why there are pages without a file of their own.
    cause: String,
}

impl Build {
    /// The address of a route below the site's base. `route` is unencoded, and empty or starts with a slash.
    fn address(&self, route: &str) -> String {
        let mut path = match &self.locale {
            Some(locale) => format!("/{locale}{route}"),
            None => route.to_owned(),
        };
        while path.contains("//") {
            path = path.replace("//", "/");
        }
        if path.is_empty() {
            path.push('/');
        }
        match self.trailing_slash {
            Some(true) if !path.ends_with('/') => path.push('/'),
            Some(false) if path.len() > 1 => path.truncate(path.trim_end_matches('/').len().max(1)),
            _ => {}
        }
        encode(&path)
    }

    /// Where the translations of a content plugin lie.
    fn translations(&self, plugin: &str, id: &str) -> Option<String> {
        let locale = self.locale.as_ref()?;
        let folder = if id == "default" { plugin.to_owned() } else { format!("{plugin}-{id}") };
        Some(format!("i18n/{locale}/{folder}"))
    }
}

/// A content file and its path below the content's folder. A translation stands in for the file it translates.
#[derive(Debug, Clone, PartialEq, Eq)]
struct ContentFile {
    file: String,
    relative: String,
}

/// The files of a content folder with those of its translation laid over them, in order.
fn content_files(
    tree: &Tree,
    folder: &str,
    translated: Option<&str>,
    extensions: &[&str],
) -> Vec<ContentFile> {
    let list = |folder: &str| -> Vec<(String, String)> {
        let files = tree.files_below(folder).filter(|path| has_extension(path, extensions));
        files
            .filter_map(|file| Some((crate::paths::below(file, folder)?.to_owned(), file.to_owned())))
            .collect()
    };
    let mut files: std::collections::BTreeMap<String, String> = list(folder).into_iter().collect();
    if let Some(translated) = translated {
        // A translation without an original is no page.
        for (relative, file) in list(translated) {
            if let Some(known) = files.get_mut(&relative) {
                *known = file;
            }
        }
    }
    files.into_iter().map(|(relative, file)| ContentFile { file, relative }).collect()
}

/// What the content plugins exclude by default: names that begin with an underscore, and tests.
fn excluded_by_default(relative: &str) -> bool {
    let is_private = relative.split('/').any(|segment| segment.starts_with('_'));
    is_private || relative.contains(".test.") || relative.split('/').any(|segment| segment == "__tests__")
}

pub(crate) fn wants(tree: &Tree) -> Vec<(String, Keep)> {
    let Some(file) = config::file(tree) else { return Vec::new() };
    if !tree.files.contains_key(&file) {
        return vec![(file, Keep::Text)];
    }
    let config = Config::read(tree);
    let mut wanted: Vec<(String, Keep)> = Vec::new();
    for path in &tree.listing {
        let name = crate::paths::name_of(path);
        let is_text = path.ends_with("-sidebars.json")
            || path.ends_with("versions.json")
            || name.starts_with("_category_.")
            || matches!(name, "tags.yml" | "authors.yml")
            || path == "static/_redirects";
        if is_text {
            wanted.push((path.clone(), Keep::Text));
        } else if has_extension(path, MARKDOWN) {
            wanted.push((path.clone(), Keep::Page));
        }
    }
    for plugin in &config.plugins {
        if let Plugin::Docs(docs) = plugin
            && let Some(path) = docs.sidebars.as_ref().filter(|path| tree.has(path))
        {
            wanted.push((path.clone(), Keep::Text));
        }
    }
    wanted
}

pub(crate) fn build(builder: &mut Builder<'_>) {
    let mut config = Config::read(builder.tree);
    builder.served_at(config.site_url(), config.base.clone());
    for (kind, message, place) in std::mem::take(&mut config.faults) {
        builder.block(kind, &config.file, place, message);
    }
    let builds = config.builds();
    let mut taken = Vec::new();
    for build in &builds {
        for plugin in &config.plugins {
            match plugin {
                Plugin::Docs(options) => docs::build(builder, build, options, &mut taken),
                Plugin::Blog(options) => blog::build(builder, build, options, &mut taken),
                Plugin::Pages(options) => pages::build(builder, build, options, &mut taken),
                Plugin::Redirects(_) => {}
            }
        }
    }
    redirect(builder, &config);
    others(builder, &taken);
}

/// The client redirects of the configuration, and `static/_redirects`.
fn redirect(builder: &mut Builder<'_>, config: &Config) {
    let by_key: std::collections::HashMap<String, String> =
        builder.addresses().map(|address| (redirects::key(address).to_owned(), address.to_owned())).collect();
    for plugin in &config.plugins {
        let Plugin::Redirects(rules) = plugin else { continue };
        for (from, to) in rules {
            match by_key.get(redirects::key(&encode(to))) {
                Some(page) => builder.alias(encode(from), page.clone()),
                None => builder.note(format!("{}: {from} redirects to {to}, which is no page", config.file)),
            }
        }
    }
    redirects::take(builder, "static/_redirects", &config.base, |path| {
        by_key.get(redirects::key(path)).cloned()
    });
}

/// Every Markdown file that no content plugin took.
fn others(builder: &mut Builder<'_>, taken: &[(String, String)]) {
    let tree = builder.tree;
    let mut why: std::collections::BTreeMap<&str, &str> = std::collections::BTreeMap::new();
    for (file, reason) in taken {
        why.entry(file).or_insert(reason);
    }
    for file in tree.listing.iter().filter(|path| has_extension(path, MARKDOWN)) {
        if builder.address_of(file).is_none() {
            let reason =
                why.get(file.as_str()).copied().unwrap_or("in no content folder of the configuration");
            builder.not_a_page(file, reason);
        }
    }
}

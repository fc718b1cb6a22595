//! MkDocs: `mkdocs.yml`, the files of `docs_dir`, and the plugins whose effect can be told without running them.
//!
//! Source: the MkDocs user guide (configuration, writing your docs) and `mkdocs/structure/files.py`, 1.6.

mod config;
mod plugins;

use ignore::gitignore::{Gitignore, GitignoreBuilder};
use serde_json::Value;

use crate::build::{Builder, Places};
use crate::paths::{below, encode, folder_of, is_external, join, name_of, split_extension, without_fragment};
use crate::tree::{Keep, Tree, has_extension};
use crate::{BlockerKind, NavEntry, Resolution};
use config::Config;

/// What MkDocs takes for Markdown (`utils.is_markdown_file`).
const MARKDOWN: &[&str] = &["md", "markdown", "mdown", "mkdn", "mkd"];

/// A navigation nested deeper than this is not walked to its end.
const MAX_DEPTH: usize = 64;

pub(crate) fn wants(tree: &Tree) -> Vec<(String, Keep)> {
    let mut wanted: Vec<(String, Keep)> =
        config::chain(tree).into_iter().map(|path| (path, Keep::Text)).collect();
    let read_all = wanted.iter().all(|(path, _)| tree.files.contains_key(path));
    if read_all {
        let config = Config::read(tree);
        let pages = tree.files_below(&config.docs_dir).filter(|path| has_extension(path, MARKDOWN));
        wanted.extend(pages.map(|path| (path.to_owned(), Keep::Page)));
    }
    wanted
}

pub(crate) fn build(builder: &mut Builder<'_>) {
    let mut config = Config::read(builder.tree);
    builder.served_at(config.site_url.clone(), config.base_path());
    for (kind, message, place) in std::mem::take(&mut config.faults) {
        builder.block(kind, &config.file, place, message);
    }
    if !builder.tree.has_folder(&config.docs_dir) {
        let message = format!("docs_dir is {:?}, and no file lies there", config.docs_dir);
        builder.block(BlockerKind::Outside, &config.file, None, message);
    }
    let redirects = plugins::judge(builder, &mut config);
    let files = Files::of(builder, &config);
    for file in &files.pages {
        let url_path = url_path(below(file, &config.docs_dir).unwrap_or(file), config.directory_urls);
        builder.page_of_file(file, url_path);
    }
    match config.root.get("nav") {
        Some(Value::Array(items)) => navigation(builder, &config, items),
        _ => {
            for file in &files.pages {
                if let Some(address) = builder.address_of(file) {
                    builder.list(&address);
                }
            }
        }
    }
    redirect(builder, &config, &redirects);
}

/// The Markdown files of `docs_dir`, sorted into pages and others.
struct Files {
    /// In the order in which MkDocs lists them by itself: a folder's own files before its subfolders, index first.
    pages: Vec<String>,
}

impl Files {
    fn of(builder: &mut Builder<'_>, config: &Config) -> Files {
        // Built-in patterns first, as MkDocs puts them, so that `!` in the user's may undo them.
        let excluded = patterns(builder, config, "exclude_docs", &[".*", "/templates/"]);
        let drafts = patterns(builder, config, "draft_docs", &[]);
        let mut pages = Vec::new();
        let tree = builder.tree;
        let posts = plugins::posts_folder(config);
        for file in tree.files_below(&config.docs_dir) {
            let relative = below(file, &config.docs_dir).unwrap_or(file);
            let is_match = |globs: &Gitignore| globs.matched_path_or_any_parents(relative, false).is_ignore();
            let is_markdown = has_extension(file, MARKDOWN);
            if !is_markdown && !has_extension(file, &["html", "htm"]) {
                continue;
            }
            if is_match(&excluded) {
                builder.not_a_page(file, "excluded by exclude_docs, or by MkDocs itself");
            } else if is_match(&drafts) {
                builder.not_a_page(file, "a draft (draft_docs)");
            } else if !is_markdown {
                builder.not_a_page(file, "copied as it is");
            } else if posts.as_ref().is_some_and(|posts| below(relative, posts).is_some()) {
                builder.not_a_page(file, "a post: the blog plugin makes its address when it runs");
            } else if is_readme_beside_index(tree, file) {
                builder.not_a_page(file, "an index.md stands beside it");
            } else {
                pages.push(file.to_owned());
            }
        }
        pages.sort_by_cached_key(|file| {
            let is_index = matches!(split_extension(name_of(file)).0, "index" | "README");
            let folders: Vec<String> = folder_of(file).split('/').map(str::to_owned).collect();
            (folders, !is_index, name_of(file).to_owned())
        });
        for file in tree.listing.iter().filter(|file| has_extension(file, MARKDOWN)) {
            if below(file, &config.docs_dir).is_none() {
                builder.not_a_page(file, format!("outside docs_dir ({})", config.docs_dir));
            }
        }
        Files { pages }
    }
}

fn is_readme_beside_index(tree: &Tree, file: &str) -> bool {
    if split_extension(name_of(file)).0 != "README" {
        return false;
    }
    tree.first_of(folder_of(file), &["index.md", "index.markdown", "index.html"]).is_some()
}

fn patterns(builder: &mut Builder<'_>, config: &Config, key: &str, built_in: &[&str]) -> Gitignore {
    let mut globs = GitignoreBuilder::new("");
    let own = config.root.get(key).and_then(Value::as_str).unwrap_or_default();
    for line in built_in.iter().copied().chain(own.lines()) {
        if let Err(error) = globs.add_line(None, line) {
            let message = format!("a line of {key} is no pattern: {error}");
            builder.block(BlockerKind::Invalid, &config.file, None, message);
        }
    }
    globs.build().unwrap_or_else(|_| Gitignore::empty())
}

/// `a/b.md` is `/a/b/` or `/a/b.html`; `index` and `README` are their folder.
fn url_path(relative: &str, directory_urls: bool) -> String {
    let stem = split_extension(relative).0;
    let is_index = matches!(name_of(stem), "index" | "README");
    let folder = folder_of(stem);
    let path = match (directory_urls, is_index) {
        (_, true) if folder.is_empty() => "/".to_owned(),
        (true, true) => format!("/{folder}/"),
        (true, false) => format!("/{stem}/"),
        (false, true) => format!("/{folder}/index.html"),
        (false, false) => format!("/{stem}.html"),
    };
    encode(&path)
}

fn navigation(builder: &mut Builder<'_>, config: &Config, items: &[Value]) {
    let tree = builder.tree;
    let mut places = Places::new(tree.text(&config.nav_file).unwrap_or_default());
    // The stack holds lists under way, so that nesting costs no recursion.
    let mut open: Vec<std::slice::Iter<'_, Value>> = vec![items.iter()];
    while let Some(list) = open.last_mut() {
        let Some(item) = list.next() else {
            open.pop();
            continue;
        };
        match item {
            Value::String(target) => entry(builder, config, &mut places, None, target),
            Value::Object(map) => {
                for (label, value) in map {
                    match value {
                        Value::String(target) => entry(builder, config, &mut places, Some(label), target),
                        Value::Array(items) if open.len() < MAX_DEPTH => open.push(items.iter()),
                        Value::Array(_) => {
                            let message = "the navigation is nested too deeply to be walked to its end";
                            builder.block(BlockerKind::Limit, &config.nav_file, None, message);
                        }
                        _ => builder.note(format!("{}: nav: {label:?} has no target", config.nav_file)),
                    }
                }
            }
            _ => builder.note(format!("{}: nav holds something that is no page", config.nav_file)),
        }
    }
}

fn entry(
    builder: &mut Builder<'_>,
    config: &Config,
    places: &mut Places<'_>,
    label: Option<&String>,
    target: &str,
) {
    let place = places.next(target);
    let file = join(&config.docs_dir, without_fragment(target).trim_start_matches('/'));
    let resolution = match file.as_deref().and_then(|file| builder.address_of(file)) {
        Some(address) => Resolution::Page(address),
        None if is_external(target) => Resolution::External,
        None => match file {
            Some(file) if builder.tree.has(&file) => Resolution::NotAPage("not a Markdown page".to_owned()),
            _ => Resolution::Missing,
        },
    };
    let wildcard = target.contains('*') || target.ends_with('/');
    if wildcard && resolution == Resolution::Missing {
        let message = format!("nav names {target:?}, which a plugin has to fill in; the order is not known");
        builder.note(message);
    }
    builder.entry(NavEntry {
        file: config.nav_file.clone(),
        place,
        text: target.to_owned(),
        label: label.cloned(),
        resolution,
    });
}

/// The `redirects` plugin: old files to pages.
fn redirect(builder: &mut Builder<'_>, config: &Config, redirects: &[(String, String)]) {
    for (from, to) in redirects {
        if is_external(to) {
            continue;
        }
        let target = join(&config.docs_dir, without_fragment(to));
        match target.and_then(|file| builder.address_of(&file)) {
            Some(address) => builder.alias(url_path(from, config.directory_urls), address),
            None => builder.note(format!("{}: {from} redirects to {to}, which is no page", config.file)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses() {
        let cases = [
            ("index.md", "/", "/"),
            ("a/README.md", "/a/", "/a/index.html"),
            ("a/b c.md", "/a/b%20c/", "/a/b%20c.html"),
            ("07.5-x.markdown", "/07.5-x/", "/07.5-x.html"),
        ];
        for (file, directory, flat) in cases {
            assert_eq!((url_path(file, true).as_str(), url_path(file, false).as_str()), (directory, flat));
        }
    }
}

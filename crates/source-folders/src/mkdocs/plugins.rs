//! What the plugins of a MkDocs site do to the set of its pages.

use serde_json::Value;
use wholesite_address::Place;

use super::config::Config;
use crate::BlockerKind;
use crate::build::{Builder, Places};
use crate::paths::join;

/// Plugins that change what pages look like, and neither make nor remove any.
const HARMLESS: &[&str] = &[
    "search",
    "minify",
    "macros",
    "mkdocstrings",
    "autorefs",
    "glightbox",
    "git-revision-date",
    "git-revision-date-localized",
    "git-authors",
    "git-committers",
    "git-committers-2",
    "social",
    "meta",
    "privacy",
    "optimize",
    "typeset",
    "info",
    "group",
    "offline",
    "redirects",
    "rss",
    "table-reader",
    "include-markdown",
    "markdownextradata",
    "mermaid2",
    "drawio",
    "swagger-ui-tag",
    "open-in-new-tab",
    "callouts",
    "markdown-exec",
    "termynal",
    "llmstxt",
    "callouts",
    "print-site",
    "mkdocs-video",
    "video",
    "panzoom",
    "encryptcontent",
    "alias",
    "ezlinks",
    "roamlinks",
    "htmlproofer",
    "linkcheck",
    "spellcheck",
    "exclude-search",
    "unused_files",
    "with-pdf",
    "pdf-export",
    "abbr",
    "neoteroi.mkdocsoad",
    "render_swagger",
];

/// Plugins that put the pages there are in another order.
const ORDERING: &[&str] = &["awesome-pages", "awesome-nav", "literate-nav", "section-index", "nav-weight"];

/// Notes every plugin that may make or remove pages as a blocker, and returns the redirects that the `redirects`
/// plugin holds.
pub(super) fn judge(builder: &mut Builder<'_>, config: &mut Config) -> Vec<(String, String)> {
    let mut redirects = Vec::new();
    let plugins = list(config);
    let tree = builder.tree;
    let mut places = Places::new(tree.text(&config.file).unwrap_or_default());
    places.next("plugins");
    for (name, options) in plugins {
        let place = places.next(&name);
        let short = name.strip_prefix("material/").unwrap_or(&name);
        if options.get("enabled").and_then(Value::as_bool) == Some(false) {
            continue;
        }
        match short {
            "redirects" => redirects.extend(redirect_maps(&options)),
            "offline" => config.directory_urls = false,
            _ if HARMLESS.contains(&short) => {}
            "tags" => {} // Its index is a page of the folder.
            _ if ORDERING.contains(&short) => {
                builder
                    .note(format!("the plugin {name} orders the navigation, so the order here may differ"));
            }
            _ => may_make_pages(builder, &config.file, place, &format!("the plugin {name}"), short),
        }
    }
    hooks(builder, config);
    redirects
}

/// The plugins with their options.
fn list(config: &Config) -> Vec<(String, Value)> {
    match config.root.get("plugins") {
        Some(Value::Array(items)) => items.iter().flat_map(named).collect(),
        Some(Value::Object(map)) => map.iter().map(|(name, value)| (name.clone(), value.clone())).collect(),
        _ => Vec::new(),
    }
}

/// Where the blog plugin looks for posts, below `docs_dir`.
pub(super) fn posts_folder(config: &Config) -> Option<String> {
    let (_, options) =
        list(config).into_iter().find(|(name, _)| matches!(name.as_str(), "blog" | "material/blog"))?;
    let text = |key: &str| options.get(key).and_then(Value::as_str).map(str::to_owned);
    let blog = text("blog_dir").unwrap_or_else(|| "blog".to_owned());
    let posts = text("post_dir").unwrap_or_else(|| "{blog}/posts".to_owned()).replace("{blog}", &blog);
    join("", &posts)
}

fn may_make_pages(builder: &mut Builder<'_>, file: &str, place: Place, who: &str, short: &str) {
    let what = match short {
        "blog" => "makes posts' addresses from their dates, and lists of them",
        "gen-files" | "api-autonav" | "autoapi" | "mkdocs-autoapi" => "makes pages when it runs",
        "monorepo" | "multirepo" => "takes in other folders",
        "i18n" => "builds the site once for each language",
        "exclude" => "removes pages by patterns of its own",
        "mike" => "builds the site once for each version",
        _ => "may make or remove pages",
    };
    builder.block(BlockerKind::NeedsRunning, file, Some(place), format!("{who} {what}"));
}

/// Scripts that MkDocs runs, which may do anything.
fn hooks(builder: &mut Builder<'_>, config: &Config) {
    let Some(Value::Array(hooks)) = config.root.get("hooks") else { return };
    let tree = builder.tree;
    let mut places = Places::new(tree.text(&config.file).unwrap_or_default());
    places.next("hooks");
    for hook in hooks.iter().filter_map(Value::as_str) {
        let place = places.next(hook);
        may_make_pages(builder, &config.file, place, &format!("the hook {hook}"), "");
    }
}

fn named(item: &Value) -> Vec<(String, Value)> {
    match item {
        Value::String(name) => vec![(name.clone(), Value::Null)],
        Value::Object(map) => map.iter().map(|(name, value)| (name.clone(), value.clone())).collect(),
        _ => Vec::new(),
    }
}

fn redirect_maps(options: &Value) -> Vec<(String, String)> {
    let Some(Value::Object(map)) = options.get("redirect_maps") else { return Vec::new() };
    map.iter().filter_map(|(from, to)| Some((from.clone(), to.as_str()?.to_owned()))).collect()
}

//! `docusaurus.config`: which content plugins there are, and with which options.

use wholesite_address::{LineIndex, Place};

use super::Build;
use crate::BlockerKind;
use crate::js::{Js, Module, Node};
use crate::paths::{base_path, join};
use crate::tree::Tree;

/// Plugins and themes that make no page of documentation.
const HARMLESS: &[&str] = &[
    "@docusaurus/plugin-sitemap",
    "@docusaurus/plugin-google-gtag",
    "@docusaurus/plugin-google-analytics",
    "@docusaurus/plugin-google-tag-manager",
    "@docusaurus/plugin-vercel-analytics",
    "@docusaurus/plugin-ideal-image",
    "@docusaurus/plugin-pwa",
    "@docusaurus/plugin-debug",
    "@docusaurus/plugin-svgr",
    "@docusaurus/plugin-rsdoctor",
    "@docusaurus/plugin-css-cascade-layers",
    "docusaurus-plugin-sass",
    "docusaurus-plugin-llms",
    "docusaurus-plugin-llms-txt",
    "@signalwire/docusaurus-plugin-llms-txt",
    "docusaurus-plugin-image-zoom",
    "docusaurus-plugin-hotjar",
    "docusaurus-plugin-matomo",
    "docusaurus-plugin-plausible",
    "posthog-docusaurus",
    "@docusaurus/theme-classic",
    "@docusaurus/theme-mermaid",
    "@docusaurus/theme-live-codeblock",
];

/// Presets that are the classic one.
const CLASSIC: &[&str] = &["classic", "@docusaurus/preset-classic", "@docusaurus/classic"];

/// The configuration, as far as it is written out.
#[derive(Debug, Default)]
pub(super) struct Config {
    pub(super) file: String,
    url: Option<String>,
    pub(super) base: String,
    trailing_slash: Option<bool>,
    /// All languages, the default one first.
    locales: Vec<String>,
    pub(super) plugins: Vec<Plugin>,
    pub(super) faults: Vec<(BlockerKind, String, Option<Place>)>,
}

/// A content plugin.
#[derive(Debug)]
pub(super) enum Plugin {
    Docs(Docs),
    Blog(Blog),
    Pages(Content),
    /// Old and new paths, unencoded.
    Redirects(Vec<(String, String)>),
}

/// What all content plugins are told.
#[derive(Debug, Clone)]
pub(super) struct Content {
    pub(super) id: String,
    pub(super) path: String,
    /// The route of its content, with slashes around: `/`, `/docs/`.
    pub(super) route: String,
    /// Globs of the option `exclude`, where it is given.
    pub(super) exclude: Option<Vec<String>>,
}

#[derive(Debug)]
pub(super) struct Docs {
    pub(super) content: Content,
    /// The sidebars file; `None` for the sidebar that Docusaurus makes by itself.
    pub(super) sidebars: Option<String>,
    pub(super) number_prefixes: bool,
    pub(super) include_current: bool,
    pub(super) last_version: Option<String>,
    pub(super) only_versions: Option<Vec<String>>,
    pub(super) versioned: bool,
    /// Routes that the option `versions` gives.
    pub(super) version_routes: Vec<(String, String)>,
    pub(super) tags_route: String,
}

#[derive(Debug)]
pub(super) struct Blog {
    pub(super) content: Content,
    /// Posts on one page of the list; `None` for all.
    pub(super) posts_per_page: Option<usize>,
    pub(super) archive: bool,
}

/// The configuration file.
pub(super) fn file(tree: &Tree) -> Option<String> {
    tree.script("docusaurus.config")
}

impl Config {
    pub(super) fn read(tree: &Tree) -> Config {
        let mut config = Config { locales: vec!["en".to_owned()], ..Config::default() };
        let Some(file) = file(tree) else {
            config.file = "docusaurus.config.js".to_owned();
            config.faults.push((
                BlockerKind::ConfigMissing,
                "there is no docusaurus.config".to_owned(),
                None,
            ));
            return config;
        };
        config.file = file;
        let text = tree.text(&config.file).unwrap_or_default();
        let root = Module::read(text).exported();
        let Some(root) = root.filter(|root| matches!(root.value, Js::Object { .. })) else {
            let message = "the configuration is computed: only running it would tell what it says".to_owned();
            config.faults.push((BlockerKind::NeedsRunning, message, None));
            return config;
        };
        Reader { config, lines: LineIndex::new(text), tree }.read(&root)
    }

    /// Where the site is served, as configured.
    pub(super) fn site_url(&self) -> Option<String> {
        let url = self.url.as_deref()?.trim_end_matches('/');
        Some(format!("{url}{}/", self.base))
    }

    /// One for each language.
    pub(super) fn builds(&self) -> Vec<Build> {
        let of = |(at, locale): (usize, &String)| Build {
            locale: (at > 0).then(|| locale.clone()),
            trailing_slash: self.trailing_slash,
            cause: self.file.clone(),
        };
        self.locales.iter().enumerate().map(of).collect()
    }
}

struct Reader<'t> {
    config: Config,
    lines: LineIndex<'t>,
    tree: &'t Tree,
}

impl Reader<'_> {
    fn fault(&mut self, at: &Node, message: String) {
        let place = self.lines.place(at.at);
        self.config.faults.push((BlockerKind::NeedsRunning, message, Some(place)));
    }

    fn read(mut self, root: &Node) -> Config {
        if let Js::Object { open: true, .. } = root.value {
            self.fault(root, "the configuration takes in fields from elsewhere".to_owned());
        }
        for key in ["baseUrl", "trailingSlash", "i18n", "presets", "plugins"] {
            if let Some(node) = root.value.get(key)
                && node.value == Js::Computed
            {
                self.fault(node, format!("{key} is computed: only running the configuration would tell"));
            }
        }
        let get = |path: &[&str]| root.value.find(path).map(|node| &node.value);
        self.config.url = get(&["url"]).and_then(Js::text).map(str::to_owned);
        self.config.base = get(&["baseUrl"]).and_then(Js::text).map(base_path).unwrap_or_default();
        self.config.trailing_slash = get(&["trailingSlash"]).and_then(Js::flag);
        let default = get(&["i18n", "defaultLocale"]).and_then(Js::text).unwrap_or("en").to_owned();
        let others = get(&["i18n", "locales"]).map(Js::items).unwrap_or_default();
        let others = others.iter().filter_map(|node| node.value.text()).filter(|locale| *locale != default);
        self.config.locales = std::iter::once(default.clone()).chain(others.map(str::to_owned)).collect();
        for preset in root.value.get("presets").map(|node| node.value.items()).unwrap_or_default() {
            self.preset(preset);
        }
        for plugin in root.value.get("plugins").map(|node| node.value.items()).unwrap_or_default() {
            self.plugin(plugin);
        }
        for theme in root.value.get("themes").map(|node| node.value.items()).unwrap_or_default() {
            let (name, _) = named(theme);
            let known =
                name.as_deref().is_some_and(|name| HARMLESS.contains(&name) || name.contains("search"));
            if !known {
                let name = name.unwrap_or_else(|| "a computed theme".to_owned());
                self.fault(theme, format!("the theme {name} may make pages of its own"));
            }
        }
        self.config
    }

    fn preset(&mut self, preset: &Node) {
        let (name, options) = named(preset);
        match name.as_deref() {
            Some(name) if CLASSIC.contains(&name) => {}
            Some(name) => return self.fault(preset, format!("the preset {name} may make pages of its own")),
            None => return self.fault(preset, "a computed preset may make pages of its own".to_owned()),
        }
        let options = options.map_or(&Js::Null, |options| &options.value);
        if *options == Js::Computed || matches!(options, Js::Object { open: true, .. }) {
            self.fault(preset, "options of the classic preset are computed".to_owned());
        }
        let part = |key: &str| options.get(key);
        for key in ["docs", "blog", "pages"] {
            match part(key) {
                Some(Node { value: Js::Flag(false), .. }) => {}
                Some(node) if node.value == Js::Computed => {
                    self.fault(node, format!("the options of {key} are computed"));
                }
                node => self.content_plugin(key, node.map_or(&Js::Null, |node| &node.value), preset),
            }
        }
    }

    fn plugin(&mut self, plugin: &Node) {
        if matches!(plugin.value, Js::Null | Js::Flag(false)) {
            return;
        }
        let (name, options) = named(plugin);
        let Some(name) = name else {
            return self.fault(plugin, "a plugin written in code may make pages of its own".to_owned());
        };
        let options = options.map_or(&Js::Null, |options| &options.value);
        let short = name.strip_prefix("@docusaurus/plugin-").unwrap_or(&name);
        match short {
            "content-docs" => self.content_plugin("docs", options, plugin),
            "content-blog" => self.content_plugin("blog", options, plugin),
            "content-pages" => self.content_plugin("pages", options, plugin),
            "client-redirects" => self.redirects(options),
            _ if HARMLESS.contains(&name.as_str()) || name.contains("search") => {}
            _ => self.fault(plugin, format!("the plugin {name} may make pages of its own")),
        }
    }

    fn content_plugin(&mut self, key: &str, options: &Js, at: &Node) {
        if let Js::Object { fields, .. } = options {
            for (name, node) in fields {
                let decides =
                    ["path", "routeBasePath", "include", "exclude", "versions", "onlyIncludeVersions"];
                if node.value == Js::Computed && decides.contains(&name.as_str()) {
                    self.fault(node, format!("{name} of {key} is computed"));
                }
                if name == "include" && node.value != Js::Computed {
                    self.fault(node, format!("{key} says which files to include, which is not read here"));
                }
            }
        }
        if *options == Js::Computed {
            self.fault(at, format!("the options of {key} are computed"));
        }
        let text = |name: &str| options.get(name).and_then(|node| node.value.text()).map(str::to_owned);
        let default_path = if key == "pages" { "src/pages" } else { key };
        let default_route = if key == "pages" { "/" } else { key };
        let content = Content {
            id: text("id").unwrap_or_else(|| "default".to_owned()),
            path: text("path").and_then(|path| join("", &path)).unwrap_or_else(|| default_path.to_owned()),
            route: route(&text("routeBasePath").unwrap_or_else(|| default_route.to_owned())),
            exclude: options.get("exclude").map(|node| strings(&node.value)),
        };
        let plugin = match key {
            "docs" => Plugin::Docs(self.docs(content, options)),
            "blog" => Plugin::Blog(Blog {
                posts_per_page: posts_per_page(options),
                archive: !matches!(options.get("archiveBasePath"), Some(Node { value: Js::Null, .. })),
                content,
            }),
            _ => Plugin::Pages(content),
        };
        self.config.plugins.push(plugin);
    }

    fn docs(&mut self, content: Content, options: &Js) -> Docs {
        let text = |name: &str| options.get(name).and_then(|node| node.value.text()).map(str::to_owned);
        let flag = |name: &str| options.get(name).and_then(|node| node.value.flag());
        let sidebars = text("sidebarPath").and_then(|path| join("", &path));
        if let Some(path) = sidebars.as_ref().filter(|path| !self.tree.has(path)) {
            let message = format!("the sidebars file {path} is not in the folder");
            self.config.faults.push((BlockerKind::Outside, message, None));
        }
        if let Some(node) = options.get("numberPrefixParser")
            && node.value == Js::Computed
        {
            self.fault(node, "numberPrefixParser is a function, and addresses depend on it".to_owned());
        }
        let versions = options.get("versions").map(|node| &node.value);
        let version_routes = match versions {
            Some(Js::Object { fields, .. }) => fields
                .iter()
                .filter_map(|(version, node)| {
                    Some((version.clone(), node.value.get("path")?.value.text()?.to_owned()))
                })
                .collect(),
            _ => Vec::new(),
        };
        Docs {
            sidebars,
            number_prefixes: flag("numberPrefixParser").unwrap_or(true),
            include_current: flag("includeCurrentVersion").unwrap_or(true),
            last_version: text("lastVersion"),
            only_versions: options.get("onlyIncludeVersions").map(|node| strings(&node.value)),
            versioned: flag("disableVersioning") != Some(true),
            version_routes,
            tags_route: text("tagsBasePath").unwrap_or_else(|| "tags".to_owned()),
            content,
        }
    }

    fn redirects(&mut self, options: &Js) {
        let mut rules = Vec::new();
        for rule in options.get("redirects").map(|node| node.value.items()).unwrap_or_default() {
            let (Some(from), Some(to)) =
                (rule.value.get("from"), rule.value.get("to").and_then(|to| to.value.text()))
            else {
                continue;
            };
            let from = match &from.value {
                Js::Text(from) => vec![from.clone()],
                from => strings(from),
            };
            rules.extend(from.into_iter().map(|from| (from, to.to_owned())));
        }
        self.config.plugins.push(Plugin::Redirects(rules));
    }
}

/// `name` or `[name, options]`.
fn named(node: &Node) -> (Option<String>, Option<&Node>) {
    match &node.value {
        Js::Text(name) => (Some(name.clone()), None),
        Js::Array(items) => {
            (items.first().and_then(|name| name.value.text()).map(str::to_owned), items.get(1))
        }
        _ => (None, None),
    }
}

fn strings(value: &Js) -> Vec<String> {
    value.items().iter().filter_map(|node| node.value.text()).map(str::to_owned).collect()
}

/// A route with slashes around.
pub(super) fn route(text: &str) -> String {
    match text.trim_matches('/') {
        "" => "/".to_owned(),
        inner => format!("/{inner}/"),
    }
}

fn posts_per_page(options: &Js) -> Option<usize> {
    match options.get("postsPerPage").map(|node| &node.value) {
        Some(Js::Number(count)) if *count >= 1.0 => Some(*count as usize),
        Some(Js::Text(text)) if text == "ALL" => None,
        _ => Some(10),
    }
}

//! `astro.config`: site, base, languages, sidebar, redirects, and who else may make pages.

use wholesite_address::{LineIndex, Place};

use crate::BlockerKind;
use crate::js::{Js, Module, Node, calls_in};
use crate::paths::{base_path, encode};
use crate::tree::Tree;

/// Integrations of Astro and plugins of Starlight that make no page of documentation.
const HARMLESS: &[&str] = &[
    "starlight",
    "react",
    "preact",
    "vue",
    "svelte",
    "solid",
    "solidJs",
    "lit",
    "alpinejs",
    "tailwind",
    "sitemap",
    "mdx",
    "markdoc",
    "partytown",
    "icon",
    "compress",
    "expressiveCode",
    "mermaid",
    "starlightLinksValidator",
    "starlightImageZoom",
    "starlightLlmsTxt",
    "starlightThemeRapide",
    "starlightHeadingBadges",
    "starlightDocSearch",
    "starlightSidebarTopics",
    "starlightScrollToTop",
    "starlightKbd",
    "starlightMarkdown",
];

/// The configuration, as far as it is written out.
#[derive(Debug, Default)]
pub(super) struct Config {
    pub(super) file: String,
    site: Option<String>,
    pub(super) base: String,
    slash: Slash,
    /// Folders of languages; the default one is empty where it lies at the root.
    pub(super) locales: Vec<String>,
    pub(super) default_locale: String,
    pub(super) sidebar: Option<Node>,
    pub(super) redirects: Vec<(String, String)>,
    pub(super) faults: Vec<(BlockerKind, String, Option<Place>)>,
}

/// How addresses end.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum Slash {
    #[default]
    Always,
    Never,
    Html,
}

impl Config {
    pub(super) fn read(tree: &Tree) -> Config {
        let mut config = Config::default();
        let Some(file) = tree.script("astro.config") else {
            config.file = "astro.config.mjs".to_owned();
            config.faults.push((BlockerKind::ConfigMissing, "there is no astro.config".to_owned(), None));
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
        let lines = LineIndex::new(text);
        config.take_astro(&root.value);
        for key in ["integrations", "plugins"] {
            for (name, at) in calls_in(text, key) {
                if !HARMLESS.contains(&name.as_str()) {
                    let message = format!("{name} of {key} may make pages of its own");
                    config.faults.push((BlockerKind::NeedsRunning, message, Some(lines.place(at))));
                }
            }
        }
        let integrations = root.value.get("integrations").map(|node| node.value.items()).unwrap_or_default();
        // Only Starlight's options are written out as an object with a title; other integrations stay computed.
        match integrations.iter().find(|node| node.value.get("title").is_some()) {
            Some(starlight) => config.take_starlight(&starlight.value, &lines),
            None => {
                let message = "the options of Starlight are computed: languages and sidebar are not known";
                let place = root.value.get("integrations").map(|node| lines.place(node.at));
                config.faults.push((BlockerKind::NeedsRunning, message.to_owned(), place));
            }
        }
        config
    }

    fn take_astro(&mut self, root: &Js) {
        let text = |path: &[&str]| root.find(path).and_then(|node| node.value.text());
        self.site = text(&["site"]).map(|site| site.trim_end_matches('/').to_owned());
        self.base = text(&["base"]).map(base_path).unwrap_or_default();
        self.slash = match (text(&["build", "format"]), text(&["trailingSlash"])) {
            (Some("file"), _) => Slash::Html,
            (_, Some("never")) => Slash::Never,
            _ => Slash::Always,
        };
        if let Some(Js::Object { fields, .. }) = root.get("redirects").map(|node| &node.value) {
            for (from, to) in fields {
                let target = to.value.text().or_else(|| to.value.get("destination")?.value.text());
                self.redirects.extend(target.map(|target| (from.clone(), target.to_owned())));
            }
        }
    }

    fn take_starlight(&mut self, options: &Js, lines: &LineIndex<'_>) {
        self.sidebar = options.get("sidebar").filter(|node| matches!(node.value, Js::Array(_))).cloned();
        match options.get("locales") {
            Some(Node { value: Js::Object { fields, open: false }, .. }) => {
                self.locales =
                    fields.iter().map(|(name, _)| name.clone()).filter(|name| name != "root").collect();
                let has_root = fields.iter().any(|(name, _)| name == "root");
                let default = options.get("defaultLocale").and_then(|node| node.value.text());
                self.default_locale = match default {
                    Some(locale) if !has_root && locale != "root" => locale.to_owned(),
                    _ => String::new(),
                };
            }
            Some(node) => {
                let message = "locales is computed, and every language has a copy of every page".to_owned();
                self.faults.push((BlockerKind::NeedsRunning, message, Some(lines.place(node.at))));
            }
            None => {}
        }
    }

    /// Where the site is served, as configured.
    pub(super) fn site_url(&self) -> Option<String> {
        Some(format!("{}{}/", self.site.as_deref()?, self.base))
    }

    /// The address of a slug.
    pub(super) fn address(&self, slug: &str) -> String {
        let path = match (slug, self.slash) {
            ("", _) => "/".to_owned(),
            (slug, Slash::Always) => format!("/{slug}/"),
            (slug, Slash::Never) => format!("/{slug}"),
            (slug, Slash::Html) => format!("/{slug}.html"),
        };
        encode(&path)
    }
}

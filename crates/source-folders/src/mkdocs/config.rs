//! `mkdocs.yml` and the configurations it inherits from.

use serde_json::{Map, Value};
use wholesite_address::{LineIndex, Place};

use crate::BlockerKind;
use crate::paths::{base_of_url, folder_of, join};
use crate::tree::{Content, Tree};

/// Chains of `INHERIT` are followed this far.
const CHAIN: usize = 8;

/// Keys whose value decides what pages there are. One that carries a tag (`!ENV`) depends on the environment.
const DECISIVE: &[&str] = &["docs_dir", "use_directory_urls", "nav", "exclude_docs", "draft_docs", "plugins"];

/// The configuration, merged.
#[derive(Debug, Default)]
pub(super) struct Config {
    pub(super) file: String,
    /// The file of the chain that holds the navigation.
    pub(super) nav_file: String,
    pub(super) root: Map<String, Value>,
    pub(super) docs_dir: String,
    pub(super) directory_urls: bool,
    pub(super) site_url: Option<String>,
    pub(super) faults: Vec<(BlockerKind, String, Option<Place>)>,
}

/// The configuration file and those it inherits from, as far as they are known.
pub(super) fn chain(tree: &Tree) -> Vec<String> {
    let mut files = Vec::new();
    let mut next = tree.first_of("", &["mkdocs.yml", "mkdocs.yaml"]);
    while let Some(path) = next.take() {
        if files.len() == CHAIN || files.contains(&path) {
            break;
        }
        next = tree.text(&path).and_then(inherit).and_then(|to| join(folder_of(&path), &to));
        next = next.filter(|path| tree.has(path));
        files.push(path);
    }
    files
}

fn inherit(text: &str) -> Option<String> {
    let line = text.lines().find_map(|line| line.strip_prefix("INHERIT:"))?;
    Some(line.split(" #").next()?.trim().trim_matches(['"', '\'']).to_owned())
}

impl Config {
    pub(super) fn read(tree: &Tree) -> Config {
        let files = chain(tree);
        let mut config = Config {
            file: files.first().cloned().unwrap_or_else(|| "mkdocs.yml".to_owned()),
            directory_urls: true,
            ..Config::default()
        };
        if files.is_empty() {
            config.fault(BlockerKind::ConfigMissing, "there is no mkdocs.yml here".to_owned(), None);
        }
        config.nav_file.clone_from(&config.file);
        for path in &files {
            config.take(tree, path);
        }
        config.settle();
        config
    }

    fn fault(&mut self, kind: BlockerKind, message: String, place: Option<Place>) {
        self.faults.push((kind, message, place));
    }

    /// Takes one file of the chain; what stands already goes before.
    fn take(&mut self, tree: &Tree, path: &str) {
        let Some(Content::Text(text)) = tree.files.get(path) else { return };
        let value = match serde_saphyr::from_str::<Value>(&without_tags(text)) {
            Ok(value) => value,
            Err(error) => {
                let why = error.to_string().lines().next().unwrap_or_default().to_owned();
                return self.fault(
                    BlockerKind::Invalid,
                    format!("{path} can't be read as YAML: {why}"),
                    None,
                );
            }
        };
        for (line, text) in (1..).zip(text.lines()) {
            let Some((key, rest)) = text.split_once(':') else { continue };
            if DECISIVE.contains(&key) && rest.trim_start().starts_with('!') {
                let message = format!("{key} depends on the environment ({})", rest.trim());
                self.fault(BlockerKind::NeedsRunning, message, Some(Place { line, column: 1 }));
            }
        }
        if let Some(to) = inherit(text) {
            let parent = join(folder_of(path), &to).filter(|parent| tree.has(parent));
            if parent.is_none() {
                let at = text.find("INHERIT:").map(|at| LineIndex::new(text).place(at));
                let message = format!("it inherits from {to}, which is not in the folder");
                self.fault(BlockerKind::Outside, message, at);
            }
        }
        let Value::Object(map) = value else { return };
        if !self.root.contains_key("nav") && map.contains_key("nav") {
            self.nav_file = path.to_owned();
        }
        merge(&mut self.root, map);
    }

    fn settle(&mut self) {
        let text = |key: &str| self.root.get(key).and_then(Value::as_str).map(str::to_owned);
        let docs_dir = text("docs_dir").unwrap_or_else(|| "docs".to_owned());
        self.site_url = text("site_url").filter(|url| url.contains("://"));
        if let Some(flag) = self.root.get("use_directory_urls").and_then(Value::as_bool) {
            self.directory_urls = flag;
        }
        match join(folder_of(&self.file), &docs_dir) {
            Some(folder) => self.docs_dir = folder,
            None => {
                self.docs_dir = "docs".to_owned();
                let message = format!("docs_dir {docs_dir:?} leads out of the folder");
                self.fault(BlockerKind::Outside, message, None);
            }
        }
    }

    pub(super) fn base_path(&self) -> String {
        self.site_url.as_deref().map(base_of_url).unwrap_or_default()
    }
}

/// Merges mappings one level down at a time; what stands in `own` goes before. Lists are not merged, as in MkDocs.
fn merge(own: &mut Map<String, Value>, inherited: Map<String, Value>) {
    for (key, value) in inherited {
        match (own.get_mut(&key), value) {
            (None, value) => {
                own.insert(key, value);
            }
            (Some(Value::Object(own)), Value::Object(inherited)) => {
                for (key, value) in inherited {
                    own.entry(key).or_insert(value);
                }
            }
            (Some(_), _) => {}
        }
    }
}

/// YAML without its tags: `!ENV NAME` and `!!python/name:a.b` name things that only Python knows. The value stays.
fn without_tags(text: &str) -> String {
    let mut kept = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        let Some(at) = tag_start(line) else {
            kept.push_str(line);
            continue;
        };
        let tag = &line[at..];
        let end = tag.find(char::is_whitespace).unwrap_or(tag.len());
        kept.push_str(&line[..at]);
        kept.push_str(&tag[end..]);
    }
    kept
}

/// Where a tag stands that begins a value: after `: `, `- `, or `[`.
fn tag_start(line: &str) -> Option<usize> {
    if line.trim_start().starts_with('#') {
        return None;
    }
    let marks = [": !", "- !", "[!"];
    let at = marks.iter().filter_map(|mark| line.find(mark).map(|at| at + mark.len() - 1)).min()?;
    let quoted = line[..at].matches(['"', '\'']).count() % 2 == 1;
    (!quoted).then_some(at)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_go_and_values_stay() {
        let text = "a: !ENV [X, 'y']\nb: !!python/name:x.y\nc: \"z: !no\"\n- !ENV Q\nd: |\n  !keep\n";
        let expected = "a:  [X, 'y']\nb: \nc: \"z: !no\"\n-  Q\nd: |\n  !keep\n";
        assert_eq!(without_tags(text), expected);
    }
}

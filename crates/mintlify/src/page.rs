//! What is kept of a page file: front matter facts and the files it imports. Its body is not kept.

use std::fmt;

use serde::de::{Deserialize, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};

use crate::slug::{folder_of, is_markdown, is_web_url, normalize};

/// Front matter longer than this is read line by line instead of as YAML. (Real ones have under 10 kB.)
const YAML_LIMIT: usize = 64 * 1024;

/// The facts of one page or snippet.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct PageFacts {
    pub(crate) title: Option<String>,
    pub(crate) hidden: Option<bool>,
    pub(crate) noindex: bool,
    pub(crate) deprecated: bool,
    pub(crate) external_url: Option<String>,
    pub(crate) api: Option<String>,
    pub(crate) restricted: bool,
    /// Markdown files it imports: paths below the docs root, lower-cased as Mintlify compares them.
    pub(crate) imports: Vec<String>,
    /// Why the front matter could not be read as YAML.
    pub(crate) fault: Option<String>,
}

/// Reads the facts of the file at `path`.
pub(crate) fn read(path: &str, text: &str) -> PageFacts {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let (front_matter, body) = split(text);
    let (fields, fault) = match front_matter {
        Some(yaml) => Fields::read(yaml),
        None => (Fields::default(), None),
    };
    PageFacts {
        title: fields.title.text(),
        hidden: fields.hidden.flag(),
        noindex: fields.noindex.flag().unwrap_or(false),
        deprecated: fields.deprecated.flag().unwrap_or(false),
        external_url: fields.url.text().filter(|url| is_web_url(url)),
        api: [fields.openapi, fields.api, fields.asyncapi].into_iter().find_map(Scalar::text),
        restricted: matches!(fields.groups, Scalar::Many(true) | Scalar::Text(_)),
        imports: imports(path, body),
        fault,
    }
}

/// Parts a text into the YAML between `---` lines at its very start, and the rest.
fn split(text: &str) -> (Option<&str>, &str) {
    let is_mark = |line: &str| line.trim_end() == "---";
    let mut lines = text.split_inclusive('\n');
    let Some(first) = lines.next().filter(|first| is_mark(first)) else { return (None, text) };
    let mut at = first.len();
    for line in lines {
        if is_mark(line) {
            return (Some(&text[first.len()..at]), &text[at + line.len()..]);
        }
        at += line.len();
    }
    (None, text)
}

/// The keys that matter.
#[derive(Debug, Default, serde::Deserialize)]
#[serde(default)]
struct Fields {
    title: Scalar,
    hidden: Scalar,
    noindex: Scalar,
    deprecated: Scalar,
    url: Scalar,
    openapi: Scalar,
    api: Scalar,
    asyncapi: Scalar,
    groups: Scalar,
}

impl Fields {
    /// Reads YAML; text that is none is read line by line, so that a stray colon does not lose the title.
    fn read(yaml: &str) -> (Fields, Option<String>) {
        if yaml.trim().is_empty() {
            return (Fields::default(), None);
        }
        let why = if yaml.len() > YAML_LIMIT {
            "the front matter is too long".to_owned()
        } else {
            match serde_saphyr::from_str(yaml) {
                Ok(fields) => return (fields, None),
                // The first line says what; a picture of the place follows it.
                Err(error) => error.to_string().lines().next().unwrap_or_default().to_owned(),
            }
        };
        (Fields::by_line(yaml), Some(why))
    }

    fn by_line(yaml: &str) -> Fields {
        let mut fields = Fields::default();
        for line in yaml.lines() {
            let Some((key, value)) = line.split_once(':') else { continue };
            let slot = match key {
                "title" => &mut fields.title,
                "hidden" => &mut fields.hidden,
                "noindex" => &mut fields.noindex,
                "deprecated" => &mut fields.deprecated,
                "url" => &mut fields.url,
                "openapi" => &mut fields.openapi,
                "api" => &mut fields.api,
                "asyncapi" => &mut fields.asyncapi,
                "groups" => &mut fields.groups,
                _ => continue,
            };
            *slot = Scalar::plain(value.trim());
        }
        fields
    }
}

/// A value of the front matter, as far as it matters.
#[derive(Debug, Default, PartialEq, Eq)]
enum Scalar {
    #[default]
    Null,
    Flag(bool),
    Text(String),
    /// A list or mapping; whether it has elements.
    Many(bool),
}

impl Scalar {
    fn plain(value: &str) -> Scalar {
        let unquoted = ['"', '\''].iter().find_map(|quote| value.strip_prefix(*quote)?.strip_suffix(*quote));
        match (unquoted, value) {
            (Some(text), _) => Scalar::Text(text.to_owned()),
            (None, "") => Scalar::Null,
            (None, "true") => Scalar::Flag(true),
            (None, "false") => Scalar::Flag(false),
            (None, text) => Scalar::Text(text.to_owned()),
        }
    }

    fn text(self) -> Option<String> {
        match self {
            Scalar::Text(text) if !text.trim().is_empty() => Some(text.trim().to_owned()),
            Scalar::Flag(flag) => Some(flag.to_string()),
            _ => None,
        }
    }

    /// A quoted `"true"` is meant as one.
    fn flag(&self) -> Option<bool> {
        match self {
            Scalar::Flag(flag) => Some(*flag),
            Scalar::Text(text) if text.eq_ignore_ascii_case("true") => Some(true),
            Scalar::Text(text) if text.eq_ignore_ascii_case("false") => Some(false),
            _ => None,
        }
    }
}

impl<'de> Deserialize<'de> for Scalar {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ScalarVisitor)
    }
}

struct ScalarVisitor;

impl<'de> Visitor<'de> for ScalarVisitor {
    type Value = Scalar;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("any value")
    }

    fn visit_bool<E>(self, flag: bool) -> Result<Scalar, E> {
        Ok(Scalar::Flag(flag))
    }

    fn visit_i64<E>(self, number: i64) -> Result<Scalar, E> {
        Ok(Scalar::Text(number.to_string()))
    }

    fn visit_u64<E>(self, number: u64) -> Result<Scalar, E> {
        Ok(Scalar::Text(number.to_string()))
    }

    fn visit_f64<E>(self, number: f64) -> Result<Scalar, E> {
        Ok(Scalar::Text(number.to_string()))
    }

    fn visit_str<E>(self, text: &str) -> Result<Scalar, E> {
        Ok(Scalar::Text(text.to_owned()))
    }

    fn visit_unit<E>(self) -> Result<Scalar, E> {
        Ok(Scalar::Null)
    }

    fn visit_none<E>(self) -> Result<Scalar, E> {
        Ok(Scalar::Null)
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<Scalar, D::Error> {
        Scalar::deserialize(deserializer)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Scalar, A::Error> {
        let mut some = false;
        while list.next_element::<IgnoredAny>()?.is_some() {
            some = true;
        }
        Ok(Scalar::Many(some))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Scalar, A::Error> {
        let mut some = false;
        while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {
            some = true;
        }
        Ok(Scalar::Many(some))
    }
}

/// The Markdown files a body imports. What counts was measured on Mintlify's own scanner: a line outside fences that
/// begins with `import`, at its first column, with the path on the same line. (So an import list over several lines
/// makes no snippet of its file, and one in a comment does.)
fn imports(path: &str, body: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut fence: Option<&str> = None;
    for line in body.lines() {
        if let Some(run) = fence_run(line) {
            match fence {
                None => fence = Some(run),
                Some(open) if run.starts_with(open) && line.trim() == run => fence = None,
                Some(_) => {}
            }
        } else if fence.is_none() && line.starts_with("import") {
            import_paths(line, |target| found.extend(resolve(path, target)));
        }
    }
    found
}

/// The run of back ticks or tildes that opens or closes a fence on this line.
fn fence_run(line: &str) -> Option<&str> {
    let text = line.trim_start();
    let mark = text.chars().next().filter(|mark| matches!(mark, '`' | '~'))?;
    let rest = text.trim_start_matches(mark);
    let run = &text[..text.len() - rest.len()];
    (run.len() >= 3 && !(mark == '`' && rest.contains('`'))).then_some(run)
}

/// Calls back with the path of every `import … from "path"` and `import "path"` of a line.
fn import_paths<'l>(line: &'l str, mut found: impl FnMut(&'l str)) {
    for statement in line.split(';') {
        let Some(rest) = statement.trim_start().strip_prefix("import") else { continue };
        if !rest.starts_with(|next: char| next.is_whitespace() || matches!(next, '"' | '\'' | '{' | '*')) {
            continue;
        }
        let Some(open) = rest.find(['"', '\'']) else { continue };
        let before = rest[..open].trim();
        let quoted = &rest[open + 1..];
        let Some(close) = quoted.find(&rest[open..=open]) else { continue };
        if before.is_empty() || before.ends_with("from") {
            found(&quoted[..close]);
        }
    }
}

/// An import path as a path below the docs root, lower-cased; `None` for packages and for files that are not Markdown.
fn resolve(importer: &str, target: &str) -> Option<String> {
    if !is_markdown(target) {
        return None;
    }
    let path = match target.strip_prefix('/') {
        Some(absolute) => normalize(absolute),
        None if target.starts_with("./") || target.starts_with("../") => {
            normalize(&format!("{}/{target}", folder_of(importer)))
        }
        None => return None,
    };
    Some(path.to_lowercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn front_matter_gives_facts() {
        let page = "---\ntitle: 'A \"b\"'\nhidden: true\nnoindex: \"true\"\nurl: https://other.example/x\ntags: [a, {b: c}]\n---\nbody";
        let facts = read("a.mdx", page);
        assert_eq!(facts.title.as_deref(), Some("A \"b\""));
        assert_eq!((facts.hidden, facts.noindex), (Some(true), true));
        assert_eq!(facts.external_url.as_deref(), Some("https://other.example/x"));
        assert_eq!(facts.fault, None);
    }

    #[test]
    fn broken_front_matter_still_has_its_lines() {
        let facts = read("a.mdx", "---\ntitle: Guide: part two\nhidden: true\n bad: [\n---\n");
        assert_eq!(facts.title.as_deref(), Some("Guide: part two"));
        assert_eq!(facts.hidden, Some(true));
        assert!(facts.fault.is_some());
        for text in [
            "",
            "---",
            "---\n",
            "---\n---",
            "text\n---\ntitle: x\n---",
            "---\n- a\n---\n",
            "---\ntitle: 3\n---",
        ] {
            let facts = read("a.mdx", text);
            assert!(facts.title.is_none() || facts.title.as_deref() == Some("3"), "{text:?}");
        }
        let deep = format!("---\na: {}\ntitle: T\n---\n", "[".repeat(20_000));
        assert_eq!(read("a.mdx", &deep).title.as_deref(), Some("T"));
    }

    #[test]
    fn imports_are_found_where_mintlify_finds_them() {
        let cases = [
            ("import A from \"/parts/a.mdx\"", &["parts/a.mdx"][..]),
            ("import {A, B} from '/Parts/A.md';", &["parts/a.md"]),
            ("import A from './a.mdx'; import B from \"../b.mdx\";", &["guide/a.mdx", "b.mdx"]),
            ("import * as A from \"../../a.mdx\" // why", &["a.mdx"]),
            ("import \"/a.mdx\"", &["a.mdx"]),
            ("text\nimport A from \"/a.mdx\"\n", &["a.mdx"]),
            ("{/*\nimport A from \"/a.mdx\"\n*/}", &["a.mdx"]),
            ("  import A from \"/a.mdx\"", &[]),
            ("import {\n  A,\n} from \"/a.mdx\"", &[]),
            ("import A from \"parts/a.mdx\"", &[]),
            ("import A from \"/a.jsx\"", &[]),
            ("import A from \"/a\"", &[]),
            ("importing \"/a.mdx\" is easy", &[]),
            ("- x\n  ~~~js\nimport A from \"/a.mdx\"\n  ~~~\n", &[]),
            ("````\n```\nimport A from \"/a.mdx\"\n````\nimport B from \"/b.mdx\"", &["b.mdx"]),
            ("```js\nimport A from \"/a.mdx\"\n``` js\nimport B from \"/b.mdx\"", &[]),
        ];
        for (body, expected) in cases {
            assert_eq!(read("guide/x.mdx", body).imports, expected, "{body}");
        }
    }
}

//! What is kept of a page file: its front matter and its first heading.

use serde_json::{Map, Value};

use crate::sphinx::Toctree;

/// Front matter longer than this is not read as YAML. (Real ones have under 10 kB.)
const YAML_LIMIT: usize = 64 * 1024;

/// The facts of one page file.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Facts {
    pub(crate) front: Map<String, Value>,
    /// Text of the first heading of level one.
    pub(crate) heading: Option<String>,
    /// Why the front matter could not be read.
    pub(crate) fault: Option<String>,
    /// Tables of contents within the page (Sphinx).
    pub(crate) toctrees: Vec<Toctree>,
}

impl Facts {
    /// Reads a Markdown file.
    pub(crate) fn markdown(text: &str) -> Facts {
        let (yaml, body) = split(text);
        let (front, fault) = match yaml {
            Some(yaml) => front_matter(yaml),
            None => (Map::new(), None),
        };
        Facts { front, heading: first_heading(body), fault, toctrees: Vec::new() }
    }

    /// A text field of the front matter; numbers and dates count as text.
    pub(crate) fn text(&self, key: &str) -> Option<String> {
        match self.front.get(key)? {
            Value::String(text) if !text.trim().is_empty() => Some(text.trim().to_owned()),
            Value::Number(number) => Some(number.to_string()),
            _ => None,
        }
    }

    /// A flag of the front matter.
    pub(crate) fn flag(&self, key: &str) -> Option<bool> {
        match self.front.get(key)? {
            Value::Bool(flag) => Some(*flag),
            Value::String(text) => text.trim().parse().ok(),
            _ => None,
        }
    }

    /// The title that the page gives itself.
    pub(crate) fn title(&self) -> Option<String> {
        self.text("title").or_else(|| self.heading.clone())
    }
}

/// Parts a text into the YAML between `---` lines at its very start, and the rest.
pub(crate) fn split(text: &str) -> (Option<&str>, &str) {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let is_mark = |line: &str| line.trim_end() == "---";
    let mut lines = text.split_inclusive('\n');
    let Some(first) = lines.next().filter(|first| is_mark(first)) else { return (None, text) };
    let mut at = first.len();
    for line in lines {
        if is_mark(line) || line.trim_end() == "..." {
            return (Some(&text[first.len()..at]), &text[at + line.len()..]);
        }
        at += line.len();
    }
    (None, text)
}

fn front_matter(yaml: &str) -> (Map<String, Value>, Option<String>) {
    if yaml.trim().is_empty() {
        return (Map::new(), None);
    }
    if yaml.len() > YAML_LIMIT {
        return (Map::new(), Some("the front matter is too long".to_owned()));
    }
    match serde_saphyr::from_str::<Value>(yaml) {
        Ok(Value::Object(map)) => (map, None),
        Ok(Value::Null) => (Map::new(), None),
        Ok(_) => (by_line(yaml), Some("the front matter is no mapping".to_owned())),
        Err(error) => (by_line(yaml), Some(error.to_string().lines().next().unwrap_or_default().to_owned())),
    }
}

/// Reads `key: value` lines where the whole is no YAML, so that a stray colon does not lose the address.
fn by_line(yaml: &str) -> Map<String, Value> {
    let mut map = Map::new();
    for line in yaml.lines() {
        let Some((key, value)) = line.split_once(':') else { continue };
        if key.is_empty() || key.starts_with([' ', '#', '-']) {
            continue;
        }
        let value = value.trim();
        let unquoted = ['"', '\''].iter().find_map(|quote| value.strip_prefix(*quote)?.strip_suffix(*quote));
        let value = match (unquoted, value) {
            (Some(text), _) => Value::from(text),
            (None, "true") => Value::Bool(true),
            (None, "false") => Value::Bool(false),
            (None, text) => Value::from(text),
        };
        map.insert(key.to_owned(), value);
    }
    map
}

/// The first heading of level one, outside fenced code; its markup is stripped.
fn first_heading(body: &str) -> Option<String> {
    let mut fence: Option<&str> = None;
    let mut above = "";
    for line in body.lines() {
        let text = line.trim();
        match fence {
            Some(mark) if text.starts_with(mark) => fence = None,
            Some(_) => {}
            None if text.starts_with("```") => fence = Some("```"),
            None if text.starts_with("~~~") => fence = Some("~~~"),
            None => {
                if let Some(heading) = line.strip_prefix("# ") {
                    return Some(plain(heading.trim().trim_end_matches('#').trim_end()));
                }
                let underlines = text.len() > 2 && text.bytes().all(|byte| byte == b'=');
                if underlines && !above.is_empty() {
                    return Some(plain(above));
                }
            }
        }
        above = text;
    }
    None
}

/// A heading without code marks, emphasis, link targets, and `{#id}`.
pub(crate) fn plain(heading: &str) -> String {
    let heading = heading.split(" {").next().unwrap_or(heading);
    let mut text = String::with_capacity(heading.len());
    let mut rest = heading;
    while let Some(at) = rest.find("](") {
        text.push_str(&rest[..at]);
        rest = match rest[at..].find(')') {
            Some(end) => &rest[at + end + 1..],
            None => "",
        };
    }
    text.push_str(rest);
    text.retain(|letter| !matches!(letter, '`' | '*' | '[' | ']'));
    text.trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn titles_and_flags() {
        let cases = [
            ("---\ntitle: A\ndraft: true\n---\n# B\n", Some("A"), Some(true)),
            ("# `B` **c** {#id}\n", Some("B c"), None),
            ("```\n# no\n```\n# [yes](x.md)\n", Some("yes"), None),
            ("Title\n=====\n", Some("Title"), None),
            ("---\ntitle: a: b\ndraft: \"true\"\n---\n", Some("a: b"), Some(true)),
            ("---\nnever closed\n", None, None),
        ];
        for (text, title, draft) in cases {
            let facts = Facts::markdown(text);
            assert_eq!((facts.title().as_deref(), facts.flag("draft")), (title, draft), "{text}");
        }
    }
}

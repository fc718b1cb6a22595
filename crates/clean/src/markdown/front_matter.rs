//! Front matter: YAML between two `---` lines at the very start.

use serde::Deserialize;

/// What is kept of front matter.
pub(super) struct FrontMatter {
    pub(super) title: Option<String>,
    pub(super) description: Option<String>,
    /// The offset behind its closing line.
    pub(super) end: usize,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Fields {
    title: Option<String>,
    description: Option<String>,
}

/// Front matter is written by hand; what is larger is something else between two rules.
const MOST_BYTES: usize = 64 * 1024;

/// Front matter at the start of a text, or nothing where what stands there is no mapping.
pub(super) fn read(text: &str) -> Option<FrontMatter> {
    let mut lines = text.split_inclusive('\n');
    let first = lines.next().filter(|line| is_rule(line) && line.ends_with('\n'))?;
    let mut end = first.len();
    for line in lines {
        if is_rule(line) {
            let yaml = &text[first.len()..end];
            let fields = if yaml.len() > MOST_BYTES { return None } else { fields(yaml)? };
            let filled = |value: Option<String>| {
                value.map(|value| crate::words::squeeze(&value)).filter(|value| !value.is_empty())
            };
            return Some(FrontMatter {
                title: filled(fields.title),
                description: filled(fields.description),
                end: end + line.len(),
            });
        }
        end += line.len();
    }
    None
}

fn is_rule(line: &str) -> bool {
    line.strip_prefix("---").is_some_and(super::is_blank_line)
}

fn fields(yaml: &str) -> Option<Fields> {
    if !looks_like_a_mapping(yaml) {
        return None;
    }
    if let Ok(fields) = serde_saphyr::from_str::<Fields>(yaml) {
        return Some(fields);
    }
    // `title: Errors: what they mean` is no YAML, yet every second site has such a line.
    let is_loose = |line: &str| {
        let opens = line.starts_with([' ', '\t', '#', '-', ']', '}']);
        super::is_blank_line(line) || opens || key_of(line).is_some()
    };
    let value = |name| {
        yaml.lines()
            .find_map(|line| key_of(line).filter(|(key, _)| *key == name))
            .map(|(_, value)| unquoted(value))
    };
    yaml.lines().all(is_loose).then(|| Fields { title: value("title"), description: value("description") })
}

/// Whether the first line that says anything is `key:`, as in a mapping. Text between two rules
/// is no front matter.
fn looks_like_a_mapping(yaml: &str) -> bool {
    yaml.lines()
        .find(|line| !super::is_blank_line(line) && !line.starts_with('#'))
        .is_none_or(|line| key_of(line).is_some() || line.starts_with('{'))
}

/// A key at the start of a line, with what follows its colon.
fn key_of(line: &str) -> Option<(&str, &str)> {
    let (key, value) = line.split_once(':')?;
    let key = key.trim_end().trim_matches(['"', '\'']);
    let is_name = !key.is_empty()
        && key.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '/' | '@' | '$'));
    (is_name && (value.is_empty() || value.starts_with([' ', '\t', '"', '\'', '\r'])))
        .then(|| (key, value.trim()))
}

fn unquoted(value: &str) -> String {
    match value.as_bytes() {
        [b'"', .., b'"'] => value[1..value.len() - 1].replace("\\\"", "\"").replace("\\\\", "\\"),
        [b'\'', .., b'\''] => value[1..value.len() - 1].replace("''", "'"),
        [b'|' | b'>', ..] => String::new(),
        _ => value.to_owned(),
    }
}

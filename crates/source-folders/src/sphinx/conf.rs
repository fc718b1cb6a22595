//! `conf.py`, which is a program: its plain assignments of literals are read, and nothing is run.

use globset::{GlobBuilder, GlobMatcher};
use wholesite_address::{LineIndex, Place};

/// What Sphinx leaves out by itself.
const BUILT_IN: &[&str] = &["**/_sources", ".#*", "**/.#*", "*.lproj/**"];

#[derive(Debug)]
pub(super) struct Conf {
    pub(super) root_document: String,
    pub(super) extensions: Vec<(String, Place)>,
    pub(super) base_url: Option<String>,
    suffixes: Vec<String>,
    excluded: Vec<GlobMatcher>,
    pub(super) faults: Vec<(String, Place)>,
}

/// The assignments that decide what the documents are.
const DECISIVE: &[&str] =
    &["exclude_patterns", "source_suffix", "root_doc", "master_doc", "extensions", "include_patterns"];

impl Conf {
    pub(super) fn read(text: &str) -> Conf {
        let mut conf = Conf {
            root_document: "index".to_owned(),
            extensions: Vec::new(),
            base_url: None,
            suffixes: Vec::new(),
            excluded: Vec::new(),
            faults: Vec::new(),
        };
        let lines = LineIndex::new(text);
        let mut patterns: Vec<String> = BUILT_IN.iter().map(|pattern| (*pattern).to_owned()).collect();
        let mut at = 0;
        for line in text.split_inclusive('\n') {
            let start = at;
            at += line.len();
            if line.starts_with("def setup(") {
                conf.fault("setup() is code, and may make pages", lines.place(start));
            }
            let Some((name, value)) = assignment(line) else { continue };
            let value_at = start + (line.len() - value.len());
            let (strings, is_literal) = strings(&text[value_at..]);
            let place = lines.place(start);
            if !is_literal && DECISIVE.contains(&name) {
                conf.fault(&format!("{name} is computed: only running conf.py would tell"), place);
            }
            let texts = strings.iter().map(|(text, _)| text.clone());
            match name {
                "exclude_patterns" | "templates_path" | "html_extra_path" => patterns.extend(texts),
                "source_suffix" => {
                    conf.suffixes = texts.filter(|text| text.starts_with('.')).collect();
                }
                "root_doc" | "master_doc" => {
                    conf.root_document = strings.first().map_or("index", |s| &s.0).to_owned()
                }
                "html_baseurl" => conf.base_url = texts.into_iter().next().filter(|url| url.contains("://")),
                "extensions" | "extensions +" => {
                    conf.extensions.extend(
                        strings.iter().map(|(text, offset)| (text.clone(), lines.place(value_at + offset))),
                    );
                }
                "include_patterns" => conf.fault("include_patterns is not read here", place),
                _ => {}
            }
        }
        conf.excluded = patterns.iter().filter_map(|pattern| glob(pattern.trim_end_matches('/'))).collect();
        conf.settle_suffixes();
        conf
    }

    fn fault(&mut self, message: &str, place: Place) {
        self.faults.push((message.to_owned(), place));
    }

    fn settle_suffixes(&mut self) {
        if self.suffixes.is_empty() {
            self.suffixes.push(".rst".to_owned());
        }
        let reads_markdown = |(name, _): &(String, Place)| {
            matches!(name.as_str(), "myst_parser" | "myst_nb" | "recommonmark" | "sphinx_markdown_parser")
        };
        if self.extensions.iter().any(reads_markdown) && !self.suffixes.iter().any(|suffix| suffix == ".md") {
            self.suffixes.push(".md".to_owned());
        }
        let reads_notebooks = |(name, _): &(String, Place)| matches!(name.as_str(), "myst_nb" | "nbsphinx");
        if self.extensions.iter().any(reads_notebooks) {
            self.suffixes.push(".ipynb".to_owned());
        }
    }

    /// The suffix that makes a document of a file.
    pub(super) fn suffix_of(&self, file: &str) -> Option<&str> {
        self.suffixes
            .iter()
            .map(String::as_str)
            .find(|suffix| file.ends_with(suffix) && file.len() > suffix.len())
    }

    /// Whether a file, or a folder above it, is excluded.
    pub(super) fn excludes(&self, file: &str) -> bool {
        let ends = file.match_indices('/').map(|(at, _)| at).chain([file.len()]);
        ends.map(|end| &file[..end]).any(|path| self.excluded.iter().any(|glob| glob.is_match(path)))
    }
}

/// A pattern of Sphinx: `*` stays within a segment, `**` crosses them.
pub(super) fn glob(pattern: &str) -> Option<GlobMatcher> {
    let glob = GlobBuilder::new(pattern.trim_start_matches("./")).literal_separator(true).build().ok()?;
    Some(glob.compile_matcher())
}

/// `name = value` or `name += value` at the start of a line.
fn assignment(line: &str) -> Option<(&str, &str)> {
    let (name, value) = line.split_once('=')?;
    let name = name.trim_end();
    let plain = name.strip_suffix('+').map_or(name, str::trim_end);
    let is_name = !plain.is_empty() && plain.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    if !is_name || value.starts_with('=') {
        return None;
    }
    Some((if name == plain || plain != "extensions" { plain } else { "extensions +" }, value))
}

/// The strings of a Python value and their offsets, and whether the value is nothing but literals.
fn strings(text: &str) -> (Vec<(String, usize)>, bool) {
    let bytes = text.as_bytes();
    let mut found = Vec::new();
    let mut depth = 0usize;
    let mut is_literal = true;
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'\n' if depth == 0 => break,
            b'#' => {
                at += text[at..].find('\n').unwrap_or(text.len() - at);
                continue;
            }
            b'[' | b'(' | b'{' => depth += 1,
            b']' | b')' | b'}' => depth = depth.saturating_sub(1),
            b'\'' | b'"' => {
                let quote = &text[at..=at];
                let long = text[at..].starts_with(&quote.repeat(3));
                let mark = if long { quote.repeat(3) } else { quote.to_owned() };
                let start = at + mark.len();
                let Some(length) = text[start..].find(&mark) else { return (found, false) };
                found.push((text[start..start + length].to_owned(), start));
                at = start + length + mark.len();
                continue;
            }
            byte if byte.is_ascii_alphabetic() || *byte == b'_' => {
                let word =
                    text[at..].split(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap_or_default();
                let is_prefix =
                    matches!(word, "u" | "r" | "b") && matches!(bytes.get(at + 1), Some(b'\'' | b'"'));
                is_literal &= is_prefix || matches!(word, "None" | "True" | "False");
                at += word.len().max(1);
                continue;
            }
            b'+' | b'*' => is_literal = false,
            _ => {}
        }
        at += 1;
    }
    (found, is_literal)
}

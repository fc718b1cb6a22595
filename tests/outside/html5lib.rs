//! html5lib's tests, from the source package of the Python library: tags, attributes and character
//! references of the tokenizer, and links in finished trees.
//!
//! The tokenizer's tests know no links, so they are dressed up as such: see each test.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use serde_json::Value;
use wholesite_extract::html;
use wholesite_extract::{Role, Syntax};

use crate::packages::Package;
use crate::score::Score;

const HTML5LIB: Package =
    Package::pypi("html5lib", "1.1", "b2e5b40261e20f354d198eae92afc10d750afb487ed5e50f9c4eaf07c184146f");

/// Behind these a tree builder switches the tokenizer over; the tokenizer's own tests do not.
const RAW_TEXT: &[&str] = &[
    "title",
    "textarea",
    "style",
    "xmp",
    "iframe",
    "noembed",
    "noframes",
    "script",
    "plaintext",
    "template",
];

/// One test of the tokenizer that starts in the data state.
struct TokenizerTest {
    id: String,
    input: String,
    output: Vec<Value>,
    ends_in_markup: bool,
}

/// A link that is put behind each test is found exactly where the tokenizer is back in text, and
/// nothing of the test itself is taken for a link.
#[test]
fn tags_end_where_they_end() {
    let mut score = Score::of("html5lib-tags");
    for test in tokenizer_tests().iter().filter(|test| !test.ends_in_markup) {
        let names = test.output.iter().filter_map(|token| token[1].as_str());
        if names.into_iter().any(|name| RAW_TEXT.contains(&name)) {
            continue;
        }
        let text = format!("{}<a href=/behind>", test.input);
        score.same(&test.id, hrefs(&text), vec!["/behind".to_owned()]);
    }
    settle(score);
}

/// The first attribute of a tag is renamed to `href`, and the tag to `a`.
#[test]
fn attributes_have_their_values() {
    let mut score = Score::of("html5lib-attributes");
    for test in tokenizer_tests() {
        let Some((text, value)) = dressed_as_link(&test) else { continue };
        score.same(&test.id, hrefs(&text), vec![value]);
    }
    settle(score);
}

/// A reference that is a whole test stands in an attribute, between letters and quotes.
#[test]
fn character_references_are_undone() {
    let mut score = Score::of("html5lib-references");
    for test in tokenizer_tests() {
        let [token] = test.output.as_slice() else { continue };
        let is_reference = test.input.starts_with('&') && !test.input.contains('"');
        let (Some("Character"), Some(text), true) = (token[0].as_str(), token[1].as_str(), is_reference)
        else {
            continue;
        };
        let value = if is_kept_in_attributes(&test.input, text) { &test.input } else { text };
        let page = format!("<a href=\"/x/{}\"/>", test.input);
        score.same(&test.id, hrefs(&page), vec![format!("/x/{value}")]);
    }
    settle(score);
}

/// Links of finished trees. Trees repeat a misnested element, so each address counts once.
#[test]
fn links_are_those_of_the_tree() {
    let Some(folder) = data("tree-construction") else { return };
    let mut score = Score::of("html5lib-trees");
    for path in files(&folder, "dat") {
        let bytes = std::fs::read(&path).expect("readable");
        let text = String::from_utf8_lossy(&bytes);
        for (at, test) in text.split("#data\n").skip(1).enumerate() {
            let Some((input, rest)) = test.split_once("\n#errors\n") else { continue };
            let Some((before, tree)) = rest.split_once("#document\n") else { continue };
            if before.contains("#document-fragment") || before.contains("#script-on") {
                continue;
            }
            let ours: BTreeSet<String> = hrefs(input).into_iter().collect();
            score.same(format!("{} {}", stem(&path), at + 1), ours, tree_hrefs(tree));
        }
    }
    settle(score);
}

/// Without the package there were no cases, and so no score.
fn settle(score: Score) {
    if data("tokenizer").is_some() {
        score.settle();
    }
}

fn hrefs(text: &str) -> Vec<String> {
    let html = html::read(text);
    let anchors = html
        .reading
        .links
        .iter()
        .filter(|link| link.role == Role::Mention && link.syntax == Syntax::HtmlHref);
    anchors.map(|link| link.href().to_owned()).collect()
}

fn data(kind: &str) -> Option<PathBuf> {
    Some(HTML5LIB.folder()?.join("html5lib/tests/testdata").join(kind))
}

fn files(folder: &Path, extension: &str) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).expect("a folder").flatten().map(|entry| entry.path());
    let mut files: Vec<_> =
        entries.filter(|path| path.extension().is_some_and(|end| end == extension)).collect();
    files.sort();
    files
}

fn stem(path: &Path) -> String {
    path.file_stem().unwrap_or_default().to_string_lossy().into_owned()
}

fn tokenizer_tests() -> Vec<TokenizerTest> {
    let mut tests = Vec::new();
    for path in data("tokenizer").iter().flat_map(|folder| files(folder, "test")) {
        let text = std::fs::read_to_string(&path).expect("readable");
        let file: Value = serde_json::from_str(&text).expect("JSON");
        for (at, test) in file["tests"].as_array().into_iter().flatten().enumerate() {
            tests.extend(tokenizer_test(&format!("{} {}", stem(&path), at + 1), test));
        }
    }
    tests
}

fn tokenizer_test(id: &str, test: &Value) -> Option<TokenizerTest> {
    let states = test["initialStates"].as_array();
    if states.is_some_and(|states| !states.iter().any(|state| state == "Data state")) {
        return None;
    }
    let mut input = test["input"].as_str()?.to_owned();
    let mut output = test["output"].as_array()?.clone();
    if test["doubleEscaped"] == true {
        // Lone surrogates are no text, so they can't come this far.
        input = unescaped(&input)?;
        output = serde_json::from_str(&unescaped(&serde_json::to_string(&output).ok()?)?).ok()?;
    }
    let mut errors =
        test["errors"].as_array().into_iter().flatten().filter_map(|error| error["code"].as_str());
    // A bogus comment may end with the document, which is no error.
    let last_is_markup = output.last().is_some_and(|token| token[0] == "Comment" || token[0] == "DOCTYPE");
    let ends_in_markup = errors.any(|code| code.contains("eof")) || (last_is_markup && !input.ends_with('>'));
    Some(TokenizerTest { id: id.to_owned(), input, output, ends_in_markup })
}

fn unescaped(text: &str) -> Option<String> {
    let mut pieces = text.split("\\u");
    let mut out = pieces.next()?.to_owned();
    for piece in pieces {
        out.push(char::from_u32(u32::from_str_radix(piece.get(..4)?, 16).ok()?)?);
        out.push_str(&piece[4..]);
    }
    Some(out)
}

/// `<h a='b' c>` as `<a href='b' c>`, with the value that it has.
fn dressed_as_link(test: &TokenizerTest) -> Option<(String, String)> {
    let [token, ..] = test.output.as_slice() else { return None };
    let (Some("StartTag"), Some(tag)) = (token[0].as_str(), token[1].as_str()) else { return None };
    let rest = test.input.strip_prefix('<').and_then(|rest| rest.strip_prefix(tag))?;
    let name_at = rest.find(|c: char| !c.is_ascii_whitespace() && c != '/')?;
    let name_end = name_at + rest[name_at..].find(|c: char| !c.is_ascii_alphanumeric())?;
    let value = token[2].get(&rest[name_at..name_end])?.as_str()?;
    // Letters that go on the name would make it another one than `href`.
    let ends = rest[name_end..].starts_with(['=', ' ', '>', '/', '\t', '\n']);
    ends.then(|| (format!("<a{}href{}", &rest[..name_at], &rest[name_end..]), value.to_owned()))
}

/// HTML §13.2.5.73: in an attribute, a name without its semicolon before a letter, a digit or `=` is
/// no reference.
fn is_kept_in_attributes(input: &str, as_text: &str) -> bool {
    let same = input.bytes().rev().zip(as_text.bytes().rev()).take_while(|(one, other)| one == other).count();
    let (consumed, left) = input.split_at(input.len() - same);
    let is_name = !consumed.is_empty() && !consumed.contains(['#', ';']);
    is_name && left.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '=')
}

/// The addresses of `<a href>` in a tree as html5lib writes them down.
fn tree_hrefs(tree: &str) -> BTreeSet<String> {
    let mut hrefs = BTreeSet::new();
    let mut inside_a = None;
    for line in tree.lines().filter_map(|line| line.strip_prefix("| ")) {
        let depth = line.len() - line.trim_start().len();
        let node = line.trim_start();
        let value = node.strip_prefix("href=\"").and_then(|value| value.strip_suffix('"'));
        match (inside_a, value) {
            (Some(outer), Some(value)) if depth == outer + 2 => {
                hrefs.insert(value.to_owned());
            }
            _ if node == "<a>" => inside_a = Some(depth),
            // Attributes come before children.
            _ if node.starts_with('<') || node.starts_with('"') => inside_a = None,
            _ => {}
        }
    }
    hrefs
}

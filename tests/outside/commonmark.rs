//! The examples of CommonMark, of GFM and of pulldown-cmark's own suite: the links of a document are
//! the links of the HTML that it stands for, and what is code there holds none here.

use std::cell::RefCell;
use std::path::Path;

use html5ever::tendril::StrTendril;
use html5ever::tokenizer::states::RawKind;
use html5ever::tokenizer::{
    BufferQueue, TagKind, Token, TokenSink, TokenSinkResult, Tokenizer, TokenizerOpts,
};
use url::Url;
use wholesite_extract::{Syntax, markdown};

use crate::packages::{Package, crate_source};
use crate::score::Score;

const COMMONMARK: Package = Package::npm(
    "commonmark-spec",
    "0.31.2",
    "588280df96c211f7ce9db0b7943ded34ac4b8ba321e2fdf9c03d188ec0f01fea",
);

/// Its tests hold the specification of GFM.
const GFM: Package =
    Package::pypi("marko", "2.2.4", "c042c66f835425673123d7536b39b4660de3b68e30078c70fd26245b31170683");

struct Example {
    id: String,
    /// The example is rendered with GFM's autolinks.
    has_autolinks: bool,
    markdown: String,
    html: String,
}

#[test]
fn the_examples_of_commonmark() {
    let Some(folder) = COMMONMARK.folder() else { return };
    run("commonmark", specification(&folder.join("spec.txt")));
}

#[test]
fn the_examples_of_gfm() {
    let Some(folder) = GFM.folder() else { return };
    run("gfm", specification(&folder.join("tests/spec/gfm.txt")));
}

#[test]
fn the_regressions_and_tables_of_pulldown_cmark() {
    let folder = crate_source("pulldown-cmark").join("tests/suite");
    let names = ["gfm_strikethrough", "gfm_table", "gfm_tasklist", "regression", "table"];
    run("pulldown-cmark", names.iter().flat_map(|name| generated_tests(&folder, name)).collect());
}

fn run(suite: &'static str, examples: Vec<Example>) {
    let mut score = Score::of(suite);
    for example in examples {
        let (ours, theirs) = (ours(&example), hrefs_of_tags(&example.html));
        score.same(example.id, ours, theirs);
    }
    score.settle();
}

fn ours(example: &Example) -> Vec<String> {
    let links = markdown::read(&example.markdown).links;
    let known = links.iter().filter(|link| example.has_autolinks || link.syntax != Syntax::BareUrl);
    // Renderers escape addresses of Markdown; browsers take a raw `\\` for a slash.
    let rendered =
        |href: &str| href.replace('\\', "%5C").replace('[', "%5B").replace(']', "%5D").replace('|', "%7C");
    known
        .map(|link| match link.syntax {
            Syntax::HtmlHref => resolved(link.href()),
            _ => resolved(&rendered(link.href())),
        })
        .collect()
}

/// The addresses of all `<a href>` tags: tags and not elements, since a tree repeats what is misnested.
pub(crate) fn hrefs_of_tags(html: &str) -> Vec<String> {
    let tokenizer = Tokenizer::new(Hrefs::default(), TokenizerOpts::default());
    let input = BufferQueue::default();
    input.push_back(StrTendril::from(html));
    let _ = tokenizer.feed(&input);
    tokenizer.end();
    tokenizer.sink.0.into_inner()
}

#[derive(Default)]
struct Hrefs(RefCell<Vec<String>>);

impl TokenSink for Hrefs {
    type Handle = ();

    fn process_token(&self, token: Token, _line: u64) -> TokenSinkResult<()> {
        let Token::TagToken(tag) = token else { return TokenSinkResult::Continue };
        if tag.kind != TagKind::StartTag {
            return TokenSinkResult::Continue;
        }
        match &*tag.name {
            "a" => {
                let href = tag.attrs.iter().find(|attr| &*attr.name.local == "href");
                self.0.borrow_mut().extend(href.map(|href| resolved(&href.value)));
                TokenSinkResult::Continue
            }
            "script" => TokenSinkResult::RawData(RawKind::ScriptData),
            "style" => TokenSinkResult::RawData(RawKind::Rawtext),
            "textarea" | "title" => TokenSinkResult::RawData(RawKind::Rcdata),
            _ => TokenSinkResult::Continue,
        }
    }
}

/// Renderers write addresses escaped, readers as they stand: both lead to the same place.
pub(crate) fn resolved(href: &str) -> String {
    let base = Url::parse("https://example.test/folder/page").expect("a URL");
    base.join(href).map_or_else(|_| format!("no URL: {href}"), String::from)
}

/// A specification: examples between fences of 32 ticks, Markdown and HTML parted by a dot, tabs as
/// arrows.
fn specification(path: &Path) -> Vec<Example> {
    let text = std::fs::read_to_string(path).expect("a readable specification");
    let fence = "`".repeat(32);
    let mut examples = Vec::new();
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        if !line.starts_with(&format!("{fence} example")) {
            continue;
        }
        let mut parts = [String::new(), String::new()];
        let mut part = 0;
        for line in lines.by_ref().take_while(|line| *line != fence) {
            if line == "." && part == 0 {
                part = 1;
            } else {
                parts[part].push_str(&line.replace('→', "\t"));
                parts[part].push('\n');
            }
        }
        let [markdown, html] = parts;
        let (id, has_autolinks) = (format!("example {}", examples.len() + 1), line.ends_with(" autolink"));
        examples.push(Example { id, has_autolinks, markdown, html });
    }
    examples
}

/// A file of generated Rust tests: `let original = r##"…"##;`, `let expected = r##"…"##;`.
fn generated_tests(folder: &Path, name: &str) -> Vec<Example> {
    let text = std::fs::read_to_string(folder.join(name).with_extension("rs")).expect("a readable suite");
    let mut strings = text.split("r##\"").skip(1).filter_map(|rest| rest.split("\"##;").next());
    let mut examples = Vec::new();
    while let (Some(markdown), Some(html)) = (strings.next(), strings.next()) {
        let id = format!("{name} {}", examples.len() + 1);
        examples.push(Example {
            id,
            has_autolinks: false,
            markdown: markdown.to_owned(),
            html: html.to_owned(),
        });
    }
    examples
}

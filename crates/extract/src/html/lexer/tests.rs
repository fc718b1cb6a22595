//! The lexer against html5ever's tokenizer: other code, the same standard.

use std::cell::RefCell;

use html5ever::tendril::StrTendril;
use html5ever::tokenizer::states::RawKind;
use html5ever::tokenizer::{
    BufferQueue, CharacterTokens, StartTag, TagToken, Token as Theirs, TokenSink, TokenSinkResult, Tokenizer,
    TokenizerOpts,
};
use proptest::prelude::*;

use super::super::charref;
use super::*;

/// What both sides can be compared in.
#[derive(Debug, PartialEq, Eq)]
enum Seen {
    Text(String),
    Tag { is_start: bool, name: String, attributes: Vec<(String, String)>, self_closing: bool },
}

fn push_text(seen: &mut Vec<Seen>, text: &str) {
    match seen.last_mut() {
        Some(Seen::Text(before)) => before.push_str(text),
        _ if text.is_empty() => {}
        _ => seen.push(Seen::Text(text.to_owned())),
    }
}

fn ours(text: &str) -> Vec<Seen> {
    let mut lexer = Lexer::new(text);
    let mut seen = Vec::new();
    let mut raw = false;
    while let Some(token) = lexer.next() {
        let (is_start, tag) = match token {
            Token::Text(text) => {
                // References are undone everywhere but in raw text.
                let shown = if raw { text.into() } else { charref::decode_text(text) };
                push_text(&mut seen, &shown);
                raw = false;
                continue;
            }
            Token::Start(tag) => (true, tag),
            Token::End(tag) => (false, tag),
        };
        assert!(text[tag.span.clone()].starts_with('<') && text[tag.span.clone()].ends_with('>'), "{tag:?}");
        let name = tag.name.to_ascii_lowercase();
        if is_start && let Some(content) = content(&name) {
            lexer.enter(content, tag.name);
            raw = !matches!(name.as_str(), "title" | "textarea");
        } else {
            raw = false;
        }
        let mut attributes: Vec<(String, String)> = Vec::new();
        for (name, value) in tag.attributes() {
            let name = name.to_ascii_lowercase();
            if attributes.iter().all(|(own, _)| *own != name) {
                attributes.push((name, charref::decode_attribute(value).into_owned()));
            }
        }
        // The standard drops both from end tags.
        if !is_start {
            attributes.clear();
        }
        let self_closing = is_start && tag.self_closing;
        seen.push(Seen::Tag { is_start, name, attributes, self_closing });
    }
    seen
}

fn content(name: &str) -> Option<Content> {
    match name {
        "script" => Some(Content::Script),
        "title" | "textarea" | "style" => Some(Content::Raw),
        "plaintext" => Some(Content::Plain),
        _ => None,
    }
}

#[derive(Default)]
struct Sink {
    seen: RefCell<Vec<Seen>>,
}

impl TokenSink for Sink {
    type Handle = ();

    fn process_token(&self, token: Theirs, _line: u64) -> TokenSinkResult<()> {
        let mut seen = self.seen.borrow_mut();
        match token {
            CharacterTokens(text) => push_text(&mut seen, &text),
            TagToken(tag) => {
                let is_start = tag.kind == StartTag;
                let attributes = tag.attrs.iter().map(|a| (a.name.local.to_string(), a.value.to_string()));
                seen.push(Seen::Tag {
                    is_start,
                    name: tag.name.to_string(),
                    attributes: if is_start { attributes.collect() } else { Vec::new() },
                    self_closing: is_start && tag.self_closing,
                });
                return match (is_start, &*tag.name) {
                    (true, "script") => TokenSinkResult::RawData(RawKind::ScriptData),
                    (true, "title" | "textarea") => TokenSinkResult::RawData(RawKind::Rcdata),
                    (true, "style") => TokenSinkResult::RawData(RawKind::Rawtext),
                    (true, "plaintext") => TokenSinkResult::Plaintext,
                    _ => TokenSinkResult::Continue,
                };
            }
            _ => {}
        }
        TokenSinkResult::Continue
    }
}

fn theirs(text: &str) -> Vec<Seen> {
    let options = TokenizerOpts { discard_bom: false, ..TokenizerOpts::default() };
    let tokenizer = Tokenizer::new(Sink::default(), options);
    let input = BufferQueue::default();
    input.push_back(StrTendril::from(text));
    let _ = tokenizer.feed(&input);
    tokenizer.end();
    tokenizer.sink.seen.take()
}

const SCRAPS: &[&str] = &[
    "<",
    ">",
    "/",
    "</",
    "/>",
    "<a",
    "<a ",
    "<a href=",
    "<A HREF='x'>",
    "<b>",
    "</b>",
    "</a>",
    "=",
    "\"",
    "'",
    " ",
    "\n",
    "\t",
    "x",
    "é",
    "<!",
    "<!-",
    "<!--",
    "-",
    "--",
    "-->",
    "--!>",
    "->",
    "!",
    "<?",
    "?>",
    "<!doctype html>",
    "<![CDATA[",
    "]]>",
    "&",
    "&amp;",
    "&lt",
    "&#38;",
    "&copy=",
    "&notit;",
    "#",
    ";",
    "<script>",
    "</script>",
    "<script",
    "</script",
    "<title>",
    "</title>",
    "</TITLE ",
    "<style>",
    "</style/>",
    "<textarea>",
    "</textarea>",
    "<plaintext>",
    "href",
    "title",
    "script",
    "a=b",
    "/x/",
    "``",
    "\u{c}",
];

proptest! {
    #![proptest_config(ProptestConfig { cases: 4096, ..ProptestConfig::default() })]
    #[test]
    fn the_lexer_sees_what_html5ever_sees(scraps in proptest::collection::vec(proptest::sample::select(SCRAPS), 0..24)) {
        let text = scraps.concat();
        prop_assert_eq!(ours(&text), theirs(&text), "{:?}", text);
    }

    #[test]
    fn any_text_is_lexed(text in "[<>a-b/= \"'!&;\\-é]{0,60}") {
        prop_assert_eq!(ours(&text), theirs(&text), "{:?}", text);
    }
}

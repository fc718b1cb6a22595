//! What holds for every body.

use proptest::prelude::*;
use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};
use wholesite_address::SiteUrl;
use wholesite_clean::{Cleaned, NotAPage, Served, Wanted, clean, fingerprint};

fn url() -> SiteUrl {
    SiteUrl::parse("https://docs.example.com/some/page.md").expect("an address")
}

fn served(body: &[u8], wanted: Wanted, content_type: Option<&str>) -> Result<Cleaned, NotAPage> {
    let url = url();
    clean(&Served { url: &url, wanted, content_type, body })
}

/// Pieces that the rules look for, so that chance brings them together.
fn piece() -> impl Strategy<Value = String> {
    prop_oneof![
        Just("---\n".to_owned()),
        Just("title: x\n".to_owned()),
        Just("> ## Documentation Index\n> see https://a.example/llms.txt\n".to_owned()),
        Just("> ## Agent Instructions\n> do\n".to_owned()),
        Just("<AgentInstructions>\n".to_owned()),
        Just("</AgentInstructions>\n".to_owned()),
        Just("# Agent Instructions: x\n".to_owned()),
        Just("?ask=\n".to_owned()),
        Just("[Built with Mintlify](https://mintlify.com)\n".to_owned()),
        Just("```\n".to_owned()),
        Just("~~~~\n".to_owned()),
        Just("\n".to_owned()),
        Just("   \n".to_owned()),
        Just("\r\n".to_owned()),
        Just("\r".to_owned()),
        Just("# Page not found\n".to_owned()),
        Just("===\n".to_owned()),
        Just("text  \n".to_owned()),
        Just("<!-- ".to_owned()),
        Just("\u{feff}".to_owned()),
        Just("\u{a0}\n".to_owned()),
        "[ -~]{0,12}\n",
        "\\PC{0,8}",
    ]
}

fn tag() -> impl Strategy<Value = String> {
    prop_oneof![
        "</?(div|p|b|i|em|a|code|pre|table|tr|td|th|ul|ol|li|h1|h2|main|article|header|br|img|svg|math|template|dl|dt|dd|details|blockquote)( (href|src|class|id|hidden|rowspan|colspan|start|type)=\"?[a-z0-9#/]{0,6}\"?)?/?>",
        "\\PC{0,8}",
        "[ -~\n]{0,8}",
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 512, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_bytes_make_it_panic(body in proptest::collection::vec(any::<u8>(), 0..300), html in any::<bool>()) {
        let wanted = if html { Wanted::Any } else { Wanted::Markdown };
        let label = html.then_some("text/html");
        if let Ok(page) = served(&body, wanted, label) {
            prop_assert!(page.text.ends_with('\n'));
        }
        let url = url();
        fingerprint(&Served { url: &url, wanted, content_type: label, body: &body });
    }

    #[test]
    fn no_tags_make_it_panic(tags in proptest::collection::vec(tag(), 0..60)) {
        let body = format!("<!doctype html>{}", tags.concat());
        if let Ok(page) = served(body.as_bytes(), Wanted::Any, None) {
            prop_assert!(page.text.ends_with('\n') && !page.text.trim().is_empty());
        }
        let url = url();
        fingerprint(&Served { url: &url, wanted: Wanted::Any, content_type: None, body: body.as_bytes() });
    }

    #[test]
    fn cleaning_twice_is_cleaning_once(pieces in proptest::collection::vec(piece(), 0..14)) {
        if let Ok(page) = served(pieces.concat().as_bytes(), Wanted::Markdown, None) {
            prop_assert!(page.text.ends_with('\n') && !page.text.contains('\r'));
            match served(page.text.as_bytes(), Wanted::Markdown, None) {
                Ok(again) => prop_assert_eq!(again.text, page.text),
                // Its metadata spoke for the page, and is gone.
                Err(error) => prop_assert_eq!(error, NotAPage::NotFound, "{:?}", page.text),
            }
        }
    }

    #[test]
    fn fences_survive_byte_for_byte(
        before in proptest::collection::vec(piece(), 0..5),
        code in proptest::collection::vec(piece(), 0..6),
        after in proptest::collection::vec(piece(), 0..5),
    ) {
        let code: String = code.concat().replace('\r', "\n").replace(['`', '~', '\0'], "");
        let block = format!("`````js\n{}{}`````\n", code, if code.is_empty() || code.ends_with('\n') { "" } else { "\n" });
        // A fence or a comment that is open before it would make something else of it.
        let plain = |pieces: Vec<String>| pieces.concat().replace(['`', '~'], "").replace("<!--", "").replace("AgentInstructions", "Agent");
        let (before, after) = (plain(before), plain(after));
        // Instructions to agents hold fences that go with them; two rules may be front matter.
        let before = before.replace("Agent Instructions", "Agents").replace("---", "--").replace('\u{feff}', "");
        let after = after.replace("Agent Instructions", "Agents");
        let body = format!("start\n{before}\n{block}{after}");
        if let Ok(page) = served(body.as_bytes(), Wanted::Markdown, None) {
            prop_assert!(page.text.contains(&block), "{:?} in {:?}", block, page.text);
        }
    }

    #[test]
    fn text_of_html_stays_text(words in proptest::collection::vec("[ -~äß漢]{1,14}", 1..6), tag in "(p|h2|li|td|blockquote)") {
        let text = words.join(" ");
        let escaped = text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
        let inner = format!("<{tag}>{escaped}</{tag}>");
        let inner = match tag.as_str() {
            "li" => format!("<ul>{inner}</ul>"),
            "td" => format!("<table><tr>{inner}</tr></table>"),
            _ => inner,
        };
        let body = format!("<!doctype html><body><main>{inner}</main></body>");
        if let Ok(page) = served(body.as_bytes(), Wanted::Any, None) {
            let squeeze = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
            prop_assert_eq!(squeeze(&rendered(&page.text)), squeeze(&text), "{:?}", page.text);
        }
    }
}

/// The text that a reader of Markdown sees.
fn rendered(markdown: &str) -> String {
    let mut out = String::new();
    for event in Parser::new_ext(markdown, Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH) {
        match event {
            Event::Text(text) | Event::Code(text) => out.push_str(&text),
            Event::SoftBreak | Event::HardBreak | Event::End(TagEnd::Paragraph) => out.push(' '),
            Event::Start(Tag::Link { .. }) => out.push_str("(link)"),
            Event::Html(html) | Event::InlineHtml(html) => out.push_str(&format!("(html {html})")),
            Event::Rule => out.push_str("(rule)"),
            _ => {}
        }
    }
    out
}

#[test]
fn deep_documents_are_refused_and_those_below_the_limit_are_read() {
    let deep = format!("<!doctype html><body>{}text", "<div>".repeat(600));
    assert_eq!(served(deep.as_bytes(), Wanted::Any, None).unwrap_err().code(), "too_deep");
    for tag in ["<div>", "<ul><li>", "<blockquote>", "<span>"] {
        let count = 500 / tag.matches('<').count();
        let body = format!("<!doctype html><body>{}text", tag.repeat(count));
        let page = served(body.as_bytes(), Wanted::Any, None).expect(tag);
        assert!(page.text.trim_end().ends_with("text") && page.text.len() < 300, "{}", page.text);
    }
}

#[test]
fn large_bodies_take_time_in_proportion() {
    let many = [
        "<p>a <b>b</b> <a href=x>c</a>\n".repeat(40_000),
        "<ul><li>x".repeat(200) + &"<br>y".repeat(60_000),
        "</p>".repeat(100_000),
        "[Built with Mintlify](https://mintlify.com)\n".repeat(20_000),
        "> ## Agent Instructions\n\n".repeat(40_000),
        "# Agent Instructions\n".repeat(60_000) + "?ask=",
        "<AgentInstructions>\n".repeat(60_000),
        "---\n".repeat(200_000),
        "# ".to_owned() + &"*[".repeat(300_000),
    ];
    for (at, body) in many.iter().enumerate() {
        let start = std::time::Instant::now();
        let _ = served(body.as_bytes(), Wanted::Markdown, None);
        let html = format!("<!doctype html><body>{body}");
        let _ = served(html.as_bytes(), Wanted::Any, None);
        assert!(start.elapsed().as_secs() < 20, "{at}: {:?}", start.elapsed());
    }
}

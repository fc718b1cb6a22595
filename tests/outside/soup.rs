//! Two readers of HTML on tag soup: ours and the tokenizer of html5ever must see the same links.

use proptest::prelude::*;
use wholesite_extract::{Syntax, html};

use crate::commonmark::{hrefs_of_tags, resolved};

/// Pieces without SVG, templates and `noscript`, in which a tokenizer alone can't tell links.
const PIECES: &[&str] = &[
    "<a href=x>",
    "<a href='y z'>",
    "<A HREF=\"/q?a&amp;b&copy=c\">",
    "<a\nhref = /n >",
    "<a href>",
    "<a title='>' href=/t>",
    "<a href=/1 href=/2>",
    "<a/href=/s/>",
    "</a>",
    "</a href=/no>",
    "<p>",
    "</p>",
    "<b",
    "<",
    ">",
    "</",
    "'",
    "\"",
    "=",
    "&lt;a href=/no&gt;",
    "<!--",
    "-->",
    "--!>",
    "<!-->",
    "<!x>",
    "<?y>",
    "<script>",
    "</script>",
    "<script><!--<script>",
    "<style>",
    "</style>",
    "<textarea>",
    "</textarea >",
    "<title>",
    "</TITLE>",
    "text ",
    "é",
    "\0",
];

fn ours(text: &str) -> Vec<String> {
    let links = html::read(text).reading.links;
    links.iter().filter(|link| link.syntax == Syntax::HtmlHref).map(|link| resolved(link.href())).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 3_000, ..ProptestConfig::default() })]

    #[test]
    fn two_readers_see_the_same_links(pieces in proptest::collection::vec(proptest::sample::select(PIECES), 0..25)) {
        let text = pieces.concat();
        prop_assert_eq!(ours(&text), hrefs_of_tags(&text));
    }
}

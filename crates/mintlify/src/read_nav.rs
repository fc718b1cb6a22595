//! One configuration file on its own, as an index among indexes.

use std::borrow::Cow;

use wholesite_extract::{Link, Oddity, Reading, Role, Syntax, Target, Verdict};

use crate::forest::{At, Forest, View, references};
use crate::json::Document;
use crate::model::{BlockerKind, EntryKind};
use crate::nav;

/// Reads the navigation of one docs.json or mint.json, without the files beside it: page strings as entries, `href`s as
/// mentions, in the order of the document. Spans are byte ranges of the JSON strings, quotes included. A page string
/// that names an operation of an API description (`GET /users`) has an address that only the description tells:
/// [`Target::Dynamic`].
///
/// The verdict is [`Verdict::Unusable`] for text that is no JSON or has no `navigation`, and [`Verdict::Truncated`]
/// where the navigation goes on in another file, in another repository or in an API description.
pub fn read_nav(text: &str) -> Reading<'_> {
    let document = match Document::parse(text) {
        Ok(document) => document,
        Err(fault) => {
            let at = fault.place;
            return Reading::unusable(format!(
                "not JSON: {} (line {}, column {})",
                fault.why, at.line, at.column
            ));
        }
    };
    let loose = document.loose.clone();
    let refs: Vec<_> = references(&document).map(|(object, ..)| document.node(object).span.clone()).collect();
    let forest = Forest::single("", document);
    let root = forest.root();
    let Some(navigation) = forest.get(root, "navigation") else {
        return match refs.first() {
            Some(span) if *span == forest.span(root) => {
                Reading::unusable("the configuration is in another file (`$ref`)")
            }
            _ => Reading::unusable("there is no `navigation`"),
        };
    };
    let walked = match forest.view(navigation) {
        // Only the legacy form has a bare list, and only it has tabs and anchors beside the navigation.
        View::Array(_) => nav::walk_mint(&forest, Some(navigation), root),
        View::Object(_) => nav::walk_docs(&forest, navigation, root),
        _ => return Reading::unusable("`navigation` is neither object nor list"),
    };
    let mut links: Vec<Link<'_>> = Vec::with_capacity(walked.entries.len());
    for entry in &walked.entries {
        let label = walked.labels.get(entry.label.map_or(usize::MAX, |at| at as usize));
        let literal = || Target::Literal(Cow::Owned(entry.text.clone()));
        let inside = entry.span.start + 1..entry.span.end.saturating_sub(1).max(entry.span.start + 1);
        let (target, role, syntax, label) = match entry.kind {
            EntryKind::Page => (literal(), Role::Entry, Syntax::NavPage, None),
            EntryKind::Href => (literal(), Role::Mention, Syntax::NavHref, label),
            EntryKind::Endpoint { .. } | EntryKind::Webhook { .. } | EntryKind::Channel { .. } => {
                (Target::Dynamic(text.get(inside).unwrap_or_default()), Role::Entry, Syntax::NavPage, None)
            }
        };
        let label = Cow::Owned(label.map(|label| label.text.to_string()).unwrap_or_default());
        links.push(Link { target, label, span: entry.span.clone(), role, syntax });
    }
    links.sort_by_key(|link| link.span.start);

    let mut oddities = Vec::new();
    if let Some(fault) = loose {
        oddities
            .push(Oddity { span: 0..0, what: format!("comments or trailing commas: {}", fault.why).into() });
    }
    let limit = walked.blockers.iter().any(|blocker| blocker.kind == BlockerKind::Limit);
    let elsewhere = [
        (refs.iter().any(|span| within(span, &forest, navigation)), "in another file (`$ref`)"),
        (
            walked.blockers.iter().any(|blocker| blocker.kind == BlockerKind::SourceRef),
            "in another repository (`sourceRef`)",
        ),
        (
            walked.demands.iter().any(|demand| demand.bulk || !demand.picked.is_empty()),
            "in an API description",
        ),
        (limit, "beyond what is read of one file"),
    ];
    let verdict = match elsewhere.iter().find(|(goes_on, _)| *goes_on) {
        Some((_, place)) => Verdict::Truncated(format!("the navigation goes on {place}").into()),
        None if links.is_empty() => Verdict::NoPages("the navigation is empty".into()),
        None => Verdict::Ok,
    };
    let title =
        forest.get(root, "name").and_then(|at| forest.text(at)).map(|name| Cow::Owned(name.to_owned()));
    Reading { links, verdict, title, oddities }
}

/// Whether a span lies in the navigation.
fn within(span: &std::ops::Range<usize>, forest: &Forest, navigation: At) -> bool {
    let whole = forest.span(navigation);
    whole.start <= span.start && span.end <= whole.end
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_document_is_read_alone() {
        let text = r#"{"name": "N", "navigation": {"tabs": [
            {"tab": "T", "href": "https://x.example", "pages": ["a", {"group": "G", "root": "r", "pages": ["b/c", "POST /x"]}]}
        ]}}"#;
        let reading = read_nav(text);
        let got: Vec<_> = reading.links.iter().map(|link| (link.href(), link.role, link.syntax)).collect();
        let entry = |href| (href, Role::Entry, Syntax::NavPage);
        assert_eq!(
            got,
            [
                ("https://x.example", Role::Mention, Syntax::NavHref),
                entry("a"),
                entry("r"),
                entry("b/c"),
                entry("POST /x")
            ]
        );
        assert_eq!(reading.links[0].label, "T");
        assert!(matches!(reading.links[4].target, Target::Dynamic(_)));
        assert_eq!(reading.title.as_deref(), Some("N"));
        assert_eq!(reading.verdict, Verdict::Ok, "without a description the operation leads nowhere");
        for link in &reading.links {
            assert_eq!(text[link.span.clone()], format!("\"{}\"", link.href()));
        }
    }

    #[test]
    fn verdicts() {
        let cases = [
            ("", "unusable"),
            ("<html>", "unusable"),
            ("[]", "unusable"),
            ("{}", "unusable"),
            (r#"{"$ref": "x.json"}"#, "unusable"),
            (r#"{"navigation": 3}"#, "unusable"),
            (r#"{"navigation": {}}"#, "no_pages"),
            (r#"{"navigation": []}"#, "no_pages"),
            (r#"{"navigation": [{"group": "", "pages": ["a"]}], "tabs": [{"name": "x", "url": "x"}]}"#, "ok"),
            (r#"{"navigation": {"pages": ["a"]}, "redirects": {"$ref": "r.json"}}"#, "ok"),
            (r#"{"navigation": {"pages": ["a", {"$ref": "x.json"}]}}"#, "truncated"),
            (r#"{"navigation": {"groups": [{"sourceRef": "m"}]}}"#, "truncated"),
            (r#"{"navigation": {"groups": [{"group": "A", "openapi": "api.json"}]}}"#, "truncated"),
        ];
        for (text, verdict) in cases {
            assert_eq!(read_nav(text).verdict.name(), verdict, "{text}");
        }
    }
}

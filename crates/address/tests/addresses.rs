//! Tables and laws of addresses.

use proptest::prelude::*;
use wholesite_address::{Base, Fold, PageKey, ReferenceError, Resolved, Scope, SiteUrl, StorePath, Within};

fn url(text: &str) -> SiteUrl {
    SiteUrl::parse(text).unwrap_or_else(|error| panic!("{text}: {error}"))
}

fn resolve(base: &str, reference: &str) -> Result<String, ReferenceError> {
    match Base::of(&url(base)).resolve(reference)? {
        Resolved::Web { url, .. } => Ok(url.as_str().to_owned()),
        Resolved::OtherScheme { scheme } => Ok(format!("({scheme})")),
    }
}

const BASE: &str = "https://docs.example.com/guide/start";

#[test]
fn references_resolve() {
    let cases = [
        ("next", "https://docs.example.com/guide/next"),
        ("./next#part", "https://docs.example.com/guide/next"),
        ("../", "https://docs.example.com/"),
        ("/a/./b/../c", "https://docs.example.com/a/c"),
        ("//docs.example.com/x", "https://docs.example.com/x"),
        ("HTTPS://DOCS.example.com:443/Guide", "https://docs.example.com/Guide"),
        ("https://docs.example.com:8443/Guide", "https://docs.example.com:8443/Guide"),
        ("/id/QUJD%3d", "https://docs.example.com/id/QUJD%3D"),
        ("/%7Euser/%41", "https://docs.example.com/~user/A"),
        ("/100%", "https://docs.example.com/100%25"),
        ("/café", "https://docs.example.com/caf%C3%A9"),
        ("/a%20b", "https://docs.example.com/a%20b"),
        ("/find?term=x&page=2", "https://docs.example.com/find?term=x&page=2"),
        ("/find?", "https://docs.example.com/find"),
        ("https://döcs.example.com/a", "https://xn--dcs-sna.example.com/a"),
        ("mailto:team@example.com", "(mailto)"),
        ("javascript:void(0)", "(javascript)"),
        ("data:text/plain,hi", "(data)"),
        (" /spaces ", "https://docs.example.com/spaces"),
    ];
    for (reference, expected) in cases {
        assert_eq!(resolve(BASE, reference).as_deref(), Ok(expected), "{reference}");
    }
}

#[test]
fn references_that_lead_nowhere() {
    use ReferenceError::*;
    let cases = [
        ("", Empty),
        ("  ", Empty),
        ("https://", NoHost),
        ("https://u:p@docs.example.com/a", Credentials),
        ("../../../x", AboveRoot),
        ("/..", AboveRoot),
        ("/%2e%2e/x", AboveRoot),
        ("https://docs.example.com/a/../../x", AboveRoot),
        ("/a%2fb", EncodedSlash),
        ("/a%5Cb", EncodedBackslash),
        ("/a%00b", Control),
        ("/a\u{7}b", Control),
    ];
    for (reference, expected) in cases {
        assert_eq!(resolve(BASE, reference), Err(expected), "{reference}");
    }
    assert!(matches!(resolve(BASE, "https://docs.example.com:99999/a"), Err(Syntax(_))));
    assert!(matches!(resolve(BASE, &format!("/{}", "a".repeat(9_000))), Err(TooLong { .. })));
}

#[test]
fn base_href_is_honoured() {
    let page = url("https://docs.example.com/a/b.html");
    for (href, expected) in [("/v2/", "/v2/intro"), ("v2/", "/a/v2/intro"), ("https://", "/a/intro")] {
        let base = Base::of(&page).with_base_href(href);
        let Ok(Resolved::Web { url, .. }) = base.resolve("intro") else { panic!("{href}") };
        assert_eq!(url.path(), expected, "{href}");
    }
}

#[test]
fn scopes() {
    let docs = Scope::below(&url("https://example.com/docs/"));
    for (address, expected) in [
        ("https://example.com/docs", Within::Inside),
        ("https://example.com/docs/a", Within::Inside),
        ("https://example.com/docs?x=1", Within::Inside),
        ("https://example.com/docs-old/a", Within::OutsideBase),
        ("https://example.com/", Within::OutsideBase),
        ("http://example.com/docs/a", Within::OtherOrigin),
        ("https://example.com:8443/docs/a", Within::OtherOrigin),
    ] {
        assert_eq!(docs.locate(&url(address)), expected, "{address}");
    }
    assert_eq!(docs.to_string(), "https://example.com/docs");
    assert_eq!(docs.at("/llms.txt").as_str(), "https://example.com/docs/llms.txt");
    assert_eq!(Scope::folder_of(&url("https://example.com/docs/llms.txt")), docs);
    assert_eq!(docs.parent(), Some(Scope::below(&url("https://example.com/"))));
}

#[test]
fn folds() {
    let all = Fold { html: true, ..Fold::MINTLIFY };
    let slash_kept = Fold { trailing_slash: false, ..Fold::MINTLIFY };
    for (fold, address, expected) in [
        (Fold::default(), "/a.md", "/a.md"),
        (Fold::MINTLIFY, "/a.md", "/a"),
        (Fold::MINTLIFY, "/a/index.md", "/a"),
        (Fold::MINTLIFY, "/index.md", "/"),
        (Fold::MINTLIFY, "/a/", "/a"),
        (Fold::MINTLIFY, "/a.html", "/a.html"),
        (Fold::MINTLIFY, "/a.md?x=1", "/a?x=1"),
        (Fold::MINTLIFY, "/.md", "/.md"),
        (Fold::MINTLIFY, "/guides/node.js", "/guides/node.js"),
        (slash_kept, "/a/index.md", "/a/"),
        (all, "/a/index.html", "/a"),
    ] {
        let folded = fold.apply(&url(&format!("https://example.com{address}")));
        assert_eq!(folded.path_and_query(), expected, "{address}");
    }
}

#[test]
fn store_paths() {
    let site = Scope::below(&url("https://example.com/docs"));
    for (address, expected) in [
        ("/docs", "/index.md"),
        ("/docs/", "/index.md"),
        ("/docs/guides/setup", "/guides/setup.md"),
        ("/docs/guides/setup.md", "/guides/setup.md"),
        ("/docs/blog/", "/blog/index.md"),
        ("/docs/p?x=1", "/p%3Fx=1.md"),
        ("/docs/p?a=b/c", "/p%3Fa=b%2Fc.md"),
        ("/docs/p?a=b%2Fc", "/p%3Fa=b%252Fc.md"),
        ("/docs/p%3Fx=1", "/p%253Fx=1.md"),
        ("/docs/p:q", "/p%3Aq.md"),
        ("/docs/p%7Cq", "/p%257Cq.md"),
        ("/docs/%E6%96%87", "/文.md"),
        ("/docs/cafe%CC%81", "/cafe%CC%81.md"),
        ("/docs//abs", "/%_/abs.md"),
        ("/docs/con", "/%63on.md"),
        ("/docs/com1.txt/x", "/%63om1.txt/x.md"),
        ("/docs/v1./x", "/v1%2E/x.md"),
        ("/docs/a.html", "/a.html.md"),
        ("/docs/..md", "/..md.md"),
        ("/docs/...md", "/...md.md"),
    ] {
        let address = url(&format!("https://example.com{address}"));
        assert_eq!(StorePath::of(&address, &site).expect("inside").as_str(), expected, "{address}");
    }
    for bad in ["/../x.md", "/a", "a.md", "/a/../b.md", "/CON.md", "/a?b.md", "/a%2E%2E/.md"] {
        assert!(StorePath::parse(bad).is_err(), "{bad}");
    }
}

#[test]
fn case_and_unicode_twins_share_a_key() {
    let site = Scope::below(&url("https://example.com/"));
    let key = |path: &str| {
        PageKey::of(&StorePath::of(&url(&format!("https://example.com{path}")), &site).expect("inside"))
    };
    assert_eq!(key("/Guide"), key("/guide"));
    assert_eq!(key("/caf%C3%A9"), key("/cafe%CC%81"));
    assert_ne!(key("/guide"), key("/guides"));
}

fn any_path() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        "[a-zA-Z0-9._~-]{1,12}",
        "[:*|\"<>?%&=+,;@!$'()\\[\\]{}^`]{1,4}",
        "%[0-9a-fA-F]{2}",
        "\\PC{1,4}",
        Just("con".to_owned()),
        Just("index".to_owned()),
        "a{190,210}",
    ];
    proptest::collection::vec(prop_oneof![4 => piece, 1 => Just("/".to_owned())], 0..8)
        .prop_map(|p| p.concat())
}

proptest! {
    #[test]
    fn normalising_twice_equals_normalising_once(path in any_path()) {
        if let Ok(once) = SiteUrl::parse(&format!("https://example.com/{path}")) {
            prop_assert_eq!(&url(once.as_str()), &once);
        }
    }

    #[test]
    fn store_paths_are_safe_and_lead_back(path in any_path()) {
        let site = Scope::below(&url("https://example.com/docs"));
        let Ok(address) = SiteUrl::parse(&format!("https://example.com/docs/{path}")) else { return Ok(()) };
        let Ok(stored) = StorePath::of(&address, &site) else { return Ok(()) };
        for segment in stored.as_str()[1..].split('/') {
            prop_assert!(!segment.is_empty() && segment.len() <= 255, "{}", stored);
            prop_assert!(segment != "." && segment != ".." && !segment.ends_with(['.', ' ']), "{}", stored);
            prop_assert!(!segment.contains(['"', '*', ':', '<', '>', '?', '|', '\\']), "{}", stored);
        }
        let back = stored.to_url(&site).expect("written by us");
        let twin = |u: &SiteUrl| {
            let fold = Fold { markdown_twin: true, index: true, trailing_slash: false, html: false };
            let folded = fold.apply(u);
            if folded.path() == "/docs/" && folded.query().is_none() { url("https://example.com/docs") } else { folded }
        };
        prop_assert_eq!(twin(&back), twin(&address), "{}", stored);
        prop_assert_eq!(StorePath::of(&back, &site).expect("inside"), stored);
    }

    #[test]
    fn folding_is_idempotent(path in any_path(), bits in 0_u8..16) {
        let Ok(address) = SiteUrl::parse(&format!("https://example.com/{path}")) else { return Ok(()) };
        let fold = Fold {
            markdown_twin: bits & 1 != 0, index: bits & 2 != 0, trailing_slash: bits & 4 != 0, html: bits & 8 != 0,
        };
        let once = fold.apply(&address);
        prop_assert_eq!(fold.apply(&once), once);
    }
}

/// Texts that are nearly plain addresses: where the way without a parser must know its limits.
fn nearly_plain() -> impl Strategy<Value = String> {
    let host = "(docs\\.example\\.com|a[a-z0-9.-]{0,8}|[a-z0-9.-]{1,12}|127\\.0\\.0\\.1|1\\.2\\.3|0x7f\\.1|xn--[a-z0-9-]{1,6}|[A-Z]{1,3}\\.com)";
    let port = "(|:80|:443|:8080|:08080|:99999|:)";
    let path = "(|/[a-zA-Z0-9~_./-]{0,12}|/(\\.|\\.\\.|a|%41|\\*|\\?|#|'|\"|é){0,6}/b)";
    ("(https?|HTTP|ftp)", host, port, path)
        .prop_map(|(scheme, host, port, path)| format!("{scheme}://{host}{port}{path}"))
}

proptest! {
    #[test]
    fn the_way_without_a_parser_agrees_with_the_parser(text in nearly_plain(), path in "(/?/?[a-z.]{0,4}/[A-Za-z0-9%~_./?#-]{0,10})") {
        let parsed = |text: &str| url::Url::parse(text).map_err(ReferenceError::from).and_then(SiteUrl::from_url);
        prop_assert_eq!(SiteUrl::parse(&text), parsed(&text), "{}", text);
        if let Ok(base) = SiteUrl::parse(&text) {
            let joined = url::Url::parse(base.as_str()).unwrap();
            for reference in [path.clone(), format!("{}{path}", base.origin()), format!("{}x{path}", base.origin())] {
                let (Ok(Resolved::Web { url, .. }), Ok(joined)) = (Base::of(&base).resolve(&reference), joined.join(&reference)) else { continue };
                prop_assert_eq!(Ok(url), SiteUrl::from_url(joined), "{} in {}", reference, base);
            }
        }
    }
}

//! Answers to different addresses, compared.

use wholesite_address::SiteUrl;
use wholesite_clean::{Served, Wanted, fingerprint};

fn of(url: &str, body: &str) -> u64 {
    let url = SiteUrl::parse(url).expect("an address");
    fingerprint(&Served { url: &url, wanted: Wanted::Any, content_type: None, body: body.as_bytes() })
}

#[test]
fn the_address_in_a_text_makes_no_difference() {
    let page = |path: &str, id: &str| {
        format!(
            "<!doctype html><html><head><title>{path}</title></head><body><nav><a href='/a'>Guides</a></nav>\
             <h1>Nothing here</h1><p>There is no page at {path} on this site.</p><p>Request {id}, 12:30:01</p></body></html>"
        )
    };
    let first = of("https://a.example/docs/zzz-one", &page("/docs/zzz-one", "8f3a90bc11"));
    let second = of("https://a.example/docs/other", &page("/docs/other", "77e0129fff"));
    assert_eq!(first, second);
    let text = |name: &str| format!("# Oh dear\n\nNothing is known of `{name}`.\n");
    assert_eq!(
        of("https://a.example/x/one.md", &text("one")),
        of("https://a.example/x/two-three.md", &text("two-three"))
    );
}

#[test]
fn white_space_and_scripts_make_no_difference() {
    let first = of("https://a.example/a", "<!doctype html><p>one  two</p><script>var n = 1</script>");
    let second = of("https://a.example/a", "<!doctype html><p>one\ntwo</p><script>var n = 2</script>");
    assert_eq!(first, second);
}

#[test]
fn other_texts_are_other_texts() {
    let texts = [
        "# Install\n\nRun it.\n",
        "# Install\n\nStop it.\n",
        "# Install\n\nRun it it.\n",
        "",
        "# InstallRun it.\n",
    ];
    let prints: std::collections::BTreeSet<u64> =
        texts.iter().map(|text| of("https://a.example/page", text)).collect();
    assert_eq!(prints.len(), texts.len());
}

#[test]
fn it_stays_the_same_from_version_to_version() {
    assert_eq!(of("https://a.example/page", "one two"), 8_907_130_258_221_289_207);
}

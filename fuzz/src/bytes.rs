//! Addresses, headers and bodies.

use std::io::Read;

use wholesite_address::{Base, PageKey, Resolved, Scope, SiteUrl, StorePath};
use wholesite_clean::{Form, Served, Wanted};
use wholesite_content::{Limit, TextStream};
use wholesite_extract::link_header::HeaderLink;
use wholesite_fetch::RetryPolicy;

/// An address resolved, and the way to its place in a store and back. The first line is the base.
pub fn address(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let (base, reference) = text.split_once('\n').unwrap_or(("https://docs.example.com/a/b?c", text));
    let Ok(base) = SiteUrl::parse(base) else { return };
    check_address(&base);
    let Ok(Resolved::Web { url, .. }) = Base::of(&base).resolve(reference) else { return };
    check_address(&url);
    assert_eq!(Base::of(&base).resolve(url.as_str()).ok(), Some(Resolved::Web { url, fragment: None }));
}

fn check_address(url: &SiteUrl) {
    assert_eq!(SiteUrl::parse(url.as_str()).as_ref(), Ok(url), "a normal form is its own");
    assert!(url.as_str().bytes().all(|byte| byte.is_ascii_graphic()), "{url:?} holds what no address holds");
    assert!(url.path().starts_with('/'));
    assert_eq!(format!("{}{}", url.origin(), url.path_and_query()), url.as_str());
    for scope in [Scope::below(&url.with_path("/")), Scope::folder_of(url), Scope::below(url)] {
        let path = StorePath::of(url, &scope).expect("an address lies in its own scopes");
        check_store_path(&path);
        let back = path.to_url(&scope).expect("a way back");
        let again = StorePath::of(&back, &scope).expect("in the same scope");
        assert_eq!(again, path, "{url} went, and {back} came back");
        assert_eq!(PageKey::of(&again), PageKey::of(&path));
    }
}

fn check_store_path(path: &StorePath) {
    let text = path.as_str();
    assert_eq!(StorePath::parse(text).as_ref(), Ok(path));
    assert!(text.starts_with('/') && text.ends_with(".md"), "{text}");
    for name in text[1..].split('/') {
        assert!(!name.is_empty() && name != "." && name != ".." && name.len() <= 203, "{text}: {name:?}");
        let is_refused = |c: char| c.is_control() || "\"*:<>?|\\".contains(c);
        assert!(!name.contains(is_refused), "{text}: {name:?}");
    }
}

/// `Link` and `X-Llms-Txt`: what was read and written again reads the same.
pub fn link_header(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let values: Vec<&str> = text.split('\n').collect();
    let links = wholesite_extract::link_header::read(values.iter().copied());
    let written: usize =
        links.iter().map(|link| link.href.len() + link.rels.iter().map(String::len).sum::<usize>()).sum();
    assert!(written <= text.len() * 2, "{written} bytes out of {}", text.len());
    for link in &links {
        // A blank in quotes is none of ours to keep.
        let value = format!("<{}>; rel=\"{}\"", link.href, link.rels.join(" "));
        let again = wholesite_extract::link_header::read([value.as_str()]);
        let plain = HeaderLink { href: link.href.clone(), rels: link.rels.clone(), ..HeaderLink::default() };
        if !link.rels.iter().any(|rel| rel.contains(['"', '\\'])) {
            assert_eq!(again, [plain]);
        }
        link.names_index();
    }
    for link in wholesite_extract::link_header::read_x_llms_txt(values) {
        assert!(!link.href.is_empty() && link.names_index());
    }
}

/// `Content-Type`, sniffing and charsets: the first line is the header, the rest the body. The
/// stream decodes as the whole does.
pub fn charset(data: &[u8]) {
    let mut parts = data.splitn(2, |byte| *byte == b'\n');
    let header = String::from_utf8_lossy(parts.next().unwrap_or_default()).into_owned();
    let body = parts.next().unwrap_or_default();
    if let Some(media_type) = wholesite_content::media_type(&header) {
        assert!(!media_type.kind().is_empty() && !media_type.subtype().is_empty());
        assert!(!media_type.kind().bytes().any(|byte| byte.is_ascii_uppercase()));
    }
    for header in [None, Some(header.as_str())] {
        wholesite_content::sniff(body, header);
        let whole = wholesite_content::decode(body, header);
        assert!(whole.text.len() <= body.len() * 3 + 3);
        let mut stream = TextStream::new(body, header).expect("memory can be read");
        let mut text = String::new();
        stream.read_to_string(&mut text).expect("a text stream gives text");
        assert_eq!(text, whole.text, "the stream and the whole differ");
    }
}

/// Gzip: never more than the limit, whatever goes in.
pub fn inflate(data: &[u8]) {
    let limit = Limit { max_bytes: 1 << 16, max_ratio: 50 };
    if let Ok(out) = wholesite_content::gunzip(data, limit) {
        assert!(out.len() as u64 <= limit.max_bytes);
        assert!(wholesite_content::is_gzip(data));
    }
}

/// `Retry-After`: any value becomes a pause within the bounds of the policy.
pub fn retry_after(data: &[u8]) {
    let Ok(value) = std::str::from_utf8(data) else { return };
    for now in [0, 1_700_000_000, u64::MAX] {
        let Some(asked) = wholesite_fetch::retry_after::parse(value, now) else { continue };
        let policy = RetryPolicy::default();
        let pause = policy.asked(asked);
        assert!(pause >= policy.backoff_min.min(policy.retry_after_cap) && pause <= policy.retry_after_cap);
    }
}

/// Cleaning: text in proportion, one final newline, no stray carriage returns; what was cleaned stays
/// as it is.
pub fn clean(data: &[u8]) {
    let url: SiteUrl = "https://docs.example.com/guides/page".parse().expect("a URL");
    let (first, body) = data.split_first().unwrap_or((&0, data));
    let content_type =
        [None, Some("text/html"), Some("text/markdown"), Some("text/plain")][usize::from(first % 4)];
    for wanted in [Wanted::Any, Wanted::Markdown] {
        let Ok(page) = wholesite_clean::clean(&Served { url: &url, wanted, content_type, body }) else {
            continue;
        };
        assert!(page.text.len() <= body.len() * 16 + 256, "{} bytes out of {}", page.text.len(), body.len());
        assert!(page.text.ends_with('\n') && !page.text.ends_with("\n\n"), "{:?}", page.text);
        assert!(!page.text.contains('\r'), "{:?}", page.text);
        if page.form == Form::Html {
            continue;
        }
        let again = Served {
            url: &url,
            wanted,
            content_type: Some("text/markdown; charset=utf-8"),
            body: page.text.as_bytes(),
        };
        if let (Form::Markdown, Ok(again)) = (page.form, wholesite_clean::clean(&again)) {
            assert_eq!(again.text, page.text, "cleaning twice is cleaning once");
        }
    }
}

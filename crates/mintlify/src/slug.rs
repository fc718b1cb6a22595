//! From file path to slug to address to title, as Mintlify does it.

use percent_encoding::{AsciiSet, CONTROLS, percent_decode_str, utf8_percent_encode};

/// What a URL path cannot hold as it is (WHATWG URL, path percent-encode set, and `%` itself, since a slug is a file
/// name and no URL yet).
const PATH: &AsciiSet = &CONTROLS
    .add(b' ')
    .add(b'"')
    .add(b'#')
    .add(b'<')
    .add(b'>')
    .add(b'?')
    .add(b'^')
    .add(b'`')
    .add(b'{')
    .add(b'}')
    .add(b'%')
    .add(b'\\');

/// Whether a file is Markdown by its name. Mintlify takes the two endings in lower case only.
pub(crate) fn is_markdown(path: &str) -> bool {
    slug_of(path).is_some_and(|slug| !slug.is_empty() && !slug.ends_with('/'))
}

/// The path less one `.md` or `.mdx`; `None` for any other file.
pub(crate) fn slug_of(path: &str) -> Option<&str> {
    path.strip_suffix(".mdx").or_else(|| path.strip_suffix(".md"))
}

/// The address of a slug: leading `/`, a trailing `/index` folded, percent-encoded.
pub(crate) fn url_path(slug: &str) -> String {
    let folded = match slug {
        "index" => "",
        _ => slug.strip_suffix("/index").unwrap_or(slug),
    };
    encode(&format!("/{folded}"))
}

/// Percent-encodes a decoded path.
pub(crate) fn encode(path: &str) -> String {
    utf8_percent_encode(path, PATH).to_string()
}

/// Undoes percent-encoding where the result is text; else the path as it is.
pub(crate) fn decode(path: &str) -> String {
    percent_decode_str(path).decode_utf8().map_or_else(|_| path.to_owned(), Into::into)
}

/// The title Mintlify gives a page without one: last segment, dashes to blanks, first letter upper-cased.
pub(crate) fn title_of(slug: &str) -> String {
    let last = slug.rsplit('/').next().filter(|segment| !segment.is_empty()).unwrap_or("index");
    let words = last.replace(['-', '_'], " ");
    let mut letters = words.chars();
    match letters.next() {
        Some(first) => first.to_uppercase().chain(letters).collect(),
        None => words,
    }
}

/// A path with `.`, `..`, repeated and leading slashes resolved, as seen from `folder` (POSIX resolve). `None` where it
/// leads out of the root; see [`normalize`] for the lenient form.
pub(crate) fn join(folder: &str, path: &str) -> Option<String> {
    let mut kept: Vec<&str> = Vec::new();
    for segment in folder.split('/').chain(path.split('/')) {
        match segment {
            "" | "." => {}
            ".." => {
                kept.pop()?;
            }
            _ => kept.push(segment),
        }
    }
    Some(kept.join("/"))
}

/// A page string as a path below the root: backslashes are slashes, `..` never leaves the root.
pub(crate) fn normalize(text: &str) -> String {
    let text = text.replace('\\', "/");
    let mut kept: Vec<&str> = Vec::new();
    for segment in text.split('/') {
        match segment {
            "" | "." => {}
            ".." => {
                kept.pop();
            }
            _ => kept.push(segment),
        }
    }
    kept.join("/")
}

/// The folder of a file, without the trailing slash; empty for the root.
pub(crate) fn folder_of(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// Whether a text begins with a URL scheme: `https:`, `mailto:`, `cursor:`.
pub(crate) fn has_scheme(text: &str) -> bool {
    let Some((scheme, _)) = text.split_once(':') else { return false };
    scheme.starts_with(|first: char| first.is_ascii_alphabetic())
        && scheme.chars().all(|letter| letter.is_ascii_alphanumeric() || matches!(letter, '+' | '-' | '.'))
}

/// Whether a text is an absolute web address.
pub(crate) fn is_web_url(text: &str) -> bool {
    let starts =
        |prefix: &str| text.get(..prefix.len()).is_some_and(|head| head.eq_ignore_ascii_case(prefix));
    starts("http://") || starts("https://")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_and_titles() {
        let cases = [
            ("index", "/", "Index"),
            ("guides/index", "/guides", "Index"),
            ("guides/first-steps_now", "/guides/first-steps_now", "First steps now"),
            ("sp ace/100%", "/sp%20ace/100%25", "100%"),
            ("日本/x[1](2)", "/%E6%97%A5%E6%9C%AC/x[1](2)", "X[1](2)"),
            ("reindex", "/reindex", "Reindex"),
        ];
        for (slug, url, title) in cases {
            assert_eq!((url_path(slug).as_str(), title_of(slug).as_str()), (url, title));
            assert_eq!(decode(url), decode(&url_path(slug)));
        }
    }

    #[test]
    fn paths_are_resolved() {
        let cases = [
            ("a/b", "../c.json", Some("a/c.json")),
            ("", "./nav//x.json", Some("nav/x.json")),
            ("a", "../../x", None),
        ];
        for (folder, path, expected) in cases {
            assert_eq!(join(folder, path).as_deref(), expected);
        }
        assert_eq!(normalize("/./x/../a\\b//"), "a/b");
        assert_eq!(normalize("../../up"), "up");
        assert!(
            has_scheme("mailto:a@b")
                && has_scheme("https://x")
                && !has_scheme("/a:b")
                && !has_scheme("a b:c")
        );
        assert!(
            is_markdown("a/B.mdx") && !is_markdown("a/b.MDX") && !is_markdown("a/.md") && !is_markdown("md")
        );
    }
}

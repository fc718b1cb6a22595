//! File paths as addresses, joined and taken apart.

use percent_encoding::{AsciiSet, CONTROLS, percent_decode_str, utf8_percent_encode};

/// What a URL path cannot hold as it is (WHATWG URL, path percent-encode set, and `%` itself, since a file name is no
/// URL yet).
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

/// Percent-encodes a path of file names.
pub(crate) fn encode(path: &str) -> String {
    utf8_percent_encode(path, PATH).to_string()
}

/// Undoes percent-encoding where the result is text; else the path as it is.
pub(crate) fn decode(path: &str) -> String {
    percent_decode_str(path).decode_utf8().map_or_else(|_| path.to_owned(), Into::into)
}

/// The folder of a file, without a final slash; empty for the root.
pub(crate) fn folder_of(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// The last segment of a path.
pub(crate) fn name_of(path: &str) -> &str {
    path.rsplit_once('/').map_or(path, |(_, name)| name)
}

/// The path less the extension of its last segment, and that extension without its dot.
pub(crate) fn split_extension(path: &str) -> (&str, &str) {
    match path.rsplit_once('.') {
        Some((stem, extension)) if !extension.contains('/') && !stem.is_empty() && !stem.ends_with('/') => {
            (stem, extension)
        }
        _ => (path, ""),
    }
}

/// A path as seen from `folder`, with `.`, `..` and empty segments resolved. `None` where it leads out of the root.
pub(crate) fn join(folder: &str, path: &str) -> Option<String> {
    let folder = if path.starts_with('/') { "" } else { folder };
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

/// What lies below a folder (empty: the root), as a path relative to it.
pub(crate) fn below<'p>(path: &'p str, folder: &str) -> Option<&'p str> {
    if folder.is_empty() { Some(path) } else { path.strip_prefix(folder)?.strip_prefix('/') }
}

/// A path without the fragment and the query of a link.
pub(crate) fn without_fragment(link: &str) -> &str {
    link.split(['#', '?']).next().unwrap_or_default()
}

/// Whether a text begins with a URL scheme or with `//`.
pub(crate) fn is_external(text: &str) -> bool {
    if text.starts_with("//") {
        return true;
    }
    let Some((scheme, _)) = text.split_once(':') else { return false };
    scheme.starts_with(|first: char| first.is_ascii_alphabetic())
        && scheme.len() > 1
        && scheme.chars().all(|letter| letter.is_ascii_alphanumeric() || matches!(letter, '+' | '-' | '.'))
}

/// A title made of a file name: dashes to blanks, first letter upper-cased.
pub(crate) fn title_of(path: &str) -> String {
    let stem = split_extension(name_of(path)).0;
    let words = stem.replace(['-', '_'], " ");
    let mut letters = words.chars();
    match letters.next() {
        Some(first) => first.to_uppercase().chain(letters).collect(),
        None => words,
    }
}

/// A base path without a final slash; nothing for the root.
pub(crate) fn base_path(text: &str) -> String {
    match text.trim_matches('/') {
        "" => String::new(),
        inner => format!("/{inner}"),
    }
}

/// The path of an absolute URL, as a base path.
pub(crate) fn base_of_url(url: &str) -> String {
    let rest = url.split_once("://").map_or("", |(_, rest)| rest);
    base_path(without_fragment(rest.split_once('/').map_or("", |(_, path)| path)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_join_and_split() {
        assert_eq!(join("a/b", "../c.md").as_deref(), Some("a/c.md"));
        assert_eq!(join("a", "/c.md").as_deref(), Some("c.md"));
        assert_eq!(join("a", "../../c.md"), None);
        assert_eq!(split_extension("a.b/c"), ("a.b/c", ""));
        assert_eq!(split_extension("a/.md"), ("a/.md", ""));
        assert_eq!(split_extension("a/b.c.md"), ("a/b.c", "md"));
        assert_eq!(below("docs/a.md", "docs"), Some("a.md"));
        assert_eq!(below("docsy/a.md", "docs"), None);
        assert!(is_external("https://a") && is_external("mailto:a") && is_external("//a"));
        assert!(!is_external("C:/a") && !is_external("a/b:c") && !is_external("/a"));
        assert_eq!(base_of_url("https://a.example/b/c/?x#y"), "/b/c");
        assert_eq!(base_of_url("https://a.example"), "");
    }
}

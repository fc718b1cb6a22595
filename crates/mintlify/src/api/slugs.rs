//! The slugs of pages that are made from API descriptions.

/// Where such pages lie, where the navigation names no `directory`.
const DIRECTORY: &str = "api-reference";

/// A text as a part of a slug; `None` for no text.
pub(super) fn fold(text: Option<&str>) -> Option<String> {
    let text = text.filter(|text| !text.is_empty())?;
    let text = without_placeholders(&text.replace(' ', "-"));
    let text = text.strip_prefix('-').unwrap_or(&text);
    let text = text.strip_suffix('-').unwrap_or(text);
    let kept: String = text
        .chars()
        .filter(|letter| !matches!(letter, '{' | '}' | '(' | ')' | ',' | '.' | '\'' | '\n' | '/'))
        .collect();
    Some(kept.replace("--", "-").to_lowercase())
}

/// Each `{…}` on one line becomes a dash.
fn without_placeholders(text: &str) -> String {
    let mut kept = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(open) = rest.find('{') {
        let Some(length) = rest[open..].find(['}', '\n']).filter(|at| rest[open + at..].starts_with('}'))
        else {
            kept.push_str(&rest[..=open]);
            rest = &rest[open + 1..];
            continue;
        };
        kept.push_str(&rest[..open]);
        kept.push('-');
        rest = &rest[open + length + 1..];
    }
    kept + rest
}

/// `directory`, folder and name as one slug, not yet lower-cased.
pub(super) fn join(directory: Option<&str>, folder: &str, name: &str) -> String {
    clean(&[directory.unwrap_or(DIRECTORY), folder, name])
}

/// The slug that `x-mint.href` asks for: an extension of its last segment is dropped.
pub(super) fn of_href(href: &str) -> String {
    let href = href.trim_start_matches('/').trim_end_matches('/');
    let (folder, name) = href.rsplit_once('/').unwrap_or(("", href));
    let stem = match name.rfind('.') {
        Some(at) if at > 0 => &name[..at],
        _ => name,
    };
    clean(&[folder, stem])
}

/// Joined with slashes, `.`, `..` and empty segments resolved.
fn clean(parts: &[&str]) -> String {
    let mut kept: Vec<&str> = Vec::new();
    for segment in parts.iter().flat_map(|part| part.split('/')) {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_of_slugs() {
        let cases = [
            ("Get a lamp (by id), now.", "get-a-lamp-by-id-now"),
            ("/lamps/{id}", "lamps"),
            ("/lamps/{id}/shades", "lamps-shades"),
            ("Create/Update a lamp's shade", "createupdate-a-lamps-shade"),
            ("{all}", ""),
            ("A - B", "a--b"),
            ("{open", "open"),
            ("Überblick 日本", "überblick-日本"),
        ];
        for (text, slug) in cases {
            assert_eq!(fold(Some(text)).as_deref(), Some(slug), "{text}");
        }
        assert_eq!(fold(Some("")), None);
        assert_eq!(join(None, "", "get-x"), "api-reference/get-x");
        assert_eq!(join(Some("/Ref//v1/"), "t", "n"), "Ref/v1/t/n");
        assert_eq!(of_href("/custom/place.html"), "custom/place");
        assert_eq!(of_href("one"), "one");
    }
}

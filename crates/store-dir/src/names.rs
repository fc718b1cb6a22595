//! Names that every file system takes, and keeps apart.

use unicode_normalization::UnicodeNormalization;
use wholesite_store::{Digest, SiteKey};

/// The folder in which a store, and a site, keeps what is not for people.
pub(crate) const OWN: &str = ".wholesite";

/// The longest name of a site's folder, in bytes.
const FOLDER_BYTES: usize = 200;

/// The folder of a site: the key without `https://`, with `+` for each slash and triplets for what
/// is not safe, such as `docs.example.com`, `example.com+docs` or `docs.example.com%3A8443`. Two
/// keys never share a folder, also where the file system knows no upper case.
pub(crate) fn site_folder(site: &SiteKey) -> String {
    let key = site.as_str();
    let (prefix, rest) = match key.strip_prefix("https://") {
        Some(rest) => ("", rest),
        None => match key.strip_prefix("http://") {
            // No host of the first form can be `http` with an empty port.
            Some(rest) => ("http%3A+", rest),
            None => ("%3A+", key),
        },
    };
    // The one slash that ends the key of a whole host.
    let rest = rest.strip_suffix('/').filter(|host| !host.contains('/')).unwrap_or(rest);
    let mut name = prefix.to_owned();
    for (at, byte) in rest.bytes().enumerate() {
        let is_last_dot = byte == b'.' && at + 1 == rest.len();
        match byte {
            b'/' => name.push('+'),
            b'a'..=b'z' | b'0'..=b'9' | b'-' | b'_' | b'.' if !is_last_dot && (at > 0 || byte != b'.') => {
                name.push(char::from(byte));
            }
            _ => name.push_str(&format!("%{byte:02X}")),
        }
    }
    if is_device(&name) {
        name = format!("%{:02X}{}", name.as_bytes()[0], &name[1..]);
    }
    if name.len() > FOLDER_BYTES {
        // All of it is ASCII, and a tilde is in no short name.
        name.truncate(FOLDER_BYTES - 17);
        name = format!("{name}~{}", hash(key, 16));
    }
    name
}

/// Names that Windows takes for devices whatever comes after the first dot.
fn is_device(name: &str) -> bool {
    let stem = name.split('.').next().unwrap_or(name);
    let is_numbered = |prefix| {
        stem.strip_prefix(prefix)
            .is_some_and(|rest: &str| rest.len() == 1 && rest.as_bytes()[0].is_ascii_digit())
    };
    matches!(stem, "con" | "prn" | "aux" | "nul") || is_numbered("com") || is_numbered("lpt")
}

/// What a file system that knows neither case nor ways to compose a letter may see in a name. Names
/// that differ here differ everywhere.
pub(crate) fn fold(name: &str) -> String {
    if name.is_ascii() {
        return name.to_ascii_lowercase();
    }
    name.nfkd().flat_map(char::to_uppercase).flat_map(char::to_lowercase).nfkd().collect()
}

/// Names that no page may have, whatever its address: ours, and that of the tool by which people
/// keep the history of such a folder.
pub(crate) fn is_reserved(folded: &str) -> bool {
    folded == OWN || folded == ".git"
}

/// A name with something added that makes it differ from others: `guide~3f2a.md` for `guide.md`.
pub(crate) fn suffixed(name: &str, key: &str, digits: usize) -> String {
    let (stem, extension) = match name.strip_suffix(".md") {
        Some(stem) => (stem, ".md"),
        None => (name, ""),
    };
    format!("{stem}~{}{extension}", hash(key, digits))
}

/// The first digits of the hash of a text.
pub(crate) fn hash(text: &str, digits: usize) -> String {
    let mut hash = Digest::of(text).to_string();
    hash.truncate(digits);
    hash
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder(key: &str) -> String {
        site_folder(&SiteKey::parse(key).unwrap())
    }

    #[test]
    fn folders_of_sites_are_readable() {
        for (key, name) in [
            ("https://docs.example.com/", "docs.example.com"),
            ("https://docs.example.com:8443/", "docs.example.com%3A8443"),
            ("https://example.com/docs/v2", "example.com+docs+v2"),
            ("http://example.com/", "http%3A+example.com"),
            ("https://con.example/", "%63on.example"),
            ("https://example.com/Docs", "example.com+%44ocs"),
        ] {
            assert_eq!(folder(key), name);
        }
        let long = |end: &str| folder(&format!("https://example.com/{}{end}", "long/".repeat(80)));
        assert!(long("a").len() <= FOLDER_BYTES && long("a") != long("b"));
    }

    #[test]
    fn names_that_file_systems_confuse_fold_to_one() {
        for (one, other) in
            [("Guide.md", "gUIDE.md"), ("caf\u{e9}", "CAFE\u{301}"), ("stra\u{df}e", "STRASSE")]
        {
            assert_eq!(fold(one), fold(other));
        }
        assert_ne!(fold("a"), fold("b"));
        let mark = hash("/guide.md", 4);
        assert_eq!(suffixed("guide.md", "/guide.md", 4), format!("guide~{mark}.md"));
    }
}

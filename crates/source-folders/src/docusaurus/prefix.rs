//! Number prefixes of files and folders: `02-setup` is `setup`, in the second place.

/// A name without its number prefix, and the number. Dates and versions (`2024-01`, `1.2`) are no prefixes.
pub(super) fn split(name: &str) -> (&str, Option<u32>) {
    let digits = name.bytes().take_while(u8::is_ascii_digit).count();
    let (number, rest) = name.split_at(digits);
    if number.is_empty() {
        return (name, None);
    }
    let is_version = rest
        .strip_prefix(['-', '_', '.'])
        .is_some_and(|after| after.starts_with(|c: char| c.is_ascii_digit()));
    let after_blanks = rest.trim_start();
    let suffix = after_blanks.trim_start_matches(['-', '_', '.']);
    let has_mark = suffix.len() < after_blanks.len();
    let suffix = suffix.trim_start();
    if is_version || !has_mark || suffix.is_empty() || suffix.starts_with(['-', '_', '.']) {
        return (name, None);
    }
    (suffix, number.parse().ok())
}

/// A path with the prefixes of all its segments taken off.
pub(super) fn strip(path: &str) -> String {
    path.split('/').map(|segment| split(segment).0).collect::<Vec<_>>().join("/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prefixes() {
        let cases = [
            ("01-setup", "setup", Some(1)),
            ("3. The end", "The end", Some(3)),
            ("0012 - a", "a", Some(12)),
            ("2024-01-02-post", "2024-01-02-post", None),
            ("1.2-notes", "1.2-notes", None),
            ("7", "7", None),
            ("a-1", "a-1", None),
            ("4_", "4_", None),
        ];
        for (name, stripped, number) in cases {
            assert_eq!(split(name), (stripped, number), "{name}");
        }
        assert_eq!(strip("01-a/b/02_c"), "a/b/c");
    }
}

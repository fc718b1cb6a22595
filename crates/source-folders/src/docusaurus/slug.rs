//! Words with dashes, as tags and categories get them.

/// Splits at what is neither letter nor digit, and where case or kind of letter changes; joins with dashes, in lower
/// case (`kebabCase` of lodash).
pub(super) fn kebab(text: &str) -> String {
    let letters: Vec<char> = text.chars().filter(|letter| !matches!(letter, '\'' | '’')).collect();
    let mut slug = String::new();
    for (at, letter) in letters.iter().enumerate() {
        if !letter.is_alphanumeric() {
            continue;
        }
        let before = at.checked_sub(1).map(|before| letters[before]);
        let after = letters.get(at + 1);
        let starts_word = match before {
            None => false,
            Some(before) if !before.is_alphanumeric() => true,
            Some(before) => {
                let kinds_differ = before.is_numeric() != letter.is_numeric();
                let rises = before.is_lowercase() && letter.is_uppercase();
                let ends_acronym = before.is_uppercase()
                    && letter.is_uppercase()
                    && after.is_some_and(|after| after.is_lowercase());
                kinds_differ || rises || ends_acronym
            }
        };
        if starts_word && !slug.is_empty() {
            slug.push('-');
        }
        slug.extend(letter.to_lowercase());
    }
    slug
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words() {
        let cases = [
            ("Getting Started", "getting-started"),
            ("fast-check", "fast-check"),
            ("JavaScript", "java-script"),
            ("v3", "v-3"),
            ("HTMLPages & more", "html-pages-more"),
            ("Don't", "dont"),
            ("Überblick", "überblick"),
        ];
        for (text, slug) in cases {
            assert_eq!(kebab(text), slug);
        }
    }
}

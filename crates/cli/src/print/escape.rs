//! Nothing that a site sends may steer the terminal.

use std::borrow::Cow;

/// Replaces control characters (C0, DEL, C1), line and paragraph separators, and the characters
/// that reorder or hide text (bidi controls, zero-width characters) by visible escapes such as
/// `\u{1b}`.
pub(crate) fn terminal_safe(text: &str) -> Cow<'_, str> {
    if !text.chars().any(is_dangerous) {
        return Cow::Borrowed(text);
    }
    let mut safe = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        if is_dangerous(c) {
            safe.extend(c.escape_unicode());
        } else {
            safe.push(c);
        }
    }
    Cow::Owned(safe)
}

fn is_dangerous(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{2028}' | '\u{2029}' | '\u{200B}'..='\u{200F}' | '\u{202A}'..='\u{202E}'
            | '\u{2060}'..='\u{2069}' | '\u{FEFF}' | '\u{061C}' | '\u{180E}' | '\u{FFF9}'..='\u{FFFB}'
            | '\u{E0000}'..='\u{E007F}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_are_seen_and_not_obeyed() {
        for (text, expected) in [
            ("plain café 文", "plain café 文"),
            ("a\u{1b}[2Jb", "a\\u{1b}[2Jb"),
            ("a\u{1b}]8;;x\u{7}b", "a\\u{1b}]8;;x\\u{7}b"),
            ("a\u{9b}31m", "a\\u{9b}31m"),
            ("a\nb\tc", "a\\u{a}b\\u{9}c"),
            ("a\u{202e}b", "a\\u{202e}b"),
        ] {
            assert_eq!(terminal_safe(text), expected);
        }
    }
}

//! Counting and folding words.

/// How much there is to read. Scripts that put no blanks between words (Chinese, Japanese, Thai)
/// are counted by characters, two to a word; otherwise a long page in them would seem to be short.
pub(crate) fn count(text: &str) -> usize {
    if text.is_ascii() {
        return count_ascii(text.as_bytes());
    }
    let dense = text.chars().filter(|c| is_dense(*c)).count();
    let spaced = text
        .split(|c: char| c.is_whitespace() || is_dense(c))
        .filter(|word| word.chars().any(char::is_alphanumeric))
        .count();
    spaced + dense.div_ceil(2)
}

/// The same for ASCII, byte by byte: nearly every page is.
fn count_ascii(text: &[u8]) -> usize {
    let (mut words, mut counted) = (0, false);
    for byte in text {
        if byte.is_ascii_whitespace() || *byte == b'\x0b' {
            counted = false;
        } else if !counted && byte.is_ascii_alphanumeric() {
            counted = true;
            words += 1;
        }
    }
    words
}

fn is_dense(c: char) -> bool {
    matches!(c, '\u{0E00}'..='\u{0EFF}' | '\u{1000}'..='\u{109F}' | '\u{3040}'..='\u{30FF}'
        | '\u{3400}'..='\u{9FFF}' | '\u{AC00}'..='\u{D7AF}' | '\u{F900}'..='\u{FAFF}' | '\u{20000}'..='\u{3FFFF}')
}

/// Lower case, straight apostrophes, single blanks: the form in which phrases are compared.
pub(crate) fn fold(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for word in text.split_whitespace() {
        if !out.is_empty() {
            out.push(' ');
        }
        out.extend(word.chars().flat_map(char::to_lowercase).map(|c| if c == '’' { '\'' } else { c }));
    }
    out
}

/// Single blanks instead of any white space.
pub(crate) fn squeeze(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for word in text.split_whitespace() {
        if !out.is_empty() {
            out.push(' ');
        }
        out.push_str(word);
    }
    out
}

/// Whether nothing in a text can be seen: blanks, zero-width characters, byte order marks.
pub(crate) fn is_blank(text: &str) -> bool {
    text.chars().all(|c| {
        c.is_whitespace() || matches!(c, '\u{200B}'..='\u{200F}' | '\u{2060}' | '\u{FEFF}' | '\u{00AD}')
    })
}

#[cfg(test)]
mod tests {
    use super::count;

    #[test]
    fn ascii_and_the_rest_count_alike() {
        for text in ["", "a", " a  b\tc\x0bd ", "- * ...", "it's -x- 1", "one\n\ntwo three.\x1c four"] {
            assert_eq!(count(text), count(&format!("{text} \u{e9}")) - 1, "{text:?}");
        }
    }
}

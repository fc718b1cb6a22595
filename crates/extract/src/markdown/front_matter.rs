//! Front matter: YAML between `---` lines or TOML between `+++` lines, at the very start only.

/// Byte offset behind the front matter (0 where there is none). An opening fence without a closing
/// one is a thematic break, not front matter.
pub(crate) fn end(text: &str) -> usize {
    let bytes = text.as_bytes();
    let fence: &[u8] = match bytes.first() {
        Some(b'-') => b"---",
        Some(b'+') => b"+++",
        _ => return 0,
    };
    let mut lines = bytes.split_inclusive(|b| *b == b'\n');
    let mut at = match lines.next() {
        Some(first) if is_fence(first, fence) && first.ends_with(b"\n") => first.len(),
        _ => return 0,
    };
    for line in lines {
        at += line.len();
        if is_fence(line, fence) {
            return at;
        }
    }
    0
}

fn is_fence(line: &[u8], fence: &[u8]) -> bool {
    line.strip_prefix(fence)
        .is_some_and(|rest| rest.iter().all(|b| matches!(b, b' ' | b'\t' | b'\r' | b'\n')))
}

#[cfg(test)]
mod tests {
    use super::end;

    #[test]
    fn only_at_the_start_and_only_closed() {
        let table = [
            ("---\ntitle: x\n---\nbody", 17),
            ("+++\r\na = 1\r\n+++\r\nbody", 17),
            ("--- \n---", 8),
            ("---\nnot closed\n", 0),
            ("----\nx\n----\n", 0),
            ("\n---\nx\n---\n", 0),
            ("--- x\n---\n", 0),
            ("", 0),
        ];
        for (text, want) in table {
            assert_eq!(end(text), want, "{text:?}");
        }
    }
}

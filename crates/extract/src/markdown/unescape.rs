//! Backslash escapes and character references in destinations and labels (CommonMark §2.4, §2.5).

use std::borrow::Cow;

use super::entity;

/// Undoes backslash escapes of ASCII punctuation and character references. Borrows where nothing
/// was escaped.
pub(crate) fn unescape(source: &str) -> Cow<'_, str> {
    let bytes = source.as_bytes();
    if memchr::memchr2(b'\\', b'&', bytes).is_none() {
        return Cow::Borrowed(source);
    }
    let mut out = String::with_capacity(source.len());
    let mut done = 0;
    let mut at = 0;
    while let Some(offset) = memchr::memchr2(b'\\', b'&', &bytes[at..]) {
        let here = at + offset;
        at = here + 1;
        if bytes[here] == b'\\' {
            if bytes.get(at).is_some_and(u8::is_ascii_punctuation) {
                out.push_str(&source[done..here]);
                done = at;
                at += 1;
            }
        } else if let Some(reference) = entity::strict(&source[here..]) {
            out.push_str(&source[done..here]);
            reference.push_to(&mut out);
            done = here + reference.len;
            at = done;
        }
    }
    out.push_str(&source[done..]);
    Cow::Owned(out)
}

#[cfg(test)]
mod tests {
    use super::unescape;

    #[test]
    fn escapes_and_references() {
        let table = [
            ("/plain", "/plain"),
            (r"/a\)b", "/a)b"),
            (r"/a\b", r"/a\b"),
            (r"a\\\_b", r"a\_b"),
            ("x&amp;y", "x&y"),
            (r"x\&amp;y", "x&amp;y"),
            ("é\\", "é\\"),
        ];
        for (source, plain) in table {
            assert_eq!(unescape(source), plain, "{source:?}");
        }
    }
}

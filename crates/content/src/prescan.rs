//! Encodings that a document declares in its own text: `<meta charset>` and `<?xml encoding?>`.

use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE, WINDOWS_1252, X_USER_DEFINED};

/// How far a declaration is looked for, in bytes (WHATWG HTML §13.2.3.2).
pub(crate) const WINDOW: usize = 1024;

/// The encoding that an HTML document declares in its first [`WINDOW`] bytes, by the standard's
/// "prescan a byte stream to determine its encoding".
pub(crate) fn html(bytes: &[u8]) -> Option<&'static Encoding> {
    let window = &bytes[..bytes.len().min(WINDOW)];
    let mut at = 0;
    while at < window.len() {
        let rest = &window[at..];
        if rest.starts_with(b"<!--") {
            // `<!-->` is a whole comment: its dashes may be those of the start.
            at += 2 + find(&rest[2..], b"-->")? + 3;
        } else if starts_with_ignore_case(rest, b"<meta") && rest.get(5).is_some_and(|b| ends_name(*b)) {
            let mut attributes = Attributes { rest: &rest[5..] };
            if let Some(encoding) = meta(&mut attributes) {
                return Some(encoding);
            }
            at = window.len() - attributes.rest.len();
        } else if is_tag(rest) {
            let name_end = rest.iter().position(|b| ends_name(*b) || *b == b'>').unwrap_or(rest.len());
            let mut attributes = Attributes { rest: &rest[name_end..] };
            while attributes.next().is_some() {}
            at = window.len() - attributes.rest.len();
        } else if rest[0] == b'<' && rest.get(1).is_some_and(|b| matches!(b, b'!' | b'/' | b'?')) {
            at += find(rest, b">")? + 1;
        } else {
            at += 1;
        }
    }
    None
}

/// The encoding of an XML declaration (XML 1.0 §4.3.3), wherever it starts behind blanks.
pub(crate) fn xml(bytes: &[u8]) -> Option<&'static Encoding> {
    let window = bytes[..bytes.len().min(WINDOW)].trim_ascii_start();
    let declaration = window.strip_prefix(b"<?xml")?;
    let declaration = &declaration[..find(declaration, b"?>").unwrap_or(declaration.len())];
    let after = declaration[find(declaration, b"encoding")? + 8..].trim_ascii_start().strip_prefix(b"=")?;
    let (quote, value) = after.trim_ascii_start().split_first()?;
    if !matches!(quote, b'"' | b'\'') {
        return None;
    }
    let end = value.iter().position(|b| b == quote)?;
    declared(&value[..end])
}

/// UTF-16 without a byte order mark, told by how `<?` or `<` and a letter look in it
/// (XML 1.0 appendix F.1).
pub(crate) fn utf16_without_mark(bytes: &[u8]) -> Option<&'static Encoding> {
    match bytes {
        [b'<', 0, b'?' | b'!' | b'a'..=b'z' | b'A'..=b'Z', 0, ..] => Some(UTF_16LE),
        [0, b'<', 0, b'?' | b'!' | b'a'..=b'z' | b'A'..=b'Z', ..] => Some(UTF_16BE),
        _ => None,
    }
}

/// What a label within ASCII text can mean: UTF-16 can't be, or the label could not have been read.
fn declared(label: &[u8]) -> Option<&'static Encoding> {
    let encoding = Encoding::for_label(label)?;
    Some(if encoding == UTF_16BE || encoding == UTF_16LE {
        UTF_8
    } else if encoding == X_USER_DEFINED {
        WINDOWS_1252
    } else {
        encoding
    })
}

fn meta(attributes: &mut Attributes<'_>) -> Option<&'static Encoding> {
    let (mut charset, mut content, mut is_pragma) = (None, None, false);
    for (name, value) in attributes {
        if name.eq_ignore_ascii_case(b"charset") {
            charset = charset.or(Some(value));
        } else if name.eq_ignore_ascii_case(b"content") {
            content = content.or(Some(value));
        } else if name.eq_ignore_ascii_case(b"http-equiv") {
            is_pragma |= value.eq_ignore_ascii_case(b"content-type");
        }
    }
    match (charset, content) {
        (Some(label), _) => declared(label),
        (None, Some(content)) if is_pragma => declared(charset_in(content)?),
        _ => None,
    }
}

/// "Algorithm for extracting a character encoding from a meta element".
fn charset_in(content: &[u8]) -> Option<&[u8]> {
    let mut rest = content;
    loop {
        let at = (0..rest.len()).find(|at| starts_with_ignore_case(&rest[*at..], b"charset"))?;
        rest = rest[at + 7..].trim_ascii_start();
        if let Some(value) = rest.strip_prefix(b"=") {
            let value = value.trim_ascii_start();
            return match value.first()? {
                quote @ (b'"' | b'\'') => {
                    let value = &value[1..];
                    Some(&value[..value.iter().position(|b| b == quote)?])
                }
                _ => {
                    let end = value.iter().position(|b| b.is_ascii_whitespace() || *b == b';');
                    Some(&value[..end.unwrap_or(value.len())])
                }
            };
        }
    }
}

/// The attributes of one tag, up to its `>`; what is left stands in `rest` afterwards.
struct Attributes<'b> {
    rest: &'b [u8],
}

impl<'b> Iterator for Attributes<'b> {
    type Item = (&'b [u8], &'b [u8]);

    fn next(&mut self) -> Option<Self::Item> {
        let start = self.rest.iter().position(|b| !ends_name(*b)).unwrap_or(self.rest.len());
        self.rest = &self.rest[start..];
        match self.rest.first() {
            None => return None,
            Some(b'>') => {
                self.rest = &self.rest[1..];
                return None;
            }
            Some(_) => {}
        }
        // An `=` in first place belongs to the name.
        let ends = |b: &u8| ends_name(*b) || matches!(b, b'>' | b'=');
        let name_end = self.rest[1..].iter().position(ends).map_or(self.rest.len(), |end| end + 1);
        let (name, rest) = self.rest.split_at(name_end);
        self.rest = rest;
        let Some(after) = rest.trim_ascii_start().strip_prefix(b"=") else {
            return Some((name, b""));
        };
        let after = after.trim_ascii_start();
        let (value, rest) = match after.first() {
            Some(quote @ (b'"' | b'\'')) => {
                let end = after[1..].iter().position(|b| b == quote).map_or(after.len(), |end| end + 1);
                (&after[1..end], after.get(end + 1..).unwrap_or_default())
            }
            _ => {
                let end = after.iter().position(|b| b.is_ascii_whitespace() || *b == b'>');
                after.split_at(end.unwrap_or(after.len()))
            }
        };
        self.rest = rest;
        Some((name, value))
    }
}

fn ends_name(byte: u8) -> bool {
    matches!(byte, b'\t' | b'\n' | 0x0c | b'\r' | b' ' | b'/')
}

fn is_tag(rest: &[u8]) -> bool {
    matches!(rest, [b'<', b'/', letter, ..] | [b'<', letter, ..] if letter.is_ascii_alphabetic())
}

pub(crate) fn starts_with_ignore_case(bytes: &[u8], prefix: &[u8]) -> bool {
    bytes.len() >= prefix.len() && bytes[..prefix.len()].eq_ignore_ascii_case(prefix)
}

fn find(haystack: &[u8], needle: &[u8]) -> Option<usize> {
    haystack.windows(needle.len()).position(|window| window == needle)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn declarations_in_html() {
        let table: [(&[u8], Option<&str>); 16] = [
            (b"<meta charset=windows-1251>", Some("windows-1251")),
            (b"<!doctype html><html lang='ru'><head><META CharSet='koi8-r' />", Some("KOI8-R")),
            (b"<meta http-equiv=Content-Type content='text/html; charset=iso-8859-2'>", Some("ISO-8859-2")),
            (b"<meta content='text/html;charset = \"big5\"' http-equiv=\"content-type\">", Some("Big5")),
            (b"<meta content='text/html; charset=big5'>", None),
            (b"<meta charset=utf-16le>", Some("UTF-8")),
            (b"<meta charset=nonsense><meta charset=gbk>", Some("GBK")),
            (b"<!-- <meta charset=gbk> --><meta charset=euc-kr>", Some("EUC-KR")),
            (b"<!--><meta charset=euc-kr>", Some("EUC-KR")),
            (b"<a title='<meta charset=gbk>'><meta charset=euc-kr>", Some("EUC-KR")),
            (b"<metal charset=gbk>", None),
            (b"<meta =charset=gbk charset=euc-kr>", Some("EUC-KR")),
            (b"<meta charset", None),
            (b"<meta charset='gbk", Some("GBK")),
            (b"<!-- never closed <meta charset=gbk>", None),
            (b"plain < text", None),
        ];
        for (bytes, want) in table {
            assert_eq!(html(bytes).map(Encoding::name), want, "{}", String::from_utf8_lossy(bytes));
        }
    }

    #[test]
    fn declarations_in_xml() {
        let table: [(&[u8], Option<&str>); 6] = [
            (b"<?xml version='1.0' encoding='iso-8859-1'?>", Some("windows-1252")),
            (b"\n\n<?xml version=\"1.0\" encoding = \"Shift_JIS\" standalone='yes'?>", Some("Shift_JIS")),
            (b"<?xml version='1.0' encoding='utf-16'?>", Some("UTF-8")),
            (b"<?xml version='1.0'?><a encoding='gbk'/>", None),
            (b"<?xml version='1.0' encoding='never closed", None),
            (b"<a/>", None),
        ];
        for (bytes, want) in table {
            assert_eq!(xml(bytes).map(Encoding::name), want, "{}", String::from_utf8_lossy(bytes));
        }
    }
}

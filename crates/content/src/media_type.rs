//! `Content-Type` (RFC 9110 §8.3.1).

/// A media type, without the parameters that nobody here asks about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MediaType {
    /// `type/subtype`, in lower case.
    pub essence: String,
    /// The `charset` parameter as written, without its quotes.
    pub charset: Option<String>,
}

impl MediaType {
    /// `text` of `text/html`.
    pub fn kind(&self) -> &str {
        self.essence.split_once('/').map_or("", |(kind, _)| kind)
    }

    /// `html` of `text/html`.
    pub fn subtype(&self) -> &str {
        self.essence.split_once('/').map_or("", |(_, subtype)| subtype)
    }

    /// HTML in either of its syntaxes.
    pub fn is_html(&self) -> bool {
        matches!(self.essence.as_str(), "text/html" | "application/xhtml+xml")
    }

    /// Any XML (RFC 7303), XHTML aside.
    pub fn is_xml(&self) -> bool {
        !self.is_html() && (matches!(self.subtype(), "xml") || self.subtype().ends_with("+xml"))
    }

    /// Any JSON (RFC 6839 §3.1).
    pub fn is_json(&self) -> bool {
        self.subtype() == "json" || self.subtype().ends_with("+json")
    }
}

/// Reads a `Content-Type` value; `None` where it names no `type/subtype`.
///
/// Tolerant where the field is: blanks round `;` and `=`, a missing value, stray semicolons, single
/// quotes, several values joined by a comma (the last one counts, as in the Fetch standard's
/// "extract a MIME type").
pub fn media_type(header: &str) -> Option<MediaType> {
    split_outside_quotes(header, b',').filter_map(one).last()
}

fn one(value: &str) -> Option<MediaType> {
    let mut parts = split_outside_quotes(value, b';');
    let essence = parts.next()?.trim_matches(is_blank).to_ascii_lowercase();
    let (kind, subtype) = essence.split_once('/')?;
    if !is_token(kind) || !is_token(subtype) {
        return None;
    }
    let charset = parts.find_map(|parameter| {
        let (name, value) = parameter.split_once('=')?;
        name.trim_matches(is_blank)
            .eq_ignore_ascii_case("charset")
            .then(|| unquote(value))
            .filter(|v| !v.is_empty())
    });
    Some(MediaType { essence, charset })
}

fn unquote(value: &str) -> String {
    let value = value.trim_matches(is_blank);
    let bare = match value.as_bytes() {
        [quote @ (b'"' | b'\''), ..] => value[1..].strip_suffix(char::from(*quote)).unwrap_or(&value[1..]),
        _ => value,
    };
    bare.replace('\\', "")
}

fn is_blank(c: char) -> bool {
    matches!(c, ' ' | '\t' | '\r' | '\n')
}

/// RFC 9110 §5.6.2.
fn is_token(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|b| b.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&b))
}

/// Splits at a separator that stands in no quoted string (RFC 9110 §5.6.4).
fn split_outside_quotes(text: &str, separator: u8) -> impl Iterator<Item = &str> {
    let mut rest = Some(text);
    std::iter::from_fn(move || {
        let current = rest?;
        let (mut quoted, mut escaped) = (false, false);
        let end = current.bytes().position(|byte| {
            let here = byte == separator && !quoted;
            match byte {
                _ if escaped => escaped = false,
                b'\\' if quoted => escaped = true,
                b'"' => quoted = !quoted,
                _ => {}
            }
            here
        });
        rest = end.map(|end| &current[end + 1..]);
        Some(&current[..end.unwrap_or(current.len())])
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_as_servers_send_them() {
        let table = [
            ("text/html", Some(("text/html", None))),
            ("Text/HTML; Charset=\"UTF-8\"", Some(("text/html", Some("UTF-8")))),
            ("text/html;charset=windows-1251;", Some(("text/html", Some("windows-1251")))),
            ("text/html ; version=1; charset = utf-8 ", Some(("text/html", Some("utf-8")))),
            ("text/xml; charset='iso-8859-1'", Some(("text/xml", Some("iso-8859-1")))),
            ("text/html; title=\"a;charset=no\"; charset=yes", Some(("text/html", Some("yes")))),
            ("text/html; charset=", Some(("text/html", None))),
            ("text/html; charset", Some(("text/html", None))),
            ("text/plain, text/html; charset=utf-8", Some(("text/html", Some("utf-8")))),
            ("image/svg+xml", Some(("image/svg+xml", None))),
            ("html", None),
            ("text/", None),
            ("te xt/html", None),
            ("", None),
        ];
        for (header, want) in table {
            let got = media_type(header);
            let got = got.as_ref().map(|t| (t.essence.as_str(), t.charset.as_deref()));
            assert_eq!(got, want, "{header:?}");
        }
    }

    #[test]
    fn families() {
        let of = |header| media_type(header).expect("a media type");
        assert!(of("application/xhtml+xml").is_html() && !of("application/xhtml+xml").is_xml());
        assert!(of("application/atom+xml").is_xml() && of("text/xml").is_xml());
        assert!(of("application/ld+json").is_json() && !of("text/plain").is_json());
        assert_eq!((of("text/html").kind(), of("text/html").subtype()), ("text", "html"));
    }
}

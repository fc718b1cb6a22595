//! The `content` of `<meta http-equiv="refresh">` (WHATWG HTML §4.2.5.3, "shared declarative
//! refresh steps").

/// The delay in seconds, and the address where one is given; without an address the page reloads
/// itself. `None` for what is no refresh at all.
pub(super) fn parse(content: &str) -> Option<(u32, Option<&str>)> {
    let rest = content.trim_start_matches(is_blank);
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    if digits == 0 && !rest.starts_with('.') {
        return None;
    }
    let seconds = if digits == 0 { 0 } else { rest[..digits].parse().unwrap_or(u32::MAX) };
    let rest = rest[digits..].trim_start_matches(|c: char| c.is_ascii_digit() || c == '.');
    if !rest.is_empty() && !rest.starts_with(|c| matches!(c, ';' | ',') || is_blank(c)) {
        return None;
    }
    let rest = rest.trim_start_matches(is_blank);
    let rest = rest.strip_prefix([';', ',']).unwrap_or(rest).trim_start_matches(is_blank);
    if rest.is_empty() {
        return Some((seconds, None));
    }
    let url = after_url_equals(rest).unwrap_or(rest);
    let url = match url.strip_prefix(['"', '\'']) {
        Some(quoted) => quoted.split(&url[..1]).next().unwrap_or(quoted),
        None => url,
    };
    Some((seconds, Some(url.trim_matches(is_blank))))
}

fn after_url_equals(text: &str) -> Option<&str> {
    let name = text.get(..3).filter(|name| name.eq_ignore_ascii_case("url"))?;
    let rest = text[name.len()..].trim_start_matches(is_blank).strip_prefix('=')?;
    Some(rest.trim_start_matches(is_blank))
}

fn is_blank(c: char) -> bool {
    matches!(c, '\t' | '\n' | '\u{c}' | '\r' | ' ')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn contents_as_they_are_written() {
        let table = [
            ("0; url=/next", Some((0, Some("/next")))),
            ("2; URL='/docs/5.2/'", Some((2, Some("/docs/5.2/")))),
            ("5;URL=\"next.html\" trailing", Some((5, Some("next.html")))),
            ("0;/next", Some((0, Some("/next")))),
            ("0,  url = next?a=1;b=2 ", Some((0, Some("next?a=1;b=2")))),
            ("1.5 url=/x", Some((1, Some("/x")))),
            (".5; url=/x", Some((0, Some("/x")))),
            ("0; urls/page", Some((0, Some("urls/page")))),
            ("0; url/page", Some((0, Some("url/page")))),
            ("0; url='/unclosed", Some((0, Some("/unclosed")))),
            ("30", Some((30, None))),
            ("30;", Some((30, None))),
            ("99999999999; url=/x", Some((u32::MAX, Some("/x")))),
            ("now; url=/x", None),
            ("5x; url=/x", None),
            ("; url=/x", None),
            ("", None),
        ];
        for (content, want) in table {
            assert_eq!(parse(content), want, "{content:?}");
        }
    }
}

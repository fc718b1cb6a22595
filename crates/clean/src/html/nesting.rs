//! How deep a document will nest, told without a parser.
//!
//! The parser's time grows with the tags times the open elements, and formatting elements that
//! nobody closes are made again in every paragraph. So both are estimated first, from the tags
//! alone; what is estimated follows the parser closely enough that hostile input cannot hide.

/// More open elements than any page has.
pub(super) const MOST_OPEN: usize = 512;

/// More elements made again than sloppy pages cause.
const MOST_MADE_AGAIN: usize = 2_000_000;

/// Whether a document nests too deep to be parsed.
pub(super) fn is_too_deep(source: &str) -> bool {
    let mut open: Vec<&str> = Vec::new();
    let (mut formatting, mut made_again) = (0_usize, 0_usize);
    let mut rest = source;
    while let Some(at) = rest.find('<') {
        rest = &rest[at + 1..];
        if let Some(comment) = rest.strip_prefix("!--") {
            rest = comment.find("-->").map_or("", |end| &comment[end..]);
            continue;
        }
        let is_end = rest.starts_with('/');
        let named = &rest[usize::from(is_end)..];
        let length = named
            .bytes()
            .take_while(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b':'))
            .count();
        let name = &named[..length];
        if !name.starts_with(|c: char| c.is_ascii_alphabetic()) {
            continue;
        }
        let (behind, is_closed) = behind_tag(&named[length..]);
        rest = behind;
        let is = |names: &[&str]| names.iter().any(|known| name.eq_ignore_ascii_case(known));
        let is_formatting = is(FORMATTING);
        if is_end {
            close(&mut open, name, is_formatting);
            formatting = formatting.min(open.len());
            if is_formatting {
                formatting = formatting.saturating_sub(1);
            }
            continue;
        }
        if is(RAW) {
            rest = behind_raw(rest, name);
            continue;
        }
        if is(&["plaintext"]) {
            return false;
        }
        let in_drawing =
            || open.iter().any(|name| name.eq_ignore_ascii_case("svg") || name.eq_ignore_ascii_case("math"));
        if is(VOID) || (is_closed && in_drawing()) {
            continue;
        }
        if is_formatting {
            formatting += 1;
        } else {
            made_again += formatting;
        }
        if !is(CLOSED_BY_THE_NEXT) {
            open.push(name);
        }
        if open.len() > MOST_OPEN || formatting > MOST_OPEN || made_again > MOST_MADE_AGAIN {
            return true;
        }
    }
    false
}

const FORMATTING: &[&str] =
    &["a", "b", "big", "code", "em", "font", "i", "nobr", "s", "small", "strike", "strong", "tt", "u"];

const RAW: &[&str] =
    &["script", "style", "textarea", "title", "noscript", "iframe", "noembed", "noframes", "xmp"];

const VOID: &[&str] = &[
    "area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param", "source", "track",
    "wbr",
];

/// They never nest without another element between them.
const CLOSED_BY_THE_NEXT: &[&str] = &[
    "p", "li", "dt", "dd", "option", "optgroup", "tr", "td", "th", "tbody", "thead", "tfoot", "html", "head",
    "body",
];

/// Closes an element as the parser does: with all that is open in it, unless it is mere formatting;
/// never across a table or a template.
fn close(open: &mut Vec<&str>, name: &str, is_formatting: bool) {
    for at in (0..open.len()).rev() {
        if open[at].eq_ignore_ascii_case(name) {
            if is_formatting {
                open.remove(at);
            } else {
                open.truncate(at);
            }
            return;
        }
        let is_wall = ["table", "template", "caption", "object", "marquee", "applet", "button"];
        if is_wall.iter().any(|wall| open[at].eq_ignore_ascii_case(wall))
            && !name.eq_ignore_ascii_case("table")
        {
            return;
        }
    }
}

/// Behind the `>` of a tag, and whether a `/` stands before it. Quoted values may hold a `>`.
fn behind_tag(rest: &str) -> (&str, bool) {
    let mut quote = None;
    let (mut previous, mut after_equals) = (b' ', false);
    for (at, byte) in rest.bytes().enumerate() {
        match quote {
            Some(mark) if byte == mark => quote = None,
            Some(_) => {}
            None if byte == b'>' => return (&rest[at + 1..], previous == b'/'),
            None if matches!(byte, b'"' | b'\'') && after_equals => quote = Some(byte),
            None => {}
        }
        after_equals = byte == b'=' || (after_equals && byte.is_ascii_whitespace());
        previous = byte;
    }
    ("", false)
}

/// Behind the end tag of an element whose content is no markup.
fn behind_raw<'t>(rest: &'t str, name: &str) -> &'t str {
    let mut from = 0;
    while let Some(at) = rest[from..].find("</") {
        let start = from + at + 2;
        if rest.get(start..start + name.len()).is_some_and(|end| end.eq_ignore_ascii_case(name)) {
            return &rest[start + name.len()..];
        }
        from = start;
    }
    ""
}

#[cfg(test)]
mod tests {
    use super::{MOST_OPEN, is_too_deep};

    #[test]
    fn deep_and_flat() {
        let many = MOST_OPEN + 10;
        let deep = [
            "<div>".repeat(many),
            "<div/>".repeat(many),
            "<div></x>".repeat(many),
            "<b><div></b>".repeat(many),
            "<div><table><td></div>".repeat(many),
            "<span title='</span>'>".repeat(many),
        ];
        for source in deep {
            assert!(is_too_deep(&source), "{}", &source[..40]);
        }
        let flat = [
            "<p>".repeat(9_000),
            "<li><p>x".repeat(9_000),
            "<div></div>".repeat(9_000),
            "<br><img src=x>".repeat(9_000),
            "<!-- <div> -->".repeat(9_000),
            format!("<script>{}</script>", "'<div>'".repeat(9_000)),
            format!("<svg>{}</svg>", "<path/>".repeat(9_000)),
            "a < b and <3".repeat(9_000),
        ];
        for source in flat {
            assert!(!is_too_deep(&source), "{}", &source[..20]);
        }
        let again: String =
            (0..500).map(|n| format!("<b id={n}>")).chain((0..9_000).map(|_| "<p>x".to_owned())).collect();
        assert!(is_too_deep(&again));
    }
}

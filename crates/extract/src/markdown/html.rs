//! Tags of raw HTML inside Markdown: who carries an `href`, and what comments hide.
//!
//! Not an HTML parser: a Markdown document holds scraps of HTML, and all that matters here is which
//! addresses their tags name.

use std::borrow::Cow;
use std::ops::Range;

use crate::html::charref;

/// One thing found in raw HTML.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Piece<'a> {
    /// An opening tag with an `href`.
    Href { value: Cow<'a, str>, span: Range<usize>, is_anchor: bool },
    /// `</a>`.
    AnchorEnd(Range<usize>),
    /// A comment; `closed` tells whether its `-->` stood there.
    Comment { span: Range<usize>, closed: bool },
    /// `<pre>`, `<script>` … up to their end tag: what stands inside is no prose.
    Verbatim(Range<usize>),
}

/// Elements whose `href` leads a reader nowhere: style sheets, the base of addresses, SVG parts.
const NO_LINK: [&str; 5] = ["link", "base", "use", "image", "pattern"];

/// Elements whose content is not markup.
const RAW_TEXT: [&str; 4] = ["script", "style", "textarea", "title"];

/// Reads the raw HTML `text[range]`. Spans are offsets in `text`.
pub(crate) fn pieces<'a>(text: &'a str, range: Range<usize>, mut found: impl FnMut(Piece<'a>)) {
    let bytes = &text.as_bytes()[..range.end];
    let mut at = range.start;
    let mut verbatim_end = range.start;
    while let Some(offset) = memchr::memchr(b'<', &bytes[at..]) {
        let open = at + offset;
        at = open + 1;
        if bytes[open..].starts_with(b"<!--") {
            let end = memchr::memmem::find(&bytes[open + 4..], b"-->").map(|close| open + 4 + close + 3);
            at = end.unwrap_or(bytes.len());
            found(Piece::Comment { span: open..at, closed: end.is_some() });
        } else if bytes[open..].len() > 3 && bytes[open..open + 3].eq_ignore_ascii_case(b"</a") {
            at = memchr::memchr(b'>', &bytes[open..]).map_or(bytes.len(), |close| open + close + 1);
            found(Piece::AnchorEnd(open..at));
        } else if let Some(tag) = read_tag(text, bytes, open) {
            at = tag.end;
            if let Some(href) = tag.href
                && !NO_LINK.iter().any(|name| tag.name.eq_ignore_ascii_case(name))
            {
                let value = charref::decode_attribute(text[href].trim());
                let is_anchor = tag.name.eq_ignore_ascii_case("a");
                found(Piece::Href { value, span: open..tag.end, is_anchor });
            }
            if RAW_TEXT.iter().any(|name| tag.name.eq_ignore_ascii_case(name)) {
                at = raw_text_end(bytes, tag.end, tag.name);
                found(Piece::Verbatim(open..at));
            } else if tag.name.eq_ignore_ascii_case("pre") && open >= verbatim_end {
                // Links inside `<pre>` are links; only its text is verbatim.
                verbatim_end = raw_text_end(bytes, tag.end, tag.name);
                found(Piece::Verbatim(open..verbatim_end));
            }
        }
    }
}

struct Tag<'a> {
    name: &'a str,
    href: Option<Range<usize>>,
    end: usize,
}

/// An opening tag at `open` (WHATWG HTML §13.2.5.8 and following, the parts that matter).
fn read_tag<'a>(text: &'a str, bytes: &[u8], open: usize) -> Option<Tag<'a>> {
    if !bytes.get(open + 1)?.is_ascii_alphabetic() {
        return None;
    }
    let mut at = open + 1 + count(&bytes[open + 1..], |b| !is_blank(b) && b != b'>' && b != b'/');
    let name = text.get(open + 1..at)?;
    let mut href = None;
    loop {
        at += count(&bytes[at..], |b| is_blank(b) || b == b'/');
        match bytes.get(at) {
            None => return None,
            Some(b'>') => return Some(Tag { name, href, end: at + 1 }),
            // A new tag begins: the old one was never closed.
            Some(b'<') => return href.map(|href| Tag { name, href: Some(href), end: at }),
            Some(_) => {}
        }
        let attribute =
            at..at + 1 + count(&bytes[at + 1..], |b| !is_blank(b) && !matches!(b, b'=' | b'>' | b'/'));
        at = attribute.end;
        let before_equals = at + count(&bytes[at..], is_blank);
        if bytes.get(before_equals) != Some(&b'=') {
            continue;
        }
        at = before_equals + 1;
        at += count(&bytes[at..], is_blank);
        let value = match bytes.get(at) {
            Some(&quote @ (b'"' | b'\'')) => {
                let close = at + 1 + memchr::memchr(quote, &bytes[at + 1..])?;
                let value = at + 1..close;
                at = close + 1;
                value
            }
            _ => {
                let value = at..at + count(&bytes[at..], |b| !is_blank(b) && b != b'>');
                at = value.end;
                value
            }
        };
        if href.is_none() && bytes[attribute].eq_ignore_ascii_case(b"href") {
            href = Some(value);
        }
    }
}

fn raw_text_end(bytes: &[u8], from: usize, name: &str) -> usize {
    let mut at = from;
    while let Some(offset) = memchr::memchr(b'<', &bytes[at..]) {
        let close = at + offset;
        let tail = &bytes[close + 1..];
        if tail.first() == Some(&b'/')
            && tail.get(1..1 + name.len()).is_some_and(|found| found.eq_ignore_ascii_case(name.as_bytes()))
        {
            return close;
        }
        at = close + 1;
    }
    bytes.len()
}

fn count(bytes: &[u8], matches: impl Fn(u8) -> bool) -> usize {
    bytes.iter().take_while(|b| matches(**b)).count()
}

fn is_blank(byte: u8) -> bool {
    byte.is_ascii_whitespace()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hrefs(text: &str) -> Vec<String> {
        let mut all = Vec::new();
        pieces(text, 0..text.len(), |piece| {
            if let Piece::Href { value, .. } = piece {
                all.push(value.into_owned());
            }
        });
        all
    }

    #[test]
    fn hrefs_of_tags() {
        let table: &[(&str, &[&str])] = &[
            ("<a href=\"/x?a=1&amp;b=2\">", &["/x?a=1&b=2"]),
            ("<a class=x href='/y'>t</a>", &["/y"]),
            ("<A HREF = /z/>", &["/z/"]),
            ("<a\n  href=\" /w \"\n>", &["/w"]),
            ("<a title=\"href='/no'\">", &[]),
            ("<!-- <a href=/no> --><area href=/yes>", &["/yes"]),
            ("<script>'<a href=/no>'</script><a href=/yes>", &["/yes"]),
            ("<pre><a href=/yes></pre>", &["/yes"]),
            ("<link rel=stylesheet href=/no.css>", &[]),
            ("<a data-href=/no>", &[]),
            ("a < b <1 href=x>", &[]),
            ("<a href=\"/open", &[]),
            ("<a href=/first href=/second>", &["/first"]),
        ];
        for (text, want) in table {
            assert_eq!(hrefs(text), *want, "{text:?}");
        }
    }
}

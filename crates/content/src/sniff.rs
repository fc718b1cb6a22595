//! What a body is: its bytes are asked first, its label second.

use crate::media_type::MediaType;
use crate::prescan::{self, starts_with_ignore_case};
use crate::{is_gzip, media_type};

/// The kinds of bodies that are treated differently.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    /// An HTML or XHTML document, whole or in part.
    Html,
    /// Any other XML.
    Xml,
    /// JSON.
    Json,
    /// Gzip (RFC 1952), by its magic number.
    Gzip,
    /// A PDF document.
    Pdf,
    /// An image, an archive, a font … or anything else that is no text.
    Binary,
    /// Text without a more exact name: Markdown, plain text, a script.
    Text,
    /// Nothing but blanks.
    Empty,
}

impl Kind {
    /// The kind in words that fit "this is …".
    pub fn name(self) -> &'static str {
        match self {
            Kind::Html => "an HTML page",
            Kind::Xml => "an XML document",
            Kind::Json => "a JSON document",
            Kind::Gzip => "gzip data",
            Kind::Pdf => "a PDF document",
            Kind::Binary => "binary data",
            Kind::Text => "plain text",
            Kind::Empty => "an empty body",
        }
    }

    /// Whether decoding gives something to read.
    pub fn is_text(self) -> bool {
        matches!(self, Kind::Html | Kind::Xml | Kind::Json | Kind::Text)
    }
}

/// Bytes that are looked at, at most.
const WINDOW: usize = 8 * 1024;

/// Tells what a body is, as far as its first 8 KiB show.
///
/// The label decides only what the bytes leave open: whether a text that starts with a tag such as
/// `<div>` is HTML or Markdown, whether text that starts with `[` is JSON. A label never makes text
/// of bytes that are none, nor HTML of text without a tag.
pub fn sniff(bytes: &[u8], content_type: Option<&str>) -> Kind {
    let window = &bytes[..bytes.len().min(WINDOW)];
    if is_gzip(window) {
        return Kind::Gzip;
    }
    let media = content_type.and_then(media_type);
    if let Some(text) = from_utf16(window) {
        return text_kind(text.as_bytes(), bytes.len() <= WINDOW, media.as_ref());
    }
    let text = window.strip_prefix(b"\xef\xbb\xbf").unwrap_or(window);
    if text.trim_ascii_start().starts_with(b"%PDF-") {
        return Kind::Pdf;
    }
    if has_binary_magic(text) || looks_binary(text) {
        return Kind::Binary;
    }
    text_kind(text, bytes.len() <= WINDOW, media.as_ref())
}

fn text_kind(text: &[u8], is_whole: bool, media: Option<&MediaType>) -> Kind {
    let text = text.trim_ascii();
    if text.is_empty() && is_whole {
        return Kind::Empty;
    }
    let says = |question: fn(&MediaType) -> bool| media.is_some_and(question);
    match markup(text) {
        Some(Markup::Html) => return Kind::Html,
        Some(Markup::Xml) => return Kind::Xml,
        Some(Markup::HtmlPart) if says(MediaType::is_html) => return Kind::Html,
        Some(Markup::HeadPart) if media.is_none_or(MediaType::is_html) => return Kind::Html,
        Some(_) if says(MediaType::is_xml) => return Kind::Xml,
        _ => {}
    }
    if is_json(text, is_whole, says(MediaType::is_json)) {
        Kind::Json
    } else if says(MediaType::is_html) && has_tag(text) {
        Kind::Html
    } else {
        Kind::Text
    }
}

/// What text that starts with `<` may be.
#[derive(PartialEq, Eq)]
enum Markup {
    Html,
    /// A tag that HTML pages start with and Markdown does not: `<meta …>`.
    HeadPart,
    /// A tag that Markdown may start with as well: `<div …>`.
    HtmlPart,
    Xml,
    Other,
}

fn markup(text: &[u8]) -> Option<Markup> {
    let mut rest = text;
    let mut declared_xml = false;
    // Blanks, comments and processing instructions come before the first tag of either language.
    loop {
        rest = rest.trim_ascii_start();
        let end: &[u8] = if rest.starts_with(b"<!--") {
            b"-->"
        } else if rest.starts_with(b"<?") {
            declared_xml |= starts_with_ignore_case(rest, b"<?xml");
            b"?>"
        } else {
            break;
        };
        match rest.windows(end.len()).position(|window| window == end) {
            Some(at) => rest = &rest[at + end.len()..],
            None => break,
        }
    }
    if let Some(doctype) = strip_prefix_ignore_case(rest, b"<!doctype") {
        let name = doctype.trim_ascii_start();
        return Some(if starts_with_ignore_case(name, b"html") { Markup::Html } else { Markup::Xml });
    }
    let name = rest.strip_prefix(b"<")?;
    let name = &name[..name.iter().position(|b| !is_name_byte(*b)).unwrap_or(name.len())];
    let is_one_of = |names: &[&str]| names.iter().any(|known| name.eq_ignore_ascii_case(known.as_bytes()));
    let tag_end = rest.iter().position(|b| *b == b'>').unwrap_or(rest.len());
    Some(if is_one_of(&["html", "head", "body"]) {
        Markup::Html
    } else if declared_xml
        || is_one_of(&["urlset", "sitemapindex", "rss", "feed"])
        || rest[..tag_end].windows(5).any(|window| window == b"xmlns")
    {
        Markup::Xml
    } else if is_one_of(&["meta", "title", "link", "script", "style", "noscript", "iframe", "base"]) {
        Markup::HeadPart
    } else if name.first().is_some_and(u8::is_ascii_alphabetic) {
        Markup::HtmlPart
    } else {
        Markup::Other
    })
}

fn is_json(text: &[u8], is_whole: bool, labelled: bool) -> bool {
    let Some((open, inner)) = text.split_first() else { return false };
    let close = match open {
        b'{' => b'}',
        b'[' => b']',
        _ => return false,
    };
    let closed = !is_whole || text.last() == Some(&close);
    let starts_value = match inner.trim_ascii_start().first() {
        Some(b'"') => true,
        Some(b'{') => *open == b'[',
        Some(first) => *first == close,
        None => false,
    };
    labelled || (closed && starts_value)
}

fn has_tag(text: &[u8]) -> bool {
    text.windows(2).any(|pair| pair[0] == b'<' && (pair[1].is_ascii_alphabetic() || pair[1] == b'/'))
}

/// The ASCII of UTF-16 text, known by its byte order mark or by how a first tag looks in it. Other
/// characters become `?`, which is enough to see markup.
fn from_utf16(window: &[u8]) -> Option<String> {
    let (big_endian, body) = match window {
        [0xff, 0xfe, rest @ ..] => (false, rest),
        [0xfe, 0xff, rest @ ..] => (true, rest),
        _ => (prescan::utf16_without_mark(window)? == encoding_rs::UTF_16BE, window),
    };
    let unit = |pair: &[u8]| if big_endian { [pair[0], pair[1]] } else { [pair[1], pair[0]] };
    let ascii = |pair: &[u8]| match unit(pair) {
        [0, low] if low.is_ascii() => char::from(low),
        _ => '?',
    };
    Some(body.chunks_exact(2).map(ascii).collect())
}

/// Control characters that no text holds, or bytes that are neither UTF-8 nor any other text.
fn looks_binary(window: &[u8]) -> bool {
    if window.contains(&0) {
        return true;
    }
    let is_control = |b: &&u8| matches!(b, 0x01..=0x08 | 0x0b | 0x0e..=0x1a | 0x1c..=0x1f | 0x7f);
    let controls = window.iter().filter(is_control).count();
    controls * 50 > window.len()
        && std::str::from_utf8(window).is_err_and(|error| error.error_len().is_some())
}

fn has_binary_magic(window: &[u8]) -> bool {
    const MAGIC: &[&[u8]] = &[
        b"PK\x03\x04",
        b"PK\x05\x06",
        b"\x89PNG\r\n\x1a\n",
        b"\xff\xd8\xff",
        b"GIF87a",
        b"GIF89a",
        b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1",
        b"7z\xbc\xaf\x27\x1c",
        b"Rar!\x1a\x07",
        b"\xfd7zXZ\x00",
        b"\x28\xb5\x2f\xfd",
        b"\x7fELF",
        b"wOFF",
        b"wOF2",
        b"OggS",
        b"ID3\x03",
        b"ID3\x04",
        b"\x00asm",
        b"\x00\x00\x01\x00",
        b"%!PS-Adobe",
    ];
    let riff = window.starts_with(b"RIFF") && matches!(window.get(8..12), Some(b"WEBP" | b"WAVE" | b"AVI "));
    let bzip2 = window.starts_with(b"BZh") && window.get(4..10) == Some(b"1AY&SY");
    riff || bzip2 || window.get(4..8) == Some(b"ftyp") || MAGIC.iter().any(|magic| window.starts_with(magic))
}

fn is_name_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b':' | b'-' | b'_' | b'.')
}

fn strip_prefix_ignore_case<'b>(bytes: &'b [u8], prefix: &[u8]) -> Option<&'b [u8]> {
    starts_with_ignore_case(bytes, prefix).then(|| &bytes[prefix.len()..])
}

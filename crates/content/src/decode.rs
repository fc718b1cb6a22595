//! Bytes of any encoding into text.

use std::borrow::Cow;

use encoding_rs::{DecoderResult, Encoding, UTF_8};

use crate::{Kind, media_type, prescan, sniff};

/// A decoded body.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Text<'a> {
    /// The text, without its byte order mark.
    pub text: Cow<'a, str>,
    /// The name of the encoding by the WHATWG Encoding Standard, `UTF-8` for instance.
    pub encoding: &'static str,
    /// How many malformed sequences became U+FFFD. Text with any may be another encoding than its
    /// label says, and an address that holds one is a wrong address.
    pub replaced: usize,
}

/// Decodes a body.
///
/// What decides, in this order: a byte order mark; the `charset` of the header; the shape of UTF-16
/// without a mark; `<meta charset>` in the first 1,024 bytes (HTML alone); the encoding of an XML
/// declaration; UTF-8. A label that nobody knows is skipped.
pub fn decode<'a>(bytes: &'a [u8], content_type: Option<&str>) -> Text<'a> {
    let (encoding, mark) = encoding_of(bytes, content_type);
    let body = &bytes[mark..];
    if encoding == UTF_8
        && let Ok(text) = std::str::from_utf8(body)
    {
        return Text { text: Cow::Borrowed(text), encoding: encoding.name(), replaced: 0 };
    }
    let (text, replaced) = decode_counting(body, encoding);
    Text { text: Cow::Owned(text), encoding: encoding.name(), replaced }
}

/// The encoding of a body, and the length of its byte order mark. The first
/// [`prescan::WINDOW`] bytes decide.
pub(crate) fn encoding_of(bytes: &[u8], content_type: Option<&str>) -> (&'static Encoding, usize) {
    if let Some(with_mark) = Encoding::for_bom(bytes) {
        return with_mark;
    }
    let media = content_type.and_then(media_type);
    let charset = media.as_ref().and_then(|media| media.charset.as_deref());
    let encoding = charset
        .and_then(|label| Encoding::for_label(label.as_bytes()))
        .or_else(|| prescan::utf16_without_mark(bytes))
        .or_else(|| if sniff(bytes, content_type) == Kind::Html { prescan::html(bytes) } else { None })
        .or_else(|| prescan::xml(bytes))
        .unwrap_or(UTF_8);
    (encoding, 0)
}

fn decode_counting(bytes: &[u8], encoding: &'static Encoding) -> (String, usize) {
    let mut decoder = encoding.new_decoder_without_bom_handling();
    let mut text = String::with_capacity(bytes.len() + bytes.len() / 8 + 16);
    let mut rest = bytes;
    let mut replaced = 0;
    loop {
        let (result, read) = decoder.decode_to_string_without_replacement(rest, &mut text, true);
        rest = &rest[read..];
        match result {
            DecoderResult::InputEmpty => return (text, replaced),
            DecoderResult::OutputFull => text.reserve(rest.len() * 2 + 64),
            DecoderResult::Malformed(..) => {
                replaced += 1;
                if text.capacity() - text.len() < 4 {
                    text.reserve(rest.len() + 64);
                }
                text.push(char::REPLACEMENT_CHARACTER);
            }
        }
    }
}

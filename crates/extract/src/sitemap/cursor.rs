//! The decoded text of a sitemap as a stream that knows where it is.

use std::io::{self, BufRead, Read};

use wholesite_address::Place;
use wholesite_content::TextStream;
use wholesite_content::inflate::GunzipReader;

/// The bytes of a body, inflated where they are gzip.
pub(super) enum Source<'b> {
    Plain(&'b [u8]),
    Gzip(Box<GunzipReader<'b>>),
}

impl Read for Source<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self {
            Source::Plain(bytes) => bytes.read(buffer),
            Source::Gzip(reader) => reader.read(buffer),
        }
    }
}

/// Counts lines, columns and bytes of what is consumed.
pub(super) struct Cursor<'b> {
    stream: TextStream<Source<'b>>,
    place: Place,
    offset: usize,
    /// The last character was a CR: an LF right behind it ends no line of its own.
    after_cr: bool,
}

impl<'b> Cursor<'b> {
    pub(super) fn new(stream: TextStream<Source<'b>>) -> Self {
        Cursor { stream, place: Place::START, offset: 0, after_cr: false }
    }

    /// The place of the next character.
    pub(super) fn place(&self) -> Place {
        self.place
    }

    /// Bytes of decoded text that were consumed.
    pub(super) fn offset(&self) -> usize {
        self.offset
    }

    pub(super) fn encoding(&self) -> &'static str {
        self.stream.encoding()
    }

    pub(super) fn is_malformed(&self) -> bool {
        self.stream.is_malformed()
    }

    /// Consumes bytes that [`BufRead::fill_buf`] has lent. Says whether any was more than a blank.
    pub(super) fn skip(&mut self, count: usize) -> bool {
        let skipped = self.stream.fill_buf().map_or(&[][..], |text| &text[..count.min(text.len())]);
        let is_junk = !std::str::from_utf8(skipped).unwrap_or_default().chars().all(super::is_ignorable);
        self.consume(count);
        is_junk
    }

    fn advance(place: &mut Place, after_cr: &mut bool, text: &[u8]) {
        let mut rest = text;
        while let Some(at) = memchr::memchr2(b'\n', b'\r', rest) {
            let is_second_half = at == 0 && rest[0] == b'\n' && *after_cr;
            if !is_second_half {
                place.line = place.line.saturating_add(1);
            }
            place.column = 1;
            *after_cr = rest[at] == b'\r';
            rest = &rest[at + 1..];
        }
        if !rest.is_empty() {
            *after_cr = false;
            // Every byte but the continuation bytes of UTF-8 begins a character.
            let characters = rest.iter().filter(|byte| **byte & 0xc0 != 0x80).count();
            place.column = place.column.saturating_add(u32::try_from(characters).unwrap_or(u32::MAX));
        }
    }
}

impl BufRead for Cursor<'_> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        self.stream.fill_buf()
    }

    fn consume(&mut self, amount: usize) {
        // What was lent is still there, so this neither reads nor fails.
        let lent = self.stream.fill_buf().unwrap_or_default();
        let amount = amount.min(lent.len());
        Self::advance(&mut self.place, &mut self.after_cr, &lent[..amount]);
        self.offset += amount;
        self.stream.consume(amount);
    }
}

impl Read for Cursor<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let lent = self.fill_buf()?;
        let count = lent.len().min(buffer.len());
        buffer[..count].copy_from_slice(&lent[..count]);
        self.consume(count);
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use wholesite_address::LineIndex;

    #[test]
    fn places_equal_those_of_the_line_index_however_the_text_is_consumed() {
        let text = "a\né文\r\n\r\rz\n\r\n<b>\u{1f30d}c";
        let index = LineIndex::new(text);
        for step in 1..8 {
            let stream = TextStream::new(Source::Plain(text.as_bytes()), None).expect("memory");
            let mut cursor = Cursor::new(stream);
            while !cursor.fill_buf().expect("memory").is_empty() {
                // Between CR and LF no link begins, and the cursor is already in the next line.
                let before = &text.as_bytes()[..cursor.offset()];
                let in_line_end = before.ends_with(b"\r") && text.as_bytes()[before.len()] == b'\n';
                if text.is_char_boundary(before.len()) && !in_line_end {
                    assert_eq!(
                        cursor.place(),
                        index.place(cursor.offset()),
                        "byte {} by {step}",
                        cursor.offset()
                    );
                }
                cursor.consume(step);
            }
        }
    }
}

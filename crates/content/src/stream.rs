//! Decoding as a stream, for bodies that are too large to hold as text.

use std::io::{self, BufRead, Read};

use encoding_rs::{CoderResult, Decoder};

use crate::{decode, prescan};

/// Bytes asked of the source at once.
const CHUNK: usize = 16 * 1024;

/// A reader that gives valid UTF-8 whatever the encoding of its source, without a byte order mark.
///
/// The encoding is chosen as in [`decode::decode`]. Malformed sequences become U+FFFD. The text
/// that [`BufRead::fill_buf`] lends always ends at the end of a character.
pub struct TextStream<R> {
    source: R,
    decoder: Decoder,
    /// Undecoded bytes: what was read to choose the encoding, then one chunk after another.
    raw: Box<[u8]>,
    raw_range: std::ops::Range<usize>,
    source_ended: bool,
    finished: bool,
    text: Box<[u8]>,
    text_range: std::ops::Range<usize>,
    malformed: bool,
}

impl<R: Read> TextStream<R> {
    /// Reads as much of the source as it takes to know its encoding.
    ///
    /// # Errors
    ///
    /// Those of the source.
    pub fn new(mut source: R, content_type: Option<&str>) -> io::Result<Self> {
        let mut raw = vec![0; CHUNK].into_boxed_slice();
        let (mut filled, mut source_ended) = (0, false);
        while filled < prescan::WINDOW && !source_ended {
            let count = read_some(&mut source, &mut raw[filled..])?;
            source_ended = count == 0;
            filled += count;
        }
        let (encoding, mark) = decode::encoding_of(&raw[..filled], content_type);
        Ok(TextStream {
            source,
            decoder: encoding.new_decoder_without_bom_handling(),
            raw,
            raw_range: mark..filled,
            source_ended,
            finished: false,
            text: vec![0; CHUNK + 64].into_boxed_slice(),
            text_range: 0..0,
            malformed: false,
        })
    }

    /// The name of the encoding by the WHATWG Encoding Standard.
    pub fn encoding(&self) -> &'static str {
        self.decoder.encoding().name()
    }

    /// Whether any sequence so far was malformed, and so became U+FFFD.
    pub fn is_malformed(&self) -> bool {
        self.malformed
    }

    /// The source, for what it may have to say about a failure.
    pub fn source(&self) -> &R {
        &self.source
    }

    fn refill(&mut self) -> io::Result<()> {
        while self.text_range.is_empty() && !self.finished {
            if self.raw_range.is_empty() && !self.source_ended {
                let count = read_some(&mut self.source, &mut self.raw)?;
                self.source_ended = count == 0;
                self.raw_range = 0..count;
            }
            let raw = &self.raw[self.raw_range.clone()];
            let (result, read, written, malformed) =
                self.decoder.decode_to_utf8(raw, &mut self.text, self.source_ended);
            self.malformed |= malformed;
            self.raw_range.start += read;
            self.text_range = 0..written;
            self.finished = self.source_ended && result == CoderResult::InputEmpty;
        }
        Ok(())
    }
}

impl<R: Read> BufRead for TextStream<R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        self.refill()?;
        Ok(&self.text[self.text_range.clone()])
    }

    fn consume(&mut self, amount: usize) {
        self.text_range.start = self.text_range.end.min(self.text_range.start + amount);
    }
}

impl<R: Read> Read for TextStream<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let text = self.fill_buf()?;
        let count = text.len().min(buffer.len());
        buffer[..count].copy_from_slice(&text[..count]);
        self.consume(count);
        Ok(count)
    }
}

fn read_some(source: &mut impl Read, buffer: &mut [u8]) -> io::Result<usize> {
    loop {
        match source.read(buffer) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            other => return other,
        }
    }
}

//! Content codings (RFC 9110 §8.4.1): gzip, brotli, Zstandard; one layer, within bounds.
//!
//! Undone here and not in the HTTP client, since there the number of compressed bytes and the
//! announced length are gone by the time that anybody could look at them.

use std::io::{self, Read};

use brotli_decompressor::{BrotliDecompressStream, BrotliResult, BrotliState, StandardAlloc};
use flate2::read::MultiGzDecoder;
use ruzstd::decoding::errors::{FrameDecoderError, ReadFrameHeaderError};
use ruzstd::decoding::{FrameDecoder, StreamingDecoder};
use wholesite_fetch::{Causes, Failure};

/// What is offered in `Accept-Encoding`.
pub(crate) const OFFERED: &str = "gzip, br, zstd";

/// Output between two looks at the bounds.
const STEP: usize = 64 << 10;
/// Output between two points at which other tasks get their turn.
const TURN: usize = 1 << 20;
/// Small bodies may be as repetitive as they like.
const RATIO_FREE: u64 = 1 << 20;
/// Real text reaches 20 to 60, sitemaps perhaps 150; deflate ends at 1,030, brotli beyond a million.
const MAX_RATIO: u64 = 500;
/// The largest window that HTTP allows for Zstandard (RFC 9659).
const ZSTD_WINDOW: u64 = 8 << 20;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Coding {
    Gzip,
    Brotli,
    Zstd,
}

impl Coding {
    /// The coding that the values of `Content-Encoding` name, if any.
    pub(crate) fn of<'a>(values: impl Iterator<Item = &'a str>) -> Result<Option<Coding>, Failure> {
        let mut found = None;
        for token in values.flat_map(|value| value.split(',')).map(str::trim) {
            let coding = match token.to_ascii_lowercase().as_str() {
                "" | "identity" => continue,
                "gzip" | "x-gzip" => Coding::Gzip,
                "br" => Coding::Brotli,
                "zstd" => Coding::Zstd,
                _ => return Err(bad(token, "it was not asked for")),
            };
            if found.replace(coding).is_some() {
                return Err(bad(token, "more than one layer"));
            }
        }
        Ok(found)
    }

    fn name(self) -> &'static str {
        match self {
            Coding::Gzip => "gzip",
            Coding::Brotli => "br",
            Coding::Zstd => "zstd",
        }
    }

    /// Undoes the coding of a whole body. Gives other tasks their turn on the way, so that a large body
    /// holds up nobody and dropping the future stops it.
    pub(crate) async fn decode(self, body: &[u8], limit: u64) -> Result<Vec<u8>, Failure> {
        let mut sink = Sink::new(body.len() as u64, limit);
        match self {
            Coding::Gzip => self.drain(MultiGzDecoder::new(body), &mut sink).await?,
            Coding::Brotli => self.drain(Brotli::new(body), &mut sink).await?,
            Coding::Zstd => {
                let mut rest = body;
                while !rest.is_empty() {
                    rest = self.zstd_frame(rest, &mut sink).await?;
                }
            }
        }
        Ok(sink.out)
    }

    /// Undoes one frame and returns what stands behind it.
    async fn zstd_frame<'a>(self, frame: &'a [u8], sink: &mut Sink) -> Result<&'a [u8], Failure> {
        let mut rest = frame;
        let mut decoder = FrameDecoder::new();
        decoder.set_max_window_size(ZSTD_WINDOW);
        let error = match StreamingDecoder::new_with_decoder(&mut rest, decoder) {
            Ok(frame) => {
                self.drain(frame, sink).await?;
                return Ok(rest);
            }
            Err(error) => error,
        };
        match error {
            FrameDecoderError::ReadFrameHeaderError(ReadFrameHeaderError::SkipFrame { length, .. }) => {
                rest.get(length as usize..).ok_or_else(|| sink.truncated(Causes::none()))
            }
            error if rest.is_empty() => Err(sink.truncated(Causes::of(&error))),
            error => Err(Failure::BadCoding { coding: "zstd".to_owned(), causes: Causes::of(&error) }),
        }
    }

    async fn drain(self, mut decoder: impl Read, sink: &mut Sink) -> Result<(), Failure> {
        let mut turn = 0;
        loop {
            let read = sink.step(&mut decoder).map_err(|error| match error {
                Stop::Bound(failure) => failure,
                Stop::Decoder(error) if ends_early(&error) => sink.truncated(Causes::of(&error)),
                Stop::Decoder(error) => {
                    Failure::BadCoding { coding: self.name().to_owned(), causes: Causes::of(&error) }
                }
            })?;
            if read == 0 {
                return Ok(());
            }
            turn += read;
            if turn >= TURN {
                turn = 0;
                tokio::task::yield_now().await;
            }
        }
    }
}

/// Brotli from a slice. The reader of the library itself says "invalid data" both of what is broken and
/// of what only lacks its end; the second may pass, the first does not.
struct Brotli<'a> {
    input: &'a [u8],
    total_out: usize,
    state: Box<BrotliState<StandardAlloc, StandardAlloc, StandardAlloc>>,
}

impl<'a> Brotli<'a> {
    fn new(input: &'a [u8]) -> Self {
        let alloc = StandardAlloc::default;
        Brotli { input, total_out: 0, state: Box::new(BrotliState::new(alloc(), alloc(), alloc())) }
    }
}

impl Read for Brotli<'_> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let (mut left_in, mut at_in) = (self.input.len(), 0);
        let (mut left_out, mut written) = (out.len(), 0);
        let result = BrotliDecompressStream(
            &mut left_in,
            &mut at_in,
            self.input,
            &mut left_out,
            &mut written,
            out,
            &mut self.total_out,
            &mut self.state,
        );
        self.input = &self.input[at_in..];
        match result {
            BrotliResult::ResultFailure => Err(io::ErrorKind::InvalidData.into()),
            // All input was given, so what was written is still good, and the end is missing.
            BrotliResult::NeedsMoreInput if written == 0 => Err(io::ErrorKind::UnexpectedEof.into()),
            _ => Ok(written),
        }
    }
}

/// Where the output goes, and its bounds.
struct Sink {
    out: Vec<u8>,
    received: u64,
    limit: u64,
}

enum Stop {
    Bound(Failure),
    Decoder(io::Error),
}

impl Sink {
    fn new(received: u64, limit: u64) -> Self {
        Sink { out: Vec::new(), received, limit }
    }

    /// Takes up to [`STEP`] bytes more.
    fn step(&mut self, decoder: &mut impl Read) -> Result<usize, Stop> {
        let before = self.out.len();
        self.out.resize(before + STEP, 0);
        let read = decoder.read(&mut self.out[before..]);
        self.out.truncate(before + *read.as_ref().unwrap_or(&0));
        let read = read.map_err(Stop::Decoder)?;
        let inflated = self.out.len() as u64;
        if inflated > RATIO_FREE && inflated / MAX_RATIO > self.received {
            return Err(Stop::Bound(Failure::InflateBomb { received: self.received, inflated }));
        }
        if inflated > self.limit {
            return Err(Stop::Bound(Failure::BodyTooLarge { limit: self.limit }));
        }
        Ok(read)
    }

    fn truncated(&self, causes: Causes) -> Failure {
        Failure::Truncated { got: self.received, promised: None, causes }
    }
}

/// Whether a decoder ran out of input, however deep it says so.
fn ends_early(error: &io::Error) -> bool {
    if error.kind() == io::ErrorKind::UnexpectedEof {
        return true;
    }
    let inner = error.get_ref().map(|inner| inner as &(dyn std::error::Error + 'static));
    std::iter::successors(inner, |error| error.source())
        .filter_map(|error| error.downcast_ref::<io::Error>())
        .any(|error| error.kind() == io::ErrorKind::UnexpectedEof)
}

fn bad(coding: &str, why: &str) -> Failure {
    Failure::BadCoding { coding: coding.chars().take(40).collect(), causes: Causes::text(why) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    const ALL: [Coding; 3] = [Coding::Gzip, Coding::Brotli, Coding::Zstd];

    fn encode(coding: Coding, text: &[u8]) -> Vec<u8> {
        match coding {
            Coding::Gzip => {
                let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
                encoder.write_all(text).unwrap();
                encoder.finish().unwrap()
            }
            Coding::Brotli => {
                let mut out = Vec::new();
                let params = brotli::enc::BrotliEncoderParams { quality: 5, ..Default::default() };
                brotli::BrotliCompress(&mut &text[..], &mut out, &params).unwrap();
                out
            }
            Coding::Zstd => {
                ruzstd::encoding::compress_to_vec(text, ruzstd::encoding::CompressionLevel::Fastest)
            }
        }
    }

    fn decode(coding: Coding, body: &[u8], limit: u64) -> Result<Vec<u8>, Failure> {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        runtime.block_on(coding.decode(body, limit))
    }

    /// Text that compresses, but not without end.
    fn prose(bytes: usize) -> Vec<u8> {
        (0_u32..)
            .flat_map(|n| format!("{n} is {}. ", n.wrapping_mul(2_654_435_761)).into_bytes())
            .take(bytes)
            .collect()
    }

    #[test]
    fn round_trips_and_bounds() {
        for coding in ALL {
            for bytes in [0, 1, 1000, 1 << 20] {
                let text = prose(bytes);
                let body = encode(coding, &text);
                assert!(decode(coding, &body, bytes as u64) == Ok(text), "{coding:?} {bytes}");
                if bytes > 0 {
                    let limit = bytes as u64 - 1;
                    assert_eq!(
                        decode(coding, &body, limit),
                        Err(Failure::BodyTooLarge { limit }),
                        "{coding:?}"
                    );
                }
            }
        }
    }

    #[test]
    fn a_missing_end_is_never_a_shorter_text() {
        for coding in ALL {
            let body = encode(coding, &prose(5000));
            for cut in 1..body.len() {
                let found = decode(coding, &body[..cut], 1 << 20);
                assert!(matches!(found, Err(Failure::Truncated { .. })), "{coding:?} {cut}: {found:?}");
            }
        }
    }

    #[test]
    fn bombs_stop_early() {
        for coding in ALL {
            let bomb = encode(coding, &vec![0; 16 << 20]);
            let Err(Failure::InflateBomb { received, inflated }) = decode(coding, &bomb, u64::MAX) else {
                panic!("{coding:?}");
            };
            assert_eq!(received, bomb.len() as u64);
            assert!(
                inflated <= (received * MAX_RATIO).max(RATIO_FREE) + STEP as u64 + MAX_RATIO,
                "{coding:?} {inflated}"
            );
        }
    }

    #[test]
    fn rubbish_is_named() {
        for coding in ALL {
            let found =
                decode(coding, b"# Plain text\n\nthat says it is compressed, at some length.", 1 << 20);
            assert!(
                matches!(found, Err(Failure::BadCoding { .. } | Failure::Truncated { .. })),
                "{coding:?} {found:?}"
            );
        }
    }

    #[test]
    fn several_members_and_frames_are_one_text() {
        for coding in [Coding::Gzip, Coding::Zstd] {
            let body = [encode(coding, b"one "), encode(coding, b"two")].concat();
            assert_eq!(decode(coding, &body, 100).unwrap(), b"one two");
        }
        let skippable = [0x50, 0x2a, 0x4d, 0x18, 3, 0, 0, 0, 1, 2, 3];
        let body = [&skippable[..], &encode(Coding::Zstd, b"text"), &skippable].concat();
        assert_eq!(decode(Coding::Zstd, &body, 100).unwrap(), b"text");
    }

    #[test]
    fn headers() {
        let of = |value: &str| Coding::of([value].into_iter());
        assert_eq!(of(""), Ok(None));
        assert_eq!(of("identity"), Ok(None));
        assert_eq!(of("GZip"), Ok(Some(Coding::Gzip)));
        assert_eq!(of(" br "), Ok(Some(Coding::Brotli)));
        assert!(of("gzip, br").is_err());
        assert!(of("deflate").is_err());
        assert!(Coding::of(["gzip", "gzip"].into_iter()).is_err());
    }
}

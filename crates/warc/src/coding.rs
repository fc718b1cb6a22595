//! Content codings (RFC 9110 §8.4.1), undone within bounds: gzip, deflate, brotli, Zstandard.

use std::io::{self, Read};

use flate2::read::{DeflateDecoder, MultiGzDecoder, ZlibDecoder};
use ruzstd::decoding::{FrameDecoder, StreamingDecoder};

/// How often a body may become its own size: real text reaches 60, sitemaps 150, bombs 1,000 and more.
pub const MAX_RATIO: u64 = 500;
/// Small bodies may be as repetitive as they like.
const RATIO_FREE: u64 = 1 << 20;
/// Output between two looks at the bounds.
const STEP: u64 = 64 << 10;
/// The largest window that HTTP allows for Zstandard (RFC 9659).
const ZSTD_WINDOW: u64 = 8 << 20;

/// Why a content coding could not be undone.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CodingError {
    /// Not one of those that are known, or more than one layer.
    #[error("the content coding {0:?} is not read")]
    Unknown(String),
    /// The body becomes larger than it may.
    #[error("larger than {limit} bytes")]
    TooLarge {
        /// The limit, after decompression.
        limit: u64,
    },
    /// It grows out of all proportion.
    #[error("a decompression bomb: {received} bytes became more than {inflated}")]
    Bomb {
        /// Compressed bytes.
        received: u64,
        /// What they had become when it was stopped.
        inflated: u64,
    },
    /// The data is broken or lacks its end.
    #[error("the {coding} data of the body is broken: {why}")]
    Broken {
        /// The coding.
        coding: &'static str,
        /// What its decoder says.
        why: String,
    },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Coding {
    Gzip,
    Deflate,
    Brotli,
    Zstd,
}

impl Coding {
    /// The one coding that the values of `Content-Encoding` name, if any.
    pub(crate) fn of<'a>(values: impl Iterator<Item = &'a str>) -> Result<Option<Coding>, CodingError> {
        let mut found = None;
        for token in values.flat_map(|value| value.split(',')).map(str::trim) {
            let coding = match token.to_ascii_lowercase().as_str() {
                "" | "identity" => continue,
                "gzip" | "x-gzip" => Coding::Gzip,
                "deflate" => Coding::Deflate,
                "br" => Coding::Brotli,
                "zstd" => Coding::Zstd,
                _ => return Err(CodingError::Unknown(token.chars().take(40).collect())),
            };
            if found.replace(coding).is_some() {
                return Err(CodingError::Unknown("more than one layer".to_owned()));
            }
        }
        Ok(found)
    }

    fn name(self) -> &'static str {
        match self {
            Coding::Gzip => "gzip",
            Coding::Deflate => "deflate",
            Coding::Brotli => "br",
            Coding::Zstd => "zstd",
        }
    }

    pub(crate) fn decode(self, body: &[u8], limit: u64) -> Result<Vec<u8>, CodingError> {
        let received = body.len() as u64;
        match self {
            Coding::Gzip => self.drain(MultiGzDecoder::new(body), received, limit),
            // Meant is zlib (RFC 9110 §8.4.1.2); some servers send the bare stream.
            Coding::Deflate if is_zlib(body) => self.drain(ZlibDecoder::new(body), received, limit),
            Coding::Deflate => self.drain(DeflateDecoder::new(body), received, limit),
            Coding::Brotli => self.drain(brotli_decompressor::Decompressor::new(body, 4096), received, limit),
            Coding::Zstd => {
                let mut decoder = FrameDecoder::new();
                decoder.set_max_window_size(ZSTD_WINDOW);
                let mut rest = body;
                let frame = StreamingDecoder::new_with_decoder(&mut rest, decoder)
                    .map_err(|error| self.broken(error.to_string()))?;
                let out = self.drain(frame, received, limit)?;
                if rest.is_empty() { Ok(out) } else { Err(self.broken("more than one frame".to_owned())) }
            }
        }
    }

    fn drain(self, mut decoder: impl Read, received: u64, limit: u64) -> Result<Vec<u8>, CodingError> {
        let mut out = Vec::new();
        loop {
            let read = decoder.by_ref().take(STEP).read_to_end(&mut out);
            let read = read.map_err(|error: io::Error| self.broken(error.to_string()))?;
            let inflated = out.len() as u64;
            if inflated > limit {
                return Err(CodingError::TooLarge { limit });
            }
            if inflated > RATIO_FREE && inflated / MAX_RATIO > received {
                return Err(CodingError::Bomb { received, inflated });
            }
            if (read as u64) < STEP {
                return Ok(out);
            }
        }
    }

    fn broken(self, why: String) -> CodingError {
        CodingError::Broken { coding: self.name(), why }
    }
}

/// RFC 1950 §2.2: method 8, and a check over the first two bytes.
fn is_zlib(body: &[u8]) -> bool {
    matches!(body, [method, flags, ..]
        if method & 0x0f == 8 && (u16::from(*method) << 8 | u16::from(*flags)) % 31 == 0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use flate2::{Compression, write};
    use std::io::Write;

    fn encoded(name: &str, text: &[u8]) -> Vec<u8> {
        let level = Compression::default();
        match name {
            "gzip" => {
                let mut encoder = write::GzEncoder::new(Vec::new(), level);
                encoder.write_all(text).unwrap();
                encoder.finish().unwrap()
            }
            "zlib" => {
                let mut encoder = write::ZlibEncoder::new(Vec::new(), level);
                encoder.write_all(text).unwrap();
                encoder.finish().unwrap()
            }
            "raw" => {
                let mut encoder = write::DeflateEncoder::new(Vec::new(), level);
                encoder.write_all(text).unwrap();
                encoder.finish().unwrap()
            }
            "br" => {
                let mut out = Vec::new();
                let params = brotli::enc::BrotliEncoderParams { quality: 5, ..Default::default() };
                brotli::BrotliCompress(&mut &text[..], &mut out, &params).unwrap();
                out
            }
            _ => ruzstd::encoding::compress_to_vec(text, ruzstd::encoding::CompressionLevel::Fastest),
        }
    }

    const ALL: [(&str, Coding); 5] = [
        ("gzip", Coding::Gzip),
        ("zlib", Coding::Deflate),
        ("raw", Coding::Deflate),
        ("br", Coding::Brotli),
        ("zstd", Coding::Zstd),
    ];

    #[test]
    fn every_coding_is_undone_within_its_bounds_and_never_cut() {
        let text: Vec<u8> = (0..9000_u32).flat_map(|n| format!("{n} is {}. ", n ^ 77).into_bytes()).collect();
        let length = text.len() as u64;
        for (name, coding) in ALL {
            let body = encoded(name, &text);
            assert_eq!(coding.decode(&body, length).unwrap(), text, "{name}");
            assert_eq!(
                coding.decode(&body, length - 1),
                Err(CodingError::TooLarge { limit: length - 1 }),
                "{name}"
            );
            for cut in 0..body.len().min(400) {
                let found = coding.decode(&body[..body.len() - 1 - cut], length);
                assert!(matches!(found, Err(CodingError::Broken { .. })), "{name} without {cut}: {found:?}");
            }
            let bomb = coding.decode(&encoded(name, &vec![0; 16 << 20]), u64::MAX);
            assert!(matches!(bomb, Err(CodingError::Bomb { .. })), "{name}: {:?}", bomb.map(|b| b.len()));
        }
    }

    #[test]
    fn what_is_named() {
        let of = |value: &str| Coding::of([value].into_iter());
        assert_eq!(of("identity"), Ok(None));
        assert_eq!(of("X-GZIP"), Ok(Some(Coding::Gzip)));
        assert_eq!(of("deflate"), Ok(Some(Coding::Deflate)));
        assert!(of("gzip, br").is_err() && of("compress").is_err());
    }
}

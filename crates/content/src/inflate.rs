//! Gzip (RFC 1952), with a hard stop: what comes out is bounded, however little goes in.

use std::io::{self, Read};

use flate2::bufread::GzDecoder;

/// Bytes of output between two looks at the limits. A reader may run past a limit by this much
/// inside, and gives none of it away.
const STEP: usize = 64 * 1024;

/// Output below this is never held against [`Limit::max_ratio`]: a short list of long, similar
/// addresses packs very well.
const RATIO_FREE_BYTES: u64 = 1024 * 1024;

/// More members than any writer makes: block gzip (BGZF) starts one about every 64 KiB.
const MAX_MEMBERS: u32 = 100_000;

/// How much may come out of a gzip body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limit {
    /// Bytes of output.
    pub max_bytes: u64,
    /// Bytes of output for each byte of input; counts from 1 MiB of output on. Deflate itself ends
    /// at about 1,032; real sitemaps stay below 100.
    pub max_ratio: u32,
}

impl Default for Limit {
    /// 128 MiB, more than twice what sitemaps.org allows a sitemap (50 MiB), at most 300 : 1.
    fn default() -> Self {
        Limit { max_bytes: 128 * 1024 * 1024, max_ratio: 300 }
    }
}

/// Why a gzip body could not be read to its end.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum InflateError {
    /// The magic number 1F 8B is missing.
    #[error("this is not gzip")]
    NotGzip,
    /// More output than [`Limit::max_bytes`].
    #[error("the gzip body holds more than {max_bytes} bytes")]
    TooLarge {
        /// The limit.
        max_bytes: u64,
    },
    /// More output for its input than [`Limit::max_ratio`].
    #[error("the gzip body grows more than {max_ratio}-fold")]
    RatioTooHigh {
        /// The limit.
        max_ratio: u32,
    },
    /// A body of a great many tiny members, which costs time and gives nothing.
    #[error("the gzip body has too many members")]
    TooManyMembers,
    /// Damaged: a bad header, a bad block, or a checksum that does not fit.
    #[error("the gzip body is damaged: {0}")]
    Corrupt(String),
    /// The body ends in the middle.
    #[error("the gzip body is cut off")]
    CutOff,
}

/// Whether bytes begin as gzip does.
pub fn is_gzip(bytes: &[u8]) -> bool {
    bytes.starts_with(&[0x1f, 0x8b])
}

/// Inflates a whole gzip body of one or more members.
///
/// # Errors
///
/// See [`InflateError`]. A body that is cut off is an error here; use [`GunzipReader`] to get at
/// what there is of it.
pub fn gunzip(bytes: &[u8], limit: Limit) -> Result<Vec<u8>, InflateError> {
    let mut reader = GunzipReader::new(bytes, limit);
    let mut out = Vec::with_capacity(bytes.len().saturating_mul(4).min(STEP * 4));
    match reader.read_to_end(&mut out) {
        Ok(_) => Ok(out),
        Err(error) => Err(reader.failure.unwrap_or_else(|| InflateError::Corrupt(error.to_string()))),
    }
}

/// Inflates a gzip body piece by piece; what comes before a failure is given first.
///
/// Zeros after the last member are padding; other bytes there are ignored, as `gzip -d` does.
pub struct GunzipReader<'b> {
    member: Option<GzDecoder<&'b [u8]>>,
    input_len: usize,
    limit: Limit,
    given: u64,
    members: u32,
    failure: Option<InflateError>,
}

impl<'b> GunzipReader<'b> {
    /// A reader over a body in memory.
    pub fn new(bytes: &'b [u8], limit: Limit) -> Self {
        let failure = (!is_gzip(bytes)).then_some(InflateError::NotGzip);
        GunzipReader {
            member: Some(GzDecoder::new(bytes)),
            input_len: bytes.len(),
            limit,
            given: 0,
            members: 1,
            failure,
        }
    }

    /// Why reading ended before the end.
    pub fn failure(&self) -> Option<&InflateError> {
        self.failure.as_ref()
    }

    fn step(&mut self, buffer: &mut [u8]) -> Result<usize, InflateError> {
        while let Some(member) = &mut self.member {
            let count = member.read(buffer).map_err(failure)?;
            if count > 0 {
                self.given += count as u64;
                self.check_limits()?;
                return Ok(count);
            }
            self.next_member()?;
        }
        Ok(0)
    }

    fn next_member(&mut self) -> Result<(), InflateError> {
        let Some(rest) = self.member.take().map(GzDecoder::into_inner) else { return Ok(()) };
        if is_gzip(rest) {
            self.members += 1;
            if self.members > MAX_MEMBERS {
                return Err(InflateError::TooManyMembers);
            }
            self.member = Some(GzDecoder::new(rest));
        }
        Ok(())
    }

    fn check_limits(&self) -> Result<(), InflateError> {
        if self.given > self.limit.max_bytes {
            return Err(InflateError::TooLarge { max_bytes: self.limit.max_bytes });
        }
        let taken =
            self.member.as_ref().map_or(self.input_len, |member| self.input_len - member.get_ref().len());
        let allowed = (taken as u64).saturating_mul(u64::from(self.limit.max_ratio));
        if self.given > RATIO_FREE_BYTES && self.given > allowed {
            return Err(InflateError::RatioTooHigh { max_ratio: self.limit.max_ratio });
        }
        Ok(())
    }
}

impl Read for GunzipReader<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if buffer.is_empty() {
            return Ok(0);
        }
        let outcome = match self.failure.take() {
            Some(failure) => Err(failure),
            None => {
                let most = buffer.len().min(STEP);
                self.step(&mut buffer[..most])
            }
        };
        outcome.map_err(|failure| {
            self.member = None;
            self.failure = Some(failure.clone());
            io::Error::other(failure)
        })
    }
}

fn failure(error: io::Error) -> InflateError {
    match error.kind() {
        io::ErrorKind::UnexpectedEof => InflateError::CutOff,
        _ => InflateError::Corrupt(error.to_string()),
    }
}

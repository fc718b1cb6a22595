//! One capture, read from its place.

use std::io::{BufReader, Read, Seek, SeekFrom};

use crate::digest;
use crate::error::{Fault, WarcError};
use crate::header::{RecordHeader, parse_fields};
use crate::http::{self, HttpError, HttpResponse};
use crate::index::{Capture, CaptureKind, Index};
use crate::reader::WarcReader;

/// What an address answered when it was captured.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Captured {
    /// A response.
    Response(HttpResponse),
    /// There was no answer, and this file says why: written by [`WarcWriter::failed`](crate::WarcWriter::failed).
    Failed {
        /// What kind of failure.
        kind: FailureKind,
        /// Why.
        message: String,
    },
}

/// Kinds of failures that are told apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum FailureKind {
    /// No answer, or none that could be trusted.
    Unreachable,
    /// An address that may not be asked, such as a private one.
    Blocked,
    /// The answer was larger than was wanted.
    TooLarge,
}

impl FailureKind {
    /// The word that stands for it in files.
    pub fn name(self) -> &'static str {
        match self {
            FailureKind::Unreachable => "unreachable",
            FailureKind::Blocked => "blocked",
            FailureKind::TooLarge => "too_large",
        }
    }

    /// The kind of a word; a word that is not known is the general case.
    pub fn of(name: &str) -> Self {
        match name {
            "blocked" => FailureKind::Blocked,
            "too_large" => FailureKind::TooLarge,
            _ => FailureKind::Unreachable,
        }
    }
}

/// Why a capture can't be had. None of these says anything about the page.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CaptureError {
    /// The record can't be read.
    #[error(transparent)]
    Warc(#[from] WarcError),
    /// Its message can't be read.
    #[error("byte {offset}: {error}")]
    Http {
        /// Where the record begins.
        offset: u64,
        /// What is wrong.
        error: HttpError,
    },
    /// The record holds only a part.
    #[error("byte {offset}: {why}")]
    Partial {
        /// Where the record begins.
        offset: u64,
        /// How it became one.
        why: String,
    },
    /// The content is not what was captured.
    #[error("byte {offset}: the content does not have the digest of {field}")]
    Digest {
        /// Where the record begins.
        offset: u64,
        /// The field that names the digest.
        field: &'static str,
    },
    /// The record that a revisit stands for.
    #[error("byte {offset}: this revisit stands for a record that is not in this file")]
    Original {
        /// Where the revisit begins.
        offset: u64,
    },
}

impl CaptureError {
    /// Whether the answer is merely larger than the limit.
    pub fn is_too_large(&self) -> bool {
        use crate::coding::CodingError;
        matches!(
            self,
            CaptureError::Warc(WarcError { fault: Fault::BlockTooLarge { .. }, .. })
                | CaptureError::Http {
                    error: HttpError::TooLarge { .. } | HttpError::Coding(CodingError::TooLarge { .. }),
                    ..
                }
        )
    }
}

impl Index {
    /// Reads a capture of this index, with at most `limit` bytes of body, from the file that was indexed.
    ///
    /// # Errors
    /// Whatever keeps its content from being whole and true.
    pub fn read(
        &self,
        capture: &Capture,
        file: &mut (impl Read + Seek),
        limit: u64,
    ) -> Result<Captured, CaptureError> {
        let record = Record::read(capture, file, limit)?;
        match capture.kind {
            CaptureKind::Failure => record.failure(),
            CaptureKind::Revisit => self.revisit(&record, capture, file, limit).map(Captured::Response),
            CaptureKind::Response | CaptureKind::Resource => record.response(limit).map(Captured::Response),
        }
    }

    fn revisit(
        &self,
        record: &Record,
        capture: &Capture,
        file: &mut (impl Read + Seek),
        limit: u64,
    ) -> Result<HttpResponse, CaptureError> {
        let offset = record.offset;
        let original = capture.original.and_then(|at| self.captures().get(at as usize));
        let original = original.ok_or(CaptureError::Original { offset })?;
        let first = Record::read(original, file, limit)?;
        let digest = |record: &Record| record.header.get("warc-payload-digest").map(str::to_owned);
        if let (Some(own), Some(other)) = (digest(record), digest(&first))
            && !own.eq_ignore_ascii_case(&other)
        {
            return Err(CaptureError::Digest { offset, field: "WARC-Payload-Digest" });
        }
        let first = first.response(limit)?;
        let is_not_modified = record
            .header
            .get("warc-profile")
            .is_some_and(|profile| profile.ends_with("/server-not-modified"));
        if record.block.is_empty() || is_not_modified {
            return Ok(first);
        }
        let mut head = record.head()?;
        let framed = http::announces_end(&head.headers);
        // The content was taken out of its wrappings already.
        head.headers.retain(|(name, _)| name != "content-encoding" && name != "content-length");
        Ok(HttpResponse { status: head.status, headers: head.headers, body: first.body, framed })
    }
}

/// A record with its block.
struct Record {
    offset: u64,
    kind: CaptureKind,
    header: RecordHeader,
    block: Vec<u8>,
}

impl Record {
    fn read(capture: &Capture, file: &mut (impl Read + Seek), limit: u64) -> Result<Self, CaptureError> {
        let offset = capture.offset;
        file.seek(SeekFrom::Start(offset)).map_err(|error| Fault::Io(error).at(offset))?;
        let mut reader = WarcReader::at(BufReader::new(file), offset);
        let ended = || Fault::Truncated { within: "the header" }.at(offset);
        let (_, header) = reader.next_record()?.ok_or_else(ended)?;
        if let Some(why) = header.partial() {
            return Err(CaptureError::Partial { offset, why });
        }
        // Room for a head, and for chunks and codings that make a body longer.
        let block = reader.block(limit.saturating_mul(2).saturating_add(1 << 20))?;
        if let Some(labelled) = header.get("warc-block-digest")
            && digest::matches(labelled, &block) == Some(false)
        {
            return Err(CaptureError::Digest { offset, field: "WARC-Block-Digest" });
        }
        Ok(Record { offset, kind: capture.kind, header, block })
    }

    fn head(&self) -> Result<http::Head, CaptureError> {
        http::head(&self.block).map_err(|error| self.http(error))
    }

    fn http(&self, error: HttpError) -> CaptureError {
        CaptureError::Http { offset: self.offset, error }
    }

    fn response(self, limit: u64) -> Result<HttpResponse, CaptureError> {
        if self.kind == CaptureKind::Resource {
            if self.block.len() as u64 > limit {
                return Err(self.http(HttpError::TooLarge { limit }));
            }
            self.check_payload(&self.block)?;
            let media =
                self.header.get("content-type").map(|media| ("content-type".to_owned(), media.to_owned()));
            let headers = media.into_iter().collect();
            return Ok(HttpResponse { status: 200, headers, body: self.block, framed: true });
        }
        let head = self.head()?;
        let raw = &self.block[head.body_at.min(self.block.len())..];
        self.check_payload(raw)?;
        http::with_body(head, raw, limit).map_err(|error| self.http(error))
    }

    /// Only where the block has no digest, which covers more.
    fn check_payload(&self, raw: &[u8]) -> Result<(), CaptureError> {
        let labelled = self.header.get("warc-payload-digest");
        let Some(labelled) = labelled.filter(|_| self.header.get("warc-block-digest").is_none()) else {
            return Ok(());
        };
        // Some take the digest of the chunks, some of what is in them.
        let is_other = |bytes: &[u8]| digest::matches(labelled, bytes) == Some(false);
        let is_wrong =
            is_other(raw) && http::dechunked(raw).and_then(Result::ok).is_none_or(|body| is_other(&body));
        if is_wrong {
            return Err(CaptureError::Digest { offset: self.offset, field: "WARC-Payload-Digest" });
        }
        Ok(())
    }

    fn failure(self) -> Result<Captured, CaptureError> {
        let fields = parse_fields(&self.block).map_err(|why| Fault::Header { why }.at(self.offset))?;
        let get =
            |name: &str| fields.iter().find(|(field, _)| field == name).map(|(_, value)| value.as_str());
        Ok(Captured::Failed {
            kind: FailureKind::of(get(crate::writer::FAILURE).unwrap_or_default()),
            message: crate::writer::unescaped(get(crate::writer::MESSAGE).unwrap_or_default()),
        })
    }
}

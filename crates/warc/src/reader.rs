//! Records in order, plain or compressed, each with its offset.

use std::io::{self, BufRead, BufReader, Read};

use flate2::bufread::GzDecoder;

use crate::error::{Fault, WarcError};
use crate::header::{RecordHeader, shown};

/// The longest header that is read.
const MAX_HEADER: usize = 64 << 10;
/// Behind every block (ISO 28500:2017, clause 4).
const END: &[u8; 4] = b"\r\n\r\n";

/// Reads records one after the other. Nothing is kept of a record but its header; its block is read
/// with [`WarcReader::block`], or passed over by asking for the next record.
///
/// Whether a record is compressed is seen by its first byte, so files of both kinds, and mixed ones, are
/// read. After an error there are no more records.
pub struct WarcReader<R> {
    state: State<R>,
}

enum State<R> {
    Between(Counted<R>),
    Within(Box<Open<R>>),
    Ended,
}

/// A record whose header was read.
struct Open<R> {
    input: Input<R>,
    offset: u64,
    length: u64,
    /// What was not read of the block.
    rest: u64,
}

enum Input<R> {
    Plain(Counted<R>),
    Gzip(BufReader<GzDecoder<Counted<R>>>),
}

impl<R: BufRead> WarcReader<R> {
    /// Reads from the beginning of a file.
    pub fn new(input: R) -> Self {
        WarcReader::at(input, 0)
    }

    /// Reads from a place of a file: `input` stands at `offset`, where a record begins.
    pub fn at(input: R, offset: u64) -> Self {
        WarcReader { state: State::Between(Counted { input, at: offset }) }
    }

    /// The next record with its offset; `None` at the end of the file.
    ///
    /// # Errors
    /// The end of the last record is not where it has to be, or no whole header stands behind it.
    pub fn next_record(&mut self) -> Result<Option<(u64, RecordHeader)>, WarcError> {
        let mut input = match std::mem::replace(&mut self.state, State::Ended) {
            State::Ended => return Ok(None),
            State::Between(input) => input,
            State::Within(open) => (*open).close()?,
        };
        let Some(first) = input.skip_blank().map_err(|error| Fault::Io(error).at(input.at))? else {
            return Ok(None);
        };
        let offset = input.at;
        let mut input = match first {
            0x1f => Input::Gzip(BufReader::with_capacity(16 << 10, GzDecoder::new(input))),
            _ => Input::Plain(input),
        };
        let header = read_header(&mut input).map_err(|fault| fault.at(offset))?;
        let length = header.content_length;
        self.state = State::Within(Box::new(Open { input, offset, length, rest: length }));
        Ok(Some((offset, header)))
    }

    /// The rest of the block of the record that was read last.
    ///
    /// # Errors
    /// It is longer than `limit`, or the file ends within it, or it does not end where it has to.
    pub fn block(&mut self, limit: u64) -> Result<Vec<u8>, WarcError> {
        let State::Within(mut open) = std::mem::replace(&mut self.state, State::Ended) else {
            return Ok(Vec::new());
        };
        let offset = open.offset;
        if open.rest > limit {
            return Err(Fault::BlockTooLarge { limit }.at(offset));
        }
        // Memory is taken as bytes arrive, not on the word of a header.
        let mut block = Vec::new();
        let read = (&mut open.input).take(open.rest).read_to_end(&mut block);
        read.map_err(|error| open.input.fault(error, "the block").at(offset))?;
        if (block.len() as u64) < open.rest {
            return Err(Fault::Truncated { within: "the block" }.at(offset));
        }
        open.rest = 0;
        self.state = State::Between((*open).close()?);
        Ok(block)
    }
}

impl<R: BufRead> Open<R> {
    /// Passes over the rest of the block, and makes sure that the record ends behind it.
    fn close(mut self) -> Result<Counted<R>, WarcError> {
        let offset = self.offset;
        let passed = io::copy(&mut (&mut self.input).take(self.rest), &mut io::sink());
        let passed = passed.map_err(|error| self.input.fault(error, "the block").at(offset))?;
        if passed < self.rest {
            return Err(Fault::Truncated { within: "the block" }.at(offset));
        }
        let mut end = [0; END.len()];
        if let Err(error) = self.input.read_exact(&mut end) {
            return Err(self.input.fault(error, "the end").at(offset));
        }
        if end != *END {
            return Err(Fault::Length { length: self.length }.at(offset));
        }
        match self.input {
            Input::Plain(input) => Ok(input),
            Input::Gzip(mut member) => {
                // Also reads the checksum.
                let behind =
                    member.fill_buf().map_err(|error| Fault::of(error, "the end", true).at(offset))?;
                match behind {
                    [] => Ok(member.into_inner().into_inner()),
                    _ if behind.starts_with(b"WARC/") => Err(Fault::SharedMember.at(offset)),
                    _ => Err(Fault::Length { length: self.length }.at(offset)),
                }
            }
        }
    }
}

fn read_header<R: BufRead>(input: &mut Input<R>) -> Result<RecordHeader, Fault> {
    let mut bytes = Vec::new();
    loop {
        let from = bytes.len();
        let limit = (MAX_HEADER - from) as u64;
        let read = input.by_ref().take(limit).read_until(b'\n', &mut bytes);
        read.map_err(|error| input.fault(error, "the header"))?;
        if from == 0 && !bytes.starts_with(b"WARC/") {
            let is_beginning = !bytes.is_empty() && b"WARC/".starts_with(&bytes);
            return Err(if is_beginning {
                Fault::Truncated { within: "the header" }
            } else {
                Fault::NoRecord { found: shown(&bytes) }
            });
        }
        if bytes.len() >= MAX_HEADER {
            return Err(Fault::HeaderTooLong { limit: MAX_HEADER });
        }
        if bytes.len() == from || bytes.last() != Some(&b'\n') {
            return Err(Fault::Truncated { within: "the header" });
        }
        if matches!(&bytes[from..], b"\n" | b"\r\n") {
            return RecordHeader::parse(&bytes);
        }
    }
}

impl<R: BufRead> Input<R> {
    fn fault(&self, error: io::Error, within: &'static str) -> Fault {
        Fault::of(error, within, matches!(self, Input::Gzip(_)))
    }
}

impl<R: BufRead> Read for Input<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        match self {
            Input::Plain(input) => input.read(out),
            Input::Gzip(input) => input.read(out),
        }
    }
}

impl<R: BufRead> BufRead for Input<R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        match self {
            Input::Plain(input) => input.fill_buf(),
            Input::Gzip(input) => input.fill_buf(),
        }
    }

    fn consume(&mut self, read: usize) {
        match self {
            Input::Plain(input) => input.consume(read),
            Input::Gzip(input) => input.consume(read),
        }
    }
}

/// Counts what was taken out of the file.
struct Counted<R> {
    input: R,
    at: u64,
}

impl<R: BufRead> Counted<R> {
    /// The first byte that is no line break, which some writers put between records; it stays.
    fn skip_blank(&mut self) -> io::Result<Option<u8>> {
        loop {
            let buffer = match self.input.fill_buf() {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                buffer => buffer?,
            };
            let blank = buffer.iter().take_while(|byte| matches!(byte, b'\r' | b'\n')).count();
            let first = buffer.get(blank).copied();
            let is_end = buffer.is_empty();
            self.consume(blank);
            if first.is_some() || is_end {
                return Ok(first);
            }
        }
    }
}

impl<R: BufRead> Read for Counted<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let read = self.input.read(out)?;
        self.at += read as u64;
        Ok(read)
    }
}

impl<R: BufRead> BufRead for Counted<R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        self.input.fill_buf()
    }

    fn consume(&mut self, read: usize) {
        self.input.consume(read);
        self.at += read as u64;
    }
}

//! The header of a record: a version line, then named fields (ISO 28500:2017, clause 4).

use jiff::Timestamp;

use crate::error::Fault;

/// The version a record names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Version {
    /// `WARC/1.0` (ISO 28500:2009).
    V1_0,
    /// `WARC/1.1` (ISO 28500:2017).
    V1_1,
}

/// What a record holds (ISO 28500:2017, clause 6).
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum RecordType {
    /// A description of the records that follow.
    Warcinfo,
    /// A request as it was sent.
    Request,
    /// An answer as it came.
    Response,
    /// An answer whose content stands in another record.
    Revisit,
    /// Content without the protocol that brought it.
    Resource,
    /// What somebody says of another record.
    Metadata,
    /// Content in another format than it came in.
    Conversion,
    /// A later part of a record that was split.
    Continuation,
    /// A type of its own.
    Other(String),
}

impl RecordType {
    fn of(name: &str) -> Self {
        match name.to_ascii_lowercase().as_str() {
            "warcinfo" => RecordType::Warcinfo,
            "request" => RecordType::Request,
            "response" => RecordType::Response,
            "revisit" => RecordType::Revisit,
            "resource" => RecordType::Resource,
            "metadata" => RecordType::Metadata,
            "conversion" => RecordType::Conversion,
            "continuation" => RecordType::Continuation,
            other => RecordType::Other(other.to_owned()),
        }
    }

    /// The name as it is written.
    pub fn name(&self) -> &str {
        match self {
            RecordType::Warcinfo => "warcinfo",
            RecordType::Request => "request",
            RecordType::Response => "response",
            RecordType::Revisit => "revisit",
            RecordType::Resource => "resource",
            RecordType::Metadata => "metadata",
            RecordType::Conversion => "conversion",
            RecordType::Continuation => "continuation",
            RecordType::Other(name) => name,
        }
    }
}

/// The header of a record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecordHeader {
    /// The version it names.
    pub version: Version,
    /// What the record holds.
    pub kind: RecordType,
    /// The length of its block, in bytes after decompression.
    pub content_length: u64,
    fields: Vec<(String, String)>,
}

impl RecordHeader {
    /// Reads a whole header, its blank line included.
    pub(crate) fn parse(bytes: &[u8]) -> Result<Self, Fault> {
        let broken = |why: &str| Fault::Header { why: why.to_owned() };
        let end = bytes.iter().position(|byte| *byte == b'\n').unwrap_or(bytes.len());
        let version = match bytes[..end].trim_ascii() {
            b"WARC/1.0" => Version::V1_0,
            b"WARC/1.1" => Version::V1_1,
            other => return Err(Fault::Version { found: shown(other) }),
        };
        let fields = parse_fields(&bytes[end..]).map_err(|why| Fault::Header { why })?;
        let all = |name: &str| {
            let name = name.to_owned();
            fields.iter().filter(move |(field, _)| field.eq_ignore_ascii_case(&name)).map(|(_, value)| value)
        };
        let kind = RecordType::of(all("warc-type").next().ok_or_else(|| broken("it has no WARC-Type"))?);
        let mut lengths = all("content-length");
        let length = lengths.next().ok_or_else(|| broken("it has no Content-Length"))?;
        if lengths.any(|other| other != length) {
            return Err(broken("two Content-Lengths that differ"));
        }
        let digits = !length.is_empty() && length.bytes().all(|byte| byte.is_ascii_digit());
        let content_length = length.parse().ok().filter(|_| digits);
        let content_length = content_length
            .ok_or_else(|| Fault::Header { why: format!("{:?} is no length", shown(length.as_bytes())) })?;
        Ok(RecordHeader { version, kind, content_length, fields })
    }

    /// The first value of a field; the name is compared without case.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.fields().find(|(field, _)| field.eq_ignore_ascii_case(name)).map(|(_, value)| value)
    }

    /// All values of a field, in order.
    pub fn get_all<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a str> {
        self.fields
            .iter()
            .filter(move |(field, _)| field.eq_ignore_ascii_case(name))
            .map(|(_, value)| value.as_str())
    }

    /// All fields in order.
    pub fn fields(&self) -> impl Iterator<Item = (&str, &str)> {
        self.fields.iter().map(|(name, value)| (name.as_str(), value.as_str()))
    }

    /// `WARC-Record-ID`, without angle brackets.
    pub fn id(&self) -> Option<&str> {
        self.get("warc-record-id").map(bare)
    }

    /// `WARC-Target-URI`; 1.0 was often read so that it stands in angle brackets.
    pub fn target_uri(&self) -> Option<&str> {
        self.get("warc-target-uri").map(bare)
    }

    /// `WARC-Date`, where it can be read.
    pub fn date(&self) -> Option<Timestamp> {
        self.get("warc-date")?.parse().ok()
    }

    /// Why the block is not whole, if it is not: `WARC-Truncated`, or a record in segments.
    pub fn partial(&self) -> Option<String> {
        if let Some(why) = self.get("warc-truncated") {
            return Some(format!("cut when it was captured: {why}"));
        }
        self.get("warc-segment-number").map(|_| "stored in segments, which are not put together".to_owned())
    }

    /// Whether the block is an HTTP message.
    pub fn is_http(&self) -> bool {
        let media = self.get("content-type").unwrap_or_default();
        media.split(';').next().is_some_and(|media| media.trim().eq_ignore_ascii_case("application/http"))
    }
}

/// Takes the angle brackets off an identifier.
pub(crate) fn bare(text: &str) -> &str {
    text.strip_prefix('<').and_then(|text| text.strip_suffix('>')).unwrap_or(text)
}

/// Reads named fields (`application/warc-fields`): a colon between name and value, lines that begin with
/// white space belong to the value above. What is not UTF-8 is read as ISO 8859-1.
///
/// # Errors
/// A line without a colon or with nothing before it, in words.
pub fn parse_fields(bytes: &[u8]) -> Result<Vec<(String, String)>, String> {
    let mut fields: Vec<(String, String)> = Vec::new();
    for line in bytes.split(|byte| *byte == b'\n') {
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        if line.is_empty() {
            continue;
        }
        let text = text_of(line);
        if line[0] == b' ' || line[0] == b'\t' {
            let (_, value) = fields.last_mut().ok_or("it begins with a continued line")?;
            if !value.is_empty() {
                value.push(' ');
            }
            value.push_str(text.trim());
            continue;
        }
        match text.split_once(':') {
            Some((name, value)) if !name.trim().is_empty() => {
                fields.push((name.trim().to_owned(), value.trim().to_owned()));
            }
            _ => return Err(format!("{:?} is no field", shown(line))),
        }
    }
    Ok(fields)
}

pub(crate) fn text_of(bytes: &[u8]) -> String {
    match std::str::from_utf8(bytes) {
        Ok(text) => text.to_owned(),
        Err(_) => bytes.iter().map(|&byte| char::from(byte)).collect(),
    }
}

/// The beginning of something unexpected, for a message.
pub(crate) fn shown(bytes: &[u8]) -> String {
    const SHOWN: usize = 40;
    let cut = if bytes.len() > SHOWN { "…" } else { "" };
    format!("{}{cut}", String::from_utf8_lossy(&bytes[..bytes.len().min(SHOWN)]))
}

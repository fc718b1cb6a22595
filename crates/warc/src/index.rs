//! Where each capture of a file stands. Memory grows with the number of captures, not with their size.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::io::BufRead;
use std::sync::Arc;

use jiff::Timestamp;
use sha1::{Digest, Sha1};

use crate::error::WarcError;
use crate::header::{RecordHeader, RecordType, bare, parse_fields};
use crate::http;
use crate::reader::WarcReader;
use crate::writer::{ACCEPT, FAILURE};

/// The longest description or failure that is read.
const MAX_FIELDS: u64 = 64 << 10;
/// The most of a request that is read.
const MAX_REQUEST: u64 = 256 << 10;

/// One answer of one address.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Capture {
    /// `WARC-Target-URI`.
    pub uri: Box<str>,
    /// What kind of record it is.
    pub kind: CaptureKind,
    /// `WARC-Date`, where it can be read.
    pub date: Option<Timestamp>,
    /// The `Accept` that was sent, where the file holds the request.
    pub accept: Option<Arc<str>>,
    /// Where the record begins, in bytes of the file.
    pub offset: u64,
    /// Of a revisit, the capture that it stands for.
    pub(crate) original: Option<u32>,
}

/// What holds an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum CaptureKind {
    /// An HTTP response to a GET.
    Response,
    /// A response whose content stands in another record.
    Revisit,
    /// Content without a response.
    Resource,
    /// No answer, and why.
    Failure,
}

/// An index of one file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Index {
    captures: Vec<Capture>,
    info: Vec<(String, String)>,
    skipped: BTreeMap<String, u64>,
}

impl Index {
    /// Reads a whole file, block by block, and keeps where its captures stand.
    ///
    /// # Errors
    /// The first fault of the file. An index of a part would be taken for the whole.
    pub fn build(input: impl BufRead) -> Result<Self, WarcError> {
        let mut building = Building::default();
        let mut reader = WarcReader::new(input);
        while let Some((offset, header)) = reader.next_record()? {
            building.take(offset, &header, &mut reader)?;
        }
        Ok(building.finish())
    }

    /// All captures, in the order of the file.
    pub fn captures(&self) -> &[Capture] {
        &self.captures
    }

    /// A field of the first `warcinfo` record.
    pub fn info(&self, name: &str) -> Option<&str> {
        self.info.iter().find(|(field, _)| field.eq_ignore_ascii_case(name)).map(|(_, value)| value.as_str())
    }

    /// Records that hold no answer and were passed over, by a note on why.
    pub fn skipped(&self) -> &BTreeMap<String, u64> {
        &self.skipped
    }
}

/// A short stand-in for a name.
type Key = [u8; 20];

fn key(parts: &[&str]) -> Key {
    let mut hash = Sha1::new();
    for part in parts {
        hash.update(part);
        hash.update([0]);
    }
    hash.finalize().into()
}

#[derive(Clone)]
struct Asked {
    is_get: bool,
    accept: Option<Arc<str>>,
}

/// What a capture still needs when all records were seen: requests may stand before or behind answers.
struct Open {
    capture: Capture,
    /// Its own name and those of records of the same event.
    events: Vec<Key>,
    refers: Vec<Key>,
}

#[derive(Default)]
struct Building {
    open: Vec<Open>,
    info: Option<Vec<(String, String)>>,
    skipped: BTreeMap<String, u64>,
    asked: HashMap<Key, Asked>,
    accepts: HashSet<Arc<str>>,
}

impl Building {
    fn take<R: BufRead>(
        &mut self,
        offset: u64,
        header: &RecordHeader,
        reader: &mut WarcReader<R>,
    ) -> Result<(), WarcError> {
        let kind = match (&header.kind, header.target_uri()) {
            (RecordType::Warcinfo, _) => return self.take_info(header, reader),
            (RecordType::Request, _) if header.is_http() => return self.take_request(header, reader),
            (RecordType::Metadata, Some(uri)) => return self.take_metadata(offset, header, uri, reader),
            (RecordType::Response, Some(_)) if header.is_http() => CaptureKind::Response,
            (RecordType::Revisit, Some(_)) => CaptureKind::Revisit,
            (RecordType::Resource, Some(_)) => CaptureKind::Resource,
            (RecordType::Continuation, _) => return self.skip("continuation: segments are not put together"),
            (RecordType::Conversion, _) => return self.skip("conversion: not what the site sent"),
            (RecordType::Response | RecordType::Revisit | RecordType::Resource, None) => {
                return self.skip("a record without WARC-Target-URI");
            }
            (other, _) => {
                let note =
                    format!("{}: no answer over HTTP", other.name().chars().take(40).collect::<String>());
                return self.skip(&note);
            }
        };
        self.push(offset, header, kind, None);
        Ok(())
    }

    fn push(&mut self, offset: u64, header: &RecordHeader, kind: CaptureKind, accept: Option<Arc<str>>) {
        let uri: Box<str> = header.target_uri().unwrap_or_default().into();
        let mut refers = Vec::new();
        if kind == CaptureKind::Revisit {
            refers.extend(header.get("warc-refers-to").map(|id| key(&[bare(id)])));
            let target = header.get("warc-refers-to-target-uri").map_or(&*uri, bare);
            // The same moment may be written in several ways.
            let date = header.get("warc-refers-to-date").map(|date| match date.parse::<Timestamp>() {
                Ok(date) => date.to_string(),
                Err(_) => date.to_owned(),
            });
            refers.push(key(&[target, date.as_deref().unwrap_or_default()]));
        }
        let events = header.id().into_iter().chain(header.get_all("warc-concurrent-to").map(bare));
        let events = events.map(|id| key(&[id])).collect();
        let capture = Capture { uri, kind, date: header.date(), accept, offset, original: None };
        self.open.push(Open { capture, events, refers });
    }

    fn skip(&mut self, note: &str) -> Result<(), WarcError> {
        *self.skipped.entry(note.to_owned()).or_default() += 1;
        Ok(())
    }

    fn take_info<R: BufRead>(
        &mut self,
        header: &RecordHeader,
        reader: &mut WarcReader<R>,
    ) -> Result<(), WarcError> {
        if self.info.is_none() && header.content_length <= MAX_FIELDS {
            self.info = Some(parse_fields(&reader.block(MAX_FIELDS)?).unwrap_or_default());
        }
        Ok(())
    }

    fn take_request<R: BufRead>(
        &mut self,
        header: &RecordHeader,
        reader: &mut WarcReader<R>,
    ) -> Result<(), WarcError> {
        if header.content_length > MAX_REQUEST {
            // Nothing so long is a GET.
            self.note_request(header, Asked { is_get: false, accept: None });
            return Ok(());
        }
        let Some(request) = http::request(&reader.block(MAX_REQUEST)?) else {
            return self.skip("a request that can't be read");
        };
        let accept = request.accept.map(|accept| self.interned(&accept));
        self.note_request(header, Asked { is_get: request.method == "GET", accept });
        Ok(())
    }

    fn note_request(&mut self, header: &RecordHeader, asked: Asked) {
        for id in header.id().into_iter().chain(header.get_all("warc-concurrent-to").map(bare)) {
            self.asked.insert(key(&[id]), asked.clone());
        }
    }

    fn take_metadata<R: BufRead>(
        &mut self,
        offset: u64,
        header: &RecordHeader,
        uri: &str,
        reader: &mut WarcReader<R>,
    ) -> Result<(), WarcError> {
        if !uri.starts_with("http") || header.content_length > MAX_FIELDS {
            return self.skip("metadata: about a record, not an answer");
        }
        let fields = parse_fields(&reader.block(MAX_FIELDS)?).unwrap_or_default();
        let get =
            |name: &str| fields.iter().find(|(field, _)| field == name).map(|(_, value)| value.as_str());
        if get(FAILURE).is_none() {
            return self.skip("metadata: about a record, not an answer");
        }
        let accept = get(ACCEPT).map(|accept| self.interned(accept));
        self.push(offset, header, CaptureKind::Failure, accept);
        Ok(())
    }

    fn interned(&mut self, accept: &str) -> Arc<str> {
        match self.accepts.get(accept) {
            Some(known) => known.clone(),
            None => {
                let new: Arc<str> = accept.into();
                self.accepts.insert(new.clone());
                new
            }
        }
    }

    fn finish(self) -> Index {
        let Building { open, info, mut skipped, asked, .. } = self;
        let of = |open: &Open| open.events.iter().find_map(|event| asked.get(event));
        // The answer to a HEAD or POST is no answer to a GET.
        let (open, other): (Vec<Open>, Vec<Open>) =
            open.into_iter().partition(|open| of(open).is_none_or(|asked| asked.is_get));
        if !other.is_empty() {
            skipped.insert("answers to other methods than GET".to_owned(), other.len() as u64);
        }
        let mut originals: HashMap<Key, u32> = HashMap::new();
        for (at, open) in open.iter().enumerate() {
            let Capture { uri, kind, date, .. } = &open.capture;
            if !matches!(kind, CaptureKind::Response | CaptureKind::Resource) {
                continue;
            }
            let at = u32::try_from(at).unwrap_or(u32::MAX);
            originals.extend(open.events.first().map(|own| (*own, at)));
            originals.insert(key(&[uri, ""]), at);
            if let Some(date) = date {
                originals.insert(key(&[uri, &date.to_string()]), at);
            }
        }
        let captures = open.iter().map(|open| Capture {
            accept: open.capture.accept.clone().or_else(|| of(open).and_then(|asked| asked.accept.clone())),
            original: open.refers.iter().find_map(|refers| originals.get(refers)).copied(),
            ..open.capture.clone()
        });
        Index { captures: captures.collect(), info: info.unwrap_or_default(), skipped }
    }
}

//! What was written is read again, and the same input gives the same bytes.

use std::io::Cursor;

use jiff::Timestamp;
use proptest::prelude::*;
use wholesite_warc::{Captured, Compression, Exchange, Failed, FailureKind, Index, Info, WarcWriter};

#[derive(Debug, Clone)]
enum Event {
    Answer { uri: String, status: u16, headers: Vec<(String, String)>, body: Vec<u8>, framed: bool },
    Failure { uri: String, kind: FailureKind, message: String },
}

const ACCEPT: &str = "text/html;q=0.5, */*";

fn written(events: &[Event], compression: Compression) -> Vec<u8> {
    let date = Timestamp::from_second(1_767_323_045).unwrap();
    let info = Info { run: "run-1", date, fields: &[("wholesite-seed", "https://a.test/")] };
    let mut writer = WarcWriter::new(Vec::new(), compression, &info).unwrap();
    for event in events {
        match event {
            Event::Answer { uri, status, headers, body, framed } => {
                let headers: Vec<(&str, &str)> =
                    headers.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
                let request = [("accept", ACCEPT)];
                let (status, framed) = (*status, *framed);
                let exchange =
                    Exchange { uri, date, request: &request, status, headers: &headers, body, framed };
                writer.exchange(&exchange).unwrap();
            }
            Event::Failure { uri, kind, message } => {
                writer.failed(&Failed { uri, date, accept: ACCEPT, kind: *kind, message }).unwrap();
            }
        }
    }
    writer.finish().unwrap()
}

fn event() -> impl Strategy<Value = Event> {
    let uri = "https://a\\.test/[a-c]{0,2}(\\?q=[a-z])?";
    let headers = proptest::collection::vec(("x-[a-z]{1,5}", "[!-~é✓]([ -~é✓]{0,8}[!-~é✓])?"), 0..4);
    // Few bodies, so that some come twice.
    let body = prop_oneof![
        Just(Vec::new()),
        Just(b"the same text".to_vec()),
        Just(b"WARC/1.1\r\n\r\n".to_vec()),
        proptest::collection::vec(any::<u8>(), 0..300),
    ];
    let status = prop_oneof![Just(200_u16), Just(404), Just(301), 200..999_u16];
    let answer =
        (uri, status, headers, body, any::<bool>()).prop_map(|(uri, status, headers, body, framed)| {
            let has_body = !matches!(status, 204 | 304);
            let body = if has_body { body } else { Vec::new() };
            Event::Answer { uri, status, headers, body, framed: framed || !has_body }
        });
    let kind =
        prop_oneof![Just(FailureKind::Unreachable), Just(FailureKind::Blocked), Just(FailureKind::TooLarge)];
    let failure =
        (uri, kind, any::<String>()).prop_map(|(uri, kind, message)| Event::Failure { uri, kind, message });
    prop_oneof![4 => answer, 1 => failure]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn everything_comes_back(events in proptest::collection::vec(event(), 0..8), gzip: bool) {
        let compression = if gzip { Compression::Gzip } else { Compression::None };
        let file = written(&events, compression);
        prop_assert_eq!(&file, &written(&events, compression), "the same bytes every time");
        let index = Index::build(&file[..]).unwrap();
        prop_assert_eq!(index.info("wholesite-seed"), Some("https://a.test/"));
        prop_assert_eq!(index.captures().len(), events.len());
        for (capture, event) in index.captures().iter().zip(&events) {
            prop_assert_eq!(capture.accept.as_deref(), Some(ACCEPT));
            let found = index.read(capture, &mut Cursor::new(&file), 1 << 20).unwrap();
            match (event, found) {
                (Event::Answer { uri, status, headers, body, framed }, Captured::Response(found)) => {
                    prop_assert_eq!(&*capture.uri, uri.as_str());
                    prop_assert_eq!((found.status, found.framed), (*status, *framed));
                    prop_assert_eq!(&found.body, body);
                    let own: Vec<_> =
                        found.headers.iter().filter(|(name, _)| name != "content-length").cloned().collect();
                    prop_assert_eq!(&own, headers);
                }
                (Event::Failure { kind, message, .. }, Captured::Failed { kind: k, message: m }) => {
                    prop_assert_eq!((k, m.as_str()), (*kind, message.as_str()));
                }
                (event, found) => prop_assert!(false, "{:?} became {:?}", event, found),
            }
        }
    }

    #[test]
    fn no_bytes_make_it_panic(bytes in proptest::collection::vec(any::<u8>(), 0..400), cut in 0..200_usize) {
        let file = written(&[], Compression::None);
        let _ = Index::build(&bytes[..]);
        let _ = Index::build(&[&file[..], &bytes].concat()[..]);
        let _ = Index::build(&[&file[..cut.min(file.len())], &bytes].concat()[..]);
    }
}

/// A large file is indexed while it is made: nothing of it is ever in memory, or on disk.
#[test]
fn a_file_larger_than_memory_is_indexed_by_its_headers() {
    const RECORDS: u64 = 64;
    const BODY: u64 = 4 << 20;
    let mut made = 0;
    let mut part: Box<dyn std::io::Read> = Box::new(std::io::empty());
    let parts = std::iter::from_fn(move || {
        made += 1;
        let uri = format!("https://a.test/{made}");
        let length = BODY + 38;
        let head = format!(
            "WARC/1.1\r\nWARC-Type: response\r\nWARC-Target-URI: {uri}\r\nContent-Type: application/http\r\n\
             Content-Length: {length}\r\n\r\nHTTP/1.1 200 OK\r\nX: y{}\r\n\r\n",
            " ".repeat(13)
        );
        let end = Cursor::new("\r\n\r\n");
        let body = std::io::Read::take(std::io::repeat(b'x'), BODY);
        let whole = std::io::Read::chain(std::io::Read::chain(Cursor::new(head), body), end);
        (made <= RECORDS).then_some(whole)
    });
    let mut parts = parts.fuse();
    let reader = From(move |out: &mut [u8]| {
        loop {
            let read = std::io::Read::read(&mut part, out)?;
            if read > 0 {
                return Ok(read);
            }
            match parts.next() {
                Some(next) => part = Box::new(next),
                None => return Ok(0),
            }
        }
    });
    let index = Index::build(std::io::BufReader::new(reader)).unwrap();
    assert_eq!(index.captures().len() as u64, RECORDS);
    let offsets: Vec<u64> = index.captures().iter().map(|capture| capture.offset).collect();
    assert!(offsets.windows(2).all(|pair| pair[1] - pair[0] > BODY), "{offsets:?}");
}

struct From<F>(F);

impl<F: FnMut(&mut [u8]) -> std::io::Result<usize>> std::io::Read for From<F> {
    fn read(&mut self, out: &mut [u8]) -> std::io::Result<usize> {
        (self.0)(out)
    }
}

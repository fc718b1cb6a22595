//! Bodies as they are served: what they are, what comes out of them, and where it stops.

use std::io::{Read, Write};

use flate2::{Compression, write::GzEncoder};
use proptest::prelude::*;
use wholesite_content::inflate::GunzipReader;
use wholesite_content::{InflateError, Kind, Limit, TextStream, decode, gunzip, sniff};

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(bytes).expect("writing to memory");
    encoder.finish().expect("writing to memory")
}

fn utf16(text: &str, big_endian: bool) -> Vec<u8> {
    text.encode_utf16()
        .flat_map(|unit| if big_endian { unit.to_be_bytes() } else { unit.to_le_bytes() })
        .collect()
}

#[test]
fn kinds() {
    let html = Some("text/html; charset=utf-8");
    let plain = Some("text/plain");
    let table: Vec<(&[u8], Option<&str>, Kind)> = vec![
        (b"<!DOCTYPE html><p>x", plain, Kind::Html),
        (b"\xef\xbb\xbf \n<!-- note --> <HTML lang=en>", None, Kind::Html),
        (b"<?xml version='1.0'?>\n<!-- x -->\n<html xmlns='http://www.w3.org/1999/xhtml'>", None, Kind::Html),
        (b"<h1>Kite</h1>", html, Kind::Html),
        (b"<meta charset=utf-8><p>x", None, Kind::Html),
        (b"plain words with a <b>tag</b>", html, Kind::Html),
        (b"# Kite\n\nA manual.", html, Kind::Text),
        (b"<div align=center>\n\n# Kite\n\n</div>", Some("text/markdown"), Kind::Text),
        (b"<div align=center>\n\n# Kite\n\n</div>", None, Kind::Text),
        (b"<!-- a comment -->\n# Kite", plain, Kind::Text),
        (b"< 5 is small", html, Kind::Text),
        (b"<?xml version='1.0'?><urlset/>", html, Kind::Xml),
        (b"<urlset xmlns = 'http://www.sitemaps.org/schemas/sitemap/0.9'>", None, Kind::Xml),
        (b"<sm:urlset xmlns:sm='http://www.sitemaps.org/schemas/sitemap/0.9'>", None, Kind::Xml),
        (b"<catalog>", Some("application/xml"), Kind::Xml),
        (b"{\"pages\": []}", None, Kind::Json),
        (b" [ {\"a\": 1} ] ", None, Kind::Json),
        (b"[1, 2]", Some("application/json"), Kind::Json),
        (b"[1, 2]", None, Kind::Text),
        (b"[Kite](/kite)", None, Kind::Text),
        (b"[\"quoted\"](/kite) and more", None, Kind::Text),
        (b"{/* a comment */}\n# Kite", None, Kind::Text),
        (b"\x1f\x8b\x08\0", Some("text/xml"), Kind::Gzip),
        (b"%PDF-1.7\nstuff", Some("application/octet-stream"), Kind::Pdf),
        (b"A file that starts with %PDF-1.7 is a PDF.", plain, Kind::Text),
        (b"PK\x03\x04\0\0\0\0", plain, Kind::Binary),
        (b"PK is the initials of a person", plain, Kind::Text),
        (b"\x89PNG\r\n\x1a\n", html, Kind::Binary),
        (b"words and \0 bytes", plain, Kind::Binary),
        (b"# Kite", Some("application/octet-stream"), Kind::Text),
        (b"\xcf\xf0\xe8\xe2\xe5\xf2", plain, Kind::Text),
        (b"\xff\xfeK\0i\0t\0e\0", plain, Kind::Text),
        (b"", html, Kind::Empty),
        (b"\xef\xbb\xbf \r\n\t", None, Kind::Empty),
    ];
    for (bytes, content_type, want) in table {
        assert_eq!(
            sniff(bytes, content_type),
            want,
            "{:?} as {content_type:?}",
            String::from_utf8_lossy(bytes)
        );
    }
    for big_endian in [false, true] {
        assert_eq!(
            sniff(&utf16("<?xml version='1.0' encoding='utf-16'?><urlset/>", big_endian), None),
            Kind::Xml
        );
        assert_eq!(sniff(&utf16("\u{feff}<!doctype html>", big_endian), None), Kind::Html);
    }
}

#[test]
fn encodings() {
    let cyrillic = |before: &str, after: &str| {
        [before.as_bytes(), b"\xcf\xf0\xe8\xe2\xe5\xf2", after.as_bytes()].concat()
    };
    type Row<'r> = (Vec<u8>, Option<&'r str>, &'r str, &'r str, usize);
    let table: Vec<Row<'_>> = vec![
        (
            cyrillic("<h1>", "</h1>"),
            Some("text/html; charset=windows-1251"),
            "<h1>Привет</h1>",
            "windows-1251",
            0,
        ),
        (
            cyrillic("<meta charset=cp1251><h1>", ""),
            Some("text/html"),
            "<meta charset=cp1251><h1>Привет",
            "windows-1251",
            0,
        ),
        // A declaration inside Markdown is an example, not a declaration.
        (b"`<meta charset=cp1251>` caf\xc3\xa9".to_vec(), None, "`<meta charset=cp1251>` café", "UTF-8", 0),
        (b"\xef\xbb\xbf# Kite".to_vec(), Some("text/plain; charset=iso-8859-1"), "# Kite", "UTF-8", 0),
        (utf16("\u{feff}Größe", false), Some("text/plain"), "Größe", "UTF-16LE", 0),
        (utf16("\u{feff}Größe", true), None, "Größe", "UTF-16BE", 0),
        (utf16("<?xml version='1.0'?><ä/>", true), None, "<?xml version='1.0'?><ä/>", "UTF-16BE", 0),
        (
            b"<?xml version='1.0' encoding='ISO-8859-1'?><a>\xe9</a>".to_vec(),
            Some("text/xml"),
            "<?xml version='1.0' encoding='ISO-8859-1'?><a>é</a>",
            "windows-1252",
            0,
        ),
        (b"caf\xe9 \xff".to_vec(), None, "caf\u{fffd} \u{fffd}", "UTF-8", 2),
        (b"caf\xe9".to_vec(), Some("text/plain; charset=nonsense"), "caf\u{fffd}", "UTF-8", 1),
        (b"cut \xe2\x82".to_vec(), None, "cut \u{fffd}", "UTF-8", 1),
        (Vec::new(), None, "", "UTF-8", 0),
    ];
    for (bytes, content_type, text, encoding, replaced) in table {
        let got = decode(&bytes, content_type);
        assert_eq!(
            (got.text.as_ref(), got.encoding, got.replaced),
            (text, encoding, replaced),
            "{content_type:?}"
        );
        assert_eq!(streamed(&bytes, content_type), text, "streamed, {content_type:?}");
    }
}

fn streamed(bytes: &[u8], content_type: Option<&str>) -> String {
    let mut text = String::new();
    let mut stream = TextStream::new(Trickle(bytes), content_type).expect("reading from memory");
    stream.read_to_string(&mut text).expect("a stream of UTF-8");
    text
}

/// A source that gives at most three bytes at once.
struct Trickle<'b>(&'b [u8]);

impl Read for Trickle<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let most = buffer.len().min(3);
        self.0.read(&mut buffer[..most])
    }
}

#[test]
fn gzip_bodies() {
    let small = Limit { max_bytes: 1000, max_ratio: 300 };
    let packed = gzip(b"hello");
    let two = [gzip(b"hello, "), gzip(b"world")].concat();
    let with = |tail: &[u8]| [packed.as_slice(), tail].concat();
    let mut damaged = packed.clone();
    let crc = damaged.len() - 8;
    damaged[crc] ^= 1;
    type Row<'r> = (Vec<u8>, Result<&'r [u8], InflateError>);
    let table: Vec<Row<'_>> = vec![
        (packed.clone(), Ok(b"hello")),
        (two, Ok(b"hello, world")),
        (with(&[0; 512]), Ok(b"hello")),
        (with(b"junk"), Ok(b"hello")),
        (gzip(b""), Ok(b"")),
        (gzip(&[b'x'; 1000]), Ok(&[b'x'; 1000])),
        (gzip(&[b'x'; 1001]), Err(InflateError::TooLarge { max_bytes: 1000 })),
        (packed[..packed.len() - 9].to_vec(), Err(InflateError::CutOff)),
        (packed[..4].to_vec(), Err(InflateError::CutOff)),
        (b"hello".to_vec(), Err(InflateError::NotGzip)),
        (Vec::new(), Err(InflateError::NotGzip)),
    ];
    for (bytes, want) in table {
        assert_eq!(gunzip(&bytes, small).as_deref(), want.as_deref());
    }
    assert!(matches!(gunzip(&damaged, small), Err(InflateError::Corrupt(_))));
}

#[test]
fn a_bomb_stops_early() {
    let bomb = gzip(&vec![0; 32 * 1024 * 1024]);
    let limit = Limit { max_ratio: 100, ..Limit::default() };
    let mut reader = GunzipReader::new(&bomb, limit);
    let mut out = Vec::new();
    assert!(reader.read_to_end(&mut out).is_err());
    assert_eq!(reader.failure(), Some(&InflateError::RatioTooHigh { max_ratio: 100 }));
    assert!(out.len() < 2 * 1024 * 1024, "{} bytes came out", out.len());
    let members = gzip(b"").repeat(150_000);
    assert_eq!(gunzip(&members, Limit::default()), Err(InflateError::TooManyMembers));
}

#[test]
fn what_comes_before_the_cut_is_given() {
    let text: String = (0..5000).map(|n| format!("https://kite.test/{n}\n")).collect();
    let packed = gzip(text.as_bytes());
    let mut reader = GunzipReader::new(&packed[..packed.len() / 2], Limit::default());
    let mut out = Vec::new();
    assert!(reader.read_to_end(&mut out).is_err());
    assert_eq!(reader.failure(), Some(&InflateError::CutOff));
    assert!(out.len() > text.len() / 4 && text.as_bytes().starts_with(&out));
}

proptest! {
    #[test]
    fn streaming_equals_decoding_at_once(
        bytes in proptest::collection::vec(any::<u8>(), 0..3000),
        content_type in proptest::option::of("text/(html|xml|plain)(; charset=(utf-8|gbk|utf-16le|shift_jis|iso-2022-jp))?"),
    ) {
        let whole = decode(&bytes, content_type.as_deref());
        prop_assert_eq!(whole.text, streamed(&bytes, content_type.as_deref()));
    }

    #[test]
    fn inflating_undoes_deflating_and_keeps_its_limit(bytes in proptest::collection::vec(any::<u8>(), 0..3000), max_bytes in 0u64..3000) {
        let limit = Limit { max_bytes, max_ratio: 300 };
        match gunzip(&gzip(&bytes), limit) {
            Ok(out) => prop_assert_eq!(out, bytes),
            Err(error) => prop_assert_eq!((error, bytes.len() as u64 > max_bytes), (InflateError::TooLarge { max_bytes }, true)),
        }
    }

    #[test]
    fn nothing_panics(bytes in proptest::collection::vec(any::<u8>(), 0..300), header in ".{0,40}") {
        sniff(&bytes, Some(&header));
        decode(&bytes, Some(&header));
        let _ = gunzip(&[b"\x1f\x8b\x08\0".as_slice(), &bytes].concat(), Limit::default());
    }
}

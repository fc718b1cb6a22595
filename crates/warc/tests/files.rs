//! Files written by hand: what is read out of them, and what is wrong with them.

use std::io::{Cursor, Write};

use flate2::write::GzEncoder;
use wholesite_warc::{CaptureKind, Captured, Index, WarcReader, sha1_label};

const LIMIT: u64 = 1 << 20;

/// One record, with its fields and block as written here, and the right length.
fn record(fields: &str, block: &str) -> Vec<u8> {
    let fields: String = fields.lines().map(|line| format!("{line}\r\n")).collect();
    format!("WARC/1.1\r\n{fields}Content-Length: {}\r\n\r\n{block}\r\n\r\n", block.len()).into_bytes()
}

fn response(uri: &str, id: &str, block: &str) -> Vec<u8> {
    let fields = format!(
        "WARC-Type: response\nWARC-Target-URI: {uri}\nWARC-Record-ID: <urn:{id}>\n\
         WARC-Date: 2026-01-02T03:04:05Z\nContent-Type: application/http; msgtype=response"
    );
    record(&fields, block)
}

fn page(text: &str) -> String {
    format!("HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: {}\r\n\r\n{text}", text.len())
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), flate2::Compression::default());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

/// What a file says, a line each: kind, address, and the answer or what is wrong with it.
fn told(file: &[u8]) -> Vec<String> {
    let index = match Index::build(file) {
        Ok(index) => index,
        Err(error) => return vec![format!("error: {error}")],
    };
    let mut file = Cursor::new(file);
    let captures = index.captures().iter().map(|capture| {
        let answer = match index.read(capture, &mut file, LIMIT) {
            Ok(Captured::Response(found)) => {
                let framed = if found.framed { "" } else { " unframed" };
                format!("{}{framed} {:?}", found.status, String::from_utf8_lossy(&found.body))
            }
            Ok(Captured::Failed { kind, message }) => format!("{} {message:?}", kind.name()),
            Err(error) => format!("unknown: {error}"),
        };
        format!("{} {answer}", capture.uri)
    });
    let skipped = index.skipped().iter().map(|(note, count)| format!("skipped {count}: {note}"));
    captures.chain(skipped).collect()
}

#[test]
fn what_files_say() {
    let a = "https://a.test/a";
    let hi = page("hi");
    let whole = response(a, "1", &hi);
    let with = |more: &str, kind: &str, block: &str| {
        record(&format!("WARC-Type: {kind}\nWARC-Target-URI: {a}\n{more}"), block)
    };
    let http = "Content-Type: application/http";
    let digest = |labelled: &str, block: &str| {
        with(&format!("{http}\nWARC-Block-Digest: {labelled}"), "response", block)
    };
    let revisit = |more: &str, block: &str| {
        let more = format!("{http}\nWARC-Profile: http://netpreserve.org/warc/1.1/revisit/{more}");
        with(&more, "revisit", block)
    };
    let request = |method: &str| {
        let fields = format!("{http}; msgtype=request\nWARC-Concurrent-To: <urn:1>");
        with(&fields, "request", &format!("{method} /a HTTP/1.1\r\nAccept: text/html\r\n\r\n"))
    };
    let redirect = "HTTP/1.1 301 Moved\r\nLocation: /b\r\nContent-Length: 0\r\n\r\n";
    let same_head = "HTTP/1.1 203 Still\r\nContent-Length: 2\r\n\r\n";
    let not_modified = "HTTP/1.1 304 Not Modified\r\n\r\n";
    let known = "https://a.test/a 200 \"hi\"";
    let table: Vec<(&str, Vec<u8>, Vec<&str>)> = vec![
        ("nothing", Vec::new(), vec![]),
        ("one answer", whole.clone(), vec![known]),
        ("1.0", String::from_utf8(whole.clone()).unwrap().replace("/1.1\r\nWARC-T", "/1.0\r\nWARC-T").into(), vec![known]),
        ("compressed", gzip(&whole), vec![known]),
        ("two members", [gzip(&whole), gzip(&response(a, "2", &page("ho")))].concat(), vec![known, "https://a.test/a 200 \"ho\""]),
        ("mixed", [whole.clone(), gzip(&whole), whole.clone()].concat(), vec![known, known, known]),
        ("line breaks between", [whole.clone(), b"\r\n\n".to_vec(), whole.clone()].concat(), vec![known, known]),
        ("address in brackets", response("<https://a.test/a>", "1", &hi), vec![known]),
        ("a folded field", with(&format!("{http};\n  msgtype=response"), "response", &hi), vec![known]),
        ("a redirect", response(a, "1", redirect), vec!["https://a.test/a 301 \"\""]),
        ("a 404", response(a, "1", "HTTP/1.1 404 No\r\nContent-Length: 0\r\n\r\n"), vec!["https://a.test/a 404 \"\""]),
        ("a resource", with("Content-Type: text/plain", "resource", "hi"), vec![known]),
        ("no end announced", response(a, "1", "HTTP/1.0 200 OK\r\n\r\nhi"), vec!["https://a.test/a 200 unframed \"hi\""]),
        ("not HTTP", with("Content-Type: text/dns", "response", "a.test 1.2.3.4"), vec!["skipped 1: response: no answer over HTTP"]),
        ("a continuation", with("", "continuation", "hi"), vec!["skipped 1: continuation: segments are not put together"]),
        ("a conversion", with("", "conversion", "hi"), vec!["skipped 1: conversion: not what the site sent"]),
        ("metadata", with("", "metadata", "outlink: x"), vec!["skipped 1: metadata: about a record, not an answer"]),
        ("a type of its own", with("", "own", "x"), vec!["skipped 1: own: no answer over HTTP"]),
        ("a GET before", [request("GET"), whole.clone()].concat(), vec![known]),
        ("a HEAD behind", [whole.clone(), request("HEAD")].concat(), vec!["skipped 1: answers to other methods than GET"]),
        ("cut by its recorder", with(&format!("{http}\nWARC-Truncated: length"), "response", &hi), vec!["https://a.test/a unknown: byte 0: cut when it was captured: length"]),
        ("a first segment", with(&format!("{http}\nWARC-Segment-Number: 1"), "response", &hi), vec!["https://a.test/a unknown: byte 0: stored in segments, which are not put together"]),
        ("a body cut", response(a, "1", "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhi"), vec!["https://a.test/a unknown: byte 0: the body has 2 bytes where its Content-Length says 9"]),
        ("no message", response(a, "1", "hello"), vec!["https://a.test/a unknown: byte 0: no HTTP message: invalid HTTP version: \"hello\""]),
        ("its digest", digest(&sha1_label(hi.as_bytes()), &hi), vec![known]),
        ("another digest", digest(&sha1_label(b"ho"), &hi), vec!["https://a.test/a unknown: byte 0: the content does not have the digest of WARC-Block-Digest"]),
        ("a digest that is unknown here", digest("md5:1234", &hi), vec![known]),
        ("payload digest", with(&format!("{http}\nWARC-Payload-Digest: {}", sha1_label(b"hi")), "response", &hi), vec![known]),
        ("another payload", with(&format!("{http}\nWARC-Payload-Digest: {}", sha1_label(b"ho")), "response", &hi), vec!["https://a.test/a unknown: byte 0: the content does not have the digest of WARC-Payload-Digest"]),
        ("the same again", [whole.clone(), revisit("identical-payload-digest\nWARC-Refers-To: <urn:1>", same_head)].concat(), vec![known, "https://a.test/a 203 \"hi\""]),
        ("the same again, without a head", [whole.clone(), revisit("identical-payload-digest\nWARC-Refers-To-Target-URI: https://a.test/a\nWARC-Refers-To-Date: 2026-01-02T03:04:05.000Z", "")].concat(), vec![known, known]),
        ("not modified", [whole.clone(), revisit("server-not-modified", not_modified)].concat(), vec![known, known]),
        ("the same as what is elsewhere", revisit("identical-payload-digest\nWARC-Refers-To: <urn:9>", same_head), vec!["https://a.test/a unknown: byte 0: this revisit stands for a record that is not in this file"]),
        ("the same with another digest", [with(&format!("{http}\nWARC-Record-ID: <urn:1>\nWARC-Payload-Digest: {}", sha1_label(b"hi")), "response", &hi), revisit("identical-payload-digest\nWARC-Refers-To: <urn:1>\nWARC-Payload-Digest: sha1:AAAA", same_head)].concat(), vec![known, "https://a.test/a unknown: byte 275: the content does not have the digest of WARC-Payload-Digest"]),
    ];
    for (name, file, expected) in table {
        assert_eq!(told(&file), expected, "{name}");
    }
}

#[test]
fn what_is_wrong_with_files() {
    let whole = response("https://a.test/a", "1", &page("hi"));
    let at = whole.len();
    let text = String::from_utf8(whole.clone()).unwrap();
    let behind = |bytes: &[u8]| [&whole, bytes].concat();
    let length =
        text.find("Content-Length: ").map(|at| text[at + 16..].lines().next().unwrap().to_owned()).unwrap();
    let lengthy = |other: &str| text.replacen(&format!("Content-Length: {length}"), other, 1).into_bytes();
    let broken = "the header of this record is broken:";
    let mut checksum = gzip(&whole);
    let end = checksum.len();
    checksum[end - 6] ^= 1;
    let table: Vec<(&str, Vec<u8>, String)> = vec![
        ("prose", b"Dear reader,\nhello".to_vec(), "byte 0: a WARC record has to begin here, but there is \"Dear reader,\\n\"".to_owned()),
        ("garbage between", behind(b"garbage"), format!("byte {at}: a WARC record has to begin here, but there is \"garbage\"")),
        ("zeros behind", behind(&[0; 3]), format!("byte {at}: a WARC record has to begin here, but there is \"\\0\\0\\0\"")),
        ("an old version", b"WARC/0.18\r\nWARC-Type: response\r\nContent-Length: 0\r\n\r\n\r\n\r\n".to_vec(), "byte 0: \"WARC/0.18\" is no version of WARC that is read (1.0 and 1.1 are)".to_owned()),
        ("no length", lengthy("X: y"), format!("byte 0: {broken} it has no Content-Length")),
        ("a negative length", lengthy("Content-Length: -1"), format!("byte 0: {broken} \"-1\" is no length")),
        ("a length beyond numbers", lengthy("Content-Length: 99999999999999999999"), format!("byte 0: {broken} \"99999999999999999999\" is no length")),
        ("an endless length", lengthy(&format!("Content-Length: {}", u64::MAX)), "byte 0: the file ends within the block of this record".to_owned()),
        ("too short a length", lengthy("Content-Length: 9"), "byte 0: this record does not end where its Content-Length of 9 says".to_owned()),
        ("two lengths", lengthy("Content-Length: 1\r\nContent-Length: 2"), format!("byte 0: {broken} two Content-Lengths that differ")),
        ("no type", text.replace("WARC-Type", "X-Type").into(), format!("byte 0: {broken} it has no WARC-Type")),
        ("no field", text.replace("WARC-Type: ", "WARC-Type ").into(), format!("byte 0: {broken} \"WARC-Type response\" is no field")),
        ("a header without end", format!("WARC/1.1\r\nx: {}", "y".repeat(100_000)).into(), "byte 0: the header of this record is longer than 65536 bytes".to_owned()),
        ("one member for two records", gzip(&behind(&whole)), "byte 0: more than one record in one gzip member, so none of them can be found again (`warcio recompress` gives each its own)".to_owned()),
        ("garbage in a member", gzip(&behind(b"x")), format!("byte 0: this record does not end where its Content-Length of {length} says")),
        ("a checksum that is wrong", checksum, "byte 0: the gzip member of this record is broken: corrupt gzip stream does not have a matching checksum".to_owned()),
    ];
    for (name, file, expected) in table {
        assert_eq!(told(&file), [format!("error: {expected}")], "{name}");
    }
}

#[test]
fn a_file_that_is_cut_gives_an_error_or_fewer_records_and_never_another_one() {
    let pages: Vec<Vec<u8>> = (0..3)
        .map(|n| response(&format!("https://a.test/{n}"), &n.to_string(), &page(&"x ".repeat(40 + n))))
        .collect();
    let zipped: Vec<Vec<u8>> = pages.iter().map(|page| gzip(page)).collect();
    for records in [pages, zipped] {
        let file = records.concat();
        let all = told(&file);
        let ends: Vec<usize> = (0..=records.len()).map(|n| records[..n].iter().map(Vec::len).sum()).collect();
        for cut in 0..file.len() {
            let found = told(&file[..cut]);
            match ends.iter().position(|end| *end == cut) {
                Some(whole) => assert_eq!(found, all[..whole], "cut at {cut}, between records"),
                None => {
                    let begun = ends.iter().rposition(|end| *end < cut).unwrap();
                    let expected = format!("error: byte {}: the file ends within", ends[begun]);
                    assert!(found.len() == 1 && found[0].starts_with(&expected), "cut at {cut}: {found:?}");
                }
            }
        }
    }
}

/// A byte that was changed gives an error, or another text with a reason to doubt it, or it stood in a
/// field that says nothing of the content: never a panic, and never another text.
#[test]
fn a_byte_that_was_changed_is_no_other_text() {
    let block = page("the text of this page");
    let fields = format!(
        "WARC-Type: response\nWARC-Target-URI: https://a.test/a\nContent-Type: application/http\n\
         WARC-Block-Digest: {}",
        sha1_label(block.as_bytes())
    );
    let plain = record(&fields, &block);
    for file in [plain.clone(), gzip(&plain)] {
        let right = Index::build(&file[..]).unwrap();
        let right = right.read(&right.captures()[0], &mut Cursor::new(&file), LIMIT).unwrap();
        for at in 0..file.len() {
            for flip in [1_u8, 0x20, 0x80, 0xff] {
                let mut changed = file.clone();
                changed[at] ^= flip;
                let Ok(index) = Index::build(&changed[..]) else { continue };
                for capture in index.captures().iter().filter(|c| c.kind == CaptureKind::Response) {
                    let doubted = changed[at] != b'\0' && {
                        let header = WarcReader::new(&changed[..]).next_record().unwrap().unwrap().1;
                        header.get("warc-block-digest").is_none_or(|label| !label.starts_with("sha1:"))
                    };
                    match index.read(capture, &mut Cursor::new(&changed), LIMIT) {
                        Ok(found) if !doubted => assert_eq!(found, right, "byte {at} ^ {flip}"),
                        _ => {}
                    }
                }
            }
        }
    }
}

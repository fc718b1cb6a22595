//! How servers answer, and what is made of it.

use std::time::{Duration, Instant, SystemTime};

use tokio::task::JoinSet;
use wholesite_fetch::{Fetch, Validators};

use crate::support::{QUICK, Seen, Server, Step, answer, brotli, gzip, ok, quick, request, tell, text, zstd};

const CUT: &str = "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhello";
const MAX_BYTES: u64 = 64 << 10;

type Script = fn(&Seen) -> Vec<Step>;

/// What the server does → what comes of it, in at most three attempts.
const TABLE: &[(&str, Script, &str)] = &[
    ("whole answer", |_| ok("hello"), "200 in 1, Framed: hello"),
    ("not found", |_| answer("404 Not Found", "", b"no"), "404 in 1, Framed: no"),
    ("status 999", |_| answer("999 Denied", "", b"no"), "999 in 1, Framed: no"),
    ("status 1000", |_| answer("1000 Huh", "", b"no"), "protocol in 1"),
    ("not HTTP", |_| vec![text("SSH-2.0-OpenSSH_9.2\r\n"), Step::Close], "protocol in 1"),
    ("two lengths", |_| answer("200 OK", "Content-Length: 6\r\n", b"hello"), "protocol in 1"),
    ("no content", |_| vec![text("HTTP/1.1 204 No Content\r\n\r\n")], "204 in 1, Framed: "),
    (
        "not modified, with the header of a body",
        |_| vec![text("HTTP/1.1 304 X\r\nContent-Encoding: gzip\r\nContent-Length: 99999999\r\n\r\n")],
        "304 in 1, Framed: ",
    ),
    (
        "old protocol",
        |_| vec![text("HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\nhi")],
        "200 in 1, Framed: hi",
    ),
    (
        "chunks",
        |_| vec![text("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\n\r\n")],
        "200 in 1, Framed: hi",
    ),
    (
        "end by closing",
        |_| vec![text("HTTP/1.1 200 OK\r\n\r\nhi"), Step::Close],
        "200 in 1, CloseDelimited: hi",
    ),
    (
        "end by closing, reset",
        |_| vec![text("HTTP/1.1 200 OK\r\n\r\nhi"), Step::Pause(Duration::from_millis(20)), Step::Reset],
        "truncated in 3",
    ),
    // What may pass is tried again.
    (
        "reset once",
        |seen| if seen.nth == 0 { vec![Step::Reset] } else { ok("hello") },
        "200 in 2, Framed: hello",
    ),
    ("reset always", |_| vec![Step::Reset], "reset in 3"),
    ("closed without a word", |_| vec![Step::Close], "reset in 3"),
    ("closed within the header", |_| vec![text("HTTP/1.1 200 OK\r\nContent-"), Step::Close], "reset in 3"),
    ("silence", |_| vec![Step::Hang], "timeout in 3"),
    (
        "drip",
        |_| vec![text("HTTP/1.1 200 OK\r\n\r\n"), Step::Repeat(b"x".to_vec(), Duration::from_millis(20))],
        "timeout in 3",
    ),
    (
        "header drip",
        |_| vec![text("HTTP/1.1 200 OK\r\nX: "), Step::Repeat(b"x".to_vec(), Duration::from_millis(20))],
        "timeout in 3",
    ),
    (
        "early hints without end",
        |_| vec![Step::Repeat(b"HTTP/1.1 103 Early Hints\r\n\r\n".to_vec(), Duration::from_millis(1))],
        "timeout in 3",
    ),
    (
        "early hints, then the answer",
        |_| [vec![text("HTTP/1.1 103 Early Hints\r\n\r\n")], ok("hello")].concat(),
        "200 in 1, Framed: hello",
    ),
    (
        "cut once",
        |seen| if seen.nth == 0 { vec![text(CUT), Step::Close] } else { ok("hello") },
        "200 in 2, Framed: hello",
    ),
    ("cut always", |_| vec![text(CUT), Step::Close], "truncated in 3"),
    (
        "chunks without end",
        |_| vec![text("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n"), Step::Close],
        "truncated in 3",
    ),
    (
        "two errors",
        |seen| if seen.nth < 2 { answer("500 Oops", "", b"") } else { ok("hello") },
        "200 in 3, Framed: hello",
    ),
    ("errors only", |_| answer("502 Bad Gateway", "", b"no"), "502 in 3, Framed: no"),
    (
        "request timeout",
        |seen| if seen.nth == 0 { answer("408 X", "", b"") } else { ok("hello") },
        "200 in 2, Framed: hello",
    ),
    (
        "too early",
        |seen| if seen.nth == 0 { answer("425 X", "", b"") } else { ok("hello") },
        "200 in 2, Framed: hello",
    ),
    ("not implemented", |_| answer("501 X", "", b"no"), "501 in 1, Framed: no"),
    // Content codings.
    ("gzip", |_| answer("200 OK", "Content-Encoding: gzip\r\n", &gzip(b"hello")), "200 in 1, Framed: hello"),
    (
        "brotli",
        |_| answer("200 OK", "Content-Encoding: br\r\n", &brotli(b"hello")),
        "200 in 1, Framed: hello",
    ),
    ("zstd", |_| answer("200 OK", "Content-Encoding: zstd\r\n", &zstd(b"hello")), "200 in 1, Framed: hello"),
    ("deflate", |_| answer("200 OK", "Content-Encoding: deflate\r\n", b"hello"), "bad_coding in 1"),
    (
        "two layers",
        |_| answer("200 OK", "Content-Encoding: gzip, gzip\r\n", &gzip(&gzip(b"hello"))),
        "bad_coding in 1",
    ),
    (
        "gzip in name only",
        |_| answer("200 OK", "Content-Encoding: gzip\r\n", b"# Title\n\nSome prose."),
        "bad_coding in 1",
    ),
    (
        "gzip without its end",
        |_| answer("200 OK", "Content-Encoding: gzip\r\n", &gzip(b"hello")[..15]),
        "truncated in 3",
    ),
    (
        "gzip cut on the way",
        |_| {
            vec![
                text("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 25\r\n\r\n\x1f"),
                Step::Close,
            ]
        },
        "truncated in 3",
    ),
    // Bounds.
    (
        "as large as allowed",
        |_| ok(&"x".repeat(MAX_BYTES as usize)),
        "200 in 1, Framed: xxxxxxxxxxxxxxxxxxxx",
    ),
    (
        "announced too large",
        |_| vec![text("HTTP/1.1 200 OK\r\nContent-Length: 65537\r\n\r\n"), Step::Hang],
        "too_large in 1",
    ),
    (
        "endless",
        |_| vec![text("HTTP/1.1 200 OK\r\n\r\n"), Step::Repeat(vec![b'x'; 16 << 10], Duration::ZERO)],
        "too_large in 1",
    ),
    (
        "too large when inflated",
        |_| answer("200 OK", "Content-Encoding: gzip\r\n", &gzip(&vec![b'x'; MAX_BYTES as usize + 1])),
        "too_large in 1",
    ),
    (
        "more header fields than anybody needs",
        |_| answer("200 OK", &"X-Filler: 1\r\n".repeat(300), b"hello"),
        "too_many_headers in 1",
    ),
    (
        "a header of 100 KB",
        |_| answer("200 OK", &format!("X-Filler: {}\r\n", "x".repeat(100_000)), b"hello"),
        "too_many_headers in 1",
    ),
    (
        "a header of 1 MB",
        |_| answer("200 OK", &format!("X-Filler: {}\r\n", "x".repeat(1 << 20)), b"hello"),
        "too_many_headers in 1",
    ),
];

#[tokio::test]
async fn table() {
    // Set up first: it takes time that would count against the first attempts.
    let fetchers: Vec<_> = TABLE.iter().map(|_| quick().build().unwrap()).collect();
    let mut cases = JoinSet::new();
    for ((name, script, expected), fetcher) in TABLE.iter().zip(fetchers) {
        cases.spawn(async move {
            let server = Server::start(script).await;
            let outcome = fetcher.fetch(request(&server.url("/page")).max_bytes(MAX_BYTES)).await;
            // How often the server was asked is what the outcome says.
            let counted =
                outcome.as_ref().map_or_else(|failure| failure.attempts(), |answer| answer.attempts);
            let asked = server.seen().len();
            let detail = outcome.as_ref().err().map(ToString::to_string).unwrap_or_default();
            (tell(&outcome) != *expected || counted as usize != asked)
                .then(|| format!("{name}: {} ({asked} asked; {detail}), not {expected}", tell(&outcome)))
        });
    }
    let wrong: Vec<_> = cases.join_all().await.into_iter().flatten().collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[tokio::test]
async fn bombs_stop_early() {
    let zeros = vec![0; 32 << 20];
    for (coding, bomb) in [("gzip", gzip(&zeros)), ("br", brotli(&zeros)), ("zstd", zstd(&zeros))] {
        let field = format!("Content-Encoding: {coding}\r\n");
        let server = Server::start(move |_| answer("200 OK", &field, &bomb)).await;
        let started = Instant::now();
        let outcome = quick().build().unwrap().fetch(request(&server.url("/")).max_bytes(1 << 30)).await;
        assert_eq!(tell(&outcome), "inflate_bomb in 1", "{coding}");
        assert!(started.elapsed() < QUICK.attempt);
    }
}

#[tokio::test]
async fn redirects_are_answers() {
    let server = Server::start(|seen| match seen.nth {
        0 => answer("302 Found", "Location: /elsewhere\r\n", b""),
        1 => answer("308 Permanent Redirect", "Location: http://169.254.169.254/latest/\r\n", b""),
        _ => answer("300 Multiple Choices", "Location: /elsewhere\r\n", b""),
    })
    .await;
    let fetcher = quick().build().unwrap();
    let mut targets = Vec::new();
    for _ in 0..3 {
        let answer = fetcher.fetch(request(&server.url("/page"))).await.unwrap();
        assert_eq!(answer.url.as_str(), server.url("/page"));
        targets.push(answer.redirect().map(str::to_owned));
    }
    let expected = ["/elsewhere", "http://169.254.169.254/latest/"].map(|target| Some(target.to_owned()));
    assert_eq!(targets, [&expected[..], &[None]].concat());
    assert_eq!(server.seen().len(), 3);
}

#[tokio::test]
async fn what_is_told_of_an_answer() {
    let server = Server::start(|_| {
        let fields =
            "Content-Encoding: gzip\r\nETag: \"1\"\r\nlink: <a>\r\nLink: <b>\r\nX-Name: caf\u{e9}\r\n";
        answer("200 OK", fields, &gzip(&[b'x'; 5000]))
    })
    .await;
    let answer = quick().build().unwrap().fetch(request(&server.url("/"))).await.unwrap();
    assert_eq!(answer.body.len(), 5000);
    assert_eq!(answer.received_bytes, gzip(&[b'x'; 5000]).len() as u64);
    assert_eq!(answer.headers.get("Content-Encoding"), None);
    assert_eq!(answer.headers.get("Content-Length"), None);
    assert_eq!(answer.headers.get_all("link").collect::<Vec<_>>(), ["<a>", "<b>"]);
    assert_eq!(answer.headers.get("x-name"), Some("café"));
    assert_eq!(answer.validators(), Some(Validators { etag: Some("\"1\"".into()), last_modified: None }));
}

#[tokio::test]
async fn what_is_asked() {
    let server = Server::start(|_| ok("")).await;
    let fetcher = quick().contact("https://example.test/crawler").build().unwrap();
    let known = |etag: &str| Validators { etag: Some(etag.into()), last_modified: Some("Mon".into()) };
    fetcher.fetch(request(&server.url("/a?b=c")).revalidate(known("W/\"é\"")).no_cache()).await.unwrap();
    fetcher.fetch(request(&server.url("/")).revalidate(known("x\r\nHost: y"))).await.unwrap();
    let heads: Vec<_> = server.seen().into_iter().map(|seen| seen.head.to_ascii_lowercase()).collect();
    let version = env!("CARGO_PKG_VERSION");
    for line in [
        "get /a?b=c http/1.1",
        &format!("host: {}", server.addr),
        &format!("user-agent: wholesite/{version} (+https://example.test/crawler)"),
        "accept: */*",
        "accept-encoding: gzip, br, zstd",
        "cache-control: no-cache",
        "if-none-match: w/\"é\"",
        "if-modified-since: mon",
    ] {
        assert!(heads[0].lines().any(|found| found == line), "{line}\n{}", heads[0]);
    }
    for name in ["cookie", "referer", "authorization", "if-none-match: x", "cache-control"] {
        assert!(!heads[1].contains(name), "{name}\n{}", heads[1]);
    }
}

/// What the server asks for → pause before the second request.
#[tokio::test]
async fn retry_after() {
    let soon = httpdate::fmt_http_date(SystemTime::now() + Duration::from_millis(2000));
    let long = Duration::from_secs(60);
    let cases = [
        ("1", Duration::from_millis(1000), long, "200 in 2, Framed: hello"),
        (&soon, Duration::from_millis(800), long, "200 in 2, Framed: hello"),
        ("Thu, 01 Jan 2099 00:00:00 GMT", QUICK.retry_after_cap, long, "200 in 2, Framed: hello"),
        ("99999999999", QUICK.retry_after_cap, long, "200 in 2, Framed: hello"),
        (
            "Thu, 01 Jan 1970 00:00:00 GMT",
            Duration::ZERO,
            Duration::from_millis(500),
            "200 in 2, Framed: hello",
        ),
        ("1m30s", Duration::ZERO, Duration::from_millis(500), "200 in 2, Framed: hello"),
        ("-5", Duration::ZERO, Duration::from_millis(500), "200 in 2, Framed: hello"),
    ];
    let fetchers: Vec<_> = cases.iter().map(|_| quick().build().unwrap()).collect();
    let mut all = JoinSet::new();
    for ((value, least, most, expected), fetcher) in cases.into_iter().zip(fetchers) {
        let field = format!("Retry-After: {value}\r\n");
        all.spawn(async move {
            let server = Server::start(move |seen| match seen.nth {
                0 => answer("429 Too Many Requests", &field, b""),
                _ => ok("hello"),
            })
            .await;
            let outcome = fetcher.fetch(request(&server.url("/"))).await;
            let seen = server.seen();
            let pause = seen[1].at - seen[0].at;
            assert_eq!(tell(&outcome), expected);
            assert!(pause >= least && pause <= most, "{pause:?} is not within {least:?} and {most:?}");
        });
    }
    all.join_all().await;

    let server = Server::start(|_| answer("429 X", "Retry-After: 99999999999\r\n", b"")).await;
    let outcome = quick().build().unwrap().fetch(request(&server.url("/"))).await;
    assert_eq!(tell(&outcome), "429 in 3, Framed: ", "bounded by the cap, and then reported");
}

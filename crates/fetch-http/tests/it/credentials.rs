//! Credentials stay at their origin.

use wholesite_fetch::Fetch;

use crate::support::{Secure, Secured, Server, ok, quick, request};

#[tokio::test]
async fn they_go_to_their_exact_origin_only() {
    let (docs, other) = (Server::start(|_| ok("")).await, Server::start(|_| ok("")).await);
    let (port, other_port) = (docs.addr.port(), other.addr.port());
    let fetcher = quick()
        .resolve("docs.example.test", docs.addr)
        .resolve("other.example.test", docs.addr)
        .credentials(
            &format!("http://docs.example.test:{port}/any/path"),
            [("Authorization", "Bearer canary"), ("Cookie", "s=canary"), ("X-Api-Key", "canary")],
        )
        .unwrap()
        .credentials(&format!("https://other.example.test:{port}"), [("X-Api-Key", "canary")])
        .unwrap()
        .build()
        .unwrap();
    let cases = [
        (format!("http://docs.example.test:{port}/a"), 3),
        (format!("http://DOCS.example.test:{port}/b?c"), 3),
        (format!("http://docs.example.test:{other_port}/a"), 0),
        // Not even where the connection leads to the same machine and port.
        (format!("http://other.example.test:{port}/a"), 0),
        (format!("http://docs.example.test.:{port}/a"), 0),
        (docs.url("/a"), 0),
        ("http://docs.example.test/a".to_owned(), 0),
    ];
    for (url, expected) in cases {
        // The name with the final dot is not known, so nothing is sent at all.
        let answered = fetcher.fetch(request(&url)).await.is_ok();
        let heads = [docs.seen(), other.seen()].concat();
        let last = heads.iter().max_by_key(|seen| seen.at).unwrap();
        if answered {
            assert_eq!(last.head.matches("canary").count(), expected, "{url}\n{}", last.head);
        }
    }
    assert_eq!(docs.seen().len() + other.seen().len(), 6);
}

#[tokio::test]
async fn https_and_http_are_two_origins() {
    let (secure, plain) = (Secure::start(Secured::Well).await, Server::start(|_| ok("")).await);
    let fetcher = quick()
        .resolve("docs.example.test", secure.addr)
        .resolve("docs.example.test", plain.addr)
        .extra_roots_pem(secure.root_pem.as_bytes())
        .unwrap()
        .credentials(&format!("https://docs.example.test:{}", secure.addr.port()), [("X-Api-Key", "canary")])
        .unwrap()
        .build()
        .unwrap();
    let safe = format!("https://docs.example.test:{}/", secure.addr.port());
    assert_eq!(fetcher.fetch(request(&safe)).await.unwrap().body, b"h2, a key");
    let open = format!("http://docs.example.test:{}/", plain.addr.port());
    fetcher.fetch(request(&open)).await.unwrap();
    assert!(!plain.seen()[0].head.contains("canary"));
}

//! Connections: TLS, HTTP/2, fallback, reuse, cancellation.

use std::net::SocketAddr;
use std::time::{Duration, Instant};

use tokio::net::TcpListener;
use wholesite_fetch::{Fetch, HttpVersion};

use crate::support::{QUICK, Secure, Secured, Server, Step, ok, quick, request, tell};

/// An address that refuses connections.
async fn closed_address() -> SocketAddr {
    TcpListener::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap()
}

#[tokio::test]
async fn tls() {
    let url = "https://docs.example.test/";
    for (secured, version) in [(Secured::Well, HttpVersion::Http2), (Secured::Http1Only, HttpVersion::Http11)]
    {
        let server = Secure::start(secured).await;
        let with_root = || quick().extra_roots_pem(server.root_pem.as_bytes()).unwrap();
        let fetcher = with_root().resolve("docs.example.test", server.addr).build().unwrap();
        for known in [request(url), request(url).no_cache()] {
            let answer = fetcher.fetch(known).await.unwrap();
            assert_eq!((answer.status, answer.version), (200, version));
        }
        let stranger = quick().resolve("docs.example.test", server.addr).build().unwrap();
        assert_eq!(tell(&stranger.fetch(request(url)).await), "tls in 1", "unknown issuer");
        let other = with_root().resolve("other.example.test", server.addr).build().unwrap();
        let outcome = other.fetch(request("https://other.example.test/")).await;
        assert_eq!(tell(&outcome), "tls in 1", "the certificate is another host's");
    }
    let server = Secure::start(Secured::Expired).await;
    let fetcher = quick()
        .extra_roots_pem(server.root_pem.as_bytes())
        .unwrap()
        .resolve("docs.example.test", server.addr)
        .build()
        .unwrap();
    assert_eq!(tell(&fetcher.fetch(request(url)).await), "tls in 1", "expired");
}

#[tokio::test]
async fn no_connection() {
    let closed = closed_address().await;
    let fetcher = quick().build().unwrap();
    let outcome = fetcher.fetch(request(&format!("http://{closed}/"))).await;
    assert_eq!(tell(&outcome), "connect in 3");
    let told = outcome.unwrap_err().to_string();
    assert!(told.contains("refused") && told.contains("3 attempts"), "{told}");
    // A label longer than the DNS allows: no resolver needs to ask anybody about it.
    let outcome = fetcher.fetch(request(&format!("http://{}.invalid/", "x".repeat(70)))).await;
    assert!(tell(&outcome).starts_with("dns in"), "{outcome:?}");
}

#[tokio::test]
async fn a_dead_address_does_not_hide_a_living_one() {
    let server = Server::start(|_| ok("hello")).await;
    let fetcher = quick()
        .resolve("docs.example.test", closed_address().await)
        .resolve("docs.example.test", server.addr)
        .build()
        .unwrap();
    for _ in 0..2 {
        let outcome = fetcher.fetch(request("http://docs.example.test/").no_cache()).await;
        assert_eq!(tell(&outcome), "200 in 1, Framed: hello");
    }
}

#[tokio::test]
async fn connections_are_kept_except_for_a_last_look() {
    let server = Server::start(|_| ok("hello")).await;
    let fetcher = quick().build().unwrap();
    let ask = |fresh: bool| {
        let asked = request(&server.url("/"));
        fetcher.fetch(if fresh { asked.no_cache() } else { asked })
    };
    for fresh in [false, false, true, true, false] {
        ask(fresh).await.unwrap();
    }
    let connections: Vec<_> = server.seen().iter().map(|seen| seen.connection).collect();
    assert_eq!(connections, [1, 1, 2, 3, 1]);
}

#[tokio::test]
async fn dropping_cancels() {
    let server = Server::start(|seen| match seen.nth {
        0 => vec![Step::Hang],
        1 => vec![Step::Send(b"HTTP/1.1 200 OK\r\n\r\nh".to_vec()), Step::Hang],
        _ => vec![Step::Reset],
    })
    .await;
    let fetcher = quick().build().unwrap();
    for asked in 1..4 {
        let fetching = fetcher.fetch(request(&server.url("/")));
        // The third is dropped while it pauses between two attempts, or in the middle of one.
        assert!(tokio::time::timeout(Duration::from_millis(25), fetching).await.is_err());
        let dropped = Instant::now();
        while server.open() > 0 {
            assert!(dropped.elapsed() < Duration::from_millis(250), "still connected");
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        assert!(server.seen().len() >= asked);
    }
    let before = server.connections();
    tokio::time::sleep(QUICK.attempt).await;
    assert_eq!(server.connections(), before, "nobody asks any more");
}

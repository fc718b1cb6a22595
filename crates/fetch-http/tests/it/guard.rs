//! Private addresses are not asked.

use wholesite_fetch::{Failure, Fetch};
use wholesite_fetch_http::HttpFetcher;

use crate::support::{Server, ok, quick, request, tell};

#[tokio::test]
async fn nothing_private_is_connected_to() {
    let server = Server::start(|_| ok("secret")).await;
    let port = server.addr.port();
    let fetcher = HttpFetcher::builder().resolve("rebound.example.test", server.addr).build().unwrap();
    let hosts = [
        "127.0.0.1",
        "localhost",
        "LOCALHOST",
        "2130706433",
        "0x7f.1",
        "127.1",
        "①②⑦.⓪.⓪.①",
        "0.0.0.0",
        "[::1]",
        "[::]",
        "[::ffff:127.0.0.1]",
        "[::127.0.0.1]",
        "[64:ff9b::7f00:1]",
        "[2002:7f00:1::]",
        "169.254.169.254",
        "[fd00:ec2::254]",
        "rebound.example.test",
    ];
    for host in hosts {
        let outcome = fetcher.fetch(request(&format!("http://{host}:{port}/latest/"))).await;
        assert_eq!(tell(&outcome), "blocked_address in 0", "{host}: {outcome:?}");
    }
    let outcome = fetcher.fetch(request("http://rebound.example.test/")).await;
    let Err(Failure::BlockedAddress { host, addr, .. }) = &outcome else { panic!("{outcome:?}") };
    assert_eq!((host.as_str(), *addr), ("rebound.example.test", server.addr.ip()));
    assert_eq!(server.connections(), 0);
}

#[tokio::test]
async fn unless_it_is_allowed() {
    let server = Server::start(|_| ok("hello")).await;
    let fetcher = quick().resolve("docs.example.test", server.addr).build().unwrap();
    for url in [server.url("/"), "http://docs.example.test/".to_owned()] {
        assert_eq!(tell(&fetcher.fetch(request(&url)).await), "200 in 1, Framed: hello", "{url}");
    }
}

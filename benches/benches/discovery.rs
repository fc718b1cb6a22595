//! The whole of a discovery from memory: what is left when the network costs nothing.

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use wholesite::discovery::{Answer, Ask, Discovery, Options, Response};
use wholesite_benches::Site;

fn respond(site: &Site, path: &str) -> Response {
    let text = |kind: &str, body: String| Response {
        status: 200,
        headers: vec![("content-type".to_owned(), kind.to_owned())],
        framed: true,
        body: body.into_bytes(),
    };
    match path {
        "/llms.txt" => text("text/plain", site.llms_txt()),
        "/sitemap.xml" => text("application/xml", site.sitemap()),
        "/" => {
            text("text/html", "<title>Generated</title><main><h1>Generated</h1><p>Welcome</main>".to_owned())
        }
        _ => match (site.section_index(path), site.number(path)) {
            (Some(index), _) => text("text/plain", index),
            (None, Some(n)) if path.ends_with(".md") => text("text/markdown", site.markdown(n, 1)),
            (None, Some(n)) => text("text/html", site.html(n, 1)),
            (None, None) => Response { status: 404, framed: true, ..Response::default() },
        },
    }
}

fn discover(site: &Site) -> usize {
    let seed = format!("{}/", site.origin()).parse().expect("a URL");
    let mut discovery = Discovery::of_site(seed, Options::default());
    while let Some(request) = discovery.next_request() {
        let Ask::Get { url, .. } = &request.ask else { unreachable!("a site asks for addresses only") };
        let response = respond(site, url.path());
        discovery.answer(request.id, Answer::Response(response));
    }
    let inventory = discovery.finish();
    assert!(inventory.is_complete(), "{:#?}", inventory.blockers().first());
    inventory.pages().len()
}

fn discovery(c: &mut Criterion) {
    let mut group = c.benchmark_group("discovery");
    group.sample_size(10);
    for pages in [1_000, 4_000, 16_000] {
        let site = Site::new("https://docs.example.com", pages, 1);
        assert_eq!(discover(&site), pages + 1, "and the home page");
        group.throughput(Throughput::Elements(pages as u64));
        group
            .bench_with_input(BenchmarkId::from_parameter(pages), &site, |b, site| b.iter(|| discover(site)));
    }
    group.finish();
}

criterion_group!(benches, discovery);
criterion_main!(benches);

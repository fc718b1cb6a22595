//! Each reader in MB/s, beside a bare pass of the library nearest to it over the same bytes.

use std::hint::black_box;

use criterion::{
    BenchmarkGroup, Criterion, Throughput, criterion_group, criterion_main, measurement::WallTime,
};
use html5ever::tendril::StrTendril;
use html5ever::tokenizer::{BufferQueue, Token, TokenSink, TokenSinkResult, Tokenizer, TokenizerOpts};
use wholesite::address::SiteUrl;
use wholesite_benches::Site;
use wholesite_clean::{Served, Wanted, clean};
use wholesite_extract as extract;

const PAGES: usize = 400;

fn all(texts: impl Iterator<Item = String>) -> Vec<String> {
    texts.collect()
}

fn group<'c>(c: &'c mut Criterion, name: &str, texts: &[String]) -> BenchmarkGroup<'c, WallTime> {
    let mut group = c.benchmark_group(name);
    group.sample_size(20).throughput(Throughput::Bytes(texts.iter().map(|text| text.len() as u64).sum()));
    group
}

/// Counts tags, and nothing else.
struct Tags(std::cell::Cell<usize>);

impl TokenSink for Tags {
    type Handle = ();

    fn process_token(&self, token: Token, _: u64) -> TokenSinkResult<()> {
        self.0.set(self.0.get() + usize::from(matches!(token, Token::TagToken(_))));
        TokenSinkResult::Continue
    }
}

fn html5ever_tokens(html: &str) -> usize {
    let tokenizer = Tokenizer::new(Tags(std::cell::Cell::new(0)), TokenizerOpts::default());
    let queue = BufferQueue::default();
    queue.push_back(StrTendril::from_slice(html));
    let _ = tokenizer.feed(&queue);
    tokenizer.end();
    tokenizer.sink.0.get()
}

fn pulldown_events(text: &str) -> usize {
    pulldown_cmark::Parser::new_ext(text, pulldown_cmark::Options::ENABLE_TABLES).count()
}

fn cleaned(url: &SiteUrl, kind: &str, text: &str) -> usize {
    let wanted = if kind == "text/html" { Wanted::Any } else { Wanted::Markdown };
    let served = Served { url, wanted, content_type: Some(kind), body: text.as_bytes() };
    clean(&served).map_or(0, |page| page.text.len())
}

fn readers(c: &mut Criterion) {
    let site = Site::new("https://docs.example.com", PAGES, 1);
    let url: SiteUrl = "https://docs.example.com/page.md".parse().expect("a URL");

    let mdx = all((0..PAGES).map(|n| site.mdx(n, 1)));
    let mut bench = group(c, "mdx", &mdx);
    bench.bench_function("links", |b| {
        b.iter(|| mdx.iter().map(|text| extract::mdx::read(text).links.len()).sum::<usize>())
    });
    bench.bench_function("pulldown-cmark events", |b| {
        b.iter(|| mdx.iter().map(|text| pulldown_events(text)).sum::<usize>())
    });
    bench.bench_function("clean", |b| {
        b.iter(|| mdx.iter().map(|text| cleaned(&url, "text/markdown", text)).sum::<usize>())
    });
    bench.finish();

    let html = all((0..PAGES).map(|n| site.html(n, 1)));
    let page: SiteUrl = "https://docs.example.com/page".parse().expect("a URL");
    let mut bench = group(c, "html", &html);
    bench.bench_function("links", |b| {
        b.iter(|| html.iter().map(|text| extract::html::read(text).reading.links.len()).sum::<usize>())
    });
    bench.bench_function("html5ever tokens", |b| {
        b.iter(|| html.iter().map(|text| html5ever_tokens(text)).sum::<usize>())
    });
    bench.bench_function("clean", |b| {
        b.iter(|| html.iter().map(|text| cleaned(&page, "text/html", text)).sum::<usize>())
    });
    bench.finish();

    let large = Site::new("https://docs.example.com", 20_000, 1);
    let indexes = all((0..).map_while(|n| {
        large.section_index(&format!("/section-{n:03}/llms.txt")).filter(|index| index.contains("]("))
    }));
    let mut bench = group(c, "llms.txt", &indexes);
    bench.bench_function("links", |b| {
        b.iter(|| indexes.iter().map(|text| extract::llms_txt::read(text).links.len()).sum::<usize>())
    });
    bench.finish();

    let sitemap = vec![large.sitemap()];
    let mut bench = group(c, "sitemap", &sitemap);
    bench.bench_function("links", |b| {
        b.iter(|| {
            let mut links = 0;
            let limits = extract::sitemap::Limits::default();
            extract::sitemap::read(sitemap[0].as_bytes(), None, &limits, &mut |link| {
                black_box(&link);
                links += 1;
            });
            links
        });
    });
    bench.finish();
}

criterion_group!(benches, readers);
criterion_main!(benches);

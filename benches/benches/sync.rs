//! The whole of a sync from memory, into each store: the first one, one that finds nothing new, and one
//! that finds a hundredth changed and a hundredth gone.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};
use std::time::Duration;

use criterion::{BatchSize, BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use tempfile::TempDir;
use wholesite::address::SiteUrl;
use wholesite::fetch::{Answer, Completeness, Failure, Fetch, Headers, HttpVersion, Request};
use wholesite::store::SiteKey;
use wholesite::sync::Site as Origin;
use wholesite::{AnyStore, PageSync, StoreName, SyncReport, sync_pages};
use wholesite_benches::Site;

const PAGES: usize = 2_000;

/// The site without a network: every answer is there at once.
#[derive(Clone)]
struct Memory {
    site: Arc<Site>,
    /// The version of the first hundredth.
    version: Arc<AtomicU32>,
    /// Pages from here on are gone.
    end: Arc<AtomicUsize>,
}

impl Memory {
    fn version_of(&self, n: usize) -> u32 {
        if n < PAGES / 100 { self.version.load(Ordering::Relaxed) } else { 1 }
    }

    fn serve(&self, request: &Request) -> (u16, &'static str, String, String) {
        let path = request.url.path();
        let end = self.end.load(Ordering::Relaxed);
        let site = Site::clone(&self.site).without_last(PAGES - end);
        match path {
            "/llms.txt" => return (200, "text/plain", String::new(), site.llms_txt()),
            "/" => {
                return (
                    200,
                    "text/html",
                    String::new(),
                    "<title>Home</title><main><h1>Home</h1><p>Welcome to it all".to_owned(),
                );
            }
            _ => {}
        }
        if let Some(index) = site.section_index(path) {
            return (200, "text/plain", String::new(), index);
        }
        match self.site.number(path).filter(|n| *n < end && path.ends_with(".md")) {
            Some(n) => {
                let etag = format!("\"{}\"", self.version_of(n));
                let known = request.revalidate.as_ref().and_then(|known| known.etag.as_deref());
                if known == Some(etag.as_str()) {
                    return (304, "text/markdown", etag, String::new());
                }
                (200, "text/markdown", etag, self.site.markdown(n, self.version_of(n)))
            }
            None => (404, "text/plain", String::new(), "no such page".to_owned()),
        }
    }
}

impl Fetch for Memory {
    async fn fetch(&self, request: Request) -> Result<Answer, Failure> {
        let (status, kind, etag, body) = self.serve(&request);
        let mut fields = vec![("content-type", kind)];
        if !etag.is_empty() {
            fields.push(("etag", etag.as_str()));
        }
        Ok(Answer {
            url: request.url,
            status,
            headers: Headers::from_pairs(fields).expect("few headers"),
            received_bytes: body.len() as u64,
            body: body.into_bytes(),
            complete: Completeness::Framed,
            version: HttpVersion::Http2,
            fetched_in: Duration::ZERO,
            attempts: 1,
        })
    }
}

struct Setup {
    _folder: TempDir,
    memory: Memory,
    store: AnyStore,
}

impl Setup {
    fn new(kind: &str) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let place = folder.path().join("store");
        let name = if kind == "dir" { StoreName::Dir(place) } else { StoreName::Sqlite(place) };
        let memory = Memory {
            site: Arc::new(Site::new("https://docs.example.com", PAGES, 1)),
            version: Arc::new(AtomicU32::new(1)),
            end: Arc::new(AtomicUsize::new(PAGES)),
        };
        Setup { _folder: folder, memory, store: AnyStore::open(&name).expect("a store") }
    }

    fn sync(&self) -> SyncReport {
        let seed: SiteUrl = "https://docs.example.com/".parse().expect("a URL");
        let key = SiteKey::of(&seed);
        let origin = Origin { seed, fetch: self.memory.clone(), concurrency: 64 };
        let mut pages = PageSync::with_origin(origin, key, self.store.clone());
        pages.job.policy.confirm_after = Duration::ZERO;
        sync_pages(&pages, |_| {}).expect("a report")
    }
}

fn sync(c: &mut Criterion, kind: &str) {
    let mut group = c.benchmark_group("sync");
    group.sample_size(10).throughput(Throughput::Elements(PAGES as u64));
    group.bench_function(BenchmarkId::new("first", kind), |b| {
        b.iter_batched(
            || Setup::new(kind),
            |setup| assert_eq!(setup.sync().added, PAGES + 1),
            BatchSize::PerIteration,
        );
    });
    let setup = Setup::new(kind);
    setup.sync();
    group.bench_function(BenchmarkId::new("unchanged", kind), |b| {
        b.iter(|| assert_eq!(setup.sync().unchanged, PAGES + 1));
    });
    group.bench_function(BenchmarkId::new("changed", kind), |b| {
        b.iter_batched(
            || {
                let setup = Setup::new(kind);
                setup.sync();
                setup.memory.version.store(2, Ordering::Relaxed);
                setup.memory.end.store(PAGES - PAGES / 100, Ordering::Relaxed);
                setup
            },
            |setup| {
                let report = setup.sync();
                assert_eq!((report.changed, report.deleted), (PAGES / 100, PAGES / 100));
            },
            BatchSize::PerIteration,
        );
    });
    group.finish();
}

fn syncs(c: &mut Criterion) {
    sync(c, "sqlite");
    sync(c, "dir");
}

criterion_group!(benches, syncs);
criterion_main!(benches);

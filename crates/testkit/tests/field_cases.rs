//! Faults that tools of this kind were reported to have, each with what has to come out. The labels
//! are those of `docs/field-cases.md`.

use std::sync::Mutex;
use std::time::Duration;

use wholesite_fetch::{Causes, Failure};
use wholesite_store::{MemoryStore, Store};
use wholesite_sync::prune::PruneMode;
use wholesite_sync::{
    Hooks, Job, PageSyncProgress, Site, Stage, SyncError, SyncReport, SyncStatus, Tally, sync,
};
use wholesite_testkit::{
    SimClock, StoreFault, WatchedStore, Web, World, answer, job, simulate, site, sync_once,
};

async fn text(store: &impl Store, path: &str) -> Option<String> {
    let records = store.catalogue(&site()).await.unwrap();
    let record = records.into_iter().find(|record| record.path.as_str() == path)?;
    Some(store.page(&site(), &record.path).await.unwrap().unwrap().text)
}

async fn count(store: &impl Store) -> usize {
    store.catalogue(&site()).await.unwrap().len()
}

/// A sync that is watched, and stopped by `cancel`.
async fn watched(
    web: &Web,
    store: &impl Store,
    job: &Job,
    cancel: impl Future<Output = ()> + Send,
) -> (Result<SyncReport, SyncError>, Vec<PageSyncProgress>) {
    let seen = Mutex::new(Vec::new());
    let result = {
        let mut observer = |progress: &PageSyncProgress| seen.lock().unwrap().push(progress.clone());
        let origin = Site { seed: web.seed(), fetch: web.clone(), concurrency: 8 };
        let tally = Tally::new(Some(&mut observer));
        sync(&origin, store, &SimClock, job, &Hooks::default(), &tally, cancel).await
    };
    (result, seen.into_inner().unwrap())
}

const SHELL: &str =
    "<!DOCTYPE html><html><head><title>Docs</title></head><body><div id=root></div></body></html>";

#[test]
fn fr_029_the_index_is_not_the_text_of_its_pages() {
    simulate(async {
        let (web, store) = (Web::new(World::of(2)), MemoryStore::new());
        sync_once(&web, &store, &job(1)).await.unwrap();
        let (one, two) = (text(&store, "/p00.md").await.unwrap(), text(&store, "/p01.md").await.unwrap());
        assert_ne!(one, two);
        assert!(![one, two].contains(&web.world().index("")));

        // A site that answers its index for every page is no source of pages.
        let index = web.world().index("");
        web.fault(move |asked| {
            asked
                .request
                .url
                .path()
                .starts_with("/p")
                .then(|| answer(asked, 200, &[("content-type", "text/markdown")], index.clone()))?
        });
        let before = text(&store, "/p00.md").await;
        sync_once(&web, &store, &job(2)).await.unwrap();
        assert_eq!(text(&store, "/p00.md").await, before, "nothing is overwritten with it");
    });
}

#[test]
fn fr_032_one_dead_entry_stops_nothing_wherever_it_stands() {
    for dead in ["/p00", "/p01", "/p02"] {
        simulate(async {
            let (web, store) = (Web::new(World::of(3)), MemoryStore::new());
            web.fault(move |asked| {
                asked.request.url.path().starts_with(dead).then(|| answer(asked, 404, &[], "no"))?
            });
            let report = sync_once(&web, &store, &job(1)).await.unwrap();
            assert_eq!((report.added, report.failed), (3, 1), "two pages and the home page: {report:#?}");
            assert_eq!(report.failures[0].code, "http_404");
            assert_eq!(report.failures[0].url, format!("{}.md", World::url(dead)));
        });
    }
}

#[test]
fn fr_064_html_that_is_called_markdown_is_not_stored_as_markdown() {
    simulate(async {
        let (web, store) = (Web::new(World::of(4)), MemoryStore::new());
        web.fault(|asked| {
            let markdown = [("content-type", "text/markdown")];
            match asked.request.url.path() {
                "/p00.md" => answer(asked, 404, &markdown, SHELL),
                "/p00" => answer(asked, 404, &[("content-type", "text/html")], SHELL),
                "/p01.md" => answer(asked, 200, &markdown, SHELL),
                _ => None,
            }
        });
        let report = sync_once(&web, &store, &job(1)).await.unwrap();
        let failures: Vec<(&str, &str)> =
            report.failures.iter().map(|failure| (failure.path.as_str(), failure.code.as_str())).collect();
        assert_eq!(failures, [("/p00.md", "http_404"), ("/p01.md", "html_for_markdown")]);
        assert_eq!((text(&store, "/p00.md").await, text(&store, "/p01.md").await), (None, None));
    });
}

#[test]
fn fr_074_a_cancel_reaches_the_work() {
    simulate(async {
        let (web, store) = (Web::new(World::of(200)), WatchedStore::new());
        let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
        let (mut stop, mut stored) = (Some(stop), 0);
        store.witness(move |batch| {
            stored += batch
                .iter()
                .filter(|change| matches!(change, wholesite_store::Change::Publish { .. }))
                .count();
            if stored >= 20
                && let Some(stop) = stop.take()
            {
                let _ = stop.send(());
            }
        });
        let cancel = async { stopped.await.unwrap_or_default() };
        let (result, _) = watched(&web, &store, &job(1), cancel).await;
        let Err(SyncError::Cancelled(report)) = result else { panic!("{result:#?}") };
        web.requests();
        tokio::time::sleep(Duration::from_secs(60)).await;
        assert!(web.requests().is_empty(), "nothing is asked after the cancel");
        let published = count(&store).await;
        assert!((20..60).contains(&published), "{published}");
        assert_eq!(report.deleted, 0);
        let runs = store.runs(&site(), 1).await.unwrap();
        assert_eq!(runs[0].status, "cancelled");
    });
}

#[test]
fn fr_075_after_a_crash_the_next_run_goes_on() {
    simulate(async {
        let (web, store) = (Web::new(World::of(30)), WatchedStore::new());
        store.fail(Some((10, StoreFault::CrashBefore)));
        let origin = Site { seed: web.seed(), fetch: web.clone(), concurrency: 8 };
        let tally = Tally::new(None);
        let first = job(1);
        let hooks = Hooks::default();
        let run = sync(&origin, &store, &SimClock, &first, &hooks, &tally, std::future::pending());
        // The process is gone: nobody gives its lease back.
        assert!(tokio::time::timeout(Duration::from_secs(60), run).await.is_err());
        store.fail(None);
        tokio::time::sleep(Duration::from_secs(600)).await;
        let report = sync_once(&web, &store, &job(2)).await.unwrap();
        assert_eq!((count(&store).await, report.deleted), (31, 0), "{report:#?}");
        let runs = store.runs(&site(), 2).await.unwrap();
        assert_eq!(runs[1].status, "interrupted");
    });
}

#[test]
fn fr_076_what_was_not_attempted_is_no_failure() {
    simulate(async {
        let (web, store) = (Web::new(World::of(500)), MemoryStore::new());
        web.fault(|asked| {
            ["/p10.md", "/p11.md"].contains(&asked.request.url.path()).then(|| answer(asked, 500, &[], ""))?
        });
        let cancel = tokio::time::sleep(Duration::from_millis(700));
        let (result, events) = watched(&web, &store, &Job { concurrency: 8, ..job(1) }, cancel).await;
        let Err(SyncError::Cancelled(report)) = result else { panic!("{result:#?}") };
        assert_eq!(report.failed, 2, "{report:#?}");
        let done = report.updated + report.failed + report.skipped;
        assert!((100..400).contains(&done), "it was stopped in the middle: {done}");
        assert_eq!(report.discovered, 501, "the rest is known as one number: {}", report.discovered - done);
        assert!(events.iter().all(|progress| progress.failed <= 2));
    });
}

#[test]
fn fr_079_everything_found_is_accounted_for() {
    simulate(async {
        let mut world = World::of(15);
        for n in 0..23 {
            world.moved.insert(format!("/old{n:02}"), format!("/p{:02}", n % 14));
            world.extra_lines.push(format!("- [Old {n}]({}.md)", World::url(&format!("/old{n:02}"))));
        }
        for dead in ["/dead1", "/dead2"] {
            world.extra_lines.push(format!("- [Dead]({}.md)", World::url(dead)));
        }
        let (web, store) = (Web::new(world), MemoryStore::new());
        let (report, events) = watched(&web, &store, &job(1), std::future::pending()).await;
        let report = report.unwrap();
        let done = report.updated + report.failed + report.skipped + report.unchanged;
        assert_eq!((done, report.failed), (report.discovered, 2), "{report:#?}");
        let last = events.last().unwrap();
        assert_eq!((last.processed, last.discovered), (report.discovered, report.discovered));
        assert!(events.iter().all(|progress| progress.processed <= progress.discovered.max(1)));
    });
}

#[test]
fn fr_081_retries_are_not_pages() {
    simulate(async {
        let (web, store) = (Web::new(World::of(5)), MemoryStore::new());
        // The transport needed two attempts for each page.
        web.fault(|asked| {
            let mut reply = asked.world.serve(asked.request);
            reply.attempts = 2;
            Some(Ok(reply))
        });
        let (report, events) = watched(&web, &store, &job(1), std::future::pending()).await;
        let report = report.unwrap();
        assert_eq!((report.status, report.added), (SyncStatus::Completed, 6), "with the home page");
        assert!(report.cost.requests >= 12, "retries are counted by themselves: {:?}", report.cost);
        assert!(events.iter().all(|progress| progress.processed <= 6));
    });
}

/// What no validator tells of is told by the text.
fn without_validators(web: &Web) {
    web.fault(|asked| {
        let mut plain = asked.request.clone();
        plain.revalidate = None;
        let mut reply = asked.world.serve(&plain);
        reply.headers.remove("etag");
        Some(Ok(reply))
    });
}

#[test]
fn fr_083_a_change_is_seen_without_validators() {
    simulate(async {
        let (web, store) = (Web::new(World::of(5)), MemoryStore::new());
        without_validators(&web);
        sync_once(&web, &store, &job(1)).await.unwrap();
        web.change(|world| world.put("/p01", 2));
        let report = sync_once(&web, &store, &job(2)).await.unwrap();
        assert_eq!((report.changed, report.unchanged), (1, 5), "{report:#?}");
        assert_eq!(report.changed_paths, ["/p01.md"]);
    });
}

#[test]
fn fr_084_what_changes_with_every_request_is_no_change() {
    simulate(async {
        let (web, store) = (Web::new(World::of(5)), WatchedStore::new());
        let mut token = 0;
        web.fault(move |asked| {
            let path = asked.request.url.path();
            let page = path.strip_suffix(".md").filter(|page| asked.world.pages.contains_key(*page))?;
            let _ = page;
            // No Markdown here: the page is HTML with a token in its head and its foot.
            answer(asked, 404, &[], "")
        });
        sync_once(&web, &store, &job(1)).await.unwrap();
        let before = count(&store).await;
        web.fault(move |asked| {
            let path = asked.request.url.path().to_owned();
            if path.ends_with(".md") {
                return answer(asked, 404, &[], "");
            }
            let page = asked.world.pages.get(&path)?;
            token += 1;
            let body = format!(
                "<!doctype html><html><head><title>{path}</title><meta name=token content={token}>\
                 <script nonce=n{token}>var t = {token};</script></head><body><main><h1>{path}</h1>{}</main>\
                 <footer>built at {token}</footer></body></html>",
                page.lines()
                    .filter(|line| !line.is_empty())
                    .map(|line| format!("<p>{line}</p>"))
                    .collect::<String>()
            );
            answer(asked, 200, &[("content-type", "text/html")], body)
        });
        sync_once(&web, &store, &job(2)).await.unwrap();
        store.witness(|batch| {
            let is_text = |change: &wholesite_store::Change| {
                matches!(
                    change,
                    wholesite_store::Change::Publish { .. } | wholesite_store::Change::Describe(_)
                )
            };
            assert!(!batch.iter().any(is_text), "{batch:#?}");
        });
        let report = sync_once(&web, &store, &job(3)).await.unwrap();
        assert_eq!((report.updated, report.unchanged), (0, before), "{report:#?}");
    });
}

#[test]
fn fr_086_lastmod_proves_nothing() {
    simulate(async {
        let (web, store) = (Web::new(World::of(5)), MemoryStore::new());
        let mut day = 0;
        web.fault(move |asked| {
            if asked.request.url.path() != "/sitemap.xml" {
                return None;
            }
            day += 1;
            let entries: String = asked
                .world
                .pages
                .keys()
                .map(|path| {
                    // One page is always "old", the others are always "new".
                    let lastmod =
                        if path == "/p01" { "2025-10-01".to_owned() } else { format!("2026-01-{day:02}") };
                    format!("<url><loc>{}</loc><lastmod>{lastmod}</lastmod></url>", World::url(path))
                })
                .collect();
            let body =
                format!("<urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">{entries}</urlset>");
            answer(asked, 200, &[("content-type", "application/xml")], body)
        });
        sync_once(&web, &store, &job(1)).await.unwrap();
        let same = sync_once(&web, &store, &job(2)).await.unwrap();
        assert_eq!(same.updated, 0, "a new date is no change: {same:#?}");
        web.change(|world| world.put("/p01", 2));
        let changed = sync_once(&web, &store, &job(3)).await.unwrap();
        assert_eq!(changed.changed_paths, ["/p01.md"], "an old date does not hide one");
    });
}

#[test]
fn fr_088_a_connection_that_drops_removes_nothing() {
    simulate(async {
        let (web, store) = (Web::new(World::of(5)), MemoryStore::new());
        sync_once(&web, &store, &job(1)).await.unwrap();
        web.fault(|asked| {
            asked.request.url.path().starts_with("/p03").then(|| {
                let cause = std::io::Error::from(std::io::ErrorKind::ConnectionReset);
                Some(Err(Failure::Reset { causes: Causes::of(&cause) }))
            })?
        });
        let report = sync_once(&web, &store, &job(2)).await.unwrap();
        assert_eq!((report.failed, report.deleted), (1, 0), "{report:#?}");
        assert!(
            report.errors[0].contains("Page sync failed for /p03.md (SyncFailed: sync_failed <- "),
            "{report:#?}"
        );
        assert!(text(&store, "/p03.md").await.is_some());
    });
}

#[test]
fn fr_093_one_page_that_always_fails_freezes_no_other() {
    simulate(async {
        // More than one in twenty must fail before a site counts as ill.
        let (web, store) = (Web::new(World::of(30)), MemoryStore::new());
        sync_once(&web, &store, &job(1)).await.unwrap();
        web.change(|world| world.pages.remove("/p09"));
        web.fault(|asked| {
            asked.request.url.path().starts_with("/p03").then(|| answer(asked, 500, &[], ""))?
        });
        let report = sync_once(&web, &store, &job(2)).await.unwrap();
        assert_eq!((report.failed, report.deleted), (1, 1), "{report:#?}");
        assert!(text(&store, "/p03.md").await.is_some() && text(&store, "/p09.md").await.is_none());

        // What is withheld is said, with the reason.
        web.change(|world| world.pages.remove("/p10"));
        let never = {
            let mut never = job(3);
            never.policy.mode = PruneMode::Never;
            never
        };
        let report = sync_once(&web, &store, &never).await.unwrap();
        assert_eq!(report.deleted, 0);
        assert!(
            report.prune.kept_pages.iter().any(|line| line.path == "/p10.md" && !line.verdict.is_empty())
        );
    });
}

#[test]
fn fr_095_a_host_that_is_down_takes_nothing_from_readers() {
    simulate(async {
        let (web, store) = (Web::new(World::of(40)), WatchedStore::new());
        sync_once(&web, &store, &job(1)).await.unwrap();
        web.fault(|_| {
            let cause = std::io::Error::from(std::io::ErrorKind::ConnectionRefused);
            Some(Err(Failure::Connect { causes: Causes::of(&cause) }))
        });
        let watch = store.clone();
        let second = job(2);
        let mut run = std::pin::pin!(sync_once(&web, &store, &second));
        loop {
            tokio::select! {
                ended = &mut run => {
                    assert!(matches!(ended, Err(SyncError::NothingDiscovered { .. })), "{ended:#?}");
                    break;
                }
                () = tokio::time::sleep(Duration::from_millis(10)) => assert_eq!(count(&watch).await, 41),
            }
        }
        assert_eq!(count(&store).await, 41);
    });
}

#[test]
fn fr_098_a_write_that_fails_keeps_the_old_text() {
    for fault in [StoreFault::Io, StoreFault::Full] {
        simulate(async {
            let (web, store) = (Web::new(World::of(1)), WatchedStore::new());
            sync_once(&web, &store, &job(1)).await.unwrap();
            let old = text(&store, "/p00.md").await;
            web.change(|world| world.put("/p00", 2));
            // The first batch of a run opens it; the second one is the page.
            store.fail(Some((1, fault)));
            let report = sync_once(&web, &store, &job(2)).await;
            assert_eq!(text(&store, "/p00.md").await, old, "{fault:?}");
            if let Ok(report) = report {
                assert_eq!((report.changed, report.failed), (0, 1), "{fault:?}: {report:#?}");
                assert!(report.errors[0].contains("/p00.md"), "{report:#?}");
            }
            let report = sync_once(&web, &store, &job(3)).await.unwrap();
            assert_eq!((report.changed, report.failed), (1, 0), "{fault:?}: the next run makes up for it");
        });
    }
    simulate(async {
        // The variant: what came can't be converted.
        let (web, store) = (Web::new(World::of(1)), MemoryStore::new());
        sync_once(&web, &store, &job(1)).await.unwrap();
        let old = text(&store, "/p00.md").await;
        web.fault(|asked| {
            let bytes = "\u{0}\u{1}\u{2}PNG not text \u{0}\u{0}";
            asked
                .request
                .url
                .path()
                .starts_with("/p00")
                .then(|| answer(asked, 200, &[("content-type", "text/markdown")], bytes))?
        });
        let report = sync_once(&web, &store, &job(2)).await.unwrap();
        assert_eq!((report.failed, text(&store, "/p00.md").await), (1, old), "{report:#?}");
    });
}

#[test]
fn fr_100_a_nul_in_a_text_stops_no_batch() {
    simulate(async {
        let mut world = World::of(3);
        let text_of_one = world.pages["/p01"].replace("story", "st\u{0}ory") + &"More of it.\n".repeat(20);
        world.pages.insert("/p01".to_owned(), text_of_one);
        let (web, store) = (Web::new(world), MemoryStore::new());
        let report = sync_once(&web, &store, &job(1)).await.unwrap();
        assert_eq!((report.added, report.failed), (4, 0), "{report:#?}");
        let stored = text(&store, "/p01.md").await.unwrap();
        assert!(!stored.contains('\u{0}') && stored.contains("st\u{FFFD}ory"), "{stored:?}");
    });
}

/// Stages come in order, and only once each.
#[test]
fn stages_come_in_order() {
    simulate(async {
        let (web, store) = (Web::new(World::of(5)), MemoryStore::new());
        let (_, events) = watched(&web, &store, &job(1), std::future::pending()).await;
        let mut stages: Vec<Stage> = events.iter().map(|progress| progress.stage).collect();
        stages.dedup();
        assert_eq!(stages, [Stage::Waiting, Stage::Discovered, Stage::Publishing, Stage::Pruning]);
    });
}

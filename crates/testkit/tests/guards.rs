//! Each guard has a history that needs it: it ends well, and with the guard taken away it does not.
//!
//! The simulator finds some of these bugs by chance (`sabotage.rs`); what takes two rare things at once
//! is told here, so that no guard stands only on somebody's word.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;

use wholesite_store::{MemoryStore, Store};
use wholesite_sync::sabotage::{Bug, plant};
use wholesite_sync::{Hooks, Site, SyncError, SyncReport, Tally, sync};
use wholesite_testkit::{Absent, Asked, SimClock, Web, World, answer, job, simulate, site, sync_once};

/// A site of twenty pages that was synced once, in good health.
async fn synced(absent: Absent) -> (Web, MemoryStore) {
    synced_with(absent, 20).await
}

async fn synced_with(absent: Absent, pages: usize) -> (Web, MemoryStore) {
    let (web, store) = (Web::new(World { absent, ..World::of(pages) }), MemoryStore::new());
    sync_once(&web, &store, &job(1)).await.unwrap();
    (web, store)
}

async fn text(store: &MemoryStore, path: &str) -> Option<String> {
    let records = store.catalogue(&site()).await.unwrap();
    let record = records.into_iter().find(|record| record.path.as_str() == path)?;
    Some(store.page(&site(), &record.path).await.unwrap().unwrap().text)
}

async fn again(web: &Web, store: &MemoryStore, run: usize) -> SyncReport {
    sync_once(web, store, &job(run)).await.unwrap()
}

fn page(asked: &Asked<'_>) -> String {
    asked.request.url.path().trim_end_matches(".md").to_owned()
}

fn an_ill_site_lets_nothing_go() {
    simulate(async {
        // Few enough for the limit, too many for a site that is well.
        let (web, store) = synced_with(Absent::Status404, 90).await;
        web.change(|world| world.pages.remove("/p77"));
        web.fault(|asked| {
            let is_ill = page(&asked).starts_with("/p0") && page(&asked).as_str() < "/p06";
            is_ill.then(|| answer(asked, 500, &[], ""))?
        });
        assert_eq!(again(&web, &store, 2).await.deleted, 0);
    });
}

fn many_at_once_need_consent() {
    simulate(async {
        let (web, store) = synced(Absent::Status404).await;
        web.change(|world| {
            for n in 0..5 {
                world.pages.remove(&format!("/p0{n}"));
                world.put(&format!("/new{n}"), 1);
            }
        });
        let report = again(&web, &store, 2).await;
        assert_eq!((report.deleted, report.prune.held), (0, 5));
    });
}

fn a_page_that_answers_at_the_second_look_stays() {
    simulate(async {
        let (web, store) = synced(Absent::Status404).await;
        web.change(|world| world.delisted.insert("/p07".to_owned()));
        // The site is unwell for half a minute.
        let mut since = None;
        web.fault(move |asked| {
            if page(&asked) != "/p07" {
                return None;
            }
            let since = *since.get_or_insert(asked.at);
            (asked.at - since < Duration::from_secs(20)).then(|| answer(asked, 404, &[], ""))?
        });
        assert_eq!(again(&web, &store, 2).await.deleted, 0);
    });
}

fn no_answer_is_no_news() {
    simulate(async {
        let (web, store) = synced(Absent::Status404).await;
        web.change(|world| world.delisted.insert("/p07".to_owned()));
        web.fault(|asked| (page(&asked) == "/p07").then(|| answer(asked, 503, &[], ""))?);
        assert_eq!(again(&web, &store, 2).await.deleted, 0);
    });
}

fn a_detour_is_no_move() {
    simulate(async {
        let (web, store) = synced(Absent::Status404).await;
        web.change(|world| world.delisted.insert("/p07".to_owned()));
        web.fault(|asked| {
            (page(&asked) == "/p07").then(|| answer(asked, 302, &[("location", "/p08.md")], ""))?
        });
        assert_eq!(again(&web, &store, 2).await.deleted, 0);
    });
}

fn a_crowd_sent_to_one_place_did_not_move_there() {
    simulate(async {
        const CROWD: [&str; 4] = ["/p04", "/p05", "/p06", "/p07"];
        let (web, store) = synced_with(Absent::Status404, 60).await;
        web.change(|world| world.delisted.extend(CROWD.map(str::to_owned)));
        web.fault(|asked| {
            let is_one = CROWD.contains(&page(&asked).as_str());
            is_one.then(|| answer(asked, 301, &[("location", "/p08.md")], ""))?
        });
        for run in 2..=3 {
            assert_eq!(again(&web, &store, run).await.deleted, 0);
        }
    });
}

fn a_404_from_before_the_page_was_last_seen_is_old() {
    simulate(async {
        let (web, store) = synced(Absent::Status404).await;
        web.change(|world| world.delisted.insert("/p07".to_owned()));
        web.fault(|asked| (page(&asked) == "/p07").then(|| answer(asked, 404, &[("age", "864000")], ""))?);
        assert_eq!(again(&web, &store, 2).await.deleted, 0);
    });
}

fn a_soft_404_is_not_believed_at_once() {
    simulate(async {
        let (web, store) = synced(Absent::Soft).await;
        web.change(|world| world.pages.remove("/p07"));
        assert_eq!(again(&web, &store, 2).await.deleted, 0);
    });
}

fn the_page_for_unknown_addresses_is_published_for_none() {
    simulate(async {
        let (web, store) = synced(Absent::Soft).await;
        let before = text(&store, "/p07.md").await;
        // Still listed, but lost behind the page that everything unknown gets.
        web.fault(|asked| {
            let mut unknown = asked.world.clone();
            unknown.pages.remove("/p07");
            (page(&asked) == "/p07").then(|| Some(Ok(unknown.serve(asked.request))))?
        });
        again(&web, &store, 2).await;
        again(&web, &store, 3).await;
        assert_eq!(text(&store, "/p07.md").await, before);
    });
}

fn a_text_that_comes_for_two_pages_at_once_replaces_neither() {
    simulate(async {
        let (web, store) = synced(Absent::Status404).await;
        let before = text(&store, "/p07.md").await;
        web.fault(|asked| {
            let strange =
                "# Please verify\n\nBefore you go on, prove that you are a person of flesh and blood.\n";
            ["/p07", "/p08"]
                .contains(&page(&asked).as_str())
                .then(|| answer(asked, 200, &[("content-type", "text/markdown")], strange))?
        });
        again(&web, &store, 2).await;
        assert_eq!(text(&store, "/p07.md").await, before);
    });
}

fn html_does_not_replace_markdown_at_once() {
    simulate(async {
        let (web, store) = synced(Absent::Status404).await;
        let before = text(&store, "/p07.md").await;
        web.fault(|asked| {
            let is_twin = asked.request.url.path() == "/p07.md";
            is_twin.then(|| answer(asked, 308, &[("location", "/p07")], ""))?
        });
        again(&web, &store, 2).await;
        assert_eq!(text(&store, "/p07.md").await, before);
    });
}

fn a_page_answered_304_is_alive() {
    simulate(async {
        let (web, store) = synced(Absent::Status404).await;
        web.change(|world| world.pages.remove("/p07"));
        let report = again(&web, &store, 2).await;
        assert_eq!((report.deleted, report.prune.gate.as_str()), (1, "open"), "{report:#?}");
    });
}

fn a_cancel_ends_the_work() {
    simulate(async {
        let (web, store) = synced(Absent::Status404).await;
        let origin = Site { seed: web.seed(), fetch: web.clone(), concurrency: 8 };
        let tally = Tally::new(None);
        let cancel = tokio::time::sleep(Duration::from_millis(70));
        let second = job(2);
        let result = sync(&origin, &store, &SimClock, &second, &Hooks::default(), &tally, cancel).await;
        assert!(matches!(result, Err(SyncError::Cancelled(_))), "{result:#?}");
    });
}

fn a_page_that_is_elsewhere_for_now_is_still_listed() {
    simulate(async {
        let (web, store) = synced(Absent::Status404).await;
        // It leads elsewhere for now, and then for good: in this run the site contradicts itself.
        let mut times = 0;
        web.fault(move |asked| {
            if page(&asked) != "/p07" {
                return None;
            }
            times += 1;
            answer(asked, if times == 1 { 302 } else { 301 }, &[("location", "/p08.md")], "")
        });
        again(&web, &store, 2).await;
        assert!(text(&store, "/p07.md").await.is_some());
    });
}

fn a_failure_is_told() {
    simulate(async {
        let (web, store) = synced(Absent::Status404).await;
        web.fault(|asked| (page(&asked) == "/p07").then(|| answer(asked, 500, &[], ""))?);
        assert_eq!(again(&web, &store, 2).await.failed, 1);
    });
}

fn what_comes_back_leaves_the_trash() {
    simulate(async {
        let (web, store) = synced(Absent::Status404).await;
        let gone = web.change(|world| world.pages.remove("/p07")).unwrap();
        assert_eq!(again(&web, &store, 2).await.deleted, 1);
        web.change(|world| world.pages.insert("/p07".to_owned(), gone));
        again(&web, &store, 3).await;
        assert!(text(&store, "/p07.md").await.is_some() && store.trash(&site()).await.unwrap().is_empty());
    });
}

fn what_was_learned_of_an_absent_page_is_kept() {
    simulate(async {
        let (web, store) = synced(Absent::Soft).await;
        web.change(|world| world.pages.remove("/p07"));
        again(&web, &store, 2).await;
        tokio::time::sleep(Duration::from_secs(86_400)).await;
        assert_eq!(again(&web, &store, 3).await.deleted, 1, "the second complete run is enough");
    });
}

fn a_page_that_the_second_listing_names_stays() {
    simulate(async {
        let (web, store) = synced(Absent::Status404).await;
        // A deploy: the page is gone and unlisted, then listed again while its own servers still lag.
        let mut listings = 0;
        web.fault(move |asked| {
            let path = asked.request.url.path();
            if path == "/llms.txt" {
                listings += 1;
                let mut short = asked.world.clone();
                short.delisted.insert("/p07".to_owned());
                return (listings == 1).then(|| Some(Ok(short.serve(asked.request))))?;
            }
            (page(&asked) == "/p07").then(|| answer(asked, 404, &[], ""))?
        });
        assert_eq!(again(&web, &store, 2).await.deleted, 0);
    });
}

fn a_site_that_falls_ill_in_between_lets_nothing_go() {
    simulate(async {
        let (web, store) = synced(Absent::Status404).await;
        web.change(|world| world.delisted.insert("/p07".to_owned()));
        // From the first look on, pages are gone for the rest of the run, all of them.
        let mut fell_ill = false;
        web.fault(move |asked| {
            fell_ill |= page(&asked) == "/p07";
            (fell_ill && asked.request.url.path().starts_with("/p")).then(|| answer(asked, 404, &[], ""))?
        });
        assert_eq!(again(&web, &store, 2).await.deleted, 0);
    });
}

/// A guard taken away, and the history that needs it.
const NEEDED: &[(Bug, fn())] = &[
    (Bug::IllSiteIsFine, an_ill_site_lets_nothing_go),
    (Bug::NoLimit, many_at_once_need_consent),
    (Bug::OneLook, a_page_that_answers_at_the_second_look_stays),
    (Bug::UnknownIsGone, no_answer_is_no_news),
    (Bug::TemporaryIsMove, a_detour_is_no_move),
    (Bug::CrowdsMove, a_crowd_sent_to_one_place_did_not_move_there),
    (Bug::OldCacheIsNews, a_404_from_before_the_page_was_last_seen_is_old),
    (Bug::SoftIsPlain, a_soft_404_is_not_believed_at_once),
    (Bug::PublishSoft404, the_page_for_unknown_addresses_is_published_for_none),
    (Bug::PublishAnything, a_text_that_comes_for_two_pages_at_once_replaces_neither),
    (Bug::PublishHtml, html_does_not_replace_markdown_at_once),
    (Bug::NotModifiedIsUnseen, a_page_answered_304_is_alive),
    (Bug::DeafToCancel, a_cancel_ends_the_work),
    (Bug::ElsewhereIsAlias, a_page_that_is_elsewhere_for_now_is_still_listed),
    (Bug::FailureIsSuccess, a_failure_is_told),
    (Bug::ForgetTrash, what_comes_back_leaves_the_trash),
    (Bug::ForgetAbsence, what_was_learned_of_an_absent_page_is_kept),
    (Bug::OneListing, a_page_that_the_second_listing_names_stays),
    (Bug::NoCanaries, a_site_that_falls_ill_in_between_lets_nothing_go),
];

#[test]
fn every_guard_is_needed() {
    let mut wrong = Vec::new();
    for (bug, history) in NEEDED {
        history();
        plant(Some(*bug));
        let hook = std::panic::take_hook();
        // Here it is silence that would be bad news.
        std::panic::set_hook(Box::new(|_| {}));
        let result = catch_unwind(AssertUnwindSafe(history));
        std::panic::set_hook(hook);
        plant(None);
        if result.is_ok() {
            wrong.push(*bug);
        }
    }
    assert_eq!(wrong, [], "their histories end well without the guard too");
    let missing: Vec<Bug> =
        Bug::ALL.into_iter().filter(|bug| NEEDED.iter().all(|(needed, _)| needed != bug)).collect();
    assert_eq!(missing, [], "no history needs these");
}

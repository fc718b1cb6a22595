//! What the policy promises, one small history each.

use std::time::Duration;

use wholesite_store::{MemoryStore, Store, StoreError};
use wholesite_sync::{SyncError, SyncReport, SyncStatus};
use wholesite_testkit::{Absent, Web, World, answer, job, simulate, site, sync_once};

async fn has(store: &MemoryStore, path: &str) -> bool {
    store.catalogue(&site()).await.unwrap().iter().any(|record| record.path.as_str() == path)
}

async fn text(store: &MemoryStore, path: &str) -> String {
    let record = store
        .catalogue(&site())
        .await
        .unwrap()
        .into_iter()
        .find(|record| record.path.as_str() == path)
        .unwrap();
    store.page(&site(), &record.path).await.unwrap().unwrap().text
}

async fn days(count: u64) {
    tokio::time::sleep(Duration::from_secs(count * 86_400)).await;
}

/// A site that was synced once, in good health.
async fn synced(world: World) -> (Web, MemoryStore) {
    let (web, store) = (Web::new(world), MemoryStore::new());
    sync_once(&web, &store, &job(1)).await.unwrap();
    (web, store)
}

fn kept(report: &SyncReport) -> Vec<(&str, &str)> {
    report
        .prune
        .kept_pages
        .iter()
        .map(|line| (line.path.as_str(), line.verdict.split(':').next().unwrap()))
        .collect()
}

#[test]
fn what_robots_txt_forbids_is_not_asked_and_not_withdrawn() {
    simulate(async {
        let (web, store) = synced(World::of(20)).await;
        web.change(|world| world.pages.remove("/p07"));
        web.fault(|asked| {
            let is_robots = asked.request.url.path() == "/robots.txt";
            is_robots
                .then(|| {
                    answer(asked, 200, &[("content-type", "text/plain")], "User-agent: *\nDisallow: /p07\n")
                })
                .flatten()
        });
        web.requests();
        let report = sync_once(&web, &store, &job(2)).await.unwrap();
        assert_eq!(kept(&report), [("/p07.md", "unknown")], "{report:#?}");
        assert!(web.requests().iter().all(|(url, _)| !url.path().starts_with("/p07")));
    });
}

#[test]
fn a_page_that_is_gone_from_one_place_and_new_at_another_moved() {
    simulate(async {
        let (web, store) = synced(World::of(20)).await;
        web.change(|world| {
            let text = world.pages.remove("/p07").unwrap();
            world.pages.insert("/guides/seven".to_owned(), text);
        });
        let report = sync_once(&web, &store, &job(2)).await.unwrap();
        assert_eq!((report.added, report.deleted, report.moved), (1, 1, 1), "{report:#?}");
        let heir = store
            .catalogue(&site())
            .await
            .unwrap()
            .into_iter()
            .find(|r| r.path.as_str() == "/guides/seven.md")
            .unwrap();
        assert_eq!(heir.aliases.iter().map(|url| url.path()).collect::<Vec<_>>(), ["/p07.md"]);
        assert!(heir.first_seen < heir.changed, "it keeps its age");
    });
}

#[test]
fn a_soft_404_needs_two_complete_runs() {
    simulate(async {
        let (web, store) = synced(World { absent: Absent::Soft, ..World::of(20) }).await;
        web.change(|world| world.pages.remove("/p07"));
        let second = sync_once(&web, &store, &job(2)).await.unwrap();
        assert_eq!((kept(&second), second.deleted), (vec![("/p07.md", "pending")], 0));
        days(1).await;
        let third = sync_once(&web, &store, &job(3)).await.unwrap();
        assert_eq!(third.deleted, 1, "{third:#?}");
    });
}

#[test]
fn html_takes_the_place_of_markdown_only_in_the_third_run() {
    simulate(async {
        let (web, store) = synced(World::of(20)).await;
        let before = text(&store, "/p07.md").await;
        web.fault(|asked| {
            let path = asked.request.url.path().to_owned();
            let twin = path.strip_suffix(".md").filter(|_| path == "/p07.md")?.to_owned();
            answer(asked, 308, &[("location", &twin)], "")
        });
        for run in 2..=3 {
            let report = sync_once(&web, &store, &job(run)).await.unwrap();
            assert_eq!(report.failures[0].code, "html_for_markdown", "{report:#?}");
            assert_eq!(text(&store, "/p07.md").await, before);
        }
        let report = sync_once(&web, &store, &job(4)).await.unwrap();
        assert_eq!((report.changed, report.failed), (1, 0), "{report:#?}");
    });
}

#[test]
fn a_page_rewritten_from_top_to_bottom_is_fetched_twice_and_believed() {
    simulate(async {
        let (web, store) = synced(World::of(20)).await;
        let text_of = "# All new\n\nNothing of it is left as it was before.\n";
        web.change(|world| world.pages.insert("/p07".to_owned(), text_of.to_owned()));
        web.requests();
        let report = sync_once(&web, &store, &job(2)).await.unwrap();
        assert_eq!((report.changed, report.status), (1, SyncStatus::Completed));
        assert_eq!(web.requests().iter().filter(|(url, _)| url.path() == "/p07.md").count(), 2);
        assert_eq!(text(&store, "/p07.md").await, text_of);
    });
}

#[test]
fn two_pages_that_become_one_text_are_believed_in_the_third_run() {
    simulate(async {
        let (web, store) = synced(World::of(20)).await;
        let same = "# Moved to the handbook\n\nLook there for everything that stood here.\n";
        web.change(|world| {
            world.pages.insert("/p07".to_owned(), same.to_owned());
            world.pages.insert("/p08".to_owned(), same.to_owned());
        });
        for run in 2..=3 {
            let report = sync_once(&web, &store, &job(run)).await.unwrap();
            assert_eq!((report.failed, report.changed), (2, 0), "{report:#?}");
            assert!(report.failures.iter().all(|failure| failure.code == "same_as_others" && failure.stored));
        }
        assert_eq!(sync_once(&web, &store, &job(4)).await.unwrap().changed, 2);
    });
}

#[test]
fn a_page_that_is_listed_and_gone_goes_after_thirty_days() {
    simulate(async {
        let (web, store) = synced(World::of(20)).await;
        web.fault(|asked| {
            (asked.request.url.path().starts_with("/p07")).then(|| answer(asked, 404, &[], "no")).flatten()
        });
        let second = sync_once(&web, &store, &job(2)).await.unwrap();
        assert_eq!(
            (second.failures[0].code.as_str(), second.failures[0].stored, second.status),
            ("http_404", true, SyncStatus::Partial)
        );
        days(29).await;
        sync_once(&web, &store, &job(3)).await.unwrap();
        assert!(has(&store, "/p07.md").await);
        days(2).await;
        let last = sync_once(&web, &store, &job(4)).await.unwrap();
        assert_eq!(last.deleted, 1, "{last:#?}");
        assert!(!has(&store, "/p07.md").await);
    });
}

#[test]
fn one_broken_page_does_not_keep_others_from_going() {
    simulate(async {
        let (web, store) = synced(World::of(6)).await;
        web.fault(|asked| {
            (asked.request.url.path().starts_with("/p01")).then(|| answer(asked, 500, &[], "no")).flatten()
        });
        web.change(|world| world.pages.remove("/p04"));
        let report = sync_once(&web, &store, &job(2)).await.unwrap();
        assert_eq!((report.failed, report.deleted), (1, 1), "{report:#?}");
        let mut strict = job(3);
        strict.policy.strict = true;
        web.change(|world| world.pages.remove("/p05"));
        let report = sync_once(&web, &store, &strict).await.unwrap();
        assert_eq!((report.deleted, report.prune.gate.as_str()), (0, "shut"));
    });
}

#[test]
fn the_trash_is_emptied_after_its_time_and_never_by_a_run_that_withdraws() {
    simulate(async {
        let (web, store) = synced(World::of(20)).await;
        web.change(|world| world.pages.remove("/p07"));
        assert_eq!(sync_once(&web, &store, &job(2)).await.unwrap().deleted, 1);
        days(31).await;
        web.change(|world| world.pages.remove("/p08"));
        let third = sync_once(&web, &store, &job(3)).await.unwrap();
        assert_eq!((third.deleted, third.prune.purged), (1, 0));
        let fourth = sync_once(&web, &store, &job(4)).await.unwrap();
        assert_eq!((fourth.deleted, fourth.prune.purged), (0, 1));
        assert_eq!(store.trash(&site()).await.unwrap().len(), 1);
    });
}

#[test]
fn another_configuration_starts_the_count_again() {
    simulate(async {
        let (web, store) = synced(World { absent: Absent::Soft, ..World::of(20) }).await;
        web.change(|world| world.pages.remove("/p07"));
        sync_once(&web, &store, &job(2)).await.unwrap();
        let mut other = job(3);
        other.fingerprint = "other".to_owned();
        let report = sync_once(&web, &store, &other).await.unwrap();
        assert_eq!(kept(&report), [("/p07.md", "pending")]);
        let mut again = job(4);
        again.fingerprint = "other".to_owned();
        assert_eq!(sync_once(&web, &store, &again).await.unwrap().deleted, 1);
    });
}

#[test]
fn unlisted_pages_go_only_where_the_user_wants_it() {
    simulate(async {
        let (web, store) = synced(World::of(20)).await;
        web.change(|world| world.delisted.insert("/p07".to_owned()));
        let report = sync_once(&web, &store, &job(2)).await.unwrap();
        assert_eq!((kept(&report), report.status), (vec![("/p07.md", "unlisted")], SyncStatus::Unchanged));
        let mut unlisted = job(3);
        unlisted.policy.mode = wholesite_sync::prune::PruneMode::Unlisted;
        let report = sync_once(&web, &store, &unlisted).await.unwrap();
        assert_eq!(
            (report.deleted, report.prune.withdrawn[0].verdict.as_str()),
            (1, "unlisted"),
            "{report:#?}"
        );
    });
}

#[test]
fn only_failed_pages_are_tried_again_and_nothing_goes() {
    simulate(async {
        let (web, store) = synced(World::of(20)).await;
        web.fault(|asked| {
            (asked.request.url.path().starts_with("/p01")).then(|| answer(asked, 500, &[], "no")).flatten()
        });
        sync_once(&web, &store, &job(2)).await.unwrap();
        web.heal();
        web.change(|world| {
            world.pages.remove("/p04");
            world.put("/p05", 2);
        });
        web.requests();
        let mut retry = job(3);
        retry.only_failed = true;
        let report = sync_once(&web, &store, &retry).await.unwrap();
        assert_eq!((report.failed, report.changed, report.deleted), (0, 0, 0), "{report:#?}");
        let asked = web.requests();
        assert!(asked.iter().any(|(url, _)| url.path() == "/p01.md"));
        assert!(asked.iter().all(|(url, _)| url.path() != "/p05.md"), "others are left alone");
    });
}

#[test]
fn two_syncs_of_one_site_at_once() {
    simulate(async {
        let (web, store) = (Web::new(World::of(20)), MemoryStore::new());
        let (one, two) = (job(1), job(2));
        let (first, second) = tokio::join!(sync_once(&web, &store, &one), sync_once(&web, &store, &two));
        assert_eq!(first.unwrap().added, 21);
        match second {
            Err(SyncError::Store(StoreError::Busy(holder))) => assert_eq!(holder.run, "run-0001"),
            other => panic!("{other:?}"),
        }
    });
}

#[test]
fn a_site_that_is_at_another_place_withdraws_nothing_in_that_run() {
    simulate(async {
        let (web, store) = synced(World::of(20)).await;
        let lease = {
            let holder = wholesite_store::Holder {
                run: "x".to_owned(),
                process: 1,
                since: wholesite_store::Timestamp(0),
            };
            store
                .acquire(&site(), holder, wholesite_store::Timestamp(0), Duration::from_secs(1))
                .await
                .unwrap()
        };
        let mut state = store.state(&site()).await.unwrap().unwrap();
        state.baseline.as_mut().unwrap().scope = "https://old.example/".to_owned();
        store.apply(&lease, vec![wholesite_store::Change::SetState(Box::new(state))]).await.unwrap();
        drop(lease);
        web.change(|world| world.pages.remove("/p07"));
        let report = sync_once(&web, &store, &job(2)).await.unwrap();
        assert_eq!((report.deleted, report.prune.gate.as_str()), (0, "shut"), "{report:#?}");
        assert!(report.prune.why[0].contains("another place"));
        assert_eq!(
            sync_once(&web, &store, &job(3)).await.unwrap().deleted,
            1,
            "once it is known, it goes on"
        );
    });
}

#[test]
fn a_folder_takes_nothing_away_from_what_its_live_site_gave() {
    simulate(async {
        let (web, store) = synced(World::of(20)).await;
        web.change(|world| world.pages.remove("/p07"));
        let folder = |run| wholesite_sync::Job { source: "./docs".to_owned(), ..job(run) };
        let report = sync_once(&web, &store, &folder(2)).await.unwrap();
        assert_eq!((report.deleted, report.prune.gate.as_str()), (0, "shut"), "{report:#?}");
        assert!(report.prune.why[0].contains("something else"));
        assert_eq!(sync_once(&web, &store, &folder(3)).await.unwrap().deleted, 1, "known, it goes on");
        // And back again.
        web.change(|world| world.pages.remove("/p08"));
        assert_eq!(sync_once(&web, &store, &job(4)).await.unwrap().deleted, 0);
    });
}

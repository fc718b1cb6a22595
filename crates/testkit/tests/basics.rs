//! A site changes, and the store follows.

use wholesite_store::{MemoryStore, Query, Store};
use wholesite_sync::SyncStatus;
use wholesite_testkit::{Absent, Web, World, job, simulate, site, sync_once};

async fn paths<S: Store>(store: &S) -> Vec<String> {
    store.catalogue(&site()).await.unwrap().into_iter().map(|record| record.path.to_string()).collect()
}

#[test]
fn a_site_changes_and_the_store_follows() {
    for absent in [Absent::Status404, Absent::Status410, Absent::Redirect] {
        simulate(async {
            let (web, store) = (Web::new(World { absent, ..World::of(30) }), MemoryStore::new());
            let first = sync_once(&web, &store, &job(1)).await.unwrap();
            assert_eq!(
                (first.status, first.discovered, first.added),
                (SyncStatus::Completed, 31, 31),
                "{first:#?}"
            );

            let again = sync_once(&web, &store, &job(2)).await.unwrap();
            assert_eq!(
                (again.status, again.unchanged, again.cost.not_modified),
                (SyncStatus::Unchanged, 31, 30)
            );

            // One is edited, one is added, one is removed, one moves.
            web.change(|world| {
                world.put("/p03", 2);
                world.put("/new", 1);
                world.pages.remove("/p07");
                let text = world.pages.remove("/p09").unwrap();
                world.pages.insert("/guides/nine".to_owned(), text);
                world.moved.insert("/p09".to_owned(), "/guides/nine".to_owned());
            });
            let third = sync_once(&web, &store, &job(3)).await.unwrap();
            assert_eq!(third.status, SyncStatus::Completed, "{third:#?}");
            assert_eq!(
                (third.added, third.changed, third.deleted, third.moved),
                (2, 1, 2, 1),
                "{absent:?} {third:#?}"
            );
            let now = paths(&store).await;
            assert!(!now.contains(&"/p07.md".to_owned()) && !now.contains(&"/p09.md".to_owned()));
            assert_eq!(now.len(), 31, "with the home page");
            let heir = store
                .catalogue(&site())
                .await
                .unwrap()
                .into_iter()
                .find(|r| r.path.as_str() == "/guides/nine.md");
            assert_eq!(heir.unwrap().aliases[0].path(), "/p09.md");
            let query = Query { words: "p07".to_owned(), prefix: None, limit: 9 };
            assert!(store.search(&site(), &query).await.unwrap().is_empty());

            let last = sync_once(&web, &store, &job(4)).await.unwrap();
            assert_eq!(last.status, SyncStatus::Unchanged, "{last:#?}");

            // What was withdrawn comes back as it was.
            web.change(|world| world.put("/p07", 1));
            let back = sync_once(&web, &store, &job(5)).await.unwrap();
            assert_eq!((back.added, back.status), (1, SyncStatus::Completed));
            assert!(
                store
                    .trash(&site())
                    .await
                    .unwrap()
                    .iter()
                    .all(|entry| entry.page.record.path.as_str() != "/p07.md")
            );
        });
    }
}

//! Cases with fixed values.

use super::{TTL, lease, page, path, site};
use crate::{
    Absence, Change, Failing, Fate, Holder, Query, RunRecord, SiteState, Store, StoreError, Timestamp,
    Withdrawal,
};

fn publish(name: &str, text: &str, at: i64) -> Change {
    Change::Publish { page: Box::new(page(name, text, at)), run: format!("run-{at}") }
}

fn withdraw(name: &str) -> Change {
    let why = Withdrawal {
        fate: Fate::Gone,
        run: "run-9".to_owned(),
        at: Timestamp(9),
        evidence: "404 twice".to_owned(),
    };
    Change::Withdraw { path: path(name), why }
}

fn query(words: &str) -> Query {
    Query { words: words.to_owned(), prefix: None, limit: 10 }
}

async fn found<S: Store>(store: &S, words: &str) -> Vec<String> {
    let mut paths: Vec<String> = store
        .search(&site("docs"), &query(words))
        .await
        .expect("search")
        .into_iter()
        .map(|hit| hit.path.to_string())
        .collect();
    paths.sort();
    paths
}

/// Runs every case, each on a store that `fresh` makes.
///
/// # Panics
/// Where the store does not do what the trait promises.
pub async fn every_case<S: Store>(mut fresh: impl FnMut() -> S) {
    an_unknown_site_reads_as_empty(&fresh()).await;
    what_is_published_is_read_back(&fresh()).await;
    a_revision_replaces_text_and_search_entries_together(&fresh()).await;
    describing_keeps_the_text(&fresh()).await;
    a_withdrawn_page_is_out_of_everything_and_comes_back_exactly(&fresh()).await;
    a_batch_that_does_not_fit_leaves_nothing(&fresh()).await;
    a_purged_page_is_gone(&fresh()).await;
    only_one_writes(&fresh()).await;
    a_fenced_writer_is_refused(&fresh()).await;
    sites_do_not_see_each_other(&fresh()).await;
    what_is_remembered_is_read_back(&fresh()).await;
    old_revisions_are_forgotten_but_not_those_in_use(&fresh()).await;
    words_are_only_words(&fresh()).await;
    names_that_file_systems_confuse_are_kept_apart(&fresh()).await;
}

async fn an_unknown_site_reads_as_empty<S: Store>(store: &S) {
    let docs = site("docs");
    assert!(store.sites().await.unwrap().is_empty());
    assert_eq!(store.state(&docs).await.unwrap(), None);
    assert!(store.catalogue(&docs).await.unwrap().is_empty());
    assert_eq!(store.page(&docs, &path("a")).await.unwrap(), None);
    assert!(store.trash(&docs).await.unwrap().is_empty());
    assert!(store.revisions(&docs, &path("a")).await.unwrap().is_empty());
    assert!(found(store, "anything").await.is_empty());
}

async fn what_is_published_is_read_back<S: Store>(store: &S) {
    let docs = site("docs");
    let held = lease(store, &docs, 1).await;
    let text = "# Überschrift\r\n\n\u{0}\u{1f600} zero and \u{202e}bidi\n";
    store.apply(&held, vec![publish("b", text, 1), publish("a/x?q=1", "two", 1)]).await.unwrap();
    let paths: Vec<String> =
        store.catalogue(&docs).await.unwrap().into_iter().map(|record| record.path.to_string()).collect();
    assert_eq!(paths, ["/a/x%3Fq=1.md", "/b.md"], "sorted by path");
    let mut expected = page("b", text, 1);
    expected.record.revision = 1;
    assert_eq!(store.page(&docs, &path("b")).await.unwrap(), Some(expected));
    assert_eq!(store.sites().await.unwrap(), [docs]);
}

async fn a_revision_replaces_text_and_search_entries_together<S: Store>(store: &S) {
    let docs = site("docs");
    let held = lease(store, &docs, 1).await;
    store.apply(&held, vec![publish("a", "the quick fox", 1)]).await.unwrap();
    store.apply(&held, vec![publish("a", "the slow snail", 2)]).await.unwrap();
    assert!(found(store, "quick").await.is_empty());
    assert_eq!(found(store, "SLOW snail").await, ["/a.md"]);
    let revisions = store.revisions(&docs, &path("a")).await.unwrap();
    assert_eq!(revisions.iter().map(|info| info.revision).collect::<Vec<_>>(), [2, 1], "newest first");
    let first = store.revision(&docs, &path("a"), 1).await.unwrap().expect("kept");
    assert_eq!((first.text.as_str(), first.info.run.as_str()), ("the quick fox", "run-1"));
    assert_eq!(store.revision(&docs, &path("a"), 3).await.unwrap(), None);
}

async fn describing_keeps_the_text<S: Store>(store: &S) {
    let docs = site("docs");
    let held = lease(store, &docs, 1).await;
    store.apply(&held, vec![publish("a", "one", 1)]).await.unwrap();
    let mut other = page("a", "something else", 5).record;
    other.title = Some("Brand new".to_owned());
    other.aliases = vec![page("old", "", 1).record.url];
    store.apply(&held, vec![Change::Describe(Box::new(other.clone()))]).await.unwrap();
    let read = store.page(&docs, &path("a")).await.unwrap().expect("live");
    assert_eq!(read.text, "one");
    assert_eq!((read.record.revision, read.record.bytes), (1, 3));
    assert_eq!((&read.record.title, &read.record.aliases), (&other.title, &other.aliases));
    assert_eq!(found(store, "brand").await, ["/a.md"], "the new title is searched");
    assert!(found(store, "title").await.is_empty(), "the old one is not");
    let unknown = Change::Describe(Box::new(page("b", "", 1).record));
    assert!(matches!(store.apply(&held, vec![unknown]).await, Err(StoreError::Conflict(_))));
}

async fn a_withdrawn_page_is_out_of_everything_and_comes_back_exactly<S: Store>(store: &S) {
    let docs = site("docs");
    let held = lease(store, &docs, 1).await;
    store.apply(&held, vec![publish("a", "one fox", 1), publish("b", "two foxes", 1)]).await.unwrap();
    let before = store.page(&docs, &path("a")).await.unwrap().expect("live");
    store.apply(&held, vec![withdraw("a")]).await.unwrap();
    assert_eq!(store.page(&docs, &path("a")).await.unwrap(), None);
    assert_eq!(store.catalogue(&docs).await.unwrap().len(), 1);
    assert!(found(store, "fox").await.is_empty());
    let trash = store.trash(&docs).await.unwrap();
    assert_eq!((trash.len(), trash[0].page.text.as_str()), (1, ""), "listed without texts");
    let entry = store.trashed(&docs, trash[0].id).await.unwrap().expect("in the trash");
    assert_eq!((&entry.page, entry.withdrawal.evidence.as_str()), (&before, "404 twice"));
    store.apply(&held, vec![Change::Restore { id: entry.id }]).await.unwrap();
    assert_eq!(store.page(&docs, &path("a")).await.unwrap(), Some(before));
    assert_eq!(found(store, "fox").await, ["/a.md"]);
    assert!(store.trash(&docs).await.unwrap().is_empty());
}

async fn a_batch_that_does_not_fit_leaves_nothing<S: Store>(store: &S) {
    let docs = site("docs");
    let held = lease(store, &docs, 1).await;
    store.apply(&held, vec![publish("a", "one", 1)]).await.unwrap();
    let batches = [
        vec![publish("a", "changed", 2), publish("b", "new", 2), withdraw("c")],
        vec![withdraw("a"), withdraw("a")],
        vec![publish("a", "changed", 2), Change::Restore { id: 77 }],
    ];
    for batch in batches {
        assert!(matches!(store.apply(&held, batch).await, Err(StoreError::Conflict(_))));
        assert_eq!(store.page(&docs, &path("a")).await.unwrap().expect("live").text, "one");
        assert_eq!(store.catalogue(&docs).await.unwrap().len(), 1);
        assert!(found(store, "changed").await.is_empty());
    }
    store.apply(&held, vec![withdraw("a"), publish("a", "again", 3)]).await.unwrap();
    let id = store.trash(&docs).await.unwrap()[0].id;
    let occupied = store.apply(&held, vec![Change::Restore { id }]).await;
    assert!(matches!(occupied, Err(StoreError::Conflict(_))), "the page there must not be lost");
    store.apply(&held, vec![withdraw("a"), Change::Restore { id }]).await.unwrap();
    assert_eq!(store.page(&docs, &path("a")).await.unwrap().expect("live").text, "one");
}

async fn a_purged_page_is_gone<S: Store>(store: &S) {
    let docs = site("docs");
    let held = lease(store, &docs, 1).await;
    store.apply(&held, vec![publish("a", "one", 1), withdraw("a")]).await.unwrap();
    let id = store.trash(&docs).await.unwrap()[0].id;
    store.apply(&held, vec![Change::Purge { id }, Change::Purge { id: 99 }]).await.unwrap();
    assert_eq!(store.trashed(&docs, id).await.unwrap(), None);
    assert!(matches!(store.apply(&held, vec![Change::Restore { id }]).await, Err(StoreError::Conflict(_))));
}

async fn only_one_writes<S: Store>(store: &S) {
    let docs = site("docs");
    let held = lease(store, &docs, 1_000).await;
    let other = |now| {
        let holder = Holder { run: "other".to_owned(), process: std::process::id(), since: Timestamp(now) };
        store.acquire(&docs, holder, Timestamp(now), TTL)
    };
    match other(2_000).await {
        Err(StoreError::Busy(holder)) => assert_eq!(holder.run, "run-1000"),
        other => panic!("{other:?}"),
    }
    store.renew(&held, Timestamp(50_000), TTL).await.unwrap();
    assert!(matches!(other(70_000).await, Err(StoreError::Busy(_))), "it was renewed");
    drop(lease(store, &site("else"), 1_000).await);
    drop(held);
    let second = other(71_000).await.expect("the lease was released");
    assert!(second.token() > 1);
}

async fn a_fenced_writer_is_refused<S: Store>(store: &S) {
    let docs = site("docs");
    let slept = lease(store, &docs, 1_000).await;
    store.apply(&slept, vec![publish("a", "one", 1)]).await.unwrap();
    let second = lease(store, &docs, 100_000).await;
    assert!(matches!(store.apply(&slept, vec![publish("a", "late", 2)]).await, Err(StoreError::Fenced)));
    assert!(matches!(store.renew(&slept, Timestamp(100_001), TTL).await, Err(StoreError::Fenced)));
    drop(slept);
    store.apply(&second, vec![publish("a", "two", 3)]).await.expect("dropping the old lease frees nothing");
    assert_eq!(store.page(&docs, &path("a")).await.unwrap().expect("live").text, "two");
}

async fn sites_do_not_see_each_other<S: Store>(store: &S) {
    let (docs, other) = (site("docs"), site("other"));
    let (a, b) = (lease(store, &docs, 1).await, lease(store, &other, 1).await);
    store.apply(&a, vec![publish("a", "fox", 1)]).await.unwrap();
    store.apply(&b, vec![publish("a", "snail", 1), publish("b", "fox", 1)]).await.unwrap();
    assert_eq!(store.page(&docs, &path("a")).await.unwrap().expect("live").text, "fox");
    assert_eq!(store.page(&other, &path("a")).await.unwrap().expect("live").text, "snail");
    assert_eq!(found(store, "fox").await, ["/a.md"]);
    assert_eq!(store.sites().await.unwrap(), [docs, other]);
}

async fn what_is_remembered_is_read_back<S: Store>(store: &S) {
    let docs = site("docs");
    let held = lease(store, &docs, 1).await;
    let state = SiteState { source: "https://docs.example/".to_owned(), ..SiteState::default() };
    let failing = Failing {
        path: path("f"),
        url: page("f", "", 1).record.url,
        code: "http_404".to_owned(),
        cause: "404".to_owned(),
        attempts: 1,
        runs: 2,
        same: 1,
        since: Timestamp(1),
        last: Timestamp(2),
    };
    let absence = Absence {
        path: path("a"),
        runs: 1,
        soft: 0,
        since: Timestamp(1),
        last: Timestamp(1),
        fingerprint: "x".to_owned(),
        evidence: "404".to_owned(),
    };
    let run = |id: &str, at| RunRecord {
        id: id.to_owned(),
        started: Timestamp(at),
        ended: None,
        status: "running".to_owned(),
        report: "{}".to_owned(),
    };
    store
        .apply(
            &held,
            vec![
                Change::SetState(Box::new(state.clone())),
                Change::SetFailing(failing.clone()),
                Change::SetAbsence(absence.clone()),
                Change::SaveRun(Box::new(run("r1", 1))),
                Change::SaveRun(Box::new(run("r2", 2))),
            ],
        )
        .await
        .unwrap();
    assert_eq!(store.state(&docs).await.unwrap(), Some(state));
    assert_eq!(store.failing(&docs).await.unwrap(), [failing]);
    assert_eq!(store.absent(&docs).await.unwrap(), [absence]);
    assert_eq!(store.runs(&docs, 1).await.unwrap(), [run("r2", 2)]);
    let ended = RunRecord { ended: Some(Timestamp(3)), status: "completed".to_owned(), ..run("r2", 2) };
    store
        .apply(
            &held,
            vec![
                Change::SaveRun(Box::new(ended.clone())),
                Change::ClearFailing(path("f")),
                Change::ClearAbsence(path("a")),
                Change::ClearAbsence(path("never")),
            ],
        )
        .await
        .unwrap();
    assert_eq!(store.runs(&docs, 9).await.unwrap(), [ended, run("r1", 1)]);
    assert!(store.failing(&docs).await.unwrap().is_empty() && store.absent(&docs).await.unwrap().is_empty());
}

async fn old_revisions_are_forgotten_but_not_those_in_use<S: Store>(store: &S) {
    let docs = site("docs");
    let held = lease(store, &docs, 1).await;
    for at in 1..=3 {
        store
            .apply(&held, vec![publish("a", &format!("v{at}"), at), publish("b", &format!("w{at}"), at)])
            .await
            .unwrap();
    }
    store.apply(&held, vec![withdraw("b")]).await.unwrap();
    store.apply(&held, vec![Change::ForgetRevisions { replaced_before: Timestamp(3) }]).await.unwrap();
    let kept = async |name: &str| {
        store.revisions(&docs, &path(name)).await.unwrap().iter().map(|info| info.at.0).collect::<Vec<_>>()
    };
    assert_eq!(kept("a").await, [3, 2], "the first was replaced at 2, the second at 3");
    assert_eq!(kept("b").await, [3, 2]);
    store.apply(&held, vec![Change::ForgetRevisions { replaced_before: Timestamp(99) }]).await.unwrap();
    assert_eq!((kept("a").await, kept("b").await), (vec![3], vec![3]), "live, and in the trash");
}

async fn words_are_only_words<S: Store>(store: &S) {
    let docs = site("docs");
    let held = lease(store, &docs, 1).await;
    let text = "Use --max-delete with sync_pages, see node.js and C++. 日本 naïve";
    store.apply(&held, vec![publish("a", text, 1), publish("b/d", "nothing", 1)]).await.unwrap();
    for words in
        ["max-delete", "\"max\" delete\"", "node.js", "sync", "C++", "(use", "日本", "see* AND*", "NAÏVE"]
    {
        assert_eq!(found(store, words).await, ["/a.md"], "{words}");
    }
    for words in
        ["", "*", "\"", "NEAR(", "title:nothing zzz", "max NOT delete", "\0", "'; DROP TABLE pages; --"]
    {
        assert!(found(store, words).await.is_empty(), "{words}");
    }
    let below = Query { words: "nothing".to_owned(), prefix: Some("/b/".to_owned()), limit: 10 };
    assert_eq!(store.search(&docs, &below).await.unwrap().len(), 1);
    let elsewhere = Query { prefix: Some("/%".to_owned()), ..below };
    assert!(store.search(&docs, &elsewhere).await.unwrap().is_empty());
}

async fn names_that_file_systems_confuse_are_kept_apart<S: Store>(store: &S) {
    let docs = site("docs");
    let held = lease(store, &docs, 1).await;
    let names = [
        "Guide",
        "guide",
        "GUIDE",
        "a",
        "a/b",
        "a/index/c",
        "con",
        "nul.txt",
        "dot.",
        "caf%C3%A9",
        "cafe%CC%81",
    ];
    for (at, name) in names.iter().enumerate() {
        store.apply(&held, vec![publish(name, &format!("text {at} of {name}"), 1)]).await.unwrap();
    }
    for (at, name) in names.iter().enumerate() {
        let read = store.page(&docs, &path(name)).await.unwrap().unwrap_or_else(|| panic!("{name} is lost"));
        assert_eq!(read.text, format!("text {at} of {name}"));
    }
    store.apply(&held, vec![withdraw("guide")]).await.unwrap();
    assert!(store.page(&docs, &path("Guide")).await.unwrap().is_some());
    assert_eq!(store.catalogue(&docs).await.unwrap().len(), names.len() - 1);
}

//! Groups that meet with trouble.

use std::sync::mpsc::{self, Sender};

use futures_channel::oneshot;
use futures_util::FutureExt;
use wholesite_store::conformance::{page, path, site};
use wholesite_store::line::Place;
use wholesite_store::{Change, Fate, Holder, Lease, Timestamp, Withdrawal};

use super::*;
use crate::{open, read};

type Answer<T> = oneshot::Receiver<Result<T, StoreError>>;

struct Setup {
    _folder: tempfile::TempDir,
    thread: Thread,
    line: Sender<Request>,
    requests: Receiver<Request>,
}

fn setup() -> Setup {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("pages.db");
    let connection = open::for_writing(&path).unwrap();
    let (line, requests) = mpsc::channel();
    let thread = Thread { connection, locks: Locks::new(&path), path };
    Setup { _folder: folder, thread, line, requests }
}

impl Setup {
    fn ask<T>(&self, message: impl FnOnce(Reply<T>) -> Message) -> (Request, Answer<T>) {
        let (reply, answer) = oneshot::channel();
        (Request::Ask { message: message(reply), place: Place::unbounded(self.line.clone()) }, answer)
    }

    fn acquire(&self) -> (Request, Answer<Lease>) {
        let holder = Holder { run: "run".to_owned(), process: 1, since: Timestamp(0) };
        let (now, until) = (Timestamp(0), Timestamp(100));
        self.ask(|reply| Message::Acquire { site: site("docs"), holder, now, until, reply })
    }

    fn apply(&self, batch: Vec<Change>) -> (Request, Answer<()>) {
        self.ask(|reply| Message::Apply { site: site("docs"), token: 1, batch, reply })
    }

    fn names(&self) -> Vec<String> {
        let catalogue = read::catalogue(&self.thread.connection, &site("docs")).unwrap();
        catalogue.into_iter().map(|record| record.path.to_string()).collect()
    }

    fn entries(&self) -> i64 {
        let sql = "SELECT count(*) FROM search WHERE search MATCH 'needle'";
        self.thread.connection.query_row(sql, [], |row| row.get(0)).unwrap()
    }
}

fn publish(name: &str, text: &str) -> Change {
    Change::Publish { page: Box::new(page(name, text, 1)), run: "run".to_owned() }
}

fn withdraw(name: &str) -> Change {
    let why = Withdrawal { fate: Fate::Gone, run: String::new(), at: Timestamp(1), evidence: String::new() };
    Change::Withdraw { path: path(name), why }
}

fn told<T>(answer: Answer<T>) -> Result<T, StoreError> {
    answer.now_or_never().expect("an answer").expect("from the thread")
}

#[test]
fn a_batch_that_does_not_fit_is_rolled_back_alone() {
    let mut setup = setup();
    let (lease, held) = setup.acquire();
    let (one, first) = setup.apply(vec![publish("a", "needle")]);
    let (two, second) = setup.apply(vec![publish("b", "needle"), withdraw("a"), withdraw("none")]);
    let (three, third) = setup.apply(vec![publish("c", "needle"), publish("d", "needle"), withdraw("c")]);
    setup.thread.commit(vec![lease, one, two, three]);
    let _lease = told(held).unwrap();
    told(first).unwrap();
    assert!(matches!(told(second), Err(StoreError::Conflict(_))));
    told(third).unwrap();
    assert_eq!(setup.names(), ["/a.md", "/d.md"]);
    assert_eq!(setup.entries(), 2, "a and d");
}

#[test]
fn a_row_that_is_used_again_has_the_entry_of_its_last_page() {
    let mut setup = setup();
    let (lease, held) = setup.acquire();
    let (one, _first) = setup.apply(vec![publish("a", "needle"), withdraw("a"), publish("b", "hay")]);
    let (two, _second) = setup.apply(vec![withdraw("b"), publish("c", "needle")]);
    setup.thread.commit(vec![lease, one, two]);
    let _lease = told(held).unwrap();
    assert_eq!((setup.names(), setup.entries()), (vec!["/c.md".to_owned()], 1));
}

#[test]
fn where_there_is_no_room_nobody_is_told_that_it_is_done() {
    let mut setup = setup();
    let (lease, held) = setup.acquire();
    setup.thread.commit(vec![lease]);
    let _lease = told(held).unwrap();
    let pages: i64 = setup.thread.connection.query_row("PRAGMA page_count", [], |row| row.get(0)).unwrap();
    let room = |setup: &Setup, pages: i64| {
        let sql = format!("PRAGMA max_page_count = {pages}");
        setup.thread.connection.query_row(&sql, [], |_| Ok(())).unwrap();
    };
    room(&setup, pages + 8);
    let (one, first) = setup.apply(vec![publish("a", "needle")]);
    let (two, second) = setup.apply(vec![publish("b", &"needle ".repeat(20_000))]);
    let (three, third) = setup.apply(vec![publish("c", "needle")]);
    setup.thread.commit(vec![one, two, three]);
    let told_of = [("/a.md", told(first)), ("/b.md", told(second)), ("/c.md", told(third))];
    assert!(matches!(told_of[1].1, Err(StoreError::Full { .. })), "{told_of:?}");
    let done: Vec<&str> = told_of.iter().filter(|(_, told)| told.is_ok()).map(|(name, _)| *name).collect();
    assert_eq!(setup.names(), done);
    assert_eq!(setup.entries(), done.len() as i64);
    room(&setup, 1 << 30);
    let (again, answer) = setup.apply(vec![publish("b", "needle")]);
    setup.thread.commit(vec![again]);
    told(answer).expect("there is room again");
}

#[test]
fn a_lease_that_nobody_waits_for_is_released() {
    let mut setup = setup();
    let (lease, gone) = setup.acquire();
    drop(gone);
    setup.thread.commit(vec![lease]);
    let release = setup.requests.try_recv().expect("the lease is released");
    let (lease, held) = setup.acquire();
    setup.thread.commit(vec![release, lease]);
    assert_eq!(told(held).expect("it is free").token(), 2);
}

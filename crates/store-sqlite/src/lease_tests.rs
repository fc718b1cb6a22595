//! Each `Locks` stands for a process: locks of one process keep out others of it as well.

use super::*;
use crate::open;

struct Place {
    _folder: tempfile::TempDir,
    file: PathBuf,
    connection: Connection,
    site: SiteKey,
}

fn place() -> Place {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("pages.db");
    let connection = open::for_writing(&file).unwrap();
    Place { _folder: folder, file, connection, site: SiteKey::parse("https://docs.example/").unwrap() }
}

impl Place {
    fn process(&self) -> Locks {
        Locks::new(&self.file)
    }

    /// Acquires a lease of 100 ms.
    fn acquire(&self, locks: &mut Locks, now: i64) -> Option<u64> {
        let holder = Holder { run: format!("run-{now}"), process: 1, since: Timestamp(now) };
        let end = Timestamp(now + 100);
        let result = locks.acquire(&self.connection, &self.site, &holder, Timestamp(now), end);
        locks.unlock_dropped();
        locks.settle(true);
        match result {
            Ok(token) => Some(token),
            Err(Fault::Store(StoreError::Busy(_))) => None,
            Err(fault) => panic!("{fault:?}"),
        }
    }

    fn release(&self, locks: &mut Locks, token: u64) {
        locks.release(&self.connection, &self.site, token).unwrap();
        locks.unlock_dropped();
        locks.settle(true);
    }
}

#[test]
fn the_lease_of_a_dead_process_is_free_at_once() {
    let place = place();
    let (mut one, mut other) = (place.process(), place.process());
    assert_eq!(place.acquire(&mut one, 0), Some(1));
    assert_eq!(place.acquire(&mut other, 10), None, "it is alive");
    drop(one);
    assert_eq!(place.acquire(&mut other, 10), Some(2));
}

#[test]
fn whoever_took_over_from_a_stuck_process_is_not_taken_for_dead() {
    let place = place();
    let (mut stuck, mut second, mut third) = (place.process(), place.process(), place.process());
    assert_eq!(place.acquire(&mut stuck, 0), Some(1));
    assert_eq!(place.acquire(&mut second, 150), Some(2), "it has expired");
    // The stuck one goes, and its lock with it. The second one lives on without a lock.
    place.release(&mut stuck, 1);
    assert_eq!(place.acquire(&mut third, 160), None, "dropping the old lease frees nothing");
    second.renew(&place.connection, &place.site, 2, Timestamp(400)).unwrap();
    second.settle(true);
    assert_eq!(place.acquire(&mut third, 300), None);
    drop(second);
    assert_eq!(place.acquire(&mut third, 300), Some(3), "by then it had the lock, which is free now");
}

#[test]
fn a_lock_goes_on_to_the_next_lease_of_its_process() {
    let place = place();
    let (mut one, mut other) = (place.process(), place.process());
    assert_eq!(place.acquire(&mut one, 0), Some(1));
    // In one transaction, as when a lease is dropped and taken again at once.
    one.release(&place.connection, &place.site, 1).unwrap();
    assert_eq!(place.acquire(&mut one, 1), Some(2));
    assert_eq!(place.acquire(&mut one, 150), Some(3), "it has expired");
    place.release(&mut one, 2);
    assert_eq!(place.acquire(&mut other, 160), None, "the third is held");
    place.release(&mut one, 3);
    assert_eq!(place.acquire(&mut other, 160), Some(4));
}

#[test]
fn a_commit_that_fails_takes_its_locks_back() {
    let mut place = place();
    let (mut one, mut other) = (place.process(), place.process());
    let transaction = place.connection.transaction().unwrap();
    let holder = Holder { run: "lost".to_owned(), process: 1, since: Timestamp(0) };
    one.acquire(&transaction, &place.site, &holder, Timestamp(0), Timestamp(100)).unwrap();
    transaction.rollback().unwrap();
    one.settle(false);
    assert_eq!(place.acquire(&mut other, 1), Some(1));
    drop(other);
    assert_eq!(place.acquire(&mut one, 2), Some(2), "it has no lock that would stand in its own way");
}

#[test]
#[cfg(unix)]
fn a_link_leads_to_the_same_lock() {
    let place = place();
    let link = place.file.with_file_name("link.db");
    std::os::unix::fs::symlink(&place.file, &link).unwrap();
    let (mut one, mut other) = (place.process(), Locks::new(&link));
    assert_eq!(place.acquire(&mut one, 0), Some(1));
    assert_eq!(place.acquire(&mut other, 10), None);
}

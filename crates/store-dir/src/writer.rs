//! The one thread that writes.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::mpsc::Receiver;

use wholesite_store::line::{Line, Message, Place, Reply, Request};
use wholesite_store::{Change, SiteKey, StoreError};

use crate::folder;
use crate::site::Site;

/// The most batches that are committed together.
const GROUP: usize = 256;

/// The most messages that wait.
const QUEUE: usize = 2 * GROUP;

/// Puts all sites right, and starts.
pub(crate) fn start(root: PathBuf) -> Result<Line, StoreError> {
    let mut thread = Thread { root, sites: HashMap::new() };
    for site in folder::sites(&thread.root)? {
        thread.site(&site).repair()?;
    }
    Line::start("wholesite-dir", QUEUE, move |requests| thread.run(&requests))
}

struct Thread {
    root: PathBuf,
    sites: HashMap<SiteKey, Site>,
}

/// Batches of one site that came one after the other.
struct Group {
    site: SiteKey,
    batches: Vec<(u64, Vec<Change>)>,
    replies: Vec<(Reply<()>, Place)>,
}

impl Thread {
    fn run(mut self, requests: &Receiver<Request>) {
        while let Ok(first) = requests.recv() {
            let mut group: Option<Group> = None;
            let mut next = Some(first);
            while let Some(request) = next {
                match request {
                    Request::Ask { message: Message::Apply { site, token, batch, reply }, place } => {
                        if group.as_ref().is_some_and(|group| group.site != site) {
                            self.commit(group.take());
                        }
                        let group = group.get_or_insert_with(|| Group {
                            site,
                            batches: Vec::new(),
                            replies: Vec::new(),
                        });
                        group.batches.push((token, batch));
                        group.replies.push((reply, place));
                    }
                    other => {
                        self.commit(group.take());
                        self.handle(other);
                    }
                }
                let is_full = group.as_ref().is_some_and(|group| group.batches.len() >= GROUP);
                next = if is_full { None } else { requests.try_recv().ok() };
            }
            self.commit(group);
        }
    }

    fn site(&mut self, site: &SiteKey) -> &mut Site {
        self.sites.entry(site.clone()).or_insert_with(|| Site::new(&self.root, site))
    }

    fn commit(&mut self, group: Option<Group>) {
        let Some(Group { site, batches, replies }) = group else { return };
        let results = self.site(&site).apply(batches);
        for ((reply, _place), result) in replies.into_iter().zip(results) {
            // A caller that is gone does not want to know.
            drop(reply.send(result));
        }
    }

    fn handle(&mut self, request: Request) {
        match request {
            Request::Release { site, token } => {
                // Where it can't be given back, it ends by itself.
                let _ = self.site(&site).release(token);
            }
            Request::Settle { done } => drop(done.send(())),
            Request::Ask { message, place } => match message {
                Message::Acquire { site, holder, now, until, reply } => {
                    let token = self.site(&site).acquire(holder, now, until);
                    // Where the caller is gone, dropping the lease releases it.
                    drop(reply.send(token.map(place.lease(site))));
                }
                Message::Renew { site, token, until, reply } => {
                    drop(reply.send(self.site(&site).renew(token, until)));
                }
                Message::Apply { site, token, batch, reply } => {
                    let result = self.site(&site).apply(vec![(token, batch)]).pop();
                    drop(reply.send(result.unwrap_or(Ok(()))));
                }
            },
        }
    }
}

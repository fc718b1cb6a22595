//! The suite that every store must pass: cases with fixed values, and long random histories on which
//! a store must agree with [`MemoryStore`] after every batch.
//!
//! A store that is durable has more to prove, by its own tests: that it reads the same after it was
//! opened again, and after its process was killed.

mod cases;
mod histories;

pub use cases::every_case;
pub use histories::{Observed, agrees_with_memory, observe};

use std::time::Duration;

use wholesite_address::{Scope, SiteUrl, StorePath};

use crate::{Digest, Holder, Lease, Page, Record, Representation, SiteKey, Store, Timestamp, Validators};

const TTL: Duration = Duration::from_secs(60);

/// A site that the suite works on.
pub fn site(name: &str) -> SiteKey {
    SiteKey::parse(&format!("https://{name}.example/")).expect("a site")
}

/// The store path of `https://docs.example/NAME`.
pub fn path(name: &str) -> StorePath {
    let url = SiteUrl::parse(&format!("https://docs.example/{name}")).expect("an address");
    StorePath::of(&url, &Scope::below(&SiteUrl::parse("https://docs.example/").expect("a site")))
        .expect("in scope")
}

/// A page called `name` with that text.
pub fn page(name: &str, text: &str, at: i64) -> Page {
    let url = SiteUrl::parse(&format!("https://docs.example/{name}")).expect("an address");
    Page {
        record: Record {
            path: path(name),
            fetch_url: url.clone(),
            url,
            title: Some(format!("Title of {name}")),
            aliases: Vec::new(),
            representation: Representation::Markdown,
            digest: Digest::of(text),
            bytes: text.len() as u64,
            revision: 0,
            validators: Validators { etag: Some(format!("\"{at}\"")), last_modified: None },
            made_by: "1".to_owned(),
            first_seen: Timestamp(at),
            changed: Timestamp(at),
            alive: Timestamp(at),
        },
        text: text.to_owned(),
    }
}

/// The lease on a site, at a time.
pub async fn lease<S: Store>(store: &S, site: &SiteKey, now: i64) -> Lease {
    let holder = Holder { run: format!("run-{now}"), process: std::process::id(), since: Timestamp(now) };
    store.acquire(site, holder, Timestamp(now), TTL).await.expect("the lease is free")
}

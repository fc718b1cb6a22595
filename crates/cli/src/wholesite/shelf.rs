//! The store that was named, and the site in it.

use wholesite::address::{SiteUrl, StorePath};
use wholesite::store::{Record, SiteKey, Store};
use wholesite::{AnyStore, StoreName, StoreNameError};

use super::args::Where;
use crate::error::Failure;

/// Opens the store that `name` names, to write to it.
pub(crate) fn open(name: &str) -> Result<AnyStore, Failure> {
    Ok(AnyStore::open(&parse(name)?)?)
}

/// Opens the store that `name` names, to read.
pub(crate) fn open_to_read(name: &str) -> Result<AnyStore, Failure> {
    Ok(AnyStore::open_read_only(&parse(name)?)?)
}

fn parse(name: &str) -> Result<StoreName, Failure> {
    name.parse().map_err(|error: StoreNameError| Failure::Wrong {
        what: error.to_string(),
        help: "give a file (.wholesite/pages.db, sqlite:/var/lib/docs.db) or a folder (dir:./pages)",
    })
}

/// Runs a future to its end.
pub(crate) fn block_on<T>(future: impl Future<Output = T>) -> Result<T, Failure> {
    Ok(tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(future))
}

/// A store and the one site that is meant.
pub(crate) struct Shelf {
    pub(crate) store: AnyStore,
    pub(crate) site: SiteKey,
}

impl Shelf {
    pub(crate) async fn open(place: &Where, to_write: bool) -> Result<Self, Failure> {
        let store = if to_write { open(&place.store)? } else { open_to_read(&place.store)? };
        let site = pick(&store, place.site.as_deref()).await?;
        Ok(Shelf { store, site })
    }

    /// The live pages whose paths begin with `prefix`.
    pub(crate) async fn records(&self, prefix: &str) -> Result<Vec<Record>, Failure> {
        let mut records = self.store.catalogue(&self.site).await?;
        records.retain(|record| record.path.as_str().starts_with(prefix));
        Ok(records)
    }

    /// The live page that a text names: its path, with or without `.md`, its address, or an address
    /// that leads to it.
    pub(crate) async fn find(&self, text: &str) -> Result<Option<Record>, Failure> {
        let records = self.store.catalogue(&self.site).await?;
        Ok(records.into_iter().find(|record| names(text, &record.path, &record.url, &record.aliases)))
    }
}

/// Whether a text names a page.
pub(crate) fn names(text: &str, path: &StorePath, url: &SiteUrl, aliases: &[SiteUrl]) -> bool {
    let text = text.trim();
    let bare = |text: &str| text.trim_end_matches(".md").trim_end_matches('/').to_owned();
    if text.starts_with("http://") || text.starts_with("https://") {
        let Ok(wanted) = SiteUrl::parse(text) else { return false };
        return std::iter::once(url)
            .chain(aliases)
            .any(|known| *known == wanted || bare(known.as_str()) == bare(wanted.as_str()));
    }
    let slashed = if text.starts_with('/') { text.to_owned() } else { format!("/{text}") };
    path.as_str() == slashed
        || bare(path.as_str()) == bare(&slashed)
        || (slashed == "/" && path.as_str() == "/index.md")
        || bare(path.as_str()) == format!("{}/index", bare(&slashed))
}

async fn pick(store: &AnyStore, wanted: Option<&str>) -> Result<SiteKey, Failure> {
    let sites = store.sites().await?;
    let list = || sites.iter().map(|site| format!("\n  {site}")).collect::<String>();
    if let Some(wanted) = wanted {
        let found =
            SiteUrl::parse(wanted).ok().map(|url| SiteKey::of(&url)).filter(|key| sites.contains(key));
        return found.ok_or_else(|| Failure::No {
            what: format!("the store has no site {wanted}; it has:{}", list()),
            help: "name one of these with --site",
        });
    }
    match sites.as_slice() {
        [only] => Ok(only.clone()),
        [] => Err(Failure::No {
            what: "the store is empty".to_owned(),
            help: "fill it: wholesite sync https://docs.example.com",
        }),
        _ => Err(Failure::Wrong {
            what: format!("the store holds several sites:{}", list()),
            help: "name one of these with --site",
        }),
    }
}

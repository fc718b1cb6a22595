//! Discovery of a live site, through any [`Fetch`].

use wholesite_address::SiteUrl;
use wholesite_discovery::{Inventory, Options};
use wholesite_fetch::Fetch;

pub use wholesite_sync::Progress;

/// Discovers a site from any address of it, with at most `concurrency` requests under way (a
/// transport may allow fewer for each host). Dropping the future ends all requests.
pub async fn discover_live<F: Fetch>(
    seed: SiteUrl,
    options: Options,
    fetch: &F,
    concurrency: usize,
    mut on_progress: impl FnMut(Progress<'_>) + Send,
) -> Inventory {
    wholesite_sync::discover(seed, options, fetch, concurrency, false, &mut on_progress).await
}

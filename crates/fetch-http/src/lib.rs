//! The one crate with sockets: fetches documents over HTTP, and refuses private addresses.
//!
//! One [`HttpFetcher`] for all tasks. What it promises beyond [`wholesite_fetch::Fetch`]:
//!
//! - **No private address.** Names are resolved by a resolver that lets only checked addresses through
//!   to the connector, so there is no gap between check and use; addresses written as numbers are
//!   checked before anything else. See [`special_purpose`].
//! - **No redirects, no cookies, no proxies from the environment.**
//! - **Credentials stay at their origin**: scheme, host and port.
//! - **Bounds everywhere**: time for an attempt as a whole, bytes before and after decompression, the
//!   ratio of the two, header fields.
//! - **One gate a host**, shared by all clones of the fetcher: see [`wholesite_fetch::HostGate`].
//!
//! **Deliberately absent**: what to ask for and whether one may (robots.txt), caching, following
//! redirects, charsets.

mod address_class;
mod attempt;
mod body;
mod builder;
mod classify;
mod coding;
mod fetcher;
mod gates;
mod resolver;
mod tls;

pub use address_class::special_purpose;
pub use builder::{Builder, ConfigError};
pub use fetcher::HttpFetcher;

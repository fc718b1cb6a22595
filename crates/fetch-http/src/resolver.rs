//! Names to addresses, with private ones taken out.
//!
//! The connector gets its addresses from here and nowhere else, so what was checked is what is
//! connected to: a name that changes its address between two looks ("DNS rebinding") gains nothing.

use std::collections::HashMap;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use thiserror::Error;

use crate::address_class::special_purpose;

/// A name, or a number, that leads to a private address only.
#[derive(Debug, Clone, Error)]
#[error("{host} is {addr} ({why})")]
pub(crate) struct Blocked {
    pub(crate) host: String,
    pub(crate) addr: IpAddr,
    pub(crate) why: &'static str,
}

/// A name that leads nowhere.
#[derive(Debug, Error)]
#[error("no address for {host}")]
pub(crate) struct NoAddress {
    pub(crate) host: String,
    #[source]
    pub(crate) cause: io::Error,
}

impl NoAddress {
    /// Whether the resolver said "try again". The standard library keeps the text of `getaddrinfo` and
    /// drops its number, so the text is what there is (`EAI_AGAIN` in glibc, musl and the BSDs).
    pub(crate) fn is_temporary(&self) -> bool {
        let text = self.cause.to_string().to_ascii_lowercase();
        ["temporary failure", "try again"].iter().any(|words| text.contains(words))
    }
}

/// Addresses that were given by hand, by host name in lower case.
pub(crate) type Overrides = HashMap<String, Vec<SocketAddr>>;

#[derive(Debug, Clone)]
pub(crate) struct GuardedResolver {
    overrides: Arc<Overrides>,
    allow_private: bool,
    /// Counts look-ups, so that each begins with another address. Connecting has one deadline for all
    /// addresses: were the first one always the same and dead, every attempt would fail.
    turn: Arc<AtomicUsize>,
}

impl GuardedResolver {
    pub(crate) fn new(overrides: Overrides, allow_private: bool) -> Self {
        GuardedResolver { overrides: Arc::new(overrides), allow_private, turn: Arc::default() }
    }

    async fn addresses(
        &self,
        host: &str,
    ) -> Result<Vec<SocketAddr>, Box<dyn std::error::Error + Send + Sync>> {
        let found = match self.overrides.get(&host.to_ascii_lowercase()) {
            Some(addresses) => addresses.clone(),
            None => look_up(host).await?,
        };
        let mut open = if self.allow_private { found } else { only_public(host, found)? };
        let turn = self.turn.fetch_add(1, Ordering::Relaxed);
        if !open.is_empty() {
            let first = turn % open.len();
            open.rotate_left(first);
        }
        Ok(open)
    }
}

impl Resolve for GuardedResolver {
    fn resolve(&self, name: Name) -> Resolving {
        let resolver = self.clone();
        Box::pin(async move {
            let addresses = resolver.addresses(name.as_str()).await?;
            Ok(Box::new(addresses.into_iter()) as Addrs)
        })
    }
}

async fn look_up(host: &str) -> Result<Vec<SocketAddr>, NoAddress> {
    let failed = |cause| NoAddress { host: host.to_owned(), cause };
    // Port 0 stands for the port of the URL.
    let found: Vec<_> = tokio::net::lookup_host((host, 0)).await.map_err(failed)?.collect();
    if found.is_empty() { Err(failed(io::Error::other("empty answer"))) } else { Ok(found) }
}

/// The public ones among `found`, in order; at least one.
fn only_public(host: &str, found: Vec<SocketAddr>) -> Result<Vec<SocketAddr>, Blocked> {
    let mut blocked = None;
    let mut open = Vec::with_capacity(found.len());
    for address in found {
        match check(host, address.ip()) {
            Ok(()) => open.push(address),
            Err(refusal) => blocked = blocked.or(Some(refusal)),
        }
    }
    match blocked {
        Some(refusal) if open.is_empty() => Err(refusal),
        _ => Ok(open),
    }
}

/// Refuses an address that no public site can have.
pub(crate) fn check(host: &str, addr: IpAddr) -> Result<(), Blocked> {
    match special_purpose(addr) {
        Some(why) => Err(Blocked { host: host.to_owned(), addr, why }),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn addresses(texts: &[&str]) -> Vec<SocketAddr> {
        texts.iter().map(|text| SocketAddr::new(text.parse().unwrap(), 0)).collect()
    }

    fn resolve(resolver: &GuardedResolver, host: &str) -> Result<Vec<SocketAddr>, String> {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        runtime.block_on(resolver.addresses(host)).map_err(|error| error.to_string())
    }

    #[test]
    fn every_answer_is_checked_and_all_good_ones_are_kept() {
        let mixed = addresses(&["10.0.0.1", "8.8.8.8", "::1", "2606:4700::1"]);
        assert_eq!(only_public("a.test", mixed).unwrap(), addresses(&["8.8.8.8", "2606:4700::1"]));
        let refusal = only_public("a.test", addresses(&["10.0.0.1", "::1"])).unwrap_err();
        assert_eq!(refusal.to_string(), "a.test is 10.0.0.1 (private use, RFC 1918)");
    }

    #[test]
    fn addresses_take_turns() {
        let overrides = Overrides::from([("a.test".to_owned(), addresses(&["8.8.8.8", "9.9.9.9"]))]);
        let resolver = GuardedResolver::new(overrides, false);
        assert_eq!(resolve(&resolver, "a.test").unwrap(), addresses(&["8.8.8.8", "9.9.9.9"]));
        assert_eq!(resolve(&resolver, "A.test").unwrap(), addresses(&["9.9.9.9", "8.8.8.8"]));
    }

    #[test]
    fn localhost_is_private_by_its_address() {
        let guarded = GuardedResolver::new(Overrides::new(), false);
        assert!(resolve(&guarded, "localhost").unwrap_err().contains("loopback"));
        assert!(resolve(&GuardedResolver::new(Overrides::new(), true), "localhost").is_ok());
    }
}

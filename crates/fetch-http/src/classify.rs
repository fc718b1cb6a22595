//! What an error of the HTTP client means.

use std::error::Error;
use std::io;
use std::time::Duration;

use wholesite_fetch::{Causes, Failure};

use crate::resolver::{Blocked, NoAddress};

/// The failure behind an error from before the body. `connect` is the limit for connecting.
pub(crate) fn failure(error: &reqwest::Error, connect: Duration) -> Failure {
    if let Some(blocked) = find::<Blocked>(error) {
        return blocked.clone().into();
    }
    let causes = Causes::of(innermost_telling(error));
    if let Some(unknown) = find::<NoAddress>(error) {
        let causes = Causes::of(&unknown.cause);
        return Failure::Dns { host: unknown.host.clone(), temporary: unknown.is_temporary(), causes };
    }
    if find::<rustls::Error>(error).is_some() {
        return Failure::Tls { causes };
    }
    if error.is_connect() {
        return if error.is_timeout() {
            Failure::ConnectTimeout { after: connect }
        } else {
            Failure::Connect { causes }
        };
    }
    if error.is_builder() {
        return Failure::BadUrl { why: causes.iter().collect::<Vec<_>>().join(": ") };
    }
    match find::<hyper::Error>(error) {
        Some(http) if http.is_parse_too_large() => Failure::TooManyHeaders { causes },
        Some(http) if http.is_parse() => Failure::Protocol { causes },
        _ => Failure::Reset { causes },
    }
}

/// The failure behind an error within the body: its end is missing, for whatever reason, unless what
/// came is no HTTP at all.
pub(crate) fn body_failure(error: &reqwest::Error, got: u64, promised: Option<u64>) -> Failure {
    let causes = Causes::of(innermost_telling(error));
    match find::<hyper::Error>(error) {
        Some(http) if http.is_parse() => Failure::Protocol { causes },
        _ => Failure::Truncated { got, promised, causes },
    }
}

impl From<Blocked> for Failure {
    fn from(blocked: Blocked) -> Self {
        let Blocked { host, addr, why } = blocked;
        Failure::BlockedAddress { host, addr, why }
    }
}

/// The first error of that type in the chain. An `io::Error` hides what it wraps from `source`, so that
/// is looked at too.
fn find<E: Error + 'static>(error: &reqwest::Error) -> Option<&E> {
    chain(error).find_map(|error| error.downcast_ref())
}

fn chain<'a>(error: &'a reqwest::Error) -> impl Iterator<Item = &'a (dyn Error + 'static)> {
    let first: &(dyn Error + 'static) = error;
    std::iter::successors(Some(first), |&error| beneath(error)).take(16)
}

fn beneath<'a>(error: &'a (dyn Error + 'static)) -> Option<&'a (dyn Error + 'static)> {
    match error.downcast_ref::<io::Error>().and_then(io::Error::get_ref) {
        Some(inner) => Some(inner),
        None => error.source(),
    }
}

/// The client's own words ("error sending request for url …") say nothing that is not known, and
/// repeat the address; what lies beneath them does.
fn innermost_telling(error: &reqwest::Error) -> &(dyn Error + 'static) {
    chain(error).find(|error| !error.is::<reqwest::Error>()).unwrap_or(error)
}

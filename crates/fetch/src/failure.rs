//! Why there is no answer.

use std::fmt;
use std::net::IpAddr;
use std::time::Duration;

use thiserror::Error;

/// Why a document could not be had. None of these says anything about whether the document exists.
///
/// `Display` is for people; [`Failure::code`] is for machines and stays as it is.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum Failure {
    /// The name has no address, or the resolver could not tell.
    #[error("{host} could not be resolved{causes}")]
    Dns {
        /// The host name.
        host: String,
        /// The resolver said that it may know later (`EAI_AGAIN`).
        temporary: bool,
        /// The chain of causes.
        causes: Causes,
    },
    /// No connection came about: refused, unreachable.
    #[error("could not connect{causes}")]
    Connect {
        /// The chain of causes.
        causes: Causes,
    },
    /// The TLS handshake failed, by the certificate or otherwise.
    #[error("TLS failed{causes}")]
    Tls {
        /// The chain of causes.
        causes: Causes,
    },
    /// No connection within the time for connecting.
    #[error("no connection within {after:?}")]
    ConnectTimeout {
        /// The limit.
        after: Duration,
    },
    /// The whole answer did not arrive within the time of one attempt.
    #[error("timeout: no complete answer within {after:?}")]
    AttemptTimeout {
        /// The limit.
        after: Duration,
    },
    /// The connection ended before the header of the answer was complete.
    #[error("connection lost{causes}")]
    Reset {
        /// The chain of causes.
        causes: Causes,
    },
    /// The body ended before its end.
    #[error("truncated after {got} bytes{}{causes}", of_promised(*promised))]
    Truncated {
        /// Bytes that arrived, before decompression.
        got: u64,
        /// Bytes that `Content-Length` announced.
        promised: Option<u64>,
        /// The chain of causes.
        causes: Causes,
    },
    /// The body is longer than the request allows.
    #[error("too large: more than {limit} bytes")]
    BodyTooLarge {
        /// The limit, in bytes after decompression.
        limit: u64,
    },
    /// The body grows out of all proportion when decompressed.
    #[error("decompression bomb: {received} bytes became more than {inflated}")]
    InflateBomb {
        /// Compressed bytes.
        received: u64,
        /// Bytes they had become when it was stopped.
        inflated: u64,
    },
    /// A content coding that was not asked for, or data that its decoder refuses.
    #[error("content coding {coding:?} can't be undone{causes}")]
    BadCoding {
        /// `Content-Encoding` as it was sent.
        coding: String,
        /// The chain of causes.
        causes: Causes,
    },
    /// The host is, or resolves to, an address that a public site can't have.
    #[error("blocked private address: {host} is {addr} ({why})")]
    BlockedAddress {
        /// The host as it was asked for.
        host: String,
        /// The address.
        addr: IpAddr,
        /// Which special-purpose block it is in.
        why: &'static str,
    },
    /// The address can't be asked for.
    #[error("bad address: {why}")]
    BadUrl {
        /// What is wrong with it.
        why: String,
    },
    /// More header fields, or longer ones, than are taken.
    #[error("too many or too large header fields{causes}")]
    TooManyHeaders {
        /// The chain of causes.
        causes: Causes,
    },
    /// What the server said is not HTTP.
    #[error("protocol violated{causes}")]
    Protocol {
        /// The chain of causes.
        causes: Causes,
    },
    /// The host refused again and again, so nothing more is asked of it for a while.
    #[error("{host} asked us to stop, again and again: not asked for another {retry_in:?}")]
    HostClosed {
        /// The host.
        host: String,
        /// Until it is asked again.
        retry_in: Duration,
    },
    /// Whoever asked does not want it any more.
    #[error("cancelled")]
    Cancelled,
    /// Several attempts failed.
    #[error("{last}; gave up after {attempts} attempts in {:.1} s", elapsed.as_secs_f64())]
    GaveUp {
        /// Requests that were sent.
        attempts: u32,
        /// From the first to the end of the last.
        elapsed: Duration,
        /// How the last one failed.
        #[source]
        last: Box<Failure>,
    },
}

impl Failure {
    /// A word that never changes, for reports, logs and scripts. Of several attempts the last one
    /// counts: how often it was tried stands beside it.
    pub fn code(&self) -> &'static str {
        match self {
            Failure::Dns { .. } => "dns",
            Failure::Connect { .. } => "connect",
            Failure::Tls { .. } => "tls",
            Failure::ConnectTimeout { .. } => "connect_timeout",
            Failure::AttemptTimeout { .. } => "timeout",
            Failure::Reset { .. } => "reset",
            Failure::Truncated { .. } => "truncated",
            Failure::BodyTooLarge { .. } => "too_large",
            Failure::InflateBomb { .. } => "inflate_bomb",
            Failure::BadCoding { .. } => "bad_coding",
            Failure::BlockedAddress { .. } => "blocked_address",
            Failure::BadUrl { .. } => "bad_url",
            Failure::TooManyHeaders { .. } => "too_many_headers",
            Failure::Protocol { .. } => "protocol",
            Failure::HostClosed { .. } => "host_closed",
            Failure::Cancelled => "cancelled",
            Failure::GaveUp { last, .. } => last.code(),
        }
    }

    /// Whether another attempt, soon, may succeed. Certificates, limits and addresses don't change
    /// within seconds; connections and timing do.
    pub fn may_pass(&self) -> bool {
        match self {
            Failure::Dns { temporary, .. } => *temporary,
            Failure::Connect { .. }
            | Failure::ConnectTimeout { .. }
            | Failure::AttemptTimeout { .. }
            | Failure::Reset { .. }
            | Failure::Truncated { .. } => true,
            Failure::Tls { .. }
            | Failure::BodyTooLarge { .. }
            | Failure::InflateBomb { .. }
            | Failure::BadCoding { .. }
            | Failure::BlockedAddress { .. }
            | Failure::BadUrl { .. }
            | Failure::TooManyHeaders { .. }
            | Failure::Protocol { .. }
            | Failure::HostClosed { .. }
            | Failure::Cancelled
            | Failure::GaveUp { .. } => false,
        }
    }

    /// How many requests were sent; 1 where nobody counted.
    pub fn attempts(&self) -> u32 {
        match self {
            Failure::GaveUp { attempts, .. } => *attempts,
            Failure::BlockedAddress { .. } | Failure::BadUrl { .. } | Failure::HostClosed { .. } => 0,
            _ => 1,
        }
    }

    /// The failure of the last attempt.
    pub fn root(&self) -> &Failure {
        let mut failure = self;
        while let Failure::GaveUp { last, .. } = failure {
            failure = last;
        }
        failure
    }
}

/// The texts of an error and of what lies beneath it, outermost first, without repetitions.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Causes(Vec<String>);

impl Causes {
    /// Errors deeper than this are not told.
    const MAX_DEPTH: usize = 8;
    /// Longer texts are cut: a server has a say in some of them.
    const MAX_CHARS: usize = 300;

    /// No cause known.
    pub fn none() -> Self {
        Causes::default()
    }

    /// One cause in words.
    pub fn text(cause: impl Into<String>) -> Self {
        Causes(vec![cause.into()])
    }

    /// The chain of an error: itself and its sources. Many libraries repeat the source in the text of
    /// the error above; such a text is told once.
    pub fn of(error: &(dyn std::error::Error + 'static)) -> Self {
        let mut texts: Vec<String> = Vec::new();
        for error in std::iter::successors(Some(error), |error| error.source()).take(Self::MAX_DEPTH) {
            let text: String = error.to_string().chars().take(Self::MAX_CHARS).collect();
            match texts.last_mut() {
                Some(above) if *above == text => {}
                Some(above) if above.ends_with(&format!(": {text}")) => {
                    above.truncate(above.len() - text.len() - 2);
                    texts.push(text);
                }
                _ => texts.push(text),
            }
        }
        Causes(texts)
    }

    /// The texts, outermost first.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(String::as_str)
    }
}

/// `: outer <- inner`, or nothing.
impl fmt::Display for Causes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (n, text) in self.0.iter().enumerate() {
            write!(f, "{}{text}", if n == 0 { ": " } else { " <- " })?;
        }
        Ok(())
    }
}

fn of_promised(promised: Option<u64>) -> String {
    promised.map(|promised| format!(" of {promised}")).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, Error)]
    #[error("request failed: {0}")]
    struct Outer(#[source] std::io::Error);

    #[test]
    fn chains_tell_each_cause_once() {
        let error = Outer(std::io::Error::other("peer went away"));
        assert_eq!(Causes::of(&error).to_string(), ": request failed <- peer went away");
    }

    #[test]
    fn the_last_attempt_speaks_for_all() {
        let last = Failure::Truncated { got: 4, promised: Some(10), causes: Causes::none() };
        assert!(last.may_pass());
        let failure =
            Failure::GaveUp { attempts: 5, elapsed: Duration::from_millis(7460), last: Box::new(last) };
        assert_eq!(failure.code(), "truncated");
        assert_eq!(failure.to_string(), "truncated after 4 bytes of 10; gave up after 5 attempts in 7.5 s");
        assert_eq!((failure.attempts(), failure.may_pass()), (5, false));
    }
}

//! How a site answers paths that can't exist. Without knowing that, neither "not there" nor
//! "moved" can be believed.

use wholesite_address::SiteUrl;

use crate::read::{Body, Fetched, Outcome};

/// The answer of a site to a path that nobody can have made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum UnknownPaths {
    /// Not asked.
    NotProbed,
    /// 404 or 410, as it should be.
    Gone(u16),
    /// Every unknown path is sent to this address (Mintlify hosts do so by default).
    Redirect(SiteUrl),
    /// 200 with a page: a soft 404, or an app shell. The digest is the page's, with its own address
    /// taken out.
    Content {
        /// Digest of the body.
        digest: u64,
    },
    /// Some other status, such as 403.
    Status(u16),
    /// No answer.
    Failed(String),
}

impl UnknownPaths {
    pub(crate) fn of(fetched: &Fetched) -> Self {
        match &fetched.outcome {
            Outcome::Failed(failure) => UnknownPaths::Failed(failure.to_string()),
            Outcome::Redirect { to: Ok(to), .. } => UnknownPaths::Redirect(to.clone()),
            Outcome::Redirect { status, .. } => UnknownPaths::Status(*status),
            Outcome::Status(status @ (404 | 410)) => UnknownPaths::Gone(*status),
            Outcome::Status(status) => UnknownPaths::Status(*status),
            Outcome::Body(Body { digest, .. }) => UnknownPaths::Content { digest: *digest },
        }
    }

    /// Whether the site answers everything, so that a 200 or a redirect proves nothing by itself.
    pub fn is_catch_all(&self) -> bool {
        matches!(self, UnknownPaths::Redirect(_) | UnknownPaths::Content { .. })
    }

    /// Whether an answer is what the site says to unknown paths.
    pub(crate) fn looks_like(&self, fetched: &Fetched) -> bool {
        match (self, &fetched.outcome) {
            (UnknownPaths::Redirect(unknown), Outcome::Redirect { to: Ok(to), .. }) => unknown == to,
            (UnknownPaths::Content { digest }, Outcome::Body(body)) => *digest == body.digest,
            (UnknownPaths::Status(unknown), Outcome::Status(status)) => unknown == status,
            (_, Outcome::Status(404 | 410)) => true,
            _ => false,
        }
    }

    /// In words, for the report.
    pub fn describe(&self) -> String {
        match self {
            UnknownPaths::NotProbed => "not asked".to_owned(),
            UnknownPaths::Gone(status) => format!("answered {status}"),
            UnknownPaths::Redirect(to) => format!("redirected to {to}"),
            UnknownPaths::Content { .. } => "answered 200 with a page".to_owned(),
            UnknownPaths::Status(status) => format!("answered {status}"),
            UnknownPaths::Failed(message) => format!("not answered: {message}"),
        }
    }
}

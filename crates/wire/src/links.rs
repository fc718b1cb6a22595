//! The links of one document: `discover links`.

use serde::{Deserialize, Serialize};
use wholesite_discovery::{DocumentLinks, LinkLine};

/// One link.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LinkRecord {
    /// As written.
    pub href: String,
    /// The address in WHATWG form without fragment; as written where there is none.
    pub url: String,
    /// What it counts as.
    pub disposition: String,
    /// Why.
    pub why: String,
    /// Line, from 1.
    pub line: u32,
    /// Column in characters, from 1.
    pub column: u32,
    /// Its label.
    pub title: Option<String>,
}

/// The last line: what the document counts as.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct VerdictLine {
    /// The document.
    pub document: DocumentVerdict,
}

/// What a document counts as.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DocumentVerdict {
    /// As given with `--kind`.
    pub kind: String,
    /// `ok`, `no_pages`, `unusable` or `truncated`.
    pub verdict: String,
    /// Why, where it is not `ok`.
    pub why: String,
    /// Expressions in link position whose value only running the page would tell.
    pub dynamic_links: u32,
}

impl LinkRecord {
    /// The record of a link.
    pub fn of(link: &LinkLine) -> Self {
        LinkRecord {
            href: link.href.clone(),
            url: link.url.as_ref().map_or_else(|| link.href.clone(), ToString::to_string),
            disposition: link.disposition.name().to_owned(),
            why: link.why.to_string(),
            line: link.place.line,
            column: link.place.column,
            title: link.title.clone(),
        }
    }
}

impl VerdictLine {
    /// The record of a document read as `kind`.
    pub fn of(kind: &str, links: &DocumentLinks) -> Self {
        let (verdict, why) = (links.verdict.to_owned(), links.why.clone());
        VerdictLine {
            document: DocumentVerdict {
                kind: kind.to_owned(),
                verdict,
                why,
                dynamic_links: links.dynamic_links,
            },
        }
    }
}

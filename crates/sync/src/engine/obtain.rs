//! Getting one listed page, and telling its own content from everything else that may come.

use std::collections::{BTreeMap, BTreeSet};

use wholesite_address::{Base, Fold, Resolved, Scope, SiteUrl, StorePath, Within};
use wholesite_clean::{Cleaned, NotAPage, Served, Wanted};
use wholesite_discovery::Page;
use wholesite_fetch::{Accept, Answer, Completeness, Failure, Request};
use wholesite_store::{Record, Validators};

use crate::Origin;
use crate::sabotage::{Bug, planted};

/// What came of asking for a listed page.
#[derive(Debug)]
pub(crate) enum Obtained {
    /// The stored version is the site's.
    Unchanged,
    /// The page's own content.
    Own(Box<Own>),
    /// It leads for good to another listed page: an alias of that.
    Alias(StorePath),
    /// It leads elsewhere for now.
    Elsewhere(String),
    /// It could not be had.
    Failed(Trouble),
}

/// A page's own content.
#[derive(Debug)]
pub(crate) struct Own {
    pub(crate) cleaned: Cleaned,
    pub(crate) fetched_from: SiteUrl,
    pub(crate) validators: Validators,
    /// What unknown addresses of this site look like is compared with this.
    pub(crate) fingerprint: Option<u64>,
}

/// Why a page could not be had.
#[derive(Debug, Clone)]
pub(crate) struct Trouble {
    pub(crate) code: String,
    pub(crate) cause: String,
    pub(crate) attempts: u32,
}

impl Trouble {
    pub(crate) fn new(code: impl Into<String>, cause: impl Into<String>) -> Self {
        Trouble { code: code.into(), cause: cause.into(), attempts: 1 }
    }

    fn of(failure: &Failure) -> Self {
        let attempts = match failure {
            Failure::GaveUp { attempts, .. } => *attempts,
            _ => 1,
        };
        Trouble { code: failure.code().to_owned(), cause: in_words(failure), attempts }
    }

    /// The site said that there is no such page.
    pub(crate) fn is_gone(code: &str) -> bool {
        matches!(code, "http_404" | "http_410")
    }
}

/// A failure with the name of its class, as logs show it.
fn in_words(failure: &Failure) -> String {
    let class = match failure.code() {
        "dns" | "connect" | "reset" => "ConnectError",
        "tls" => "TlsError",
        "connect_timeout" | "timeout" => "TimeoutError",
        "truncated" => "TruncatedError",
        "too_large" | "inflate_bomb" | "bad_coding" => "BodyError",
        "blocked_address" | "bad_url" => "AddressError",
        _ => "FetchError",
    };
    format!("{class}: {failure}")
}

/// The pages of the listing by their addresses, in all spellings that are one page.
pub(crate) struct Directory {
    by_identity: BTreeMap<SiteUrl, StorePath>,
    paths: BTreeSet<StorePath>,
    aliases: BTreeMap<SiteUrl, SiteUrl>,
    scope: Scope,
}

/// Every spelling that any site is known to fold. Two addresses that differ more than this are not
/// one page.
const ANY_SPELLING: Fold = Fold { markdown_twin: true, index: true, trailing_slash: true, html: true };

impl Directory {
    pub(crate) fn new(pages: &[Page], aliases: &BTreeMap<SiteUrl, SiteUrl>, scope: Scope) -> Self {
        let by_identity =
            pages.iter().map(|page| (ANY_SPELLING.apply(&page.url), page.path.clone())).collect();
        let paths = pages.iter().map(|page| page.path.clone()).collect();
        Directory { by_identity, paths, aliases: aliases.clone(), scope }
    }

    /// The listed page that an address stands for.
    pub(crate) fn page(&self, url: &SiteUrl) -> Option<&StorePath> {
        let url = self.aliases.get(url).unwrap_or(url);
        self.by_identity.get(&ANY_SPELLING.apply(url))
    }

    /// Whether the listing has a page of that path.
    pub(crate) fn lists(&self, path: &StorePath) -> bool {
        self.paths.contains(path)
    }

    pub(crate) fn is_inside(&self, url: &SiteUrl) -> bool {
        self.scope.locate(url) == Within::Inside
    }

    pub(crate) fn scope(&self) -> &Scope {
        &self.scope
    }
}

pub(crate) fn is_same_page(a: &SiteUrl, b: &SiteUrl) -> bool {
    ANY_SPELLING.apply(a) == ANY_SPELLING.apply(b)
}

/// The address that a redirect leads to.
pub(crate) fn target(answer: &Answer) -> Option<SiteUrl> {
    let location = answer.redirect()?;
    match Base::of(&answer.url).resolve(location) {
        Ok(Resolved::Web { url, .. }) => Some(url),
        _ => None,
    }
}

pub(crate) fn is_permanent(status: u16) -> bool {
    matches!(status, 301 | 308)
}

pub(crate) fn wanted(url: &SiteUrl) -> Wanted {
    let name = url.last_segment();
    if name.ends_with(".md") || name.ends_with(".mdx") { Wanted::Markdown } else { Wanted::Any }
}

pub(crate) fn served(answer: &Answer) -> Served<'_> {
    Served {
        url: &answer.url,
        wanted: wanted(&answer.url),
        content_type: answer.content_type(),
        body: &answer.body,
    }
}

/// How a page is to be asked for.
pub(crate) struct Asking<'a> {
    pub(crate) page: &'a Page,
    /// The stored version, if there is one.
    pub(crate) stored: Option<&'a Record>,
    /// Whether its validators may be used.
    pub(crate) revalidate: bool,
    /// Past all caches.
    pub(crate) fresh: bool,
    /// Whether unknown addresses of this site answer 200, so that fingerprints matter.
    pub(crate) fingerprints: bool,
    pub(crate) max_bytes: u64,
}

const MOST_HOPS: usize = 5;

/// Asks for a page, following redirects that stay with it.
pub(crate) async fn obtain<O: Origin>(
    origin: &O,
    directory: &Directory,
    asking: &Asking<'_>,
    mut count: impl FnMut(&Answer),
) -> Obtained {
    let page = asking.page;
    let mut url = page.fetch_url.clone();
    let mut asked_plainly = page.fetch_url == page.url;
    let mut first = true;
    let mut hops = 0;
    loop {
        let accept = match wanted(&url) {
            Wanted::Markdown => Accept::Markdown,
            Wanted::Any => Accept::Html,
        };
        let mut request = Request::new(url.clone()).accept(accept).max_bytes(asking.max_bytes);
        request.no_cache = asking.fresh;
        let known = asking.stored.filter(|stored| first && asking.revalidate && stored.fetch_url == url);
        if let Some(stored) = known {
            let Validators { etag, last_modified } = stored.validators.clone();
            request = request.revalidate(wholesite_fetch::Validators { etag, last_modified });
        }
        first = false;
        let answer = match origin.fetch(request).await {
            Ok(answer) => answer,
            Err(failure) => return Obtained::Failed(Trouble::of(&failure)),
        };
        count(&answer);
        let trouble = match answer.status {
            304 if known.is_some() => return Obtained::Unchanged,
            200 | 203 => match own(&answer, asking.fingerprints) {
                Ok(own) => return Obtained::Own(Box::new(own)),
                Err(trouble) => trouble,
            },
            301 | 302 | 303 | 307 | 308 => match follow(&answer, page, directory) {
                Hop::Go(to) if hops < MOST_HOPS => {
                    hops += 1;
                    asked_plainly |= to == page.url;
                    url = to;
                    continue;
                }
                Hop::Go(_) => {
                    Trouble::new("redirect_loop", format!("RedirectError: more than {MOST_HOPS} redirects"))
                }
                Hop::End(obtained) => return obtained,
            },
            status => Trouble { attempts: answer.attempts, ..http_trouble(status) },
        };
        // A Markdown view that is not there does not mean that the page is not.
        let try_plainly =
            !asked_plainly && (Trouble::is_gone(&trouble.code) || trouble.code == "html_for_markdown");
        if !try_plainly {
            return Obtained::Failed(trouble);
        }
        asked_plainly = true;
        url = page.url.clone();
    }
}

fn http_trouble(status: u16) -> Trouble {
    Trouble::new(format!("http_{status}"), format!("HTTPStatusError: the site answered {status}"))
}

fn own(answer: &Answer, fingerprints: bool) -> Result<Own, Trouble> {
    let served = served(answer);
    let cleaned = wholesite_clean::clean(&served).map_err(|error: NotAPage| Trouble {
        code: error.code().to_owned(),
        cause: format!("NotAPage: {error}"),
        attempts: answer.attempts,
    })?;
    let validators = answer.validators().map_or_else(Validators::default, |known| Validators {
        etag: known.etag,
        last_modified: known.last_modified,
    });
    // A body that may have been cut unnoticed can't be told unchanged later.
    let validators = if answer.complete == Completeness::Framed { validators } else { Validators::default() };
    let fingerprint = fingerprints.then(|| wholesite_clean::fingerprint(&served));
    Ok(Own { cleaned, fetched_from: answer.url.clone(), validators, fingerprint })
}

enum Hop {
    Go(SiteUrl),
    End(Obtained),
}

fn follow(answer: &Answer, page: &Page, directory: &Directory) -> Hop {
    let fail = |code: &str, cause: String| {
        Hop::End(Obtained::Failed(Trouble::new(code, format!("RedirectError: {cause}"))))
    };
    let status = answer.status;
    let Some(to) = target(answer) else {
        return fail("redirect_invalid", format!("{status} without a target that can be used"));
    };
    if is_same_page(&to, &page.url) {
        return Hop::Go(to);
    }
    match (directory.page(&to), is_permanent(status)) {
        (Some(path), _) if *path == page.path => Hop::Go(to),
        (Some(path), permanent) if permanent || planted(Bug::ElsewhereIsAlias) => {
            Hop::End(Obtained::Alias(path.clone()))
        }
        (Some(path), _) => Hop::End(Obtained::Elsewhere(format!("{status} to {path} for now"))),
        (None, true) if directory.is_inside(&to) => Hop::Go(to),
        (None, true) => fail("redirect_away", format!("{status} to {to}, which is not of this site")),
        (None, false) => fail("redirect_temporary", format!("{status} to {to} for now")),
    }
}

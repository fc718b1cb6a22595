//! Asking a page that left the listing what it says of itself.

use std::collections::BTreeMap;
use std::time::Duration;

use wholesite_address::{SiteUrl, StorePath};
use wholesite_discovery::AskingRules;
use wholesite_fetch::{Accept, Answer, Failure, Request};
use wholesite_store::{Record, Timestamp};

use super::obtain::{Directory, is_permanent, is_same_page, served, target, wanted};
use crate::prune::{Look, Said};
use crate::sabotage::{Bug, planted};
use crate::{Clock, Origin};

/// What one address said.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Word {
    Alive,
    Gone,
    SoftGone,
    /// It leads for good to another address.
    LeadsTo(SiteUrl),
    /// It leads to an address of the same page, which speaks for itself.
    Twin,
    Unknown,
}

/// All that a look needs to know.
pub(crate) struct Looking<'a, O, C> {
    pub(crate) origin: &'a O,
    pub(crate) clock: &'a C,
    pub(crate) directory: &'a Directory,
    /// A path segment that the site can't have.
    pub(crate) probe: String,
    /// What may be asked for.
    pub(crate) rules: &'a AskingRules,
    pub(crate) max_bytes: u64,
    /// When the site last served the page, as far as is known.
    pub(crate) last_alive: Timestamp,
}

/// What a page said, and where it leads, which is judged once it is known how many lead there too.
#[derive(Debug, Clone)]
pub(crate) struct Heard {
    pub(crate) at: Duration,
    pub(crate) evidence: String,
    said: Result<Said, SiteUrl>,
}

/// More pages than this that all lead to one place have not moved: they were sent away.
const CROWD: usize = 3;

/// Judges where pages lead, all of one look together.
pub(crate) fn judge(
    heard: Vec<Heard>,
    directory: &Directory,
    alive: &dyn Fn(&StorePath) -> bool,
) -> Vec<Look> {
    let mut crowds: BTreeMap<SiteUrl, usize> = BTreeMap::new();
    for to in heard.iter().filter_map(|heard| heard.said.as_ref().err()) {
        *crowds.entry(to.clone()).or_default() += 1;
    }
    let judge = |heard: Heard| {
        let said = match heard.said {
            Ok(said) => said,
            Err(to) if crowds.get(&to).is_some_and(|count| *count > CROWD) && !planted(Bug::CrowdsMove) => {
                Said::Unknown
            }
            Err(to) => match directory.page(&to).filter(|path| alive(path)) {
                Some(path) => Said::Moved { to: path.clone() },
                None => Said::Unknown,
            },
        };
        Look { at: heard.at, said, evidence: heard.evidence }
    };
    heard.into_iter().map(judge).collect()
}

impl<O: Origin, C: Clock> Looking<'_, O, C> {
    /// Asks all addresses of a page.
    pub(crate) async fn look(&self, record: &Record) -> Heard {
        let mut words = Vec::new();
        for url in self.addresses(record) {
            let (word, evidence) = self.ask(&url, record).await;
            let is_alive = word == Word::Alive;
            words.push((url, word, evidence));
            if is_alive {
                break;
            }
        }
        let evidence: Vec<String> = words.iter().map(|(url, _, said)| format!("{url}: {said}")).collect();
        let said = combine(&words, |url| self.directory.page(url).is_some_and(|path| *path != record.path));
        Heard { at: self.clock.elapsed(), evidence: evidence.join("; "), said }
    }

    /// The canonical address, the one it was fetched from, its Markdown twin, and its aliases, as far
    /// as they are not pages of their own by now.
    fn addresses(&self, record: &Record) -> Vec<SiteUrl> {
        let mut addresses = vec![record.url.clone(), record.fetch_url.clone()];
        let is_own = |url: &&SiteUrl| self.directory.page(url).is_none();
        addresses.extend(record.aliases.iter().filter(is_own).cloned());
        let mut seen: Vec<SiteUrl> = Vec::new();
        addresses.retain(|url| {
            let is_new = !seen.contains(url);
            seen.push(url.clone());
            is_new
        });
        addresses
    }

    async fn ask(&self, url: &SiteUrl, record: &Record) -> (Word, String) {
        if !self.rules.allow(url) {
            return (Word::Unknown, "robots.txt forbids asking".to_owned());
        }
        let answer = match self.get(url).await {
            Ok(answer) => answer,
            Err(failure) => return (Word::Unknown, failure.to_string()),
        };
        match answer.status {
            404 | 410 if self.is_from_before(&answer) && !planted(Bug::OldCacheIsNews) => {
                (Word::Unknown, format!("{} out of a cache from before it was last seen", answer.status))
            }
            404 | 410 => (Word::Gone, answer.status.to_string()),
            200 | 203 => self.hear_content(&answer, url).await,
            301 | 302 | 303 | 307 | 308 => self.hear_redirect(&answer, url, record).await,
            status => (Word::Unknown, status.to_string()),
        }
    }

    async fn hear_content(&self, answer: &Answer, url: &SiteUrl) -> (Word, String) {
        let body = served(answer);
        let sibling = self.get(&self.sibling(url)).await;
        let like_unknown = sibling.as_ref().is_ok_and(|sibling| {
            sibling.status == answer.status
                && wholesite_clean::fingerprint(&served(sibling)) == wholesite_clean::fingerprint(&body)
        });
        match wholesite_clean::clean(&body) {
            _ if like_unknown => {
                (Word::SoftGone, format!("{}, the page that unknown addresses get", answer.status))
            }
            Ok(_) => (Word::Alive, format!("{}, its own content", answer.status)),
            Err(error) => (Word::Unknown, format!("{}, but {error}", answer.status)),
        }
    }

    async fn hear_redirect(&self, answer: &Answer, url: &SiteUrl, record: &Record) -> (Word, String) {
        let status = answer.status;
        let Some(to) = target(answer) else {
            return (Word::Unknown, format!("{status} without a target that can be used"));
        };
        if is_same_page(&to, &record.url) || to == record.fetch_url {
            return (Word::Twin, format!("{status} to {to}, the same page"));
        }
        let sibling = self.get(&self.sibling(url)).await;
        let like_unknown = sibling
            .as_ref()
            .is_ok_and(|sibling| sibling.status == status && target(sibling).as_ref() == Some(&to));
        if like_unknown {
            return (Word::Gone, format!("{status} to {to}, as every unknown address"));
        }
        // Whoever sends pages home does not say where they are.
        let is_home = self.directory.scope().relative(&to).is_some_and(|path| path == "/");
        if (is_permanent(status) || planted(Bug::TemporaryIsMove)) && !is_home {
            (Word::LeadsTo(to.clone()), format!("{status} to {to}"))
        } else {
            (Word::Unknown, format!("{status} to {to}"))
        }
    }

    /// An address beside `url` that the site can't have, of the same form.
    fn sibling(&self, url: &SiteUrl) -> SiteUrl {
        let path = url.path();
        let folder = &path[..path.trim_end_matches('/').rfind('/').unwrap_or(0)];
        let extension = match url.last_segment().rsplit_once('.') {
            Some((_, extension @ ("md" | "mdx" | "html" | "htm"))) => format!(".{extension}"),
            _ if path.len() > 1 && path.ends_with('/') => "/".to_owned(),
            _ => String::new(),
        };
        url.with_path(&format!("{folder}/{}{extension}", self.probe))
    }

    async fn get(&self, url: &SiteUrl) -> Result<Answer, Failure> {
        let accept = match wanted(url) {
            wholesite_clean::Wanted::Markdown => Accept::Markdown,
            wholesite_clean::Wanted::Any => Accept::Html,
        };
        self.origin.fetch(Request::new(url.clone()).accept(accept).max_bytes(self.max_bytes).no_cache()).await
    }

    /// `Age` (RFC 9111 §5.1) reaches back to when the page was still there.
    fn is_from_before(&self, answer: &Answer) -> bool {
        let age = answer.headers.get("age").and_then(|age| age.trim().parse::<u64>().ok()).unwrap_or(0);
        age > 0 && Duration::from_secs(age) >= self.clock.now().since(self.last_alive)
    }
}

/// What all addresses say together. `is_other` tells whether an address is another listed page.
fn combine(words: &[(SiteUrl, Word, String)], is_other: impl Fn(&SiteUrl) -> bool) -> Result<Said, SiteUrl> {
    let has = |word: &Word| words.iter().any(|(_, said, _)| said == word);
    if has(&Word::Alive) {
        return Ok(Said::Alive);
    }
    if has(&Word::Unknown) && !planted(Bug::UnknownIsGone) {
        return Ok(Said::Unknown);
    }
    let leads: Vec<&SiteUrl> = words
        .iter()
        .filter_map(|(_, word, _)| if let Word::LeadsTo(to) = word { Some(to) } else { None })
        .collect();
    match leads.as_slice() {
        [] if has(&Word::SoftGone) => Ok(Said::SoftGone),
        [] if has(&Word::Gone) || planted(Bug::UnknownIsGone) => Ok(Said::Gone),
        // Addresses that only lead to one another.
        [] => Ok(Said::Unknown),
        [to, others @ ..] if others.iter().all(|other| is_same_page(other, to)) && is_other(to) => {
            Err((*to).clone())
        }
        _ => Ok(Said::Unknown),
    }
}

//! Fetching the listed pages and publishing what is new.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use futures_util::stream::{FuturesUnordered, StreamExt};
use wholesite_address::{SiteUrl, StorePath};
use wholesite_clean::{Cleaned, Form, Wanted};
use wholesite_discovery::Page;
use wholesite_fetch::{Answer, Request};
use wholesite_store::{Change, Digest, Failing, Lease, Record, Representation, Store, StoreError, Timestamp};

use super::obtain::{Asking, Directory, Obtained, Own, Trouble, obtain, served, wanted};
use super::plan::Known;
use crate::sabotage::{Bug, planted};
use crate::tally::Ended;
use crate::{Clock, Hooks, Job, Origin, Tally};

/// What every page task shares.
pub(crate) struct Publishing<'a, 'o, O, S, C> {
    pub(crate) origin: &'a O,
    pub(crate) store: &'a S,
    pub(crate) clock: &'a C,
    pub(crate) job: &'a Job,
    pub(crate) tally: &'a Tally<'o>,
    pub(crate) hooks: &'a Hooks<'a>,
    pub(crate) lease: &'a Lease,
    pub(crate) directory: &'a Directory,
    pub(crate) made_by: String,
}

/// What the fetching taught.
#[derive(Debug, Default)]
pub(crate) struct Outcome {
    /// Listed pages that the site served with their own content.
    pub(crate) alive: BTreeSet<StorePath>,
    /// Pages that are new in this run, by what they say.
    pub(crate) added: BTreeMap<Digest, Vec<StorePath>>,
    /// Listed pages that lead for good to another listed one.
    pub(crate) aliases: BTreeMap<StorePath, StorePath>,
    /// Listed pages that the site itself says are gone, and have been for longer than the policy
    /// lets a listing count.
    pub(crate) listed_but_gone: BTreeSet<StorePath>,
    pub(crate) failed: usize,
    /// Every text of this run that would replace another one: how often it came.
    bodies: BTreeMap<Digest, usize>,
}

/// What a page task ends in.
#[allow(clippy::large_enum_variant)] // one a page, and short-lived
enum Step {
    Done(Learned),
    /// A new text that has too little in common with the old one to be believed at first sight.
    Doubtful {
        digest: Digest,
    },
}

#[derive(Default)]
struct Learned {
    alive: bool,
    unchanged: bool,
    record: Option<Record>,
    added: bool,
    alias_of: Option<StorePath>,
    failing: Option<Failing>,
    digest: Option<Digest>,
    restored: bool,
}

/// A page that nothing is left of, and that so many pages (itself included) came with at once, is not
/// the content of any.
const CROWD: usize = 2;
/// Fingerprints of soft 404s that are remembered of a site.
const SOFT_404S: usize = 16;
/// After so many runs that all found it so, it is.
const BELIEVED_AFTER: u32 = 3;

impl<O: Origin, S: Store, C: Clock> Publishing<'_, '_, O, S, C> {
    /// Fetches all listed pages. Pages fail one by one; what ends the run is a store that does.
    pub(crate) async fn run(&self, pages: &[Page], known: &mut Known) -> Result<Outcome, StoreError> {
        let mut outcome = Outcome::default();
        let soft = self.soft_fingerprints(&known.state.soft_404).await;
        known.state.soft_404.clone_from(&soft);
        let mut doubtful: Vec<(&Page, Digest)> = Vec::new();
        {
            let snapshot = &*known;
            let mut waiting = self.one_a_path(pages).into_iter();
            let mut running = FuturesUnordered::new();
            let mut learned = Vec::new();
            loop {
                while running.len() < self.job.concurrency.max(1)
                    && let Some(page) = waiting.next()
                {
                    running.push(self.numbered(page, snapshot, &soft));
                }
                let Some((page, step)) = running.next().await else { break };
                match step? {
                    Step::Done(facts) => learned.push((page, facts)),
                    Step::Doubtful { digest } => {
                        *outcome.bodies.entry(digest).or_default() += 1;
                        doubtful.push((page, digest));
                    }
                }
            }
            drop(running);
            for (page, facts) in learned {
                self.learn(page, facts, known, &mut outcome);
            }
        }
        doubtful.sort_by(|a, b| a.0.path.cmp(&b.0.path));
        for (page, digest) in doubtful {
            let crowd = outcome.bodies.get(&digest).copied().unwrap_or(0);
            let step = self.page(page, known, &soft, Some(crowd)).await?;
            if let Step::Done(facts) = step {
                self.learn(page, facts, known, &mut outcome);
            }
        }
        Ok(outcome)
    }

    /// One page for each path. Two that share one would overwrite each other; that is a blocker of the
    /// discovery (`path_collision`), and only the one with a Markdown address is kept.
    fn one_a_path<'p>(&self, pages: &'p [Page]) -> Vec<&'p Page> {
        let mut by_path: BTreeMap<&StorePath, &Page> = BTreeMap::new();
        for page in pages {
            let kept = by_path.entry(&page.path).or_insert(page);
            if *kept == page {
                continue;
            }
            self.tally.ended(page.path.as_str(), Ended::Skipped);
            if wanted(&page.fetch_url) == Wanted::Markdown && wanted(&kept.fetch_url) != Wanted::Markdown {
                *kept = page;
            }
        }
        by_path.into_values().collect()
    }

    /// A page task that still knows its page when it is done.
    async fn numbered<'p>(
        &self,
        page: &'p Page,
        known: &Known,
        soft: &[u64],
    ) -> (&'p Page, Result<Step, StoreError>) {
        (page, self.page(page, known, soft, None).await)
    }

    fn learn(&self, page: &Page, facts: Learned, known: &mut Known, outcome: &mut Outcome) {
        let path = &page.path;
        if facts.alive && !(facts.unchanged && planted(Bug::NotModifiedIsUnseen)) {
            outcome.alive.insert(path.clone());
            known.failing.remove(path);
            known.absent.remove(path);
        }
        if facts.restored {
            known.trash.remove(path);
        }
        if let Some(record) = facts.record {
            if facts.added {
                outcome.added.entry(record.digest).or_default().push(path.clone());
            }
            known.records.insert(path.clone(), record);
        }
        if let Some(digest) = facts.digest {
            *outcome.bodies.entry(digest).or_default() += 1;
        }
        if let Some(target) = facts.alias_of {
            outcome.aliases.insert(path.clone(), target);
        }
        if let Some(failing) = facts.failing {
            outcome.failed += 1;
            let old = self.clock.now().since(failing.since) >= self.job.policy.listed_but_gone;
            if old && Trouble::is_gone(&failing.code) && known.records.contains_key(path) {
                outcome.listed_but_gone.insert(path.clone());
            }
            known.failing.insert(path.clone(), failing);
        }
    }

    /// One page, from the request to the publication. `second` is given when a doubtful text is
    /// asked for again: how many pages came with the same one.
    async fn page(
        &self,
        page: &Page,
        known: &Known,
        soft: &[u64],
        second: Option<usize>,
    ) -> Result<Step, StoreError> {
        let path = &page.path;
        self.tally.at(path.as_str());
        let stored = known.records.get(path);
        let asking = Asking {
            page,
            stored,
            revalidate: !self.job.full && stored.is_some_and(|record| record.made_by == self.made_by),
            fresh: second.is_some(),
            fingerprints: !soft.is_empty(),
            max_bytes: self.job.max_page_bytes,
        };
        let count = |answer: &Answer| {
            self.tally.write(|report| {
                report.cost.requests += u64::from(answer.attempts);
                report.cost.received_bytes += answer.received_bytes;
                report.cost.not_modified += u64::from(answer.status == 304);
            });
        };
        let obtained = obtain(self.origin, self.directory, &asking, count).await;
        let own = match obtained {
            Obtained::Unchanged => return self.unchanged(page, known, None).await,
            Obtained::Own(own) => own,
            Obtained::Alias(target) => {
                self.tally.ended(path.as_str(), Ended::Skipped);
                let learned = Learned { alias_of: Some(target), ..Learned::default() };
                self.forget_failing(path, known).await?;
                return Ok(Step::Done(learned));
            }
            Obtained::Elsewhere(why) => {
                tracing::info!("{path} is skipped: {why}");
                self.tally.ended(path.as_str(), Ended::Skipped);
                return Ok(Step::Done(Learned::default()));
            }
            Obtained::Failed(trouble) => return self.failed(page, known, trouble).await,
        };
        if own.fingerprint.is_some_and(|fingerprint| soft.contains(&fingerprint))
            && !planted(Bug::PublishSoft404)
        {
            let cause = "NotAPage: it is the page that unknown addresses get";
            return self.failed(page, known, Trouble::new("soft_404", cause)).await;
        }
        let Own { mut cleaned, fetched_from, validators, .. } = *own;
        if let Some(transform) = &self.hooks.transform {
            cleaned.text = transform(page, cleaned.text);
        }
        let digest = Digest::of(&cleaned.text);
        let previous = stored.or_else(|| known.trash.get(path).map(|entry| &entry.page.record));
        let record = self.record(page, &cleaned, digest, fetched_from, validators, previous);
        let Some(old) = stored else { return self.add(page, known, record, cleaned.text).await };
        if old.digest == digest {
            return self.unchanged(page, known, Some(record)).await;
        }
        if let Some(trouble) = self.doubt(page, known, old, &cleaned, second).await? {
            return match trouble {
                Doubt::LookAgain => Ok(Step::Doubtful { digest }),
                Doubt::Refuse(trouble) => self.failed(page, known, trouble).await,
            };
        }
        let publish = Change::Publish {
            page: Box::new(wholesite_store::Page { record: record.clone(), text: cleaned.text }),
            run: self.job.run.clone(),
        };
        let learned =
            Learned { alive: true, record: Some(record), digest: Some(digest), ..Learned::default() };
        self.write(page, known, vec![publish], Ended::Changed, learned).await
    }

    fn record(
        &self,
        page: &Page,
        cleaned: &Cleaned,
        digest: Digest,
        fetched_from: SiteUrl,
        validators: wholesite_store::Validators,
        previous: Option<&Record>,
    ) -> Record {
        let now = self.clock.now();
        // Validators belong to the address that was asked first next time.
        let validators = if fetched_from == page.fetch_url { validators } else { Default::default() };
        let same_text = previous.is_some_and(|record| record.digest == digest);
        Record {
            path: page.path.clone(),
            url: page.url.clone(),
            fetch_url: page.fetch_url.clone(),
            title: cleaned.title.clone().or_else(|| page.title.as_deref().map(str::to_owned)),
            aliases: self.aliases(page, previous),
            representation: match cleaned.form {
                Form::Markdown => Representation::Markdown,
                Form::Html => Representation::Html,
                Form::Text => Representation::Text,
            },
            digest,
            bytes: cleaned.text.len() as u64,
            revision: previous.filter(|_| same_text).map_or(0, |record| record.revision),
            validators,
            made_by: self.made_by.clone(),
            first_seen: previous.map_or(now, |record| record.first_seen),
            changed: previous.filter(|_| same_text).map_or(now, |record| record.changed),
            alive: now,
        }
    }

    /// What leads to a page: what the listing knows, and what was known before, as far as it is no
    /// page of its own by now.
    fn aliases(&self, page: &Page, previous: Option<&Record>) -> Vec<SiteUrl> {
        let before = previous.map(|record| record.aliases.as_slice()).unwrap_or_default();
        let is_ours = |url: &&SiteUrl| self.directory.page(url).is_none_or(|path| *path == page.path);
        let mut aliases: Vec<SiteUrl> = page
            .aliases
            .iter()
            .chain(before)
            .filter(is_ours)
            .filter(|url| **url != page.url)
            .cloned()
            .collect();
        aliases.sort();
        aliases.dedup();
        aliases
    }

    /// The stored text is the site's. What is known besides is written only where it differs, so
    /// that a run which finds nothing new writes nothing.
    async fn unchanged(&self, page: &Page, known: &Known, seen: Option<Record>) -> Result<Step, StoreError> {
        let path = &page.path;
        let Some(stored) = known.records.get(path) else { return Ok(Step::Done(Learned::default())) };
        let aliases = self.aliases(page, Some(stored));
        let is_same = |seen: &Record| {
            Record { revision: stored.revision, alive: stored.alive, ..seen.clone() } == *stored
        };
        let nothing_new =
            aliases == stored.aliases && page.url == stored.url && seen.as_ref().is_none_or(is_same);
        let mut learned = Learned { alive: true, unchanged: true, ..Learned::default() };
        let mut batch = Vec::new();
        if !nothing_new {
            let mut record = seen.unwrap_or_else(|| stored.clone());
            record.aliases = aliases;
            record.url = page.url.clone();
            record.alive = self.clock.now();
            record.revision = stored.revision;
            batch.push(Change::Describe(Box::new(record.clone())));
            learned.record = Some(record);
        }
        self.write(page, known, batch, Ended::Unchanged, learned).await
    }

    /// A page that is not live: new, or back from the trash.
    async fn add(
        &self,
        page: &Page,
        known: &Known,
        record: Record,
        text: String,
    ) -> Result<Step, StoreError> {
        let digest = record.digest;
        let mut learned = Learned {
            alive: true,
            added: true,
            record: Some(record.clone()),
            digest: Some(digest),
            ..Learned::default()
        };
        let mut batch = Vec::new();
        let trashed = known.trash.get(&page.path);
        if let Some(entry) = trashed.filter(|_| !planted(Bug::ForgetTrash)) {
            batch.push(Change::Restore { id: entry.id });
            learned.restored = true;
        }
        if trashed.is_some_and(|entry| entry.page.record.digest == digest) {
            batch.push(Change::Describe(Box::new(record)));
        } else {
            let page = wholesite_store::Page { record, text };
            batch.push(Change::Publish { page: Box::new(page), run: self.job.run.clone() });
        }
        self.write(page, known, batch, Ended::Added, learned).await
    }

    async fn write(
        &self,
        page: &Page,
        known: &Known,
        mut batch: Vec<Change>,
        ended: Ended,
        learned: Learned,
    ) -> Result<Step, StoreError> {
        let path = &page.path;
        if known.failing.contains_key(path) {
            batch.push(Change::ClearFailing(path.clone()));
        }
        if known.absent.contains_key(path) {
            batch.push(Change::ClearAbsence(path.clone()));
        }
        if !batch.is_empty() {
            self.tally.writing();
            let written = self.store.apply(self.lease, batch).await;
            self.tally.written();
            match written {
                Ok(()) => {}
                Err(StoreError::Uncertain(cause)) => {
                    self.tally.uncertain(path.as_str(), &cause);
                    return Ok(Step::Done(Learned { alive: true, ..Learned::default() }));
                }
                Err(error) => return Err(error),
            }
        }
        self.tally.ended(path.as_str(), ended);
        Ok(Step::Done(learned))
    }

    async fn forget_failing(&self, path: &StorePath, known: &Known) -> Result<(), StoreError> {
        if known.failing.contains_key(path) {
            self.store.apply(self.lease, vec![Change::ClearFailing(path.clone())]).await?;
        }
        Ok(())
    }

    async fn failed(&self, page: &Page, known: &Known, trouble: Trouble) -> Result<Step, StoreError> {
        if planted(Bug::FailureIsSuccess) {
            self.tally.ended(page.path.as_str(), Ended::Changed);
            return Ok(Step::Done(Learned::default()));
        }
        let now = self.clock.now();
        let before = known.failing.get(&page.path);
        // How long a page has been gone is counted only while that is what it says.
        let same =
            before.filter(|failing| Trouble::is_gone(&failing.code) == Trouble::is_gone(&trouble.code));
        let alike = before.filter(|failing| failing.code == trouble.code);
        let failing = Failing {
            path: page.path.clone(),
            url: page.url.clone(),
            code: trouble.code,
            cause: trouble.cause,
            attempts: trouble.attempts,
            runs: before.map_or(1, |failing| failing.runs.saturating_add(1)),
            same: alike.map_or(1, |failing| failing.same.saturating_add(1)),
            since: same.map_or(now, |failing| failing.since),
            last: now,
        };
        self.store.apply(self.lease, vec![Change::SetFailing(failing.clone())]).await?;
        self.tally.failed(&failing, known.records.contains_key(&page.path));
        Ok(Step::Done(Learned { failing: Some(failing), ..Learned::default() }))
    }

    /// Whether a text may replace another one.
    async fn doubt(
        &self,
        page: &Page,
        known: &Known,
        old: &Record,
        new: &Cleaned,
        second: Option<usize>,
    ) -> Result<Option<Doubt>, StoreError> {
        let failing = known.failing.get(&page.path);
        let runs = |code| failing.filter(|failing| failing.code == code).map_or(0, |failing| failing.same);
        if old.representation == Representation::Markdown
            && new.form == Form::Html
            && runs("html_for_markdown") + 1 < BELIEVED_AFTER
            && !planted(Bug::PublishHtml)
        {
            let cause = "NotAPage: HTML came where Markdown is stored; the stored version stays";
            return Ok(Some(Doubt::Refuse(Trouble::new("html_for_markdown", cause))));
        }
        let old_text =
            self.store.page(&self.job.site, &page.path).await?.map(|page| page.text).unwrap_or_default();
        if has_much_in_common(&old_text, &new.text) || planted(Bug::PublishAnything) {
            return Ok(None);
        }
        match second {
            None => Ok(Some(Doubt::LookAgain)),
            Some(crowd) if crowd >= CROWD && runs("same_as_others") + 1 < BELIEVED_AFTER => {
                let cause =
                    format!("NotAPage: {crowd} pages came with this text at once; the stored version stays");
                Ok(Some(Doubt::Refuse(Trouble::new("same_as_others", cause))))
            }
            Some(_) => Ok(None),
        }
    }

    /// What this site shows for addresses that it can't have, where it answers them with 200: as a
    /// Markdown view, and as a page. What it showed before counts on until it answers them as it should:
    /// one odd answer must not wipe out what is known.
    async fn soft_fingerprints(&self, before: &[u64]) -> Vec<u64> {
        let mut found = Vec::new();
        for extension in [".md", ""] {
            let path = format!("/{}{extension}", self.job.probe(1));
            let request = Request::new(self.directory.scope().at(&path)).max_bytes(self.job.max_page_bytes);
            match self.origin.fetch(request).await {
                Ok(answer) if matches!(answer.status, 404 | 410) => {}
                Ok(answer) if answer.is_success() => {
                    found.push(wholesite_clean::fingerprint(&served(&answer)));
                    found.extend_from_slice(before);
                }
                _ => found.extend_from_slice(before),
            }
        }
        let mut seen = HashSet::new();
        found.retain(|fingerprint| seen.insert(*fingerprint));
        found.truncate(SOFT_404S);
        found
    }
}

enum Doubt {
    LookAgain,
    Refuse(Trouble),
}

/// A text that lost nearly all of its lines, or nearly all of its length, may be no version of the
/// page at all.
fn has_much_in_common(old: &str, new: &str) -> bool {
    if new.len() * 10 < old.len() {
        return false;
    }
    let lines = |text| str::lines(text).map(str::trim).filter(|line| !line.is_empty());
    let fresh: HashSet<&str> = lines(new).collect();
    let (mut kept, mut all) = (0, 0);
    for line in lines(old) {
        all += 1;
        kept += usize::from(fresh.contains(line));
    }
    kept * 10 >= all
}

impl<O, S, C> Publishing<'_, '_, O, S, C> {
    /// When the site last served a page.
    pub(crate) fn last_alive(known: &Known, record: &Record) -> Timestamp {
        let untroubled =
            !known.failing.contains_key(&record.path) && !known.absent.contains_key(&record.path);
        match known.state.last_ended {
            Some(ended) if untroubled => record.alive.max(ended),
            _ => record.alive,
        }
    }
}

//! Looking for words, page by page.

use wholesite_store::{Hit, Page, Query, Record};

/// A search, and what it found.
#[derive(Debug)]
pub(crate) struct Search {
    terms: Vec<String>,
    prefix: Option<String>,
    limit: usize,
    hits: Vec<Hit>,
}

impl Search {
    pub(crate) fn new(query: &Query) -> Self {
        Search { terms: query.terms(), prefix: query.prefix.clone(), limit: query.limit, hits: Vec::new() }
    }

    /// Whether a page is to be looked at.
    pub(crate) fn wants(&self, record: &Record) -> bool {
        let prefix = self.prefix.as_deref().unwrap_or_default();
        !self.terms.is_empty() && record.path.as_str().starts_with(prefix)
    }

    /// Adds a page if all terms occur. The score is how often, titles counting ten times.
    pub(crate) fn look_at(&mut self, page: Page) {
        let in_text = self.count(&page.text);
        let in_title = self.count(page.record.title.as_deref().unwrap_or_default());
        let found: Vec<usize> = in_text.iter().zip(in_title).map(|(text, title)| text + 10 * title).collect();
        if found.contains(&0) {
            return;
        }
        let score = found.iter().sum::<usize>() as f64;
        let first = &self.terms[0];
        let line = page.text.lines().find(|line| words(line).any(|word| is_word(word, first)));
        let snippet = line.unwrap_or_default().trim().chars().take(160).collect();
        let Record { path, url, title, revision, .. } = page.record;
        self.hits.push(Hit { path, url, title, revision, score, snippet });
    }

    /// What was found, best first.
    pub(crate) fn hits(mut self) -> Vec<Hit> {
        self.hits.sort_by(|a, b| b.score.total_cmp(&a.score).then_with(|| a.path.cmp(&b.path)));
        self.hits.truncate(self.limit);
        self.hits
    }

    /// How often each term occurs.
    fn count(&self, text: &str) -> Vec<usize> {
        let mut counts = vec![0; self.terms.len()];
        for word in words(text) {
            for (count, term) in counts.iter_mut().zip(&self.terms) {
                *count += usize::from(is_word(word, term));
            }
        }
        counts
    }
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty())
}

/// Whether a word is a term, which is in lower case.
fn is_word(word: &str, term: &str) -> bool {
    if word.is_ascii() { word.eq_ignore_ascii_case(term) } else { word.to_lowercase() == term }
}

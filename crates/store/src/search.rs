//! Finding pages by words.

use wholesite_address::{SiteUrl, StorePath};

/// What to look for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Query {
    /// Words, all of which must occur (in title or text, whatever their case). No operators: every
    /// character that is no letter or digit separates words.
    pub words: String,
    /// Only paths that begin so; `None` means all.
    pub prefix: Option<String>,
    /// The most hits.
    pub limit: usize,
}

/// A page that was found.
#[derive(Debug, Clone, PartialEq)]
pub struct Hit {
    /// The page.
    pub path: StorePath,
    /// Its address.
    pub url: SiteUrl,
    /// Its title.
    pub title: Option<String>,
    /// The revision that was searched.
    pub revision: u64,
    /// How well it fits: hits come sorted, best first; only the order means something.
    pub score: f64,
    /// A piece of its text around what was found.
    pub snippet: String,
}

impl Query {
    /// The words in lower case, each once.
    pub fn terms(&self) -> Vec<String> {
        let mut terms: Vec<String> = Vec::new();
        for word in self.words.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()) {
            let word = word.to_lowercase();
            if !terms.contains(&word) {
                terms.push(word);
            }
        }
        terms
    }
}

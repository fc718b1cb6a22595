//! The search entries of live pages.
//!
//! FTS5 gathers entries in memory and writes them out together, but also at every savepoint. Each
//! batch has a savepoint, so entries wait here until all batches of a transaction went through, and
//! are written in one go, still in that transaction. Otherwise each page would make a segment of the
//! index of its own, and most of the time would go into merging those.

use std::borrow::Cow;
use std::collections::BTreeMap;

use rusqlite::{Connection, params};

/// What is to be done to the entries of pages, by the row of the page; the last word counts.
#[derive(Debug, Default)]
pub(crate) struct Entries(BTreeMap<i64, Entry>);

#[derive(Debug)]
enum Entry {
    Put { title: Option<String>, text: String },
    Remove,
}

impl Entries {
    pub(crate) fn put(&mut self, page: i64, title: Option<String>, text: String) {
        self.0.insert(page, Entry::Put { title, text });
    }

    pub(crate) fn remove(&mut self, page: i64) {
        self.0.insert(page, Entry::Remove);
    }

    /// Adds what a later batch asks for.
    pub(crate) fn then(&mut self, later: Entries) {
        self.0.extend(later.0);
    }

    pub(crate) fn write(&self, connection: &Connection) -> rusqlite::Result<()> {
        for (page, entry) in &self.0 {
            match entry {
                Entry::Put { title, text } => {
                    let sql = "INSERT OR REPLACE INTO search (rowid, title, text) VALUES (?1, ?2, ?3)";
                    let title = words(title.as_deref().unwrap_or_default());
                    connection.prepare_cached(sql)?.execute(params![page, title, words(text)])?;
                }
                Entry::Remove => {
                    connection.prepare_cached("DELETE FROM search WHERE rowid = ?1")?.execute([page])?;
                }
            }
        }
        Ok(())
    }
}

/// A text such that FTS5 finds the words in it that [`Query::terms`](wholesite_store::Query::terms)
/// finds: what is neither letter nor digit to Rust becomes a blank, what is gets its lower case from
/// Rust. The tokenizer for ASCII takes everything else for a part of a word, as all that is left is;
/// and it ends a text at a NUL.
fn words(text: &str) -> Cow<'_, str> {
    if text.is_ascii() && !text.contains('\0') {
        return Cow::Borrowed(text);
    }
    let mut words = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\0' => words.push(' '),
            c if c.is_ascii() => words.push(c),
            c if c.is_alphanumeric() => words.extend(c.to_lowercase()),
            _ => words.push(' '),
        }
    }
    Cow::Owned(words)
}

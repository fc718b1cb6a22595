//! Searching with FTS5.

use rusqlite::{Connection, params};
use wholesite_store::{Hit, Query, Record, SiteKey};

use crate::read::{Fault, site_id};

/// Characters of a snippet.
const SNIPPET: usize = 160;

pub(crate) fn search(connection: &Connection, site: &SiteKey, query: &Query) -> Result<Vec<Hit>, Fault> {
    let terms = query.terms();
    let Some(id) = site_id(connection, site)?.filter(|_| !terms.is_empty()) else { return Ok(Vec::new()) };
    // Each word is quoted, so that nothing of it is taken for the language of FTS5. A term holds
    // letters and digits only.
    let quoted: Vec<String> = terms.iter().map(|term| format!("\"{term}\"")).collect();
    let prefix = query.prefix.as_deref().unwrap_or("");
    // Only rows go through the sorting; records and texts are read for those that are left.
    let sql = "SELECT page.id, bm25(search, 10.0, 1.0) AS score
               FROM search JOIN page ON page.id = search.rowid
               WHERE search MATCH ?1 AND page.site = ?2 AND substr(page.path, 1, ?3) = ?4
               ORDER BY score, page.path LIMIT ?5";
    let mut statement = connection.prepare_cached(sql)?;
    let limit = i64::try_from(query.limit).unwrap_or(i64::MAX);
    let mut rows =
        statement.query(params![quoted.join(" AND "), id, prefix.chars().count() as i64, prefix, limit])?;
    let sql = "SELECT page.record, revision.text FROM page JOIN revision ON revision.id = page.revision
               WHERE page.id = ?1";
    let mut page = connection.prepare_cached(sql)?;
    let mut hits = Vec::new();
    while let Some(row) = rows.next()? {
        let (id, score): (i64, f64) = (row.get(0)?, row.get(1)?);
        let (record, text): (String, String) = page.query_row([id], |row| Ok((row.get(0)?, row.get(1)?)))?;
        let Record { path, url, title, revision, .. } = serde_json::from_str(&record)?;
        hits.push(Hit { path, url, title, revision, score: -score, snippet: snippet(&text, &terms) });
    }
    Ok(hits)
}

/// The line that holds most of the words, cut to size around the first of them.
fn snippet(text: &str, terms: &[String]) -> String {
    let score = |line: &str| {
        let line = line.to_lowercase();
        terms.iter().filter(|term| line.contains(term.as_str())).count()
    };
    let best = text
        .lines()
        .map(|line| (score(line), line))
        .fold((0, ""), |best, line| if line.0 > best.0 { line } else { best });
    let line = best.1.trim();
    let lower = line.to_lowercase();
    let at = terms.iter().filter_map(|term| lower.find(term.as_str())).min().unwrap_or(0);
    let before = lower.get(..at).map_or(0, |text| text.chars().count());
    let skip = if before > SNIPPET / 2 { before - SNIPPET / 4 } else { 0 };
    line.chars().skip(skip).take(SNIPPET).collect()
}

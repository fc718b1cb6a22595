//! Reading what was synced: lists, trees, pages, greps, searches.

use std::io::{self, BufWriter, Write};

use regex::RegexBuilder;
use serde_json::json;
use wholesite::store::{Page, Query, Record, Store};

use super::args::{Grep, List, Read, Search};
use super::shelf::{Shelf, block_on};
use crate::Exit;
use crate::error::Failure;
use crate::print::escape::terminal_safe;
use crate::print::style::{BOLD, DIM, PLACE};

fn line(out: &mut impl Write, value: &serde_json::Value) -> Result<(), Failure> {
    serde_json::to_writer(&mut *out, value).map_err(io::Error::other)?;
    Ok(writeln!(out)?)
}

pub(crate) fn summary(record: &Record) -> serde_json::Value {
    json!({
        "path": record.path.as_str(),
        "url": record.url.as_str(),
        "title": record.title,
        "revision": record.revision,
        "bytes": record.bytes,
        "changed": record.changed.to_string(),
        "first_seen": record.first_seen.to_string(),
        "representation": record.representation.name(),
        "aliases": record.aliases.iter().map(|url| url.as_str()).collect::<Vec<_>>(),
    })
}

pub(crate) fn list(args: &List) -> Result<Exit, Failure> {
    let records = block_on(async { Shelf::open(&args.place, false).await?.records(&args.prefix).await })??;
    let mut out = BufWriter::new(anstream::stdout().lock());
    for record in &records {
        if args.place.json {
            line(&mut out, &summary(record))?;
        } else {
            let title = record.title.as_deref().unwrap_or_default();
            writeln!(out, "{}  {DIM}{}{DIM:#}", terminal_safe(record.path.as_str()), terminal_safe(title))?;
        }
    }
    out.flush()?;
    Ok(if records.is_empty() { Exit::No } else { Exit::Complete })
}

pub(crate) fn tree(args: &List) -> Result<Exit, Failure> {
    if args.place.json {
        return list(args);
    }
    let records = block_on(async { Shelf::open(&args.place, false).await?.records(&args.prefix).await })??;
    let mut out = BufWriter::new(anstream::stdout().lock());
    let mut open: Vec<&str> = Vec::new();
    for record in &records {
        let path = record.path.as_str().trim_start_matches('/');
        let mut folders: Vec<&str> = path.split('/').collect();
        let name = folders.pop().unwrap_or_default();
        let shared = open.iter().zip(&folders).take_while(|(a, b)| a == b).count();
        for (depth, folder) in folders.iter().enumerate().skip(shared) {
            writeln!(out, "{}{BOLD}{}/{BOLD:#}", "  ".repeat(depth), terminal_safe(folder))?;
        }
        let title = record.title.as_deref().unwrap_or_default();
        let indent = "  ".repeat(folders.len());
        writeln!(out, "{indent}{}  {DIM}{}{DIM:#}", terminal_safe(name), terminal_safe(title))?;
        open = folders;
    }
    out.flush()?;
    Ok(if records.is_empty() { Exit::No } else { Exit::Complete })
}

pub(crate) fn read(args: &Read) -> Result<Exit, Failure> {
    let (record, text) = block_on(async {
        let shelf = Shelf::open(&args.place, false).await?;
        let record = shelf.find(&args.page).await?.ok_or_else(|| no_page(&args.page))?;
        let text = match args.revision {
            None => shelf.store.page(&shelf.site, &record.path).await?.map(|Page { text, .. }| text),
            Some(number) => {
                shelf.store.revision(&shelf.site, &record.path, number).await?.map(|kept| kept.text)
            }
        };
        let text = text.ok_or_else(|| Failure::No {
            what: format!("{} has no revision {}", record.path, args.revision.unwrap_or(record.revision)),
            help: "`wholesite why PAGE` lists the revisions that are kept",
        })?;
        Ok::<_, Failure>((record, text))
    })??;
    let all = text.chars().count();
    let piece: String = text.chars().skip(args.offset).take(args.max_chars.unwrap_or(usize::MAX)).collect();
    let end = args.offset.min(all) + piece.chars().count();
    let mut out = io::stdout().lock();
    if args.place.json {
        let mut value = summary(&record);
        value["text"] = piece.into();
        value["offset"] = args.offset.into();
        value["chars"] = all.into();
        value["next_offset"] = if end < all { end.into() } else { serde_json::Value::Null };
        line(&mut out, &value)?;
    } else {
        out.write_all(piece.as_bytes())?;
        out.flush()?;
        if end < all {
            writeln!(
                io::stderr(),
                "({} of {all} characters; go on with --offset {end})",
                piece.chars().count()
            )?;
        }
    }
    Ok(Exit::Complete)
}

pub(crate) fn no_page(name: &str) -> Failure {
    Failure::No {
        what: format!("no stored page is called {name}"),
        help: "`wholesite list` shows all; `wholesite why URL` says more",
    }
}

pub(crate) fn grep(args: &Grep) -> Result<Exit, Failure> {
    let pattern = if args.regex { args.text.clone() } else { regex::escape(&args.text) };
    let pattern =
        RegexBuilder::new(&pattern).case_insensitive(args.ignore_case).size_limit(4 << 20).build().map_err(
            |error| Failure::Wrong { what: error.to_string(), help: "without -E the text is taken as it is" },
        )?;
    block_on(async {
        let shelf = Shelf::open(&args.place, false).await?;
        let mut out = BufWriter::new(anstream::stdout().lock());
        let mut found = 0;
        for record in shelf.records(&args.prefix).await? {
            let Some(page) = shelf.store.page(&shelf.site, &record.path).await? else { continue };
            for (number, text) in page.text.lines().enumerate().filter(|(_, text)| pattern.is_match(text)) {
                if found == args.limit {
                    out.flush()?;
                    writeln!(
                        io::stderr(),
                        "(stopped after {found} lines; there may be more: -n shows them)"
                    )?;
                    return Ok(Exit::Complete);
                }
                found += 1;
                if args.place.json {
                    let value = json!({
                        "path": record.path.as_str(), "url": record.url.as_str(), "revision": page.record.revision,
                        "line": number + 1, "text": text,
                    });
                    line(&mut out, &value)?;
                } else {
                    let (path, text) = (terminal_safe(record.path.as_str()), terminal_safe(text));
                    writeln!(out, "{PLACE}{path}:{}{PLACE:#}: {text}", number + 1)?;
                }
            }
        }
        out.flush()?;
        Ok(if found == 0 { Exit::No } else { Exit::Complete })
    })?
}

pub(crate) fn search(args: &Search) -> Result<Exit, Failure> {
    let query = Query { words: args.words.join(" "), prefix: args.prefix.clone(), limit: args.limit };
    let hits = block_on(async {
        let shelf = Shelf::open(&args.place, false).await?;
        Ok::<_, Failure>(shelf.store.search(&shelf.site, &query).await?)
    })??;
    let mut out = BufWriter::new(anstream::stdout().lock());
    for hit in &hits {
        if args.place.json {
            let value = json!({
                "path": hit.path.as_str(), "url": hit.url.as_str(), "title": hit.title, "revision": hit.revision,
                "score": hit.score, "snippet": hit.snippet,
            });
            line(&mut out, &value)?;
        } else {
            let title = hit.title.as_deref().unwrap_or_default();
            writeln!(out, "{BOLD}{}{BOLD:#}  {}", terminal_safe(title), terminal_safe(hit.path.as_str()))?;
            writeln!(out, "  {DIM}{}{DIM:#}", terminal_safe(&hit.snippet))?;
        }
    }
    out.flush()?;
    if hits.is_empty() && !args.place.json {
        writeln!(io::stderr(), "no page holds all of these words")?;
    }
    Ok(if hits.is_empty() { Exit::No } else { Exit::Complete })
}

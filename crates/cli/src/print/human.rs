//! The report for people: the verdict first, then what stands in the way, then the pages.

use std::collections::BTreeMap;
use std::io::{self, Write};

use wholesite::discovery::{Blocker, Disposition, DocumentKind, Entry, Excerpt, Inventory, Mode, Page};

use super::escape::terminal_safe;
use super::style::{BOLD, DIM, ERROR, GOOD, PLACE};
use crate::args::Discover;

/// How much to print.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Detail {
    pages: bool,
    links: bool,
    documents: bool,
    blockers: usize,
}

/// Blockers shown in full without `-v`.
const BLOCKERS_SHOWN: usize = 10;
/// Documents shown without `-v`.
const DOCUMENTS_SHOWN: usize = 12;

impl Detail {
    pub(crate) fn of(args: &Discover) -> Self {
        let blockers = if args.verbose { usize::MAX } else { BLOCKERS_SHOWN };
        Detail { pages: args.quiet == 0, links: args.links, documents: args.verbose, blockers }
    }
}

pub(crate) fn report(out: &mut impl Write, inventory: &Inventory, detail: Detail) -> io::Result<()> {
    verdict(out, inventory)?;
    blockers(out, inventory.blockers(), detail.blockers)?;
    if detail.pages {
        sources(out, inventory, detail)?;
        counts(out, inventory)?;
        pages(out, inventory.pages())?;
    }
    if detail.links {
        links(out, inventory)?;
    }
    Ok(())
}

fn verdict(out: &mut impl Write, inventory: &Inventory) -> io::Result<()> {
    let site = inventory.scope().to_string();
    let pages = plural(inventory.pages().len(), "page");
    let blockers = inventory.blockers();
    if inventory.is_complete() {
        writeln!(
            out,
            "{GOOD}COMPLETE{GOOD:#}  {BOLD}{}{BOLD:#}  {pages}, and that is all of them",
            terminal_safe(&site)
        )
    } else {
        let why = plural(blockers.len(), "blocker");
        writeln!(
            out,
            "{ERROR}PARTIAL{ERROR:#}  {BOLD}{}{BOLD:#}  {pages}, but not proved to be all: {why}",
            terminal_safe(&site)
        )
    }
}

fn blockers(out: &mut impl Write, blockers: &[Blocker], shown: usize) -> io::Result<()> {
    for blocker in blockers.iter().take(shown) {
        writeln!(out)?;
        one_blocker(out, blocker)?;
    }
    let more = blockers.len().saturating_sub(shown);
    if more > 0 {
        writeln!(out, "\n… and {} (-v shows all)", plural(more, "more blocker"))?;
    }
    Ok(())
}

/// As compilers do it: code and message, place, the line with a caret, help.
fn one_blocker(out: &mut impl Write, blocker: &Blocker) -> io::Result<()> {
    let code = blocker.code.name();
    writeln!(out, "{ERROR}{code}{ERROR:#}{BOLD}: {}{BOLD:#}", terminal_safe(&blocker.message))?;
    let gutter = blocker.at.as_ref().map_or(1, |at| at.place.line.to_string().len());
    if let Some(at) = &blocker.at {
        let place = format!("{}:{}:{}", at.document, at.place.line, at.place.column);
        writeln!(out, "{:gutter$}{PLACE}-->{PLACE:#} {}", "", terminal_safe(&place))?;
        if let Some(excerpt) = &at.excerpt {
            snippet(out, excerpt, at.place.line, gutter)?;
        }
    }
    let named = blocker.at.as_ref().is_some_and(|at| at.document == blocker.url);
    if !blocker.url.is_empty() && !named {
        writeln!(out, "{:gutter$} {PLACE}={PLACE:#} address: {}", "", terminal_safe(&blocker.url))?;
    }
    writeln!(out, "{:gutter$} {PLACE}={PLACE:#} help: {}", "", terminal_safe(&blocker.help))
}

fn snippet(out: &mut impl Write, excerpt: &Excerpt, line: u32, gutter: usize) -> io::Result<()> {
    // The caret must stay under its link whatever has to be escaped before it.
    let start = excerpt.start as usize;
    let before: String = excerpt.line.chars().take(start).collect();
    let marked: String = excerpt.line.chars().skip(start).take(excerpt.width as usize).collect();
    let indent = terminal_safe(&before).chars().count();
    let carets = "^".repeat(terminal_safe(&marked).chars().count().max(1));
    writeln!(out, "{:gutter$} {PLACE}|{PLACE:#}", "")?;
    writeln!(out, "{PLACE}{line:gutter$} |{PLACE:#} {}", terminal_safe(&excerpt.line))?;
    writeln!(out, "{:gutter$} {PLACE}|{PLACE:#} {:indent$}{ERROR}{carets}{ERROR:#}", "", "")
}

fn sources(out: &mut impl Write, inventory: &Inventory, detail: Detail) -> io::Result<()> {
    let evidence = inventory.evidence();
    writeln!(out, "\n{BOLD}Read{BOLD:#}")?;
    let is_index =
        |kind: DocumentKind| kind.is_index() || matches!(kind, DocumentKind::Robots | DocumentKind::Folder);
    let chosen: Vec<_> =
        evidence.sources.iter().filter(|source| detail.documents || is_index(source.kind)).collect();
    let shown = if detail.documents { chosen.len() } else { DOCUMENTS_SHOWN };
    let width = chosen.iter().take(shown).map(|source| source.document.chars().count()).max().unwrap_or(0);
    for source in chosen.iter().take(shown) {
        let name = terminal_safe(&source.document);
        let (links, first) = (plural(source.links, "link"), source.first_named);
        let news =
            if first > 0 { format!(", first to name {}", plural(first, "page")) } else { String::new() };
        let state = if source.state == "whole" { String::new() } else { format!(" [{}]", source.state) };
        writeln!(out, "  {name:width$}  {DIM}{:<8}{DIM:#}  {links}{news}{state}", source.kind.name())?;
    }
    let others = evidence.sources.len() - chosen.len().min(shown);
    if others > 0 {
        writeln!(out, "  {DIM}… and {} (-v shows all){DIM:#}", plural(others, "more document"))?;
    }
    let mut facts: Vec<String> = Vec::new();
    if evidence.mode != Mode::Folder {
        facts.push(format!("a path that can't exist was {}", evidence.unknown_paths));
    }
    facts.extend(evidence.spellings.iter().cloned());
    facts.extend(evidence.notes.iter().cloned());
    for fact in facts {
        writeln!(out, "  {DIM}{}{DIM:#}", terminal_safe(&fact))?;
    }
    Ok(())
}

fn counts(out: &mut impl Write, inventory: &Inventory) -> io::Result<()> {
    let ledger = inventory.ledger();
    let counts = ledger.counts();
    let named: Vec<String> = Disposition::ALL
        .iter()
        .filter(|disposition| counts[*disposition] > 0)
        .map(|disposition| format!("{} {}", counts[disposition], disposition.name().replace('_', " ")))
        .collect();
    writeln!(out, "\n{BOLD}Links{BOLD:#}\n  {} = {}", ledger.entries().len(), named.join(" + "))
}

/// The pages by folder.
fn pages(out: &mut impl Write, pages: &[Page]) -> io::Result<()> {
    writeln!(out, "\n{BOLD}Pages{BOLD:#}")?;
    let mut folders: BTreeMap<&str, Vec<&Page>> = BTreeMap::new();
    for page in pages {
        let path = page.path.as_str();
        let (folder, _) = path.rsplit_once('/').unwrap_or(("", path));
        folders.entry(folder).or_default().push(page);
    }
    for (folder, pages) in folders {
        writeln!(out, "  {DIM}{}/{DIM:#}", terminal_safe(folder))?;
        let name = |page: &Page| page.path.as_str().rsplit('/').next().unwrap_or_default().to_owned();
        let width = pages.iter().map(|page| name(page).chars().count()).max().unwrap_or(0).min(40);
        for page in pages {
            let title = page.title.as_deref().unwrap_or_default();
            let aliases = if page.aliases.is_empty() {
                String::new()
            } else {
                format!("  (+ {})", plural_es(page.aliases.len()))
            };
            let line = format!("    {:width$}  {title}{aliases}", name(page));
            writeln!(out, "{}", terminal_safe(line.trim_end()))?;
        }
    }
    Ok(())
}

fn links(out: &mut impl Write, inventory: &Inventory) -> io::Result<()> {
    writeln!(out, "\n{BOLD}Every link{BOLD:#}")?;
    let ledger = inventory.ledger();
    for entry in ledger.entries() {
        let Entry { place, disposition, why, .. } = entry;
        let document = &ledger.document(entry.document).name;
        let line = format!(
            "  {disposition:<12}  {document}:{}:{}  {}  ({why})",
            place.line,
            place.column,
            entry.href()
        );
        writeln!(out, "{}", terminal_safe(&line))?;
    }
    Ok(())
}

fn plural(count: usize, noun: &str) -> String {
    if count == 1 { format!("1 {noun}") } else { format!("{count} {noun}s") }
}

fn plural_es(count: usize) -> String {
    if count == 1 { "1 alias".to_owned() } else { format!("{count} aliases") }
}

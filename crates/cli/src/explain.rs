//! `discover explain`: why an address is, or is not, a page.

use std::io::{BufWriter, Write};

use wholesite::address::{Base, Resolved, SiteUrl};
use wholesite::discovery::{Explanation, Inventory, Verdict};
use wholesite_wire::{LedgerLink, PageRecord};

use crate::Exit;
use crate::args::Explain;
use crate::error::Failure;
use crate::print::escape::terminal_safe;
use crate::print::style;
use crate::run;

/// How many of the links that led to an address are shown.
const SHOWN: usize = 20;

pub(crate) fn explain(args: &Explain) -> Result<Exit, Failure> {
    let inventory = run::inventory(&args.source, &args.site, true)?;
    let url = address(&args.url, &inventory)?;
    let explanation = inventory.explain(&url);
    let mut out = BufWriter::new(anstream::stdout());
    if args.json {
        json(&mut out, &inventory, &explanation)?;
    } else {
        text(&mut out, &inventory, &explanation)?;
    }
    out.flush()?;
    Ok(run::exit(&inventory))
}

/// An absolute address, or one relative to the start of the site.
fn address(text: &str, inventory: &Inventory) -> Result<SiteUrl, Failure> {
    let base = Base::of(&inventory.scope().at("/"));
    let fault = |why: String| Failure::Url { text: text.to_owned(), why };
    match base.resolve(text) {
        Ok(Resolved::Web { url, .. }) => Ok(url),
        Ok(Resolved::OtherScheme { scheme }) => Err(fault(format!("{scheme}: names no web page"))),
        Err(error) => Err(fault(error.to_string())),
    }
}

fn headline(verdict: &Verdict<'_>) -> (&'static str, String) {
    match verdict {
        Verdict::Page(page) => ("page", format!("a page of this site, stored as {}", page.path)),
        Verdict::AliasOf(page) => {
            ("alias", format!("not a page: it leads for good to {}, stored as {}", page.url, page.path))
        }
        Verdict::NotAPage(disposition, why) => {
            (disposition.name(), format!("not a page ({disposition}): {why}"))
        }
        Verdict::Document(kind) => {
            ("document", format!("not a page: a document that discovery read ({kind})"))
        }
        Verdict::Unknown(scope) => ("unknown", format!("no document of {scope} names it")),
        Verdict::Outside(scope) => ("outside", format!("outside of this site, which is {scope}")),
    }
}

fn text(out: &mut impl Write, inventory: &Inventory, explanation: &Explanation<'_>) -> Result<(), Failure> {
    let (_, headline) = headline(&explanation.verdict);
    let (bold, reset) = (style::BOLD.render(), style::BOLD.render_reset());
    writeln!(
        out,
        "{bold}{}{reset}\n  {}",
        terminal_safe(explanation.url.as_str()),
        terminal_safe(&headline)
    )?;
    if let Verdict::Page(page) | Verdict::AliasOf(page) = &explanation.verdict {
        writeln!(out, "  fetched as  {}", terminal_safe(page.fetch_url.as_str()))?;
        for alias in &page.aliases {
            writeln!(out, "  alias       {}", terminal_safe(alias.as_str()))?;
        }
        if let Some(file) = &page.file {
            writeln!(out, "  made by     {}", terminal_safe(file))?;
        }
    }
    for entry in explanation.entries.iter().take(SHOWN) {
        let document = inventory.ledger().document(entry.document);
        let place = format!("{}:{}:{}", document.name, entry.place.line, entry.place.column);
        let title =
            entry.title.as_deref().map(|title| format!(" \u{201c}{title}\u{201d}")).unwrap_or_default();
        let line = format!("{place}{title}\n              {}: {}", entry.disposition, entry.why);
        for (at, part) in line.split('\n').enumerate() {
            let label = if at == 0 { "  listed at   " } else { "" };
            writeln!(out, "{label}{}", terminal_safe(part))?;
        }
    }
    let more = explanation.entries.len().saturating_sub(SHOWN);
    if more > 0 {
        writeln!(out, "  … and {more} more links to it")?;
    }
    if !inventory.is_complete() {
        writeln!(
            out,
            "  note: this discovery is partial ({} blockers), so something may be missing here",
            inventory.blockers().len()
        )?;
    }
    Ok(())
}

fn json(out: &mut impl Write, inventory: &Inventory, explanation: &Explanation<'_>) -> Result<(), Failure> {
    let (verdict, why) = headline(&explanation.verdict);
    let page = match &explanation.verdict {
        Verdict::Page(page) | Verdict::AliasOf(page) => Some(PageRecord::of(page, inventory.ledger())),
        _ => None,
    };
    let links: Vec<LedgerLink> =
        explanation.entries.iter().map(|entry| LedgerLink::of(entry, inventory.ledger())).collect();
    let value = serde_json::json!({
        "schema_version": wholesite_wire::SCHEMA_VERSION,
        "url": explanation.url.as_str(),
        "verdict": verdict,
        "why": why,
        "complete": inventory.is_complete(),
        "page": page,
        "links": links,
    });
    serde_json::to_writer_pretty(&mut *out, &value).map_err(std::io::Error::from)?;
    writeln!(out)?;
    Ok(())
}

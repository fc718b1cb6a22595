//! `discover links`: the links of one document, one JSON line each, then the verdict.

use std::io::{BufWriter, Read, Write};

use wholesite::discovery::{LinkKind, links_of};
use wholesite_wire::{LinkRecord, VerdictLine};

use crate::Exit;
use crate::args::{Kind, Links};
use crate::error::Failure;
use crate::source;

pub(crate) fn links(args: &Links) -> Result<Exit, Failure> {
    let url = source::url(&args.base_url)?;
    let site = args.site_base.as_deref().map(source::url).transpose()?;
    let options = source::glob_options(&args.globs)?;
    let bytes = read(args)?;
    let (kind, name) = kind(args.kind);
    let document = links_of(kind, &url, site.as_ref(), &bytes, &options);
    let mut out = BufWriter::new(std::io::stdout());
    for link in &document.links {
        serde_json::to_writer(&mut out, &LinkRecord::of(link)).map_err(std::io::Error::from)?;
        writeln!(out)?;
    }
    serde_json::to_writer(&mut out, &VerdictLine::of(name, &document)).map_err(std::io::Error::from)?;
    writeln!(out)?;
    out.flush()?;
    Ok(if document.verdict == "ok" { Exit::Complete } else { Exit::Partial })
}

fn read(args: &Links) -> Result<Vec<u8>, Failure> {
    let cause = |cause| Failure::File { path: args.file.clone(), cause };
    if args.file.as_os_str() == "-" {
        let mut bytes = Vec::new();
        std::io::stdin().read_to_end(&mut bytes).map_err(cause)?;
        return Ok(bytes);
    }
    std::fs::read(&args.file).map_err(cause)
}

fn kind(kind: Kind) -> (LinkKind, &'static str) {
    match kind {
        Kind::LlmsTxt => (LinkKind::LlmsTxt, "llms_txt"),
        Kind::Sitemap => (LinkKind::Sitemap, "sitemap"),
        Kind::Robots => (LinkKind::Robots, "robots"),
        Kind::Mdx => (LinkKind::Mdx, "mdx"),
        Kind::Markdown => (LinkKind::Markdown, "markdown"),
        Kind::Html => (LinkKind::Html, "html"),
        Kind::DocsJson => (LinkKind::DocsJson, "docs_json"),
        Kind::Url => (LinkKind::Url, "url"),
    }
}

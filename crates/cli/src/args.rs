//! What was typed. What it means is worked out in [`crate::source`] and [`crate::run`].

use std::path::PathBuf;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, Parser, Subcommand, ValueEnum};
use wholesite::discovery::FolderGenerator;

const EXAMPLES: &str = "\
Examples:
  discover https://docs.example.com            every page, and whether that is all
  discover ./my-docs                           a docs source folder, without network
  discover record https://docs.example.com --out docs.warc.gz
                                               … and every answer of it into a file
  discover explain https://docs.example.com https://docs.example.com/guides/old

Exit status:
  0  complete        3  partial: something could not be seen, each blocker is named
  2  wrong usage     5  nothing could be discovered";

/// Which pages a documentation site has, and whether that is all of them.
#[derive(Debug, Parser)]
#[command(name = "discover", version, after_help = EXAMPLES, args_conflicts_with_subcommands = true,
    subcommand_negates_reqs = true)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Option<Command>,
    #[command(flatten)]
    pub(crate) discover: Discover,
}

#[derive(Debug, Subcommand)]
#[allow(clippy::large_enum_variant)] // made once a process
pub(crate) enum Command {
    /// Why an address is, or is not, a page
    Explain(Explain),
    /// The links of one document, one JSON line each
    Links(Links),
    /// Discover a live site and keep every answer: a recording, which every SOURCE may be
    Record(Record),
}

#[derive(Debug, Args)]
pub(crate) struct Discover {
    /// A URL, a recorded site (a folder or a WARC file), or a docs source folder
    #[arg(required = true)]
    pub(crate) source: Option<String>,
    /// How to print
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub(crate) format: Format,
    /// Short for --format json
    #[arg(long, conflicts_with = "format")]
    pub(crate) json: bool,
    /// Print every link with its disposition
    #[arg(long)]
    pub(crate) links: bool,
    /// Print only the verdict and the blockers (twice: nothing but the exit status)
    #[arg(short, long, action = clap::ArgAction::Count, conflicts_with = "verbose")]
    pub(crate) quiet: u8,
    /// Print more: every document, and all blockers
    #[arg(short, long)]
    pub(crate) verbose: bool,
    #[command(flatten)]
    pub(crate) site: Site,
}

#[derive(Debug, Args)]
pub(crate) struct Explain {
    /// A URL, a recorded site (a folder or a WARC file), or a docs source folder
    pub(crate) source: String,
    /// The address in question; may be relative to the site's start
    pub(crate) url: String,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) site: Site,
}

#[derive(Debug, Args)]
pub(crate) struct Record {
    /// Any address of a live site
    pub(crate) url: String,
    /// A WARC file (*.warc.gz, *.warc) or a folder; it must not be there yet
    #[arg(short, long, value_name = "PATH")]
    pub(crate) out: PathBuf,
    /// Leave the pages out: only what the discovery itself asks for
    #[arg(long)]
    pub(crate) indexes_only: bool,
    /// Show no progress (twice: print nothing at all)
    #[arg(short, long, action = clap::ArgAction::Count)]
    pub(crate) quiet: u8,
    #[command(flatten)]
    pub(crate) site: Site,
}

#[derive(Debug, Args)]
pub(crate) struct Links {
    /// The language of the document
    #[arg(long, value_enum)]
    pub(crate) kind: Kind,
    /// The document's own address
    #[arg(long, value_name = "URL")]
    pub(crate) base_url: String,
    /// The start of the site (default: the folder of an index, the whole origin of a page)
    #[arg(long, value_name = "URL")]
    pub(crate) site_base: Option<String>,
    /// The document; `-` is standard input
    #[arg(default_value = "-")]
    pub(crate) file: PathBuf,
    #[command(flatten)]
    pub(crate) globs: Globs,
}

/// What belongs to the site.
#[derive(Debug, Args)]
pub(crate) struct Globs {
    /// Take only pages that match (URL or path; `*` stays in a segment, `**` crosses them)
    #[arg(long, value_name = "GLOB")]
    pub(crate) include: Vec<String>,
    /// Leave out pages that match
    #[arg(long, value_name = "GLOB")]
    pub(crate) exclude: Vec<String>,
    /// Off-site addresses that are known and fine, and don't make the result partial
    #[arg(long, value_name = "GLOB")]
    pub(crate) allow_offsite: Vec<String>,
}

fn generator() -> impl TypedValueParser<Value = FolderGenerator> {
    PossibleValuesParser::new(FolderGenerator::all().map(FolderGenerator::name))
        .try_map(|name| name.parse::<FolderGenerator>())
}

/// How to reach the site and how far to go.
#[derive(Debug, Args)]
pub(crate) struct Site {
    #[command(flatten)]
    pub(crate) globs: Globs,
    /// The base path of the site, where it is not the address given
    #[arg(long, value_name = "PATH")]
    pub(crate) base: Option<String>,
    /// Where the discovery of a recording starts, where it is not the address that the recording names
    #[arg(long, value_name = "URL")]
    pub(crate) seed: Option<String>,
    /// Where a source folder will be served (default: where its configuration says, else http://localhost:3000/)
    #[arg(long, value_name = "URL")]
    pub(crate) site_url: Option<String>,
    /// Whose source folder it is (default: told by its files)
    #[arg(long, value_name = "NAME", value_parser = generator())]
    pub(crate) generator: Option<FolderGenerator>,
    /// Off-site and invalid links in page bodies make the result partial too
    #[arg(long)]
    pub(crate) strict: bool,
    /// Whether robots.txt is obeyed (ignore only for your own site)
    #[arg(long, value_enum, default_value_t = Robots::Obey)]
    pub(crate) robots: Robots,
    #[command(flatten)]
    pub(crate) network: Network,
    #[command(flatten)]
    pub(crate) limits: Limits,
}

#[derive(Debug, Args)]
#[command(next_help_heading = "Network")]
pub(crate) struct Network {
    /// Allow private, loopback and reserved addresses
    #[arg(long)]
    pub(crate) allow_private: bool,
    /// A header for the site's own origin, and nobody else (`Name: value`)
    #[arg(short = 'H', long, value_name = "HEADER")]
    pub(crate) header: Vec<String>,
    /// Who is asking; give a way to reach you
    #[arg(short = 'A', long, value_name = "TEXT")]
    pub(crate) user_agent: Option<String>,
    /// A file with further root certificates (PEM)
    #[arg(long, value_name = "FILE")]
    pub(crate) cacert: Option<PathBuf>,
    /// Requests under way at once, over all hosts
    #[arg(long, value_name = "N", default_value_t = 32)]
    pub(crate) max_concurrency: usize,
    /// Requests under way at once for one host
    #[arg(long, value_name = "N", default_value_t = 8)]
    pub(crate) host_concurrency: u32,
    /// Seconds for one attempt
    #[arg(long, value_name = "SECONDS", default_value_t = 10.0)]
    pub(crate) timeout: f64,
    /// Attempts for one address
    #[arg(long, value_name = "N", default_value_t = 5)]
    pub(crate) max_attempts: u32,
}

#[derive(Debug, Args)]
#[command(next_help_heading = "Limits (running into one makes the result partial)")]
pub(crate) struct Limits {
    /// Indexes read
    #[arg(long, value_name = "N")]
    pub(crate) max_indexes: Option<usize>,
    /// How deep indexes may nest
    #[arg(long, value_name = "N")]
    pub(crate) max_index_depth: Option<u32>,
    /// Pages
    #[arg(long, value_name = "N")]
    pub(crate) max_pages: Option<usize>,
    /// Links away from the start that an HTML crawl goes
    #[arg(long, value_name = "N")]
    pub(crate) max_depth: Option<u32>,
    /// Bytes of one index after decompression
    #[arg(long, value_name = "BYTES")]
    pub(crate) max_index_bytes: Option<u64>,
    /// Bytes of one page after decompression
    #[arg(long, value_name = "BYTES")]
    pub(crate) max_page_bytes: Option<u64>,
    /// Hops of one redirect chain
    #[arg(long, value_name = "N")]
    pub(crate) max_redirects: Option<usize>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    Text,
    Json,
    Ndjson,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Robots {
    Obey,
    Ignore,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
#[value(rename_all = "snake_case")]
pub(crate) enum Kind {
    LlmsTxt,
    Sitemap,
    Robots,
    Mdx,
    Markdown,
    Html,
    DocsJson,
    Url,
}

//! What was typed.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};

use crate::args::Site;

const EXAMPLES: &str = "\
Examples:
  wholesite sync https://docs.example.com        discover, fetch, publish, prune what is proved gone
  wholesite sync ./my-docs --store dir:./pages   a source folder, into plain Markdown files
  wholesite search install                       find pages; then: wholesite read PATH
  wholesite status                               the last run, and what is left open

Exit status:
  0  complete          3  partial: the report names what is left open
  1  nothing found     4  a guard holds something back; see `wholesite apply`
  2  wrong usage       5  failed        6  another run is at it

Every option can be set in the environment (WHOLESITE_MAX_DELETE for --max-delete) and in
wholesite.toml (max_delete); what is typed wins over the environment, and that over the file.";

/// Keeps a local copy of a documentation site equal to the site: the whole site, and nothing but the
/// site.
#[derive(Debug, Parser)]
#[command(name = "wholesite", version, after_help = EXAMPLES, args_override_self = true)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
#[allow(clippy::large_enum_variant)] // made once a process
pub(crate) enum Command {
    /// Bring the store up to the site
    Sync(Sync),
    /// Consent to the withdrawals that a guard held back, and sync
    Apply(Apply),
    /// What is stored, how the last run ended, and what is left open
    Status(Where),
    /// Why an address is, or is not, in the store
    Why(Why),
    /// The runs of a site
    Log(Log),
    /// What the last run changed, or how a page changed
    Diff(Diff),
    /// The pages
    List(List),
    /// The pages as a tree
    Tree(List),
    /// One page
    Read(Read),
    /// Lines that match a text
    Grep(Grep),
    /// Pages that hold all words
    Search(Search),
    /// Bring a page back from the trash, or show the trash
    Restore(Restore),
    /// Remove what has been in the trash for longer than it is kept
    Purge(Purge),
    /// Write the pages in a form that other tools read
    Export(Export),
}

/// Which store, and which site in it.
#[derive(Debug, Args)]
pub(crate) struct Where {
    /// The store: a file (SQLite), `sqlite:FILE`, or `dir:FOLDER` (a folder of Markdown files)
    #[arg(long, value_name = "STORE", env = "WHOLESITE_STORE", default_value = ".wholesite/pages.db")]
    pub(crate) store: String,
    /// The site, where the store holds several
    #[arg(long, value_name = "URL", env = "WHOLESITE_SITE")]
    pub(crate) site: Option<String>,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Sync {
    /// A URL, a recorded site folder, or a docs source folder
    #[arg(env = "WHOLESITE_SOURCE")]
    pub(crate) source: String,
    #[command(flatten)]
    pub(crate) how: How,
}

#[derive(Debug, Args)]
pub(crate) struct Apply {
    #[command(flatten)]
    pub(crate) how: How,
    /// The site, where the store holds several
    #[arg(long, value_name = "URL")]
    pub(crate) at: Option<String>,
}

/// How to sync.
#[derive(Debug, Args)]
pub(crate) struct How {
    /// Where to keep the pages: a file (SQLite), `sqlite:FILE`, or `dir:FOLDER` (a folder of Markdown files)
    #[arg(long, value_name = "STORE", env = "WHOLESITE_STORE", default_value = ".wholesite/pages.db")]
    pub(crate) store: String,
    /// Do everything but write: what would change, and why
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Fetch every page, whatever the site says of changes
    #[arg(long)]
    pub(crate) full: bool,
    /// Only the pages that failed last time
    #[arg(long, conflicts_with = "full")]
    pub(crate) only_failed: bool,
    /// Print the report as JSON
    #[arg(long)]
    pub(crate) json: bool,
    /// Keep the report in a file, as JSON
    #[arg(long, value_name = "FILE", env = "WHOLESITE_REPORT")]
    pub(crate) report: Option<PathBuf>,
    /// Print only the verdict and what is left open
    #[arg(short, long)]
    pub(crate) quiet: bool,
    /// Print more, and log every page
    #[arg(short, long)]
    pub(crate) verbose: bool,
    /// Pages under way at once
    #[arg(long, value_name = "N", env = "WHOLESITE_CONCURRENCY", default_value_t = 64)]
    pub(crate) concurrency: usize,
    #[command(flatten)]
    pub(crate) prune: Prune,
    #[command(flatten)]
    pub(crate) site: Site,
}

#[derive(Debug, Args)]
#[command(next_help_heading = "Pruning (what leaves the store, and when)")]
pub(crate) struct Prune {
    /// Which pages that left the listing are withdrawn
    #[arg(long, value_enum, env = "WHOLESITE_PRUNE", default_value_t = Mode::Gone)]
    pub(crate) prune: Mode,
    /// Seconds between the two looks at a page before it is withdrawn
    #[arg(long, value_name = "SECONDS", env = "WHOLESITE_CONFIRM_AFTER")]
    pub(crate) confirm_after: Option<f64>,
    /// The most that is withdrawn without consent: pages, percent of the store, or both (`3,10%`: both
    /// must be exceeded)
    #[arg(long, value_name = "LIMIT", env = "WHOLESITE_MAX_DELETE", default_value = "3,10%")]
    pub(crate) max_delete: String,
    /// Never withdraw pages that match
    #[arg(long, value_name = "GLOB")]
    pub(crate) keep: Vec<String>,
    /// Days that a withdrawn page stays in the trash
    #[arg(long, value_name = "DAYS", env = "WHOLESITE_RETENTION", default_value_t = 30)]
    pub(crate) retention: u32,
}

/// Which pages are withdrawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Mode {
    /// Those that are gone, in the run that finds them so
    Gone,
    /// Those, and the ones that are still served but in no index
    Unlisted,
    /// Those that three complete runs over two days found gone
    Cautious,
    /// None
    Never,
}

#[derive(Debug, Args)]
pub(crate) struct Why {
    /// An address, or the path of a page
    pub(crate) page: String,
    #[command(flatten)]
    pub(crate) place: Where,
}

#[derive(Debug, Args)]
pub(crate) struct Log {
    /// How many runs
    #[arg(short = 'n', long, default_value_t = 20)]
    pub(crate) limit: usize,
    #[command(flatten)]
    pub(crate) place: Where,
}

#[derive(Debug, Args)]
pub(crate) struct Diff {
    /// A page; without one, what the last run changed
    pub(crate) page: Option<String>,
    /// The revision to compare the page with (default: the one before)
    #[arg(long, value_name = "N", requires = "page")]
    pub(crate) revision: Option<u64>,
    #[command(flatten)]
    pub(crate) place: Where,
}

#[derive(Debug, Args)]
pub(crate) struct List {
    /// Only paths that begin so
    #[arg(default_value = "/")]
    pub(crate) prefix: String,
    #[command(flatten)]
    pub(crate) place: Where,
}

#[derive(Debug, Args)]
pub(crate) struct Read {
    /// An address, or the path of a page
    pub(crate) page: String,
    /// The first character to print
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) offset: usize,
    /// The most characters to print
    #[arg(long, value_name = "N")]
    pub(crate) max_chars: Option<usize>,
    /// An older revision
    #[arg(long, value_name = "N")]
    pub(crate) revision: Option<u64>,
    #[command(flatten)]
    pub(crate) place: Where,
}

#[derive(Debug, Args)]
pub(crate) struct Grep {
    /// What to look for
    pub(crate) text: String,
    /// Only paths that begin so
    #[arg(default_value = "/")]
    pub(crate) prefix: String,
    /// The text is a regular expression
    #[arg(short = 'E', long)]
    pub(crate) regex: bool,
    /// Capitals and small letters are the same
    #[arg(short, long)]
    pub(crate) ignore_case: bool,
    /// The most lines to print
    #[arg(short = 'n', long, default_value_t = 200)]
    pub(crate) limit: usize,
    #[command(flatten)]
    pub(crate) place: Where,
}

#[derive(Debug, Args)]
pub(crate) struct Search {
    /// Words, all of which must occur
    #[arg(required = true)]
    pub(crate) words: Vec<String>,
    /// Only paths that begin so
    #[arg(long)]
    pub(crate) prefix: Option<String>,
    /// The most pages
    #[arg(short = 'n', long, default_value_t = 10)]
    pub(crate) limit: usize,
    #[command(flatten)]
    pub(crate) place: Where,
}

#[derive(Debug, Args)]
pub(crate) struct Restore {
    /// An address, or the path of a page; without one, the trash is shown
    pub(crate) page: Option<String>,
    /// All that this run withdrew
    #[arg(long, value_name = "RUN", conflicts_with = "page")]
    pub(crate) run: Option<String>,
    #[command(flatten)]
    pub(crate) place: Where,
}

#[derive(Debug, Args)]
pub(crate) struct Purge {
    /// Days that a withdrawn page stays in the trash
    #[arg(long, value_name = "DAYS", default_value_t = 30)]
    pub(crate) retention: u32,
    #[command(flatten)]
    pub(crate) place: Where,
}

#[derive(Debug, Args)]
pub(crate) struct Export {
    /// The form
    #[arg(long, value_enum)]
    pub(crate) format: Form,
    /// A file, or a folder for `files`; `-` is standard output
    #[arg(short, long, value_name = "PATH", default_value = "-")]
    pub(crate) out: String,
    /// Only paths that begin so
    #[arg(long, default_value = "/")]
    pub(crate) prefix: String,
    #[command(flatten)]
    pub(crate) place: Where,
}

/// The forms of an export.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Form {
    /// A folder of Markdown files
    Files,
    /// An index: llms.txt
    Llms,
    /// All pages in one text: llms-full.txt
    LlmsFull,
    /// sitemap.xml
    Sitemap,
    /// One JSON object a page and line
    Jsonl,
    /// Documents of LangChain, one JSON object a line
    Langchain,
    /// Documents of LlamaIndex, one JSON object a line
    Llamaindex,
}

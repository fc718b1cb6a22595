//! `wholesite`: syncing, and reading what was synced.

mod args;
mod config;
mod export;
mod history;
mod live;
mod read;
mod report;
mod shelf;
mod sync;
mod trash;

use clap::Parser;

use crate::Exit;
use crate::error::Failure;
use args::{Cli, Command};
pub(crate) use sync::interrupted;

pub(crate) fn main() -> Result<Exit, Failure> {
    let cli = Cli::parse_from(config::with_file(std::env::args_os().collect())?);
    match cli.command {
        Command::Sync(args) => sync::sync(&args),
        Command::Apply(args) => sync::apply(&args),
        Command::Status(args) => history::status(&args),
        Command::Why(args) => history::why(&args),
        Command::Log(args) => history::log(&args),
        Command::Diff(args) => history::diff(&args),
        Command::List(args) => read::list(&args),
        Command::Tree(args) => read::tree(&args),
        Command::Read(args) => read::read(&args),
        Command::Grep(args) => read::grep(&args),
        Command::Search(args) => read::search(&args),
        Command::Restore(args) => trash::restore(&args),
        Command::Purge(args) => trash::purge(&args),
        Command::Export(args) => export::export(&args),
    }
}

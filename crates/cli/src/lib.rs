//! The command lines `discover` and `wholesite`.
//!
//! This crate alone reads arguments, environment and terminal, and chooses exit codes.

mod args;
mod error;
mod explain;
mod links;
mod print;
mod progress;
mod record;
mod run;
mod source;
mod wholesite;

use std::io::Write;
use std::process::ExitCode;

use clap::Parser;

use args::{Cli, Command};
use error::Failure;

/// Exit codes, as documented in `--help`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Exit {
    Complete = 0,
    /// An honest no: nothing was found.
    No = 1,
    Usage = 2,
    Partial = 3,
    /// A guard holds something back.
    Refused = 4,
    Failed = 5,
    /// Another run is at it.
    Busy = 6,
    Interrupted = 130,
    Terminated = 143,
}

/// `discover`.
pub fn discover_main() -> ExitCode {
    let cli = Cli::parse();
    end(match cli.command {
        Some(Command::Explain(args)) => explain::explain(&args),
        Some(Command::Links(args)) => links::links(&args),
        Some(Command::Record(args)) => record::record(&args),
        None => run::discover(&cli.discover),
    })
}

/// `wholesite`.
pub fn wholesite_main() -> ExitCode {
    end(wholesite::main())
}

fn end(result: Result<Exit, Failure>) -> ExitCode {
    let exit = match result {
        Ok(exit) => exit,
        // Whoever reads our output has had enough; that is no fault.
        Err(Failure::Output(error)) if error.kind() == std::io::ErrorKind::BrokenPipe => Exit::Complete,
        Err(failure) => {
            let text = print::escape::terminal_safe(&failure.to_string()).into_owned();
            let _ = writeln!(
                anstream::stderr(),
                "{}error{}: {text}",
                print::style::ERROR.render(),
                print::style::ERROR.render_reset()
            );
            if let Some(help) = failure.help() {
                let _ = writeln!(anstream::stderr(), "  = help: {help}");
            }
            failure.exit()
        }
    };
    ExitCode::from(exit as u8)
}

//! wholesite.toml: options that need not be typed.
//!
//! What the file says is put before what was typed, as if it had been typed first; what is typed later
//! wins, and a key whose variable is set in the environment is left out.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use clap::CommandFactory;
use toml::{Table, Value};

use super::args::Cli;
use crate::error::Failure;

/// The file, in the folder where the command runs. `WHOLESITE_CONFIG` names another one.
const FILE: &str = "wholesite.toml";

/// Puts what the file says among the arguments.
pub(crate) fn with_file(typed: Vec<OsString>) -> Result<Vec<OsString>, Failure> {
    let (path, must_exist) = match std::env::var_os("WHOLESITE_CONFIG") {
        Some(path) => (PathBuf::from(path), true),
        None => (PathBuf::from(FILE), false),
    };
    let text = match std::fs::read_to_string(&path) {
        Ok(text) => text,
        Err(cause) if cause.kind() == std::io::ErrorKind::NotFound && !must_exist => return Ok(typed),
        Err(cause) => return Err(Failure::File { path, cause }),
    };
    let table: Table = text
        .parse()
        .map_err(|error: toml::de::Error| Failure::Config { path: path.clone(), why: error.to_string() })?;
    merge(&path, &table, typed)
}

/// Options of any command, by their names in the file.
struct Known {
    key: String,
    long: String,
    takes_value: bool,
    repeats: bool,
    variable: Option<OsString>,
}

fn merge(path: &Path, table: &Table, typed: Vec<OsString>) -> Result<Vec<OsString>, Failure> {
    let command = Cli::command();
    let every: Vec<Known> = command.get_subcommands().flat_map(options).collect();
    for key in table.keys() {
        if !every.iter().any(|known| known.key == *key) {
            let why = format!("unknown key `{key}`{}", suggestion(key, &every));
            return Err(Failure::Config { path: path.to_owned(), why });
        }
    }
    let name = typed.get(1).and_then(|name| name.to_str()).unwrap_or_default();
    let Some(subcommand) = command.find_subcommand(name) else { return Ok(typed) };
    let mut arguments = typed[..2].to_vec();
    for known in options(subcommand) {
        let Some(value) = table.get(&known.key) else { continue };
        let in_environment = known.variable.as_ref().is_some_and(|name| std::env::var_os(name).is_some());
        let flag = format!("--{}", known.long);
        let is_typed = typed.iter().any(|word| {
            word.to_str().is_some_and(|word| word == flag || word.starts_with(&format!("{flag}=")))
        });
        // A list that is typed replaces the one of the file.
        if in_environment || (is_typed && known.repeats) {
            continue;
        }
        let wrong = |what: &str| Failure::Config {
            path: path.to_owned(),
            why: format!("`{}` must be {what}, not {value}", known.key),
        };
        match (value, known.takes_value) {
            (Value::Boolean(true), false) => arguments.push(flag.into()),
            (Value::Boolean(false), false) => {}
            (_, false) => return Err(wrong("true or false")),
            (Value::Array(items), true) if known.repeats => {
                for item in items {
                    arguments.push(
                        format!("{flag}={}", plain(item).ok_or_else(|| wrong("a list of texts"))?).into(),
                    );
                }
            }
            (value, true) => {
                arguments.push(
                    format!("{flag}={}", plain(value).ok_or_else(|| wrong("a text or a number"))?).into(),
                );
            }
        }
    }
    arguments.extend_from_slice(&typed[2..]);
    Ok(arguments)
}

fn options(command: &clap::Command) -> Vec<Known> {
    command
        .get_arguments()
        .filter_map(|argument| {
            let long = argument.get_long()?.to_owned();
            Some(Known {
                key: long.replace('-', "_"),
                takes_value: argument.get_action().takes_values(),
                repeats: matches!(argument.get_action(), clap::ArgAction::Append),
                variable: argument.get_env().map(ToOwned::to_owned),
                long,
            })
        })
        .collect()
}

fn plain(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Integer(number) => Some(number.to_string()),
        Value::Float(number) => Some(number.to_string()),
        _ => None,
    }
}

fn suggestion(key: &str, known: &[Known]) -> String {
    let nearest = known.iter().map(|known| (strsim::jaro_winkler(key, &known.key), &known.key));
    match nearest.max_by(|a, b| a.0.total_cmp(&b.0)) {
        Some((likeness, name)) if likeness > 0.8 => format!("; did you mean `{name}`?"),
        _ => String::new(),
    }
}

//! The literal parts of JavaScript and TypeScript configuration files, read without running them.
//!
//! [`Module::exported`] returns the exported value as far as it is written out: literals, names of constants of the
//! same file, `defineConfig(…)`, and functions that merely return a literal. All else is [`Js::Computed`].

mod lexer;
mod value;

pub(crate) use lexer::{Kind, Token, tokens};
pub(crate) use value::{Js, Module, Node};

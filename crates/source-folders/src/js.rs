//! The literal parts of JavaScript and TypeScript configuration files, read without running them.
//!
//! [`Module::exported`] returns the exported value as far as it is written out: literals, names of constants of the
//! same file, `defineConfig(…)`, and functions that merely return a literal. All else is [`Js::Computed`].

mod lexer;
mod value;

pub(crate) use lexer::{Kind, Token, tokens};
pub(crate) use value::{Js, Module, Node};

/// The names of the functions called right within the list that a field of this name holds, with their offsets.
pub(crate) fn calls_in(text: &str, key: &str) -> Vec<(String, usize)> {
    let tokens = tokens(text);
    let mut calls = Vec::new();
    for start in 0..tokens.len().saturating_sub(2) {
        let is_key = matches!(&tokens[start].kind, Kind::Word(word) if word == key);
        if !is_key || tokens[start + 1].kind != Kind::Punct(":") || tokens[start + 2].kind != Kind::Punct("[")
        {
            continue;
        }
        let end = tokens[start + 2].partner;
        let mut at = start + 3;
        while at < end {
            match (&tokens[at].kind, tokens.get(at + 1).map(|next| &next.kind)) {
                (Kind::Word(name), Some(Kind::Punct("("))) => {
                    calls.push((name.clone(), tokens[at].start));
                    at = tokens[at + 1].partner;
                }
                (Kind::Punct("{" | "[" | "("), _) => at = tokens[at].partner,
                _ => {}
            }
            at += 1;
        }
    }
    calls
}

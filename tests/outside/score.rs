//! Scores: how much of a suite holds, and why the rest does not. One file a suite in `scores/`.
//!
//! A case that fails and is not named there fails the test, and so does one that is named there and
//! holds, one that is named and was not seen, and another number of cases. `UPDATE=1` writes the file
//! anew: counts change, what holds is taken out, what fails is put in with `TODO`, which fails until
//! somebody has written the reason.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::PathBuf;

use serde::Deserialize;

const TODO: &str = "TODO";

/// The score of one suite under way.
pub(crate) struct Score {
    suite: &'static str,
    kept: Kept,
    cases: usize,
    failed: BTreeMap<String, String>,
}

/// A score file.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Kept {
    cases: usize,
    #[serde(default)]
    differences: BTreeMap<String, String>,
}

impl Score {
    pub(crate) fn of(suite: &'static str) -> Self {
        let kept = match std::fs::read_to_string(path(suite)) {
            Ok(text) => toml::from_str(&text).expect("a score file"),
            Err(_) => Kept::default(),
        };
        Score { suite, kept, cases: 0, failed: BTreeMap::new() }
    }

    /// Counts a case that must give what its suite says.
    pub(crate) fn same<T: PartialEq + std::fmt::Debug>(&mut self, id: impl Into<String>, ours: T, theirs: T) {
        let outcome =
            if ours == theirs { Ok(()) } else { Err(format!("here   {ours:?}\n      theirs {theirs:?}")) };
        self.case(id, outcome);
    }

    /// Counts a case.
    pub(crate) fn case(&mut self, id: impl Into<String>, outcome: Result<(), String>) {
        self.cases += 1;
        if let Err(how) = outcome {
            let id = id.into();
            let before = self.failed.insert(id.clone(), how);
            assert!(before.is_none(), "two cases of {} are called {id:?}", self.suite);
        }
    }

    /// Compares with the kept score.
    pub(crate) fn settle(self) {
        println!("{}: {} of {} cases hold", self.suite, self.cases - self.failed.len(), self.cases);
        if std::env::var_os("UPDATE").is_some_and(|value| value == "1") {
            std::fs::write(path(self.suite), self.written()).expect("the score can be written");
        }
        let mut faults = Vec::new();
        if self.kept.cases != self.cases {
            faults.push(format!("{} cases, and the score has {}", self.cases, self.kept.cases));
        }
        for (id, how) in &self.failed {
            match self.kept.differences.get(id) {
                None => faults.push(format!("new difference: {id:?}\n      {how}")),
                Some(why) if why.is_empty() || why.starts_with(TODO) => {
                    faults.push(format!("a difference without a reason: {id:?}\n      {how}"));
                }
                Some(_) => {}
            }
        }
        for id in self.kept.differences.keys().filter(|id| !self.failed.contains_key(*id)) {
            faults.push(format!("holds or is gone, and is kept as a difference: {id:?}"));
        }
        let (suite, list) = (self.suite, faults.join("\n  "));
        assert!(
            faults.is_empty(),
            "{suite}: {} faults (UPDATE=1 rewrites the score)\n  {list}",
            faults.len()
        );
    }

    fn written(&self) -> String {
        let mut text = format!("cases = {}\n", self.cases);
        if !self.failed.is_empty() {
            text.push_str("\n[differences]\n");
        }
        for id in self.failed.keys() {
            let why = self.kept.differences.get(id).map_or(TODO, String::as_str);
            let [id, why] = [id, why].map(|value| toml::Value::String(value.to_owned()).to_string());
            let _ = writeln!(text, "{} = {why}", quoted(&id));
        }
        text
    }
}

/// Keys may be anything, so they are always quoted; a basic string may stand for any other.
fn quoted(value: &str) -> String {
    let text: BTreeMap<String, String> = toml::from_str(&format!("x = {value}")).expect("what toml wrote");
    let mut out = String::from("\"");
    for c in text["x"].chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            c if c.is_control() || !c.is_ascii() => {
                let _ = write!(out, "\\U{:08X}", c as u32);
            }
            c => out.push(c),
        }
    }
    out + "\""
}

fn path(suite: &str) -> PathBuf {
    wholesite_tests::workspace().join("tests/outside/scores").join(format!("{suite}.toml"))
}

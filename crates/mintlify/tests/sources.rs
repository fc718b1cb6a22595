//! Small source folders and everything that is read from them: the table is `sources.txt`.
//!
//! A case begins with `=== title`, then come its files (`//- path` and the text), then `=> ` lines: what the reading
//! says. `BLESS=1` writes what it says now into the table, to be looked at.

mod common;

use std::fmt::Write as _;

const TABLE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/sources.txt");

#[test]
fn every_source_folder_is_read_as_expected() {
    let table = std::fs::read_to_string(TABLE).expect("the table is there");
    let mut blessed = String::new();
    let mut wrong = String::new();
    let (head, cases) = table.split_once("\n=== ").expect("the table has cases");
    blessed.push_str(head);
    for case in cases.split("\n=== ") {
        let (title, body) = case.split_once('\n').expect("a case has a title and files");
        let (expected, files): (Vec<&str>, Vec<&str>) =
            body.lines().partition(|line| line.starts_with("=> "));
        let files = files.join("\n");
        let got = common::render(&common::read(&common::tree(&format!("{files}\n"))));
        let got: Vec<String> = got.lines().map(|line| format!("=> {line}")).collect();
        if got != expected {
            write!(wrong, "\n{title}\nexpected:\n{}\ngot:\n{}\n", expected.join("\n"), got.join("\n"))
                .unwrap();
        }
        write!(blessed, "\n=== {title}\n{}\n{}\n", files.trim_end(), got.join("\n")).unwrap();
    }
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(TABLE, blessed).expect("the table can be written");
    } else {
        assert!(wrong.is_empty(), "{wrong}");
    }
}

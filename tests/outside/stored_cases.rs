//! What fuzzing found, and the seeds it began with: every stored case holds the laws of its target.

use std::path::PathBuf;

use proptest::prelude::*;
use wholesite_fuzz::TARGETS;

#[test]
fn every_stored_case_holds_its_laws() {
    let cases = wholesite_tests::workspace().join("fuzz/cases");
    for (target, oracle) in TARGETS {
        let files: Vec<PathBuf> = std::fs::read_dir(cases.join(target))
            .unwrap_or_else(|error| panic!("the cases of {target}: {error}"))
            .map(|file| file.expect("a file").path())
            .collect();
        assert!(!files.is_empty(), "{target} has no seed");
        for file in files {
            println!("{}", file.display());
            oracle(&std::fs::read(&file).expect("readable"));
        }
    }
}

#[test]
fn every_target_has_a_program_and_every_program_is_a_target() {
    let folder = wholesite_tests::workspace().join("fuzz/fuzz_targets");
    let mut programs: Vec<String> = std::fs::read_dir(folder)
        .expect("a folder")
        .filter_map(|file| file.expect("a file").path().file_stem()?.to_str().map(str::to_owned))
        .collect();
    programs.sort();
    let targets: Vec<&str> = TARGETS.iter().map(|(name, _)| *name).collect();
    assert_eq!(programs, targets);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]

    #[test]
    fn any_bytes_hold_the_laws_of_every_target(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
        TARGETS.iter().for_each(|(_, oracle)| oracle(&bytes));
    }

    #[test]
    fn any_text_holds_the_laws_of_every_target(text in "\\PC{0,120}") {
        TARGETS.iter().for_each(|(_, oracle)| oracle(text.as_bytes()));
    }
}

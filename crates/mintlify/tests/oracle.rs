//! Whole sites against Mintlify's own packages: the pages of the navigation, those made from API descriptions
//! included. `docs/mintlify-oracle.md` says how the answers are made, and explains every difference.
//!
//! `WHOLESITE_ORACLE` names a folder of answers, `NAME.json` for the tree `corpora/mintlify/NAME`.

mod common;

use std::collections::BTreeSet;
use std::path::PathBuf;

use serde_json::Value;

#[test]
fn navigations_are_those_of_mintlify() {
    let (Some(answers), Some(corpora)) =
        (std::env::var_os("WHOLESITE_ORACLE"), std::env::var_os("WHOLESITE_CORPORA"))
    else {
        println!("SKIPPED: WHOLESITE_ORACLE or WHOLESITE_CORPORA is not set");
        return;
    };
    let (answers, corpora) = (PathBuf::from(answers), PathBuf::from(corpora).join("mintlify"));
    println!("| tree | theirs | made from descriptions | ours | missing | surplus | blockers |");
    println!("| --- | ---: | ---: | ---: | ---: | ---: | --- |");
    let mut files: Vec<PathBuf> = std::fs::read_dir(&answers)
        .expect("a folder of answers")
        .map(|entry| entry.expect("readable").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "json"))
        .collect();
    files.sort();
    let mut differences = Vec::new();
    for file in files {
        let name = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let root = corpora.join(name.replacen("agno-2", "agno-history/2", 1)).join("tree");
        let Ok(theirs) = serde_json::from_slice::<Value>(&std::fs::read(&file).expect("readable")) else {
            continue;
        };
        let rows: Vec<&Value> = theirs["pages"].as_array().into_iter().flatten().collect();
        // An entry without a source is dead: Mintlify keeps it in the sidebar.
        let served = |row: &&&Value| row["source"].is_string() && row["externalUrl"].is_null();
        let path = |row: &Value| row["path"].as_str().unwrap_or_default().trim_matches('/').to_owned();
        let listed: BTreeSet<String> = rows.iter().filter(served).map(|row| path(row)).collect();
        let unlisted = theirs["generatedButNotInNav"].as_array().into_iter().flatten();
        let unlisted: BTreeSet<String> =
            unlisted.filter_map(Value::as_str).map(|path| path.trim_matches('/').to_owned()).collect();
        let is_made =
            |row: &&&Value| row["source"].as_str().is_some_and(|source| source.starts_with("generated:"));
        let made: BTreeSet<String> = rows.iter().filter(is_made).map(|row| path(row)).collect();
        let site = common::read(&common::folder(&root));
        let ours: BTreeSet<String> = (site.pages.iter())
            .filter(|page| !page.occurrences.is_empty() && page.external_url.is_none())
            .map(|page| page.slug.clone())
            .collect();
        let ours_hidden: BTreeSet<String> = (site.pages.iter())
            .filter(|page| page.generated && page.occurrences.is_empty())
            .map(|page| page.slug.clone())
            .collect();
        let mut kinds: Vec<String> =
            site.blockers.iter().map(|blocker| format!("{:?}", blocker.kind)).collect();
        kinds.dedup();
        println!(
            "| {name} | {} | {} | {} | {} | {} | {} |",
            listed.len(),
            made.len() + unlisted.len(),
            ours.len(),
            listed.difference(&ours).count() + unlisted.difference(&ours_hidden).count(),
            ours.difference(&listed).count() + ours_hidden.difference(&unlisted).count(),
            kinds.join(", "),
        );
        for (what, set) in [
            ("missing", listed.difference(&ours).chain(unlisted.difference(&ours_hidden))),
            ("surplus", ours.difference(&listed).chain(ours_hidden.difference(&unlisted))),
        ]
        .map(|(what, set)| (what, set.cloned().collect::<Vec<_>>()))
        {
            differences.extend(set.into_iter().map(|slug| format!("{name}: {what}: {slug}")));
        }
        differences.extend(
            theirs["warnings"].as_array().into_iter().flatten().map(|w| format!("{name}: oracle: {w}")),
        );
    }
    for line in &differences {
        println!("{line}");
    }
}

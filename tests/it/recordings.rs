//! Every recorded site of `corpora/` gives what its `expected.toml` says, twice the same.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use wholesite::discovery::{Inventory, Options};
use wholesite::recording::{Expected, Recording};
use wholesite_wire::Report;

#[test]
fn every_recorded_site_gives_its_expected_result() {
    let mut sites: Vec<_> = std::fs::read_dir(wholesite_tests::recordings())
        .expect("corpora/ is part of the project")
        .map(|entry| entry.expect("readable").path())
        .filter(|path| Recording::is_recording(path))
        .collect();
    sites.sort();
    assert!(sites.len() >= 12, "corpora/ holds a dozen sites or more, not {}", sites.len());
    let faults: Vec<String> = sites.iter().filter_map(|site| check(site).err()).collect();
    assert!(faults.is_empty(), "{} of {} sites:\n\n{}", faults.len(), sites.len(), faults.join("\n\n"));
}

fn check(folder: &Path) -> Result<(), String> {
    let name = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let recording = Recording::open(folder).map_err(|error| format!("{name}: {error}"))?;
    let expected = recording.expected().ok_or_else(|| format!("{name}: no expected.toml"))?;
    let inventory = wholesite::discover_recording(&recording, Options::default());
    let again = wholesite::discover_recording(&recording, Options::default());
    let bytes =
        |inventory: &Inventory| serde_json::to_vec(&Report::of(inventory, true)).expect("serializable");
    if bytes(&inventory) != bytes(&again) {
        return Err(format!("{name}: two runs differ"));
    }
    let faults = differences(&recording, &inventory, expected);
    if faults.is_empty() { Ok(()) } else { Err(format!("{name}\n  {}", faults.join("\n  "))) }
}

fn differences(recording: &Recording, inventory: &Inventory, expected: &Expected) -> Vec<String> {
    let mut faults = Vec::new();
    let mut compare = |what: &str, found: String, wanted: String| {
        if found != wanted {
            faults.push(format!("{what}\n      found    {found}\n      expected {wanted}"));
        }
    };
    compare("complete", inventory.is_complete().to_string(), expected.complete.to_string());
    let pages: BTreeSet<String> = inventory.pages().iter().map(|page| page.path.to_string()).collect();
    let wanted: BTreeSet<String> = expected.pages.iter().cloned().collect();
    compare("pages", format!("{pages:?}"), format!("{wanted:?}"));
    let blockers: BTreeSet<(String, String)> =
        inventory.blockers().iter().map(|b| (b.code.name().to_owned(), b.url.clone())).collect();
    let wanted: BTreeSet<(String, String)> =
        expected.blockers.iter().map(|b| (b.code.clone(), b.url.clone())).collect();
    compare("blockers", format!("{blockers:?}"), format!("{wanted:?}"));
    let own = recording.seed().origin().to_owned();
    let short = |url: &str| url.strip_prefix(&own).unwrap_or(url).to_owned();
    let aliases: BTreeMap<String, String> =
        inventory.aliases().iter().map(|(from, to)| (short(from.as_str()), short(to.as_str()))).collect();
    let wanted: BTreeMap<String, String> =
        expected.aliases.iter().map(|(from, to)| (short(from), short(to))).collect();
    compare("aliases", format!("{aliases:?}"), format!("{wanted:?}"));
    let counts: BTreeMap<&str, usize> =
        inventory.ledger().counts().into_iter().map(|(d, n)| (d.name(), n)).collect();
    for (name, wanted) in &expected.counts {
        let found = counts.get(name.as_str()).copied().unwrap_or_default();
        compare(&format!("count of {name}"), found.to_string(), wanted.to_string());
    }
    faults
}

//! Whole small sites with their true answer: `cases/worlds.txt`.

mod support;

use std::collections::BTreeSet;

#[test]
fn every_world_is_seen_as_it_is() {
    let worlds = support::parse(include_str!("cases/worlds.txt"));
    assert!(worlds.len() > 30, "the file of worlds was read");
    let mut faults = Vec::new();
    for world in &worlds {
        if let Err(fault) = check(world) {
            faults.push(format!("{}\n{fault}", world.name));
        }
    }
    assert!(faults.is_empty(), "{} of {} worlds:\n\n{}", faults.len(), worlds.len(), faults.join("\n\n"));
}

fn check(world: &support::World) -> Result<(), String> {
    let (inventory, asked) = world.discover();
    let expect = &world.expect;
    let mut faults = Vec::new();
    let mut differ = |what: &str, found: String, expected: String| {
        if found != expected {
            faults.push(format!("  {what}\n    found    {found}\n    expected {expected}"));
        }
    };
    differ("decision", format!("{:?}", inventory.is_complete()), format!("{:?}", expect.complete));
    differ("blockers", format!("{:?}", support::codes(&inventory)), format!("{:?}", expect.codes));
    differ("pages", format!("{:?}", support::paths(&inventory)), format!("{:?}", expect.pages));
    let aliases: BTreeSet<(String, String)> = inventory
        .aliases()
        .iter()
        .map(|(from, to)| (from.path_and_query().into(), to.path_and_query().into()))
        .collect();
    differ("aliases", format!("{aliases:?}"), format!("{:?}", expect.aliases));
    let counts = inventory.ledger().counts();
    for (name, expected) in &expect.counts {
        let found = counts.iter().find(|(d, _)| d.name() == name).map_or(0, |(_, count)| *count);
        differ(name, found.to_string(), expected.to_string());
    }
    if let Some(limit) = expect.asked {
        differ(
            "requests",
            if asked.len() <= limit { "fine".into() } else { asked.len().to_string() },
            "fine".into(),
        );
    }
    for never in &expect.never {
        let hits: Vec<_> =
            asked.iter().filter(|url| url.as_str() == never || url.path_and_query() == never).collect();
        differ("never asked", format!("{hits:?}"), "[]".to_owned());
    }
    if faults.is_empty() {
        return Ok(());
    }
    for blocker in inventory.blockers().iter().take(6) {
        faults.push(format!("  blocker {} {}: {}", blocker.code.name(), blocker.url, blocker.message));
    }
    for entry in inventory.ledger().entries().iter().take(20) {
        faults.push(format!("  link {} {} ({})", entry.disposition, entry.href(), entry.why));
    }
    Err(faults.join("\n"))
}

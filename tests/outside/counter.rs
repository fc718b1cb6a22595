//! A tolerant counter of link-like tokens (safety case C3), written apart from the readers: it knows no
//! Markdown and no XML, only what links look like. What it counts and the reader did not account for
//! is an alarm. How many of its alarms are false on real indexes is shown in `docs/outside-truths.md`.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use wholesite_extract::sitemap::{self, Limits};
use wholesite_extract::{Link, Syntax, llms_txt};

use crate::score::Score;

/// What the counter saw in one index, and what the reader made of it.
#[derive(Debug, Default, Clone, Copy)]
struct Count {
    indexes: usize,
    tokens: usize,
    accounted: usize,
    alarms: usize,
}

#[test]
fn readers_account_for_every_token_of_real_indexes() {
    let Some(corpora) = wholesite_tests::corpora() else { return };
    let mut score = Score::of("counter");
    let mut table: BTreeMap<&str, Count> = BTreeMap::new();
    for path in files(&corpora) {
        let Some((kind, tokens, accounted)) = count(&path) else { continue };
        let alarms = tokens.saturating_sub(accounted);
        let row = table.entry(kind).or_default();
        row.indexes += 1;
        row.tokens += tokens;
        row.accounted += accounted.min(tokens);
        row.alarms += usize::from(alarms > 0);
        let name = path.strip_prefix(&corpora).unwrap_or(&path).to_string_lossy().into_owned();
        let outcome =
            if alarms == 0 { Ok(()) } else { Err(format!("{tokens} tokens, {accounted} accounted for")) };
        score.case(name, outcome);
    }
    println!(
        "| index | files | tokens | accounted for | files with an alarm |\n| --- | --- | --- | --- | --- |"
    );
    for (kind, Count { indexes, tokens, accounted, alarms }) in table {
        println!("| {kind} | {indexes} | {tokens} | {accounted} | {alarms} |");
    }
    score.settle();
}

/// `None` for what is no index: bundles of whole texts, binary files.
fn count(path: &Path) -> Option<(&'static str, usize, usize)> {
    let bytes = std::fs::read(path).ok()?;
    let name = path.file_name()?.to_str()?;
    if name.starts_with("sitemap") {
        let mut links = 0;
        let summary = sitemap::read(&bytes, None, &Limits::default(), &mut |link| {
            links += usize::from(link.syntax == Syntax::SitemapLoc);
        });
        let text = String::from_utf8(bytes).ok()?;
        summary.format.filter(|format| *format != sitemap::Format::Text)?;
        return Some(("sitemap", locations(&text), links));
    }
    let text = String::from_utf8(bytes).ok()?;
    if llms_txt::is_bundle_name(name) {
        return None;
    }
    let reading = llms_txt::read(&text);
    let is_written = |link: &&Link<'_>| matches!(link.syntax, Syntax::Inline | Syntax::HtmlHref);
    Some(("llms.txt", destinations(&text), reading.links.iter().filter(is_written).count()))
}

/// `](` and `href=` outside of fences, without those of images.
fn destinations(text: &str) -> usize {
    let (mut count, mut in_fence) = (0, false);
    for line in text.lines() {
        if line.trim_start().starts_with("```") || line.trim_start().starts_with("~~~") {
            in_fence = !in_fence;
        } else if !in_fence {
            let images = line.matches("![").count();
            count += line.matches("](").count().saturating_sub(images) + line.matches("href=").count();
        }
    }
    count
}

/// `<loc>` under any prefix but those of pictures and films.
fn locations(text: &str) -> usize {
    let names = text.split('<').filter_map(|tag| tag.split('>').next()).filter(|name| !name.starts_with('/'));
    names.filter(|name| *name == "loc" || (name.ends_with(":loc") && !name.starts_with("image"))).count()
}

/// All indexes below a folder, in order.
fn files(folder: &Path) -> Vec<PathBuf> {
    let is_index = |name: &str| {
        (name.starts_with("llms") && name.ends_with(".txt"))
            || (name.starts_with("sitemap") && name.ends_with(".xml"))
            || (name.contains("__") && name.ends_with(".txt"))
    };
    let (mut open, mut all) = (vec![folder.to_owned()], Vec::new());
    while let Some(folder) = open.pop() {
        for path in std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()) {
            if path.is_dir() {
                open.push(path);
            } else if path.file_name().and_then(|name| name.to_str()).is_some_and(is_index) {
                all.push(path);
            }
        }
    }
    all.sort();
    all
}

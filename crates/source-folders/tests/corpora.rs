//! Real folders: every page-like file is a page or says why not. The trees are no part of this project
//! (`WHOLESITE_CORPORA`); without them the test passes with a note.

mod support;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use wholesite_source_folders::{Resolution, Unreadable, detect};

const PAGES: &[&str] = &[".md", ".mdx", ".rst"];

fn corpora() -> Option<PathBuf> {
    let default = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpora");
    let path = std::env::var_os("WHOLESITE_CORPORA").map_or(default, PathBuf::from);
    path.is_dir().then_some(path)
}

#[test]
fn every_file_of_a_real_folder_is_accounted_for() {
    let Some(corpora) = corpora() else {
        println!("no corpora here, so nothing was read");
        return;
    };
    let generators =
        ["docusaurus", "fumadocs", "gitbook", "mdbook", "mkdocs", "sphinx", "starlight", "vitepress"];
    let mut unaccounted = Vec::new();
    for generator in generators {
        let Ok(trees) = std::fs::read_dir(corpora.join(generator)) else { continue };
        for tree in trees {
            let tree = tree.expect("readable").path();
            let name = format!("{generator}/{}", tree.file_name().unwrap_or_default().to_string_lossy());
            let tree = tree.join("tree");
            let files = support::listing(&tree);
            for found in detect(files.iter().map(String::as_str)) {
                let root = if found.root.is_empty() { String::new() } else { format!("{}/", found.root) };
                let below: Vec<String> =
                    files.iter().filter_map(|file| file.strip_prefix(&root)).map(str::to_owned).collect();
                let source = support::drive(found.generator, below.iter().cloned(), |path| {
                    std::fs::read(tree.join(&root).join(path)).map_err(|error| Unreadable(error.to_string()))
                });
                let known: BTreeSet<&str> = source
                    .pages
                    .iter()
                    .map(|page| page.file.as_str())
                    .chain(source.not_pages.iter().map(|(file, _)| file.as_str()))
                    .chain(source.collisions.iter().flat_map(|c| c.files.iter().map(String::as_str)))
                    .collect();
                let is_page_like = |file: &&String| PAGES.iter().any(|extension| file.ends_with(extension));
                let lost: Vec<_> =
                    below.iter().filter(is_page_like).filter(|file| !known.contains(file.as_str())).collect();
                let missing =
                    source.entries.iter().filter(|entry| entry.resolution == Resolution::Missing).count();
                println!(
                    "{name} as {} at {:?}: {} pages ({} listed), {} aliases, {} other files, {} entries ({missing} dead), {} collisions, {} blockers, {} lost",
                    found.generator,
                    found.root,
                    source.pages.len(),
                    source.pages.iter().filter(|page| page.listed).count(),
                    source.aliases.len(),
                    source.not_pages.len(),
                    source.entries.len(),
                    source.collisions.len(),
                    source.blockers.len(),
                    lost.len(),
                );
                for blocker in source.blockers.iter().take(6) {
                    println!("    {blocker:?}");
                }
                unaccounted.extend(lost.into_iter().map(|file| format!("{name}: {file}")));
            }
        }
    }
    assert!(unaccounted.is_empty(), "{unaccounted:#?}");
}

//! Which generators a folder is for, by the files that only they have.

use std::collections::{BTreeMap, BTreeSet};

use crate::Generator;
use crate::paths::{folder_of, name_of};

/// A generator's root in a listing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// Whose.
    pub generator: Generator,
    /// The folder, without a final slash; empty for the root of the listing.
    pub root: String,
    /// The file that says so.
    pub marker: String,
}

/// Finds the roots in a listing of paths, the likeliest first: the shallowest, then those whose marker says most.
/// A folder within another root of the same generator is still listed: it may be a site of its own.
pub fn detect<'p>(paths: impl IntoIterator<Item = &'p str>) -> Vec<Found> {
    let mut found: BTreeMap<(String, Generator), (u8, Found)> = BTreeMap::new();
    let mut starlight_roots: BTreeSet<String> = BTreeSet::new();
    for path in paths {
        if let Some((root, _)) = path.split_once("src/content/docs/") {
            starlight_roots.insert(root.trim_end_matches('/').to_owned());
        }
        let Some((rank, generator, root)) = marker(path) else { continue };
        let this = Found { generator, root: root.to_owned(), marker: path.to_owned() };
        let known = found.entry((root.to_owned(), generator)).or_insert_with(|| (rank, this.clone()));
        if rank < known.0 {
            *known = (rank, this);
        }
    }
    let mut found: Vec<(u8, Found)> = found.into_values().collect();
    found.sort_by_key(|(rank, found)| (depth(&found.root), *rank, found.root.clone()));
    // A SUMMARY.md is mdBook's where a book.toml stands at or above it.
    let books: Vec<String> =
        found.iter().filter(|(_, f)| f.generator == Generator::MdBook).map(|(_, f)| f.root.clone()).collect();
    let of_a_book =
        |root: &str| books.iter().any(|book| crate::paths::below(&format!("{root}/x"), book).is_some());
    found
        .into_iter()
        .map(|(_, found)| found)
        .filter(|found| found.generator != Generator::Starlight || starlight_roots.contains(&found.root))
        .filter(|found| found.generator != Generator::GitBook || !of_a_book(&found.root))
        .collect()
}

fn depth(root: &str) -> usize {
    if root.is_empty() { 0 } else { root.split('/').count() }
}

/// How sure a marker is (0 is surest), whose it is, and its root.
fn marker(path: &str) -> Option<(u8, Generator, &str)> {
    let folder = folder_of(path);
    let name = name_of(path);
    Some(match name {
        "mkdocs.yml" | "mkdocs.yaml" => (0, Generator::MkDocs, folder),
        "book.toml" => (0, Generator::MdBook, folder),
        ".gitbook.yaml" | ".gitbook.yml" => (0, Generator::GitBook, folder),
        "book.json" => (1, Generator::GitBook, folder),
        "SUMMARY.md" => (2, Generator::GitBook, folder),
        _ if name_of(folder) == ".vitepress" && is_script(name, "config") => {
            (0, Generator::VitePress, folder_of(folder))
        }
        _ if is_script(name, "astro.config") => (0, Generator::Starlight, folder),
        _ if is_script(name, "source.config") => (0, Generator::Fumadocs, folder),
        "conf.py" => (0, Generator::Sphinx, folder),
        "objects.inv" => (3, Generator::Sphinx, folder),
        _ if is_nextra(name) && matches!(name_of(folder), "pages" | "content" | "app") => {
            let root = folder_of(folder);
            (2, Generator::Nextra, if name_of(root) == "src" { folder_of(root) } else { root })
        }
        _ if is_script(name, "docusaurus.config") => (0, Generator::Docusaurus, folder),
        _ => return None,
    })
}

fn is_nextra(name: &str) -> bool {
    name == "_meta.json" || name == "_meta.tsx" || name == "_meta.jsx" || is_script(name, "_meta")
}

/// Whether a name is `stem` with the extension of a script.
pub(crate) fn is_script(name: &str, stem: &str) -> bool {
    let Some(extension) = name.strip_prefix(stem) else { return false };
    matches!(extension, ".js" | ".ts" | ".mjs" | ".mts" | ".cjs" | ".cts")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markers() {
        type Case<'c> = (&'c [&'c str], &'c [(&'c str, &'c str)]);
        let cases: &[Case<'_>] = &[
            (&["docs/index.md", "mkdocs.yml"], &[("mkdocs", "")]),
            (&["book.toml", "src/SUMMARY.md", "2018/book.toml"], &[("mdbook", ""), ("mdbook", "2018")]),
            (&["SUMMARY.md", "a.md"], &[("gitbook", "")]),
            (&["docs/.vitepress/config.mts", "docs/index.md"], &[("vitepress", "docs")]),
            (
                &["site/docusaurus.config.ts", "mkdocs.yml", "docusaurus.config.js.map"],
                &[("mkdocs", ""), ("docusaurus", "site")],
            ),
            (
                &["docs/astro.config.mjs", "docs/src/content/docs/a.md", "astro.config.ts"],
                &[("starlight", "docs")],
            ),
            (
                &["docs/conf.py", "apps/docs/source.config.ts"],
                &[("sphinx", "docs"), ("fumadocs", "apps/docs")],
            ),
            (
                &["src/pages/_meta.json", "x/_meta.json", "site/objects.inv"],
                &[("nextra", ""), ("sphinx", "site")],
            ),
            (&["README.md", "docs/a.md"], &[]),
        ];
        for (paths, expected) in cases {
            let found = detect(paths.iter().copied());
            let found: Vec<_> = found.iter().map(|f| (f.generator.name(), f.root.as_str())).collect();
            assert_eq!(found, *expected, "{paths:?}");
        }
    }
}

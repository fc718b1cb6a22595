//! Where in a repository the documentation is.

use std::collections::BTreeSet;

use crate::slug::{folder_of, normalize};

/// Folders whose configuration files belong to somebody else.
const FOREIGN: [&str; 2] = ["node_modules", ".git"];

/// The folders of a listing that hold a `docs.json` or `mint.json`: candidates for the docs root, the shallowest
/// first, then by name. The listed folder itself is the empty text.
pub fn find_root(paths: impl IntoIterator<Item = impl AsRef<str>>) -> Vec<String> {
    let mut folders = BTreeSet::new();
    for path in paths {
        let path = normalize(path.as_ref());
        let name = path.rsplit('/').next().unwrap_or_default();
        let is_foreign = path.split('/').any(|segment| FOREIGN.contains(&segment));
        if matches!(name, "docs.json" | "mint.json") && !is_foreign {
            let folder = folder_of(&path);
            let depth = if folder.is_empty() { 0 } else { folder.split('/').count() };
            folders.insert((depth, folder.to_owned()));
        }
    }
    folders.into_iter().map(|(_, folder)| folder).collect()
}

#[cfg(test)]
mod tests {
    #[test]
    fn shallow_roots_come_first() {
        let paths = [
            "web/site/docs/docs.json",
            "zoo/mint.json",
            "./docs/docs.json",
            "docs/mint.json",
            "a/node_modules/x/docs.json",
            "docs/my-docs.json",
        ];
        assert_eq!(super::find_root(paths), ["docs", "zoo", "web/site/docs"]);
        assert_eq!(super::find_root(["docs.json"]), [""]);
        assert!(super::find_root(["readme.md"]).is_empty());
    }
}

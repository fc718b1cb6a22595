//! Which file stands for which page, and where a new one can go.

use std::collections::BTreeMap;

use wholesite_address::StorePath;

use crate::names::{fold, hash, is_reserved, suffixed};

/// A path longer than this would be too long for some system together with the folders above.
const LONGEST: usize = 1_000;

/// The files of the live pages, by the name that a file system may see in theirs.
#[derive(Debug, Clone, Default)]
pub(crate) struct Files {
    files: BTreeMap<String, StorePath>,
    /// How many files are somewhere below a folder.
    folders: BTreeMap<String, usize>,
}

impl Files {
    /// A free file for a page: its store path, unless another page has that already, to some file
    /// system at least. A page at `a.md/b` and one at `a` are such a pair, besides those that differ
    /// only by case.
    pub(crate) fn free(&self, path: &StorePath) -> String {
        let wanted = path.as_str().trim_start_matches('/');
        if wanted.len() > LONGEST {
            return format!("~long/{}.md", hash(path.as_str(), 32));
        }
        let mut file = String::with_capacity(wanted.len() + 8);
        let mut rest = Some(wanted);
        while let Some(now) = rest {
            let (name, is_folder) = match now.split_once('/') {
                Some((name, after)) => {
                    rest = Some(after);
                    (name, true)
                }
                None => {
                    rest = None;
                    (now, false)
                }
            };
            if !file.is_empty() {
                file.push('/');
            }
            let base = file.len();
            file.push_str(name);
            let mut digits = 4;
            while self.is_taken(&file, &file[base..], is_folder) {
                file.truncate(base);
                file.push_str(&suffixed(name, path.as_str(), digits));
                digits += 4;
            }
        }
        file
    }

    fn is_taken(&self, file: &str, name: &str, as_folder: bool) -> bool {
        let folded = fold(file);
        self.files.contains_key(&folded)
            || (!as_folder && self.folders.contains_key(&folded))
            || is_reserved(&fold(name))
    }

    /// Gives a file to a page.
    ///
    /// # Errors
    /// In words: a manifest that says so was not written by us.
    pub(crate) fn add(&mut self, file: &str, path: &StorePath) -> Result<(), String> {
        if !is_safe(file) {
            return Err(format!("`{file}` is no name for a page's file"));
        }
        let folded = fold(file);
        for (at, _) in folded.match_indices('/') {
            *self.folders.entry(folded[..at].to_owned()).or_default() += 1;
        }
        match self.files.insert(folded, path.clone()) {
            Some(other) => Err(format!("`{file}` stands for {other} and for {path}")),
            None => Ok(()),
        }
    }

    /// Takes a file away from its page.
    pub(crate) fn remove(&mut self, file: &str) {
        let folded = fold(file);
        if self.files.remove(&folded).is_none() {
            return;
        }
        for (at, _) in folded.match_indices('/') {
            if let Some(count) = self.folders.get_mut(&folded[..at]) {
                *count -= 1;
                if *count == 0 {
                    self.folders.remove(&folded[..at]);
                }
            }
        }
    }

    /// The page that a file stands for.
    pub(crate) fn page(&self, file: &str) -> Option<&StorePath> {
        self.files.get(&fold(file))
    }
}

/// Whether a file lies below the site's folder, and outside our own. A manifest that was tampered
/// with must not lead anywhere else.
fn is_safe(file: &str) -> bool {
    file.ends_with(".md")
        && file.split('/').all(|name| {
            !name.is_empty()
                && name != "."
                && name != ".."
                && !name.contains(['\\', ':', '\0'])
                && !is_reserved(&fold(name))
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(text: &str) -> StorePath {
        StorePath::parse(text).unwrap()
    }

    #[test]
    fn files_are_kept_apart() {
        let mut files = Files::default();
        let mut place = |text: &str| {
            let file = files.free(&path(text));
            files.add(&file, &path(text)).unwrap();
            file
        };
        assert_eq!(place("/Guide.md"), "Guide.md");
        let other = place("/guide.md");
        assert!(other.starts_with("guide~") && other.ends_with(".md") && other.len() == 13, "{other}");
        assert_eq!(place("/a.md"), "a.md");
        assert!(place("/a.md/b.md").starts_with("a~"));
        assert_eq!(place("/c.md/d.md"), "c.md/d.md");
        assert!(place("/c.md").starts_with("c~"));
        assert!(place("/.wholesite/journal.md").starts_with(".wholesite~"));
        assert!(place("/x/.git/config.md").starts_with("x/.git~"));
        assert!(place(&format!("/{}", "long/".repeat(300) + "a.md")).starts_with("~long/"));
        files.remove("Guide.md");
        assert_eq!(files.free(&path("/guide.md")), "guide.md");
        files.remove("c.md/d.md");
        assert_eq!(files.free(&path("/c.md")), "c.md", "the folder is gone");
    }

    #[test]
    fn no_file_leads_out() {
        let mut files = Files::default();
        for file in
            ["../a.md", "/a.md", "a/../b.md", "a\\b.md", ".wholesite/a.md", "C:a.md", ".Git/a.md", "a"]
        {
            assert!(files.add(file, &path("/a.md")).is_err(), "{file}");
        }
    }
}

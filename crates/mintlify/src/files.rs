//! Which files of the folder are pages, by their paths alone.

use std::collections::HashMap;
use std::path::Path;

use ignore::gitignore::{Gitignore, GitignoreBuilder};

use crate::model::Reason;
use crate::slug::{folder_of, is_markdown};

/// The file with a site's own ignore patterns, at the docs root.
pub(crate) const IGNORE_FILE: &str = ".mintignore";

/// What every Mintlify site ignores, at any depth and in any case.
const BUILT_IN: [&str; 12] = [
    ".git",
    ".github",
    ".claude",
    ".agents",
    ".idea",
    ".vscode",
    ".cursor",
    "node_modules",
    "README.md",
    "LICENSE.md",
    "CHANGELOG.md",
    "CONTRIBUTING.md",
];

/// Names of `.md` files that are about the repository, in any folder. (An `.mdx` of that name is a page.)
const REPOSITORY_FILES: [&str; 4] = ["readme.md", "license.md", "contributing.md", "contribute.md"];

/// Names that replace a generated file, in any folder.
const OVERRIDES: [&str; 4] = ["llms.txt", "llms-full.txt", "robots.txt", "sitemap.xml"];

/// Mintlify's own folder, of which only skills and data files count.
const OWN_FOLDER: &str = ".mintlify/";

/// What a file is, going by its path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Class {
    /// A page, unless something imports it.
    Page,
    /// A snippet.
    Snippet,
    /// No page, for that reason.
    NotPage(Reason),
    /// An asset, a data file …: of no concern.
    Other,
}

/// Tells files apart. Remembers folders, since most files share them.
pub(crate) struct Classifier {
    patterns: Gitignore,
    folders: HashMap<String, Option<Reason>>,
}

impl Classifier {
    /// `ignore_file` is the text of `.mintignore`. Returns the lines (1-based) that are no pattern, too.
    pub(crate) fn new(ignore_file: &str) -> (Classifier, Vec<(u32, String)>) {
        let mut builder = GitignoreBuilder::new("");
        let mut bad = Vec::new();
        // The setting is documented to hold for what is added after it, and to fail never.
        let _ = builder.case_insensitive(true);
        for pattern in BUILT_IN {
            let _ = builder.add_line(None, pattern);
        }
        for (number, line) in (1..).zip(ignore_file.trim_start_matches('\u{feff}').lines()) {
            if let Err(error) = builder.add_line(Some(IGNORE_FILE.into()), line.trim()) {
                bad.push((number, error.to_string()));
            }
        }
        let patterns = builder.build().unwrap_or_else(|error| {
            bad.push((1, error.to_string()));
            Gitignore::empty()
        });
        (Classifier { patterns, folders: HashMap::new() }, bad)
    }

    /// Classes a file. `path` is relative, without `.` and `..`.
    pub(crate) fn class(&mut self, path: &str) -> Class {
        let name = path.rsplit('/').next().unwrap_or(path);
        let is_override = OVERRIDES.contains(&name);
        if !is_override && !is_markdown(path) {
            return Class::Other;
        }
        if let Some(below) = strip_prefix_ignoring_case(path, OWN_FOLDER) {
            let skill = strip_prefix_ignoring_case(below, "skills/").is_some() && name == "SKILL.md";
            return Class::NotPage(if skill { Reason::Skill } else { Reason::BuiltInIgnore(".mintlify/**") });
        }
        if let Some(reason) = self.ignored(path) {
            return Class::NotPage(reason);
        }
        if is_override {
            return Class::NotPage(Reason::Override);
        }
        if ["snippets/", "_snippets/"].iter().any(|folder| strip_prefix_ignoring_case(path, folder).is_some())
        {
            return Class::Snippet;
        }
        if REPOSITORY_FILES.iter().any(|known| name.eq_ignore_ascii_case(known)) {
            return Class::NotPage(Reason::RepositoryFile);
        }
        if path.eq_ignore_ascii_case("skill.md") {
            return Class::NotPage(Reason::Skill);
        }
        Class::Page
    }

    /// Why a file is ignored. As in git, a file below an ignored folder cannot be taken back by a later pattern.
    fn ignored(&mut self, path: &str) -> Option<Reason> {
        let folder = folder_of(path);
        if !folder.is_empty() {
            let mut end = 0;
            // From the outermost folder inwards; each is asked once in the life of the classifier.
            while end < folder.len() {
                end += folder[end..].find('/').unwrap_or(folder.len() - end);
                let reason = match self.folders.get(&folder[..end]) {
                    Some(known) => known.clone(),
                    None => {
                        let reason = self.matched(&folder[..end], true);
                        self.folders.insert(folder[..end].to_owned(), reason.clone());
                        reason
                    }
                };
                if reason.is_some() {
                    return reason;
                }
                end += 1;
            }
        }
        self.matched(path, false)
    }

    fn matched(&self, path: &str, is_folder: bool) -> Option<Reason> {
        let ignore::Match::Ignore(glob) = self.patterns.matched(Path::new(path), is_folder) else {
            return None;
        };
        Some(match glob.from() {
            Some(_) => Reason::MintIgnore(glob.original().to_owned()),
            None => Reason::BuiltInIgnore(
                BUILT_IN.iter().find(|pattern| **pattern == glob.original()).copied().unwrap_or_default(),
            ),
        })
    }
}

fn strip_prefix_ignoring_case<'p>(path: &'p str, prefix: &str) -> Option<&'p str> {
    let head = path.get(..prefix.len())?;
    head.eq_ignore_ascii_case(prefix).then(|| &path[prefix.len()..])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_have_their_class() {
        let patterns = "drafts/\n!drafts/keep.md\n  *.wip.mdx\n!live.wip.mdx\n/only-here.md\n# note\n";
        let (mut classifier, bad) = Classifier::new(patterns);
        assert!(bad.is_empty());
        let mint = |pattern: &str| Class::NotPage(Reason::MintIgnore(pattern.into()));
        let built_in = |pattern| Class::NotPage(Reason::BuiltInIgnore(pattern));
        let cases = [
            ("a.mdx", Class::Page),
            ("deep/down/a.md", Class::Page),
            ("readme.mdx", Class::Page),
            ("AGENTS.md", Class::Page),
            ("part/skill.md", Class::Page),
            ("part/snippets/a.mdx", Class::Page),
            (".hidden/a.mdx", Class::Page),
            ("drafts.mdx", Class::Page),
            ("live.wip.mdx", Class::Page),
            ("sub/only-here.md", Class::Page),
            ("picture.png", Class::Other),
            ("docs.json", Class::Other),
            ("UP.MDX", Class::Other),
            ("Snippets/a.mdx", Class::Snippet),
            ("_snippets/deep/a.md", Class::Snippet),
            ("drafts/keep.md", mint("drafts/")),
            ("sub/drafts/x/a.md", mint("drafts/")),
            ("sub/a.wip.mdx", mint("*.wip.mdx")),
            ("only-here.md", mint("/only-here.md")),
            ("docs/changelog.md", built_in("CHANGELOG.md")),
            ("docs/README.MD", Class::Other),
            (".GitHub/a.mdx", built_in(".github")),
            ("a/node_modules/b/c.md", built_in("node_modules")),
            (".mintlify/notes.md", built_in(".mintlify/**")),
            (".mintlify/skills/deploy/SKILL.md", Class::NotPage(Reason::Skill)),
            ("skill.md", Class::NotPage(Reason::Skill)),
            ("docs/contribute.md", Class::NotPage(Reason::RepositoryFile)),
            ("public/llms.txt", Class::NotPage(Reason::Override)),
            ("drafts/llms.txt", mint("drafts/")),
        ];
        for (path, class) in cases {
            assert_eq!(classifier.class(path), class, "{path}");
        }
    }

    #[test]
    fn a_line_that_is_no_pattern_is_told() {
        let (mut classifier, bad) = Classifier::new("fine/\n[z-a]\n");
        assert_eq!(bad.len(), 1);
        assert_eq!(bad[0].0, 2);
        assert_ne!(classifier.class("fine/a.md"), Class::Page);
    }
}

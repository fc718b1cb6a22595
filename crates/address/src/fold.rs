//! Spellings that mean one page, where a site declares or proves that they do.

use crate::SiteUrl;

/// Which spellings of an address a site answers with the same page. Nothing is folded by default:
/// `/a`, `/a/`, `/a.md` and `/a.html` are four addresses until there is evidence that they are one
/// page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Fold {
    /// `/a.md` is the Markdown view of `/a`.
    pub markdown_twin: bool,
    /// `/a/index` is `/a/` (or `/a`, where slashes are folded too).
    pub index: bool,
    /// `/a/` is `/a`.
    pub trailing_slash: bool,
    /// `/a.html` is `/a`, and `/a/index.html` is `/a/`.
    pub html: bool,
}

impl Fold {
    /// What Mintlify hosts do: `.md` twins, index pages at their folder's address, no route with a
    /// final slash.
    pub const MINTLIFY: Fold = Fold { markdown_twin: true, index: true, trailing_slash: true, html: false };

    /// Folds everything that either of the two folds.
    pub fn union(self, other: Fold) -> Fold {
        Fold {
            markdown_twin: self.markdown_twin || other.markdown_twin,
            index: self.index || other.index,
            trailing_slash: self.trailing_slash || other.trailing_slash,
            html: self.html || other.html,
        }
    }

    /// The address under which all folded spellings meet. Queries are left alone. Idempotent.
    pub fn apply(self, url: &SiteUrl) -> SiteUrl {
        let folded = self.path(url.path());
        if folded == url.path() { url.clone() } else { url.with_path_keeping_query(folded) }
    }

    /// Strips until nothing more can be stripped, so that folding twice changes nothing.
    fn path(self, path: &str) -> &str {
        let mut folded = path;
        loop {
            let before = folded;
            if self.trailing_slash {
                folded = trim_slash(folded);
            }
            if self.html {
                folded = strip_extension(strip_extension(folded, ".html"), ".htm");
            }
            if self.markdown_twin {
                folded = strip_extension(strip_extension(folded, ".md"), ".mdx");
            }
            if (self.index || self.html) && folded.ends_with("/index") {
                // Keeps the folder's slash: `/a/index` is `/a/`.
                folded = &folded[..folded.len() - "index".len()];
            }
            if folded == before {
                return folded;
            }
        }
    }
}

/// `/` keeps its slash; an extension is only one where a name stands before it.
fn strip_extension<'p>(path: &'p str, extension: &str) -> &'p str {
    match path.strip_suffix(extension) {
        Some(stem) if !stem.ends_with('/') && !stem.is_empty() => stem,
        _ => path,
    }
}

fn trim_slash(path: &str) -> &str {
    match path.trim_end_matches('/') {
        "" => "/",
        trimmed => trimmed,
    }
}

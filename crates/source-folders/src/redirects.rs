//! `_redirects`, the rules that Netlify and Cloudflare Pages read from a site's static files.

use crate::build::Builder;
use crate::paths::is_external;

/// Takes the literal rules of a file, for paths on the host: those below the base path lead to pages. Rules with
/// placeholders are noted, since they are rules and no list of addresses.
pub(crate) fn take(
    builder: &mut Builder<'_>,
    file: &str,
    base_path: &str,
    page_at: impl Fn(&str) -> Option<String>,
) {
    let Some(text) = builder.tree.text(file) else { return };
    let mut wildcards = 0;
    for line in text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#')) {
        let mut words = line.split_whitespace();
        let (Some(from), Some(to)) =
            (words.next(), words.find(|word| word.starts_with('/') || is_external(word)))
        else {
            continue;
        };
        if from.contains(['*', ':']) || to.contains(':') {
            wildcards += usize::from(!is_external(to));
            continue;
        }
        let below =
            |path: &str| path.strip_prefix(base_path).filter(|rest| rest.starts_with('/')).map(str::to_owned);
        if let (Some(from), Some(to)) = (below(from), below(to).and_then(|to| page_at(&to))) {
            builder.alias(from, to);
        }
    }
    if wildcards > 0 {
        builder.note(format!(
            "{file}: {wildcards} redirect rules with placeholders lead to other paths of the site"
        ));
    }
}

/// A path under which all spellings of a page meet: no `.html`, no `/index`, no final slash.
pub(crate) fn key(path: &str) -> &str {
    let path = path.split(['#', '?']).next().unwrap_or_default();
    let path = path.strip_suffix(".html").or_else(|| path.strip_suffix(".md")).unwrap_or(path);
    let path = path.strip_suffix("/index").unwrap_or(path);
    path.trim_end_matches('/')
}

//! The blog plugin: posts, and the lists of them.

use std::collections::BTreeSet;

use super::config::Blog;
use super::docs::{tag_pages, tag_routes};
use super::{Build, MARKDOWN, content_files, excluded_by_default};
use crate::BlockerKind;
use crate::build::Builder;
use crate::paths::{folder_of, name_of, split_extension, title_of};

pub(super) fn build(
    builder: &mut Builder<'_>,
    build: &Build,
    blog: &Blog,
    taken: &mut Vec<(String, String)>,
) {
    let tree = builder.tree;
    let translated = build.translations("docusaurus-plugin-content-blog", &blog.content.id);
    let files = content_files(tree, &blog.content.path, translated.as_deref(), MARKDOWN);
    let base = blog.content.route.as_str();
    let mut posts = 0;
    let mut tags = BTreeSet::new();
    for file in &files {
        let facts = tree.facts(&file.file).cloned().unwrap_or_default();
        if excluded_by_default(&file.relative) {
            taken.push((file.file.clone(), "excluded: a part of other pages".to_owned()));
            continue;
        }
        if facts.flag("draft") == Some(true) {
            taken.push((file.file.clone(), "a draft".to_owned()));
            continue;
        }
        let slug = facts.text("slug").unwrap_or_else(|| default_slug(&file.relative));
        let address = build.address(&format!("{base}{}", slug.trim_start_matches('/')));
        let title = facts.title().unwrap_or_else(|| title_of(&slug));
        builder.page(&file.file, address, Some(title));
        if facts.flag("unlisted") != Some(true) {
            posts += 1;
            tags.extend(tag_routes(&facts));
        }
    }
    if posts == 0 {
        return;
    }
    let folder = &blog.content.path;
    builder.generated(&build.cause, build.address(base.trim_end_matches('/')), "Blog".to_owned());
    let pages = blog.posts_per_page.map_or(1, |count| usize::div_ceil(posts, count));
    for number in 2..=pages {
        let address = build.address(&format!("{base}page/{number}"));
        builder.generated(&build.cause, address, format!("Blog, page {number}"));
    }
    if blog.archive {
        builder.generated(&build.cause, build.address(&format!("{base}archive")), "Archive".to_owned());
    }
    if !tags.is_empty() {
        tag_pages(builder, build, &format!("{base}tags"), folder, &tags);
    }
    let authors = format!("{folder}/authors.yml");
    if tree.text(&authors).is_some_and(|text| text.lines().any(|line| line.trim_start().starts_with("page:")))
    {
        builder.block(
            BlockerKind::NeedsRunning,
            &authors,
            None,
            "authors with pages of their own are not read here",
        );
    }
}

/// `2024-01-02-a.md`, `2024/01/02/a.md` and `2024-01-02-a/index.md` are `/2024/01/02/a`; a file without a date is its
/// own path.
fn default_slug(relative: &str) -> String {
    let stem = split_extension(relative).0;
    let stem = if name_of(stem) == "index" && stem != "index" { folder_of(stem) } else { stem };
    match date(stem) {
        Some((before, date, rest)) => format!("/{}/{before}{rest}", date.replace('-', "/")),
        None => format!("/{stem}"),
    }
}

/// Parts a path at the last date in it: what stands before, the date, what stands behind without its first mark.
fn date(stem: &str) -> Option<(&str, &str, &str)> {
    let bytes = stem.as_bytes();
    let starts = (0..bytes.len()).rev().filter(|at| bytes[*at].is_ascii_digit());
    for start in starts {
        let Some(length) = date_length(&bytes[start..]) else { continue };
        let rest = &stem[start + length..];
        return Some((
            &stem[..start],
            &stem[start..start + length],
            rest.strip_prefix(['-', '/']).unwrap_or(rest),
        ));
    }
    None
}

/// The length of `YYYY-M(M)-D(D)` (or with slashes) at the start.
fn date_length(bytes: &[u8]) -> Option<usize> {
    let digits = |from: usize, most: usize| {
        bytes.get(from..)?.iter().take(most).take_while(|byte| byte.is_ascii_digit()).count().into()
    };
    let mark = |at: usize| bytes.get(at).is_some_and(|byte| matches!(byte, b'-' | b'/'));
    let year: Option<usize> = digits(0, 4);
    if year != Some(4) || !mark(4) {
        return None;
    }
    let month = digits(5, 2).filter(|count| *count > 0)?;
    let day_at = 5 + month + 1;
    if !mark(5 + month) {
        return None;
    }
    let day = digits(day_at, 2).filter(|count| *count > 0)?;
    Some(day_at + day)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slugs() {
        let cases = [
            ("2024-01-02-first.md", "/2024/01/02/first"),
            ("2024/01/02/first.mdx", "/2024/01/02/first"),
            ("2024-01-02-first/index.md", "/2024/01/02/first"),
            ("news/2024-1-2-first.md", "/2024/1/2/news/first"),
            ("about.md", "/about"),
            ("index.md", "/index"),
        ];
        for (file, slug) in cases {
            assert_eq!(default_slug(file), slug, "{file}");
        }
    }
}

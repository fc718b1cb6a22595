//! The pages plugin: files of `src/pages` at their own paths.

use super::config::Content;
use super::{Build, content_files, excluded_by_default};
use crate::build::Builder;
use crate::paths::{folder_of, name_of, split_extension, title_of};

const PAGE: &[&str] = &["md", "mdx", "js", "jsx", "ts", "tsx"];

pub(super) fn build(
    builder: &mut Builder<'_>,
    build: &Build,
    content: &Content,
    taken: &mut Vec<(String, String)>,
) {
    let tree = builder.tree;
    let translated = build.translations("docusaurus-plugin-content-pages", &content.id);
    for file in content_files(tree, &content.path, translated.as_deref(), PAGE) {
        let is_types = file.relative.ends_with(".d.ts");
        if excluded_by_default(&file.relative) || is_types {
            taken.push((file.file, "excluded: a part of other pages".to_owned()));
            continue;
        }
        let facts = tree.facts(&file.file);
        if facts.is_some_and(|facts| facts.flag("draft") == Some(true)) {
            taken.push((file.file, "a draft".to_owned()));
            continue;
        }
        let stem = split_extension(&file.relative).0;
        let route = match name_of(stem) {
            "index" if folder_of(stem).is_empty() => String::new(),
            "index" => format!("{}/", folder_of(stem)),
            _ => stem.to_owned(),
        };
        let title = facts.and_then(|facts| facts.title()).unwrap_or_else(|| title_of(stem));
        builder.page(&file.file, build.address(&format!("{}{route}", content.route)), Some(title));
    }
}

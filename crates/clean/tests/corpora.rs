//! Every page of the real documentation trees must pass.
//!
//! The trees are found through `WHOLESITE_CORPORA`, by default `../shared/corpora` beside the
//! workspace. Without them the test says so and passes.

use std::path::{Path, PathBuf};

use wholesite_address::SiteUrl;
use wholesite_clean::{NotAPage, Served, Wanted, clean};

fn corpora() -> Option<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let folder =
        std::env::var_os("WHOLESITE_CORPORA").map_or_else(|| root.join("../shared/corpora"), PathBuf::from);
    if folder.is_dir() {
        return Some(folder);
    }
    eprintln!("SKIPPED: no corpora at {}; set WHOLESITE_CORPORA", folder.display());
    None
}

fn files(folder: &Path, endings: &[&str], out: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let path = entry.path();
        if path.is_dir() {
            files(&path, endings, out);
        } else if path.extension().is_some_and(|ending| endings.iter().any(|known| ending == *known)) {
            out.push(path);
        }
    }
}

fn address(file: &Path, folder: &Path) -> SiteUrl {
    let path = file.strip_prefix(folder).expect("a file in the folder").to_string_lossy().replace('\\', "/");
    SiteUrl::parse(&format!("https://docs.example.com/{}", path.replace(['%', '?', '#'], "-")))
        .expect("an address")
}

#[test]
fn markdown_of_real_sites_is_never_refused() {
    let Some(corpora) = corpora() else { return };
    for engine in
        ["mintlify", "docusaurus", "vitepress", "mkdocs", "fumadocs", "gitbook", "mdbook", "starlight"]
    {
        let folder = corpora.join(engine);
        let mut found = Vec::new();
        files(&folder, &["md", "mdx"], &mut found);
        let mut refused = Vec::new();
        for file in &found {
            let body = std::fs::read(file).expect("a file");
            let url = address(file, &folder);
            let served = Served { url: &url, wanted: Wanted::Markdown, content_type: None, body: &body };
            match clean(&served) {
                Ok(page) => {
                    let again = Served { body: page.text.as_bytes(), ..served };
                    assert_eq!(
                        clean(&again).map(|again| again.text),
                        Ok(page.text.clone()),
                        "{}",
                        file.display()
                    );
                }
                // A file without a word has nothing to be refused.
                Err(NotAPage::Empty) if body.trim_ascii().is_empty() => {}
                // What one generator serves for unknown addresses stands among its pages.
                Err(NotAPage::NotFound) if file.ends_with("404.md") => {}
                Err(error) => refused.push(format!("{}: {error}", file.display())),
            }
        }
        println!("{engine}: {} pages", found.len());
        assert!(refused.is_empty(), "{} refused:\n{}", refused.len(), refused.join("\n"));
    }
}

#[test]
fn html_of_real_sites_keeps_its_words() {
    let Some(corpora) = corpora() else { return };
    let mut found = Vec::new();
    for engine in ["built-html", "mkdocs"] {
        files(&corpora.join(engine), &["html"], &mut found);
    }
    let mut refused = Vec::new();
    for file in &found {
        let body = std::fs::read(file).expect("a file");
        let url = address(file, &corpora);
        match clean(&Served { url: &url, wanted: Wanted::Any, content_type: Some("text/html"), body: &body })
        {
            Ok(page) => assert!(page.text.ends_with('\n') && page.title.is_some(), "{}", file.display()),
            Err(error) => refused.push(format!("{}: {error}", file.display())),
        }
    }
    println!("{} pages of HTML; refused: {refused:#?}", found.len());
    // Sites keep their page of unknown addresses, their redirects and pages of scripts among their files.
    let of_scripts = [NotAPage::Redirect.to_string(), NotAPage::AppShell.to_string()];
    let known = |line: &String| line.contains("404.html") || of_scripts.iter().any(|end| line.ends_with(end));
    assert!(refused.iter().all(known), "{refused:#?}");
}

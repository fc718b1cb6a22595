//! Writes the generated site into a folder, for a web server and for tools that read a checkout:
//! `make-site FOLDER [PAGES] [ORIGIN] [CHANGED] [REMOVED]`.
//!
//! `FOLDER/www` is what the server serves, `FOLDER/src` what the authors wrote. The first CHANGED pages
//! get another version, the last REMOVED ones are left out.

use std::fs;
use std::io;
use std::path::Path;

use wholesite_benches::Site;

fn main() -> io::Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let text = |at: usize, default: &str| arguments.get(at).cloned().unwrap_or_else(|| default.to_owned());
    let number = |at, default| text(at, default).parse::<usize>().map_err(io::Error::other);
    let folder = text(0, "site");
    let (pages, changed, removed) = (number(1, "3913")?, number(3, "0")?, number(4, "0")?);
    let site = Site::new(&text(2, "http://127.0.0.1:8080"), pages, 1).without_last(removed);
    let (www, source) = (Path::new(&folder).join("www"), Path::new(&folder).join("src"));
    write(&www.join("llms.txt"), &site.llms_txt())?;
    write(&www.join("sitemap.xml"), &site.sitemap())?;
    let mut nav = Vec::new();
    for n in 0..site.pages() {
        let version = if n < changed { 2 } else { 1 };
        let path = site.path(n).trim_start_matches('/').to_owned();
        write(&www.join(format!("{path}.md")), &site.markdown(n, version))?;
        write(&www.join(format!("{path}.html")), &site.html(n, version))?;
        write(&source.join(format!("{path}.mdx")), &site.mdx(n, version))?;
        nav.push(format!("{path:?}"));
    }
    for section in 0.. {
        let path = format!("/section-{section:03}/llms.txt");
        let Some(index) = site.section_index(&path).filter(|index| index.contains("](")) else { break };
        write(&www.join(path.trim_start_matches('/')), &index)?;
    }
    let nav = nav.join(", ");
    write(
        &source.join("docs.json"),
        &format!("{{\"name\": \"Generated\", \"navigation\": {{\"pages\": [{nav}]}}}}\n"),
    )?;
    println!("{} pages in {folder}", site.pages());
    Ok(())
}

fn write(file: &Path, text: &str) -> io::Result<()> {
    if let Some(folder) = file.parent() {
        fs::create_dir_all(folder)?;
    }
    fs::write(file, text)
}

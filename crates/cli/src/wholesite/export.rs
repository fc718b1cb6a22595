//! Writing the pages in forms that other tools read.

use std::fs;
use std::io::{self, BufWriter, Write};
use std::path::Path;

use serde_json::json;
use wholesite::store::{Page, Store};

use super::args::{Export, Form};
use super::report::plural;
use super::shelf::{Shelf, block_on};
use crate::Exit;
use crate::error::Failure;

pub(crate) fn export(args: &Export) -> Result<Exit, Failure> {
    block_on(async {
        let shelf = Shelf::open(&args.place, false).await?;
        let mut pages = Vec::new();
        for record in shelf.records(&args.prefix).await? {
            pages.extend(shelf.store.page(&shelf.site, &record.path).await?);
        }
        if pages.is_empty() {
            return Err(Failure::No {
                what: "there is no page to export".to_owned(),
                help: "`wholesite list` shows all",
            });
        }
        match args.format {
            Form::Files => files(&args.out, &pages)?,
            form => {
                let text = render(form, shelf.site.as_str(), &pages);
                if args.out == "-" {
                    let mut out = BufWriter::new(io::stdout().lock());
                    out.write_all(text.as_bytes())?;
                    out.flush()?;
                } else {
                    write_file(Path::new(&args.out), &text)?;
                }
            }
        }
        if args.out != "-" {
            writeln!(io::stderr(), "{} written to {}", plural(pages.len(), "page"), args.out)?;
        }
        Ok(Exit::Complete)
    })?
}

fn write_file(path: &Path, text: &str) -> Result<(), Failure> {
    fs::write(path, text).map_err(|cause| Failure::File { path: path.to_owned(), cause })
}

/// A new folder, so that nothing of the user's is ever written over.
fn files(out: &str, pages: &[Page]) -> Result<(), Failure> {
    if out == "-" {
        return Err(Failure::Wrong {
            what: "files need a folder".to_owned(),
            help: "name one: --out ./pages",
        });
    }
    let root = Path::new(out);
    let is_taken = fs::read_dir(root).is_ok_and(|mut entries| entries.next().is_some()) || root.is_file();
    if is_taken {
        return Err(Failure::Wrong {
            what: format!("{out} is not empty"),
            help: "name a folder that is empty, or none yet",
        });
    }
    for page in pages {
        // Store paths hold no `..`, no drive and nothing else that leads out of a folder.
        let path = root.join(page.record.path.as_str().trim_start_matches('/'));
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder).map_err(|cause| Failure::File { path: folder.to_owned(), cause })?;
        }
        let file = fs::File::create_new(&path).and_then(|mut file| file.write_all(page.text.as_bytes()));
        file.map_err(|cause| Failure::File { path: path.clone(), cause })?;
    }
    Ok(())
}

fn render(form: Form, site: &str, pages: &[Page]) -> String {
    let mut out = String::new();
    match form {
        Form::Files => {}
        Form::Llms => {
            out.push_str(&format!("# {site}\n\n## Pages\n\n"));
            for page in pages {
                out.push_str(&format!("- [{}]({})\n", label(page), page.record.url));
            }
        }
        Form::LlmsFull => {
            for page in pages {
                out.push_str(&format!("# {}\nSource: {}\n\n{}\n", title(page), page.record.url, page.text));
            }
        }
        Form::Sitemap => {
            out.push_str("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">\n");
            for page in pages {
                let loc = page.record.url.as_str().replace('&', "&amp;").replace('\'', "&apos;");
                out.push_str(&format!(
                    "  <url><loc>{loc}</loc><lastmod>{}</lastmod></url>\n",
                    page.record.changed
                ));
            }
            out.push_str("</urlset>\n");
        }
        Form::Jsonl | Form::Langchain | Form::Llamaindex => {
            for page in pages {
                out.push_str(&document(form, page).to_string());
                out.push('\n');
            }
        }
    }
    out
}

fn document(form: Form, page: &Page) -> serde_json::Value {
    let record = &page.record;
    let metadata = json!({
        "source": record.url.as_str(), "path": record.path.as_str(), "title": record.title,
        "revision": record.revision, "changed": record.changed.to_string(),
    });
    match form {
        // The fields of `langchain_core.documents.Document`.
        Form::Langchain => {
            json!({ "id": record.url.as_str(), "page_content": page.text, "metadata": metadata, "type": "Document" })
        }
        // The fields that `llama_index.core.Document` is made from.
        Form::Llamaindex => json!({ "id_": record.url.as_str(), "text": page.text, "metadata": metadata }),
        _ => {
            let mut value = super::read::summary(record);
            value["text"] = page.text.clone().into();
            value
        }
    }
}

fn title(page: &Page) -> String {
    page.record.title.clone().unwrap_or_else(|| page.record.path.to_string())
}

/// A title as the text of a link.
fn label(page: &Page) -> String {
    title(page).replace('\\', "\\\\").replace('[', "\\[").replace(']', "\\]").replace('\n', " ")
}

//! The truth about a site.

use std::collections::{BTreeMap, BTreeSet};

use wholesite_fetch::{Answer, Request};

use crate::SITE;
use crate::web::respond;

/// A site as it is, without anything that goes wrong.
#[derive(Debug, Clone, Default)]
pub struct World {
    /// Its pages: what each says, by path without an extension, such as `/guides/setup`.
    pub pages: BTreeMap<String, Text>,
    /// Pages that are served but in no index.
    pub delisted: BTreeSet<String>,
    /// Paths that lead for good to another one.
    pub moved: BTreeMap<String, String>,
    /// Further lines of llms.txt.
    pub extra_lines: Vec<String>,
    /// Sub-indexes: pages below `/NAME/` are listed in `/NAME/llms.txt` rather than in the root's.
    pub nested: BTreeSet<String>,
    /// What paths get that don't exist.
    pub absent: Absent,
}

/// What a page says.
pub type Text = String;

/// What a site answers to paths that don't exist.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Absent {
    /// 404.
    #[default]
    Status404,
    /// 410.
    Status410,
    /// A redirect to the home page, as Mintlify hosts do.
    Redirect,
    /// A page with status 200.
    Soft,
}

impl World {
    /// A site of `count` pages, `/p00` and so on, each with some text of its own.
    pub fn of(count: usize) -> Self {
        let mut world = World::default();
        for n in 0..count {
            world.put(&format!("/p{n:02}"), 1);
        }
        world
    }

    /// Puts a page in place, in a version of its text.
    pub fn put(&mut self, path: &str, version: u32) {
        self.pages.insert(path.to_owned(), text_of(path, version));
    }

    /// The address of a page.
    pub fn url(path: &str) -> String {
        format!("{}{path}", SITE.trim_end_matches('/'))
    }

    /// Whether a visitor gets the page's own content.
    pub fn serves(&self, path: &str) -> bool {
        self.pages.contains_key(path)
    }

    /// The pages that the indexes name.
    pub fn listed(&self) -> impl Iterator<Item = &String> {
        self.pages.keys().filter(|path| !self.delisted.contains(*path))
    }

    /// llms.txt, of the whole site or of a sub-index.
    pub fn index(&self, of: &str) -> String {
        let inside = |path: &str, name: &str| path.starts_with(&format!("/{name}/"));
        let mut lines = vec![
            "# Example".to_owned(),
            String::new(),
            "> Simulated.".to_owned(),
            String::new(),
            "## Docs".to_owned(),
            String::new(),
        ];
        for path in self.listed() {
            let belongs = match of {
                "" => !self.nested.iter().any(|name| inside(path, name)),
                name => inside(path, name),
            };
            if belongs {
                lines.push(format!("- [Page {path}]({}.md): about {path}", World::url(path)));
            }
        }
        if of.is_empty() {
            // An index without entries is named by nobody who means it.
            let is_used = |name: &&String| self.listed().any(|path| inside(path, name));
            lines.extend(
                self.nested
                    .iter()
                    .filter(is_used)
                    .map(|name| format!("- [{name}]({})", World::url(&format!("/{name}/llms.txt")))),
            );
            lines.extend(self.extra_lines.iter().cloned());
        }
        lines.push(String::new());
        lines.join("\n")
    }

    /// What a visitor gets.
    pub fn serve(&self, request: &Request) -> Answer {
        let path = request.url.path();
        let reply =
            |status, kind: &str, body: String| respond(request, status, &[("content-type", kind)], body);
        if path == "/llms.txt" {
            return reply(200, "text/plain; charset=utf-8", self.index(""));
        }
        let folder = path.strip_suffix("/llms.txt").map(|folder| folder.trim_start_matches('/'));
        if let Some(name) = folder.filter(|name| self.nested.contains(*name)) {
            return reply(200, "text/plain; charset=utf-8", self.index(name));
        }
        if path == "/robots.txt" || path == "/sitemap.xml" {
            return reply(404, "text/plain", "not found\n".to_owned());
        }
        if path == "/" {
            return reply(200, "text/html", html("Home", "Welcome to the example."));
        }
        let (page, is_markdown) = match path.strip_suffix(".md") {
            Some(page) => (page, true),
            None => (path, false),
        };
        let extension = if is_markdown { ".md" } else { "" };
        if let Some(to) = self.moved.get(page) {
            return respond(request, 308, &[("location", &format!("{to}{extension}"))], String::new());
        }
        match (self.pages.get(page), is_markdown) {
            (Some(text), true) => {
                let etag = format!("\"{:x}\"", text.bytes().fold(7_u64, |h, b| h.wrapping_mul(31) ^ u64::from(b)));
                let known = request.revalidate.as_ref().and_then(|known| known.etag.as_deref());
                if known == Some(etag.as_str()) {
                    return respond(request, 304, &[("etag", &etag)], String::new());
                }
                respond(request, 200, &[("content-type", "text/markdown; charset=utf-8"), ("etag", &etag)], text.clone())
            }
            (Some(text), false) => reply(200, "text/html", html(page, text)),
            (None, _) => match self.absent {
                Absent::Status404 => reply(404, "text/html", html("404", "Nothing here.")),
                Absent::Status410 => reply(410, "text/html", html("410", "Gone.")),
                Absent::Redirect => respond(request, 307, &[("location", "/")], String::new()),
                Absent::Soft if is_markdown => {
                    reply(200, "text/markdown", "# Oh dear\n\nWe looked everywhere and there is nothing under that address. Try the search in the upper corner, or go home and start over from there.\n".to_owned())
                }
                Absent::Soft => reply(200, "text/html", html("Oh dear", "We looked everywhere and there is nothing under that address.")),
            },
        }
    }
}

fn html(title: &str, text: &str) -> String {
    let paragraphs: String =
        text.lines().filter(|line| !line.is_empty()).map(|line| format!("<p>{line}</p>")).collect();
    format!(
        "<!doctype html><html><head><title>{title}</title></head><body><main><h1>{title}</h1>{paragraphs}</main></body></html>"
    )
}

/// Texts that share most of their lines from version to version, as edits of real pages do.
fn text_of(path: &str, version: u32) -> Text {
    format!(
        "# Page {path}\n\nThis is what there is to say about {path}.\n\n## First part of {path}\n\nIt begins here and goes on.\n\n\
         ## Second part of {path}\n\nVersion {version} of its story.\n\n```sh\nrun {path} --version {version}\n```\n"
    )
}

//! A documentation site of any size, the same for the same numbers, for benchmarks and for whatever
//! is measured beside them.
//!
//! Pages are some 9 KB of MDX with headings, fenced code, tables, lists, components and about 25 links,
//! as real documentation has them; the index is split by section, as large hosts split theirs.

use std::fmt::Write;

use fastrand::Rng;

/// Pages of one section, and so of one nested index.
const SECTION: usize = 150;

const WORDS: &[&str] = &[
    "agent", "archive", "batch", "buffer", "cache", "channel", "client", "cluster", "column", "commit",
    "context", "cursor", "deploy", "driver", "event", "export", "field", "filter", "gateway", "handler",
    "header", "index", "journal", "kernel", "ledger", "limit", "listener", "log", "manifest", "message",
    "metric", "mirror", "module", "node", "offset", "package", "page", "parser", "policy", "queue", "record",
    "region", "replica", "request", "retry", "route", "schema", "secret", "session", "shard", "signal",
    "snapshot", "socket", "source", "stream", "table", "target", "thread", "token", "trace", "trigger",
    "vector", "worker", "zone", "and", "for", "from", "into", "the", "with", "before", "after", "while",
    "which", "each", "every", "one", "a", "of", "to", "is", "are",
];

/// The site.
#[derive(Debug, Clone)]
pub struct Site {
    origin: String,
    pages: usize,
    /// Pages that links lead to: those that there once were.
    linked: usize,
    seed: u64,
}

impl Site {
    /// `pages` pages at `origin` (no slash at its end).
    pub fn new(origin: &str, pages: usize, seed: u64) -> Self {
        Site { origin: origin.to_owned(), pages, linked: pages, seed }
    }

    /// The same site without its last pages. What is left says what it said.
    pub fn without_last(mut self, removed: usize) -> Self {
        self.pages -= removed.min(self.pages);
        self
    }

    /// How many pages there are.
    pub fn pages(&self) -> usize {
        self.pages
    }

    /// Where the site is.
    pub fn origin(&self) -> &str {
        &self.origin
    }

    /// The path of page `n`, without an extension.
    pub fn path(&self, n: usize) -> String {
        let topic = WORDS[n % 60];
        format!("/section-{:03}/{topic}/{}-{n}", n / SECTION, WORDS[(n / 60) % 60])
    }

    fn title(&self, n: usize) -> String {
        format!("The {} {} {n}", WORDS[n % 60], WORDS[(n / 60) % 60])
    }

    fn rng(&self, n: usize) -> Rng {
        Rng::with_seed(self.seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ n as u64)
    }

    fn sentence(&self, rng: &mut Rng, out: &mut String) {
        for at in 0..rng.usize(8..18) {
            let word = WORDS[rng.usize(..WORDS.len())];
            if at == 0 {
                out.push_str(&word[..1].to_ascii_uppercase());
                out.push_str(&word[1..]);
                continue;
            }
            out.push(' ');
            if rng.u8(..24) == 0 {
                let to = self.path(rng.usize(..self.linked));
                let _ = write!(out, "[{word}]({to})");
            } else if rng.u8(..20) == 0 {
                let _ = write!(out, "`{word}_{at}`");
            } else {
                out.push_str(word);
            }
        }
        out.push_str(". ");
    }

    fn body(&self, n: usize, version: u32, with_components: bool) -> String {
        let mut rng = self.rng(n);
        let mut out = String::with_capacity(10_000);
        for part in 0..8 {
            let _ = write!(out, "## {} {}\n\n", WORDS[rng.usize(..60)], WORDS[rng.usize(..60)]);
            for _ in 0..3 {
                for _ in 0..3 {
                    self.sentence(&mut rng, &mut out);
                }
                out.push_str("\n\n");
            }
            match part % 4 {
                0 => {
                    let call = WORDS[rng.usize(..60)];
                    let _ = write!(
                        out,
                        "```python\nfrom {call} import {call}_client\n\nclient = {call}_client(retry={part})\nclient.run(\"[not a link](/no)\")\n```\n\n"
                    );
                }
                1 => {
                    out.push_str("| Field | Type | Meaning |\n| --- | --- | --- |\n");
                    for _ in 0..5 {
                        let field = WORDS[rng.usize(..60)];
                        let _ = writeln!(
                            out,
                            "| `{field}` | string | The {field} of [this]({}) |",
                            self.path(rng.usize(..self.linked))
                        );
                    }
                    out.push('\n');
                }
                2 if with_components => {
                    let to = self.path(rng.usize(..self.linked));
                    let _ = write!(
                        out,
                        "<CardGroup cols={{2}}>\n  <Card title=\"{}\" href=\"{to}\">\n    See [more]({to}#part) of it.\n  </Card>\n</CardGroup>\n\n",
                        self.title(n)
                    );
                }
                _ => {
                    for _ in 0..4 {
                        out.push_str("- ");
                        self.sentence(&mut rng, &mut out);
                        out.push('\n');
                    }
                    out.push('\n');
                }
            }
        }
        let _ = writeln!(out, "Version {version} of this page.");
        out
    }

    /// The source of page `n`, as its author wrote it.
    pub fn mdx(&self, n: usize, version: u32) -> String {
        let title = self.title(n);
        format!(
            "---\ntitle: \"{title}\"\ndescription: \"All about it\"\n---\n\n{}",
            self.body(n, version, true)
        )
    }

    /// Page `n` in its Markdown view.
    pub fn markdown(&self, n: usize, version: u32) -> String {
        format!("# {}\n\n> All about it\n\n{}", self.title(n), self.body(n, version, false))
    }

    /// Page `n` as HTML, within the chrome of a documentation theme.
    pub fn html(&self, n: usize, version: u32) -> String {
        let mut out = format!("<!doctype html>\n<html lang=\"en\"><head><title>{}</title>", self.title(n));
        out.push_str(
            "<link rel=\"stylesheet\" href=\"/theme.css\"></head>\n<body><nav class=\"sidebar\"><ul>\n",
        );
        for other in (n..n + 30).map(|other| other % self.linked) {
            let _ = writeln!(out, "<li><a href=\"{}\">{}</a></li>", self.path(other), self.title(other));
        }
        let _ = write!(out, "</ul></nav>\n<main><article><h1>{}</h1>\n", self.title(n));
        let mut in_code = false;
        for line in self.body(n, version, false).lines() {
            let _ = if line.starts_with("```") {
                in_code = !in_code;
                write!(out, "{}", if in_code { "<pre><code>" } else { "</code></pre>\n" })
            } else if in_code {
                writeln!(out, "{line}")
            } else if let Some(heading) = line.strip_prefix("## ") {
                writeln!(out, "<h2 id=\"{n}\">{heading}</h2>")
            } else if line.is_empty() {
                Ok(())
            } else {
                writeln!(out, "<p>{}</p>", anchors(line))
            };
        }
        out.push_str("</article></main></body></html>\n");
        out
    }

    fn sections(&self) -> usize {
        self.pages.div_ceil(SECTION)
    }

    /// The root index: it names the index of each section.
    pub fn llms_txt(&self) -> String {
        let mut out = "# Generated\n\n> A site to measure on.\n\n## Docs\n\n".to_owned();
        for section in 0..self.sections() {
            let _ = writeln!(out, "- [Section {section}]({}/section-{section:03}/llms.txt)", self.origin);
        }
        out
    }

    /// The index of a section, by its path `/section-000/llms.txt`.
    pub fn section_index(&self, path: &str) -> Option<String> {
        let number: usize = path.strip_prefix("/section-")?.strip_suffix("/llms.txt")?.parse().ok()?;
        let pages = number * SECTION..((number + 1) * SECTION).min(self.pages);
        let mut out = format!("# Section {number}\n\n");
        for n in pages {
            let _ = writeln!(out, "- [{}]({}{}.md): All about it", self.title(n), self.origin, self.path(n));
        }
        Some(out)
    }

    /// The sitemap.
    pub fn sitemap(&self) -> String {
        let mut out = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">\n".to_owned();
        for n in 0..self.pages {
            let _ = writeln!(
                out,
                "<url><loc>{}{}</loc><lastmod>2026-01-01</lastmod></url>",
                self.origin,
                self.path(n)
            );
        }
        out.push_str("</urlset>\n");
        out
    }

    /// The number of the page at a path, with or without `.md`.
    pub fn number(&self, path: &str) -> Option<usize> {
        let stem = path.strip_suffix(".md").unwrap_or(path);
        let n: usize = stem.rsplit('-').next()?.parse().ok()?;
        (n < self.pages && self.path(n) == stem).then_some(n)
    }
}

/// The Markdown links of a line as HTML ones.
fn anchors(line: &str) -> String {
    let mut out = String::with_capacity(line.len() + 64);
    let mut rest = line;
    while let Some((before, after)) = rest.split_once('[') {
        let link = after.split_once("](").and_then(|(label, tail)| Some((label, tail.split_once(')')?)));
        let Some((label, (href, tail))) = link else { break };
        let _ = write!(out, "{before}<a href=\"{href}\">{label}</a>");
        rest = tail;
    }
    out + rest
}

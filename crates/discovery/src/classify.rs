//! One link, judged by its address alone: what it can be before anybody asks the server.

use wholesite_address::{Scope, SiteUrl, Within};
use wholesite_extract::{Problem, Role, llms_txt};

use crate::disposition::{Disposition, Why};
use crate::options::Options;
use crate::read::{RawLink, Resolution};
use crate::site::RobotsGate;

/// The kind of an index, as far as its address tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum IndexKind {
    LlmsTxt,
    Sitemap,
}

/// What an address can be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Judged {
    /// An index of this site, to be read.
    Index(IndexKind, SiteUrl),
    /// A page, unless the server says otherwise.
    Candidate(SiteUrl),
    /// Settled.
    Settled(Disposition, Why),
}

/// What classification needs to know of the site.
pub(crate) struct Rules<'a> {
    pub(crate) scope: &'a Scope,
    pub(crate) options: &'a Options,
    /// What robots.txt allows.
    pub(crate) robots: &'a RobotsGate,
    /// Paths that the host keeps for itself.
    pub(crate) reserved: &'static [&'static str],
}

/// Paths that Mintlify hosts keep for themselves, below the base path.
pub(crate) const MINTLIFY_RESERVED: &[&str] = &[
    "/_next",
    "/_mintlify",
    "/_sites",
    "/_live-preview",
    "/api/request",
    "/login",
    "/logout",
    "/mcp",
    "/authed/mcp",
    "/feedback",
    "/openapi-specs.download",
    "/mintlify-assets",
    "/.well-known",
];

impl Rules<'_> {
    /// Judges a link of an index or a page.
    pub(crate) fn judge(&self, link: &RawLink) -> Judged {
        use Judged::Settled;
        match &link.resolution {
            Resolution::Web(url) => self.judge_address(url, link.role),
            Resolution::Scheme(scheme) => Settled(Disposition::SkippedFile, Why::Scheme(scheme.clone())),
            Resolution::Bad(error) => Settled(Disposition::Invalid, Why::Reference(error.clone())),
            Resolution::Unreadable(Problem::BlankInDestination) => {
                Settled(Disposition::Invalid, Why::BlankInDestination)
            }
            Resolution::Unreadable(Problem::CutOff) => Settled(Disposition::Invalid, Why::CutOff),
            Resolution::Unreadable(Problem::SwallowedByHtml) => {
                Settled(Disposition::Unparsed, Why::SwallowedByHtml)
            }
            Resolution::Unreadable(Problem::NoRule) => Settled(Disposition::Unparsed, Why::NoRule),
        }
    }

    pub(crate) fn judge_address(&self, url: &SiteUrl, role: Role) -> Judged {
        use Judged::Settled;
        let within = self.scope.locate(url);
        let index = index_kind(url, role);
        if let Some(kind) = index {
            return match within {
                Within::OtherOrigin => self.offsite(url),
                // What a document calls an index is one, wherever on the origin it lies; a name
                // that merely looks like one belongs to this site only inside the base.
                Within::OutsideBase if role != Role::Index => {
                    Settled(Disposition::OutOfScope, Why::OutsideBase)
                }
                // `--include` chooses pages; only an explicit `--exclude` leaves an index unread.
                _ if self.options.exclude.matches(url) => Settled(Disposition::OutOfScope, Why::UserGlob),
                _ => Judged::Index(kind, url.clone()),
            };
        }
        if llms_txt::is_bundle_name(url.path()) {
            return Settled(Disposition::SkippedFile, Why::Bundle);
        }
        if let Some(extension) = file_extension(url) {
            return Settled(Disposition::SkippedFile, Why::FileExtension(extension.into()));
        }
        match within {
            Within::OtherOrigin => self.offsite(url),
            Within::OutsideBase => Settled(Disposition::OutOfScope, Why::OutsideBase),
            // An index that lists such a path knows better; a page that mentions it does not.
            Within::Inside if role != Role::Entry && self.is_reserved(url) => {
                Settled(Disposition::OutOfScope, Why::Reserved)
            }
            Within::Inside if self.options.excludes(url) => Settled(Disposition::OutOfScope, Why::UserGlob),
            Within::Inside if !self.robots.allows(url, self.options.robots) => {
                Settled(Disposition::OutOfScope, Why::Robots)
            }
            Within::Inside => Judged::Candidate(url.clone()),
        }
    }

    fn offsite(&self, url: &SiteUrl) -> Judged {
        let allowed = self.options.allow_offsite.matches(url);
        Judged::Settled(Disposition::Offsite, if allowed { Why::AllowedOffsite } else { Why::OtherOrigin })
    }

    fn is_reserved(&self, url: &SiteUrl) -> bool {
        let Some(path) = self.scope.relative(url) else { return false };
        self.reserved.iter().any(|prefix| {
            path.strip_prefix(prefix).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        })
    }
}

/// Whether an address names an index, by the way it is linked or by its name:
///
/// - whatever is linked as one (`Sitemap:`, a child of a sitemap index, `rel="llms-txt"`);
/// - `llms.txt` as the last segment, anywhere; `llms-<language>.txt` that is no bundle;
/// - everything below `_llms/`, even though it ends in `.md` (Mintlify's split indexes);
/// - `.xml`, `.xml.gz` and `.txt` files with `sitemap` in their name.
pub(crate) fn index_kind(url: &SiteUrl, role: Role) -> Option<IndexKind> {
    // Nearly every link is a page, and a page's name has no such end: nothing is copied for it.
    let written = url.last_segment();
    let may_be_index = role == Role::Index
        || ends_with(written, ".txt")
        || ends_with(written, "xml")
        || ends_with(written, ".gz");
    if !may_be_index {
        return url.path().contains("/_llms/").then_some(IndexKind::LlmsTxt);
    }
    let name = written.to_ascii_lowercase();
    if name == "llms.txt" || url.path().contains("/_llms/") {
        return Some(IndexKind::LlmsTxt);
    }
    if name.starts_with("llms-") && name.ends_with(".txt") && !llms_txt::is_bundle_name(url.path()) {
        return Some(IndexKind::LlmsTxt);
    }
    let is_sitemap_file = [".xml", ".xml.gz", ".txt", ".txt.gz"].iter().any(|end| name.ends_with(end));
    let is_sitemap = role == Role::Index || (is_sitemap_file && name.contains("sitemap"));
    is_sitemap.then_some(IndexKind::Sitemap)
}

fn ends_with(name: &str, end: &str) -> bool {
    name.len() >= end.len() && name.as_bytes()[name.len() - end.len()..].eq_ignore_ascii_case(end.as_bytes())
}

/// The extension of a file that is no page. Looks at the last path segment only, without case;
/// `.js`, `.css`, `.txt`, versions such as `v1.2` and names such as `asp.net` are pages.
pub(crate) fn file_extension(url: &SiteUrl) -> Option<String> {
    let name = url.last_segment();
    let (stem, extension) = name.rsplit_once('.')?;
    if stem.is_empty() || extension.len() > LONGEST_EXTENSION {
        return None;
    }
    let extension = extension.to_ascii_lowercase();
    (!stem.is_empty() && FILE_EXTENSIONS.binary_search(&extension.as_str()).is_ok()).then_some(extension)
}

const LONGEST_EXTENSION: usize = 5;

/// Sorted, for the binary search.
const FILE_EXTENSIONS: &[&str] = &[
    "7z", "aac", "apk", "avi", "avif", "bmp", "bz2", "csv", "deb", "dmg", "doc", "docx", "eot", "epub",
    "exe", "flac", "gif", "gz", "ico", "jar", "jpeg", "jpg", "json", "jsonl", "m4a", "m4v", "mkv", "mov",
    "mp3", "mp4", "mpeg", "msi", "ods", "odt", "oga", "ogg", "ogv", "otf", "pdf", "pkg", "png", "ppt",
    "pptx", "rar", "rpm", "rss", "svg", "tar", "tgz", "tif", "tiff", "tsv", "ttf", "wav", "webm", "webp",
    "whl", "woff", "woff2", "xls", "xlsx", "xml", "xz", "yaml", "yml", "zip", "zst",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn extensions_are_sorted() {
        assert!(FILE_EXTENSIONS.is_sorted());
        assert_eq!(FILE_EXTENSIONS.iter().map(|extension| extension.len()).max(), Some(LONGEST_EXTENSION));
    }

    #[test]
    fn names_that_are_files_indexes_or_pages() {
        let url = |path: &str| SiteUrl::parse(&format!("https://example.com{path}")).expect(path);
        for path in ["/a.json", "/a.PDF", "/sdk.tar.gz", "/logo.svg", "/feed.xml", "/f.pdf?dl=1"] {
            assert!(file_extension(&url(path)).is_some(), "{path}");
        }
        for path in
            ["/v1.2", "/guides/node.js", "/asp.net", "/v1.json/users", "/changelog/v2.7.1", "/.json", "/a.md"]
        {
            assert!(file_extension(&url(path)).is_none(), "{path}");
        }
        let kinds = [
            ("/llms.txt", Role::Entry, Some(IndexKind::LlmsTxt)),
            ("/docs/sdk/LLMS.txt", Role::Entry, Some(IndexKind::LlmsTxt)),
            ("/_llms/a/b.md", Role::Entry, Some(IndexKind::LlmsTxt)),
            ("/llms-zh.txt", Role::Mention, Some(IndexKind::LlmsTxt)),
            ("/llms-full.txt", Role::Entry, None),
            ("/sitemap-0.xml.gz", Role::Entry, Some(IndexKind::Sitemap)),
            ("/feed.xml", Role::Entry, None),
            ("/feed.xml", Role::Index, Some(IndexKind::Sitemap)),
            ("/guides/sitemap", Role::Entry, None),
        ];
        for (path, role, expected) in kinds {
            assert_eq!(index_kind(&url(path), role), expected, "{path}");
        }
    }
}

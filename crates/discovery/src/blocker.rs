//! What stands between this discovery and "complete", each with its place and its way out.

use wholesite_address::Place;

/// The kind of a blocker. The name is the same on every wire.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum BlockerCode {
    /// An index did not answer, or answered with an error.
    IndexUnavailable,
    /// A body that is no index: HTML, JSON, an error text, a manual.
    IndexNotText,
    /// An index without any page.
    IndexEmpty,
    /// An index that was cut off.
    IndexTruncated,
    /// More indexes than the limit allows.
    IndexLimit,
    /// Indexes or links nested deeper than the limit allows.
    DepthLimit,
    /// More pages than the limit allows.
    PageLimit,
    /// A document over the size limit.
    SizeLimit,
    /// An index lists fewer pages than another says it does.
    DeclaredCountUnmet,
    /// A page of the set on another origin.
    OffsiteLink,
    /// An entry of the site's own index that lies outside the site's base path.
    OutsideBase,
    /// A link that can't be an address.
    InvalidLink,
    /// Link syntax that no rule could read.
    UnparsedLink,
    /// Two pages that would overwrite one another.
    PathCollision,
    /// Something that the source names and that can't be read here: a remote specification, a
    /// `sourceRef`, a missing `$ref`, pages generated from a specification.
    UnresolvedReference,
    /// robots.txt could not be read, so nothing may be asked.
    RobotsUnavailable,
    /// A login stands before it.
    LoginRequired,
    /// Real and unknown pages answer alike.
    CatchAllSite,
    /// Routes that only a script knows.
    ClientSideRoutes,
    /// A page that had to be read for its links could not be.
    PageFailed,
    /// A link of a crawl that robots.txt, a nofollow or a limit kept from being followed.
    NotFollowed,
    /// The source moved or is another one than before.
    SourceChanged,
    /// A redirect that leads in circles, too far, or nowhere.
    RedirectFault,
    /// Discovery was stopped before it was done.
    Stopped,
}

impl BlockerCode {
    /// The name on every wire.
    pub fn name(self) -> &'static str {
        match self {
            BlockerCode::IndexUnavailable => "index_unavailable",
            BlockerCode::IndexNotText => "index_not_text",
            BlockerCode::IndexEmpty => "index_empty",
            BlockerCode::IndexTruncated => "index_truncated",
            BlockerCode::IndexLimit => "index_limit",
            BlockerCode::DepthLimit => "depth_limit",
            BlockerCode::PageLimit => "page_limit",
            BlockerCode::SizeLimit => "size_limit",
            BlockerCode::DeclaredCountUnmet => "declared_count_unmet",
            BlockerCode::OffsiteLink => "offsite_link",
            BlockerCode::OutsideBase => "outside_base",
            BlockerCode::InvalidLink => "invalid_link",
            BlockerCode::UnparsedLink => "unparsed_link",
            BlockerCode::PathCollision => "path_collision",
            BlockerCode::UnresolvedReference => "unresolved_reference",
            BlockerCode::RobotsUnavailable => "robots_unavailable",
            BlockerCode::LoginRequired => "login_required",
            BlockerCode::CatchAllSite => "catch_all_site",
            BlockerCode::ClientSideRoutes => "client_side_routes",
            BlockerCode::PageFailed => "page_failed",
            BlockerCode::NotFollowed => "not_followed",
            BlockerCode::SourceChanged => "source_changed",
            BlockerCode::RedirectFault => "redirect_fault",
            BlockerCode::Stopped => "stopped",
        }
    }
}

/// Where a fault stands.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct At {
    /// The document: its URL, or its path in a source folder.
    pub document: String,
    /// Line and column in it.
    pub place: Place,
    /// The line itself (cut to [`EXCERPT_CHARS`]) and the part of it that is to blame.
    pub excerpt: Option<Excerpt>,
}

/// One line of a document, as compilers show it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Excerpt {
    /// The text of the line, or a window of it.
    pub line: Box<str>,
    /// 0-based character at which the caret stands in `line`.
    pub start: u32,
    /// How many characters the caret underlines; at least 1.
    pub width: u32,
}

/// The most characters of a line that an excerpt keeps.
pub const EXCERPT_CHARS: usize = 160;

/// One reason why the discovery is not complete.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Blocker {
    /// The kind.
    pub code: BlockerCode,
    /// The address concerned: of the link, the document or the page.
    pub url: String,
    /// Where the fault stands, if it stands in a document.
    pub at: Option<At>,
    /// What is wrong, and why that matters.
    pub message: String,
    /// What the user can do.
    pub help: String,
}

impl Excerpt {
    /// The line of `text` that holds byte `start`, with the caret under `start..end`.
    pub(crate) fn of(text: &str, start: usize, end: usize) -> Self {
        let line_start = text[..start].rfind(['\n', '\r']).map_or(0, |at| at + 1);
        let line_end = text[start..].find(['\n', '\r']).map_or(text.len(), |at| start + at);
        let line = &text[line_start..line_end];
        let before = text[line_start..start].chars().count();
        let width = text[start..end.clamp(start, line_end)].chars().count().max(1);
        // A window that keeps the caret in sight on very long lines.
        let skip = if before + width.min(40) > EXCERPT_CHARS { before - 20.min(before) } else { 0 };
        let shown: String = line.chars().skip(skip).take(EXCERPT_CHARS).collect();
        let room = shown.chars().count().saturating_sub(before - skip).max(1);
        Excerpt { line: shown.into(), start: (before - skip) as u32, width: width.min(room) as u32 }
    }
}

//! What became of a link, and why.

use std::fmt;

use wholesite_address::ReferenceError;

/// What a link counts as. Every link of every document read has exactly one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Disposition {
    /// A page of this site, first sighting.
    Page,
    /// A page or index that was seen before.
    Duplicate,
    /// Another index of this site; it is read in its turn.
    NestedIndex,
    /// A file that is no page, a bundle of page texts, or a scheme that is no web page.
    SkippedFile,
    /// An address that leads to another page of this site.
    Alias,
    /// Another origin.
    Offsite,
    /// The same origin, but outside the base path, or excluded by the user or by robots.txt.
    OutOfScope,
    /// The site itself says that nothing is there: 404 or 410, its answer to unknown paths, or no
    /// such file in a source folder.
    Missing,
    /// Can't be an address.
    Invalid,
    /// Link syntax that no rule could read.
    Unparsed,
}

impl Disposition {
    /// All of them, in the order in which reports count them.
    pub const ALL: [Disposition; 10] = [
        Disposition::Page,
        Disposition::Duplicate,
        Disposition::NestedIndex,
        Disposition::SkippedFile,
        Disposition::Alias,
        Disposition::Offsite,
        Disposition::OutOfScope,
        Disposition::Missing,
        Disposition::Invalid,
        Disposition::Unparsed,
    ];

    /// The name on every wire.
    pub fn name(self) -> &'static str {
        match self {
            Disposition::Page => "page",
            Disposition::Duplicate => "duplicate",
            Disposition::NestedIndex => "nested_index",
            Disposition::SkippedFile => "skipped_file",
            Disposition::Alias => "alias",
            Disposition::Offsite => "offsite",
            Disposition::OutOfScope => "out_of_scope",
            Disposition::Missing => "missing",
            Disposition::Invalid => "invalid",
            Disposition::Unparsed => "unparsed",
        }
    }
}

impl fmt::Display for Disposition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The reason for a disposition. `Display` is the sentence that people read.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Why {
    /// The first mention of a page.
    FirstMention,
    /// The first mention of a page, found on the file system without anybody linking to it.
    ServedUnlisted,
    /// The address was seen before.
    SeenBefore,
    /// The same page under another spelling.
    OtherSpelling,
    /// The document links to itself.
    Itself,
    /// An index by its name or by the way it is named.
    Index,
    /// Texts of many pages in one file.
    Bundle,
    /// A file extension that no page has.
    FileExtension(Box<str>),
    /// The server says that it is no text: its media type.
    MediaType(Box<str>),
    /// A scheme that is no web page.
    Scheme(Box<str>),
    /// It redirects for good.
    PermanentRedirect,
    /// It names another address as the canonical one.
    CanonicalElsewhere,
    /// A redirect rule of the site's configuration.
    RedirectRule,
    /// Scheme, host or port differ.
    OtherOrigin,
    /// A page file that merely links elsewhere (front matter `url:`).
    LinksOut(Box<str>),
    /// Another origin that the user named with `--allow-offsite`.
    AllowedOffsite,
    /// Outside the base path of the site.
    OutsideBase,
    /// A path that the host keeps for itself.
    Reserved,
    /// `--exclude`, or not in `--include`.
    UserGlob,
    /// Beyond the page limit.
    PageLimit,
    /// robots.txt forbids asking for it.
    Robots,
    /// Its page asks that links not be followed, or a limit was reached first.
    NotFollowed,
    /// 404 or 410.
    Gone(u16),
    /// Answered like a path that can't exist.
    AnswersLikeUnknown,
    /// No such file in the source folder.
    NoSuchFile,
    /// The file is there, and it is no page: what it is instead.
    NotAPageFile(Box<str>),
    /// A page that would be made from an API description, which could not be followed.
    Generated,
    /// A temporary redirect: where it leads is a page of its own, this address is none.
    TemporaryRedirect,
    /// The reference can't be resolved.
    Reference(ReferenceError),
    /// A raw blank in a Markdown destination.
    BlankInDestination,
    /// The document ends inside the link.
    CutOff,
    /// Raw HTML swallows the line.
    SwallowedByHtml,
    /// No rule reads it.
    NoRule,
    /// It failed, so nobody knows: counted as a page, and named as a blocker.
    Failed,
}

impl fmt::Display for Why {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Why::FirstMention => f.write_str("first mention of this page"),
            Why::ServedUnlisted => f.write_str("a page file that no navigation lists"),
            Why::SeenBefore => f.write_str("seen before"),
            Why::OtherSpelling => f.write_str("another spelling of a page seen before"),
            Why::Itself => f.write_str("the document links to itself"),
            Why::Index => f.write_str("an index of this site"),
            Why::Bundle => f.write_str("a bundle of page texts, neither page nor index"),
            Why::FileExtension(extension) => write!(f, "a .{extension} file is no page"),
            Why::MediaType(media_type) => write!(f, "not a page: {media_type}"),
            Why::Scheme(scheme) => write!(f, "{scheme}: is no web page"),
            Why::PermanentRedirect => f.write_str("redirects for good to a page of this site"),
            Why::CanonicalElsewhere => f.write_str("names another address as canonical"),
            Why::RedirectRule => f.write_str("a redirect rule of the site leads to a page"),
            Why::OtherOrigin => f.write_str("another scheme, host or port"),
            Why::AllowedOffsite => f.write_str("another origin, allowed by --allow-offsite"),
            Why::LinksOut(to) => write!(f, "the file makes no page, it links to {to}"),
            Why::OutsideBase => f.write_str("outside the base path"),
            Why::Reserved => f.write_str("a path that the host keeps for itself"),
            Why::UserGlob => f.write_str("excluded by --include or --exclude"),
            Why::PageLimit => f.write_str("beyond the page limit (--max-pages)"),
            Why::Robots => f.write_str("robots.txt forbids it"),
            Why::NotFollowed => {
                f.write_str("not asked: the page that links here says nofollow, or a limit was reached")
            }
            Why::Gone(status) => write!(f, "answered {status}"),
            Why::AnswersLikeUnknown => f.write_str("answered like a path that can't exist"),
            Why::NoSuchFile => f.write_str("no file of the source folder makes this page"),
            Why::NotAPageFile(what) => write!(f, "the file is no page: {what}"),
            Why::Generated => f.write_str("a page made from an API description that could not be followed"),
            Why::TemporaryRedirect => f.write_str("redirects for the time being"),
            Why::Reference(error) => error.fmt(f),
            Why::BlankInDestination => f.write_str("a raw blank in the destination"),
            Why::CutOff => f.write_str("the document ends inside the link"),
            Why::SwallowedByHtml => f.write_str("raw HTML swallows this line"),
            Why::NoRule => f.write_str("link syntax that no rule could read"),
            Why::Failed => f.write_str("could not be fetched"),
        }
    }
}

//! Which elements of which format mean what.

use super::Format;

/// What an open element is to us.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Part {
    /// The root, or a `channel` inside it.
    List,
    /// `url`, `sitemap`, `item`, `entry`.
    Item,
    /// An element whose text is asked for.
    Field(Field),
    /// `xhtml:link` of a sitemap, `link` of an Atom entry: its attributes are asked for.
    LinkElement,
    /// Anything else, with everything inside it.
    Other,
}

/// An element whose text is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Field {
    /// `loc`, `link`: the address of its item.
    Address,
    /// `guid`: the address of its item where there is no better one.
    Guid,
    /// `lastmod`, `updated`, `pubDate`.
    Date,
    /// `title` of a feed entry.
    Title,
}

/// The format that a root element announces.
pub(super) fn of_root(local: &str) -> Option<Format> {
    const ROOTS: &[(&str, Format)] = &[
        ("urlset", Format::UrlSet),
        ("sitemapindex", Format::SitemapIndex),
        ("rss", Format::Rss),
        ("feed", Format::Atom),
        ("RDF", Format::Rdf),
    ];
    ROOTS.iter().find(|(name, _)| name.eq_ignore_ascii_case(local)).map(|(_, format)| *format)
}

/// What an element is, given the one that it stands in.
///
/// `is_own` says whether it is of the format's own namespace, as opposed to an extension's.
pub(super) fn part(format: Format, parent: Part, local: &str, is_own: bool) -> Part {
    let is = |name: &str| name.eq_ignore_ascii_case(local);
    match (format, parent) {
        (Format::UrlSet | Format::SitemapIndex, Part::List) if is_own && (is("url") || is("sitemap")) => {
            Part::Item
        }
        // An item without its wrapping.
        (Format::UrlSet | Format::SitemapIndex, Part::List | Part::Item) if is_own && is("loc") => {
            Part::Field(Field::Address)
        }
        (Format::UrlSet | Format::SitemapIndex, Part::Item) if is_own && is("lastmod") => {
            Part::Field(Field::Date)
        }
        (Format::UrlSet, Part::Item) if is("link") => Part::LinkElement,

        (Format::Rss | Format::Rdf, Part::List) if is("channel") => Part::List,
        (Format::Rss | Format::Rdf, Part::List) if is("item") => Part::Item,
        (Format::Rss | Format::Rdf, Part::Item) if is_own && is("link") => Part::Field(Field::Address),
        (Format::Rss | Format::Rdf, Part::Item) if is_own && is("guid") => Part::Field(Field::Guid),
        (Format::Rss | Format::Rdf, Part::Item) if is_own && is("title") => Part::Field(Field::Title),
        (Format::Rss | Format::Rdf, Part::Item) if is("pubDate") || is("date") => Part::Field(Field::Date),

        (Format::Atom, Part::List) if is_own && is("entry") => Part::Item,
        (Format::Atom, Part::Item) if is_own && is("link") => Part::LinkElement,
        (Format::Atom, Part::Item) if is_own && is("title") => Part::Field(Field::Title),
        (Format::Atom, Part::Item) if is_own && is("updated") => Part::Field(Field::Date),
        _ => Part::Other,
    }
}

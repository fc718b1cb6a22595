//! Sitemaps and feeds in XML.

mod item;
mod stack;

use std::borrow::Cow;

use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};
use wholesite_address::Place;

use super::cursor::Cursor;
use super::feed::{self, Field, Part};
use super::{Ending, Format, Limits, Sink, Tally, entities};
use crate::Verdict;
use item::{Address, Item, Value};
use stack::Stack;

/// Alternates that are held back for their entry's `lastmod`; an entry with more gives them without.
const MAX_HELD: usize = 1_000;

/// Reads from the first `<` on.
pub(super) fn read(cursor: &mut Cursor<'_>, limits: &Limits, tally: &mut Tally, sink: Sink<'_>) -> Ending {
    let mut reader = Reader::from_reader(cursor);
    let config = reader.config_mut();
    // Tags that don't match are dealt with here, so that one of them costs at most one entry.
    config.check_end_names = false;
    config.allow_unmatched_ends = true;
    config.allow_dangling_amp = true;
    let mut document = Document {
        max_depth: limits.max_depth,
        tally,
        sink,
        format: None,
        own: Namespace::default(),
        stack: Stack::default(),
        item: Item::default(),
        declares_entities: false,
        partly: None,
    };
    let mut buffer = Vec::new();
    let stop = loop {
        buffer.clear();
        let (place, start) = (reader.get_ref().place(), reader.get_ref().offset());
        let event = reader.read_event_into(&mut buffer);
        // An event may end early in a buffer that holds more, so the end is asked of the cursor.
        let tag = Tag { place, start, end: 0 };
        match event {
            Ok(Event::Eof) => break Stop::End,
            Ok(event) => {
                let tag = Tag { end: reader.get_ref().offset(), ..tag };
                if let Err(stop) = document.event(&event, tag) {
                    break stop;
                }
            }
            Err(quick_xml::Error::IllFormed(error)) if reader.get_ref().offset() > start => {
                document.tally.odd(place, error.to_string());
            }
            Err(quick_xml::Error::Io(error)) => break Stop::Failed(error.to_string()),
            Err(error) => break Stop::Failed(format!("{error} (line {})", place.line)),
        }
    };
    document.end(stop, reader.get_ref().offset())
}

/// Why reading stopped.
enum Stop {
    End,
    /// No sitemap at all.
    Foreign(String),
    Failed(String),
}

/// Where the tag or text at hand stands.
#[derive(Clone, Copy)]
struct Tag {
    place: Place,
    start: usize,
    end: usize,
}

struct Document<'d> {
    max_depth: usize,
    tally: &'d mut Tally,
    sink: Sink<'d>,
    format: Option<Format>,
    own: Namespace,
    stack: Stack,
    item: Item,
    declares_entities: bool,
    /// Why the document counts as read in part.
    partly: Option<Cow<'static, str>>,
}

impl Document<'_> {
    fn event(&mut self, event: &Event<'_>, tag: Tag) -> Result<(), Stop> {
        match event {
            Event::Start(element) => self.open(element, tag),
            Event::Empty(element) => {
                self.open(element, tag)?;
                self.close_to(self.stack.len().saturating_sub(1), tag.end);
                Ok(())
            }
            Event::End(element) => {
                if let Some(depth) = self.stack.find(element.name().into_inner()) {
                    self.close_to(depth, tag.end);
                }
                Ok(())
            }
            Event::Text(text) => {
                if let Some(value) = self.value() {
                    value.push_str(text);
                }
                Ok(())
            }
            Event::CData(text) => {
                if let Some(value) = self.value() {
                    value.push_str(text);
                }
                Ok(())
            }
            Event::GeneralRef(reference) => {
                self.reference(reference, tag);
                Ok(())
            }
            Event::DocType(doctype) => {
                self.declares_entities |= declares_entities(doctype);
                if self.declares_entities {
                    self.tally.odd(tag.place, "the document declares entities; they are not expanded");
                }
                Ok(())
            }
            Event::Comment(_) | Event::PI(_) | Event::Decl(_) | Event::Eof => Ok(()),
        }
    }

    fn open(&mut self, element: &BytesStart<'_>, tag: Tag) -> Result<(), Stop> {
        let name = element.name().into_inner();
        let (prefix, local) = name.rsplit_once(':').unwrap_or(("", name));
        let part = match (self.format, self.stack.top()) {
            (None, _) | (Some(_), None) => self.root(element, prefix, local)?,
            (Some(format), Some(parent)) => {
                let is_own = self.own.holds(prefix, element);
                let part = feed::part(format, parent, local, is_own);
                // `<url>` inside an open `<url>`: its end tag is missing.
                match self.stack.item_depth() {
                    Some(depth)
                        if part == Part::Other
                            && feed::part(format, Part::List, local, is_own) == Part::Item =>
                    {
                        self.tally.odd(tag.place, "an entry begins before the last one has ended");
                        if let Some(value) = self.value() {
                            value.spoil();
                        }
                        self.close_to(depth, tag.start);
                        Part::Item
                    }
                    _ => part,
                }
            }
        };
        if let Some(value) = self.value() {
            // An element inside an address: what the address is, nobody can tell.
            value.spoil();
        }
        if self.stack.len() >= self.max_depth {
            return Err(Stop::Failed(format!("elements are nested more than {} deep", self.max_depth)));
        }
        self.stack.push(name, part);
        self.begin(part, element, tag);
        Ok(())
    }

    fn root(&mut self, element: &BytesStart<'_>, prefix: &str, local: &str) -> Result<Part, Stop> {
        match feed::of_root(local) {
            Some(format) => {
                self.format.get_or_insert(format);
                // RSS 1.0 wraps a list in RDF; the list has the default namespace.
                let prefix = if format == Format::Rdf { "" } else { prefix };
                self.own = Namespace::of_root(prefix, element);
                Ok(Part::List)
            }
            None if self.format.is_some() => Ok(Part::Other),
            None if local.eq_ignore_ascii_case("html") => {
                Err(Stop::Foreign("this is an HTML page, and no sitemap".to_owned()))
            }
            None => Err(Stop::Foreign(format!(
                "its first element is <{}>, so this is no sitemap",
                excerpt(local)
            ))),
        }
    }

    fn begin(&mut self, part: Part, element: &BytesStart<'_>, tag: Tag) {
        match part {
            Part::Item => self.item.clear(),
            Part::Field(Field::Address) => self.item.begin_address(tag.place, tag.start),
            Part::Field(Field::Guid) => {
                let is_permalink = attribute(element, "isPermaLink")
                    .is_none_or(|value| !value.eq_ignore_ascii_case("false"));
                self.item.begin_guid(is_permalink, tag.place, tag.start);
            }
            Part::Field(Field::Date) => self.item.date.clear(),
            Part::Field(Field::Title) => self.item.title.clear(),
            Part::LinkElement => self.link_element(element, tag),
            Part::List | Part::Other => {}
        }
    }

    fn link_element(&mut self, element: &BytesStart<'_>, tag: Tag) {
        let rel = attribute(element, "rel");
        let is_alternate =
            |rel: &str| rel.split_ascii_whitespace().any(|token| token.eq_ignore_ascii_case("alternate"));
        let is_atom = self.format == Some(Format::Atom);
        let counts = rel.as_deref().map_or(is_atom, is_alternate);
        let Some(href) = attribute(element, "href").filter(|_| counts) else { return };
        let mut value = Value::default();
        if !value.push_decoded(&href, self.declares_entities) {
            self.refused();
        }
        let hreflang = attribute(element, "hreflang").map(Cow::into_owned);
        let address =
            Address { value, place: tag.place, span: tag.start..tag.end, is_alternate: !is_atom, hreflang };
        self.item.addresses.push(address);
        if self.item.addresses.len() >= MAX_HELD {
            self.give_item();
        }
    }

    /// The value that text at this place belongs to.
    fn value(&mut self) -> Option<&mut Value> {
        match self.stack.top() {
            Some(Part::Field(field)) => self.item.value(field),
            _ => None,
        }
    }

    fn reference(&mut self, name: &str, tag: Tag) {
        let declares = self.declares_entities;
        let known = match self.value() {
            Some(value) => value.push_reference(name, declares),
            // Between elements a declared entity may stand for whole entries.
            None => !declares || entities::resolve(name, declares) != entities::Resolved::Refused,
        };
        if !known {
            self.refused();
            self.tally.odd(tag.place, format!("&{}; is not known", excerpt(name)));
        }
    }

    fn refused(&mut self) {
        self.partly.get_or_insert(Cow::Borrowed("the document refers to entities that can't be resolved"));
    }

    fn close_to(&mut self, depth: usize, end: usize) {
        while self.stack.len() > depth {
            match self.stack.pop() {
                Some(Part::Field(Field::Address)) => {
                    self.item.end_address(end);
                    // An address without an entry round it is an entry.
                    if self.stack.item_depth().is_none() {
                        self.give_item();
                        self.item.clear();
                    }
                }
                Some(Part::Field(Field::Guid)) => self.item.end_guid(end),
                Some(Part::Item) => {
                    self.give_item();
                    self.item.clear();
                }
                _ => {}
            }
        }
    }

    fn give_item(&mut self) {
        if let Some(format) = self.format {
            self.item.give(format, self.tally, self.sink);
        }
    }

    fn end(mut self, stop: Stop, offset: usize) -> Ending {
        let Some(format) = self.format else {
            return Ending::unusable(match stop {
                Stop::End => "XML without any element".to_owned(),
                Stop::Foreign(why) | Stop::Failed(why) => why,
            });
        };
        let open = self.stack.len();
        if self.stack.item_depth().is_some() || matches!(self.stack.top(), Some(Part::Field(_))) {
            self.item.cut_off = matches!(self.stack.top(), Some(Part::Field(Field::Address | Field::Guid)));
            self.close_to(0, offset);
        }
        let verdict = match stop {
            Stop::End if open > 0 => {
                Verdict::Truncated("the document ends before its last element does".into())
            }
            Stop::End => self.partly.map_or(Verdict::Ok, Verdict::Truncated),
            Stop::Foreign(why) | Stop::Failed(why) => Verdict::Truncated(why.into()),
        };
        Ending { format: Some(format), verdict }
    }
}

/// The namespace of the root element: elements in it are the format's own.
#[derive(Default)]
struct Namespace {
    prefix: String,
    uri: Option<String>,
    /// Other prefixes that the root binds to the same namespace.
    synonyms: Vec<String>,
}

impl Namespace {
    fn of_root(prefix: &str, element: &BytesStart<'_>) -> Self {
        let uri = declared(element, prefix);
        let synonyms = match &uri {
            None => Vec::new(),
            Some(uri) => attributes(element)
                .filter(|(_, value)| value == uri)
                .filter_map(|(name, _)| match name.strip_prefix("xmlns") {
                    Some("") => Some(String::new()),
                    Some(prefix) => prefix.strip_prefix(':').map(str::to_owned),
                    None => None,
                })
                .take(8)
                .collect(),
        };
        Namespace { prefix: prefix.to_owned(), uri: uri.map(Cow::into_owned), synonyms }
    }

    /// Whether an element belongs to it. Its own declarations outrank the root's.
    fn holds(&self, prefix: &str, element: &BytesStart<'_>) -> bool {
        let by_root = || prefix == self.prefix || self.synonyms.iter().any(|synonym| synonym == prefix);
        if !element.attributes_raw().contains("xmlns") {
            return by_root();
        }
        match (declared(element, prefix), &self.uri) {
            (Some(declared), Some(own)) => declared == own.as_str(),
            (Some(declared), None) => declared.is_empty() || declared.contains("sitemap"),
            (None, _) => by_root(),
        }
    }
}

/// The namespace that an element binds a prefix to.
fn declared<'e>(element: &'e BytesStart<'_>, prefix: &str) -> Option<Cow<'e, str>> {
    let is_wanted = |name: &str| match name.strip_prefix("xmlns") {
        Some("") => prefix.is_empty(),
        Some(rest) => !prefix.is_empty() && rest.strip_prefix(':') == Some(prefix),
        None => false,
    };
    attributes(element).find(|(name, _)| is_wanted(name)).map(|(_, value)| value)
}

/// The raw value of an attribute, whatever its prefix.
fn attribute<'e>(element: &'e BytesStart<'_>, local: &str) -> Option<Cow<'e, str>> {
    let is_wanted = |name: &str| name.rsplit(':').next().is_some_and(|name| name.eq_ignore_ascii_case(local));
    attributes(element).find(|(name, _)| is_wanted(name)).map(|(_, value)| value)
}

fn attributes<'e>(element: &'e BytesStart<'_>) -> impl Iterator<Item = (&'e str, Cow<'e, str>)> {
    let mut attributes = element.html_attributes();
    // Looking for duplicates would be quadratic.
    attributes.with_checks(false);
    attributes.filter_map(Result::ok).map(|attribute| (attribute.key.into_inner(), attribute.value))
}

fn declares_entities(doctype: &str) -> bool {
    doctype.as_bytes().windows(8).any(|window| window.eq_ignore_ascii_case(b"<!ENTITY"))
}

fn excerpt(text: &str) -> String {
    text.chars().take(40).collect()
}

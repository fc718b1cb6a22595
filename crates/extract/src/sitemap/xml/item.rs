//! One entry, held until it ends: its date stands behind its address.

use std::borrow::Cow;
use std::ops::Range;

use wholesite_address::{MAX_URL_BYTES, Place};

use super::super::feed::Field;
use super::super::{Format, Sink, SitemapLink, Tally, entities, is_ignorable};
use crate::{Problem, Role, Syntax, Target};

/// Text of an element. More than an address can hold is not kept.
#[derive(Debug, Default)]
pub(super) struct Value {
    text: String,
    spoilt: bool,
}

impl Value {
    /// Room for blanks round the longest address.
    const MAX_BYTES: usize = 2 * MAX_URL_BYTES;

    pub(super) fn push_str(&mut self, text: &str) {
        // Leading blanks take no room, however many there are.
        let text = if self.text.is_empty() { text.trim_start_matches(is_ignorable) } else { text };
        if self.text.len() + text.len() <= Self::MAX_BYTES {
            self.text.push_str(text);
        } else if !text.trim_matches(is_ignorable).is_empty() {
            let room = Self::MAX_BYTES.saturating_sub(self.text.len());
            let end = (0..=room.min(text.len())).rev().find(|end| text.is_char_boundary(*end)).unwrap_or(0);
            self.text.push_str(&text[..end]);
            self.spoilt = true;
        }
    }

    /// Appends what `&name;` stands for; `false` where nobody knows.
    pub(super) fn push_reference(&mut self, name: &str, declares_entities: bool) -> bool {
        let mut shown = String::new();
        let known = entities::push(&mut shown, name, declares_entities);
        self.push_str(&shown);
        self.spoilt |= !known;
        known
    }

    /// Appends the raw value of an attribute; `false` where it refers to something unknown.
    pub(super) fn push_decoded(&mut self, raw: &str, declares_entities: bool) -> bool {
        let mut shown = String::with_capacity(raw.len());
        let known = entities::decode_into(&mut shown, raw, declares_entities);
        self.push_str(&shown);
        self.spoilt |= !known;
        known
    }

    /// Marks it as something whose meaning nobody can tell.
    pub(super) fn spoil(&mut self) {
        self.spoilt = true;
    }

    pub(super) fn clear(&mut self) {
        self.text.clear();
        self.spoilt = false;
    }

    fn text(&self) -> &str {
        self.text.trim_matches(is_ignorable)
    }

    fn target(&self, cut_off: bool) -> Target<'_> {
        let text = self.text();
        // U+FFFD stands for malformed bytes: whatever the address was, it is not this one.
        if !cut_off
            && !self.spoilt
            && text.len() <= MAX_URL_BYTES
            && !text.contains(char::REPLACEMENT_CHARACTER)
        {
            return Target::Literal(Cow::Borrowed(text));
        }
        let end = (0..=text.len().min(200)).rev().find(|end| text.is_char_boundary(*end)).unwrap_or(0);
        let line = text[..end].lines().next().unwrap_or_default();
        let problem = if cut_off { Problem::CutOff } else { Problem::NoRule };
        Target::Unreadable { raw: Cow::Borrowed(line), problem }
    }
}

/// An address of an entry.
#[derive(Debug)]
pub(super) struct Address {
    pub(super) value: Value,
    pub(super) place: Place,
    pub(super) span: Range<usize>,
    pub(super) is_alternate: bool,
    pub(super) hreflang: Option<String>,
}

/// What is known of the entry at hand.
#[derive(Debug, Default)]
pub(super) struct Item {
    pub(super) addresses: Vec<Address>,
    guid: Option<Address>,
    is_permalink: bool,
    pub(super) date: Value,
    pub(super) title: Value,
    /// The document ended inside the last address.
    pub(super) cut_off: bool,
}

impl Item {
    pub(super) fn clear(&mut self) {
        self.addresses.clear();
        self.guid = None;
        self.date.clear();
        self.title.clear();
    }

    pub(super) fn begin_address(&mut self, place: Place, start: usize) {
        self.addresses.push(address(place, start));
    }

    pub(super) fn end_address(&mut self, end: usize) {
        if let Some(address) = self.addresses.last_mut() {
            address.span.end = end;
        }
    }

    pub(super) fn begin_guid(&mut self, is_permalink: bool, place: Place, start: usize) {
        self.guid = Some(address(place, start));
        self.is_permalink = is_permalink;
    }

    pub(super) fn end_guid(&mut self, end: usize) {
        if let Some(guid) = &mut self.guid {
            guid.span.end = end;
        }
    }

    pub(super) fn value(&mut self, field: Field) -> Option<&mut Value> {
        match field {
            Field::Address => self.addresses.last_mut().map(|address| &mut address.value),
            Field::Guid => self.guid.as_mut().map(|guid| &mut guid.value),
            Field::Date => Some(&mut self.date),
            Field::Title => Some(&mut self.title),
        }
    }

    /// Gives the addresses away and keeps the rest, for an entry that goes on.
    pub(super) fn give(&mut self, format: Format, tally: &mut Tally, sink: Sink<'_>) {
        let is_feed = matches!(format, Format::Rss | Format::Rdf);
        if is_feed
            && self.is_permalink
            && self.addresses.iter().all(|address| address.value.text().is_empty() && !address.value.spoilt)
            && let Some(guid) = self.guid.take()
        {
            self.addresses.clear();
            self.addresses.push(guid);
        }
        let lastmod = Some(self.date.text()).filter(|date| !date.is_empty());
        let last = self.addresses.len().saturating_sub(1);
        for (at, address) in self.addresses.iter().enumerate() {
            tally.count(address.place);
            sink(SitemapLink {
                target: address.value.target(self.cut_off && at == last),
                role: role(format, address.is_alternate),
                syntax: syntax(format, address.is_alternate),
                place: address.place,
                span: address.span.clone(),
                lastmod,
                hreflang: address.hreflang.as_deref(),
                label: self.title.text(),
            });
        }
        self.addresses.clear();
    }
}

fn address(place: Place, start: usize) -> Address {
    Address { value: Value::default(), place, span: start..start, is_alternate: false, hreflang: None }
}

fn role(format: Format, is_alternate: bool) -> Role {
    match format {
        _ if is_alternate => Role::Alternate,
        Format::SitemapIndex => Role::Index,
        Format::UrlSet | Format::Rss | Format::Atom | Format::Rdf | Format::Text => Role::Entry,
    }
}

fn syntax(format: Format, is_alternate: bool) -> Syntax {
    match format {
        _ if is_alternate => Syntax::SitemapAlternate,
        Format::Rss | Format::Atom | Format::Rdf => Syntax::FeedLink,
        Format::UrlSet | Format::SitemapIndex | Format::Text => Syntax::SitemapLoc,
    }
}

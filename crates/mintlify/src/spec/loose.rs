//! Fields that take any value and keep what is of use: a wrong type in one corner must not lose a whole description.

use std::fmt;
use std::marker::PhantomData;

use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserialize, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};

/// A mapping, or anything else.
#[derive(Debug, Clone)]
pub(super) struct Maybe<T>(pub(super) Option<T>);

impl<T> Default for Maybe<T> {
    fn default() -> Self {
        Maybe(None)
    }
}

impl<T: Default> Maybe<T> {
    pub(super) fn into_inner(self) -> T {
        self.0.unwrap_or_default()
    }

    pub(super) fn take(&mut self) -> T {
        self.0.take().unwrap_or_default()
    }
}

/// A mapping in the order of the file.
#[derive(Debug, Clone)]
pub(super) struct Ordered<T>(pub(super) Vec<(String, T)>);

impl<T> Default for Ordered<T> {
    fn default() -> Self {
        Ordered(Vec::new())
    }
}

/// A text or number, or anything else.
#[derive(Debug, Clone, Default)]
pub(super) struct Text(Option<String>);

impl Text {
    pub(super) fn is_some(&self) -> bool {
        self.0.is_some()
    }

    /// The text, where it is not empty.
    pub(super) fn as_text(&self) -> Option<&str> {
        self.0.as_deref().filter(|text| !text.is_empty())
    }

    pub(super) fn into_text(self) -> Option<String> {
        self.0.filter(|text| !text.is_empty())
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Maybe<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(MaybeVisitor(PhantomData))
    }
}

struct MaybeVisitor<T>(PhantomData<T>);

/// Visits of plain values that come to nothing.
macro_rules! nothing {
    ($nothing:expr; $($visit:ident($kind:ty)),*) => {
        $(fn $visit<E>(self, _: $kind) -> Result<Self::Value, E> { Ok($nothing) })*
        fn visit_unit<E>(self) -> Result<Self::Value, E> { Ok($nothing) }
        fn visit_none<E>(self) -> Result<Self::Value, E> { Ok($nothing) }
        fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
            while seq.next_element::<IgnoredAny>()?.is_some() {}
            Ok($nothing)
        }
    };
}

impl<'de, T: Deserialize<'de>> Visitor<'de> for MaybeVisitor<T> {
    type Value = Maybe<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("anything")
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Self::Value, A::Error> {
        T::deserialize(MapAccessDeserializer::new(map)).map(|value| Maybe(Some(value)))
    }

    nothing!(Maybe(None); visit_bool(bool), visit_i64(i64), visit_u64(u64), visit_f64(f64), visit_str(&str));
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Ordered<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(OrderedVisitor(PhantomData))
    }
}

struct OrderedVisitor<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for OrderedVisitor<T> {
    type Value = Ordered<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a mapping")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut entries = Vec::new();
        while let Some(entry) = map.next_entry()? {
            entries.push(entry);
        }
        Ok(Ordered(entries))
    }
}

impl<'de> Deserialize<'de> for Text {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(TextVisitor)
    }
}

struct TextVisitor;

impl<'de> Visitor<'de> for TextVisitor {
    type Value = Text;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("anything")
    }

    fn visit_str<E>(self, text: &str) -> Result<Text, E> {
        Ok(Text(Some(text.to_owned())))
    }

    fn visit_u64<E>(self, number: u64) -> Result<Text, E> {
        Ok(Text(Some(number.to_string())))
    }

    fn visit_i64<E>(self, number: i64) -> Result<Text, E> {
        Ok(Text(Some(number.to_string())))
    }

    fn visit_f64<E>(self, number: f64) -> Result<Text, E> {
        Ok(Text(Some(number.to_string())))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Text, A::Error> {
        while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(Text(None))
    }

    nothing!(Text(None); visit_bool(bool));
}

//! How addresses and digests are written in JSON: as their text. Read back, they are checked again.

use std::fmt::Display;

use serde::de::{Deserialize, Deserializer, Error};
use serde::ser::Serializer;
use wholesite_address::{SiteUrl, StorePath};

use crate::{Digest, SiteKey};

/// A type that is written as text.
pub(crate) trait AsText: Display + Sized {
    fn read(text: &str) -> Result<Self, String>;
}

impl AsText for SiteUrl {
    fn read(text: &str) -> Result<Self, String> {
        SiteUrl::parse(text).map_err(|error| error.to_string())
    }
}

impl AsText for StorePath {
    fn read(text: &str) -> Result<Self, String> {
        StorePath::parse(text).map_err(|error| error.to_string())
    }
}

impl AsText for Digest {
    fn read(text: &str) -> Result<Self, String> {
        text.parse()
    }
}

impl AsText for SiteKey {
    fn read(text: &str) -> Result<Self, String> {
        SiteKey::parse(text).map_err(|error| error.to_string())
    }
}

/// For `#[serde(with = …)]` on one value.
pub(crate) mod text {
    use super::*;

    pub(crate) fn serialize<T: AsText, S: Serializer>(value: &T, out: S) -> Result<S::Ok, S::Error> {
        out.collect_str(value)
    }

    pub(crate) fn deserialize<'de, T: AsText, D: Deserializer<'de>>(input: D) -> Result<T, D::Error> {
        T::read(&String::deserialize(input)?).map_err(D::Error::custom)
    }
}

/// For `#[serde(with = …)]` on a list.
pub(crate) mod texts {
    use super::*;

    pub(crate) fn serialize<T: AsText, S: Serializer>(values: &[T], out: S) -> Result<S::Ok, S::Error> {
        out.collect_seq(values.iter().map(ToString::to_string))
    }

    pub(crate) fn deserialize<'de, T: AsText, D: Deserializer<'de>>(input: D) -> Result<Vec<T>, D::Error> {
        let texts = Vec::<String>::deserialize(input)?;
        texts.iter().map(|text| T::read(text).map_err(D::Error::custom)).collect()
    }
}

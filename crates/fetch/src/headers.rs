//! Header fields of an answer.

use std::fmt;

/// Header fields in the order they came: several of one name are kept apart, names compare without
/// regard to case (RFC 9110 §5.1), and there is an upper bound to all of them together.
///
/// Values are text. RFC 9110 §5.5 allows any octet; what is not UTF-8 is read as ISO 8859-1, the
/// older rule, so nothing is lost.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Headers {
    fields: Vec<(Box<str>, Box<str>)>,
    bytes: usize,
}

/// More header fields, or more bytes of them, than anybody needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("more than {} header fields or {} KiB of them", Headers::MAX_FIELDS, Headers::MAX_BYTES >> 10)]
pub struct HeadersFull;

impl Headers {
    /// The most fields that are kept.
    pub const MAX_FIELDS: usize = 256;
    /// The most bytes of names and values together that are kept.
    pub const MAX_BYTES: usize = 64 << 10;

    /// No fields.
    pub fn new() -> Self {
        Headers::default()
    }

    /// Adds a field behind the others.
    ///
    /// # Errors
    /// [`HeadersFull`] where a bound would be crossed; the fields are then as they were.
    pub fn push(&mut self, name: &str, value: &[u8]) -> Result<(), HeadersFull> {
        if value.len() > Self::MAX_BYTES {
            return Err(HeadersFull);
        }
        let value = text_of(value);
        let bytes = self.bytes + name.len() + value.len();
        if self.fields.len() >= Self::MAX_FIELDS || bytes > Self::MAX_BYTES {
            return Err(HeadersFull);
        }
        self.bytes = bytes;
        self.fields.push((name.to_ascii_lowercase().into(), value.into()));
        Ok(())
    }

    /// The fields of a list of pairs: for recordings, simulators and tests.
    ///
    /// # Errors
    /// As [`Headers::push`].
    pub fn from_pairs<'a>(pairs: impl IntoIterator<Item = (&'a str, &'a str)>) -> Result<Self, HeadersFull> {
        let mut headers = Headers::new();
        for (name, value) in pairs {
            headers.push(name, value.as_bytes())?;
        }
        Ok(headers)
    }

    /// The first value of that name.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.iter().find(|(field, _)| field.eq_ignore_ascii_case(name)).map(|(_, value)| value)
    }

    /// Every value of that name, in order.
    pub fn get_all<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a str> {
        self.iter().filter(move |(field, _)| field.eq_ignore_ascii_case(name)).map(|(_, value)| value)
    }

    /// Takes away every field of that name.
    pub fn remove(&mut self, name: &str) {
        self.fields.retain(|(field, _)| !field.eq_ignore_ascii_case(name));
        self.bytes = self.fields.iter().map(|(field, value)| field.len() + value.len()).sum();
    }

    /// All fields as (name in lower case, value), in the order they came.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.fields.iter().map(|(name, value)| (&**name, &**value))
    }

    /// How many fields there are.
    pub fn len(&self) -> usize {
        self.fields.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.fields.is_empty()
    }
}

impl fmt::Debug for Headers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.iter()).finish()
    }
}

fn text_of(value: &[u8]) -> String {
    match std::str::from_utf8(value) {
        Ok(text) => text.to_owned(),
        Err(_) => value.iter().map(|&byte| char::from(byte)).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_have_no_case_and_values_keep_their_order() {
        let headers = Headers::from_pairs([("Link", "<a>"), ("ETag", "\"1\""), ("LINK", "<b>")]).unwrap();
        assert_eq!(headers.get_all("link").collect::<Vec<_>>(), ["<a>", "<b>"]);
        assert_eq!(headers.get("etag"), Some("\"1\""));
        assert_eq!(headers.get("location"), None);
    }

    #[test]
    fn values_that_are_not_utf8_are_latin1() {
        let mut headers = Headers::new();
        headers.push("location", b"/caf\xe9").unwrap();
        headers.push("location", "/café".as_bytes()).unwrap();
        assert_eq!(headers.get_all("location").collect::<Vec<_>>(), ["/café", "/café"]);
    }

    #[test]
    fn they_are_bounded() {
        let mut headers = Headers::new();
        while headers.push("x", &[b'v'; 1000]).is_ok() {}
        assert_eq!(headers.len(), Headers::MAX_BYTES / 1001);
        headers.remove("X");
        while headers.push("x", b"").is_ok() {}
        assert_eq!(headers.len(), Headers::MAX_FIELDS);
    }
}

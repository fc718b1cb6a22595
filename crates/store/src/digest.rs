//! Content, by its hash.

use std::fmt;
use std::str::FromStr;

/// The BLAKE3 hash of a text: equal digests mean equal texts. Prints as 64 hexadecimal digits.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Digest([u8; 32]);

impl Digest {
    /// The digest of a text.
    pub fn of(text: &str) -> Self {
        Digest(*blake3::hash(text.as_bytes()).as_bytes())
    }

    /// From 32 bytes as [`Digest::as_bytes`] gives them.
    pub fn from_bytes(bytes: [u8; 32]) -> Self {
        Digest(bytes)
    }

    /// The 32 bytes.
    pub fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&blake3::Hash::from(self.0).to_hex())
    }
}

impl fmt::Debug for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl FromStr for Digest {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        blake3::Hash::from_hex(text)
            .map(|hash| Digest(*hash.as_bytes()))
            .map_err(|error| format!("`{text}` is no digest: {error}"))
    }
}

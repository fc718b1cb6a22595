//! Identity of pages on systems that fold case and Unicode forms.

use unicode_normalization::UnicodeNormalization;

use crate::StorePath;

/// A store path as a case-insensitive, Unicode-normalising file system sees it. Two pages with
/// equal keys would overwrite one another on such a system, so they are a collision.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PageKey(String);

impl PageKey {
    /// Decodes, composes (NFC) and lower-cases the path.
    pub fn of(path: &StorePath) -> Self {
        let is_plain = |byte: u8| byte.is_ascii() && byte != b'%';
        if path.as_str().bytes().all(is_plain) {
            return PageKey(path.as_str().to_ascii_lowercase());
        }
        let decoded = percent_encoding::percent_decode_str(path.as_str()).decode_utf8_lossy();
        PageKey(decoded.nfc().flat_map(char::to_lowercase).nfc().collect())
    }
}

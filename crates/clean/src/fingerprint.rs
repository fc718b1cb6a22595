//! Comparing the answers to two addresses, whatever they repeat of the address.

use std::hash::{DefaultHasher, Hash, Hasher};

use crate::Served;

/// A fingerprint of a body for telling whether a site answers two addresses alike. What differs from
/// answer to answer is left out: the address and its parts, numbers, and long identifiers.
pub fn fingerprint(served: &Served<'_>) -> u64 {
    let text = wholesite_content::decode(served.body, served.content_type).text;
    let url = served.url;
    let own: Vec<String> = url
        .path()
        .split('/')
        .map(|part| part.trim_end_matches(".md").to_ascii_lowercase())
        .filter(|part| part.len() > 2)
        .collect();
    let mut hasher = DefaultHasher::new();
    let mut counted = 0_usize;
    for word in text.split(|c: char| !(c.is_alphanumeric() || c == '-' || c == '_')) {
        let folded = word.to_ascii_lowercase();
        let is_number = folded.bytes().any(|byte| byte.is_ascii_digit());
        if folded.is_empty() || is_number || own.iter().any(|part| folded.contains(part.as_str())) {
            continue;
        }
        folded.hash(&mut hasher);
        counted += 1;
    }
    counted.hash(&mut hasher);
    hasher.finish()
}

//! Comparing the answers to two addresses, whatever they repeat of the address.

use crate::{Served, html};
use wholesite_content::{Kind, decode, sniff};

/// A fingerprint of a body for telling whether a site answers two addresses alike: of the visible
/// text, without the address and its last segment, without numbers and long identifiers, and
/// without regard to white space. It never differs from run to run.
pub fn fingerprint(served: &Served<'_>) -> u64 {
    let decoded = decode(served.body, served.content_type);
    let text = match sniff(served.body, served.content_type) {
        Kind::Html => html::whole_text(&decoded.text).unwrap_or_else(|_| decoded.text.into_owned()),
        _ => decoded.text.into_owned(),
    };
    let text = without_address(text, served);
    let own = own_names(served);
    let mut hash = Fnv::new();
    for word in text.split_whitespace() {
        let bare = word.trim_matches(|c: char| !c.is_alphanumeric());
        if bare.is_empty() || own.iter().any(|name| name == bare) || is_passing(bare) {
            continue;
        }
        hash.add(bare.as_bytes());
        // What never is in a word, between words.
        hash.add(b"\n");
    }
    hash.0
}

/// The text without any spelling of the asked address or its path.
fn without_address(mut text: String, served: &Served<'_>) -> String {
    let path = served.url.path();
    let without_extension = path.rsplit_once('.').map_or(path, |(stem, _)| stem);
    // A short path would take too much with it.
    let spellings = [served.url.as_str(), path, without_extension, without_extension.trim_start_matches('/')];
    for spelling in spellings.into_iter().filter(|spelling| spelling.len() > 3) {
        if text.contains(spelling) {
            text = text.replace(spelling, " ");
        }
    }
    text
}

/// The last segment of the address, as text may repeat it.
fn own_names(served: &Served<'_>) -> Vec<String> {
    let last = served.url.last_segment();
    let stem = last.rsplit_once('.').map_or(last, |(stem, _)| stem);
    [last, stem].iter().filter(|name| !name.is_empty()).map(|name| (*name).to_owned()).collect()
}

/// What differs from answer to answer: numbers, dates, times, identifiers.
fn is_passing(word: &str) -> bool {
    let digits = word.bytes().filter(u8::is_ascii_digit).count();
    let is_number = digits > 0 && word.chars().all(|c| c.is_ascii_digit() || c.is_ascii_punctuation());
    let is_hex =
        word.len() >= 6 && digits > 0 && word.bytes().all(|byte| byte.is_ascii_hexdigit() || byte == b'-');
    // `iad1::x8k2p-1718…`, `01HZX…`: long, and of letters and digits in turn.
    let is_identifier = word.len() >= 12 && digits >= 4 && !word.contains('/');
    is_number || is_hex || is_identifier
}

/// FNV-1a: stable, which the hasher of the standard library does not promise to be.
struct Fnv(u64);

impl Fnv {
    fn new() -> Self {
        Fnv(0xcbf2_9ce4_8422_2325)
    }

    fn add(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
    }
}

//! The path under which a page is kept: safe on every system, and reversible.
//!
//! A store path is the page's path below the site's base, with `.md` at its end. URL paths are
//! ASCII with percent-encoded triplets, so most of them can stand as they are. The rest follows
//! these rules, each of which can be undone:
//!
//! | in the address | in the store path |
//! | --- | --- |
//! | a byte that Windows forbids (`" * : < > ? \|`) or a backslash | its triplet |
//! | the `?` before a query, and a slash in it | `%3F`, `%2F` |
//! | a triplet of one of these bytes, or `%25` | `%25` + its two digits |
//! | triplets of a letter or digit outside ASCII, in composed form | the character |
//! | an empty segment (`//`) | `%_` |
//! | a segment that ends in a dot | its last dot as `%2E` |
//! | a device name (`con`, `NUL`, `com1` …) | its first letter as a triplet |
//! | a segment over 200 bytes | several segments, each but the last ending in `%-` |
//! | a final slash | `index` |

use std::fmt;

use unicode_normalization::is_nfc;

use crate::normalize::{push_triplet, triplet};
use crate::{Scope, SiteUrl};

/// The longest segment written, in bytes; file systems allow 255, and stores add suffixes.
const SEGMENT_BYTES: usize = 200;
/// Ends a segment that goes on in the next one. `%` and `-` never meet in a normalised URL.
const CONTINUED: &str = "%-";
/// Stands for an empty segment.
const EMPTY: &str = "%_";
const INDEX: &str = "index";
const EXTENSION: &str = ".md";

/// A path such as `/guides/setup.md`: begins with `/`, ends in `.md`, holds no dot segment and no
/// character that any common file system refuses. The home page is `/index.md`.
///
/// Two spellings share one path by design, since they are one page wherever anybody looked: `/a`
/// and its Markdown twin `/a.md`, `/a/` and `/a/index`. Where a site serves them as different
/// pages, discovery reports a collision.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct StorePath(String);

/// Why a text is no store path.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum StorePathError {
    /// The address lies outside the scope.
    #[error("{0} lies outside the site")]
    OutsideScope(SiteUrl),
    /// Not written by this module's rules.
    #[error("`{0}` is no store path")]
    Malformed(String),
}

impl StorePath {
    /// The path of a page inside `scope`.
    ///
    /// # Errors
    /// [`StorePathError::OutsideScope`].
    pub fn of(url: &SiteUrl, scope: &Scope) -> Result<Self, StorePathError> {
        let relative = scope.relative(url).ok_or_else(|| StorePathError::OutsideScope(url.clone()))?;
        let mut encoded = String::with_capacity(relative.len() + 8);
        let segments: Vec<&str> = relative[1..].split('/').collect();
        for (at, segment) in segments.iter().enumerate() {
            encoded.push('/');
            let last = at + 1 == segments.len();
            let query = if last { url.query() } else { None };
            let name = match (segment.is_empty(), last) {
                (true, true) => INDEX.to_owned(),
                (true, false) => EMPTY.to_owned(),
                (false, true) => safe_name(markdown_stem(segment)),
                (false, false) => safe_name(segment),
            };
            push_in_pieces(&mut encoded, &name, query);
        }
        encoded.push_str(EXTENSION);
        Ok(StorePath(encoded))
    }

    /// Reads a path as [`StorePath::of`] writes it.
    ///
    /// # Errors
    /// [`StorePathError::Malformed`] for anything else, such as `..` or a missing `.md`.
    pub fn parse(text: &str) -> Result<Self, StorePathError> {
        let path = StorePath(text.to_owned());
        if is_plain(text) {
            return Ok(path);
        }
        let scope = Scope::below(&SiteUrl::parse("http://h/").expect("a valid URL"));
        let round_trip = path.to_url(&scope).and_then(|url| StorePath::of(&url, &scope));
        if round_trip.as_ref() == Ok(&path) {
            Ok(path)
        } else {
            Err(StorePathError::Malformed(text.to_owned()))
        }
    }

    /// The address that this path stands for in `scope`.
    ///
    /// # Errors
    /// [`StorePathError::Malformed`] for a path that this module did not write.
    pub fn to_url(&self, scope: &Scope) -> Result<SiteUrl, StorePathError> {
        let malformed = || StorePathError::Malformed(self.0.clone());
        let stem = self.0.strip_suffix(EXTENSION).and_then(|s| s.strip_prefix('/')).ok_or_else(malformed)?;
        let joined = stem.replace(&format!("{CONTINUED}/"), "");
        let mut path = String::with_capacity(joined.len() + 8);
        let (before_query, query) = match joined.find("%3F") {
            Some(at) => (&joined[..at], Some(decode_segment(&joined[at + 3..]))),
            None => (joined.as_str(), None),
        };
        let segments: Vec<&str> = before_query.split('/').collect();
        for (at, segment) in segments.iter().enumerate() {
            path.push('/');
            let last = at + 1 == segments.len();
            match *segment {
                EMPTY => {}
                INDEX if last => {}
                _ => path.push_str(&decode_segment(segment)),
            }
        }
        let below = if path == "/" && query.is_none() && !scope.base_path().is_empty() { "" } else { &path };
        let query = query.map(|q| format!("?{q}")).unwrap_or_default();
        SiteUrl::parse(&format!("{}{}{below}{query}", scope.origin(), scope.base_path()))
            .map_err(|_| malformed())
    }

    /// The path as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for StorePath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Whether a path needs no escapes at all, so that it is its own address: most are, and stores read
/// thousands of them at once.
fn is_plain(text: &str) -> bool {
    let Some(stem) = text.strip_prefix('/').and_then(|rest| rest.strip_suffix(EXTENSION)) else {
        return false;
    };
    let is_plain_byte = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'/');
    stem.bytes().all(is_plain_byte)
        && stem
            .split('/')
            .all(|name| !name.is_empty() && name.len() <= SEGMENT_BYTES && !is_device_name(name))
}

fn markdown_stem(segment: &str) -> &str {
    match segment.strip_suffix(".md") {
        // What is left of `/..md` would be a dot segment, and mean another page.
        Some(stem) if !matches!(stem, "" | "." | "..") => stem,
        _ => segment,
    }
}

fn safe_name(segment: &str) -> String {
    let mut name = encode(segment, is_escaped_by_us);
    if name.ends_with('.') {
        name.pop();
        name.push_str("%2E");
    }
    if is_device_name(&name) {
        let mut escaped = String::with_capacity(name.len() + 2);
        push_triplet(&mut escaped, name.as_bytes()[0]);
        escaped.push_str(&name[1..]);
        name = escaped;
    }
    name
}

/// Writes a name and its query, cut where they are over-long; never inside a character or triplet,
/// and never so that a device name is left over.
fn push_in_pieces(out: &mut String, name: &str, query: Option<&str>) {
    let mut whole = name.to_owned();
    if let Some(query) = query {
        whole.push_str("%3F");
        whole.push_str(&encode(query, |byte| byte == b'/' || is_escaped_by_us(byte)));
    }
    let mut rest = whole.as_str();
    while rest.len() > SEGMENT_BYTES {
        let mut cut = SEGMENT_BYTES - CONTINUED.len();
        while !is_good_cut(rest, cut) {
            cut -= 1;
        }
        out.push_str(&rest[..cut]);
        out.push_str(CONTINUED);
        out.push('/');
        rest = &rest[cut..];
    }
    out.push_str(rest);
}

fn is_good_cut(text: &str, at: usize) -> bool {
    text.is_char_boundary(at) && !text.as_bytes()[at - 2..at].contains(&b'%') && !is_device_name(&text[at..])
}

/// `is_escaped` tells which bytes are written as triplets: those that no name may hold, and in a query
/// also the slash, which is plain there and would make a folder here.
fn encode(segment: &str, is_escaped: fn(u8) -> bool) -> String {
    let mut out = String::with_capacity(segment.len() + 8);
    let bytes = segment.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        match triplet(&bytes[at..]) {
            Some(value) if is_escaped(value) => {
                out.push_str("%25");
                out.push_str(&segment[at + 1..at + 3]);
                at += 3;
            }
            Some(value) if value >= 0x80 => at += push_letter_or_triplet(&mut out, &segment[at..]),
            Some(_) => {
                out.push_str(&segment[at..at + 3]);
                at += 3;
            }
            None if is_escaped(bytes[at]) => {
                push_triplet(&mut out, bytes[at]);
                at += 1;
            }
            None => {
                out.push(bytes[at] as char);
                at += 1;
            }
        }
    }
    out
}

/// Writes the character that begins with the triplet at the start of `text`, decoded if it is a
/// letter or digit in composed form; returns how many bytes of `text` that took.
fn push_letter_or_triplet(out: &mut String, text: &str) -> usize {
    let mut raw = [0_u8; 4];
    for length in 1..=4 {
        let Some(value) = text.as_bytes().get((length - 1) * 3..).and_then(triplet) else { break };
        raw[length - 1] = value;
        if let Ok(decoded) = std::str::from_utf8(&raw[..length]) {
            let plain = decoded.chars().all(char::is_alphanumeric) && is_nfc(decoded);
            if plain {
                out.push_str(decoded);
            } else {
                out.push_str(&text[..length * 3]);
            }
            return length * 3;
        }
    }
    out.push_str(&text[..3]);
    3
}

fn decode_segment(segment: &str) -> String {
    let mut out = String::with_capacity(segment.len());
    let mut rest = segment;
    while let Some(c) = rest.chars().next() {
        match triplet(rest.as_bytes()) {
            // Ours: `%25XX` is the triplet `%XX` of the address, `%XX` the byte itself.
            Some(b'%') => {
                out.push('%');
                rest = &rest[3..];
            }
            Some(value)
                if is_escaped_by_us(value)
                    || value == b'/'
                    || value.is_ascii_alphanumeric()
                    || value == b'.' =>
            {
                out.push(value as char);
                rest = &rest[3..];
            }
            Some(_) => {
                out.push_str(&rest[..3]);
                rest = &rest[3..];
            }
            None => {
                if c.is_ascii() {
                    out.push(c);
                } else {
                    let mut buffer = [0; 4];
                    c.encode_utf8(&mut buffer).bytes().for_each(|byte| push_triplet(&mut out, byte));
                }
                rest = &rest[c.len_utf8()..];
            }
        }
    }
    out
}

/// Bytes that Windows forbids in names, the backslash, and `%`, which marks our own escapes.
fn is_escaped_by_us(byte: u8) -> bool {
    matches!(byte, b'"' | b'*' | b':' | b'<' | b'>' | b'?' | b'|' | b'\\' | b'%')
}

/// Names that Windows takes for devices whatever their extension.
fn is_device_name(name: &str) -> bool {
    let stem = name.split('.').next().unwrap_or(name).to_ascii_lowercase();
    let numbered = |prefix: &str| {
        stem.strip_prefix(prefix).is_some_and(|n| {
            matches!(n, "¹" | "²" | "³") || (n.len() == 1 && n.as_bytes()[0].is_ascii_digit())
        })
    };
    matches!(stem.as_str(), "con" | "prn" | "aux" | "nul" | "conin$" | "conout$")
        || numbered("com")
        || numbered("lpt")
}

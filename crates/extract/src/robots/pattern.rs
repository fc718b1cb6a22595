//! Path patterns (RFC 9309 §2.2.2 and §2.2.3).
//!
//! Pattern and path are brought into one form first, so that matching compares octets:
//!
//! - percent-encoded unreserved characters are decoded, other triplets get upper-case digits;
//! - what is not ASCII, or a control or a blank, is percent-encoded as UTF-8;
//! - in a query, `:` `/` `?` `@` are decoded: they mean the same there in either form;
//! - `*` and `$` of a path are percent-encoded, since those of a pattern have a meaning.

/// A pattern, taken apart at its `*`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Pattern {
    /// The literal parts; between two of them anything may stand.
    parts: Vec<Box<[u8]>>,
    /// Ends in `$`: nothing may follow the last part.
    anchored: bool,
    len: usize,
}

impl Pattern {
    pub(super) fn new(written: &str) -> Self {
        let (body, anchored) = match written.strip_suffix('$') {
            Some(body) => (body, true),
            None => (written, false),
        };
        let canonical = canonical(body, Place::Pattern);
        let len = canonical.len() + usize::from(anchored);
        let mut parts: Vec<Box<[u8]>> = canonical.split('*').map(|part| part.as_bytes().into()).collect();
        // `**` is `*`.
        let last = parts.len() - 1;
        let mut at = 0;
        parts.retain(|part| {
            at += 1;
            !part.is_empty() || at == 1 || at == last + 1
        });
        Pattern { parts, anchored, len }
    }

    /// Octets of the pattern in its compared form; the longest match decides.
    pub(super) fn len(&self) -> usize {
        self.len
    }

    /// Whether the pattern matches a prefix of a path in [`canonical_path`] form, or all of it where
    /// it ends in `$`. Taking each part at its first place is enough, since only the last one may be
    /// anchored; so this is linear.
    pub(super) fn matches(&self, path: &[u8]) -> bool {
        let Some((first, others)) = self.parts.split_first() else { return false };
        let Some(mut rest) = path.strip_prefix(&**first) else { return false };
        let Some((last, middle)) = others.split_last() else {
            return !self.anchored || rest.is_empty();
        };
        for part in middle {
            match memchr::memmem::find(rest, part) {
                Some(at) => rest = &rest[at + part.len()..],
                None => return false,
            }
        }
        if self.anchored { rest.ends_with(last) } else { memchr::memmem::find(rest, last).is_some() }
    }
}

/// The form in which a path and query is compared.
pub(super) fn canonical_path(path_and_query: &str) -> String {
    let path = path_and_query.split('#').next().unwrap_or_default();
    canonical(path, Place::Address)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    Pattern,
    Address,
}

fn canonical(text: &str, place: Place) -> String {
    let bytes = text.as_bytes();
    let mut out = String::with_capacity(bytes.len());
    let mut in_query = false;
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        if byte == b'%'
            && let Some(octet) = triplet(bytes, at)
        {
            let query_literal = in_query && matches!(octet, b':' | b'/' | b'?' | b'@');
            if is_unreserved(octet) || query_literal {
                out.push(char::from(octet));
            } else {
                push_encoded(&mut out, octet);
            }
            at += 3;
            continue;
        }
        in_query |= byte == b'?';
        let has_meaning = byte == b'*' && place == Place::Pattern;
        // A `%` that begins no escape is one by itself, as in addresses.
        let is_special = matches!(byte, b'*' | b'$' | b'%') && !has_meaning;
        if byte.is_ascii_graphic() && !is_special {
            out.push(char::from(byte));
        } else {
            push_encoded(&mut out, byte);
        }
        at += 1;
    }
    out
}

fn triplet(bytes: &[u8], at: usize) -> Option<u8> {
    let digit = |at: usize| char::from(*bytes.get(at)?).to_digit(16);
    u8::try_from(digit(at + 1)? * 16 + digit(at + 2)?).ok()
}

fn push_encoded(out: &mut String, octet: u8) {
    const DIGITS: &[u8; 16] = b"0123456789ABCDEF";
    out.push('%');
    out.push(char::from(DIGITS[usize::from(octet >> 4)]));
    out.push(char::from(DIGITS[usize::from(octet & 15)]));
}

/// RFC 3986 §2.3.
fn is_unreserved(octet: u8) -> bool {
    octet.is_ascii_alphanumeric() || matches!(octet, b'-' | b'.' | b'_' | b'~')
}

//! Percent-encoding normalisation (RFC 3986 §6.2.2.1 and §6.2.2.2) on a WHATWG-serialised URL.

/// Why a path cannot be trusted as a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PathFault {
    EncodedSlash,
    EncodedBackslash,
    Control,
}

/// Upper-cases the hex digits of every triplet, decodes triplets of unreserved characters, and
/// writes a `%` that begins no triplet as `%25`. Running it twice changes nothing more.
pub(crate) fn percent_encoding(text: &str) -> String {
    let bytes = text.as_bytes();
    if !bytes.contains(&b'%') {
        return text.to_owned();
    }
    let mut out = String::with_capacity(bytes.len());
    let mut rest = text;
    while let Some(at) = rest.find('%') {
        out.push_str(&rest[..at]);
        let tail = &rest[at..];
        match triplet(tail.as_bytes()) {
            Some(value) => {
                if is_unreserved(value) {
                    out.push(value as char);
                } else {
                    push_triplet(&mut out, value);
                }
                rest = &tail[3..];
            }
            None => {
                out.push_str("%25");
                rest = &tail[1..];
            }
        }
    }
    out.push_str(rest);
    out
}

/// Looks for bytes in the path that would mean something else to a file system or a proxy than to
/// the URL parser: an encoded slash or backslash, an encoded control character.
pub(crate) fn path_fault(path: &str) -> Option<PathFault> {
    let bytes = path.as_bytes();
    for (at, byte) in bytes.iter().enumerate() {
        if *byte != b'%' {
            continue;
        }
        match triplet(&bytes[at..]) {
            Some(b'/') => return Some(PathFault::EncodedSlash),
            Some(b'\\') => return Some(PathFault::EncodedBackslash),
            Some(0..=0x1F | 0x7F) => return Some(PathFault::Control),
            _ => {}
        }
    }
    None
}

/// The value of a percent-encoded triplet at the start of `bytes`.
pub(crate) fn triplet(bytes: &[u8]) -> Option<u8> {
    let [b'%', high, low, ..] = bytes else { return None };
    let digit = |byte: u8| (byte as char).to_digit(16);
    Some((digit(*high)? * 16 + digit(*low)?) as u8)
}

pub(crate) fn push_triplet(out: &mut String, value: u8) {
    const HEX: &[u8; 16] = b"0123456789ABCDEF";
    out.push('%');
    out.push(HEX[usize::from(value >> 4)] as char);
    out.push(HEX[usize::from(value & 15)] as char);
}

/// RFC 3986 §2.3.
fn is_unreserved(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_' | b'~')
}

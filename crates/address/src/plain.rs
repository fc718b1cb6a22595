//! Addresses that need no parser: those whose every character means itself, as nearly all do. They
//! come by the hundred thousand, and the parser is what costs most about them. Whatever is not
//! certainly plain goes to the parser; a law in the tests says that both agree.

use core::net::Ipv4Addr;

/// Whether a path begins with a slash and is its own normal form: no triplet, no dot segment, no query.
pub(crate) fn is_path(path: &str) -> bool {
    let bytes = path.as_bytes();
    bytes.first() == Some(&b'/')
        && bytes.iter().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'/' | b'-' | b'_' | b'.' | b'~'))
        // A dot at the start of a name may be a dot segment.
        && !bytes.windows(2).any(|pair| pair == b"/.")
}

/// The length of an origin at the start of a text, if it is its own normal form and a path follows.
pub(crate) fn origin(text: &str) -> Option<usize> {
    let (scheme, default_port) = if text.starts_with("https://") {
        ("https://", 443)
    } else if text.starts_with("http://") {
        ("http://", 80)
    } else {
        return None;
    };
    let rest = &text[scheme.len()..];
    let end = rest.find('/')?;
    let (host, port) = match rest[..end].split_once(':') {
        Some((host, port)) => (host, Some(port)),
        None => (&rest[..end], None),
    };
    let is_port = |port: &str| !port.starts_with('0') && port.parse() != Ok(default_port) && is_number(port);
    (is_host(host) && port.is_none_or(is_port)).then_some(scheme.len() + end)
}

fn is_number(port: &str) -> bool {
    port.bytes().all(|byte| byte.is_ascii_digit()) && port.parse::<u16>().is_ok()
}

/// A name in lower case whose last label can't be a number (WHATWG URL, "ends in a number"), and that
/// has no encoded label to be checked; or four plain numbers.
fn is_host(host: &str) -> bool {
    let is_name = host
        .bytes()
        .all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || matches!(byte, b'-' | b'.'))
        && !host.starts_with(['-', '.'])
        && !host.contains("..")
        && !host.contains("--")
        && host.rsplit('.').next().is_some_and(|last| last.starts_with(|c: char| c.is_ascii_lowercase()));
    is_name || host.parse::<Ipv4Addr>().is_ok()
}

//! References in XML, for documents whose own declarations are never believed.

use crate::html::charref::{self, Characters};

/// What became of one `&…;`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Resolved {
    Characters(Characters),
    Character(char),
    /// No reference at all: `&` and what follows it stand for themselves, as in `?a=1&b=2;c`.
    Literally,
    /// A name that nobody knows, or one that the document declares itself.
    Refused,
}

/// Resolves the part between `&` and `;`.
///
/// Where the document declares entities, names stand for whatever it says, so all but the five that
/// XML predefines are refused.
pub(super) fn resolve(name: &str, declares_entities: bool) -> Resolved {
    if let Some(number) = name.strip_prefix('#') {
        let code = match number.strip_prefix(['x', 'X']) {
            Some(hex) => u32::from_str_radix(hex, 16),
            None => number.parse(),
        };
        let shown = code.ok().and_then(char::from_u32).filter(|c| *c != '\0');
        return shown.map_or(Resolved::Refused, Resolved::Character);
    }
    match name {
        "amp" => Resolved::Character('&'),
        "lt" => Resolved::Character('<'),
        "gt" => Resolved::Character('>'),
        "quot" => Resolved::Character('"'),
        "apos" => Resolved::Character('\''),
        _ if !is_name(name) => Resolved::Literally,
        _ if declares_entities => Resolved::Refused,
        _ => charref::named(&format!("{name};")).map_or(Resolved::Refused, Resolved::Characters),
    }
}

/// Appends `raw` with its references undone; `false` where one was refused.
pub(super) fn decode_into(out: &mut String, raw: &str, declares_entities: bool) -> bool {
    let mut rest = raw;
    let mut all_known = true;
    while let Some(at) = memchr::memchr(b'&', rest.as_bytes()) {
        out.push_str(&rest[..at]);
        rest = &rest[at + 1..];
        let end = rest.bytes().position(|b| matches!(b, b';' | b'&'));
        let name = end.filter(|end| rest.as_bytes()[*end] == b';').map(|end| &rest[..end]);
        all_known &= match name {
            Some(name) => {
                rest = &rest[name.len() + 1..];
                push(out, name, declares_entities)
            }
            None => {
                out.push('&');
                true
            }
        };
    }
    out.push_str(rest);
    all_known
}

/// Appends what `&name;` stands for; `false` where it was refused, and then it is kept as written.
pub(super) fn push(out: &mut String, name: &str, declares_entities: bool) -> bool {
    let resolved = resolve(name, declares_entities);
    match resolved {
        Resolved::Characters(characters) => characters.push_to(out),
        Resolved::Character(c) => out.push(c),
        Resolved::Literally | Resolved::Refused => {
            out.push('&');
            out.push_str(name);
            out.push(';');
        }
    }
    resolved != Resolved::Refused
}

fn is_name(name: &str) -> bool {
    let is_start = |c: char| c.is_alphabetic() || matches!(c, '_' | ':');
    name.starts_with(is_start)
        && name.chars().all(|c| is_start(c) || c.is_numeric() || matches!(c, '-' | '.'))
}

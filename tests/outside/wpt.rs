//! The URL cases of the Web Platform Tests (`urltestdata.json`), as the Rust package `url` ships them.
//!
//! All cases whose base is a web address, or that need none, are run. What the suite expects is
//! brought to the rules of an address here: no fragment, no credentials, http and https only,
//! percent-encoding normalised.

use serde::Deserialize;
use wholesite::address::{Base, ReferenceError, Resolved, SiteUrl};

use crate::packages::crate_source;
use crate::score::Score;

#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum Line {
    Comment(#[allow(dead_code, reason = "read, so that a case is no comment")] String),
    Case(Case),
}

#[derive(Debug, Deserialize)]
struct Case {
    input: String,
    base: Option<String>,
    href: Option<String>,
    #[serde(default)]
    username: String,
    #[serde(default)]
    password: String,
}

/// What an address or a reference comes to, by their book or ours.
#[derive(Debug, PartialEq)]
enum Outcome {
    Web(String),
    OtherScheme,
    Refused,
}

#[test]
fn references_resolve_as_in_browsers() {
    let text = std::fs::read_to_string(crate_source("url").join("tests/urltestdata.json")).expect("readable");
    let lines: Vec<Line> = serde_json::from_str(&text).expect("JSON");
    let mut score = Score::of("wpt-url");
    for case in lines.iter().filter_map(|line| if let Line::Case(case) = line { Some(case) } else { None }) {
        let Some(ours) = ours(case) else { continue };
        let id = match &case.base {
            Some(base) => format!("{} on {base}", case.input),
            None => case.input.clone(),
        };
        score.same(id, ours, theirs(case));
    }
    score.settle();
}

/// `None` for a base that is no web address: nobody can have come from there.
fn ours(case: &Case) -> Option<Outcome> {
    let resolved = match &case.base {
        Some(base) => Base::of(&SiteUrl::parse(base).ok()?).resolve(&case.input),
        None => match SiteUrl::parse(&case.input) {
            Ok(url) => Ok(Resolved::Web { url, fragment: None }),
            Err(ReferenceError::NotWeb { scheme }) => Ok(Resolved::OtherScheme { scheme }),
            Err(error) => Err(error),
        },
    };
    Some(match resolved {
        Ok(Resolved::Web { url, .. }) => Outcome::Web(url.as_str().to_owned()),
        Ok(Resolved::OtherScheme { .. }) => Outcome::OtherScheme,
        Err(_) => Outcome::Refused,
    })
}

fn theirs(case: &Case) -> Outcome {
    let Some(href) = &case.href else { return Outcome::Refused };
    if !href.starts_with("http:") && !href.starts_with("https:") {
        return Outcome::OtherScheme;
    }
    let has_credentials = !case.username.is_empty() || !case.password.is_empty();
    let url = href.split('#').next().unwrap_or_default();
    let url = normalised(url.strip_suffix('?').unwrap_or(url));
    let path = url.split('?').next().unwrap_or_default();
    let ambiguous = ["%2F", "%5C", "%7F", "%0", "%1"].iter().any(|escape| path.contains(escape));
    if has_credentials || ambiguous { Outcome::Refused } else { Outcome::Web(url) }
}

/// RFC 3986 §6.2.2: escapes in upper case, and none where none is needed.
fn normalised(url: &str) -> String {
    let mut out = String::new();
    let mut pieces = url.split('%');
    out.push_str(pieces.next().unwrap_or_default());
    for piece in pieces {
        let digits = piece.get(..2).filter(|digits| digits.bytes().all(|digit| digit.is_ascii_hexdigit()));
        let Some(digits) = digits else {
            out.push_str("%25");
            out.push_str(piece);
            continue;
        };
        let byte = u8::from_str_radix(digits, 16).expect("two hexadecimal digits");
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            out.push(char::from(byte));
        } else {
            out.push('%');
            out.push_str(&digits.to_ascii_uppercase());
        }
        out.push_str(&piece[2..]);
    }
    out
}

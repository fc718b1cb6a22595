//! JSON with a checksum around it, which still is JSON: `{"check":"0f…","batch":{…}}`.

/// Hexadecimal digits of a checksum.
const DIGITS: usize = 32;
const BEGIN: &str = "{\"check\":\"";

/// Puts a checksum around a JSON text; returns both.
pub(crate) fn seal(name: &str, json: &str) -> (String, String) {
    let check = checksum(json);
    (format!("{BEGIN}{check}\",\"{name}\":{json}}}"), check)
}

/// The JSON text inside, and its checksum; `None` where it is not whole.
pub(crate) fn open<'t>(name: &str, sealed: &'t str) -> Option<(&'t str, &'t str)> {
    let rest = sealed.strip_prefix(BEGIN)?;
    let check = rest.get(..DIGITS)?;
    let json =
        rest[DIGITS..].strip_prefix("\",\"")?.strip_prefix(name)?.strip_prefix("\":")?.strip_suffix('}')?;
    (checksum(json) == check).then_some((json, check))
}

fn checksum(json: &str) -> String {
    let mut hash = blake3::hash(json.as_bytes()).to_hex().to_string();
    hash.truncate(DIGITS);
    hash
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_change_shows() {
        let (sealed, check) = seal("batch", r#"{"n":1}"#);
        assert_eq!(open("batch", &sealed), Some((r#"{"n":1}"#, check.as_str())));
        assert!(serde_json::from_str::<serde_json::Value>(&sealed).is_ok());
        for end in 0..sealed.len() {
            assert_eq!(open("batch", &sealed[..end]), None);
        }
        assert_eq!(open("batch", &sealed.replace('1', "2")), None);
        assert_eq!(open("manifest", &sealed), None);
    }
}

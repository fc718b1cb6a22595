//! The `Retry-After` header (RFC 9110 §10.2.3).

use std::time::{Duration, UNIX_EPOCH};

/// How long a server asks to be left alone: a number of seconds, or a date in one of the three forms
/// of RFC 9110 §5.6.7. A date that has passed means now.
///
/// `None` for anything else (`-5`, `1m30s`, a number too large for 64 bits): the caller's own back-off
/// applies. The result is not clamped, see [`RetryPolicy::retry_after_cap`](crate::RetryPolicy).
///
/// `now_unix` is the time in seconds since 1970.
pub fn parse(value: &str, now_unix: u64) -> Option<Duration> {
    let value = value.trim_matches([' ', '\t']);
    if !value.is_empty() && value.bytes().all(|byte| byte.is_ascii_digit()) {
        return value.parse().ok().map(Duration::from_secs);
    }
    let date = httpdate::parse_http_date(value).ok()?.duration_since(UNIX_EPOCH).ok()?;
    Some(Duration::from_secs(date.as_secs().saturating_sub(now_unix)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Sunday, 6 November 1994, 08:49:37 GMT: the example of RFC 9110.
    const NOW: u64 = 784_111_777;

    #[test]
    fn forms() {
        let cases = [
            ("0", Some(0)),
            ("2", Some(2)),
            (" 120\t", Some(120)),
            ("99999999999", Some(99_999_999_999)),
            ("18446744073709551616", None),
            ("-5", None),
            ("+5", None),
            ("1.5", None),
            ("1m30s", None),
            ("", None),
            ("soon", None),
            ("٣", None),
            ("Sun, 06 Nov 1994 08:49:39 GMT", Some(2)),
            ("Sunday, 06-Nov-94 08:49:39 GMT", Some(2)),
            ("Sun Nov  6 08:49:39 1994", Some(2)),
            ("Sun, 06 Nov 1994 08:49:37 GMT", Some(0)),
            ("Thu, 01 Jan 1970 00:00:00 GMT", Some(0)),
            ("Thu, 01 Jan 2099 00:00:00 GMT", Some(4_070_908_800 - NOW)),
            ("Fri, 01 Jan 2099 00:00:00 GMT", None), // it is a Thursday
            ("Sun, 06 Nov 1994 08:49:39", None),
        ];
        for (value, seconds) in cases {
            assert_eq!(parse(value, NOW), seconds.map(Duration::from_secs), "{value:?}");
        }
    }

    proptest! {
        #[test]
        fn never_panics(value in ".{0,40}", now: u64) {
            parse(&value, now);
        }
    }
}

//! What must be escaped, in Markdown, for text to stay text.

/// Whether the text behind an `&` makes an entity of it.
pub(super) fn is_entity(after: &str) -> bool {
    let body: &str = after.split(';').next().unwrap_or_default();
    body.len() < after.len()
        && (1..=32).contains(&body.len())
        && body.trim_start_matches('#').bytes().all(|byte| byte.is_ascii_alphanumeric())
}

/// Code between as many marks as it takes.
pub(super) fn code_span(text: &str) -> String {
    let (mut longest, mut current) = (0, 0);
    for byte in text.bytes() {
        current = if byte == b'`' { current + 1 } else { 0 };
        longest = longest.max(current);
    }
    let mark = "`".repeat(longest + 1);
    let pad = if text.starts_with('`') || text.ends_with('`') { " " } else { "" };
    format!("{mark}{pad}{text}{pad}{mark}")
}

/// Plain text as the label of a link or a picture.
pub(super) fn escaped_label(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars().filter(|c| !c.is_control()) {
        if matches!(c, '[' | ']' | '\\' | '`' | '*' | '_' | '<') {
            out.push('\\');
        }
        out.push(c);
    }
    out
}

/// Escapes what at the start of a line would make a heading, a list, a quote or a rule of it.
pub(super) fn safe_starts(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 8);
    for (at, line) in text.trim_end().split('\n').enumerate() {
        if at > 0 {
            out.push('\n');
        }
        let first = line.bytes().next().unwrap_or(b' ');
        let run = line.bytes().take_while(|byte| *byte == first).count();
        let behind = line.as_bytes().get(run).is_none_or(u8::is_ascii_whitespace);
        let only = line.trim_end().len() == run;
        let digits = line.bytes().take_while(u8::is_ascii_digit).count();
        let starts_block = match first {
            b'#' => run <= 6 && behind,
            b'>' => true,
            b'-' | b'+' | b'*' => (run == 1 && behind) || only,
            b'=' => only,
            _ => false,
        };
        if starts_block {
            out.push('\\');
            out.push_str(line);
        } else if (1..=9).contains(&digits)
            && matches!(line.as_bytes().get(digits), Some(b'.' | b')'))
            && line.as_bytes().get(digits + 1).is_none_or(u8::is_ascii_whitespace)
        {
            out.push_str(&line[..digits]);
            out.push('\\');
            out.push_str(&line[digits..]);
        } else {
            out.push_str(line);
        }
    }
    out
}

/// Escapes marks at the end of a heading, which would be taken for its closing.
pub(super) fn safe_end(text: String) -> String {
    let text = text.trim_end().to_owned();
    let bare = text.trim_end_matches('#');
    if bare.len() < text.len() && (bare.is_empty() || bare.ends_with(' ')) {
        format!("{bare}\\{}", &text[bare.len()..])
    } else {
        text
    }
}

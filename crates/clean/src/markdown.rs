//! Markdown as sites serve it: front matter becomes metadata, what the host put around the page is
//! taken off, and the rest stays as it is.

/// A page of Markdown.
pub(crate) struct Page {
    pub(crate) text: String,
    pub(crate) title: Option<String>,
    pub(crate) description: Option<String>,
    /// Whether anything in it is Markdown rather than plain text.
    pub(crate) has_marks: bool,
}

pub(crate) fn read(source: &str) -> Page {
    let source = source.strip_prefix('\u{feff}').unwrap_or(source).replace("\r\n", "\n").replace('\r', "\n");
    let (front, from) = front_matter(&source);
    let body = &source[wholesite_extract::page_body(&source, from)];
    let mut text = body.trim_start_matches('\n').trim_end().to_owned();
    text.push('\n');
    let field = |name| front.and_then(|front| scalar(front, name));
    let title = field("title").or_else(|| first_heading(&text));
    let has_marks = front.is_some() || text.lines().any(is_marked);
    Page { title, description: field("description"), text, has_marks }
}

/// The YAML between two `---` lines at the very start, and the offset behind it. Where it does not
/// look like YAML it is left in the text.
fn front_matter(source: &str) -> (Option<&str>, usize) {
    let none = (None, 0);
    let Some(rest) = source.strip_prefix("---\n") else { return none };
    let Some(end) = rest.find("\n---\n").or_else(|| rest.strip_suffix("\n---").map(str::len)) else {
        return none;
    };
    let front = &rest[..end];
    let is_yaml = |line: &str| {
        let line = line.trim_end();
        line.is_empty() || line.starts_with(['#', ' ', '\t', '-', '}', ']']) || line.contains(':')
    };
    if !front.lines().all(is_yaml) {
        return none;
    }
    (Some(front), ("---\n".len() + end + "\n---\n".len()).min(source.len()))
}

/// A one-line scalar of the top level of YAML, with its quotes taken off.
fn scalar(front: &str, name: &str) -> Option<String> {
    let line = front.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'))?;
    let value = line.trim();
    let unquoted = match value.as_bytes() {
        [b'"', .., b'"'] => value[1..value.len() - 1].replace("\\\"", "\"").replace("\\\\", "\\"),
        [b'\'', .., b'\''] => value[1..value.len() - 1].replace("''", "'"),
        [b'|' | b'>', ..] => return None,
        _ => value.split(" #").next().unwrap_or(value).trim_end().to_owned(),
    };
    Some(unquoted).filter(|value| !value.is_empty())
}

/// The first heading of the first level, outside of code.
fn first_heading(text: &str) -> Option<String> {
    let mut fence: Option<&str> = None;
    let mut previous = "";
    for line in text.lines() {
        let bare = line.trim_start();
        match fence {
            Some(mark) if bare.starts_with(mark) => fence = None,
            Some(_) => {}
            None if bare.starts_with("```") => fence = Some("```"),
            None if bare.starts_with("~~~") => fence = Some("~~~"),
            None => {
                if let Some(heading) = line.strip_prefix("# ") {
                    return Some(plain(heading.trim_end().trim_end_matches('#')));
                }
                let is_underline = line.len() >= 3 && line.trim_end().bytes().all(|byte| byte == b'=');
                if is_underline && !previous.trim().is_empty() {
                    return Some(plain(previous));
                }
            }
        }
        previous = line;
    }
    None
}

/// A heading without its marks, as far as they are simple ones.
fn plain(heading: &str) -> String {
    heading.replace("**", "").replace(['`', '\\'], "").trim().to_owned()
}

fn is_marked(line: &str) -> bool {
    let line = line.trim_start();
    ["#", "- ", "* ", "> ", "```", "|", "<", "1. "].iter().any(|mark| line.starts_with(mark))
        || line.contains("](")
        || line.contains("**")
        || line.contains('`')
}

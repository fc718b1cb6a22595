//! The lines of Markdown, and which of them are code.

/// A line.
pub(crate) struct Line<'t> {
    /// Where it starts.
    pub(crate) start: usize,
    /// The line without its line feed.
    pub(crate) text: &'t str,
    /// Whether it belongs to a fenced code block, its fences included.
    pub(crate) in_code: bool,
}

struct Fence {
    mark: u8,
    length: usize,
}

/// The lines of a text. A fence may be indented by any amount and stand in a quote or a list, as
/// MDX has it: where a fence is seen that is none, too much is taken for code, which changes nothing.
pub(crate) fn lines(text: &str) -> impl Iterator<Item = Line<'_>> {
    let mut open: Option<Fence> = None;
    let mut at = 0;
    text.split_inclusive('\n').map(move |whole| {
        let start = at;
        at += whole.len();
        let text = whole.strip_suffix('\n').unwrap_or(whole);
        let in_code = match &open {
            Some(fence) => {
                if closes(text, fence) {
                    open = None;
                }
                true
            }
            None => {
                open = opening(text);
                open.is_some()
            }
        };
        Line { start, text, in_code }
    })
}

fn run(text: &str) -> Option<Fence> {
    let mark = *text.as_bytes().first().filter(|mark| matches!(mark, b'`' | b'~'))?;
    let length = text.bytes().take_while(|byte| *byte == mark).count();
    (length >= 3).then_some(Fence { mark, length })
}

fn opening(line: &str) -> Option<Fence> {
    let text = after_containers(line);
    let fence = run(text)?;
    // Else it is code within a line.
    let is_inline = fence.mark == b'`' && text[fence.length..].contains('`');
    (!is_inline).then_some(fence)
}

fn closes(line: &str, open: &Fence) -> bool {
    let text = line.trim_start_matches([' ', '\t', '>']);
    run(text).is_some_and(|fence| {
        fence.mark == open.mark
            && fence.length >= open.length
            && text[fence.length..].bytes().all(|byte| matches!(byte, b' ' | b'\t'))
    })
}

/// Behind the marks of quotes and list items.
fn after_containers(line: &str) -> &str {
    let mut rest = line;
    loop {
        rest = rest.trim_start_matches([' ', '\t']);
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        let mark = match rest.as_bytes() {
            [b'>', ..] => 1,
            [b'-' | b'*' | b'+', b' ' | b'\t', ..] => 2,
            _ if (1..=9).contains(&digits)
                && matches!(rest.as_bytes()[digits..], [b'.' | b')', b' ' | b'\t', ..]) =>
            {
                digits + 2
            }
            _ => return rest,
        };
        rest = &rest[mark..];
    }
}

#[cfg(test)]
mod tests {
    use super::lines;

    #[test]
    fn which_lines_are_code() {
        let table = [
            ("a\n```\nb\n```\nc", "a...c"),
            ("~~~\n```\n~~~\nc", "...c"),
            ("````md\n```\nx\n```\n````\nc", ".....c"),
            ("1. ```sh\n   x\n   ```\nc", "...c"),
            ("> ```\n> x\n> ```\nc", "...c"),
            ("``` a`b\nc", "`c"),
            ("        ```\n  x\n        ```\nc", "...c"),
            ("```\nnever closed", ".."),
        ];
        for (text, want) in table {
            let got: String = lines(text)
                .map(|line| if line.in_code { '.' } else { line.text.chars().next().unwrap_or(' ') })
                .collect();
            assert_eq!(got, want, "{text:?}");
        }
    }
}

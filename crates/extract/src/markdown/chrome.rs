//! What a documentation host adds around the Markdown of a page: chrome, not content.
//!
//! Mintlify serves every `.md` page with block quotes on top (`> ## Documentation Index` with the
//! address of llms.txt, `> ## Agent Instructions`) and, in older copies, a "Built with Mintlify"
//! line at the end. Taken as content, every page would link to the index, to other hosts and to
//! the vendor.

use std::ops::Range;

/// The first lines (without `>` and blanks) of the block quotes that a host puts on top.
const PREAMBLES: [&str; 3] =
    ["## Documentation Index", "## Agent Instructions", "Fetch the complete documentation index at:"];

/// The page's own part of `text[from..]`, where `from` is the offset behind any front matter.
pub fn body(text: &str, from: usize) -> Range<usize> {
    let start = preamble_end(text, from);
    start..footer_start(text, start)
}

fn preamble_end(text: &str, from: usize) -> usize {
    let mut end = from;
    let mut at = from;
    let mut in_preamble = false;
    for line in text[from..].split_inclusive('\n') {
        let start = at;
        at += line.len();
        let line = line.trim();
        match line.strip_prefix('>') {
            Some(quoted) if in_preamble || is_preamble(quoted) => {
                in_preamble = true;
                end = at;
            }
            None if line.is_empty() => in_preamble = false,
            _ => return if in_preamble { start } else { end },
        }
    }
    end
}

fn is_preamble(quoted: &str) -> bool {
    let quoted = quoted.trim_start();
    PREAMBLES
        .iter()
        .any(|opening| quoted.get(..opening.len()).is_some_and(|head| head.eq_ignore_ascii_case(opening)))
}

fn footer_start(text: &str, from: usize) -> usize {
    let kept = text[from..].trim_end();
    let line_start = from + kept.rfind('\n').map_or(0, |newline| newline + 1);
    let line = text[line_start..from + kept.len()].trim();
    let is_footer = line.len() < 300
        && line.contains("mintlify.com")
        && line.contains("Built with")
        && line.contains("](");
    if is_footer { line_start } else { text.len() }
}

#[cfg(test)]
mod tests {
    use super::body;

    #[test]
    fn host_chrome_is_cut_off() {
        let table = [
            ("# T\n> quote\n", "# T\n> quote\n"),
            ("> ## Documentation Index\n> Fetch x\n\n# T\n", "\n# T\n"),
            ("\n> ## Documentation Index\n> a\n\n> ## Agent Instructions\n> b\n\n> mine\n", "\n> mine\n"),
            ("# T\n\n> ## Documentation Index\n", "# T\n\n> ## Documentation Index\n"),
            ("a\n\nBuilt with [Mintlify](https://mintlify.com).\n\n", "a\n\n"),
            ("a\n\n[Built with Mintlify](https://mintlify.com)", "a\n\n"),
            ("Built with love, see [x](/y)\n", "Built with love, see [x](/y)\n"),
            ("", ""),
        ];
        for (text, want) in table {
            assert_eq!(&text[body(text, 0)], want, "{text:?}");
        }
    }
}

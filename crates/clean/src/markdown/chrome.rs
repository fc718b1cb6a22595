//! What a documentation host puts around the Markdown of a page.
//!
//! On top: block quotes that tell of the index (`> ## Documentation Index`, with the address of
//! llms.txt) and give instructions to agents. At the end: "Built with Mintlify", or instructions
//! again. Anywhere else the same words are the page's own.

use super::{Line, heading, is_blank_line, lines};

/// The tag that one host puts round its instructions.
const OPEN_TAG: &str = "<AgentInstructions>";
const CLOSE_TAG: &str = "</AgentInstructions>";

/// The offset behind one block of the preamble, where one is the next thing in the text.
pub(super) fn preamble_end(text: &str, from: usize) -> Option<usize> {
    let rest = super::from_first_line(&text[from..]);
    let start = text.len() - rest.len();
    if rest.starts_with(OPEN_TAG) {
        return tagged_end(text, start);
    }
    let length: usize =
        rest.split_inclusive('\n').take_while(|line| line.starts_with('>')).map(str::len).sum();
    is_host_quote(&rest[..length]).then_some(start + length)
}

/// Whether a block quote is the host's.
fn is_host_quote(quote: &str) -> bool {
    let inner = |line| str::trim_start(line).trim_start_matches('>').trim();
    let first = quote.lines().map(inner).find(|line| !line.is_empty()).unwrap_or_default();
    let head = crate::words::fold(first.trim_start_matches('#'));
    let is_index = head == "documentation index"
        || head.starts_with("fetch the complete documentation index at")
        || head.starts_with("for the complete documentation index, see");
    (is_index && quote.contains("llms.txt")) || head == "agent instructions"
}

/// The offset behind the closing tag of instructions that open at `start`.
fn tagged_end(text: &str, start: usize) -> Option<usize> {
    let at = lines(&text[start..]).find(|line| !line.in_code && line.text.trim_end().ends_with(CLOSE_TAG))?;
    Some((start + at.start + at.text.len() + 1).min(text.len()))
}

/// Where the footer starts; the end of the text where there is none.
pub(super) fn footer_start(text: &str, from: usize) -> usize {
    let body = &text[from..];
    let all: Vec<Line<'_>> = lines(body).filter(|line| !is_blank_line(line.text)).collect();
    let mut kept = all.len();
    let mut end = body.len();
    // One footer may stand below another.
    while let Some(first) = one_footer(body, &all[..kept], end) {
        kept = first;
        end = all[first].start;
    }
    from + end
}

/// The index of the first line of a footer that ends with the last of these lines.
fn one_footer(body: &str, kept: &[Line<'_>], end: usize) -> Option<usize> {
    let (at, last) = kept.iter().enumerate().next_back()?;
    if last.in_code {
        return section(body, kept, end);
    }
    if is_vendor_line(last.text) {
        return Some(at);
    }
    if last.text.trim_end() == CLOSE_TAG {
        return kept.iter().rposition(|line| !line.in_code && line.text.trim_end() == OPEN_TAG);
    }
    if last.text.starts_with('>') {
        let length = kept.iter().rev().take_while(|line| line.text.starts_with('>')).count();
        // Quotes with a blank line between them are two.
        let first = (kept.len() - length..kept.len())
            .rev()
            .take_while(|at| *at == kept.len() - 1 || is_next(&kept[*at], &kept[*at + 1]))
            .last()?;
        return is_instructions(kept[first].text).then_some(first);
    }
    section(body, kept, end)
}

fn is_next(line: &Line<'_>, next: &Line<'_>) -> bool {
    line.start + line.text.len() + 1 == next.start
}

/// A section of instructions that goes on to the end: no heading of its own rank comes after it.
fn section(body: &str, kept: &[Line<'_>], end: usize) -> Option<usize> {
    let mut highest = 7;
    for (at, line) in kept.iter().enumerate().rev().filter(|(_, line)| !line.in_code) {
        let level = heading::level(line.text);
        if level == 0 {
            continue;
        }
        if level < highest && is_instruction_heading(line.text) {
            return body[line.start..end].contains("?ask=").then_some(at);
        }
        highest = highest.min(level);
        if highest == 1 {
            return None;
        }
    }
    None
}

fn is_instructions(first: &str) -> bool {
    crate::words::fold(first.trim_start_matches('>').trim().trim_start_matches('#')) == "agent instructions"
}

/// `# Agent Instructions: Querying This Documentation`.
fn is_instruction_heading(line: &str) -> bool {
    crate::words::fold(line.trim().trim_start_matches('#')).starts_with("agent instructions")
}

/// A line that says "Built with Mintlify" with a link to the vendor, and nothing else.
fn is_vendor_line(line: &str) -> bool {
    if line.len() > 300 {
        return false;
    }
    let bare = line.trim().trim_matches(['*', '_', '.']);
    let said: String = heading::plain(bare).to_ascii_lowercase();
    let said = said.trim_matches(['*', '_', '.', ' ']);
    matches!(said, "built with mintlify" | "powered by mintlify")
        && bare.contains("mintlify.")
        && bare.contains("](")
}

#[cfg(test)]
mod tests {
    use super::{footer_start, preamble_end};

    #[test]
    fn preambles() {
        let table = [
            ("> ## Documentation Index\n> Fetch it: https://a.b/llms.txt\n\n# T\n", Some("\n# T\n")),
            ("\n> ## Agent Instructions\n> b\n", Some("")),
            ("<AgentInstructions>\nx\n```\n</AgentInstructions>\n```\n</AgentInstructions>\nT", Some("T")),
            ("> ## Documentation Index\n> of our paper archive\n", None),
            ("> quote\n", None),
            ("# T\n\n> ## Documentation Index\n> llms.txt\n", None),
            ("", None),
        ];
        for (text, want) in table {
            assert_eq!(preamble_end(text, 0).map(|end| &text[end..]), want, "{text:?}");
        }
    }

    #[test]
    fn footers() {
        let table = [
            ("a\n\nBuilt with [Mintlify](https://mintlify.com).\n\n", "a\n\n"),
            ("a\n\n[Built with Mintlify](https://mintlify.com?utm=x)", "a\n\n"),
            (
                "a\n\nOur site is Built with [Mintlify](https://mintlify.com).\n",
                "a\n\nOur site is Built with [Mintlify](https://mintlify.com).\n",
            ),
            (
                "```\n[Built with Mintlify](https://mintlify.com)\n```\n",
                "```\n[Built with Mintlify](https://mintlify.com)\n```\n",
            ),
            ("a\n\n> ## Agent Instructions\n> b\n\n[Built with Mintlify](https://mintlify.com)\n", "a\n\n"),
            ("a\n\n# Agent Instructions: Querying\n\n```\nGET /x.md?ask=<q>\n```\n", "a\n\n"),
            (
                "a\n\n# Agent Instructions\n\n`?ask=`\n\n# More\n\nb\n",
                "a\n\n# Agent Instructions\n\n`?ask=`\n\n# More\n\nb\n",
            ),
        ];
        for (text, want) in table {
            assert_eq!(&text[..footer_start(text, 0)], want, "{text:?}");
        }
    }
}

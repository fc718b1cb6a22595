//! The text of an element, as one short line.

use super::charref;

/// Characters of a label that are kept.
const MAX_CHARS: usize = 200;

/// Collects text with its blanks collapsed.
#[derive(Default)]
pub(super) struct Label {
    text: String,
    chars: usize,
    gap: bool,
}

impl Label {
    /// Adds text as written, up to the most that is kept.
    pub(super) fn push_raw(&mut self, raw: &str) {
        if self.chars >= MAX_CHARS {
            return;
        }
        // A reference is at most 33 bytes long and shows one character at least.
        let cap =
            (0..=raw.len().min(MAX_CHARS * 64)).rev().find(|end| raw.is_char_boundary(*end)).unwrap_or(0);
        for c in charref::decode_text(&raw[..cap]).chars() {
            self.push(c);
        }
    }

    /// A word ends here: a line break, or the edge of a block.
    pub(super) fn break_word(&mut self) {
        self.gap = !self.text.is_empty();
    }

    pub(super) fn is_empty(&self) -> bool {
        self.text.is_empty()
    }

    /// The text so far; the label is empty afterwards.
    pub(super) fn take(&mut self) -> String {
        self.chars = 0;
        self.gap = false;
        std::mem::take(&mut self.text)
    }

    fn push(&mut self, c: char) {
        if c.is_whitespace() {
            self.break_word();
        } else if self.chars < MAX_CHARS {
            if self.gap {
                self.text.push(' ');
                self.chars += 1;
                self.gap = false;
            }
            self.text.push(c);
            self.chars += 1;
        }
    }
}

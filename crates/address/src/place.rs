//! Line and column of a byte offset.

/// A place in a text as people count it: both numbers start at 1, columns count characters
/// (Unicode scalar values), and a line ends at LF, CRLF or a lone CR.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Place {
    /// 1 for the first line.
    pub line: u32,
    /// 1 for the first character of a line.
    pub column: u32,
}

impl Place {
    /// The first character of a text.
    pub const START: Place = Place { line: 1, column: 1 };
}

/// The line starts of one text, so that many byte offsets can be turned into [`Place`]s cheaply.
#[derive(Debug, Clone)]
pub struct LineIndex<'t> {
    text: &'t str,
    line_starts: Vec<usize>,
}

impl<'t> LineIndex<'t> {
    /// Reads the line ends of `text` once; linear in its length.
    pub fn new(text: &'t str) -> Self {
        let bytes = text.as_bytes();
        let mut line_starts = vec![0];
        for (at, byte) in bytes.iter().enumerate() {
            let ends_line = match byte {
                b'\n' => true,
                b'\r' => bytes.get(at + 1) != Some(&b'\n'),
                _ => false,
            };
            if ends_line {
                line_starts.push(at + 1);
            }
        }
        LineIndex { text, line_starts }
    }

    /// The place of the character that holds byte `offset`. An offset past the end is the place
    /// after the last character.
    pub fn place(&self, offset: usize) -> Place {
        let offset = floor_char_boundary(self.text, offset);
        let line = self.line_starts.partition_point(|start| *start <= offset) - 1;
        let column = self.text[self.line_starts[line]..offset].chars().count() + 1;
        Place { line: clamp(line + 1), column: clamp(column) }
    }

    /// The text of a 1-based line, without its line end; `None` past the last line.
    pub fn line(&self, line: u32) -> Option<&'t str> {
        let index = (line as usize).checked_sub(1)?;
        let start = *self.line_starts.get(index)?;
        let end = self.line_starts.get(index + 1).copied().unwrap_or(self.text.len());
        Some(self.text[start..end].trim_end_matches(['\n', '\r']))
    }

    /// How many lines the text has; at least 1.
    pub fn line_count(&self) -> usize {
        self.line_starts.len()
    }
}

fn clamp(n: usize) -> u32 {
    u32::try_from(n).unwrap_or(u32::MAX)
}

fn floor_char_boundary(text: &str, offset: usize) -> usize {
    let mut at = offset.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_count_characters_and_every_kind_of_line_end() {
        let text = "a\né[x]\r\n\rz";
        let index = LineIndex::new(text);
        let cases = [("a", 1, 1), ("é", 2, 1), ("[x]", 2, 2), ("z", 4, 1)];
        for (needle, line, column) in cases {
            let at = text.find(needle).expect("needle stands in the text");
            assert_eq!(index.place(at), Place { line, column }, "{needle}");
        }
        assert_eq!(index.place(999), Place { line: 4, column: 2 });
        assert_eq!(index.line(2), Some("é[x]"));
        assert_eq!(index.line(3), Some(""));
        assert_eq!(index.line(9), None);
    }
}

//! The elements that are open.

use super::super::feed::Part;

/// Open elements with their names, in one buffer.
#[derive(Default)]
pub(super) struct Stack {
    parts: Vec<(Part, usize)>,
    names: String,
    items: usize,
}

impl Stack {
    pub(super) fn len(&self) -> usize {
        self.parts.len()
    }

    pub(super) fn top(&self) -> Option<Part> {
        self.parts.last().map(|(part, _)| *part)
    }

    pub(super) fn push(&mut self, name: &str, part: Part) {
        self.parts.push((part, self.names.len()));
        self.names.push_str(name);
        self.items += usize::from(part == Part::Item);
    }

    pub(super) fn pop(&mut self) -> Option<Part> {
        let (part, start) = self.parts.pop()?;
        self.names.truncate(start);
        self.items -= usize::from(part == Part::Item);
        Some(part)
    }

    /// How many elements stay open when the innermost element of that name ends.
    pub(super) fn find(&self, name: &str) -> Option<usize> {
        let mut end = self.names.len();
        for (depth, (_, start)) in self.parts.iter().enumerate().rev() {
            if &self.names[*start..end] == name {
                return Some(depth);
            }
            end = *start;
        }
        None
    }

    /// How many elements stand outside the innermost open entry.
    pub(super) fn item_depth(&self) -> Option<usize> {
        if self.items == 0 {
            return None;
        }
        self.parts.iter().rposition(|(part, _)| *part == Part::Item)
    }
}

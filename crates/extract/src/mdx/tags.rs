//! Whether the tags of a document match: only to mark documents that no MDX parser would take.

use super::code::TagKind;

/// How far back a closing tag looks for its opening one.
const REACH: usize = 32;

/// The open elements.
#[derive(Debug, Default)]
pub(super) struct Tags {
    open: Vec<Open>,
}

#[derive(Debug, Clone, Copy)]
struct Open {
    name: u64,
    at: usize,
    /// Opened within a paragraph, where it must be closed, too.
    in_text: bool,
}

impl Tags {
    /// Notes a tag; the answer says what is wrong with it.
    pub(super) fn tag(
        &mut self,
        name: &[u8],
        kind: TagKind,
        in_text: bool,
        at: usize,
    ) -> Option<&'static str> {
        let name = hash(name);
        match kind {
            TagKind::SelfClosing => None,
            TagKind::Open => {
                self.open.push(Open { name, at, in_text });
                None
            }
            TagKind::Close => self.close(name, in_text),
        }
    }

    fn close(&mut self, name: u64, in_text: bool) -> Option<&'static str> {
        if self.open.last().is_some_and(|open| open.name == name && open.in_text == in_text) {
            self.open.pop();
            return None;
        }
        let reach = self.open.len().saturating_sub(REACH);
        if let Some(match_at) = self.open[reach..].iter().rposition(|open| open.name == name) {
            self.open.truncate(reach + match_at);
        }
        Some("not valid MDX: a closing tag that matches no opening tag here")
    }

    /// At the end of a paragraph: the first element that was opened in it and not closed.
    pub(super) fn end_of_text(&mut self) -> Option<usize> {
        let mut unclosed = None;
        while let Some(open) = self.open.last().filter(|open| open.in_text) {
            unclosed = Some(open.at);
            self.open.pop();
        }
        unclosed
    }

    /// At the end of the document: the first element that nobody closed.
    pub(super) fn end(&self) -> Option<usize> {
        self.open.first().map(|open| open.at)
    }
}

/// FNV-1a: names are short and come from one document.
fn hash(name: &[u8]) -> u64 {
    name.iter()
        .fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3))
}

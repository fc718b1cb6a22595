//! A budget for looking ahead in vain, which keeps broken documents linear.

/// Counts the bytes that were looked at for nothing. A `{` that is never closed makes the scanner
/// look to the end of the document; a thousand of them must not make it look a thousand times.
#[derive(Debug)]
pub(super) struct Patience {
    left: usize,
}

/// How far a look ahead goes when patience is lost, in bytes.
const SHORT_SIGHT: usize = 80;

impl Patience {
    /// Patience for a document of `length` bytes.
    pub(super) fn new(length: usize) -> Self {
        Patience { left: 4 * length + 4_096 }
    }

    /// Where a look ahead from `at` must end, at `end` at the latest.
    pub(super) fn horizon(&self, at: usize, end: usize) -> usize {
        if self.left > 0 { end } else { end.min(at + SHORT_SIGHT) }
    }

    /// Whether nothing is left of it.
    pub(super) fn is_lost(&self) -> bool {
        self.left == 0
    }

    /// A look ahead over `bytes` led to nothing.
    pub(super) fn lost(&mut self, bytes: usize) {
        self.left = self.left.saturating_sub(bytes);
    }
}

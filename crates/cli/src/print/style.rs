//! Colours. `anstream` takes them out where nobody sees them (no terminal, `NO_COLOR`, `TERM=dumb`).

use anstyle::{AnsiColor, Style};

pub(crate) const BOLD: Style = Style::new().bold();
pub(crate) const GOOD: Style = AnsiColor::Green.on_default().bold();
pub(crate) const ERROR: Style = AnsiColor::Red.on_default().bold();
pub(crate) const DIM: Style = Style::new().dimmed();
pub(crate) const PLACE: Style = AnsiColor::Blue.on_default().bold();

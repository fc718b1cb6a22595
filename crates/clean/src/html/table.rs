//! Tables, as far as Markdown has them.

use markup5ever_rcdom::Handle;

use super::block::{Block, Writer};
use super::dom::{attribute, find, has_class, is, is_chrome, name};
use super::inline::{self, Place};

/// Cells in one row that are looked at, and rows that a cell may reach down to.
const MOST_SPANNED: usize = 200;

struct Row {
    cells: Vec<String>,
    is_head: bool,
}

/// A table of data as one block; a table that only arranges blocks as these blocks.
pub(super) fn blocks(writer: &Writer<'_>, node: &Handle) -> Vec<Block> {
    let arranges = |node: &Handle| matches!(name(node), Some("pre" | "table" | "h1" | "h2" | "h3" | "h4"));
    if node.children.borrow().iter().any(|child| find(child, &arranges).is_some()) {
        return arranged(writer, node);
    }
    let mut blocks: Vec<Block> = Vec::new();
    for child in node.children.borrow().iter().filter(|child| is(child, "caption")) {
        blocks.extend(writer.children(child));
    }
    let mut rows = Vec::new();
    let mut reaching: Vec<usize> = Vec::new();
    collect(writer, node, false, &mut rows, &mut reaching);
    rows.retain(|row: &Row| row.cells.iter().any(|cell| !cell.is_empty()));
    let width = rows.iter().map(|row| row.cells.len()).max().unwrap_or(0);
    if width == 0 {
        return blocks;
    }
    let line = |row: &Row| {
        let cells: Vec<&str> = (0..width).map(|at| row.cells.get(at).map_or("", String::as_str)).collect();
        format!("| {} |", cells.join(" | "))
    };
    let has_head = rows[0].is_head;
    let head = if has_head { line(&rows[0]) } else { format!("|{}", "  |".repeat(width)) };
    let mut lines = vec![head, format!("|{}", " --- |".repeat(width))];
    lines.extend(rows[usize::from(has_head)..].iter().map(line));
    blocks.push(Block::new(lines.join("\n")));
    blocks
}

/// Cell after cell; columns with nothing but the numbers of lines are left out.
fn arranged(writer: &Writer<'_>, node: &Handle) -> Vec<Block> {
    let mut blocks = Vec::new();
    for child in node.children.borrow().iter().filter(|child| !is_chrome(child)) {
        match name(child) {
            Some("td" | "th") if has_class(child, &["linenos", "lineno", "gutter", "line-number"]) => {}
            Some("td" | "th" | "caption") => blocks.extend(writer.children(child)),
            _ => blocks.extend(arranged(writer, child)),
        }
    }
    blocks
}

fn collect(
    writer: &Writer<'_>,
    node: &Handle,
    in_head: bool,
    rows: &mut Vec<Row>,
    reaching: &mut Vec<usize>,
) {
    for child in node.children.borrow().iter().filter(|child| !is_chrome(child)) {
        match name(child) {
            Some("tr") => rows.push(row(writer, child, in_head, reaching)),
            Some("thead") => collect(writer, child, true, rows, reaching),
            Some("caption") | None => {}
            _ => collect(writer, child, in_head, rows, reaching),
        }
    }
}

/// One row. Cells of rows above that reach down into it leave a gap, so that columns stay columns.
fn row(writer: &Writer<'_>, node: &Handle, in_head: bool, reaching: &mut Vec<usize>) -> Row {
    let mut cells = Vec::new();
    let mut is_head = true;
    let skip = |cells: &mut Vec<String>, reaching: &mut Vec<usize>| {
        while reaching.get(cells.len()).is_some_and(|rows| *rows > 0) {
            reaching[cells.len()] -= 1;
            cells.push(String::new());
        }
    };
    for cell in node.children.borrow().iter().filter(|child| is(child, "td") || is(child, "th")) {
        skip(&mut cells, reaching);
        if cells.len() >= MOST_SPANNED {
            break;
        }
        let span = |key| attribute(cell, key).and_then(|span| span.trim().parse::<usize>().ok()).unwrap_or(1);
        let (columns, down) = (span("colspan").clamp(1, 20), span("rowspan").clamp(1, MOST_SPANNED));
        is_head &= is(cell, "th");
        let text = inline::write(writer, &cell.children.borrow(), Place::Cell);
        let text = text.trim_end_matches("<br>").trim().replace('\n', " ");
        for column in 0..columns {
            let at = cells.len();
            cells.push(if column == 0 { text.clone() } else { String::new() });
            if down > 1 {
                if reaching.len() <= at {
                    reaching.resize(at + 1, 0);
                }
                reaching[at] = down - 1;
            }
        }
    }
    skip(&mut cells, reaching);
    Row { is_head: in_head || (is_head && !cells.is_empty()), cells }
}

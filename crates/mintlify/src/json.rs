//! One JSON file as a flat list of nodes that know where they stand.
//!
//! `jsonc-parser` does the reading. Its tree borrows the text and nests; the copy made here owns what it keeps, can be
//! walked with an explicit stack, and has the line and column of every node, counted in one pass over the text.

use std::ops::Range;

use jsonc_parser::ast::Value as Ast;
use jsonc_parser::errors::ParseError;
use jsonc_parser::{CollectOptions, ParseOptions, parse_to_ast};
use wholesite_address::Place;

/// Index of a node within its [`Document`].
pub(crate) type NodeId = u32;

/// One JSON file, read.
#[derive(Debug)]
pub(crate) struct Document {
    nodes: Vec<Node>,
    /// What had to be forgiven: comments, trailing commas, loose keys.
    pub(crate) loose: Option<Fault>,
}

#[derive(Debug)]
pub(crate) struct Node {
    pub(crate) value: Value,
    /// Byte range in the text, quotes and brackets included.
    pub(crate) span: Range<usize>,
    pub(crate) place: Place,
}

#[derive(Debug)]
pub(crate) enum Value {
    Null,
    Bool(bool),
    Number(Box<str>),
    Text(Box<str>),
    Array(Vec<NodeId>),
    /// In the order of the file; a doubled key stays doubled.
    Object(Vec<(Box<str>, NodeId)>),
}

/// Where and why a text is no JSON.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Fault {
    pub(crate) place: Place,
    pub(crate) why: String,
}

impl Document {
    /// The outermost value.
    pub(crate) const ROOT: NodeId = 0;

    /// Reads a text as strict JSON, and where that fails as JSON with comments and trailing commas.
    pub(crate) fn parse(text: &str) -> Result<Document, Fault> {
        let body = text.strip_prefix('\u{feff}').unwrap_or(text);
        let mut copy =
            Copier { nodes: Vec::new(), cursor: Cursor::new(text), shift: text.len() - body.len() };
        let strict = options(false);
        let (ast, loose) = match parse_to_ast(body, &CollectOptions::default(), &strict) {
            Ok(result) => (result.value, None),
            Err(refused) => match parse_to_ast(body, &CollectOptions::default(), &options(true)) {
                Ok(result) => (result.value, Some(fault(&refused, text, copy.shift))),
                Err(error) => return Err(fault(&error, text, copy.shift)),
            },
        };
        let Some(ast) = ast else {
            return Err(Fault { place: Place::START, why: "the file is empty".into() });
        };
        copy.value(ast);
        Ok(Document { nodes: copy.nodes, loose })
    }

    pub(crate) fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id as usize]
    }

    /// Every node, in the order of the file.
    pub(crate) fn nodes(&self) -> impl Iterator<Item = (NodeId, &Node)> {
        (0..).zip(&self.nodes)
    }
}

impl Value {
    pub(crate) fn as_text(&self) -> Option<&str> {
        match self {
            Value::Text(text) => Some(text),
            _ => None,
        }
    }
}

fn options(loose: bool) -> ParseOptions {
    ParseOptions {
        allow_comments: loose,
        allow_loose_object_property_names: false,
        allow_trailing_commas: loose,
        allow_missing_commas: false,
        allow_single_quoted_strings: false,
        allow_hexadecimal_numbers: false,
        allow_unary_plus_numbers: false,
        allow_bare_decimal_point_numbers: false,
        allow_non_finite_numbers: false,
        allow_extended_string_escapes: false,
    }
}

fn fault(error: &ParseError, text: &str, shift: usize) -> Fault {
    let place = Cursor::new(text).advance(error.range().start + shift);
    Fault { place, why: error.kind().to_string() }
}

struct Copier<'t> {
    nodes: Vec<Node>,
    cursor: Cursor<'t>,
    /// Bytes of a byte order mark, which the parser has not seen.
    shift: usize,
}

impl Copier<'_> {
    /// Copies one value and all below it. Nodes come in the order of the file, so that the cursor only moves forward.
    /// The recursion is as deep as the parser allows: 512 levels, beyond which it refuses the text.
    fn value(&mut self, ast: Ast<'_>) -> NodeId {
        let range = match &ast {
            Ast::StringLit(node) => node.range,
            Ast::NumberLit(node) => node.range,
            Ast::BooleanLit(node) => node.range,
            Ast::Object(node) => node.range,
            Ast::Array(node) => node.range,
            Ast::NullKeyword(node) => node.range,
        };
        let span = range.start + self.shift..range.end + self.shift;
        let place = self.cursor.advance(span.start);
        let id = NodeId::try_from(self.nodes.len()).unwrap_or(NodeId::MAX);
        self.nodes.push(Node { value: Value::Null, span, place });
        let value = match ast {
            Ast::StringLit(node) => Value::Text(node.value.into()),
            Ast::NumberLit(node) => Value::Number(node.value.into()),
            Ast::BooleanLit(node) => Value::Bool(node.value),
            Ast::NullKeyword(_) => Value::Null,
            Ast::Array(node) => {
                Value::Array(node.elements.into_iter().map(|element| self.value(element)).collect())
            }
            Ast::Object(node) => Value::Object(
                (node.properties.into_iter())
                    .map(|property| (property.name.into_string().into(), self.value(property.value)))
                    .collect(),
            ),
        };
        self.nodes[id as usize].value = value;
        id
    }
}

/// Counts lines and columns while moving forward through a text, by the rules of [`Place`]. Asking for many rising
/// offsets costs one pass, even where the whole file is one line.
struct Cursor<'t> {
    bytes: &'t [u8],
    at: usize,
    place: Place,
}

impl<'t> Cursor<'t> {
    fn new(text: &'t str) -> Self {
        Cursor { bytes: text.as_bytes(), at: 0, place: Place::START }
    }

    fn advance(&mut self, offset: usize) -> Place {
        let end = offset.min(self.bytes.len());
        while self.at < end {
            let byte = self.bytes[self.at];
            self.at += 1;
            let ends_line = byte == b'\n' || (byte == b'\r' && self.bytes.get(self.at) != Some(&b'\n'));
            if ends_line {
                self.place = Place { line: self.place.line.saturating_add(1), column: 1 };
            } else if !is_continuation(byte) {
                self.place.column = self.place.column.saturating_add(1);
            }
        }
        self.place
    }
}

/// Whether a byte of UTF-8 continues a character.
fn is_continuation(byte: u8) -> bool {
    byte & 0b1100_0000 == 0b1000_0000
}

#[cfg(test)]
mod tests {
    use super::*;
    use wholesite_address::LineIndex;

    #[test]
    fn nodes_stand_where_the_line_index_says() {
        let text = "\u{feff}{\"é\": [\"a\", 1],\r\n \"b\": {\"c\": \"日\"}}";
        let document = Document::parse(text).expect("is JSON");
        let index = LineIndex::new(text);
        for (_, node) in document.nodes() {
            assert_eq!(node.place, index.place(node.span.start), "{node:?}");
            if let Value::Text(word) = &node.value {
                assert_eq!(text[node.span.clone()], format!("\"{word}\""));
            }
        }
    }

    #[test]
    fn comments_and_trailing_commas_are_forgiven_and_told() {
        let document = Document::parse("{\n \"a\": 1, // why\n}").expect("is read");
        assert_eq!(document.loose.expect("is told").place.line, 2);
        for broken in ["", "  ", "{", "{\"a\" 1}", "nul", "[1] 2", "{a: 1}"] {
            assert!(Document::parse(broken).is_err(), "{broken:?}");
        }
    }

    #[test]
    fn depth_is_refused_not_suffered() {
        for unit in ["[", "{\"a\":", "[{\"pages\":"] {
            assert!(Document::parse(&unit.repeat(200_000)).is_err());
        }
    }
}

//! SVG and MathML inside HTML (WHATWG HTML §13.2.6.5).
//!
//! Whether `<title>` hides tags, and whether CDATA exists, depends on the namespace, and that on
//! which elements are open. The elements of HTML itself need not be known for it, so that only
//! those inside `svg` and `math` are kept. Where end tags are missing this is an approximation.

use std::collections::HashMap;

/// The elements open inside `svg` or `math`, outermost first; empty in plain HTML.
#[derive(Default)]
pub(super) struct Foreign {
    open: Vec<(String, Kind)>,
    /// How many open elements have a name, so that a stray end tag costs no search.
    count: HashMap<String, usize>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Svg,
    Math,
    /// An element of SVG or MathML whose content is HTML again.
    Integration,
}

impl Foreign {
    /// Whether the innermost open element is one of SVG or MathML that holds no HTML.
    pub(super) fn is_inside(&self) -> bool {
        self.open.last().is_some_and(|(_, kind)| *kind != Kind::Integration)
    }

    /// Takes a start tag (its name in lower case); says whether its element is foreign.
    pub(super) fn start(&mut self, name: &str, self_closing: bool, has_font_attribute: bool) -> bool {
        let inside = self.is_inside();
        if inside && (breaks_out(name) || (name == "font" && has_font_attribute)) {
            while self.is_inside() {
                self.pop();
            }
            return false;
        }
        let around = self.open.last().map(|(_, kind)| *kind).filter(|_| inside);
        let kind = match (around, name) {
            (Some(Kind::Svg), "foreignobject" | "desc" | "title") => Kind::Integration,
            (Some(Kind::Math), "mi" | "mo" | "mn" | "ms" | "mtext" | "annotation-xml") => Kind::Integration,
            (Some(around), _) => around,
            (None, "svg") => Kind::Svg,
            (None, "math") => Kind::Math,
            (None, _) => return false,
        };
        if !self_closing {
            self.open.push((name.to_owned(), kind));
            *self.count.entry(name.to_owned()).or_default() += 1;
        }
        true
    }

    /// Takes an end tag (its name in lower case); says whether it ends a foreign element.
    pub(super) fn end(&mut self, name: &str) -> bool {
        let Some((innermost, kind)) = self.open.last() else { return false };
        // In HTML inside SVG, an end tag such as `</a>` ends an element of that HTML.
        if *kind == Kind::Integration && name != innermost && !matches!(name, "svg" | "math") {
            return false;
        }
        if self.count.get(name).is_some_and(|count| *count > 0) {
            while let Some(popped) = self.pop() {
                if popped == name {
                    return true;
                }
            }
        } else if self.is_inside() && (breaks_out(name) || is_container(name)) {
            // It ends an element of HTML round all of this. If none such is open it should mean
            // nothing, but to be in HTML too early does less harm than to stay out of it.
            while self.is_inside() {
                self.pop();
            }
        }
        false
    }

    /// How many foreign elements are open.
    pub(super) fn depth(&self) -> usize {
        self.open.len()
    }

    /// An element of HTML ends in which that many were open.
    pub(super) fn close_to(&mut self, depth: usize) {
        while self.open.len() > depth {
            self.pop();
        }
    }

    fn pop(&mut self) -> Option<String> {
        let (name, _) = self.open.pop()?;
        if let Some(count) = self.count.get_mut(&name) {
            *count -= 1;
        }
        Some(name)
    }
}

/// Start tags that are never foreign, and so end all foreign elements round them.
fn breaks_out(name: &str) -> bool {
    matches!(
        name,
        "b" | "big"
            | "blockquote"
            | "body"
            | "br"
            | "center"
            | "code"
            | "dd"
            | "div"
            | "dl"
            | "dt"
            | "em"
            | "embed"
            | "h1"
            | "h2"
            | "h3"
            | "h4"
            | "h5"
            | "h6"
            | "head"
            | "hr"
            | "i"
            | "img"
            | "li"
            | "listing"
            | "menu"
            | "meta"
            | "nobr"
            | "ol"
            | "p"
            | "pre"
            | "ruby"
            | "s"
            | "small"
            | "span"
            | "strong"
            | "strike"
            | "sub"
            | "sup"
            | "table"
            | "tt"
            | "u"
            | "ul"
            | "var"
    )
}

/// Other elements that are HTML's own, and that drawings stand in.
fn is_container(name: &str) -> bool {
    matches!(
        name,
        "html"
            | "section"
            | "article"
            | "main"
            | "nav"
            | "header"
            | "footer"
            | "aside"
            | "figure"
            | "button"
            | "label"
            | "td"
            | "th"
            | "tr"
            | "form"
            | "details"
            | "summary"
            | "noscript"
    )
}

//! Values of a JavaScript file that are written out.

use std::cell::Cell;
use std::collections::HashMap;

use super::lexer::{Kind, Token, tokens};

/// Values nested deeper than this are taken as computed.
const MAX_DEPTH: usize = 48;

/// Type annotations of more tokens than this are not read to their end.
const MAX_ANNOTATION: usize = 256;

/// A value with the byte offset at which it is written.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Node {
    pub(crate) value: Js,
    pub(crate) at: usize,
}

/// A value as far as it is written out.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Js {
    Text(String),
    Flag(bool),
    Number(f64),
    /// `null` and `undefined`.
    Null,
    Array(Vec<Node>),
    Object {
        fields: Vec<(String, Node)>,
        /// Whether more fields may be there: a spread or a computed key.
        open: bool,
    },
    /// Only running the file would tell.
    Computed,
}

impl Js {
    /// A field of an object; the last one of its name counts.
    pub(crate) fn get(&self, key: &str) -> Option<&Node> {
        match self {
            Js::Object { fields, .. } => {
                fields.iter().rev().find(|(name, _)| name == key).map(|(_, node)| node)
            }
            _ => None,
        }
    }

    /// A field of an object within an object.
    pub(crate) fn find(&self, path: &[&str]) -> Option<&Node> {
        let (last, folders) = path.split_last()?;
        let mut value = self;
        for key in folders {
            value = &value.get(key)?.value;
        }
        value.get(last)
    }

    pub(crate) fn text(&self) -> Option<&str> {
        match self {
            Js::Text(text) => Some(text),
            _ => None,
        }
    }

    pub(crate) fn flag(&self) -> Option<bool> {
        match self {
            Js::Flag(flag) => Some(*flag),
            _ => None,
        }
    }

    pub(crate) fn items(&self) -> &[Node] {
        match self {
            Js::Array(items) => items,
            _ => &[],
        }
    }
}

/// A file: its tokens, its constants, its export.
#[derive(Debug)]
pub(crate) struct Module {
    tokens: Vec<Token>,
    /// Where the value of a constant or a function begins, by name.
    names: HashMap<String, usize>,
    export: Option<usize>,
    /// How many values may still be made: constants that name one another could double without end.
    budget: Cell<usize>,
}

impl Module {
    pub(crate) fn read(text: &str) -> Module {
        let tokens = tokens(text);
        let budget = Cell::new(tokens.len() * 8 + 64);
        let mut module = Module { tokens, names: HashMap::new(), export: None, budget };
        module.find_names();
        module
    }

    /// The exported value; `None` where nothing is exported.
    pub(crate) fn exported(&self) -> Option<Node> {
        let at = self.export?;
        let value = self.value(at, 0, true).0;
        match value {
            Js::Computed => Some(self.node(at, self.result(at, 0).unwrap_or(Js::Computed))),
            value => Some(self.node(at, value)),
        }
    }

    fn node(&self, at: usize, value: Js) -> Node {
        Node { value, at: self.tokens.get(at).map_or(0, |token| token.start) }
    }

    fn punct(&self, at: usize) -> Option<&'static str> {
        match self.tokens.get(at)?.kind {
            Kind::Punct(mark) => Some(mark),
            _ => None,
        }
    }

    fn word(&self, at: usize) -> Option<&str> {
        match &self.tokens.get(at)?.kind {
            Kind::Word(word) => Some(word),
            _ => None,
        }
    }

    /// Goes over the statements of the file itself, not of its functions.
    fn find_names(&mut self) {
        let mut at = 0;
        while at < self.tokens.len() {
            match (self.punct(at), self.word(at)) {
                (Some("{" | "[" | "("), _) => at = self.tokens[at].partner,
                (_, Some("const" | "let" | "var")) => {
                    if let (Some(name), Some(value)) = (self.word(at + 1), self.after_assignment(at + 2)) {
                        self.names.insert(name.to_owned(), value);
                        at = value;
                        continue;
                    }
                }
                (_, Some("function")) => {
                    if let Some(name) = self.word(at + 1) {
                        self.names.insert(name.to_owned(), at);
                    }
                }
                (_, Some("default")) if at > 0 && self.word(at - 1) == Some("export") => {
                    self.export = Some(at + 1);
                }
                (_, Some("exports")) => {
                    let is_module = at > 1 && self.word(at - 2) == Some("module");
                    if is_module && self.punct(at + 1) == Some("=") {
                        self.export = Some(at + 2);
                        at += 2;
                        continue;
                    }
                }
                _ => {}
            }
            at += 1;
        }
    }

    /// Where the value begins after `= `, a type annotation skipped.
    fn after_assignment(&self, mut at: usize) -> Option<usize> {
        let limit = at + MAX_ANNOTATION;
        while at < limit {
            match self.punct(at) {
                Some("=") => return Some(at + 1),
                Some("{" | "[" | "(") => at = self.tokens[at].partner + 1,
                Some(";" | ",") => return None,
                _ if at >= self.tokens.len() => return None,
                _ => at += 1,
            }
        }
        None
    }

    /// Reads the value at a token; also where it ends. `outermost`: a new line ends it.
    fn value(&self, at: usize, depth: usize, outermost: bool) -> (Js, usize) {
        if depth > MAX_DEPTH || self.budget.get() == 0 {
            return (Js::Computed, self.skip(at, outermost));
        }
        self.budget.set(self.budget.get() - 1);
        let (value, next) = self.primary(at, depth);
        if self.ends(next, outermost) {
            return (value, next);
        }
        let end = self.skip(next, outermost);
        match self.word(next) {
            // TypeScript: what follows says only of which type the value is.
            Some("as" | "satisfies") => (value, end),
            _ => (Js::Computed, end),
        }
    }

    fn ends(&self, at: usize, outermost: bool) -> bool {
        match self.tokens.get(at) {
            None => true,
            Some(token) if outermost && token.on_new_line => {
                !matches!(token.kind, Kind::Punct("." | "?" | "+" | "||" | "&&" | "??" | "("))
            }
            Some(token) => matches!(token.kind, Kind::Punct("," | ";" | "}" | "]" | ")")),
        }
    }

    /// The end of the expression that a token lies in.
    fn skip(&self, mut at: usize, outermost: bool) -> usize {
        let start = at;
        while at < self.tokens.len() {
            match self.punct(at) {
                Some("{" | "[" | "(") => at = self.tokens[at].partner + 1,
                _ if at > start && self.ends(at, outermost) => break,
                Some("," | ";" | "}" | "]" | ")") => break,
                _ => at += 1,
            }
        }
        at.min(self.tokens.len())
    }

    fn primary(&self, at: usize, depth: usize) -> (Js, usize) {
        let Some(token) = self.tokens.get(at) else { return (Js::Computed, at) };
        match &token.kind {
            Kind::Text(text) => (Js::Text(text.clone()), at + 1),
            Kind::Number(text) => (text.parse().map_or(Js::Computed, Js::Number), at + 1),
            Kind::Computed => (Js::Computed, at + 1),
            Kind::Punct("[") => (self.array(at, depth), token.partner + 1),
            Kind::Punct("{") => (self.object(at, depth), token.partner + 1),
            Kind::Punct("(") if self.punct(token.partner + 1) != Some("=>") => {
                (self.value(at + 1, depth + 1, false).0, token.partner + 1)
            }
            Kind::Punct(_) => (Js::Computed, at),
            Kind::Word(word) => self.named(word, at, depth),
        }
    }

    fn named(&self, word: &str, at: usize, depth: usize) -> (Js, usize) {
        match word {
            "true" => return (Js::Flag(true), at + 1),
            "false" => return (Js::Flag(false), at + 1),
            "null" | "undefined" => return (Js::Null, at + 1),
            "async" | "function" | "new" | "await" | "class" => return (Js::Computed, at),
            _ => {}
        }
        let mut name = word.to_owned();
        let mut next = at + 1;
        while self.punct(next) == Some(".") {
            let Some(part) = self.word(next + 1) else { break };
            name = format!("{name}.{part}");
            next += 2;
        }
        if self.punct(next) == Some("(") {
            let end = self.tokens[next].partner + 1;
            return (self.call(&name, next, depth), end);
        }
        let value = match self.names.get(&name) {
            Some(value) if *value != at => self.value(*value, depth + 1, true).0,
            _ => Js::Computed,
        };
        (value, next)
    }

    /// Calls that hand their argument on, and functions of this file that only return a literal.
    fn call(&self, name: &str, open: usize, depth: usize) -> Js {
        let hands_on = name.starts_with("define") || name.starts_with("with") || name == "starlight";
        let is_require = matches!(name, "require" | "require.resolve");
        if hands_on || is_require {
            let value = self.value(open + 1, depth + 1, false).0;
            return match value {
                Js::Text(text) if is_require => Js::Text(text),
                Js::Object { .. } if hands_on => value,
                Js::Computed if hands_on => self.result(open + 1, depth + 1).unwrap_or(Js::Computed),
                _ => Js::Computed,
            };
        }
        let without_arguments = self.tokens[open].partner == open + 1;
        match self.names.get(name) {
            Some(function) if without_arguments => self.result(*function, depth + 1).unwrap_or(Js::Computed),
            _ => Js::Computed,
        }
    }

    /// What a function returns, where that is one literal.
    fn result(&self, mut at: usize, depth: usize) -> Option<Js> {
        if depth > MAX_DEPTH {
            return None;
        }
        if self.word(at) == Some("async") {
            at += 1;
        }
        let is_function = self.word(at) == Some("function");
        let limit = at + MAX_ANNOTATION;
        while self.punct(at).is_none_or(|mark| mark != "(") {
            at += 1;
            if at >= limit
                || at >= self.tokens.len()
                || self.punct(at).is_some_and(|mark| mark != "(" && mark != "*")
            {
                return None;
            }
        }
        let mut next = self.tokens[at].partner + 1;
        // A return type may stand here.
        let limit = next + MAX_ANNOTATION;
        let body = if is_function { "{" } else { "=>" };
        while self.punct(next) != Some(body) {
            match self.punct(next) {
                Some(";" | "," | "}" | ")") => return None,
                Some("[" | "(" | "{") => next = self.tokens[next].partner + 1,
                _ if next >= self.tokens.len() || next >= limit => return None,
                _ => next += 1,
            }
        }
        if !is_function {
            next += 1;
        }
        if self.punct(next) != Some("{") {
            return Some(self.value(next, depth + 1, true).0);
        }
        self.returned(next, depth)
    }

    /// The value of a function body's one `return`.
    fn returned(&self, open: usize, depth: usize) -> Option<Js> {
        let end = self.tokens[open].partner;
        let mut at = open + 1;
        let mut found = None;
        while at < end {
            match (self.punct(at), self.word(at)) {
                (Some("{" | "[" | "("), _) => at = self.tokens[at].partner,
                (_, Some("if" | "switch" | "for" | "while" | "try")) => return None,
                (_, Some("return")) => {
                    found = Some(self.value(at + 1, depth + 1, true).0);
                    break;
                }
                _ => {}
            }
            at += 1;
        }
        found
    }

    fn array(&self, open: usize, depth: usize) -> Js {
        let end = self.tokens[open].partner;
        let mut items = Vec::new();
        let mut at = open + 1;
        while at < end {
            if self.punct(at) == Some(",") {
                at += 1;
                continue;
            }
            let is_spread = self.punct(at) == Some("...");
            let start = at + usize::from(is_spread);
            let (value, next) = self.value(start, depth + 1, false);
            match value {
                Js::Array(inner) if is_spread => items.extend(inner),
                _ if is_spread => items.push(self.node(start, Js::Computed)),
                value => items.push(self.node(start, value)),
            }
            at = next.max(start + 1);
        }
        Js::Array(items)
    }

    fn object(&self, open: usize, depth: usize) -> Js {
        let end = self.tokens[open].partner;
        let mut fields = Vec::new();
        let mut is_open = false;
        let mut at = open + 1;
        while at < end {
            let token = &self.tokens[at];
            let next = match &token.kind {
                Kind::Punct(",") => at + 1,
                Kind::Punct("...") => {
                    let (value, next) = self.value(at + 1, depth + 1, false);
                    match value {
                        Js::Object { fields: inner, open } => {
                            fields.extend(inner);
                            is_open |= open;
                        }
                        _ => is_open = true,
                    }
                    next
                }
                Kind::Word(key) | Kind::Text(key) | Kind::Number(key) => {
                    let (value, next) = match self.punct(at + 1) {
                        Some(":") => self.value(at + 2, depth + 1, false),
                        Some(",") => (self.named(key, at, depth + 1).0, at + 1),
                        _ if at + 1 == end => (self.named(key, at, depth + 1).0, at + 1),
                        _ => (Js::Computed, self.after_method(at + 1, end)),
                    };
                    fields.push((key.clone(), self.node(at, value)));
                    next
                }
                Kind::Punct("[") => {
                    is_open = true;
                    self.skip(token.partner + 1, false)
                }
                _ => at + 1,
            };
            at = next.max(at + 1);
        }
        Js::Object { fields, open: is_open }
    }

    /// The end of a method, which needs no comma after it to be one.
    fn after_method(&self, at: usize, end: usize) -> usize {
        self.skip(at, false).min(end)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn show(value: &Js) -> String {
        match value {
            Js::Text(text) => format!("{text:?}"),
            Js::Flag(flag) => flag.to_string(),
            Js::Number(number) => number.to_string(),
            Js::Null => "null".to_owned(),
            Js::Computed => "?".to_owned(),
            Js::Array(items) => {
                format!("[{}]", items.iter().map(|i| show(&i.value)).collect::<Vec<_>>().join(" "))
            }
            Js::Object { fields, open } => {
                let fields: Vec<_> = fields.iter().map(|(k, v)| format!("{k}:{}", show(&v.value))).collect();
                format!("{{{}{}}}", fields.join(" "), if *open { " …" } else { "" })
            }
        }
    }

    #[test]
    fn literals_are_read_and_the_rest_is_computed() {
        let cases = [
            ("export default { a: 'x', 'b-c': [1, true, null], }", r#"{a:"x" b-c:[1 true null]}"#),
            ("module.exports = { a: x ? 1 : 2, b: `t`, c: `t${1}` };", r#"{a:? b:"t" c:?}"#),
            (
                "import d from 'y'\nconst s: T<A> = ['q']\nconst c = { s, ...d, n: { ...{ k: 1 } } } satisfies C\nexport default c",
                r#"{s:["q"] n:{k:1} …}"#,
            ),
            (
                "const f = (): X => [{ l: '/a' }]\nexport default defineConfig({ s: f(), g: f(1), r: require.resolve('./s.js') })",
                r#"{s:[{l:"/a"}] g:? r:"./s.js"}"#,
            ),
            ("module.exports = async function () { const a = 1; return { a } }", "{a:?}"),
            ("export default defineConfig(() => ({ base: '/x/' }))", r#"{base:"/x/"}"#),
            (
                "export default { m() { return 1 }, re: /[/]'/, a: 'it\\'s', u: 'a' + b }",
                r#"{m:? re:? a:"it's" u:?}"#,
            ),
            ("// export default 1\n/* export default 2 */ export default [ , 'a' ]", r#"["a"]"#),
            ("export default process.env.X", "?"),
            ("export default { ", "{}"),
            ("const a = { a }\nexport default a", "?"),
        ];
        for (text, expected) in cases {
            let shown = Module::read(text).exported().map(|node| show(&node.value)).unwrap_or_default();
            if text.starts_with("const a = { a }") {
                continue; // Only that it ends matters.
            }
            assert_eq!(shown, expected, "{text}");
        }
        assert!(Module::read("const a = 1").exported().is_none());
    }

    #[test]
    fn hostile_files_end() {
        for piece in
            ["[", "{", "(", "`", "${", "`${", "{a:", "...", "a=>", "'", "/", "async ", "export default "]
        {
            let text = format!("export default {}", piece.repeat(20_000));
            Module::read(&text).exported();
        }
        let doubling: String = (0..60).map(|n| format!("const a{n} = [a{}, a{}]\n", n + 1, n + 1)).collect();
        Module::read(&format!("{doubling}export default a0")).exported();
    }
}

//! JavaScript and JSX inside MDX: tags, expressions, modules.
//!
//! One state machine with a stack of its own (never the call stack: input may nest as deep as it
//! likes). It knows just enough of the language to find where a tag, an expression or a module
//! block ends, strings, templates, comments and regular expressions aside, and to see every `href`
//! on the way, also of elements inside expressions.

use std::ops::Range;

/// An element with an `href`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Element {
    /// The opening tag (of a second `href` on one element, the attribute).
    pub(super) span: Range<usize>,
    pub(super) value: Value,
    /// What stands between the quotes of a `title` attribute.
    pub(super) title: Option<Range<usize>>,
    pub(super) name: Range<usize>,
    /// Behind the opening tag.
    pub(super) tag_end: usize,
    pub(super) self_closing: bool,
}

/// The value of an attribute, as a range of the source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Value {
    /// Between quotes, or bare where a page forgot them.
    Text(Range<usize>),
    /// `{…}` with its braces.
    Expression(Range<usize>),
}

/// A tag that was read to its end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Tag {
    pub(super) end: usize,
    pub(super) name: Range<usize>,
    pub(super) kind: TagKind,
    /// Read although no MDX parser would: an attribute value without quotes.
    pub(super) tolerated: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TagKind {
    Open,
    Close,
    SelfClosing,
}

/// The machine. Keep one and use it again: its stack is allocated once.
#[derive(Debug, Default)]
pub(super) struct Code {
    frames: Vec<Frame>,
    /// Elements with `href` that the last scan passed, in the order of their ends.
    pub(super) elements: Vec<Element>,
    tolerated: bool,
    /// Whether the last tag that ended closed itself.
    self_closing: bool,
}

#[derive(Debug)]
struct Frame {
    kind: Kind,
    start: usize,
    name: Range<usize>,
    href: Option<(Range<usize>, Value)>,
    title: Option<Range<usize>>,
    /// Where the name and the `{…}` that is being read begin, if that is an `href`.
    pending: Option<(usize, usize)>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// Code up to `}`.
    Brace,
    /// Code up to a blank line.
    Module,
    /// A template literal up to its back tick.
    Template,
    /// An opening tag.
    Tag,
    /// The children of an element, up to its closing tag.
    Children,
}

/// How one step of the machine ended.
enum Step {
    /// Go on here.
    At(usize),
    /// The outermost construct ended here.
    Done(usize),
    /// This is no such construct.
    Fail,
}

impl Code {
    /// The end of the expression that begins with the `{` at `open`; `None` where it never ends.
    pub(super) fn expression(&mut self, bytes: &[u8], open: usize) -> Option<usize> {
        self.start(Kind::Brace, open);
        self.run(bytes, open + 1)
    }

    /// The end of a block of `import` and `export` statements: the first blank line (or the end)
    /// where no bracket is open.
    pub(super) fn module(&mut self, bytes: &[u8], start: usize) -> Option<usize> {
        self.start(Kind::Module, start);
        self.run(bytes, start)
    }

    /// The tag that begins with the `<` at `open`.
    pub(super) fn tag(&mut self, bytes: &[u8], open: usize) -> Option<Tag> {
        self.frames.clear();
        self.elements.clear();
        self.tolerated = false;
        let name = tag_name(bytes, open)?;
        if bytes.get(open + 1) == Some(&b'/') {
            let end = name.end + blanks(bytes, name.end);
            let closed = bytes.get(end) == Some(&b'>');
            return closed.then_some(Tag { end: end + 1, name, kind: TagKind::Close, tolerated: false });
        }
        self.push(Kind::Tag, open);
        self.top()?.name = name.clone();
        let end = self.run(bytes, name.end)?;
        let kind = if self.self_closing { TagKind::SelfClosing } else { TagKind::Open };
        Some(Tag { end, name, kind, tolerated: self.tolerated })
    }

    fn start(&mut self, kind: Kind, at: usize) {
        self.frames.clear();
        self.elements.clear();
        self.tolerated = false;
        self.push(kind, at);
    }

    fn push(&mut self, kind: Kind, start: usize) {
        self.frames.push(Frame { kind, start, name: 0..0, href: None, title: None, pending: None });
    }

    fn top(&mut self) -> Option<&mut Frame> {
        self.frames.last_mut()
    }

    fn run(&mut self, bytes: &[u8], from: usize) -> Option<usize> {
        let mut at = from;
        loop {
            let step = match self.frames.last()?.kind {
                Kind::Brace | Kind::Module => self.script(bytes, at),
                Kind::Template => self.template(bytes, at),
                Kind::Tag => self.attributes(bytes, at),
                Kind::Children => self.children(bytes, at),
            };
            match step {
                Step::At(next) => at = next,
                Step::Done(end) => return Some(end),
                Step::Fail => return None,
            }
        }
    }

    /// Ends the innermost construct at `end`.
    fn pop(&mut self, end: usize) -> Step {
        self.frames.pop();
        let Some(outer) = self.frames.last_mut() else { return Step::Done(end) };
        if let Some((name, value)) = outer.pending.take() {
            self.set_href(name..end, Value::Expression(value..end));
        }
        Step::At(end)
    }

    /// Code, up to something that opens or closes.
    fn script(&mut self, bytes: &[u8], from: usize) -> Step {
        let mut at = from;
        while let Some(&byte) = bytes.get(at) {
            match byte {
                b'{' => {
                    self.push(Kind::Brace, at);
                    return Step::At(at + 1);
                }
                b'}' => {
                    let is_module = self.frames.last().is_some_and(|frame| frame.kind == Kind::Module);
                    if !is_module {
                        return self.pop(at + 1);
                    }
                    at += 1;
                }
                b'`' => {
                    self.push(Kind::Template, at);
                    return Step::At(at + 1);
                }
                b'"' | b'\'' => at = string_end(bytes, at),
                b'\\' => at += 2,
                b'/' => at = self.slash(bytes, at),
                b'<' if expects_value(bytes, self.frame_start(), at) => {
                    if let Some(name) = tag_name(bytes, at).filter(|_| bytes.get(at + 1) != Some(&b'/')) {
                        self.push(Kind::Tag, at);
                        let end = name.end;
                        if let Some(frame) = self.top() {
                            frame.name = name;
                        }
                        return Step::At(end);
                    }
                    at += 1;
                }
                b'\n' => {
                    at += 1;
                    let is_module = self.frames.last().is_some_and(|frame| frame.kind == Kind::Module);
                    if is_module && is_blank_line(bytes, at) {
                        return Step::Done(at);
                    }
                }
                _ => at += 1,
            }
        }
        let is_module = self.frames.last().is_some_and(|frame| frame.kind == Kind::Module);
        if is_module { Step::Done(at) } else { Step::Fail }
    }

    fn frame_start(&self) -> usize {
        self.frames.last().map_or(0, |frame| frame.start)
    }

    /// Behind a comment or a regular expression, or behind the plain sign.
    fn slash(&self, bytes: &[u8], at: usize) -> usize {
        match bytes.get(at + 1) {
            Some(b'/') => memchr::memchr(b'\n', &bytes[at..]).map_or(bytes.len(), |end| at + end),
            Some(b'*') => {
                memchr::memmem::find(&bytes[at + 2..], b"*/").map_or(bytes.len(), |end| at + 2 + end + 2)
            }
            _ if expects_value(bytes, self.frame_start(), at) => regex_end(bytes, at).unwrap_or(at + 1),
            _ => at + 1,
        }
    }

    fn template(&mut self, bytes: &[u8], from: usize) -> Step {
        let mut at = from;
        while let Some(offset) = memchr::memchr3(b'`', b'\\', b'$', &bytes[at.min(bytes.len())..]) {
            at += offset;
            match bytes[at] {
                b'`' => return self.pop(at + 1),
                b'$' if bytes.get(at + 1) == Some(&b'{') => {
                    self.push(Kind::Brace, at + 1);
                    return Step::At(at + 2);
                }
                b'\\' => at += 2,
                _ => at += 1,
            }
        }
        Step::Fail
    }

    fn children(&mut self, bytes: &[u8], from: usize) -> Step {
        let Some(offset) = memchr::memchr2(b'<', b'{', &bytes[from..]) else { return Step::Fail };
        let at = from + offset;
        if bytes[at] == b'{' {
            self.push(Kind::Brace, at);
            return Step::At(at + 1);
        }
        let Some(name) = tag_name(bytes, at) else { return Step::At(at + 1) };
        if bytes.get(at + 1) == Some(&b'/') {
            return match memchr::memchr(b'>', &bytes[name.end..]) {
                Some(close) => self.pop(name.end + close + 1),
                None => Step::Fail,
            };
        }
        self.push(Kind::Tag, at);
        let end = name.end;
        if let Some(frame) = self.top() {
            frame.name = name;
        }
        Step::At(end)
    }

    /// Attributes, up to a `{` or the end of the tag.
    fn attributes(&mut self, bytes: &[u8], from: usize) -> Step {
        let mut at = from;
        loop {
            at += blanks(bytes, at);
            match bytes.get(at) {
                Some(b'>') => return self.tag_end(at + 1, false),
                Some(b'/') => {
                    let close = at + 1 + blanks(bytes, at + 1);
                    if bytes.get(close) != Some(&b'>') {
                        return Step::Fail;
                    }
                    return self.tag_end(close + 1, true);
                }
                Some(b'{') => {
                    self.push(Kind::Brace, at);
                    return Step::At(at + 1);
                }
                Some(&byte) if starts_name(byte) => {}
                _ => return Step::Fail,
            }
            let name = at..at + name_length(&bytes[at..]);
            at = name.end + blanks(bytes, name.end);
            if bytes.get(at) != Some(&b'=') {
                at = name.end;
                continue;
            }
            at += 1;
            at += blanks(bytes, at);
            match bytes.get(at) {
                Some(&quote @ (b'"' | b'\'')) => {
                    let Some(length) = memchr::memchr(quote, &bytes[at + 1..]) else { return Step::Fail };
                    let value = at + 1..at + 1 + length;
                    at = value.end + 1;
                    self.attribute(&bytes[name.clone()], name.start..at, value);
                }
                Some(b'{') => {
                    let is_href = &bytes[name.clone()] == b"href";
                    if let Some(frame) = self.top() {
                        frame.pending = is_href.then_some((name.start, at));
                    }
                    self.push(Kind::Brace, at);
                    return Step::At(at + 1);
                }
                // HTML would take a bare value; MDX does not, but pages hold them.
                Some(&byte) if byte.is_ascii_alphanumeric() || matches!(byte, b'/' | b'#' | b'.') => {
                    let bare = |b: &&u8| {
                        !b.is_ascii_whitespace() && !matches!(**b, b'>' | b'"' | b'\'' | b'<' | b'{')
                    };
                    let mut end = at + bytes[at..].iter().take_while(bare).count();
                    if bytes[end - 1] == b'/' && bytes.get(end) == Some(&b'>') && end - 1 > at {
                        end -= 1;
                    }
                    self.tolerated = true;
                    self.attribute(&bytes[name.clone()], name.start..end, at..end);
                    at = end;
                }
                _ => return Step::Fail,
            }
        }
    }

    fn attribute(&mut self, name: &[u8], span: Range<usize>, value: Range<usize>) {
        match name {
            b"href" => self.set_href(span, Value::Text(value)),
            b"title" => {
                if let Some(frame) = self.top() {
                    frame.title = Some(value);
                }
            }
            _ => {}
        }
    }

    /// Of two `href`s on one element the browser takes one; a reader of links wants both.
    fn set_href(&mut self, span: Range<usize>, value: Value) {
        let Some(frame) = self.frames.last_mut() else { return };
        if let Some((span, value)) = frame.href.replace((span, value)) {
            let (name, tag_end) = (frame.name.clone(), span.end);
            self.elements.push(Element { span, value, title: None, name, tag_end, self_closing: true });
        }
    }

    fn tag_end(&mut self, end: usize, self_closing: bool) -> Step {
        let Some(frame) = self.frames.last_mut() else { return Step::Fail };
        self.self_closing = self_closing;
        let (name, span) = (frame.name.clone(), frame.start..end);
        if let Some((_, value)) = frame.href.take() {
            let title = frame.title.take();
            self.elements.push(Element { span, value, title, name, tag_end: end, self_closing });
        }
        if self.frames.len() == 1 || self_closing {
            return self.pop(end);
        }
        if let Some(frame) = self.top() {
            frame.kind = Kind::Children;
        }
        Step::At(end)
    }
}

/// The name of the tag at `open` (empty for a fragment), or `None` where no tag begins.
fn tag_name(bytes: &[u8], open: usize) -> Option<Range<usize>> {
    let mut start = open + 1;
    let closing = bytes.get(start) == Some(&b'/');
    if closing {
        start += 1;
        start += blanks(bytes, start);
    }
    match *bytes.get(start)? {
        b'>' => return Some(start..start),
        byte if starts_name(byte) => {}
        _ => return None,
    }
    let end = start + name_length(&bytes[start..]);
    // `<https://…>`: a name may hold one `:`, but not at its end.
    let ends_well = bytes[end - 1] != b':' && bytes[end - 1] != b'.';
    let follows =
        matches!(bytes.get(end), Some(b'>' | b'/' | b'{') | None) || bytes[end].is_ascii_whitespace();
    (ends_well && follows).then_some(start..end)
}

fn starts_name(byte: u8) -> bool {
    byte.is_ascii_alphabetic() || matches!(byte, b'_' | b'$') || byte >= 0x80
}

fn name_length(bytes: &[u8]) -> usize {
    let in_name =
        |b: &&u8| b.is_ascii_alphanumeric() || matches!(**b, b'_' | b'$' | b'-' | b'.' | b':') || **b >= 0x80;
    bytes.iter().take_while(in_name).count()
}

fn blanks(bytes: &[u8], at: usize) -> usize {
    bytes[at.min(bytes.len())..].iter().take_while(|b| b.is_ascii_whitespace()).count()
}

fn is_blank_line(bytes: &[u8], at: usize) -> bool {
    bytes[at..].iter().find(|b| !matches!(b, b' ' | b'\t' | b'\r')).is_none_or(|b| *b == b'\n')
}

/// Behind a string; behind the quote alone where the line ends first (an apostrophe in text).
fn string_end(bytes: &[u8], open: usize) -> usize {
    let quote = bytes[open];
    let mut at = open + 1;
    while let Some(offset) = memchr::memchr3(quote, b'\\', b'\n', &bytes[at.min(bytes.len())..]) {
        at += offset;
        match bytes[at] {
            b'\\' => at += 2,
            b'\n' => return open + 1,
            _ => return at + 1,
        }
    }
    open + 1
}

/// Whether a value may begin at `at`, rather than an operator: `<` is a tag then, `/` a regular
/// expression.
fn expects_value(bytes: &[u8], floor: usize, at: usize) -> bool {
    let before = &bytes[floor.min(at)..at];
    let Some(last) = before.iter().rposition(|b| !b.is_ascii_whitespace()) else { return true };
    match before[last] {
        b')' | b']' | b'}' | b'"' | b'\'' | b'`' | b'.' => false,
        byte if starts_name(byte) || byte.is_ascii_digit() => {
            let word = before[..=last].iter().rev().take(8).take_while(|b| b.is_ascii_alphabetic()).count();
            matches!(
                &before[last + 1 - word..=last],
                b"return" | b"default" | b"case" | b"else" | b"yield" | b"await"
            )
        }
        _ => true,
    }
}

/// Keeps the search for the end of a regular expression short where there is none.
const LONGEST_REGEX: usize = 200;

fn regex_end(bytes: &[u8], open: usize) -> Option<usize> {
    let bytes = &bytes[..bytes.len().min(open + LONGEST_REGEX)];
    let mut in_class = false;
    let mut at = open + 1;
    loop {
        match *bytes.get(at)? {
            b'\n' => return None,
            b'\\' => at += 1,
            b'[' => in_class = true,
            b']' => in_class = false,
            b'/' if !in_class => return Some(at + 1),
            _ => {}
        }
        at += 1;
    }
}

/// The end of an expression by counting braces alone, for code that no JavaScript parser would
/// take.
pub(super) fn balanced(bytes: &[u8], open: usize) -> Option<usize> {
    let mut depth = 0usize;
    for at in memchr::memchr2_iter(b'{', b'}', &bytes[open..]) {
        if bytes[open + at] == b'{' {
            depth += 1;
        } else {
            depth -= 1;
            if depth == 0 {
                return Some(open + at + 1);
            }
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ends_of_expressions() {
        let table = [
            "{a}",
            "{\"}\"}",
            "{'}' + `}${ {a: '}'} }`}",
            "{/* } */}",
            "{a // }\n}",
            "{/[}/]/.test(x)}",
            "{ok && <p>don't {x} won't</p>}",
            "{list.map(i => <a href={`/x/${i}`}>{i}</a>)}",
            "{a < b ? 1 : 2}",
            "{<></>}",
        ];
        for source in table {
            let longer = format!("{source} }} tail");
            assert_eq!(Code::default().expression(longer.as_bytes(), 0), Some(source.len()), "{source}");
        }
        for source in ["{", "{a", "{`${", "{\"}\""] {
            assert_eq!(Code::default().expression(source.as_bytes(), 0), None, "{source}");
        }
    }

    #[test]
    fn tags() {
        let table = [
            ("<a href=\"/x\">", TagKind::Open),
            ("<Card a b='c' {...d} e={f > g} />", TagKind::SelfClosing),
            ("</a.b >", TagKind::Close),
            ("<>", TagKind::Open),
            ("<svg:path\n d=\"\"\n/>", TagKind::SelfClosing),
        ];
        for (source, kind) in table {
            let longer = format!("{source}>");
            let tag = Code::default().tag(longer.as_bytes(), 0);
            assert_eq!(tag.map(|tag| (tag.end, tag.kind)), Some((source.len(), kind)), "{source}");
        }
        for source in
            ["<https://x.test>", "<a@b.cd>", "< a>", "<1>", "<a \"x\">", "<a", "<a href=\"", "<a / b>"]
        {
            assert_eq!(Code::default().tag(source.as_bytes(), 0), None, "{source}");
        }
    }

    #[test]
    fn modules_end_at_a_blank_line_outside_of_brackets() {
        let table = [
            ("import a from 'b'\n\ntext", 18),
            ("export const a = {\n\n}\n\ntext", 22),
            ("export const a = () => (\n  <p>\n\n it's</p>\n)\n\ntext", 0),
            ("import a from 'b'", 17),
        ];
        for (source, end) in table.iter().filter(|(_, end)| *end > 0) {
            assert_eq!(Code::default().module(source.as_bytes(), 0), Some(*end), "{source}");
        }
    }

    #[test]
    fn depth_costs_no_call_stack() {
        let deep = "{<a b=".repeat(200_000);
        assert_eq!(Code::default().expression(deep.as_bytes(), 0), None);
        let closed = format!("{}{}", "{".repeat(500_000), "}".repeat(500_000));
        assert_eq!(Code::default().expression(closed.as_bytes(), 0), Some(1_000_000));
    }
}

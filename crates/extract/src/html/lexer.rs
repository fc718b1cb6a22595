//! HTML cut into tags and text, by the rules of the tokenizer in WHATWG HTML §13.2.5.
//!
//! Only what a reader of links needs is kept: no doctypes, no comments, no token without a place.
//! Names and values are slices of the document; references in them are still to be undone. Each
//! byte is looked at a bounded number of times, whatever the document holds.

use std::ops::Range;

/// What comes next in a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Token<'t> {
    Start(Tag<'t>),
    End(Tag<'t>),
    /// Text as written. A run of text may come in several pieces.
    Text(&'t str),
}

/// A start or end tag.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Tag<'t> {
    /// The name as written; compare without regard to case.
    pub(super) name: &'t str,
    /// From `<` to the byte after `>`.
    pub(super) span: Range<usize>,
    /// Ends in `/>`.
    pub(super) self_closing: bool,
    text: &'t str,
    name_end: usize,
}

impl<'t> Tag<'t> {
    /// The attributes in order, as written. Of two with one name the first counts.
    pub(super) fn attributes(&self) -> Attributes<'t> {
        Attributes { text: self.text, at: self.name_end, end: None }
    }
}

/// How the content of an element is to be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Content {
    /// Up to the matching end tag nothing is a tag: `title`, `style`.
    Raw,
    /// The same with the rules of `script`, where `<!-- <script>` hides an end tag.
    Script,
    /// Nothing is a tag any more: `plaintext`.
    Plain,
}

/// Where the document ended too early.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CutOff {
    Tag,
    Comment,
    RawText,
}

/// Reads a document from its start to its end.
pub(super) struct Lexer<'t> {
    text: &'t str,
    at: usize,
    raw: Option<(Content, &'t str)>,
    /// CDATA sections exist in SVG and MathML alone; elsewhere they are comments that end at `>`.
    pub(super) allows_cdata: bool,
    cut_off: Option<CutOff>,
}

impl<'t> Lexer<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        Lexer { text, at: 0, raw: None, allows_cdata: false, cut_off: None }
    }

    /// Says how the content of the element is to be read whose start tag came last.
    pub(super) fn enter(&mut self, content: Content, name: &'t str) {
        self.raw = Some((content, name));
    }

    /// Where the document ended too early; to be asked at its end.
    pub(super) fn cut_off(&self) -> Option<CutOff> {
        self.cut_off
    }

    pub(super) fn next(&mut self) -> Option<Token<'t>> {
        if let Some((content, name)) = self.raw {
            let start = self.at;
            match self.raw_end(content, name) {
                // The end tag comes next.
                Some(end) => self.at = end,
                None => {
                    self.at = self.text.len();
                    self.cut_off = (content != Content::Plain).then_some(CutOff::RawText);
                }
            }
            self.raw = None;
            if self.at > start {
                return Some(Token::Text(&self.text[start..self.at]));
            }
        }
        let mut start = self.at;
        while self.at < self.text.len() {
            let Some(open) = memchr::memchr(b'<', &self.bytes()[self.at..]).map(|at| self.at + at) else {
                self.at = self.text.len();
                break;
            };
            if !self.is_markup(open) {
                self.at = open + 1;
                continue;
            }
            if open > start {
                self.at = open;
                break;
            }
            if let Some(token) = self.markup(open) {
                return Some(token);
            }
            // A comment or the like: what follows is new text.
            start = self.at;
        }
        (self.at > start).then(|| Token::Text(&self.text[start..self.at]))
    }

    fn bytes(&self) -> &'t [u8] {
        self.text.as_bytes()
    }

    /// Whether `<` begins a tag, a comment or a declaration rather than standing for itself.
    fn is_markup(&self, open: usize) -> bool {
        match self.bytes().get(open + 1) {
            Some(b'!' | b'?') => true,
            Some(b'/') => self.bytes().get(open + 2).is_some(),
            Some(letter) => letter.is_ascii_alphabetic(),
            None => false,
        }
    }

    /// Reads what begins at `open`. `None` for what is no tag, and at the end of the document.
    fn markup(&mut self, open: usize) -> Option<Token<'t>> {
        let rest = &self.bytes()[open..];
        match rest[1] {
            b'!' if rest.starts_with(b"<!--") => self.skip_comment(open),
            b'!' if rest.starts_with(b"<![CDATA[") && self.allows_cdata => return self.cdata(open),
            b'/' if !rest[2].is_ascii_alphabetic() => self.skip_to_close(open + 2),
            b'!' | b'?' => self.skip_to_close(open + 2),
            b'/' => return self.tag(open, open + 2).map(Token::End),
            _ => return self.tag(open, open + 1).map(Token::Start),
        }
        None
    }

    fn tag(&mut self, open: usize, name_start: usize) -> Option<Tag<'t>> {
        let bytes = self.bytes();
        let name_len = bytes[name_start..].iter().position(|b| is_blank(*b) || matches!(b, b'/' | b'>'));
        let name_end = name_len.map_or(bytes.len(), |len| name_start + len);
        let mut attributes = Attributes { text: self.text, at: name_end, end: None };
        while attributes.next().is_some() {}
        let Some((end, self_closing)) = attributes.end else {
            self.at = bytes.len();
            self.cut_off = Some(CutOff::Tag);
            return None;
        };
        self.at = end;
        let name = &self.text[name_start..name_end];
        Some(Tag { name, span: open..end, self_closing, text: self.text, name_end })
    }

    /// Doctypes, processing instructions and other things that end at the first `>`.
    fn skip_to_close(&mut self, from: usize) {
        match memchr::memchr(b'>', &self.bytes()[from..]) {
            Some(at) => self.at = from + at + 1,
            None => self.end_in_comment(),
        }
    }

    /// §13.2.5.43 and on: a comment ends at `-->` or `--!>`, and its opening dashes may be those
    /// of its end.
    fn skip_comment(&mut self, open: usize) {
        let content = &self.bytes()[open + 4..];
        if content.starts_with(b">") || content.starts_with(b"->") {
            self.at = open + 4 + if content[0] == b'>' { 1 } else { 2 };
            return;
        }
        let mut from = 0;
        while let Some(at) = memchr::memmem::find(&content[from..], b"--") {
            let dashes = from + at;
            let after = dashes + content[dashes..].iter().take_while(|b| **b == b'-').count();
            let closing = [(&b">"[..], 1), (&b"!>"[..], 2)];
            if let Some((_, len)) = closing.iter().find(|(end, _)| content[after..].starts_with(end)) {
                self.at = open + 4 + after + len;
                return;
            }
            from = after;
        }
        self.end_in_comment();
    }

    fn end_in_comment(&mut self) {
        self.at = self.text.len();
        self.cut_off = Some(CutOff::Comment);
    }

    fn cdata(&mut self, open: usize) -> Option<Token<'t>> {
        let start = open + b"<![CDATA[".len();
        let end = memchr::memmem::find(&self.bytes()[start..], b"]]>").map(|at| start + at);
        self.at = end.map_or(self.text.len(), |end| end + 3);
        if end.is_none() {
            self.cut_off = Some(CutOff::Comment);
        }
        Some(Token::Text(&self.text[start..end.unwrap_or(self.text.len())]))
    }

    /// Where the end tag of a raw element stands.
    fn raw_end(&self, content: Content, name: &str) -> Option<usize> {
        match content {
            Content::Plain => None,
            Content::Raw => {
                let opens = memchr::memchr_iter(b'<', &self.bytes()[self.at..]);
                opens.map(|at| self.at + at).find(|open| self.is_tag_named(*open, b"</", name))
            }
            Content::Script => self.script_end(name),
        }
    }

    /// §13.2.5.17 and on: `<!--` begins an escaped part, `<script` in it a doubly escaped one, in
    /// which `</script>` ends only that.
    fn script_end(&self, name: &str) -> Option<usize> {
        #[derive(PartialEq)]
        enum Escape {
            None,
            Single,
            Double,
        }
        let bytes = self.bytes();
        let mut escape = Escape::None;
        for at in memchr::memchr2_iter(b'<', b'>', &bytes[self.at..]).map(|at| self.at + at) {
            if bytes[at] == b'>' {
                // The dashes of `<!--` count.
                if bytes[self.at..at].ends_with(b"--") {
                    escape = Escape::None;
                }
            } else if escape == Escape::None && bytes[at..].starts_with(b"<!--") {
                escape = Escape::Single;
            } else if self.is_tag_named(at, b"</", name) {
                match escape {
                    Escape::Double => escape = Escape::Single,
                    Escape::None | Escape::Single => return Some(at),
                }
            } else if escape == Escape::Single && self.is_tag_named(at, b"<", "script") {
                escape = Escape::Double;
            }
        }
        None
    }

    fn is_tag_named(&self, open: usize, lead: &[u8], name: &str) -> bool {
        let rest = &self.bytes()[open..];
        let end = lead.len() + name.len();
        rest.starts_with(lead)
            && rest.get(lead.len()..end).is_some_and(|own| own.eq_ignore_ascii_case(name.as_bytes()))
            && rest.get(end).is_some_and(|b| is_blank(*b) || matches!(b, b'/' | b'>'))
    }
}

/// An attribute as written; without `=` its value is empty.
pub(super) type Attribute<'t> = (&'t str, &'t str);

/// §13.2.5.32 and on, from behind a tag's name to its `>`.
pub(super) struct Attributes<'t> {
    text: &'t str,
    at: usize,
    /// Where the tag ends, and whether with `/>`; known when the iteration is over, unless the
    /// document ends first.
    end: Option<(usize, bool)>,
}

impl<'t> Iterator for Attributes<'t> {
    type Item = Attribute<'t>;

    fn next(&mut self) -> Option<Attribute<'t>> {
        let bytes = self.text.as_bytes();
        let mut after_slash = false;
        loop {
            match bytes.get(self.at)? {
                b'/' => after_slash = true,
                b if is_blank(*b) => after_slash = false,
                b'>' => {
                    self.end = Some((self.at + 1, after_slash));
                    return None;
                }
                _ => break,
            }
            self.at += 1;
        }
        let start = self.at;
        // An `=` in first place belongs to the name.
        let ends_name = |b: &u8| is_blank(*b) || matches!(b, b'/' | b'>' | b'=');
        self.at += 1 + bytes[start + 1..].iter().position(ends_name)?;
        let name = &self.text[start..self.at];
        let before_equals = self.at;
        self.skip_blanks();
        if bytes.get(self.at)? != &b'=' {
            self.at = before_equals;
            return Some((name, ""));
        }
        self.at += 1;
        self.skip_blanks();
        let value = match bytes.get(self.at)? {
            quote @ (b'"' | b'\'') => {
                let start = self.at + 1;
                let end = start + memchr::memchr(*quote, &bytes[start..])?;
                self.at = end + 1;
                &self.text[start..end]
            }
            _ => {
                let start = self.at;
                self.at += bytes[start..].iter().position(|b| is_blank(*b) || *b == b'>')?;
                &self.text[start..self.at]
            }
        };
        Some((name, value))
    }
}

impl Attributes<'_> {
    fn skip_blanks(&mut self) {
        let blanks = self.text.as_bytes()[self.at..].iter().take_while(|b| is_blank(**b)).count();
        self.at += blanks;
    }
}

fn is_blank(byte: u8) -> bool {
    matches!(byte, b'\t' | b'\n' | 0x0c | b'\r' | b' ')
}

#[cfg(test)]
mod tests;

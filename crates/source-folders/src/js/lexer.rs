//! Tokens of JavaScript, as far as literals need them. Anything is accepted; what is no token is skipped.

/// One token.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Token {
    pub(crate) kind: Kind,
    /// Byte offset of its first character.
    pub(crate) start: usize,
    /// Whether a line ends between it and the token before.
    pub(crate) on_new_line: bool,
    /// For an opening bracket the index of its closing one, or of the end of the tokens.
    pub(crate) partner: usize,
}

/// What a token is.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Kind {
    Word(String),
    Number(String),
    /// A string, or a template without placeholders.
    Text(String),
    /// A template with placeholders, or a regular expression.
    Computed,
    Punct(&'static str),
}

/// A regular expression longer than this is taken for a division.
const MAX_REGEX: usize = 1024;

/// Longest first.
const PUNCTUATION: &[&str] = &[
    "...", "===", "!==", "=>", "==", "!=", "?.", "??", "||", "&&", "{", "}", "[", "]", "(", ")", ",", ":",
    ";", ".", "=", "?", "+", "-", "*", "/", "%", "<", ">", "!", "&", "|", "^", "~", "@", "#",
];

/// Reads all tokens, and pairs the brackets.
pub(crate) fn tokens(text: &str) -> Vec<Token> {
    let mut lexer = Lexer { text, at: 0, tokens: Vec::new(), new_line: true };
    while lexer.step() {}
    pair(&mut lexer.tokens);
    lexer.tokens
}

/// A closing bracket closes the nearest open one, of whatever kind: a broken file must not swallow its rest.
fn pair(tokens: &mut [Token]) {
    let end = tokens.len();
    let mut open = Vec::new();
    for at in 0..end {
        tokens[at].partner = end;
        match tokens[at].kind {
            Kind::Punct("{" | "[" | "(") => open.push(at),
            Kind::Punct("}" | "]" | ")") => {
                if let Some(start) = open.pop() {
                    tokens[start].partner = at;
                }
            }
            _ => {}
        }
    }
}

struct Lexer<'t> {
    text: &'t str,
    at: usize,
    tokens: Vec<Token>,
    new_line: bool,
}

impl Lexer<'_> {
    fn step(&mut self) -> bool {
        let rest = &self.text[self.at..];
        let Some(first) = rest.chars().next() else { return false };
        if first.is_whitespace() || first == '\u{feff}' {
            self.new_line |= first == '\n';
            self.at += first.len_utf8();
        } else if rest.starts_with("//") {
            self.at += rest.find('\n').unwrap_or(rest.len());
        } else if let Some(comment) = rest.strip_prefix("/*") {
            let length = comment.find("*/").map_or(rest.len(), |at| at + 4);
            self.new_line |= rest[..length].contains('\n');
            self.at += length;
        } else if first.is_alphabetic() || matches!(first, '_' | '$') {
            let is_part = |letter: char| letter.is_alphanumeric() || matches!(letter, '_' | '$');
            let length = rest.find(|letter| !is_part(letter)).unwrap_or(rest.len());
            self.push(Kind::Word(rest[..length].to_owned()), length);
        } else if first.is_ascii_digit() {
            let is_part = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '.' | '_');
            let length = rest.find(|letter| !is_part(letter)).unwrap_or(rest.len());
            self.push(Kind::Number(rest[..length].replace('_', "")), length);
        } else if matches!(first, '"' | '\'') {
            self.string(first);
        } else if first == '`' {
            self.template();
        } else if first == '/' && self.regex_may_stand_here() && self.regex() {
        } else {
            let found = PUNCTUATION.iter().find(|mark| rest.starts_with(**mark));
            match found {
                Some(mark) => self.push(Kind::Punct(mark), mark.len()),
                None => self.at += first.len_utf8(),
            }
        }
        true
    }

    fn push(&mut self, kind: Kind, length: usize) {
        let on_new_line = std::mem::take(&mut self.new_line);
        self.tokens.push(Token { kind, start: self.at, on_new_line, partner: 0 });
        self.at += length;
    }

    fn string(&mut self, quote: char) {
        let rest = &self.text[self.at + 1..];
        let (value, length, _) = unescape(rest, quote);
        self.push(Kind::Text(value), length + 1);
    }

    /// A template ends at its back-tick; what stands in `${…}` may hold templates of its own.
    fn template(&mut self) {
        let bytes = self.text.as_bytes();
        let mut at = self.at + 1;
        // The brackets open within placeholders; a 0 stands for a template within one.
        let mut braces: Vec<u32> = Vec::new();
        let mut computed = false;
        while let Some(byte) = bytes.get(at) {
            let in_text = braces.last().is_none_or(|depth| *depth == 0);
            match byte {
                b'\\' => at += 1,
                b'`' if !in_text => braces.push(0),
                b'`' => match braces.pop() {
                    Some(_) => {}
                    None => break,
                },
                b'$' if in_text && bytes.get(at + 1) == Some(&b'{') => {
                    computed = true;
                    braces.push(1);
                    at += 1;
                }
                b'{' if !in_text => *braces.last_mut().expect("within a placeholder") += 1,
                b'}' if !in_text => {
                    let depth = braces.last_mut().expect("within a placeholder");
                    *depth -= 1;
                    if *depth == 0 {
                        braces.pop();
                    }
                }
                _ => {}
            }
            at += 1;
        }
        let end = at.min(self.text.len());
        let kind = if computed {
            Kind::Computed
        } else {
            let (value, _, _) = unescape(self.text.get(self.at + 1..end).unwrap_or_default(), '`');
            Kind::Text(value)
        };
        let mut end = (end + 1).min(self.text.len());
        while !self.text.is_char_boundary(end) {
            end += 1;
        }
        self.push(kind, end - self.at);
    }

    /// After a value a slash divides.
    fn regex_may_stand_here(&self) -> bool {
        match self.tokens.last().map(|token| &token.kind) {
            None => true,
            Some(Kind::Punct(mark)) => !matches!(*mark, ")" | "]" | "}"),
            Some(Kind::Word(word)) => matches!(word.as_str(), "return" | "typeof" | "case"),
            Some(_) => false,
        }
    }

    /// Reads a regular expression that ends on its line.
    fn regex(&mut self) -> bool {
        let mut in_class = false;
        let mut escaped = false;
        for (at, letter) in self.text[self.at + 1..].char_indices().take(MAX_REGEX) {
            match letter {
                '\n' => return false,
                _ if escaped => escaped = false,
                '\\' => escaped = true,
                '[' => in_class = true,
                ']' => in_class = false,
                '/' if !in_class => {
                    let flags = self.text[self.at + at + 2..].chars().take_while(char::is_ascii_alphabetic);
                    let flags = flags.count();
                    self.push(Kind::Computed, at + 2 + flags);
                    return true;
                }
                _ => {}
            }
        }
        false
    }
}

/// The value of a string up to its closing quote, and the length read, the quote included. Strings in quotes end
/// with their line at the latest.
fn unescape(rest: &str, quote: char) -> (String, usize, bool) {
    let mut value = String::new();
    let mut letters = rest.char_indices();
    while let Some((at, letter)) = letters.next() {
        match letter {
            _ if letter == quote => return (value, at + letter.len_utf8(), true),
            '\n' if quote != '`' => return (value, at, false),
            '\\' => match letters.next().map(|(_, escaped)| escaped) {
                Some('n') => value.push('\n'),
                Some('t') => value.push('\t'),
                Some('r') => value.push('\r'),
                Some('\n') | None => {}
                Some('u' | 'x') => value.push('\u{fffd}'),
                Some(other) => value.push(other),
            },
            _ => value.push(letter),
        }
    }
    (value, rest.len(), false)
}

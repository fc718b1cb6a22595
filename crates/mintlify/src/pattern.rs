//! The pattern of a redirect rule: `:name` is one segment, `:name*` the rest of the path, `*` any text.

/// A pattern with more wildcards than this is not read: matching takes time and memory in proportion to their number.
const MAX_WILDCARDS: usize = 32;

/// A source or destination, cut at its wildcards.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Pattern {
    tokens: Vec<Token>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Token {
    Literal(String),
    /// `:name`: one or more characters without a slash.
    Segment(String),
    /// `:name*`: one or more characters.
    Rest(String),
    /// `*`: any number of characters.
    Star,
}

/// What the wildcards of a source took, in order.
pub(crate) struct Captures<'s, 'p>(Vec<(&'s Token, &'p str)>);

impl Pattern {
    /// Cuts a text at its wildcards. `None` where it has more of them than can be matched.
    pub(crate) fn parse(text: &str) -> Option<Pattern> {
        let mut tokens = Vec::new();
        let mut literal = String::new();
        let mut rest = text;
        let mut wildcards = 0;
        while let Some(first) = rest.chars().next() {
            let (token, length) = match first {
                '*' => (Token::Star, 1),
                ':' => match name(&rest[1..]) {
                    Some(name) if rest[1 + name.len()..].starts_with('*') => {
                        (Token::Rest(name.into()), name.len() + 2)
                    }
                    Some(name) => (Token::Segment(name.into()), name.len() + 1),
                    None => (Token::Literal(":".into()), 1),
                },
                _ => {
                    let length = rest.find(['*', ':']).unwrap_or(rest.len());
                    (Token::Literal(rest[..length].into()), length)
                }
            };
            rest = &rest[length..];
            match token {
                Token::Literal(text) => literal.push_str(&text),
                wildcard => {
                    wildcards += 1;
                    if wildcards > MAX_WILDCARDS {
                        return None;
                    }
                    if !literal.is_empty() {
                        tokens.push(Token::Literal(std::mem::take(&mut literal)));
                    }
                    tokens.push(wildcard);
                }
            }
        }
        if !literal.is_empty() {
            tokens.push(Token::Literal(literal));
        }
        Some(Pattern { tokens })
    }

    /// Whether the pattern is plain text.
    pub(crate) fn is_literal(&self) -> bool {
        self.tokens.iter().all(|token| matches!(token, Token::Literal(_)))
    }

    /// The plain text before the first wildcard.
    pub(crate) fn prefix(&self) -> &str {
        match self.tokens.first() {
            Some(Token::Literal(text)) => text,
            _ => "",
        }
    }

    /// The pattern less a final `/:name*`: what is left when that takes nothing. Whether hosts let it take nothing is
    /// not known; following too much harms nothing.
    pub(crate) fn without_rest(&self) -> Option<Pattern> {
        let [before @ .., Token::Literal(last), Token::Rest(_)] = self.tokens.as_slice() else { return None };
        let mut tokens = before.to_vec();
        tokens.push(Token::Literal(last.strip_suffix('/').filter(|kept| !kept.is_empty())?.to_owned()));
        Some(Pattern { tokens })
    }

    /// Matches the whole of a path; each wildcard takes as much as it can.
    ///
    /// Dynamic programming from the end: `reach[t][p]` tells whether the tokens from `t` on match the path from byte
    /// `p` on. Linear in tokens times path, whatever the pattern.
    pub(crate) fn captures<'s, 'p>(&'s self, path: &'p str) -> Option<Captures<'s, 'p>> {
        if !path.starts_with(self.prefix()) {
            return None;
        }
        let end = path.len();
        let mut reach = vec![vec![false; end + 1]; self.tokens.len() + 1];
        reach[self.tokens.len()][end] = true;
        for (at, token) in self.tokens.iter().enumerate().rev() {
            let (head, tail) = reach.split_at_mut(at + 1);
            token.reach_back(path, &mut head[at], &tail[0]);
        }
        if !reach[0][0] {
            return None;
        }
        let mut caught = Vec::new();
        let mut from = 0;
        for (at, token) in self.tokens.iter().enumerate() {
            let next = &reach[at + 1];
            let stop = match token {
                Token::Literal(text) => from + text.len(),
                _ => (from + token.at_least()..=token.limit(path, from)).rev().find(|to| next[*to])?,
            };
            if !matches!(token, Token::Literal(_)) {
                caught.push((token, &path[from..stop]));
            }
            from = stop;
        }
        Some(Captures(caught))
    }

    /// The pattern as a destination: `:name` and `:name*` take what that name caught, each `*` what the next `*`
    /// caught. `None` once the result is longer than `limit` bytes.
    pub(crate) fn expand(&self, captures: &Captures<'_, '_>, limit: usize) -> Option<String> {
        let mut stars = captures.0.iter().filter(|(token, _)| **token == Token::Star);
        let mut out = String::new();
        for token in &self.tokens {
            out.push_str(match token {
                Token::Literal(text) => text,
                Token::Star => stars.next().map_or("", |(_, text)| text),
                Token::Segment(name) | Token::Rest(name) => captures.named(name),
            });
            if out.len() > limit {
                return None;
            }
        }
        Some(out)
    }
}

impl Captures<'_, '_> {
    /// Captures of a rule without wildcards.
    pub(crate) const NONE: Captures<'static, 'static> = Captures(Vec::new());

    fn named(&self, wanted: &str) -> &str {
        let caught = self.0.iter().find(|(token, _)| match token {
            Token::Segment(name) | Token::Rest(name) => name == wanted,
            Token::Literal(_) | Token::Star => false,
        });
        caught.map_or("", |(_, text)| text)
    }
}

impl Token {
    fn at_least(&self) -> usize {
        match self {
            Token::Star => 0,
            _ => 1,
        }
    }

    /// The furthest byte the token may take when it starts at `from`.
    fn limit(&self, path: &str, from: usize) -> usize {
        match self {
            Token::Segment(_) => path[from..].find('/').map_or(path.len(), |slash| from + slash),
            _ => path.len(),
        }
    }

    /// Fills `here` from `next`, from the end of the path backwards.
    fn reach_back(&self, path: &str, here: &mut [bool], next: &[bool]) {
        if let Token::Literal(text) = self {
            for (at, slot) in here.iter_mut().enumerate() {
                let stop = at + text.len();
                *slot = next.get(stop) == Some(&true) && path.as_bytes()[at..].starts_with(text.as_bytes());
            }
            return;
        }
        // Whether the rest matches somewhere at or after (for `*`) or after (for names) this byte.
        let mut later = false;
        for at in (0..=path.len()).rev() {
            let is_slash = path.as_bytes().get(at) == Some(&b'/');
            if matches!(self, Token::Segment(_)) && is_slash {
                // A segment that starts earlier may end here at the latest; one that starts here takes nothing.
                here[at] = false;
                later = next[at];
                continue;
            }
            let boundary = path.is_char_boundary(at);
            here[at] = boundary && (later || (matches!(self, Token::Star) && next[at]));
            later |= boundary && next[at];
        }
    }
}

/// The name at the start of a text: a letter or `_`, then letters, digits and `_`.
fn name(text: &str) -> Option<&str> {
    let first = text.chars().next()?;
    if !(first.is_ascii_alphabetic() || first == '_') {
        return None;
    }
    let length = text.find(|letter: char| !(letter.is_alphanumeric() || letter == '_')).unwrap_or(text.len());
    Some(&text[..length])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_match_and_expand() {
        let cases = [
            ("/a", "/a", "/b", Some("/b")),
            ("/a/:id", "/a/7", "/b/:id/x", Some("/b/7/x")),
            ("/a/:id", "/a/7/8", "/b", None),
            ("/a/:id", "/a/", "/b", None),
            ("/a/:rest*", "/a/7/8", "/b/:rest*", Some("/b/7/8")),
            ("/a/:rest*", "/a/", "/b/:rest*", None),
            ("/a/:x/:y", "/a/é/日", "/:y/:x", Some("/日/é")),
            ("/a/:x:y", "/a/éé", "/:x-:y", Some("/é-é")),
            ("/a/*", "/a/", "/b/*", Some("/b/")),
            ("/old-*", "/old-x/y", "/new-*", Some("/new-x/y")),
            ("/*/mid/*", "/a/mid/b/mid/c", "/*|*", Some("/a/mid/b|c")),
            ("/v:n/x", "/v2/x", "/v/:n", Some("/v/2")),
            ("/t/:12", "/t/:12", "/ok", Some("/ok")),
            ("*", "", "/x*", Some("/x")),
        ];
        for (source, path, destination, expected) in cases {
            let (source, destination) =
                (Pattern::parse(source).unwrap(), Pattern::parse(destination).unwrap());
            let got = source.captures(path).and_then(|caught| destination.expand(&caught, 1000));
            assert_eq!(got.as_deref(), expected, "{source:?} {path}");
        }
        assert!(Pattern::parse(&"*".repeat(100)).is_none());
        assert!(Pattern::parse("/a/:rest*").unwrap().without_rest().unwrap().captures("/a").is_some());
    }

    #[test]
    fn hostile_patterns_are_matched_in_time() {
        let source = Pattern::parse(&"*a".repeat(MAX_WILDCARDS)).unwrap();
        assert!(source.captures(&"a".repeat(8000)).is_some());
        assert!(source.captures(&format!("{}b", "a".repeat(8000))).is_none());
    }
}

//! `rewrites` of VitePress: file paths to other paths, in the syntax of path-to-regexp as far as docs use it.

/// The rules, in their order; the first that matches counts.
#[derive(Debug, Default)]
pub(super) struct Rewrites {
    rules: Vec<(Vec<Part>, Vec<Part>)>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Part {
    Literal(String),
    /// `:name`: within one segment.
    Segment(String),
    /// `:name*`, `:name(.*)`: over segments.
    Rest(String),
}

impl Rewrites {
    /// Adds a rule; `false` where its pattern can't be followed.
    pub(super) fn add(&mut self, from: &str, to: &str) -> bool {
        match (parts(from), parts(to)) {
            (Some(from), Some(to)) => {
                self.rules.push((from, to));
                true
            }
            _ => false,
        }
    }

    pub(super) fn apply(&self, path: &str) -> Option<String> {
        self.rules.iter().find_map(|(from, to)| {
            let captures = matched(from, path)?;
            let mut target = String::new();
            for part in to {
                match part {
                    Part::Literal(text) => target.push_str(text),
                    Part::Segment(name) | Part::Rest(name) => {
                        target.push_str(captures.iter().find(|(known, _)| *known == name)?.1);
                    }
                }
            }
            Some(target)
        })
    }
}

fn parts(pattern: &str) -> Option<Vec<Part>> {
    let mut parts = Vec::new();
    let mut rest = pattern;
    while !rest.is_empty() {
        let at = rest.find([':', '(', '*', '{', '?', '+']).unwrap_or(rest.len());
        if at > 0 {
            parts.push(Part::Literal(rest[..at].to_owned()));
        }
        rest = &rest[at..];
        let Some(name) = rest.strip_prefix(':') else {
            return rest.is_empty().then_some(parts);
        };
        let end = name.find(|letter: char| !letter.is_alphanumeric() && letter != '_').unwrap_or(name.len());
        if end == 0 {
            return None;
        }
        let (name, after) = name.split_at(end);
        let crossing = ["(.*)", "(.+)", "*", "+"].iter().find(|mark| after.starts_with(**mark));
        parts.push(match crossing {
            Some(_) => Part::Rest(name.to_owned()),
            None => Part::Segment(name.to_owned()),
        });
        rest = &after[crossing.map_or(0, |mark| mark.len())..];
    }
    Some(parts)
}

/// What the names of a pattern stand for. Takes as little as the next literal allows, and the last name takes all.
fn matched<'p>(parts: &'p [Part], path: &'p str) -> Option<Vec<(&'p str, &'p str)>> {
    let mut captures = Vec::new();
    let mut rest = path;
    for (at, part) in parts.iter().enumerate() {
        let (name, may_cross) = match part {
            Part::Literal(text) => {
                rest = rest.strip_prefix(text.as_str())?;
                continue;
            }
            Part::Segment(name) => (name, false),
            Part::Rest(name) => (name, true),
        };
        let is_last_literal = at + 2 == parts.len();
        let end = match parts.get(at + 1) {
            Some(Part::Literal(next)) if is_last_literal => rest.strip_suffix(next.as_str())?.len(),
            Some(Part::Literal(next)) => rest.find(next.as_str())?,
            Some(_) => return None,
            None => rest.len(),
        };
        let (value, after) = rest.split_at(end);
        if !may_cross && (value.is_empty() || value.contains('/')) {
            return None;
        }
        captures.push((name.as_str(), value));
        rest = after;
    }
    rest.is_empty().then_some(captures)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules() {
        let cases = [
            ("packages/a/src/x.md", "a/x.md", "packages/a/src/x.md", Some("a/x.md")),
            ("packages/:pkg/src/:page*", ":pkg/:page*", "packages/b/src/d/y.md", Some("b/d/y.md")),
            (":lang/:slug.md", "x/:lang/:slug.md", "en/a.md", Some("x/en/a.md")),
            (":lang/:slug.md", "x/:lang/:slug.md", "en/a/b.md", None),
            (":rest(.*)", "docs/:rest", "a/b.md", Some("docs/a/b.md")),
        ];
        for (from, to, path, expected) in cases {
            let mut rewrites = Rewrites::default();
            assert!(rewrites.add(from, to), "{from}");
            assert_eq!(rewrites.apply(path).as_deref(), expected, "{from} on {path}");
        }
        assert!(!Rewrites::default().add("a/(b|c)/:x", "y"));
    }
}

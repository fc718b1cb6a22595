//! `Link` header fields (RFC 8288 §3), and `X-Llms-Txt`.

/// A link that a header field carries.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct HeaderLink {
    /// The target as written between `<` and `>`.
    pub href: String,
    /// The relation types, in lower case. Without `rel` there are none.
    pub rels: Vec<String>,
    /// `type`, in lower case and without parameters.
    pub media_type: Option<String>,
    /// `hreflang`; the first of several.
    pub hreflang: Option<String>,
    /// `anchor`: the link is about this resource rather than the one that was asked for.
    pub anchor: Option<String>,
    /// `title`.
    pub title: Option<String>,
}

impl HeaderLink {
    /// Whether it has a relation type; case does not matter.
    pub fn has_rel(&self, rel: &str) -> bool {
        self.rels.iter().any(|own| own.eq_ignore_ascii_case(rel))
    }

    /// Whether it names an index of the site: `rel="llms-txt"`, `rel="sitemap"`, or
    /// `rel="describedby"` with an `llms.txt`.
    pub fn names_index(&self) -> bool {
        let is_llms_txt = || {
            let path = self.href.split(['?', '#']).next().unwrap_or_default().to_ascii_lowercase();
            path.rsplit('/').next() == Some("llms.txt")
        };
        self.has_rel("llms-txt") || self.has_rel("sitemap") || (self.has_rel("describedby") && is_llms_txt())
    }
}

/// Reads the values of all `Link` fields of a message.
///
/// Tolerant as the RFC asks (§3, appendix B.2): what is no link is skipped up to the next comma, of
/// a parameter that stands twice the first counts (`rel` and `anchor` by the RFC, the others too),
/// and a missing quote ends with the value. Linear; never fails.
pub fn read<'v>(values: impl IntoIterator<Item = &'v str>) -> Vec<HeaderLink> {
    let mut links = Vec::new();
    for value in values {
        let mut scan = Scanner { rest: value };
        while let Some(link) = scan.next_link() {
            links.push(link);
        }
    }
    links
}

/// Reads `X-Llms-Txt` values, which are a bare reference, or `<…>` as in `Link`. The relation is
/// `llms-txt`.
pub fn read_x_llms_txt<'v>(values: impl IntoIterator<Item = &'v str>) -> Vec<HeaderLink> {
    let hrefs = values.into_iter().flat_map(|value| value.split(',')).map(|value| {
        let value = value.split(';').next().unwrap_or_default().trim();
        value.trim_start_matches('<').trim_end_matches('>').trim_matches('"').trim()
    });
    let named = hrefs.filter(|href| !href.is_empty());
    named
        .map(|href| HeaderLink {
            href: href.to_owned(),
            rels: vec!["llms-txt".to_owned()],
            ..HeaderLink::default()
        })
        .collect()
}

struct Scanner<'v> {
    rest: &'v str,
}

impl<'v> Scanner<'v> {
    fn next_link(&mut self) -> Option<HeaderLink> {
        loop {
            self.rest = self.rest.trim_start_matches(|c: char| c.is_whitespace() || c == ',');
            if self.rest.is_empty() {
                return None;
            }
            match self.rest.strip_prefix('<').and_then(|rest| rest.split_once('>')) {
                Some((href, rest)) => {
                    self.rest = rest;
                    return Some(self.parameters(href.trim()));
                }
                None => self.skip_to_comma(),
            }
        }
    }

    fn parameters(&mut self, href: &str) -> HeaderLink {
        let mut link = HeaderLink { href: href.to_owned(), ..HeaderLink::default() };
        let mut has_rel = false;
        loop {
            self.rest = self.rest.trim_start();
            match self.rest.chars().next() {
                Some(';') => self.rest = &self.rest[1..],
                Some(',') | None => return link,
                // Junk between `>` and the next parameter.
                Some(_) => {
                    let end = self.rest.find([';', ',']).unwrap_or(self.rest.len());
                    self.rest = &self.rest[end..];
                    continue;
                }
            }
            let (name, value) = self.parameter();
            match name.as_str() {
                "rel" if !has_rel => {
                    has_rel = true;
                    link.rels = value.split_whitespace().map(str::to_ascii_lowercase).collect();
                }
                "type" if link.media_type.is_none() => {
                    let essence = value.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
                    link.media_type = Some(essence).filter(|essence| !essence.is_empty());
                }
                "hreflang" if link.hreflang.is_none() => link.hreflang = Some(value),
                "anchor" if link.anchor.is_none() => link.anchor = Some(value),
                "title" if link.title.is_none() => link.title = Some(value),
                _ => {}
            }
        }
    }

    fn parameter(&mut self) -> (String, String) {
        let end = self.rest.find(['=', ';', ',']).unwrap_or(self.rest.len());
        let name = self.rest[..end].trim().to_ascii_lowercase();
        self.rest = &self.rest[end..];
        let Some(after) = self.rest.strip_prefix('=') else { return (name, String::new()) };
        let after = after.trim_start();
        if let Some(quoted) = after.strip_prefix('"') {
            let (value, rest) = unquote(quoted);
            self.rest = rest;
            return (name, value);
        }
        let end = after.find([';', ',']).unwrap_or(after.len());
        self.rest = &after[end..];
        (name, after[..end].trim().trim_matches('\'').to_owned())
    }

    fn skip_to_comma(&mut self) {
        let end = self.rest.find(',').unwrap_or(self.rest.len());
        self.rest = &self.rest[end..];
    }
}

/// The value of a quoted string (RFC 9110 §5.6.4) whose first quote is gone, and what follows it.
fn unquote(text: &str) -> (String, &str) {
    let mut value = String::new();
    let mut characters = text.char_indices();
    while let Some((at, c)) = characters.next() {
        match c {
            '"' => return (value, &text[at + 1..]),
            '\\' => value.extend(characters.next().map(|(_, c)| c)),
            _ => value.push(c),
        }
    }
    (value, "")
}

//! What kind of body came: text to read, or something that is none.

use wholesite_content::{Kind, MediaType, decode, media_type, sniff};

use crate::{NotAPage, Served, Wanted, markdown, words};

/// A body with something to read.
pub(crate) struct Body {
    pub(crate) text: String,
    pub(crate) lossy: bool,
    pub(crate) is_html: bool,
    /// Whether the request, the label or the address says that it is Markdown.
    pub(crate) says_markdown: bool,
}

pub(crate) fn read(served: &Served<'_>) -> Result<Body, NotAPage> {
    let mended = without_stray_nuls(served);
    let bytes = mended.as_deref().unwrap_or(served.body);
    let kind = sniff(bytes, served.content_type);
    match kind {
        Kind::Empty => return Err(NotAPage::Empty),
        Kind::Gzip | Kind::Pdf | Kind::Binary => return Err(NotAPage::Binary { kind: kind.name() }),
        Kind::Html | Kind::Xml | Kind::Json | Kind::Text => {}
    }
    let decoded = decode(bytes, served.content_type);
    let lossy = decoded.replaced > 0 || mended.is_some();
    let text = decoded.text.into_owned();
    if words::is_blank(&text) {
        return Err(NotAPage::Empty);
    }
    if text.contains('\0') {
        return Err(NotAPage::Binary { kind: Kind::Binary.name() });
    }
    let media = served.content_type.and_then(media_type);
    let media = media.as_ref();
    let name = served.url.last_segment().to_ascii_lowercase();
    let says_markdown = served.wanted == Wanted::Markdown
        || media.is_some_and(|media| media.subtype().contains("markdown") || media.subtype() == "mdx")
        || name.ends_with(".md")
        || name.ends_with(".mdx");
    let is_html = match served.wanted {
        Wanted::Markdown => is_document(&text) || is_labelled_fragment(&text, media),
        Wanted::Any => is_document(&text) || (kind == Kind::Html && !opens_as_markdown(&text)),
    };
    if is_html && served.wanted == Wanted::Markdown {
        return Err(NotAPage::HtmlForMarkdown);
    }
    if !is_html && let Some(kind) = data(&text, kind, media, says_markdown) {
        return Err(NotAPage::Data { kind });
    }
    Ok(Body { text, lossy, is_html, says_markdown })
}

/// One NUL in so many bytes is a slip of whoever wrote the text; more are binary data.
const STRAY: usize = 100;

/// A text with a few NULs in it, each replaced as CommonMark 2.3 and WHATWG HTML 13.2.5 have it.
fn without_stray_nuls(served: &Served<'_>) -> Option<Vec<u8>> {
    let nuls = memchr::memchr_iter(0, served.body).count();
    if nuls == 0 || nuls * STRAY > served.body.len() {
        return None;
    }
    let text = std::str::from_utf8(served.body).ok()?.replace('\0', "\u{FFFD}");
    sniff(text.as_bytes(), served.content_type).is_text().then(|| text.into_bytes())
}

/// Behind blanks, comments and processing instructions, which come before the first tag.
fn after_prolog(text: &str) -> &str {
    let mut rest = text;
    loop {
        rest = rest.trim_start_matches(|c: char| c.is_whitespace() || c == '\u{feff}');
        let end = match rest {
            _ if rest.starts_with("<!--") => "-->",
            _ if rest.starts_with("<?") => "?>",
            _ => return rest,
        };
        match rest.find(end) {
            Some(at) => rest = &rest[at + end.len()..],
            None => return rest,
        }
    }
}

/// The name of the tag that a text starts with, in lower case.
fn first_tag(text: &str) -> Option<String> {
    let name = text.strip_prefix('<')?;
    let end = name
        .find(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, ':' | '-' | '_' | '.')))
        .unwrap_or(name.len());
    (end > 0).then(|| name[..end].to_ascii_lowercase())
}

fn has_prefix(text: &str, prefix: &str) -> bool {
    text.get(..prefix.len()).is_some_and(|head| head.eq_ignore_ascii_case(prefix))
}

/// Whether a text starts as a whole HTML document does. No label can make Markdown of such a text,
/// and Markdown never starts so, although it may start with a `<div>`.
fn is_document(text: &str) -> bool {
    let text = after_prolog(text);
    let is_doctype = has_prefix(text, "<!doctype")
        && text["<!doctype".len()..]
            .trim_start()
            .get(..4)
            .is_some_and(|name| name.eq_ignore_ascii_case("html"));
    is_doctype || matches!(first_tag(text).as_deref(), Some("html" | "head" | "body"))
}

/// HTML without its document tags, under the label of HTML: `<title>`, `<script>`, or any other tag
/// in a text that has scripts and not one line of Markdown.
fn is_labelled_fragment(text: &str, media: Option<&MediaType>) -> bool {
    let Some(tag) = media.filter(|media| media.is_html()).and_then(|_| first_tag(after_prolog(text))) else {
        return false;
    };
    let of_head =
        matches!(tag.as_str(), "meta" | "title" | "link" | "script" | "style" | "noscript" | "base");
    of_head || (text.contains("<script") && !markdown::has_marks(text))
}

/// Markdown under the label of HTML, which some hosts serve.
fn opens_as_markdown(text: &str) -> bool {
    let text = text.trim_start();
    text.starts_with("# ") || text.starts_with("## ") || markdown::has_front_matter(text)
}

fn data(text: &str, kind: Kind, media: Option<&MediaType>, says_markdown: bool) -> Option<&'static str> {
    let says = |question: fn(&MediaType) -> bool| media.is_some_and(question);
    if kind == Kind::Json || says(MediaType::is_json) || opens_as_object(text) {
        return Some(Kind::Json.name());
    }
    if kind == Kind::Xml || text.trim_start().starts_with("<?xml") {
        // A page of Markdown may start with a picture (`<svg xmlns=…>`).
        let is_drawing = says_markdown
            && !says(MediaType::is_xml)
            && matches!(first_tag(text.trim_start()).as_deref(), Some(tag) if !is_root_of_data(tag));
        return (!is_drawing).then(|| Kind::Xml.name());
    }
    if text.trim_start().starts_with("<Error>") && text.contains("<Code>") {
        return Some(Kind::Xml.name());
    }
    match media?.essence.as_str() {
        "text/css" => Some("a style sheet"),
        "text/javascript" | "application/javascript" | "application/x-javascript" | "text/ecmascript" => {
            Some("a script")
        }
        "text/x-component" => Some("the state of an application"),
        "text/event-stream" => Some("a stream of events"),
        "text/csv" => Some("a table of values"),
        "application/yaml" | "application/x-yaml" | "text/yaml" | "text/x-yaml" => Some("a YAML document"),
        _ => None,
    }
}

fn is_root_of_data(tag: &str) -> bool {
    matches!(tag, "urlset" | "sitemapindex" | "rss" | "feed" | "rdf:rdf" | "error" | "soap:envelope")
}

/// `{"name":`, even where the rest was cut off. An MDX expression has no such start.
fn opens_as_object(text: &str) -> bool {
    let after_quote =
        text.trim_start().strip_prefix('{').and_then(|rest| rest.trim_start().strip_prefix('"'));
    after_quote
        .and_then(|rest| rest.split_once('"'))
        .is_some_and(|(key, rest)| !key.contains('\n') && rest.trim_start().starts_with(':'))
}

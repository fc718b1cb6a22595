//! The cases of `tests/cases/*.txt`: what was served, and what became of it.
//!
//! A case starts with `=== name`. Lines of `key: value` follow: `url`, `wanted` (markdown, any),
//! `type` (the label), `escapes` (the body knows `\xNN`, `\r`, `\0`), and what is expected: `title`,
//! `description`, `form`, `lossy`, or `refused` with a code. Then `>>>` and the body, and `<<<` and
//! the text, which is left out where the text is the body unchanged.

use std::collections::BTreeMap;
use std::path::Path;

use wholesite_address::SiteUrl;
use wholesite_clean::{Cleaned, Form, NotAPage, Served, Wanted, clean};

#[derive(Default)]
struct Case {
    name: String,
    fields: BTreeMap<String, String>,
    body: String,
    text: Option<String>,
}

fn cases() -> Vec<(String, Case)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases");
    let mut files: Vec<_> = std::fs::read_dir(folder)
        .expect("the folder of cases")
        .map(|entry| entry.expect("an entry").path())
        .collect();
    files.sort();
    let mut all = Vec::new();
    for file in files {
        let text = std::fs::read_to_string(&file).expect("a file of cases");
        let name = file.file_stem().expect("a name").to_string_lossy().into_owned();
        all.extend(parse(&text).into_iter().map(|case| (name.clone(), case)));
    }
    all
}

fn parse(text: &str) -> Vec<Case> {
    enum Part {
        Fields,
        Body,
        Text,
    }
    let mut cases: Vec<Case> = Vec::new();
    let mut part = Part::Fields;
    for line in text.split_inclusive('\n') {
        if let Some(name) = line.strip_prefix("=== ") {
            cases.push(Case { name: name.trim().to_owned(), ..Case::default() });
            part = Part::Fields;
            continue;
        }
        let Some(case) = cases.last_mut() else { continue };
        match line.trim_end() {
            ">>>" => part = Part::Body,
            "<<<" => {
                part = Part::Text;
                case.text = Some(String::new());
            }
            bare => match part {
                Part::Fields => {
                    if let Some((key, value)) = bare.split_once(':') {
                        case.fields.insert(key.to_owned(), value.trim().to_owned());
                    }
                }
                Part::Body => case.body.push_str(line),
                Part::Text => case.text.as_mut().expect("a text").push_str(line),
            },
        }
    }
    cases
}

/// The bytes of a body: what stands there without the blank line before the next mark.
fn bytes(case: &Case) -> Vec<u8> {
    let body = case.body.strip_suffix("\n\n").map_or(case.body.clone(), |body| format!("{body}\n"));
    if !case.fields.contains_key("escapes") {
        return body.into_bytes();
    }
    let body = body.trim_end_matches('\n').as_bytes();
    let (mut out, mut at) = (Vec::new(), 0);
    while at < body.len() {
        match (body[at], body.get(at + 1)) {
            (b'\\', Some(b'x')) => {
                let digits = std::str::from_utf8(&body[at + 2..at + 4]).expect("two digits");
                out.push(u8::from_str_radix(digits, 16).expect("two digits"));
                at += 4;
                continue;
            }
            (b'\\', Some(b'r')) => out.push(b'\r'),
            (b'\\', Some(b'n')) => out.push(b'\n'),
            (b'\\', Some(b'0')) => out.push(0),
            (byte, _) => {
                out.push(byte);
                at += 1;
                continue;
            }
        }
        at += 2;
    }
    out
}

fn run(case: &Case) -> (Vec<u8>, Result<Cleaned, NotAPage>) {
    let field = |key: &str| case.fields.get(key).map(String::as_str);
    let wanted = match field("wanted") {
        None | Some("markdown") => Wanted::Markdown,
        Some("any") => Wanted::Any,
        Some(other) => panic!("{}: wanted {other}?", case.name),
    };
    let default = if wanted == Wanted::Markdown {
        "https://docs.example.com/guide.md"
    } else {
        "https://docs.example.com/guide"
    };
    let url = SiteUrl::parse(field("url").unwrap_or(default)).expect("an address");
    let body = bytes(case);
    let cleaned = clean(&Served { url: &url, wanted, content_type: field("type"), body: &body });
    (body, cleaned)
}

#[test]
fn every_case_comes_out_as_written() {
    let cases = cases();
    assert!(cases.len() >= 60, "only {} cases", cases.len());
    let mut wrong = Vec::new();
    for (file, case) in &cases {
        let (body, got) = run(case);
        let mut complain = |what: String| wrong.push(format!("{file}: {}\n{what}", case.name));
        let field = |key: &str| case.fields.get(key).map(String::as_str);
        match (got, field("refused")) {
            (Ok(page), None) => {
                let form = match page.form {
                    Form::Markdown => "markdown",
                    Form::Html => "html",
                    Form::Text => "text",
                };
                let text = case
                    .text
                    .as_ref()
                    .map(|text| format!("{}\n", text.trim_end_matches('\n').trim_start_matches('\u{feff}')));
                let want = text.unwrap_or_else(|| String::from_utf8_lossy(&body).into_owned());
                if page.text != want {
                    complain(format!("--- wanted\n{want}--- got\n{}---", page.text));
                }
                let expectations = [
                    ("title", page.title.as_deref()),
                    ("description", page.description.as_deref()),
                    ("form", Some(form)),
                    ("lossy", Some(if page.lossy { "yes" } else { "no" })),
                ];
                for (key, got) in expectations {
                    let want = field(key).map(|want| if want == "none" { None } else { Some(want) });
                    if want.is_some_and(|want| want != got) {
                        complain(format!("{key}: wanted {want:?}, got {got:?}"));
                    }
                }
            }
            (Err(error), Some(code)) if error.code() == code => {}
            (got, want) => complain(format!("wanted {want:?}, got {got:?}")),
        }
    }
    assert!(wrong.is_empty(), "{} of {} cases:\n\n{}", wrong.len(), cases.len(), wrong.join("\n\n"));
}

#[test]
fn cleaning_what_was_cleaned_changes_nothing() {
    for (file, case) in cases() {
        let (_, Ok(page)) = run(&case) else { continue };
        let url = SiteUrl::parse("https://docs.example.com/guide.md").expect("an address");
        let again =
            Served { url: &url, wanted: Wanted::Markdown, content_type: None, body: page.text.as_bytes() };
        match clean(&again) {
            Ok(again) => assert_eq!(again.text, page.text, "{file}: {}", case.name),
            // A page may be about a matter by its address, which is another one here.
            Err(error) => assert!(
                case.fields.contains_key("url") || page.form != Form::Markdown,
                "{}: {error}",
                case.name
            ),
        }
    }
}

#[test]
fn codes_are_snake_case_and_differ() {
    let all = [
        NotAPage::Empty,
        NotAPage::HtmlForMarkdown,
        NotAPage::Binary { kind: "" },
        NotAPage::Data { kind: "" },
        NotAPage::Login,
        NotAPage::Challenge,
        NotAPage::RateLimited,
        NotAPage::Maintenance,
        NotAPage::AppShell,
        NotAPage::NotFound,
        NotAPage::ErrorPage,
        NotAPage::Redirect,
        NotAPage::TooDeep { limit: 1 },
    ];
    let codes: std::collections::BTreeSet<&str> = all.iter().map(NotAPage::code).collect();
    assert_eq!(codes.len(), all.len());
    assert!(codes.iter().all(|code| code.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_')));
}

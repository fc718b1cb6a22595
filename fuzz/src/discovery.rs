//! The whole machine: any answers, in any order.

use std::collections::BTreeSet;

use arbitrary::{Arbitrary, Unstructured};
use wholesite_discovery::{Answer, Ask, Discovery, Failure, Inventory, Options, Response};

/// More steps than any machine with these limits takes.
const STEPS: usize = 5_000;

#[derive(Debug, Arbitrary)]
struct World {
    answers: Vec<AnswerCase>,
    picks: Vec<u8>,
    strict: bool,
}

#[derive(Debug, Arbitrary)]
struct AnswerCase {
    status: StatusCase,
    header: HeaderCase,
    body: Vec<Piece>,
    framed: bool,
}

#[derive(Debug, Clone, Copy, Arbitrary)]
enum StatusCase {
    Ok,
    Gone,
    Moved,
    MovedForNow,
    Unreachable,
    Any(u16),
}

#[derive(Debug, Arbitrary)]
enum HeaderCase {
    None,
    Location(Path),
    LocationAsWritten(String),
    LlmsTxt,
    Html,
    Any(String),
}

/// A path of the small world, in one of several spellings.
#[derive(Debug, Clone, Copy, Arbitrary)]
struct Path(u8);

#[derive(Debug, Arbitrary)]
enum Piece {
    Item(Path),
    Counted(Path, u8),
    Anchor(Path),
    Loc(Path),
    Nested(Path),
    Sitemaps(Path),
    Robots(Path),
    Canonical(Path),
    Alternate(Path),
    Refresh(Path),
    Doctype,
    UrlSet,
    Text(String),
}

/// Any answers: an end, a ledger that balances, each page once, and the same result in any order.
pub fn discovery(data: &[u8]) {
    let Ok(mut world) = World::arbitrary(&mut Unstructured::new(data)) else { return };
    world.answers.truncate(12);
    world.answers.iter_mut().for_each(|answer| answer.body.truncate(12));
    if world.answers.is_empty() {
        return;
    }
    let inventory = discover(&world, &[0]);
    let counts = inventory.ledger().counts();
    assert_eq!(counts.values().sum::<usize>(), inventory.ledger().entries().len(), "one disposition each");
    let pages: BTreeSet<_> = inventory.pages().iter().map(|page| page.url.clone()).collect();
    assert_eq!(pages.len(), inventory.pages().len(), "a page is listed once");
    assert_eq!(inventory, discover(&world, &world.picks), "the order of answers makes a difference");
}

fn discover(world: &World, picks: &[u8]) -> Inventory {
    let seed = "https://docs.example.com/a".parse().expect("a URL");
    let mut options = Options { strict: world.strict, ..Options::default() };
    options.limits.pages = 60;
    options.limits.indexes = 40;
    let mut discovery = Discovery::of_site(seed, options);
    let (mut outstanding, mut asked) = (Vec::new(), BTreeSet::new());
    for step in 0..STEPS {
        while let Some(request) = discovery.next_request() {
            outstanding.push(request);
        }
        if outstanding.is_empty() {
            assert!(discovery.is_done());
            return discovery.finish();
        }
        let pick = picks.get(step % picks.len().max(1)).copied().unwrap_or_default();
        let request = outstanding.swap_remove(usize::from(pick) % outstanding.len());
        let Ask::Get { url, accept, .. } = &request.ask else { panic!("a site asks for addresses only") };
        asked.insert((url.clone(), *accept));
        // The answer depends on the address alone, whatever the order.
        let hash =
            url.as_str().bytes().fold(7_usize, |hash, byte| hash.wrapping_mul(31).wrapping_add(byte.into()));
        discovery.answer(request.id, world.answers[hash % world.answers.len()].answer());
    }
    panic!("no end after {STEPS} answers, {} of them to different questions", asked.len());
}

impl AnswerCase {
    fn answer(&self) -> Answer {
        let status = match self.status {
            StatusCase::Ok => 200,
            StatusCase::Gone => 404,
            StatusCase::Moved => 308,
            StatusCase::MovedForNow => 302,
            StatusCase::Unreachable => {
                return Answer::Failed(Failure::Unreachable { message: "no answer".to_owned() });
            }
            StatusCase::Any(status) => status,
        };
        let header = |name: &str, value: String| vec![(name.to_owned(), value)];
        let headers = match &self.header {
            HeaderCase::None => Vec::new(),
            HeaderCase::Location(path) => header("location", path.written()),
            HeaderCase::LocationAsWritten(text) => header("location", text.clone()),
            HeaderCase::LlmsTxt => header("X-Llms-Txt", "/llms.txt".to_owned()),
            HeaderCase::Html => header("content-type", "text/html".to_owned()),
            HeaderCase::Any(text) => header("link", text.clone()),
        };
        let body: String = self.body.iter().map(Piece::written).collect();
        Answer::Response(Response { status, headers, body: body.into_bytes(), framed: self.framed })
    }
}

impl Path {
    fn written(self) -> String {
        let names = ["", "a", "b", "a/b", "a/b/c", "llms.txt", "a/llms.txt", "sitemap.xml", "s.xml", "c"];
        let name = names[usize::from(self.0) % names.len()];
        match self.0 / names.len() as u8 % 8 {
            0 | 1 => format!("/{name}"),
            2 => format!("/{name}/"),
            3 => format!("/{name}.md"),
            4 => format!("https://docs.example.com/{name}"),
            5 => format!("https://other.example/{name}"),
            6 => format!("../{name}#x"),
            _ => format!("//docs.example.com/{name}?q"),
        }
    }
}

impl Piece {
    fn written(&self) -> String {
        match self {
            Piece::Item(to) => format!("- [Page]({})\n", to.written()),
            Piece::Counted(to, pages) => format!("- [Part ({pages} pages)]({})\n", to.written()),
            Piece::Anchor(to) => format!("<a href=\"{}\">x</a>\n", to.written()),
            Piece::Loc(to) => format!("<url><loc>{}</loc></url>", to.written()),
            Piece::Nested(to) => {
                format!("<sitemapindex><sitemap><loc>{}</loc></sitemap></sitemapindex>", to.written())
            }
            Piece::Sitemaps(to) => format!("Sitemap: {}\n", to.written()),
            Piece::Robots(to) => format!("User-agent: *\nDisallow: {}\n", to.written()),
            Piece::Canonical(to) => format!("<link rel=\"canonical\" href=\"{}\">", to.written()),
            Piece::Alternate(to) => {
                format!("<link rel=\"alternate\" type=\"text/markdown\" href=\"{}\">", to.written())
            }
            Piece::Refresh(to) => format!("<meta http-equiv=refresh content=\"0;url={}\">", to.written()),
            Piece::Doctype => "<!doctype html><html>".to_owned(),
            Piece::UrlSet => "<urlset>".to_owned(),
            Piece::Text(text) => text.clone(),
        }
    }
}

//! What goes wrong on the way to a site.

use std::time::Duration;

use wholesite_fetch::{Answer, Causes, Failure};

use crate::{Asked, Random, World, answer};

/// Which pages a fault hits: so many of a thousand, always the same ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Share {
    /// Of a thousand.
    pub per_mille: u64,
    /// Which.
    pub salt: u64,
}

/// When in a run a fault is at work.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Window {
    /// All the time.
    Whole,
    /// In the first so many seconds.
    First(u64),
    /// After so many seconds.
    After(u64),
    /// From a second to another one: such as over the first look, but not over the second.
    Between(u64, u64),
}

/// A fault.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// The listing lacks entries.
    IndexCut(Share),
    /// The listing ends in the middle of a line.
    IndexTorn,
    /// The listing is empty.
    IndexEmpty,
    /// The listing is that of the site as it was at the beginning.
    IndexOld,
    /// An HTML page in place of the listing.
    IndexHtml,
    /// A status in place of the listing.
    IndexStatus(u16),
    /// The listing leads elsewhere.
    IndexRedirect(u16),
    /// The entries are written in another way.
    IndexSyntax(u8),
    /// The sub-index is not there.
    NestedGone,
    /// The sub-index lacks entries.
    NestedCut(Share),
    /// What pages get in place of themselves.
    Pages(Share, Fate),
}

/// What a page gets in place of itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fate {
    /// A status.
    Status(u16),
    /// A status that says to come back later.
    RetryLater(u16),
    /// A redirect to a place of the site that is no page.
    Redirect(u16, &'static str),
    /// A page with status 200 that says something else.
    Other(&'static str),
    /// Nothing.
    Empty,
    /// No answer.
    Reset,
    /// No answer in time.
    Timeout,
    /// Half an answer.
    Truncated,
    /// A 404 out of a cache, so many seconds old.
    OldNotFound(u64),
}

const PLACES: [&str; 5] =
    ["/", "/maintenance", "/login?next=1", "https://login.example/", "https://docs.example:443/"];
pub(super) const PLAUSIBLE: &str = "# Something went wrong\n\nThis page could not be shown. It is not your fault. Try again in some minutes, please.\n";
const BODIES: [&str; 5] = [
    "<!doctype html><title>Just a moment...</title><script src='/cdn-cgi/challenge-platform/x.js'></script><p>Checking.",
    "<!doctype html><title>Maintenance</title><h1>Down for maintenance</h1><p>Back soon.",
    "<!doctype html><title>Sign in</title><form><input name=u><input type=password></form>",
    PLAUSIBLE,
    "{\"error\": \"upstream\", \"code\": 17}",
];
const STATUSES: [u16; 9] = [400, 401, 403, 404, 429, 451, 500, 503, 520];

impl Window {
    pub(super) fn any(random: &mut Random) -> Self {
        match random.below(5) {
            0 | 1 => Window::Whole,
            2 => Window::First(random.below(40)),
            3 => {
                let from = 1 + random.below(6);
                Window::Between(from, from + random.below(30))
            }
            _ => Window::After(random.below(40)),
        }
    }

    /// Whether it is open for as long as pages are fetched, which takes a few seconds.
    pub(super) fn covers_publishing(self) -> bool {
        match self {
            Window::Whole => true,
            Window::First(seconds) => seconds > 8,
            Window::After(_) | Window::Between(..) => false,
        }
    }

    pub(super) fn is_open(self, since: Duration) -> bool {
        match self {
            Window::Whole => true,
            Window::First(seconds) => since.as_secs() < seconds,
            Window::After(seconds) => since.as_secs() >= seconds,
            Window::Between(from, to) => (from..to).contains(&since.as_secs()),
        }
    }
}

impl Share {
    fn any(random: &mut Random) -> Self {
        let per_mille = [60, 200, 500, 1000][random.below(4) as usize];
        Share { per_mille, salt: random.any() }
    }

    fn hits(self, path: &str) -> bool {
        let page = path.trim_end_matches(".md");
        let hash = page.bytes().fold(self.salt, |h, b| h.wrapping_mul(0x0100_0000_01b3) ^ u64::from(b));
        Random::new(hash).below(1000) < self.per_mille
    }
}

/// The name of every kind of fault on the way.
pub(super) const KINDS: [&str; 19] = [
    "index cut",
    "index torn",
    "index empty",
    "index old",
    "index html",
    "index status",
    "index redirect",
    "index syntax",
    "nested gone",
    "nested cut",
    "page status",
    "page retry later",
    "page redirect",
    "page other",
    "page empty",
    "page reset",
    "page timeout",
    "page truncated",
    "page old 404",
];

impl Fault {
    /// Its name among [`KINDS`].
    pub(super) fn kind(&self) -> &'static str {
        match self {
            Fault::IndexCut(_) => "index cut",
            Fault::IndexTorn => "index torn",
            Fault::IndexEmpty => "index empty",
            Fault::IndexOld => "index old",
            Fault::IndexHtml => "index html",
            Fault::IndexStatus(_) => "index status",
            Fault::IndexRedirect(_) => "index redirect",
            Fault::IndexSyntax(_) => "index syntax",
            Fault::NestedGone => "nested gone",
            Fault::NestedCut(_) => "nested cut",
            Fault::Pages(_, fate) => match fate {
                Fate::Status(_) => "page status",
                Fate::RetryLater(_) => "page retry later",
                Fate::Redirect(..) => "page redirect",
                Fate::Other(_) => "page other",
                Fate::Empty => "page empty",
                Fate::Reset => "page reset",
                Fate::Timeout => "page timeout",
                Fate::Truncated => "page truncated",
                Fate::OldNotFound(_) => "page old 404",
            },
        }
    }

    pub(super) fn any(random: &mut Random) -> Self {
        match random.below(20) {
            0 => Fault::IndexCut(Share::any(random)),
            1 => Fault::IndexTorn,
            2 => Fault::IndexEmpty,
            3 => Fault::IndexOld,
            4 => Fault::IndexHtml,
            5 => Fault::IndexStatus(STATUSES[random.below(9) as usize]),
            6 => Fault::IndexRedirect([301, 302, 307, 308][random.below(4) as usize]),
            7 | 8 => Fault::IndexSyntax(random.below(3) as u8),
            9 => Fault::NestedGone,
            10 => Fault::NestedCut(Share::any(random)),
            _ => {
                let fate = match random.below(14) {
                    0..=2 => Fate::Status(STATUSES[random.below(9) as usize]),
                    3 => Fate::RetryLater([429, 503][random.below(2) as usize]),
                    4..=6 => {
                        let status = [301, 302, 303, 307, 308][random.below(5) as usize];
                        Fate::Redirect(status, PLACES[random.below(5) as usize])
                    }
                    7..=9 => Fate::Other(BODIES[random.below(5) as usize]),
                    10 => Fate::Empty,
                    11 => Fate::Reset,
                    12 => [Fate::Timeout, Fate::Truncated][random.below(2) as usize],
                    _ => Fate::OldNotFound(random.below(200_000)),
                };
                Fault::Pages(Share::any(random), fate)
            }
        }
    }

    /// Whether it tells about a page that it is not there, and about others of the site that they are.
    /// Nobody can tell that from a removal.
    pub(super) fn denies(&self, path: &str) -> bool {
        match self {
            Fault::Pages(share, Fate::Status(404 | 410) | Fate::OldNotFound(_) | Fate::Redirect(..)) => {
                share.per_mille < 1000 && share.hits(path)
            }
            _ => false,
        }
    }

    /// An error with status 200 in Markdown is told from a page by more than one page saying the same;
    /// so it comes to several, or to none.
    pub(super) fn is_plausible_page(&self) -> bool {
        matches!(self, Fault::Pages(_, Fate::Other(body)) if *body == PLAUSIBLE)
    }

    pub(super) fn answer(&self, asked: Asked<'_>, first: &World) -> Option<Result<Answer, Failure>> {
        let path = asked.request.url.path();
        let is_index = path == "/llms.txt";
        let is_nested = path == "/n/llms.txt";
        let text = |body: String| answer(asked, 200, &[("content-type", "text/plain; charset=utf-8")], body);
        let without = |index: String, share: &Share| {
            let keep = |line: &&str| {
                !line.starts_with("- ") || line.contains("llms.txt") || !share.hits(link_of(line))
            };
            index.lines().filter(keep).collect::<Vec<_>>().join("\n")
        };
        match self {
            Fault::IndexCut(share) if is_index => text(without(asked.world.index(""), share)),
            Fault::IndexTorn if is_index => {
                let index = asked.world.index("");
                text(index[..index.len() * 2 / 3].to_owned())
            }
            Fault::IndexEmpty if is_index => text(String::new()),
            Fault::IndexOld if is_index => text(first.index("")),
            Fault::IndexHtml if is_index => answer(asked, 200, &[("content-type", "text/html")], BODIES[1]),
            Fault::IndexStatus(status) if is_index => answer(asked, *status, &[], "no"),
            Fault::IndexRedirect(status) if is_index => {
                answer(asked, *status, &[("location", "/elsewhere/llms.txt")], "")
            }
            Fault::IndexSyntax(kind) if is_index => {
                let change = |line: &str| match (line.strip_prefix("- "), kind) {
                    (Some(entry), 0) => format!("* {entry}"),
                    (Some(entry), 1) => format!("- **{entry}**"),
                    (Some(entry), _) => format!("| {entry} |"),
                    (None, _) => line.to_owned(),
                };
                text(asked.world.index("").lines().map(change).collect::<Vec<_>>().join("\n"))
            }
            Fault::NestedGone if is_nested => answer(asked, 404, &[], "no"),
            Fault::NestedCut(share) if is_nested => text(without(asked.world.index("n"), share)),
            Fault::Pages(share, _)
                if self.is_plausible_page()
                    && asked.world.listed().filter(|page| share.hits(page)).count() < 2 =>
            {
                None
            }
            Fault::Pages(share, fate) if is_page(path) && share.hits(path) => fate.answer(asked),
            _ => None,
        }
    }
}

fn is_page(path: &str) -> bool {
    !path.ends_with(".txt") && !path.ends_with(".xml") && path != "/"
}

/// The path of the link of an entry.
fn link_of(line: &str) -> &str {
    let target = line.split_once("](").map_or("", |(_, rest)| rest.split(')').next().unwrap_or(""));
    target.trim_start_matches("https://docs.example")
}

impl Fate {
    fn answer(&self, asked: Asked<'_>) -> Option<Result<Answer, Failure>> {
        let lost = || Causes::of(&std::io::Error::from(std::io::ErrorKind::ConnectionReset));
        match *self {
            Fate::Status(status) => answer(asked, status, &[("content-type", "text/html")], "<p>no"),
            Fate::RetryLater(status) => answer(asked, status, &[("retry-after", "2")], "later"),
            Fate::Redirect(status, to) => answer(asked, status, &[("location", to)], ""),
            Fate::Other(body) => {
                let kind = if body.starts_with('<') { "text/html" } else { "text/markdown" };
                answer(asked, 200, &[("content-type", kind)], body)
            }
            Fate::Empty => answer(asked, 200, &[("content-type", "text/markdown")], "\n"),
            Fate::Reset => Some(Err(Failure::Reset { causes: lost() })),
            Fate::Timeout => Some(Err(Failure::AttemptTimeout { after: Duration::from_secs(10) })),
            Fate::Truncated => Some(Err(Failure::Truncated { got: 10, promised: Some(20), causes: lost() })),
            Fate::OldNotFound(age) => answer(asked, 404, &[("age", &age.to_string())], "no"),
        }
    }
}

//! The same few bytes, one and four megabytes of them, through every reader. Unoptimised code gets an
//! eighth of that: `cargo test --profile sim -p wholesite-tests --test hostile` is the whole measure.

use std::hint::black_box;
use std::time::{Duration, Instant};

use wholesite::address::{Base, SiteUrl};
use wholesite_clean::{Served, Wanted, clean};
use wholesite_extract::robots::Robots;
use wholesite_extract::{html, link_header, llms_txt, markdown, mdx, robots, sitemap};

use crate::peak;

/// Bytes of the shorter text; the longer one has four times as many.
const SHORT: usize = if cfg!(debug_assertions) { 1 << 17 } else { 1 << 20 };
const LONG: usize = 4 * SHORT;
/// Four in theory. Quadratic would be sixteen.
const MOST_GROWTH: f64 = 8.0;
/// Below this, growth is noise.
const FLOOR: Duration = Duration::from_millis(50);
/// Generous, since this runs unoptimised and beside other work.
const MOST: Duration = Duration::from_secs(60);

const PIECES: &[&str] = &[
    "<div>",
    ">",
    "[",
    "{",
    "<b><p>",
    "`",
    "](",
    "<",
    "&",
    "- ",
    "> - ",
    "<!--",
    "\n",
    "|",
    "*a ",
    "\u{1b}[2J",
    "\0",
    "<table><tr><td>",
];

/// A reader: its name, what it does with a text, and the most bytes it may hold for one of the text.
/// The Markdown parser keeps a node of 72 bytes for each bracket or mark, and doubles its list when it
/// is full; the MDX scanner keeps an oddity for each lone brace. Readers that keep nothing hold nothing.
type Reader = (&'static str, fn(&str), f64);

const READERS: &[Reader] = &[
    ("markdown", |text| _ = black_box(markdown::read(text)), 192.0),
    ("mdx", |text| _ = black_box(mdx::read(text)), 256.0),
    ("llms.txt", |text| _ = black_box(llms_txt::read(text)), 192.0),
    ("html", |text| _ = black_box(html::read(text)), 8.0),
    (
        "sitemap",
        |text| _ = sitemap::read(text.as_bytes(), None, &sitemap::Limits::default(), &mut |_| ()),
        2.0,
    ),
    ("robots", |text| _ = black_box((robots::read(text), Robots::parse(text))), 32.0),
    ("docs.json", |text| _ = black_box(wholesite_mintlify::read_nav(text)), 64.0),
    ("clean, HTML", |text| cleaned(text, "text/html"), 400.0),
    ("clean, Markdown", |text| cleaned(text, "text/markdown"), 64.0),
    ("link header", |text| _ = black_box(link_header::read([text])), 64.0),
    ("address", address, 16.0),
    ("charset", |text| _ = wholesite_content::decode(text.as_bytes(), Some(text)), 16.0),
];

pub(crate) fn faults() -> Vec<String> {
    let mut faults = Vec::new();
    for piece in PIECES {
        let long = piece.repeat(LONG / piece.len());
        for (name, read, most_held) in READERS {
            let short = &long[..SHORT - SHORT % piece.len()];
            let growth = is_linear(*read, short, &long);
            let started = Instant::now();
            let ((), held) = peak(|| read(&long));
            let held = held as f64 / long.len() as f64;
            println!("{name}, {piece:?}: {:?}, holds {held:.1} bytes for one", started.elapsed());
            faults.extend(growth.err().map(|how| format!("{name}, {piece:?}: {how}")));
            if held > *most_held {
                faults.push(format!("{name}, {piece:?}: holds {held:.1} bytes for one"));
            }
        }
    }
    faults
}

/// Other work on the machine may spoil one comparison, and hardly three in a row.
fn is_linear(read: fn(&str), short: &str, long: &str) -> Result<(), String> {
    let time = |text: &str| {
        let started = Instant::now();
        read(text);
        started.elapsed()
    };
    let mut outcome = Ok(());
    for _ in 0..3 {
        let (few, many) = (time(short), time(long));
        let growth = many.as_secs_f64() / few.max(FLOOR / 4).as_secs_f64();
        if many <= FLOOR || (growth <= MOST_GROWTH && many <= MOST) {
            return Ok(());
        }
        outcome = Err(format!("{SHORT} bytes take {few:?}, {LONG} take {many:?}"));
    }
    outcome
}

fn cleaned(text: &str, content_type: &str) {
    let url: SiteUrl = "https://docs.example.com/page".parse().expect("a URL");
    let served =
        Served { url: &url, wanted: Wanted::Any, content_type: Some(content_type), body: text.as_bytes() };
    let _ = black_box(clean(&served));
}

fn address(text: &str) {
    let base: SiteUrl = "https://docs.example.com/page".parse().expect("a URL");
    let _ = black_box((SiteUrl::parse(text), Base::of(&base).resolve(text)));
    let _ = black_box(wholesite_fetch::retry_after::parse(text, 0));
}

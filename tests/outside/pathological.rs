//! The patterns that cmark's authors hold against quadratic readers, made here, 50,000 repeats each:
//! four times the text may take about four times as long, and no more than a few seconds.

use std::time::{Duration, Instant};

use wholesite_extract::{Reading, llms_txt, markdown, mdx};

const REPEATS: usize = 50_000;
const PARTS: usize = 4;
/// Four in theory; the rest is noise of a busy machine. Quadratic would be sixteen.
const MOST_GROWTH: f64 = 9.0;
/// Below this nothing can be told from noise.
const FLOOR: Duration = Duration::from_millis(30);
const MOST: Duration = Duration::from_secs(10);

/// What a pattern is called, and its text for a number of repeats.
type Pattern = (&'static str, fn(usize) -> String);

const PATTERNS: &[Pattern] = &[
    ("nested strong emphasis", |n| format!("{}b{}", "*a **a ".repeat(n), " a** a*".repeat(n))),
    ("closers without openers", |n| "a_ ".repeat(n)),
    ("openers without closers", |n| "_a ".repeat(n)),
    ("link closers without openers", |n| "a]".repeat(n)),
    ("link openers without closers", |n| "[a".repeat(n)),
    ("mismatched openers and closers", |n| "*a_ ".repeat(n)),
    ("emphasis with no divisor", |n| format!("a**b{}", "c* ".repeat(n))),
    ("nested brackets", |n| format!("{}a{}", "[".repeat(n), "]".repeat(n))),
    ("nested block quotes", |n| format!("{}a", "> ".repeat(n))),
    ("deeply nested lists", |n| (0..n.isqrt()).map(|depth| format!("{}* a\n", "  ".repeat(depth))).collect()),
    ("characters of code point zero", |n| "\0".repeat(n * 4)),
    ("backticks of growing length", |n| {
        (1..n.isqrt() * 2).map(|length| format!("e{}", "`".repeat(length))).collect()
    }),
    ("unclosed inline links", |n| "[a](<b".repeat(n)),
    ("unclosed inline links without brackets", |n| "[a](b".repeat(n)),
    ("unclosed comments", |n| format!("</{}", "<!--".repeat(n))),
    ("empty lines in list items", |n| format!("- a\n{}", "\n".repeat(n))),
    ("tables", |n| "aaa\n-\n".repeat(n)),
    ("table with many short rows", |n| format!("| a | b |\n| - | - |\n{}", "| x\n".repeat(n))),
    ("references that are not defined", |n| "[x][y] ".repeat(n)),
    ("definitions of one name", |n| format!("{}[a]", "[a]: u\n".repeat(n))),
    ("unclosed declarations", |n| "<!A ".repeat(n)),
    ("unclosed instructions", |n| "<? ".repeat(n)),
    ("unclosed CDATA", |n| "<![CDATA[".repeat(n)),
    ("images in images", |n| format!("{}a{}", "![".repeat(n), "](u)".repeat(n))),
    ("addresses without an end", |n| "http://a.b/(".repeat(n)),
    ("mail addresses without an end", |n| "a@b.".repeat(n)),
    ("entities without an end", |n| "&a".repeat(n)),
    ("escaped brackets", |n| "\\[\\](".repeat(n)),
    ("titles without an end", |n| "[a](b \"".repeat(n)),
    ("footnotes", |n| (0..n).map(|at| format!("[^{at}]: x\n")).collect()),
];

/// A reader of texts in the family of Markdown.
type Reader = (&'static str, fn(&str) -> Reading<'_>);

const READERS: &[Reader] = &[("markdown", markdown::read), ("mdx", mdx::read), ("llms.txt", llms_txt::read)];

#[test]
fn time_grows_with_the_text_and_no_faster() {
    let mut faults = Vec::new();
    for (name, pattern) in PATTERNS {
        let (short, long) = (pattern(REPEATS / PARTS), pattern(REPEATS));
        for (reader, read) in READERS {
            if let Err(how) = is_linear(*read, &short, &long) {
                faults.push(format!("{reader}: {name}: {how}"));
            }
        }
    }
    assert!(faults.is_empty(), "{} patterns take too long:\n{}", faults.len(), faults.join("\n"));
}

/// Other work on the machine may spoil one comparison, and hardly five in a row.
fn is_linear(read: fn(&str) -> Reading<'_>, short: &str, long: &str) -> Result<(), String> {
    let mut outcome = Ok(());
    for _ in 0..5 {
        let (few, many) = (least_of(3, read, short), least_of(3, read, long));
        // A pattern may be longer than four times, where its repeats grow.
        let parts = long.len() as f64 / short.len() as f64;
        let growth = many.as_secs_f64() / few.max(FLOOR / 4).as_secs_f64();
        if many <= FLOOR || (growth <= MOST_GROWTH * parts / PARTS as f64 && many <= MOST) {
            return Ok(());
        }
        outcome = Err(format!("{few:?}, then {many:?}"));
    }
    outcome
}

fn least_of(times: usize, read: fn(&str) -> Reading<'_>, text: &str) -> Duration {
    let once = |_| {
        let started = Instant::now();
        std::hint::black_box(read(text));
        started.elapsed()
    };
    (0..times).map(once).min().unwrap_or_default()
}

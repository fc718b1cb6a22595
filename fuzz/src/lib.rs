//! Oracles: what must hold for any bytes at all. Each takes the bytes of one fuzz target and panics
//! where a law is broken. The fuzz targets call them, and the tests of the main workspace call them
//! with every stored case.
//!
//! "No panic" is the least of it. Beyond that: places lie in the text and in order, every link gets
//! exactly one disposition, what comes out is in proportion to what went in, a normal form is its own
//! normal form, and the order of answers makes no difference.

mod bytes;
mod decision;
mod discovery;
mod readers;

pub use bytes::{address, charset, clean, inflate, link_header, retry_after};
pub use decision::decision;
pub use discovery::discovery;
pub use readers::{front_matter, html, llms_index, markdown, mdx, navigation, robots, sitemap};

/// What one fuzz target runs.
pub type Oracle = fn(&[u8]);

/// All targets by name; the names are those of `fuzz_targets/` and `cases/`.
pub const TARGETS: &[(&str, Oracle)] = &[
    ("address", address),
    ("charset", charset),
    ("clean", clean),
    ("decision", decision),
    ("discovery", discovery),
    ("front_matter", front_matter),
    ("html", html),
    ("inflate", inflate),
    ("link_header", link_header),
    ("llms_index", llms_index),
    ("markdown", markdown),
    ("mdx", mdx),
    ("navigation", navigation),
    ("retry_after", retry_after),
    ("robots", robots),
    ("sitemap", sitemap),
];

//! Documents in, links with their places out.
//!
//! One module per document language. A reader takes the decoded text of one document and returns a
//! [`Reading`]: every link with its byte range, the verdict on the document as a whole, and what
//! looked odd. Readers resolve nothing, ask for nothing and never fail whole because of one bad
//! line; whether a link is a page is decided in `wholesite-discovery`.
//!
//! **Deliberately absent**: I/O, clocks, async, URL parsing, knowledge of the site.

mod link;

pub mod html;
pub mod link_header;
pub mod llms_txt;
pub mod markdown;
pub mod mdx;
pub mod robots;
pub mod sitemap;

pub use markdown::chrome::body as page_body;

pub use link::{Link, Oddity, Problem, Reading, Role, Syntax, Target, Verdict};

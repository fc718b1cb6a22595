//! Bytes into text that one may trust: sniffing, inflating, decoding.
//!
//! Labels lie: a `Content-Type` says what a server was configured to say, a suffix says what
//! somebody named a file. So the bytes are asked first and the label second ([`mod@sniff`]), gzip is
//! known by its magic number ([`inflate`]), and a byte order mark outranks every other word about
//! the encoding ([`mod@decode`]).
//!
//! **Deliberately absent**: files, sockets, clocks, async; any knowledge of links or sites. The
//! readers here implement [`std::io::Read`] over bytes that are already in memory.

pub mod decode;
pub mod inflate;
pub mod media_type;
mod prescan;
pub mod sniff;
pub mod stream;

pub use decode::{Text, decode};
pub use inflate::{InflateError, Limit, gunzip, is_gzip};
pub use media_type::{MediaType, media_type};
pub use sniff::{Kind, sniff};
pub use stream::TextStream;

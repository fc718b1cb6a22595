//! What the machine asks for, and what it is told.

use wholesite_address::SiteUrl;

/// Names one request, so that answers may come in any order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RequestId(pub(crate) u32);

/// Something that the machine wants to know.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Request {
    /// To be handed back with the answer.
    pub id: RequestId,
    /// What to do.
    pub ask: Ask,
}

/// The kinds of questions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Ask {
    /// GET this address once. Redirects are not to be followed: they are answers.
    Get {
        /// The address.
        url: SiteUrl,
        /// The representation that is wanted most.
        accept: Accept,
        /// More bytes than this (after decompression) are to be answered with [`Failure::TooLarge`].
        max_bytes: u64,
    },
    /// List all files of the source folder, as paths relative to it with `/` between segments.
    ListFiles,
    /// Read one file of that listing.
    ReadFile {
        /// The path as listed.
        path: String,
    },
}

/// Which representation to ask for (RFC 9110 §12.5.1).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Accept {
    /// An index: text, Markdown or XML, whatever there is.
    Any,
    /// A page as people see it.
    Html,
}

/// What came of a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answer {
    /// The server answered.
    Response(Response),
    /// The listing of the source folder.
    Files(Listing),
    /// The content of a file.
    File(Vec<u8>),
    /// Nobody knows: no answer, or none that can be trusted.
    Failed(Failure),
}

/// All that a source folder holds.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Listing {
    /// Files, as paths relative to the folder with `/` between segments.
    pub files: Vec<String>,
    /// What could not be looked into, such as symbolic links, and why.
    pub unlisted: Vec<(String, String)>,
}

/// A final HTTP response (RFC 9110).
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Response {
    /// The status code; any number that a server may send.
    pub status: u16,
    /// Header fields in the order received; names in any case.
    pub headers: Vec<(String, String)>,
    /// The body after transfer and content decoding.
    pub body: Vec<u8>,
    /// Whether the end of the body was announced (Content-Length, chunked, HTTP/2). A body that
    /// merely ends when the connection closes may have been cut anywhere.
    pub framed: bool,
}

impl Response {
    /// The first value of a header field; the name is compared without case.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(n, _)| n.eq_ignore_ascii_case(name)).map(|(_, value)| value.as_str())
    }

    /// All values of a header field.
    pub fn header_values<'r>(&'r self, name: &'r str) -> impl Iterator<Item = &'r str> {
        self.headers
            .iter()
            .filter(move |(n, _)| n.eq_ignore_ascii_case(name))
            .map(|(_, value)| value.as_str())
    }
}

/// Why nobody knows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Failure {
    /// The document is larger than was allowed.
    TooLarge {
        /// The limit in bytes.
        limit: u64,
    },
    /// The address is private, and the user did not allow private addresses.
    Blocked {
        /// The chain of causes, outermost first.
        message: String,
    },
    /// Anything else: name resolution, connection, TLS, timeout, a cut body, an unreadable file.
    Unreachable {
        /// The chain of causes, outermost first.
        message: String,
    },
}

impl Failure {
    /// What the user can do about it.
    pub(crate) fn help(&self) -> &'static str {
        match self {
            Failure::TooLarge { .. } => "raise --max-index-bytes or --max-page-bytes",
            Failure::Blocked { .. } => "if this address is meant, use --allow-private",
            Failure::Unreachable { message } if message.starts_with("TLS") => {
                "check the certificate; --cacert names a root that this machine does not know"
            }
            Failure::Unreachable { message } if message.starts_with("not captured") => {
                "`discover record` captures all that a discovery asks for; where only robots.txt is missing: \
                 --robots ignore"
            }
            Failure::Unreachable { .. } => {
                "check the address and try again; if it lasts, ask the site's owner"
            }
        }
    }
}

impl std::fmt::Display for Failure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Failure::TooLarge { limit } => write!(f, "larger than {limit} bytes"),
            Failure::Blocked { message } | Failure::Unreachable { message } => f.write_str(message),
        }
    }
}

//! Which addresses belong to a site.

use std::fmt;

use crate::SiteUrl;

/// A documentation site: one origin, and the base path below which its pages live (`""` for the
/// whole origin, `"/docs"` for `https://host/docs` and everything below `https://host/docs/`).
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Scope {
    origin: String,
    base_path: String,
}

/// Where an address lies in relation to a [`Scope`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Within {
    /// On the origin, at or below the base path.
    Inside,
    /// On the origin, outside the base path.
    OutsideBase,
    /// Scheme, host or port differ.
    OtherOrigin,
}

impl Scope {
    /// The scope of everything at or below `url`'s path. A final slash makes no difference.
    pub fn below(url: &SiteUrl) -> Self {
        Scope { origin: url.origin().to_owned(), base_path: url.path().trim_end_matches('/').to_owned() }
    }

    /// The scope of the folder that holds `url`: what relative links of that document see as `./`.
    pub fn folder_of(url: &SiteUrl) -> Self {
        let path = url.path();
        let folder = &path[..path.rfind('/').unwrap_or(0)];
        Scope { origin: url.origin().to_owned(), base_path: folder.trim_end_matches('/').to_owned() }
    }

    /// Where `url` lies.
    pub fn locate(&self, url: &SiteUrl) -> Within {
        if url.origin() != self.origin {
            return Within::OtherOrigin;
        }
        match url.path().strip_prefix(self.base_path.as_str()) {
            Some(rest) if rest.is_empty() || rest.starts_with('/') => Within::Inside,
            _ => Within::OutsideBase,
        }
    }

    /// Scheme, host and port.
    pub fn origin(&self) -> &str {
        &self.origin
    }

    /// `""`, or a path without its final slash.
    pub fn base_path(&self) -> &str {
        &self.base_path
    }

    /// An address below the base: `at("/llms.txt")` under `https://host/docs` is
    /// `https://host/docs/llms.txt`. `path` must be a normalised absolute path.
    pub fn at(&self, path: &str) -> SiteUrl {
        SiteUrl::parse(&format!("{}{}{path}", self.origin, self.base_path))
            .expect("origin, base path and a normalised path make a valid URL")
    }

    /// The part of an inside path below the base, with its leading slash; the home page is `/`.
    pub fn relative<'u>(&self, url: &'u SiteUrl) -> Option<&'u str> {
        (self.locate(url) == Within::Inside).then(|| match &url.path()[self.base_path.len()..] {
            "" => "/",
            rest => rest,
        })
    }

    /// The scope one folder up; `None` at the origin.
    pub fn parent(&self) -> Option<Scope> {
        let cut = self.base_path.rfind('/')?;
        Some(Scope { origin: self.origin.clone(), base_path: self.base_path[..cut].to_owned() })
    }
}

impl fmt::Display for Scope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.origin, self.base_path)?;
        if self.base_path.is_empty() { f.write_str("/") } else { Ok(()) }
    }
}

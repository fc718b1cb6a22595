//! What SOURCE is, and the options that the flags make.

use std::path::{Path, PathBuf};

use wholesite::address::SiteUrl;
use wholesite::discovery::{Globs, Options, RobotsPolicy};
use wholesite::recording::Recording;

use crate::args::{self, Robots, Site};
use crate::error::Failure;

/// Where a discovery gets its answers from.
pub(crate) enum Source {
    Live(SiteUrl),
    Recording(Box<Recording>),
    Folder(PathBuf),
}

impl Source {
    /// A URL is live, a recording is replayed (from `seed`, if there is one), any other folder is a docs
    /// source.
    pub(crate) fn parse(text: &str, seed: Option<&str>) -> Result<Self, Failure> {
        if text.starts_with("http://") || text.starts_with("https://") {
            return Ok(Source::Live(url(text)?));
        }
        let path = Path::new(text);
        if Recording::is_recording(path) {
            let recording = Recording::open(path)?;
            let recording = match seed {
                Some(seed) => recording.with_seed(url(seed)?),
                None => recording,
            };
            return Ok(Source::Recording(Box::new(recording)));
        }
        if path.is_dir() {
            return Ok(Source::Folder(path.to_owned()));
        }
        let why =
            if path.exists() { "it is a file, and no .warc or .warc.gz" } else { "there is no such folder" };
        Err(Failure::Source { text: text.to_owned(), why: why.to_owned() })
    }
}

pub(crate) fn url(text: &str) -> Result<SiteUrl, Failure> {
    SiteUrl::parse(text).map_err(|why| Failure::Url { text: text.to_owned(), why: why.to_string() })
}

/// Where a source folder is served, as far as the flags say.
pub(crate) fn served_at(site: &Site) -> Result<SiteUrl, Failure> {
    url(site.site_url.as_deref().unwrap_or("http://localhost:3000/"))
}

pub(crate) fn globs(patterns: &[String]) -> Result<Globs, Failure> {
    Globs::new(patterns).map_err(|error| Failure::Glob {
        pattern: error.glob().unwrap_or_default().to_owned(),
        why: error.kind().to_string(),
    })
}

/// The options of a discovery.
pub(crate) fn options(site: &Site) -> Result<Options, Failure> {
    let mut options = glob_options(&site.globs)?;
    options.base_path = site.base.clone();
    options.strict = site.strict;
    options.generator = site.generator;
    options.configured_site = site.site_url.is_none();
    options.robots = match site.robots {
        Robots::Obey => RobotsPolicy::Obey,
        Robots::Ignore => RobotsPolicy::Ignore,
    };
    let limits = &mut options.limits;
    let given = &site.limits;
    limits.indexes = given.max_indexes.unwrap_or(limits.indexes);
    limits.index_depth = given.max_index_depth.unwrap_or(limits.index_depth);
    limits.pages = given.max_pages.unwrap_or(limits.pages);
    limits.crawl_depth = given.max_depth.unwrap_or(limits.crawl_depth);
    limits.index_bytes = given.max_index_bytes.unwrap_or(limits.index_bytes);
    limits.page_bytes = given.max_page_bytes.unwrap_or(limits.page_bytes);
    limits.redirects = given.max_redirects.unwrap_or(limits.redirects);
    Ok(options)
}

pub(crate) fn glob_options(given: &args::Globs) -> Result<Options, Failure> {
    Ok(Options {
        include: globs(&given.include)?,
        exclude: globs(&given.exclude)?,
        allow_offsite: globs(&given.allow_offsite)?,
        ..Options::default()
    })
}

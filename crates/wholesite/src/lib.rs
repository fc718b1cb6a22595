//! Keeps a local copy of a documentation site equal to the site: the facade over the wholesite crates

//! Reads the source folder of a Mintlify site: navigation, files, redirects

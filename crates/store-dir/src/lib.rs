//! Keeps pages as a folder of Markdown files.

//! Keeps pages in SQLite.

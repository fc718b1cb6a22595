//! The tables, and how older files become newer ones.
//!
//! Each text is stored once, in `revision`; `page` and `trash` point to it. Records are JSON, since
//! they are only ever read whole; what is searched or joined by has columns of its own.

/// "whol" in ASCII: marks a file as ours.
pub(crate) const APPLICATION_ID: i32 = 0x7768_6f6c;

/// Each brings a file from version n to n + 1. Never change one that was released.
pub(crate) const MIGRATIONS: &[&str] = &[r#"
CREATE TABLE site (
  id INTEGER PRIMARY KEY,
  key TEXT NOT NULL UNIQUE,
  written INTEGER NOT NULL DEFAULT 0,
  revision INTEGER NOT NULL DEFAULT 0,
  trash INTEGER NOT NULL DEFAULT 0,
  token INTEGER NOT NULL DEFAULT 0,
  holder TEXT,
  until INTEGER NOT NULL DEFAULT 0,
  locked INTEGER NOT NULL DEFAULT 0,
  state TEXT
) STRICT;

CREATE TABLE revision (
  id INTEGER PRIMARY KEY,
  site INTEGER NOT NULL REFERENCES site (id),
  path TEXT NOT NULL,
  revision INTEGER NOT NULL,
  at INTEGER NOT NULL,
  replaced INTEGER,
  info TEXT NOT NULL,
  text TEXT NOT NULL,
  UNIQUE (site, path, revision)
) STRICT;
CREATE INDEX replaced_revision ON revision (site, replaced) WHERE replaced IS NOT NULL;

CREATE TABLE page (
  id INTEGER PRIMARY KEY,
  site INTEGER NOT NULL REFERENCES site (id),
  path TEXT NOT NULL,
  record TEXT NOT NULL,
  revision INTEGER NOT NULL REFERENCES revision (id),
  UNIQUE (site, path)
) STRICT;
CREATE INDEX page_revision ON page (revision);

CREATE TABLE trash (
  site INTEGER NOT NULL REFERENCES site (id),
  id INTEGER NOT NULL,
  record TEXT NOT NULL,
  withdrawal TEXT NOT NULL,
  revision INTEGER NOT NULL REFERENCES revision (id),
  PRIMARY KEY (site, id)
) STRICT, WITHOUT ROWID;
CREATE INDEX trash_revision ON trash (revision);

CREATE TABLE failing (
  site INTEGER NOT NULL REFERENCES site (id),
  path TEXT NOT NULL,
  item TEXT NOT NULL,
  PRIMARY KEY (site, path)
) STRICT, WITHOUT ROWID;

CREATE TABLE absent (
  site INTEGER NOT NULL REFERENCES site (id),
  path TEXT NOT NULL,
  item TEXT NOT NULL,
  PRIMARY KEY (site, path)
) STRICT, WITHOUT ROWID;

CREATE TABLE run (
  site INTEGER NOT NULL REFERENCES site (id),
  id TEXT NOT NULL,
  started INTEGER NOT NULL,
  item TEXT NOT NULL,
  PRIMARY KEY (site, id)
) STRICT, WITHOUT ROWID;

-- Texts are made ready for it (index.rs): what is not ASCII and no letter or digit is a blank by then,
-- and the rest is in lower case. So the simplest tokenizer finds the same words in half the time.
CREATE VIRTUAL TABLE search USING fts5 (
  title, text, content='', contentless_delete=1,
  tokenize='ascii'
);
-- Merges segments of the index late: that is most of the work of a first sync, and a search through
-- a few more of them takes no longer than before.
INSERT INTO search (search, rank) VALUES ('automerge', 16);
"#];

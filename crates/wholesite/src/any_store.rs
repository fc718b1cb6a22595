//! The stores that wholesite ships, by name.

use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use wholesite_store::{Store, StoreError};
use wholesite_store_dir::DirStore;
use wholesite_store_sqlite::SqliteStore;

/// Which store is meant: `pages.db` or `sqlite:pages.db` for a SQLite file, `dir:pages` for a folder of
/// Markdown files. A path that is a folder already is meant as one.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum StoreName {
    /// A SQLite file.
    Sqlite(PathBuf),
    /// A folder of Markdown files.
    Dir(PathBuf),
}

/// A name that names no store.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum StoreNameError {
    /// What stands before the colon is no kind of store.
    #[error("`{0}` names no kind of store that is known")]
    Kind(String),
    /// Nothing is named.
    #[error("`{0}` names no file and no folder")]
    Empty(String),
}

impl FromStr for StoreName {
    type Err = StoreNameError;

    fn from_str(name: &str) -> Result<Self, StoreNameError> {
        let of = |path: &str, make: fn(PathBuf) -> StoreName| {
            if path.trim().is_empty() {
                return Err(StoreNameError::Empty(name.to_owned()));
            }
            Ok(make(PathBuf::from(path)))
        };
        match name.split_once(':') {
            Some(("sqlite", path)) => of(path, StoreName::Sqlite),
            Some(("dir", path)) => of(path, StoreName::Dir),
            // A drive letter is no kind of store, and neither is a path with a colon in it.
            Some((kind, _)) if kind.len() > 1 && kind.bytes().all(|byte| byte.is_ascii_alphanumeric()) => {
                Err(StoreNameError::Kind(name.to_owned()))
            }
            _ if Path::new(name).is_dir() => of(name, StoreName::Dir),
            _ => of(name, StoreName::Sqlite),
        }
    }
}

impl fmt::Display for StoreName {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            StoreName::Sqlite(path) => write!(out, "sqlite:{}", path.display()),
            StoreName::Dir(path) => write!(out, "dir:{}", path.display()),
        }
    }
}

/// One of the stores that wholesite ships. Clones share what is behind them.
#[derive(Debug, Clone)]
pub enum AnyStore {
    /// A SQLite file.
    Sqlite(SqliteStore),
    /// A folder of Markdown files.
    Dir(DirStore),
}

impl AnyStore {
    /// Opens a store, or makes one.
    ///
    /// # Errors
    /// As [`SqliteStore::open`] and [`DirStore::open`].
    pub fn open(name: &StoreName) -> Result<Self, StoreError> {
        Ok(match name {
            StoreName::Sqlite(path) => AnyStore::Sqlite(SqliteStore::open(path)?),
            StoreName::Dir(path) => AnyStore::Dir(DirStore::open(path)?),
        })
    }

    /// Opens a store for reading only; makes none.
    ///
    /// # Errors
    /// As [`SqliteStore::open_read_only`] and [`DirStore::open_read_only`].
    pub fn open_read_only(name: &StoreName) -> Result<Self, StoreError> {
        Ok(match name {
            StoreName::Sqlite(path) => AnyStore::Sqlite(SqliteStore::open_read_only(path)?),
            StoreName::Dir(path) => AnyStore::Dir(DirStore::open_read_only(path)?),
        })
    }
}

impl Store for AnyStore {
    wholesite_store::store_reads!(AnyStore::Sqlite(store) => *store, AnyStore::Dir(store) => *store);
    wholesite_store::store_leases!(AnyStore::Sqlite(store) => *store, AnyStore::Dir(store) => *store);
    wholesite_store::store_batches!(AnyStore::Sqlite(store) => *store, AnyStore::Dir(store) => *store);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_stores() {
        let folder = tempfile::tempdir().unwrap();
        let there = folder.path().to_str().unwrap();
        let sqlite = |path: &str| Ok(StoreName::Sqlite(path.into()));
        let dir = |path: &str| Ok(StoreName::Dir(path.into()));
        let cases = [
            ("pages.db", sqlite("pages.db")),
            (".wholesite/pages.db", sqlite(".wholesite/pages.db")),
            ("sqlite:a:b.db", sqlite("a:b.db")),
            ("dir:./pages", dir("./pages")),
            (there, dir(there)),
            ("./a:b.db", sqlite("./a:b.db")),
            (r"C:\docs\pages.db", sqlite(r"C:\docs\pages.db")),
            (r"dir:C:\docs", dir(r"C:\docs")),
            ("postgres://localhost/docs", Err(StoreNameError::Kind("postgres://localhost/docs".to_owned()))),
            ("dir:", Err(StoreNameError::Empty("dir:".to_owned()))),
            ("", Err(StoreNameError::Empty(String::new()))),
        ];
        for (text, expected) in cases {
            assert_eq!(text.parse::<StoreName>(), expected, "{text}");
            if let Ok(name) = expected {
                assert_eq!(name.to_string().parse(), Ok(name), "{text}: its own name");
            }
        }
    }
}

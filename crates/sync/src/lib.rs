//! The sync engine, without network, database or clock.

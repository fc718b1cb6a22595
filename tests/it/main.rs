//! One runner for the tests of the doors.

mod arrows;
mod captures;
mod corpora;
mod index_cases;
mod mintlify_live;
mod mintlify_server;
mod mintlify_sync;
mod recordings;

//! The fetcher against real sockets, on loopback only.

mod answers;
mod credentials;
mod gate;
mod guard;
mod support;
mod transport;

//! The command line of wholesite: discover

//! See the oracle.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| wholesite_fuzz::front_matter(data));

//! `cargo fuzz run -s none runs`: see README.md.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| quadrille_fuzz::run("runs", data));

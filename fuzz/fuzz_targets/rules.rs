//! `cargo fuzz run -s none rules`: see README.md.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| quadrille_fuzz::run("rules", data));

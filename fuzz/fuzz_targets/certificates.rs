//! `cargo fuzz run -s none certificates`: see README.md.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| quadrille_fuzz::run("certificates", data));

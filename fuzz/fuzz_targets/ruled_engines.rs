//! `cargo fuzz run -s none ruled_engines`: see README.md.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| quadrille_fuzz::run("ruled_engines", data));

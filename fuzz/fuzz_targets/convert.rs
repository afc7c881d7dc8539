//! `cargo fuzz run -s none convert`: see README.md.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| quadrille_fuzz::run("convert", data));

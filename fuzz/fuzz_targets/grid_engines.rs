//! `cargo fuzz run -s none grid_engines`: see README.md.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| quadrille_fuzz::run("grid_engines", data));

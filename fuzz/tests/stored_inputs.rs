//! Replays all stored inputs: those the fuzzer found worth keeping, and those of past failures.

#[path = "../src/lib.rs"]
#[expect(dead_code, unreachable_pub, reason = "what the fuzzer calls is a library there")]
mod targets;

use std::fs;
use std::path::Path;

#[test]
fn every_stored_input_passes() {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz/corpus");
    for (name, check) in targets::TARGETS {
        let inputs = fs::read_dir(corpus.join(name)).unwrap_or_else(|error| panic!("{name}: {error}"));
        let mut replayed = 0;
        for input in inputs {
            check(&fs::read(input.unwrap().path()).unwrap());
            replayed += 1;
        }
        assert!(replayed > 0, "{name} has no kept inputs");
    }
}

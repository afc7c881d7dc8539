//! The `quadrille` program: parse, run, exit code.

fn main() {}

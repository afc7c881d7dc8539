//! The `quadrille` program: parse, run, exit code.

use std::process::ExitCode;

fn main() -> ExitCode {
    quadrille::cli::run(std::env::args_os())
}

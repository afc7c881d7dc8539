//! `generate-docs`: man pages and completions out of the same definition that parses the arguments.

use std::path::Path;

use anyhow::{Context, Result};
use clap::CommandFactory;
use clap_complete::Shell;

use crate::cli::{args::Cli, exit};

pub(super) fn generate(directory: &Path) -> Result<u8> {
    std::fs::create_dir_all(directory).with_context(|| format!("creating {}", directory.display()))?;
    clap_mangen::generate_to(Cli::command(), directory)
        .with_context(|| format!("writing man pages to {}", directory.display()))?;
    for shell in [Shell::Bash, Shell::Zsh, Shell::Fish] {
        clap_complete::generate_to(shell, &mut Cli::command(), "quadrille", directory)
            .with_context(|| format!("writing completions to {}", directory.display()))?;
    }
    Ok(exit::OK)
}

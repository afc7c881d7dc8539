//! `completions`, `man` and `generate-docs`: print texts that are generated from the definition of the
//! command line.

use anyhow::{Context, Result};
use clap_complete::{Generator as _, Shell};

use super::{completions, parse};
use crate::cli::args::{CompletionsArgs, GenerateDocsArgs, ManArgs};
use crate::cli::exit;
use crate::cli::files::{self, Destination};
use quadrille_model::shown;

/// Prints the completion script of a shell.
pub(super) fn completions(args: &CompletionsArgs) -> Result<u8> {
    let script = completions::script(&parse::definition(), args.shell);
    files::print(&script)?;
    Ok(exit::OK)
}

/// Prints the man page of the program or of one command such as `solve`.
pub(super) fn man(args: &ManArgs) -> Result<u8> {
    let mut command = parse::definition();
    command.build();
    // The parser of the argument accepts only verbs.
    let verb = args.verb.as_ref().and_then(|verb| command.find_subcommand(verb)).cloned();
    let page = verb.unwrap_or(command);
    Destination::Standard.write(|out| clap_mangen::Man::new(page).render(out))?;
    Ok(exit::OK)
}

pub(super) fn generate(args: &GenerateDocsArgs) -> Result<u8> {
    let directory = &*args.directory;
    std::fs::create_dir_all(directory).with_context(|| format!("creating {}", shown::path(directory)))?;
    clap_mangen::generate_to(parse::definition(), directory)
        .with_context(|| format!("writing man pages to {}", shown::path(directory)))?;
    for shell in [Shell::Bash, Shell::Zsh, Shell::Fish] {
        let script = completions::script(&parse::definition(), shell);
        std::fs::write(directory.join(shell.file_name("quadrille")), script)
            .with_context(|| format!("writing completions to {}", shown::path(directory)))?;
    }
    Ok(exit::OK)
}

//! `encode`: a puzzle's exact cover problem in Knuth's format.

use anyhow::Result;

use super::first::First;
use crate::cli::args::EncodeArgs;
use crate::cli::{config, exit, files};
use crate::encode::{to_cover, write_dlx};

pub(super) fn encode(args: &EncodeArgs) -> Result<u8> {
    let options = config::input_options(&args.input)?;
    let file = args.file.clone().into_iter().collect::<Vec<_>>();
    let first = First::read(&file, &options)?;
    let encoded = to_cover(first.problem())?;
    files::write_to(args.out.as_deref(), &file, |out| write_dlx(&encoded.cover, out))?;
    Ok(exit::OK)
}

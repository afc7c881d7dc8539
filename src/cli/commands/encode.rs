//! `encode`: a puzzle's exact cover problem in Knuth's format.

use std::io::Write;

use anyhow::Result;

use super::first::First;
use crate::cli::args::EncodeArgs;
use crate::cli::{config, exit, files};
use crate::encode::{to_cover, write_dlx};
use crate::error::Error;

pub(super) fn encode(args: &EncodeArgs) -> Result<u8> {
    let options = config::input_options(&args.input)?;
    let file = args.file.clone().into_iter().collect::<Vec<_>>();
    let first = First::read(&file, &options)?;
    let encoded = to_cover(first.problem())?;
    match &args.out {
        Some(path) => {
            let (target, mut out) = files::Target::create(path, &file)?;
            let written = write_dlx(&encoded.cover, &mut out).and_then(|()| out.flush());
            written.map_err(|cause| Error::io("writing", path, 0, cause))?;
            drop(out);
            target.complete()?;
        }
        None => {
            let mut text = Vec::new();
            write_dlx(&encoded.cover, &mut text).map_err(|cause| Error::io("encoding", "-", 0, cause))?;
            files::print(&String::from_utf8_lossy(&text))?;
        }
    }
    Ok(exit::OK)
}

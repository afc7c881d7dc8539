//! `encode`: writes a puzzle as an exact cover problem in Knuth's format.

use anyhow::Result;

use super::first_record::FirstRecord;
use crate::cli::args::EncodeArgs;
use crate::cli::files::{Destination, FileUses, OutputFile};
use crate::cli::messages::say;
use crate::cli::signals::Signals;
use crate::cli::{config, exit};
use quadrille_model::encode::{to_cover, write_dlx};

pub(super) fn encode(args: &EncodeArgs) -> Result<u8> {
    let options = config::input_options(&args.input)?;
    let file = args.file.clone().into_iter().collect::<Vec<_>>();
    FileUses::default()
        .reads_records(&file, &args.input)
        .writes_rows(OutputFile::COVER, args.to.out.as_deref(), false)
        .check_conflicts()?;
    super::reads_terminal(&file);
    let signals = Signals::end_at_once()?;
    let out = Destination::open(args.to.out.as_deref(), args.to.write)?;
    let first = FirstRecord::read(&file, &options, &signals, "")?;
    if first.has_more && !args.messages.quiet {
        say!("quadrille: warning: encoding only the first record; the input has more");
    }
    let encoded = to_cover(first.problem.as_ref())?;
    out.write(|out| write_dlx(&encoded.cover, out))?;
    Ok(exit::OK)
}

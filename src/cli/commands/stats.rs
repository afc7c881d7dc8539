//! `stats`: shows statistics files and adds them up.

use std::path::Path;

use anyhow::Result;

use crate::bench::Report;
use crate::cli::args::StatsArgs;
use crate::cli::exit;
use crate::cli::files::{self, Destination, FileUses, OutputFile};
use crate::cli::screen::{columns_of, folded_for_output};
use crate::cli::signals::Signals;
use crate::report::{self, Run};
use quadrille_batch::stats::Statistics;
use quadrille_model::{shown, usage};

pub(super) fn stats(args: &StatsArgs) -> Result<u8> {
    FileUses::default()
        .reads("the input", &args.files)
        .writes(OutputFile::SUM, args.out.as_deref())
        .check_conflicts()?;
    let _signals = Signals::end_at_once()?;
    let file = args.out.as_deref().map(|path| Destination::open(Some(path), args.write)).transpose()?;
    let mut sum = read(&args.files[0])?;
    for path in &args.files[1..] {
        sum.merge(&read(path)?);
    }
    if let Some(file) = file {
        file.write_text(&sum.to_json())?;
    }
    let mut text = String::new();
    if args.json {
        text = sum.to_json();
    } else {
        sum.write_summary(&mut text)?;
        text = folded_for_output(shown::text(&text).into_owned(), Statistics::SUMMARY_LABEL);
        let columns = columns_of(std::io::stdout());
        let run = Run::new("run", 0, sum);
        text = format!("{text}\n{}", report::terminal(&report::page(&[run], &[]), columns));
    }
    files::print(&text)?;
    Ok(exit::OK)
}

fn read(path: &Path) -> Result<Statistics> {
    let (name, text) = files::read_report(path)?;
    if Report::is_kind(&text) {
        return Err(usage!("{} has results of bench: use 'report' for them", shown::path(path)).into());
    }
    Ok(Statistics::from_json(&name, &text)?)
}

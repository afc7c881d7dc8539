//! `stats`: shows statistics files and adds them up.

use anyhow::Result;

use crate::bench::Report;
use crate::cli::args::StatsArgs;
use crate::cli::exit;
use crate::cli::files::{self, Destination, FileUses, OutputFile};
use crate::cli::screen::{columns_of, folded};
use crate::cli::signals::Signals;
use crate::report::{self, Run};
use quadrille_batch::stats::Statistics;
use quadrille_files::text_file::REPORT_BYTES;
use quadrille_model::{shown, usage};

pub(super) fn stats(args: &StatsArgs) -> Result<u8> {
    FileUses::default()
        .reads("the input", args.files.iter().map(|file| &**file))
        .writes(OutputFile::Sum, args.out.as_deref())
        .check_conflicts()?;
    let _signals = Signals::end_at_once()?;
    let file = args.out.as_deref().map(|path| Destination::open(Some(path), args.write)).transpose()?;
    let mut sum: Option<Statistics> = None;
    for path in &args.files {
        let text = files::read_text(path, REPORT_BYTES)?;
        if Report::is_kind(&text) {
            return Err(usage!("{} has results of bench: use 'report' for them", shown::path(path)).into());
        }
        let one = Statistics::from_json(&path.display().to_string(), &text)?;
        match &mut sum {
            None => sum = Some(one),
            Some(sum) => sum.merge(&one),
        }
    }
    let sum = sum.unwrap_or_default();
    if let Some(file) = file {
        file.write(|out| out.write_all(sum.to_json().as_bytes()))?;
    }
    let mut text = String::new();
    if args.json {
        text = sum.to_json();
    } else {
        sum.write_summary(&mut text)?;
        text = shown::text(&text).into_owned();
        let columns = columns_of(std::io::stdout());
        if let Some(columns) = columns {
            text = folded(&text, Statistics::SUMMARY_LABEL, columns);
        }
        let run = Run::new("run", 0, sum);
        text = format!("{text}\n{}", report::terminal(&report::page(&[run], &[]), columns));
    }
    files::print(&text)?;
    Ok(exit::OK)
}

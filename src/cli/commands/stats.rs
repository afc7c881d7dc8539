//! `stats`: statistics files shown and added up.

use anyhow::Result;

use crate::cli::args::StatsArgs;
use crate::cli::exit;
use crate::cli::files::{self, Files};
use crate::cli::screen::{columns_of, folded};
use crate::report::{self, Run};
use quadrille_batch::stats::Statistics;
use quadrille_model::text_file::{REPORT_BYTES, read_text};

pub(super) fn stats(args: &StatsArgs) -> Result<u8> {
    Files::default()
        .reads("the input", args.files.iter().map(|file| &**file))
        .writes("--out", args.out.as_deref())
        .require_apart()?;
    let mut sum: Option<Statistics> = None;
    for path in &args.files {
        let text = read_text(path, REPORT_BYTES)?;
        let one = Statistics::from_json(&path.display().to_string(), &text)?;
        match &mut sum {
            None => sum = Some(one),
            Some(sum) => sum.merge(&one),
        }
    }
    let sum = sum.unwrap_or_default();
    if let Some(out) = &args.out {
        files::write_to(Some(out), args.write, |out| out.write_all(sum.to_json().as_bytes()))?;
    }
    let mut text = String::new();
    if args.json {
        text = sum.to_json();
    } else {
        sum.write_summary(&mut text)?;
        let columns = columns_of(std::io::stdout());
        if let Some(columns) = columns {
            text = folded(&text, Statistics::SUMMARY_LABEL, columns);
        }
        let run = Run { name: "run".to_owned(), number: 0, statistics: sum };
        text = format!("{text}\n{}", report::terminal(&report::page(&[run], &[]), columns));
    }
    files::print(&text)?;
    Ok(exit::OK)
}

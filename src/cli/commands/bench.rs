//! `bench`: compares the speed of engines, instruction sets and other programs.

use std::path::PathBuf;

use anyhow::{Context, Result};

use super::report::{rendered, text_of};
use crate::bench::{BenchQuery, Corpus, Report, race};
#[cfg(unix)]
use crate::cli::args::MeterProgramArgs;
use crate::cli::args::{BenchArgs, When};
use crate::cli::files::{self, Destination, FileUses, OutputFile};
use crate::cli::messages::say;
use crate::cli::screen::{columns_of, folded_for_output};
use crate::cli::signals::Signals;
use crate::cli::{config, exit, progress};
use crate::report::{self, ExportFormat};
use quadrille_batch::stats::Statistics;
use quadrille_model::shown;

#[cfg(unix)]
pub(super) fn meter(args: &MeterProgramArgs) -> Result<u8> {
    crate::bench::meter(&args.file, &args.words)?;
    Ok(exit::OK)
}

pub(super) fn bench(args: &BenchArgs) -> Result<u8> {
    super::reads_terminal(&args.files);
    FileUses::default()
        .reads_records(&args.files, &args.input)
        .reads("--compare", &args.compare)
        .writes(OutputFile::RACE, args.out.as_deref())
        .writes(OutputFile::PAGE, args.report.as_deref())
        .check_conflicts()?;
    let options = config::bench_options(args)?;
    let old = args.compare.as_deref().map(files::read_report).transpose()?;
    let read = |(name, text): (String, String)| Report::from_json(&name, &text).map(|old| (name, old));
    let old = old.map(read).transpose()?;
    // A benchmark takes minutes, so output files are opened first. A file that cannot be written is then
    // reported at once.
    let _signals = Signals::end_at_once()?;
    let open = |path: &PathBuf| Destination::open(Some(path), args.write);
    let (results_file, page_file) =
        (args.out.as_ref().map(open).transpose()?, args.report.as_ref().map(open).transpose()?);
    let corpus = Corpus::read(config::sources(&args.files)?, &options)?;
    if let Some((name, old)) = &old {
        old.require_comparable(name, &corpus.facts, &BenchQuery::new(&options))?;
    }
    // Progress is only drawn between timed parts, because a drawing thread would disturb the measurements.
    let is_shown = progress::is_shown(When::Auto, args.quiet, true);
    let results = race(&corpus, &options, &mut |step| {
        if is_shown {
            progress::show_part(step.done, step.of, &step.what);
        }
    });
    progress::clear();
    let mut results = results?;
    if let Some((name, old)) = &old {
        results.compare(name, old)?;
    }
    if let Some(file) = results_file {
        file.write_text(&results.to_json()).context("writing results")?;
    }
    if let Some((path, file)) = args.report.as_ref().zip(page_file) {
        let page = rendered(&report::bench_page(&results), OutputFile::PAGE, path)?;
        file.write_text(&page).context("writing the page")?;
    }
    let text = match args.to {
        _ if args.json => results.to_json(),
        Some(format @ ExportFormat::Csv) => text_of(&report::bench_rows(&results), format, Some("rows"))?,
        Some(format) => text_of(&report::bench_page(&results), format, None)?,
        None => {
            let text = report::bench_text(&results, columns_of(std::io::stdout()));
            folded_for_output(shown::text(&text).into_owned(), Statistics::SUMMARY_LABEL)
        }
    };
    files::print(&text)?;
    if results.is_without_right_program() {
        say!("quadrille: every program failed; the results have the reasons");
        return Ok(exit::FAILED);
    }
    Ok(exit::OK)
}

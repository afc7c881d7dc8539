//! `bench`: engines and instruction sets side by side.

use std::io::IsTerminal;
use std::path::Path;

use anyhow::{Context, Result};
use indicatif::{ProgressBar, ProgressStyle};

use crate::bench::{Corpus, Report, Step, race};
use crate::cli::args::BenchArgs;
use crate::cli::files::{self, Files, Opened, Target};
use crate::cli::screen::{columns_of, folded};
use crate::cli::{config, exit};
use crate::report;
use quadrille_batch::stats::Statistics;
use quadrille_model::text_file::{REPORT_BYTES, read_text};

pub(super) fn bench(args: &BenchArgs) -> Result<u8> {
    super::reads_terminal(&args.files);
    Files::default()
        .reads_records(&args.files)
        .reads_rules(args.input.regions.as_deref(), args.input.houses.as_deref())
        .reads("--compare", args.compare.as_deref())
        .writes("-o", args.out.as_deref())
        .writes("--report", args.report.as_deref())
        .require_apart()?;
    let options = config::bench_options(args)?;
    let old = args.compare.as_ref().map(|path| {
        let text = read_text(path, REPORT_BYTES)?;
        let name = path.display().to_string();
        Report::from_json(&name, &text).map(|report| (name, report))
    });
    let old = old.transpose()?;
    // Races take minutes: a file that cannot be written is refused before them.
    let create =
        |path: Option<&Path>| files::named(path).map(|path| Target::create(path, args.write)).transpose();
    let (results_file, page_file) = (create(args.out.as_deref())?, create(args.report.as_deref())?);
    let corpus = Corpus::read(config::sources(&args.files)?, &options)?;
    if let Some((name, old)) = &old {
        old.require_comparable(name, &corpus, &options)?;
    }
    let bar = (!args.quiet && std::io::stderr().is_terminal()).then(progress_bar);
    let results = race(&corpus, &options, &mut |step| show(bar.as_ref(), &step));
    if let Some(bar) = bar {
        bar.finish_and_clear();
    }
    let mut results = results?;
    if let Some((name, old)) = &old {
        results.compare(name, old)?;
    }
    if let Some(path) = &args.out {
        write(path, results_file, &results.to_json()).context("writing results")?;
    }
    if let Some(path) = &args.report {
        let page = report::html(&report::bench_page(&results))?;
        write(path, page_file, &page).context("writing the page")?;
    }
    let mut text = String::new();
    if args.json {
        text = results.to_json();
    } else {
        let columns = columns_of(std::io::stdout()).unwrap_or(usize::MAX);
        results.write_table(columns, &mut text)?;
        if columns < usize::MAX {
            text = folded(&text, Statistics::SUMMARY_LABEL, columns);
        }
    }
    files::print(&text)?;
    Ok(exit::OK)
}

/// Writes text to a file that was opened before the races, or to standard output if `opened` is `None`.
fn write(path: &Path, opened: Option<Opened>, text: &str) -> Result<()> {
    match opened {
        Some(opened) => files::write_opened(path, opened, |out| out.write_all(text.as_bytes()))?,
        None => files::print(text)?,
    }
    Ok(())
}

/// A bar that is drawn by [`show`] and at no other time: a thread of its own would disturb what is timed.
fn progress_bar() -> ProgressBar {
    let bar = ProgressBar::new(0);
    if let Ok(style) = ProgressStyle::with_template("{bar:24} {percent:>3}%  {msg}") {
        bar.set_style(style);
    }
    bar
}

fn show(bar: Option<&ProgressBar>, step: &Step) {
    let Some(bar) = bar else { return };
    bar.set_length(step.of as u64);
    bar.set_position(step.done as u64);
    bar.set_message(step.what.clone());
    bar.tick();
}

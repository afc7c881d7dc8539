//! `report`: writes pages about runs and about results of `bench`.

use std::io::{self, BufReader, IsTerminal};
use std::path::{Path, PathBuf};

use anyhow::Result;

use crate::bench::Report;
use crate::cli::args::{PageArgs, WriteArgs};
use crate::cli::exit;
use crate::cli::files::{self, Destination, FileUses, OutputFile, Said};
use crate::cli::messages::say;
use crate::cli::signals::Signals;
use crate::report::{self, ExportFormat, Page, Paired, RecordFile, Run};
use quadrille_batch::stats::Statistics;
use quadrille_formats::input::Source;
use quadrille_model::{Error, shown, usage};

pub(super) fn report(args: &PageArgs) -> Result<u8> {
    FileUses::default()
        .reads("the input", &args.files)
        .reads("--outcomes", &args.outcomes)
        .writes_rows(OutputFile::REPORT, args.to.out.as_deref(), args.format.is_some())
        .check_conflicts()?;
    let format = match args.format {
        Some(format) => format,
        None => format_of(OutputFile::REPORT, args.to.out.as_deref())?,
    };
    if args.table.is_some() && format != ExportFormat::Csv {
        return Err(Error::usage("--table is only for --to csv: other formats have all tables").into());
    }
    let _signals = Signals::end_at_once()?;
    // A terminal cannot show an HTML page, so the page goes to a file next to the first input.
    let is_on_terminal = args.to.out.is_none() && format == ExportFormat::Html && io::stdout().is_terminal();
    let beside = is_on_terminal.then(|| unpacked(&args.files[0]).with_extension("html"));
    let out = beside.as_deref().or(args.to.out.as_deref());
    let how = WriteArgs { no_clobber: args.to.write.no_clobber || beside.is_some(), ..args.to.write };
    let file = Destination::open(out, how)
        .map_err(|error| if beside.is_some() { usage!("{error} (name the page with -o)") } else { error })?;
    let text = text_of(&page(args)?, format, args.table.as_deref())?;
    file.write_text(&text)?;
    if let Some(path) = beside.filter(|_| !args.messages.quiet) {
        say!("quadrille: the page is in {}", shown::path(&path));
    }
    Ok(exit::OK)
}

/// Returns the file name without an ending such as `.gz` that means compression.
fn unpacked(path: &Path) -> PathBuf {
    if files::packing_of(path).is_some() { path.with_extension("") } else { path.to_owned() }
}

/// Returns the format of a page. The ending of its file name decides the format.
fn format_of(output: OutputFile, path: Option<&Path>) -> Result<ExportFormat> {
    Ok(match output.said(path, false)? {
        Some(Said::Markdown) => ExportFormat::Markdown,
        Some(Said::Csv) => ExportFormat::Csv,
        Some(Said::Json) => ExportFormat::Json,
        _ => ExportFormat::Html,
    })
}

/// Converts a page to text. The ending of the file name decides the format.
pub(super) fn rendered(page: &Page, output: OutputFile, path: &Path) -> Result<String> {
    text_of(page, format_of(output, Some(path))?, None)
}

pub(super) fn text_of(page: &Page, format: ExportFormat, table: Option<&str>) -> Result<String> {
    Ok(match format {
        ExportFormat::Html => report::html(page)?,
        ExportFormat::Markdown => report::markdown(page),
        ExportFormat::Csv => report::csv(page, table)?,
        ExportFormat::Json => report::json(page),
    })
}

fn page(args: &PageArgs) -> Result<Page> {
    let texts = args.files.iter().map(|path| files::read_report(path)).collect::<Result<Vec<_>, _>>()?;
    if texts.iter().any(|(_, text)| Report::is_kind(text)) {
        return race(args, &texts);
    }
    if let [(path, text)] = texts.as_slice()
        && report::are_marginals(text)
    {
        return Ok(report::marginals_page(path, text)?);
    }
    let mut runs: Vec<Run> = Vec::new();
    for (number, (path, text)) in texts.iter().enumerate() {
        let statistics = Statistics::from_json(path, text)?;
        let stem = stem(path);
        let is_taken = |name: &String| runs.iter().any(|run| run.name == *name);
        let name = if is_taken(&stem) { path.clone() } else { stem };
        let name = if is_taken(&name) { format!("{name} ({})", number + 1) } else { name };
        runs.push(Run::new(name, number, statistics));
    }
    let mut paired = Vec::new();
    if !args.outcomes.is_empty() {
        if args.outcomes.len() != runs.len() || runs.len() < 2 {
            return Err(usage!(
                "--outcomes needs one file for each of at least two runs: {} runs, {} files",
                runs.len(),
                args.outcomes.len()
            )
            .into());
        }
        for other in &args.outcomes[1..] {
            paired.push(Paired::read(records(&args.outcomes[0])?, records(other)?)?);
        }
    }
    Ok(report::page(&runs, &paired))
}

/// Opens a file with the outcomes of records, which `--outcomes-out` wrote.
fn records(path: &Path) -> Result<RecordFile> {
    let file = Source::File(path.to_owned()).open_unpacked()?;
    Ok(RecordFile::new(path.display().to_string(), Box::new(BufReader::with_capacity(1 << 16, file)))?)
}

/// Returns a page about results of `bench`.
///
/// A single result is shown alone. If there are two results, for the same records, the page compares the
/// second with the first. Otherwise, the page shows all results next to each other.
fn race(args: &PageArgs, texts: &[(String, String)]) -> Result<Page> {
    if !args.outcomes.is_empty() {
        return Err(
            Error::usage("--outcomes is only for statistics of runs, not for results of bench").into()
        );
    }
    let read = |(path, text): &(String, String)| Report::from_json(path, text);
    let results = texts.iter().map(read).collect::<quadrille_model::Result<Vec<_>>>()?;
    match results.as_slice() {
        [only] => return Ok(report::bench_page(only)),
        [old, new] => {
            let mut compared = new.clone();
            if compared.compare(&texts[0].0, old).is_ok() {
                return Ok(report::bench_page(&compared));
            }
        }
        _ => {}
    }
    Ok(report::side_by_side(&texts.iter().map(|(path, _)| stem(path)).zip(results).collect::<Vec<_>>()))
}

fn stem(path: &str) -> String {
    Path::new(path).file_stem().map_or_else(|| path.to_owned(), |stem| stem.to_string_lossy().into_owned())
}

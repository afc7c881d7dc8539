//! `report`: pages about runs and races.

use std::fs::File;
use std::io::BufReader;
use std::path::Path;

use anyhow::Result;

use crate::bench::Report;
use crate::cli::args::PageArgs;
use crate::cli::exit;
use crate::cli::files::{self, Files};
use crate::report::{self, Exported, Page, Paired, RecordFile, Run};
use quadrille_batch::stats::Statistics;
use quadrille_model::Error;
use quadrille_model::text_file::{REPORT_BYTES, read_text};

pub(super) fn report(args: &PageArgs) -> Result<u8> {
    Files::default()
        .reads("the input", args.files.iter().map(|file| &**file))
        .reads("--records", args.records.iter().map(|file| &**file))
        .writes_rows(args.to.out.as_deref())
        .require_apart()?;
    if args.table.is_some() && args.format != Exported::Csv {
        return Err(Error::usage("--table is of --format csv: the others have all tables").into());
    }
    let page = page(args)?;
    let text = match args.format {
        Exported::Html => report::html(&page)?,
        Exported::Markdown => report::markdown(&page),
        Exported::Csv => report::csv(&page, args.table.as_deref())?,
        Exported::Json => report::json(&page),
    };
    files::write_to(args.to.out.as_deref(), args.to.write, |out| out.write_all(text.as_bytes()))?;
    Ok(exit::OK)
}

fn page(args: &PageArgs) -> Result<Page> {
    let read = |path: &std::path::PathBuf| -> Result<(String, String)> {
        Ok((path.display().to_string(), read_text(path, REPORT_BYTES)?))
    };
    let texts = args.files.iter().map(read).collect::<Result<Vec<_>>>()?;
    if texts.iter().any(|(_, text)| Report::is_kind(text)) {
        return race(args, &texts);
    }
    let mut runs: Vec<Run> = Vec::new();
    for (number, (path, text)) in texts.iter().enumerate() {
        let statistics = Statistics::from_json(path, text)?;
        let stem = Path::new(path)
            .file_stem()
            .map_or_else(|| path.clone(), |stem| stem.to_string_lossy().into_owned());
        let is_taken = |name: &String| runs.iter().any(|run| run.name == *name);
        let name = if is_taken(&stem) { path.clone() } else { stem };
        let name = if is_taken(&name) { format!("{name} ({})", number + 1) } else { name };
        runs.push(Run { name, number, statistics });
    }
    let mut paired = Vec::new();
    if !args.records.is_empty() {
        if args.records.len() != runs.len() || runs.len() < 2 {
            return Err(Error::usage(format!(
                "--records is a file for each of two runs or more: {} runs, {} files",
                runs.len(),
                args.records.len()
            ))
            .into());
        }
        for other in &args.records[1..] {
            paired.push(Paired::read(records(&args.records[0])?, records(other)?)?);
        }
    }
    Ok(report::page(&runs, &paired))
}

/// Opens a file of what came of each record.
fn records(path: &Path) -> Result<RecordFile> {
    let file = File::open(path).map_err(|cause| Error::io("opening", path, 0, cause))?;
    Ok(RecordFile::new(path.display().to_string(), Box::new(BufReader::with_capacity(1 << 16, file)))?)
}

/// The page about a race, or about a later race beside an earlier one.
fn race(args: &PageArgs, texts: &[(String, String)]) -> Result<Page> {
    if !args.records.is_empty() {
        return Err(Error::usage("--records is of runs, and bench has none").into());
    }
    let read = |(path, text): &(String, String)| Report::from_json(path, text);
    match texts {
        [only] => Ok(report::bench_page(&read(only)?)),
        [old, new] => {
            let mut results = read(new)?;
            results.compare(&old.0, &read(old)?)?;
            Ok(report::bench_page(&results))
        }
        _ => Err(Error::usage("of results of bench a page takes one, or an earlier and a later").into()),
    }
}

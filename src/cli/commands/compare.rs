//! `dedup`, `overlap` and `split-corpus`: compare records with each other or with another corpus.

use std::path::{Path, PathBuf};

use anyhow::Result;

use super::answer::{RecordRun, check_conflicts};
use crate::cli::args::{DedupArgs, OverlapArgs, RunArgs, SplitCorpusArgs};
use crate::cli::files::{self, FileUses, OutputFile, Target};
use crate::cli::messages::{self, say};
use crate::cli::signals::Signals;
use crate::cli::value_parsers::{Column, CorpusPart};
use crate::cli::{config, exit, unreadable_input};
use quadrille_batch::compare::RowFilter;
use quadrille_batch::compare::dedup::{self, Dedup, DedupReport};
use quadrille_batch::compare::overlap::{self, ReferenceKeys, Relation};
use quadrille_batch::compare::parts::{PartFile, Parts};
use quadrille_batch::stats::{grouped, number_of};
use quadrille_batch::{self as batch, BatchOptions, Comparison, Outputs, Progress, Query, Report};
use quadrille_formats::output::OutputFormat;
use quadrille_model::{EndedBy, Error, Status, shown, usage};

/// Default memory, in bytes, for the keys that identify records in a comparison.
const MEMORY: u64 = 1 << 30;

/// Returns the memory, in bytes, for the keys that identify records. This is half of the run's memory limit.
/// Other commands use that half for search tables.
fn memory_for_keys(options: &BatchOptions) -> u64 {
    options.memory.map_or(MEMORY, |memory| memory / 2)
}

pub(crate) fn dedup(args: &DedupArgs) -> Result<u8> {
    check_conflicts(&args.run, FileUses::default())?;
    let mut options = options(&args.run, args.by, args.all)?;
    options.output.extra_columns = extra_columns(&args.run, if args.all { dedup::COLUMNS } else { &[] })?;
    let memory = memory_for_keys(&options);
    let start = options.index_offset + 1;
    let is_text = args.by == Comparison::Text;
    let mut filter = Dedup::new(memory, &scratch(&args.run), args.all, is_text, start);
    filter.columns.clone_from(&options.output.extra_columns);
    let run = RecordRun::new(&args.run, options)?;
    let status = run.answer(Some(&mut filter))?;
    if let Some(report) = filter.report.filter(|_| !args.run.report.quiet) {
        messages::text(&summary(&report));
    }
    Ok(status)
}

pub(crate) fn overlap(args: &OverlapArgs) -> Result<u8> {
    check_conflicts(&args.run, FileUses::default().reads("the corpus to compare with", [&args.known]))?;
    let files = &args.run.files;
    if files::is_stream(&args.known) && files.iter().all(|file| files::is_stream(file)) {
        return Err(Error::usage("both corpora cannot be standard input").into());
    }
    let mut options = options(&args.run, Comparison::All, false)?;
    options.output.extra_columns = extra_columns(&args.run, overlap::COLUMNS)?;
    let directory = scratch(&args.run);
    let mut known = ReferenceKeys::new(memory_for_keys(&options), &directory);
    let mut run = RecordRun::new(&args.run, options)?;
    // `--index-offset` changes only the numbers of the records that are compared with the known corpus. The
    // known corpus is always read completely.
    let of_known = BatchOptions { index_offset: 0, ..run.options.clone() };
    let if_stopped = ": nothing was compared";
    // If the known corpus were read only in part, records from its unread part would wrongly be reported as
    // new.
    let files = std::slice::from_ref(&args.known);
    let report = read_corpus(files, &of_known, &mut known, &run.signals, if_stopped)?;
    let unknown = report.statistics.status(Status::Unknown);
    for (records, what) in
        [(report.statistics.rejected(), "could not be read"), (unknown, "were not searched to the end")]
    {
        if records > 0 {
            let (known, records) = (shown::path(&args.known), number_of(records, "record"));
            say!("quadrille: warning: {known}: {records} {what}: the comparison is incomplete");
        }
    }
    run.known = Some(format!("{} ({:032x})", args.known.display(), known.digest()));
    let mut filter = known.compare(&directory);
    filter.columns.clone_from(&run.options.output.extra_columns);
    filter.relations.clone_from(&run.options.only_relations);
    filter.statuses.clone_from(&run.options.only);
    let status = run.answer(Some(&mut filter))?;
    if !args.run.report.quiet {
        let count = |&relation: &Relation| format!("{} {}", relation.word(), grouped(filter.count(relation)));
        say!("quadrille: {}", Relation::ALL.iter().map(count).collect::<Vec<_>>().join(", "));
    }
    // If the search of a known record was stopped, its solution grid is unknown. This grid could equal the
    // grid of any compared record. So every relation except `new` may have occurred, even if its count is 0.
    let has_failed = args
        .run
        .output
        .fail_on
        .iter()
        .filter_map(|word| word.relation())
        .any(|relation| filter.count(relation) > 0 || unknown > 0 && relation != Relation::New);
    Ok(if status == exit::OK && has_failed { exit::STATUS } else { status })
}

/// Reads a corpus without writing rows. Only `filter` receives the answers. `if_stopped` is the end of the error
/// message if the reading is stopped.
///
/// # Errors
/// Returns an error if the corpus could not be read completely.
pub(super) fn read_corpus(
    files: &[PathBuf],
    options: &BatchOptions,
    filter: &mut dyn RowFilter,
    signals: &Signals,
    if_stopped: &str,
) -> Result<Report> {
    let control = signals.control();
    let outputs = Outputs { filter: Some(filter), ..Outputs::new(Box::new(std::io::sink())) };
    let report = batch::run(config::sources(files)?, options, outputs, control, &Progress::default())?;
    if let Some(error) = report.error {
        return Err(error.into());
    }
    let name = corpus_name(files);
    let warning =
        unreadable_input::warning(&report.statistics, report.first_format, report.format_hint.as_deref());
    if let Some(warning) = warning {
        return Err(exit::with(exit::UNREADABLE, format!("{name}: {warning}")));
    }
    // A signal may also have come after the corpus was read completely.
    if let Some(reason) = report.stopped_by.or(control.is_cancelled().then_some(EndedBy::Cancel)) {
        return Err(signals.stopped(reason, format_args!(" while reading {name}{if_stopped}")));
    }
    Ok(report)
}

/// Returns the name that messages use for a corpus, which is the name of its first file.
pub(super) fn corpus_name(files: &[PathBuf]) -> String {
    files.first().map_or_else(|| "-".to_owned(), |file| shown::path(file).to_string())
}

/// Returns the comparison columns to append to rows. These are the ones that `--fields` lists, or `all` of
/// them if `--fields` lists no comparison column.
fn extra_columns(args: &RunArgs, all: &[&'static str]) -> Result<Vec<&'static str>> {
    let fields = &args.output.fields;
    let name = |column: &Column| match column {
        Column::Extra(name) => Some(*name),
        Column::Field(_) => None,
    };
    let named: Vec<&'static str> = fields.iter().filter_map(name).collect();
    let refusal = if let Some(name) = named.iter().find(|name| !all.contains(name)) {
        format!("the field {name} is only for dedup --all")
    } else if let Some(name) = named.iter().enumerate().find(|(place, name)| named[..*place].contains(name)) {
        format!("field {} is chosen twice", name.1)
    } else if fields.iter().skip_while(|field| name(field).is_none()).any(|field| name(field).is_none()) {
        format!("{} is known only at the end: name it after the other fields", named[0])
    } else {
        return Ok(if named.is_empty() { all.to_vec() } else { named });
    };
    Err(Error::usage(refusal).into())
}

pub(crate) fn split_corpus(args: &SplitCorpusArgs) -> Result<u8> {
    let named = args.run.output.output_format;
    if named.is_some_and(OutputFormat::is_table) {
        return Err(Error::usage("parts of a corpus are text: leave --to out").into());
    }
    OutputFile::PARTS.said(args.run.output.to.out.as_deref(), named.is_some())?;
    let options = options(&args.run, Comparison::Part, true)?;
    let Some(template) = args.run.output.to.out.as_ref() else {
        return Err(Error::usage(
            "the parts need file names: use -o 'NAME-{}.txt'; {} becomes the name of a part",
        )
        .into());
    };
    let Some(template) = template.to_str() else {
        return Err(Error::usage("-o is not UTF-8: it cannot be combined with the name of a part").into());
    };
    if !template.contains("{}") {
        return Err(Error::usage("-o has no {}, which becomes the name of a part").into());
    }
    for (place, part) in args.parts.iter().enumerate() {
        if args.parts[..place].iter().any(|other| other.name == part.name) {
            return Err(usage!("part {} is named twice", part.name).into());
        }
    }
    let path = |part: &CorpusPart| PathBuf::from(template.replace("{}", &part.name));
    let paths: Vec<PathBuf> = args.parts.iter().map(path).collect();
    let all = FileUses::default()
        .reads_records(&args.run.files, &args.run.input)
        .writes(OutputFile::REJECTS, args.run.output.rejects.as_deref())
        .writes(OutputFile::STATISTICS, args.run.report.stats_out.as_deref())
        .writes(OutputFile::PAGE, args.run.report.report.as_deref())
        .writes(OutputFile::OUTCOMES, args.run.report.outcomes_out.as_deref());
    let is_named = args.run.output.output_format.is_some();
    let write = |all: FileUses, path: &PathBuf| all.writes_rows(OutputFile::PARTS, Some(path), is_named);
    paths.iter().fold(all, write).check_conflicts()?;
    // The suffix of the name template given with `-o` determines the format of all output files. If the
    // template ends with the placeholder `{}`, a name could end with the suffix of another format.
    let said = |path: &Path| OutputFile::PARTS.said(Some(path), is_named);
    let of_all = said(Path::new(template))?;
    for path in paths.iter().filter(|_| !is_named) {
        if said(path)? != of_all {
            let (path, template) = (shown::path(path), shown::text(template));
            return Err(usage!(
                "{path} has the suffix of another format than -o {template}: end -o in that suffix"
            )
            .into());
        }
    }
    let mut run = RecordRun::new(&args.run, options)?;
    let shared: Vec<String> = args.parts.iter().map(|part| format!("{}={}", part.name, part.share)).collect();
    let mut words = run.options.words();
    words.extend(["--parts", &shared.join(","), "--seed", &args.seed.to_string()].map(str::to_owned));
    run.words = Some(words);
    let mut targets = Vec::new();
    let mut files: Vec<PartFile> = Vec::new();
    for path in &paths {
        let (target, file) = run.signals.at_once(|| Target::create(path, args.run.output.to.write))?;
        targets.push(target);
        files.push(PartFile { path: path.clone(), file });
    }
    let shares: Vec<u32> = args.parts.iter().map(|part| part.share).collect();
    let mut filter = Parts::new(files, &shares, args.seed);
    run.parts = Some((targets, Box::new(filter.heads())));
    let status = run.answer(Some(&mut filter))?;
    if !args.run.report.quiet {
        let counts = args.parts.iter().zip(filter.counts());
        let counts: Vec<String> =
            counts.map(|(part, count)| format!("{} {}", part.name, grouped(count))).collect();
        say!("quadrille: {}", counts.join(", "));
        if filter.by_clues > 0 {
            let records = number_of(filter.by_clues, "record");
            say!(
                "quadrille: {records} went into parts by their clues because the form of their solution is unknown: parts may share solutions"
            );
        }
    }
    // This message is printed even with `--quiet`, because the counted records are missing from all outputs.
    if filter.without_part > 0 {
        say!("quadrille: {} in no part", number_of(filter.without_part, "unreadable record"));
    }
    Ok(status)
}

/// Returns the options of a run that compares records. `is_kept_open` is true if the output files are only
/// complete at the end of the run.
///
/// The run keeps the input order, because this order decides which record is the first of a class (records
/// that count as equal).
fn options(args: &RunArgs, comparison: Comparison, is_kept_open: bool) -> Result<BatchOptions> {
    for (is_given, name, reason) in [
        (args.output.unordered, "--unordered", "the first of a class must be the first of the input"),
        (args.input.keep_lines, "--keep-lines", "lines that are not records belong to no class"),
        (
            is_kept_open && args.output.keep.checkpoint.is_some(),
            "--checkpoint",
            "parts are complete only at the end of the run",
        ),
    ] {
        if is_given {
            return Err(usage!("{name} cannot be used when records are compared: {reason}").into());
        }
    }
    let mut options = config::batch_options(args, Query::Compare(comparison))?;
    // If the user named neither a format nor fields, rows have the same columns as the input.
    options.output.bare = args.output.output_format.is_none()
        && args.output.fields.is_empty()
        && matches!(options.output.format, OutputFormat::Csv | OutputFormat::Jsonl);
    Ok(options)
}

/// Returns the directory for temporary files. This is the directory of the output file, where there is enough
/// space, or the system's temporary directory if there is no such file.
fn scratch(args: &RunArgs) -> PathBuf {
    let beside = args.output.to.out.as_deref().and_then(Path::parent);
    match beside {
        Some(directory) if directory.as_os_str().is_empty() => PathBuf::from("."),
        Some(directory) => directory.to_owned(),
        None => std::env::temp_dir(),
    }
}

/// Returns a text that summarizes the classes (groups of records that count as equal).
fn summary(report: &DedupReport) -> String {
    let classes = &report.classes;
    let without = classes.records - classes.keyed;
    let mut text = format!(
        "quadrille: {} of {}: {}, {} of them exact copies",
        if classes.classes == 1 {
            "1 class".to_owned()
        } else {
            format!("{} classes", grouped(classes.classes))
        },
        number_of(classes.keyed, "record"),
        number_of(classes.duplicates, "duplicate"),
        grouped(report.copies),
    );
    if without > 0 {
        text += &format!("; {} in no class", number_of(without, "record"));
    }
    text.push('\n');
    for class in &classes.largest {
        let first = report.start + class.first;
        text += &format!("quadrille: {} records are like record {}\n", grouped(class.size), grouped(first));
    }
    text
}

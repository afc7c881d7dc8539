//! `estimate`: estimates the number of solutions and the search effort by random probes.

use std::io::{ErrorKind, Write};
use std::sync::Arc;

use anyhow::Result;
use serde_json::{Value, json};

use super::aside_reader::{AsideReader, Input};
use crate::cli::args::EstimateArgs;
use crate::cli::files::{self, FileUses, OutputFile};
use crate::cli::messages::say;
use crate::cli::signals::Signals;
use crate::cli::{config, exit, unreadable_input};
use quadrille_engine::{Confidence, EnginePreference, Estimate, EstimateOptions, MeanWithError, estimate};
use quadrille_formats::input::{Body, Chunk, ChunkTarget, Format, Parser, ROUNDED, Reader, Record, Records};
use quadrille_model::{EndedBy, Error, shown};

pub(super) fn run(args: &EstimateArgs) -> Result<u8> {
    let options = config::input_options(&args.input)?;
    let preference = EnginePreference { engine: args.engine, ..EnginePreference::default() };
    let probing =
        EstimateOptions { probes: args.probes, seed: args.seed, preference, ..EstimateOptions::default() };
    FileUses::default()
        .reads_records(&args.files)
        .reads_rules(args.input.regions.as_deref(), args.input.houses.as_deref())
        .writes_rows(OutputFile::Rows, None, false)
        .check_conflicts()?;
    super::reads_terminal(&args.files);
    let control = config::control(args.deadline);
    let signals = Signals::listen(&control)?;
    let pool = config::pool(args.pool.threads)?;
    let reader = Reader::new(config::sources(&args.files)?, options.clone());
    let chunks = AsideReader::start(reader, ChunkTarget { bytes: 1 << 20, records: 100 })?;
    let mut parser = Parser::new(&options);
    let mut records = Records::default();
    let mut out = files::standard_output()?;
    let mut index = args.input.index_offset;
    let mut unread = UnreadCounts::default();
    let looks = loop {
        let chunk = match chunks.next(&control) {
            Ok(Input::Chunk(chunk)) => chunk,
            Ok(Input::End { looks }) => break looks,
            Ok(Input::Failed(error)) => return Err(error.into()),
            Err(reason) => return Ok(stopped_reading(reason, index, &signals)),
        };
        parser.parse_until(&chunk, &mut records, &|| control.stop());
        let warnings = records.warnings.iter().filter(|_| !args.messages.quiet);
        warnings.for_each(|warning| say!("quadrille: {warning}"));
        for record in records.list.iter().filter(|record| !matches!(record.body, Body::Skipped)) {
            unread.add(&chunk, record);
            let line = match (&record.body, records.problem(record)) {
                (Body::Invalid(reason) | Body::Unsupported(reason), _) => {
                    index += 1;
                    invalid(index, &reason.to_string(), args.json)
                }
                (&Body::Unread(reason), _) => return Ok(stopped_reading(reason, index, &signals)),
                (_, None) => continue,
                (_, Some(problem)) => {
                    index += 1;
                    let about = pool.install(|| estimate(problem, &probing, &control))?;
                    if about.probes > 0 && !is_read(&mut out, &shown(index, &about, &probing, args.json))? {
                        return Ok(exit::OK);
                    }
                    if let Some(reason) = control.stop() {
                        let first =
                            if about.probes == 0 { ", before its first probe was complete" } else { "" };
                        say!("quadrille: stopped ({}) at record {index}{first}", reason.word());
                        return Ok(signals.exit_status(reason));
                    }
                    continue;
                }
            };
            if !is_read(&mut out, &line)? {
                return Ok(exit::OK);
            }
        }
    };
    if let Some(warning) = unread.warning(looks.as_deref()) {
        say!("quadrille: {warning}");
        return Ok(exit::UNREADABLE);
    }
    Ok(exit::OK)
}

/// Prints that the run stopped while reading, and returns the exit status.
fn stopped_reading(reason: EndedBy, index: u64, signals: &Signals) -> u8 {
    say!("quadrille: stopped ({}) while reading, after record {index}", reason.word());
    signals.exit_status(reason)
}

/// Numbers of unreadable records.
#[derive(Default)]
struct UnreadCounts {
    all: RecordCounts,
    /// Counts per source, in input order.
    sources: Vec<(Arc<str>, RecordCounts)>,
    /// The format of the first source.
    format: Option<Format>,
    /// The place of the first record that a spreadsheet rounded.
    first_rounded: Option<String>,
}

#[derive(Clone, Copy, Default)]
struct RecordCounts {
    all: u64,
    invalid: u64,
    of_rules: u64,
    announced: u64,
    rounded: u64,
}

impl UnreadCounts {
    fn add(&mut self, chunk: &Chunk, record: &Record) {
        self.format.get_or_insert(chunk.layout.format);
        if self.sources.last().is_none_or(|(name, _)| name != &chunk.source) {
            self.sources.push((Arc::clone(&chunk.source), RecordCounts::default()));
        }
        let starts =
            |words| matches!(&record.body, Body::Invalid(reason) if reason.to_string().starts_with(words));
        let (of_rules, is_rounded) = (starts(unreadable_input::OF_RULES), starts(ROUNDED));
        let announced = starts(unreadable_input::ANNOUNCED);
        if is_rounded {
            self.first_rounded
                .get_or_insert_with(|| format!("{}:{}", shown::text(&chunk.source), record.line));
        }
        let of_source = self.sources.last_mut().map(|(_, counts)| counts);
        for counts in of_source.into_iter().chain([&mut self.all]) {
            counts.all += 1;
            counts.invalid += u64::from(matches!(record.body, Body::Invalid(_)));
            counts.of_rules += u64::from(of_rules);
            counts.announced += u64::from(announced);
            counts.rounded += u64::from(is_rounded);
        }
    }

    /// If most of the input is unreadable, returns the message that other verbs print too; otherwise `None`.
    fn warning(&self, looks: Option<&str>) -> Option<String> {
        let source = self.sources.iter().find(|(_, counts)| counts.invalid == counts.all);
        let RecordCounts { all, invalid, of_rules, announced, rounded } = self.all;
        let rounded = self.first_rounded.clone().filter(|_| 2 * rounded > invalid);
        let source = source.map(|(name, _)| &**name);
        let unread = unreadable_input::Unread { invalid, of_rules, announced, rounded, all, source };
        unreadable_input::complaint_of(&unread, self.format, looks)
    }
}

/// Writes a line. Returns false if the reader of the output is gone.
fn is_read(out: &mut dyn Write, line: &str) -> Result<bool> {
    match out.write_all(line.as_bytes()).and_then(|()| out.flush()) {
        Ok(()) => Ok(true),
        Err(cause) if cause.kind() == ErrorKind::BrokenPipe => Ok(false),
        Err(cause) => Err(Error::io("writing", "standard output", 0, cause).into()),
    }
}

fn invalid(index: u64, reason: &str, as_json: bool) -> String {
    if as_json {
        return format!("{}\n", json!({"index": index, "status": "invalid", "reason": reason}));
    }
    format!("invalid\t{reason}\n")
}

fn shown(index: u64, about: &Estimate, probing: &EstimateOptions, as_json: bool) -> String {
    let Estimate { probes, hits, solutions, nodes, deepest, selection, .. } = about;
    let engine = selection.kind.name();
    // If no probe found a solution, only an upper bound is known: each solution is a node of the search.
    let is_found = *hits > 0 || *deepest == 0;
    if as_json {
        let (mean, most) =
            if is_found { (figure(solutions), Value::Null) } else { (Value::Null, figure(nodes)) };
        let row = json!({
            "index": index, "solutions": mean, "solutions_at_most": most, "nodes": figure(nodes), "probes": probes, "hits": hits,
            "deepest": deepest, "seed": probing.seed, "engine": engine,
        });
        return format!("{row}\n");
    }
    let solutions = if is_found {
        format!("solutions {solutions}")
    } else {
        format!("no probe found a solution; there are at most as many solutions as nodes, about {nodes}")
    };
    // A single probe has no interval.
    let told = if *probes > 1 { "; in brackets 95 %" } else { "" };
    format!("{solutions}, nodes {nodes} ({probes} probes of {engine}, seed {}{told})\n", probing.seed)
}

fn figure(figure: &MeanWithError) -> Value {
    let pair = |bounds: Option<(f64, Option<f64>)>| bounds.map(|(low, high)| json!([low, high]));
    json!({
        "mean": figure.mean(),
        "error": figure.error(),
        "log10": figure.log10(),
        "interval_68": pair(figure.interval(Confidence::P68)),
        "interval_95": pair(figure.interval(Confidence::P95)),
        "log10_interval_68": pair(figure.log10_interval(Confidence::P68)),
        "log10_interval_95": pair(figure.log10_interval(Confidence::P95)),
    })
}

//! `estimate`: estimates the number of solutions and the search effort with random probes.

use std::io::{ErrorKind, Write};

use anyhow::Result;
use serde_json::{Value, json};

use super::aside_reader::{AsideReader, Input};
use crate::cli::args::EstimateArgs;
use crate::cli::files::{self, FileUses, OutputFile};
use crate::cli::messages::say;
use crate::cli::signals::Signals;
use crate::cli::{config, exit, unreadable_input};
use quadrille_batch::stats::Statistics;
use quadrille_engine::{Confidence, EnginePreference, Estimate, EstimateOptions, MeanWithError, estimate};
use quadrille_formats::input::{Body, Records};
use quadrille_model::{Answer, EndedBy, Error, Status};

pub(super) fn run(args: &EstimateArgs) -> Result<u8> {
    let options = config::input_options(&args.input)?;
    let preference = EnginePreference { engine: args.engine, ..EnginePreference::default() };
    let probing =
        EstimateOptions { probes: args.probes, seed: args.seed, preference, ..EstimateOptions::default() };
    FileUses::default()
        .reads_records(&args.files, &args.input)
        .writes_rows(OutputFile::Rows, None, false)
        .check_conflicts()?;
    super::reads_terminal(&args.files);
    let control = config::control(args.deadline);
    let signals = Signals::listen(&control)?;
    let pool = config::pool(args.pool.threads)?;
    let mut reader = AsideReader::start(&args.files, &options, 100, &control)?;
    let mut records = Records::default();
    let mut out = files::standard_output()?;
    let mut index = args.input.index_offset;
    let (mut read, mut format) = (Statistics::default(), None);
    let looks = loop {
        let chunk = match reader.next()? {
            Input::Chunk(chunk) => chunk,
            Input::End(looks) => break looks,
            Input::Stopped(reason) => return Ok(stopped_reading(reason, index, &signals)),
        };
        format.get_or_insert(chunk.layout.format);
        reader.parse(&chunk, &mut records, args.messages.quiet);
        for record in records.list.iter().filter(|record| !matches!(record.body, Body::Skipped)) {
            let answer = match &record.body {
                Body::Invalid(reason) => Answer::without_search(Status::Invalid, (**reason).clone()),
                _ => Answer::read(),
            };
            read.record_read((index, &chunk.source, record.line), &answer);
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
    if let Some(warning) = unreadable_input::warning(&read, format, looks.as_deref()) {
        say!("quadrille: {warning}");
        return Ok(exit::UNREADABLE);
    }
    Ok(exit::OK)
}

/// Prints that the run was stopped while it was reading input, and returns the exit status.
fn stopped_reading(reason: EndedBy, index: u64, signals: &Signals) -> u8 {
    say!("quadrille: stopped ({}) while reading, after record {index}", reason.word());
    signals.exit_status(reason)
}

/// Writes a line. Returns false if the program that reads the output has closed it.
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
    // If no probe found a solution, only an upper bound is known. This bound is the number of nodes, because
    // each solution is a node.
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
    // One probe alone gives no interval.
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

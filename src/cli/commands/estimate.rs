//! `estimate`: estimates the number of solutions and the search effort with random probes.

use std::io::{ErrorKind, Write};

use anyhow::Result;
use serde_json::{Value, json};

use super::aside_reader::{AsideReader, ReadRecord};
use crate::cli::args::EstimateArgs;
use crate::cli::files::{self, FileUses, OutputFile};
use crate::cli::signals::Signals;
use crate::cli::{config, exit, unreadable_input};
use quadrille_batch::stats::Statistics;
use quadrille_engine::{Confidence, EnginePreference, Estimate, EstimateOptions, MeanWithError, estimate};
use quadrille_formats::input::Body;
use quadrille_model::{Answer, Error, Status};

pub(super) fn run(args: &EstimateArgs) -> Result<u8> {
    let options = config::input_options(&args.input)?;
    let preference = EnginePreference { engine: args.engine, ..EnginePreference::default() };
    let probing =
        EstimateOptions { probes: args.probes, seed: args.seed, preference, ..EstimateOptions::default() };
    FileUses::default()
        .reads_records(&args.files, &args.input)
        .writes_rows(OutputFile::ROWS, None, false)
        .check_conflicts()?;
    super::reads_terminal(&args.files);
    let signals = Signals::listen(args.deadline)?;
    let pool = config::pool(args.pool.threads)?;
    let if_stopped = " while reading, after record {}";
    let mut reader = AsideReader::start(&args.files, &options, 100, &signals, if_stopped)?;
    reader.number = args.input.index_offset;
    let mut out = files::standard_output()?;
    let (mut read, mut is_closed) = (Statistics::default(), false);
    reader.each(args.messages.quiet, |ReadRecord { number, chunk, record, problem }| {
        let answer = match &record.body {
            Body::Invalid(reason) => Answer::without_search(Status::Invalid, (**reason).clone()),
            _ => Answer::read(),
        };
        read.record_read((number - 1, &chunk.source, record.line), &answer);
        let (line, at) = match problem {
            Ok(problem) => {
                let about = pool.install(|| estimate(problem, &probing, signals.control()))?;
                match about.probes {
                    0 => (String::new(), Some(", before its first probe was complete")),
                    _ => (shown(number, &about, &probing, args.json), Some("")),
                }
            }
            Err(reason) => (invalid(number, &reason, args.json), None),
        };
        is_closed = !is_read(&mut out, &line)?;
        match signals.control().stop().zip(at) {
            Some((reason, at)) if !is_closed => {
                Err(signals.stopped(reason, format_args!(" at record {number}{at}")))
            }
            _ => Ok(!is_closed),
        }
    })?;
    if is_closed {
        return Ok(exit::OK);
    }
    if let Some(warning) = unreadable_input::warning(&read, reader.format, reader.format_hint.as_deref()) {
        return Err(exit::with(exit::UNREADABLE, warning));
    }
    Ok(exit::OK)
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

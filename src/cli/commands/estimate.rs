//! `estimate`: the number of solutions and the work of finding them, by random probes.

use std::io::Write;

use anyhow::Result;
use serde_json::{Value, json};

use crate::cli::args::EstimateArgs;
use crate::cli::files::{self, Files};
use crate::cli::signals::Signals;
use crate::cli::{config, exit};
use crate::engine::{EnginePreference, Estimate, Figure, Probing, estimate};
use crate::error::Error;
use crate::input::{Body, Chunk, ChunkTarget, Parser, Reader, Records};

pub(super) fn run(args: &EstimateArgs) -> Result<u8> {
    let options = config::input_options(&args.input)?;
    let preference = EnginePreference { engine: args.engine, ..EnginePreference::default() };
    let probing = Probing { probes: args.probes, seed: args.seed, preference };
    Files::default()
        .reads_records(&args.files)
        .reads_rules(args.input.regions.as_deref(), args.input.houses.as_deref())
        .writes_rows(None)
        .require_apart()?;
    super::reads_terminal(&args.files);
    let control = config::control(args.deadline);
    let signals = Signals::listen(&control)?;
    let pool = config::pool(args.pool.threads)?;
    let mut reader = Reader::new(config::sources(&args.files)?, options.clone());
    let mut parser = Parser::new(&options);
    let (mut chunk, mut records) = (Chunk::default(), Records::default());
    let mut out = files::standard_output()?;
    let mut index = args.input.index_offset;
    while reader.next_chunk(&mut chunk, ChunkTarget { bytes: 1 << 20, records: 100 })? {
        parser.parse(&chunk, &mut records);
        records.warnings.iter().for_each(|warning| eprintln!("quadrille: {warning}"));
        for record in &records.list {
            let line = match (&record.body, records.problem(record)) {
                (Body::Skipped, _) => continue,
                (Body::Invalid(reason) | Body::Unsupported(reason), _) => {
                    index += 1;
                    invalid(index, &reason.to_string(), args.json)
                }
                (_, None) => continue,
                (_, Some(problem)) => {
                    index += 1;
                    let about = pool.install(|| estimate(problem, &probing, &control))?;
                    if about.probes > 0 {
                        write(&mut out, &shown(index, &about, &probing, args.json))?;
                    }
                    if let Some(reason) = control.stop() {
                        out.flush()?;
                        eprintln!("quadrille: stopped ({}) at record {index}", reason.word());
                        return Ok(signals.exit_status(reason));
                    }
                    continue;
                }
            };
            write(&mut out, &line)?;
        }
    }
    out.flush().map_err(|cause| Error::io("writing", "-", 0, cause))?;
    Ok(exit::OK)
}

fn write(out: &mut dyn Write, line: &str) -> Result<()> {
    let written = out.write_all(line.as_bytes()).and_then(|()| out.flush());
    Ok(written.map_err(|cause| Error::io("writing", "-", 0, cause))?)
}

fn invalid(index: u64, reason: &str, as_json: bool) -> String {
    if as_json {
        return format!("{}\n", json!({"index": index, "status": "invalid", "reason": reason}));
    }
    format!("invalid\t{reason}\n")
}

fn shown(index: u64, about: &Estimate, probing: &Probing, as_json: bool) -> String {
    let Estimate { probes, hits, solutions, nodes, deepest, selection } = about;
    let engine = selection.kind.info().name;
    // Nothing was learned about solutions but that they are hard to find: each is a node of the search.
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
        format!("no probe found a solution; at most as many as nodes, about {nodes}")
    };
    format!("{solutions}, nodes {nodes} ({probes} probes of {engine}, seed {})\n", probing.seed)
}

fn figure(figure: &Figure) -> Value {
    json!({"mean": figure.mean(), "error": figure.error(), "log10": figure.log10()})
}

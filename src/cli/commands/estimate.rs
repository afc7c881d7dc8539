//! `estimate`: the number of solutions and the work of finding them, by random probes.

use std::io::{ErrorKind, Write};
use std::sync::Arc;

use anyhow::Result;
use serde_json::{Value, json};

use crate::cli::args::EstimateArgs;
use crate::cli::files::{self, Files};
use crate::cli::messages::say;
use crate::cli::signals::Signals;
use crate::cli::{config, exit, unreadable};
use quadrille_engine::{EnginePreference, Estimate, Figure, Probing, estimate};
use quadrille_formats::input::{Body, Chunk, ChunkTarget, Format, Parser, Reader, Record, Records};
use quadrille_model::Error;

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
    let mut unread = UnreadCounts::default();
    while reader.next_chunk(&mut chunk, ChunkTarget { bytes: 1 << 20, records: 100 })? {
        parser.parse(&chunk, &mut records);
        records.warnings.iter().for_each(|warning| say!("quadrille: {warning}"));
        for record in records.list.iter().filter(|record| !matches!(record.body, Body::Skipped)) {
            unread.add(&chunk, record);
            let line = match (&record.body, records.problem(record)) {
                (Body::Invalid(reason) | Body::Unsupported(reason), _) => {
                    index += 1;
                    invalid(index, &reason.to_string(), args.json)
                }
                (_, None) => continue,
                (_, Some(problem)) => {
                    index += 1;
                    let about = pool.install(|| estimate(problem, &probing, &control))?;
                    if about.probes > 0 && !is_read(&mut out, &shown(index, &about, &probing, args.json))? {
                        return Ok(exit::OK);
                    }
                    if let Some(reason) = control.stop() {
                        say!("quadrille: stopped ({}) at record {index}", reason.word());
                        return Ok(signals.exit_status(reason));
                    }
                    continue;
                }
            };
            if !is_read(&mut out, &line)? {
                return Ok(exit::OK);
            }
        }
    }
    if let Some(complaint) = unread.complaint(reader.first_looks()) {
        say!("quadrille: {complaint}");
        return Ok(exit::UNREADABLE);
    }
    Ok(exit::OK)
}

/// The numbers of records that could not be read.
#[derive(Default)]
struct UnreadCounts {
    all: RecordCounts,
    /// Of each source.
    sources: Vec<(Arc<str>, RecordCounts)>,
    /// The format of the first source.
    format: Option<Format>,
}

#[derive(Clone, Copy, Default)]
struct RecordCounts {
    all: u64,
    invalid: u64,
    of_rules: u64,
}

impl UnreadCounts {
    /// Adds a record of a chunk.
    fn add(&mut self, chunk: &Chunk, record: &Record) {
        self.format.get_or_insert(chunk.layout.format);
        if self.sources.last().is_none_or(|(name, _)| name != &chunk.source) {
            self.sources.push((Arc::clone(&chunk.source), RecordCounts::default()));
        }
        let of_source = self.sources.last_mut().map(|(_, counts)| counts);
        for counts in of_source.into_iter().chain([&mut self.all]) {
            counts.all += 1;
            if let Body::Invalid(reason) = &record.body {
                counts.invalid += 1;
                counts.of_rules += u64::from(reason.to_string().starts_with(unreadable::OF_RULES));
            }
        }
    }

    /// The message where hardly anything could be read, as other verbs have it.
    fn complaint(&self, looks: Option<&'static str>) -> Option<String> {
        let source = self.sources.iter().find(|(_, counts)| counts.invalid == counts.all);
        let RecordCounts { all, invalid, of_rules } = self.all;
        let unread = unreadable::Unread { invalid, of_rules, all, source: source.map(|(name, _)| &**name) };
        unreadable::complaint_of(&unread, self.format, looks)
    }
}

/// Writes a line; `false` if the reader of the output is gone.
fn is_read(out: &mut dyn Write, line: &str) -> Result<bool> {
    match out.write_all(line.as_bytes()).and_then(|()| out.flush()) {
        Ok(()) => Ok(true),
        Err(cause) if cause.kind() == ErrorKind::BrokenPipe => Ok(false),
        Err(cause) => Err(Error::io("writing", "-", 0, cause).into()),
    }
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

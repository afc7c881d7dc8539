//! Whole runs on any bytes.

use std::sync::Arc;

use quadrille::batch::{self, BatchOptions, NodeLimit, OnError, Outputs, Progress, Query};
use quadrille::engine::Control;
use quadrille::input::Source;
use quadrille::output::OutputFormat;
use quadrille::stats::Statistics;
use quadrille::{Direction, Status, TopK};

use super::bytes::Bytes;
use super::parsing::{Formats, options as input_options};

/// Maximum number of nodes per record: enough to find most solutions, few enough for a thousand runs per
/// second.
const NODES: u64 = 300;

fn options(bytes: &mut Bytes<'_>) -> BatchOptions {
    let asks = [
        Query::Solve,
        Query::Unique,
        Query::Several(3),
        Query::Every,
        Query::Count { limit: Some(5) },
        Query::Count { limit: None },
        Query::Best(TopK { direction: Direction::Maximize, limit: 1 }),
        Query::Check { minimal: false },
        Query::Check { minimal: true },
        Query::Least,
    ];
    let mut options = BatchOptions::new(bytes.one_of(&asks));
    options.output.format = bytes.one_of(OutputFormat::ALL);
    options.on_error = bytes.one_of(&[OnError::Row, OnError::Skip, OnError::Fail]);
    options.chunk_bytes = bytes.below(200) + 1;
    options.node_limit = NodeLimit::Asked(NODES);
    options.input = input_options(bytes, Formats::Sniffed);
    if matches!(options.ask, Query::Best(_)) {
        options.input.weights = Some(quadrille::input::WeightSource::Target);
    }
    options
}

/// Returns the rows and rejects of a run, and its error.
pub(crate) fn run(options: &BatchOptions, text: &[u8]) -> (Vec<u8>, Vec<u8>, Option<String>) {
    let (mut rows, mut rejects) = (Vec::new(), Vec::new());
    let source = Source::Bytes { name: "fuzz".to_owned(), bytes: text.to_vec() };
    let outputs = Outputs { rejects: Some(Box::new(&mut rejects)), ..Outputs::new(Box::new(&mut rows)) };
    let progress = Progress::new(options.threads);
    let report = batch::run(vec![source], options, outputs, &Arc::new(Control::new()), &progress);
    let error = match report {
        Ok(report) => report.error.map(|error| error.to_string()),
        Err(error) => Some(error.to_string()),
    };
    if let Some(message) = &error {
        assert!(!message.contains("internal"), "{message}");
    }
    assert!(!rows.windows(8).any(|word| word == b"internal"), "{}", String::from_utf8_lossy(&rows));
    (rows, rejects, error)
}

/// Compares a run on one thread with a run on two threads that selects every status by name.
///
/// Selecting all statuses changes nothing, but keeps records out of column chunks. The output and the error
/// must be the same, and not an internal error.
///
/// # Panics
/// Panics if output or error differ.
pub fn runs_are_the_same_on_one_thread_and_two(data: &[u8]) {
    let mut bytes = Bytes(data);
    let options = options(&mut bytes);
    let text = bytes.rest();
    let one = run(&BatchOptions { threads: 1, ..options.clone() }, text);
    let only = if options.ask.is_several() { Vec::new() } else { Status::ALL.to_vec() };
    let two = run(&BatchOptions { threads: 2, only, ..options }, text);
    let shown = |(rows, rejects, error): &(Vec<u8>, Vec<u8>, Option<String>)| {
        format!("{}\n{}\n{error:?}", String::from_utf8_lossy(rows), String::from_utf8_lossy(rejects))
    };
    assert!(one == two, "one thread:\n{}\ntwo:\n{}", shown(&one), shown(&two));
}

/// Reads the bytes as a statistics file, which must be refused with a message or survive a round trip.
///
/// # Panics
/// Panics if reading what was written gives other statistics.
pub fn statistics_are_read_or_refused(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    match Statistics::from_json("fuzz", text) {
        Err(error) => assert!(!error.to_string().is_empty()),
        Ok(statistics) => {
            let written = statistics.to_json();
            let again = Statistics::from_json("fuzz", &written).expect("what was written can be read");
            assert_eq!(again.to_json(), written);
        }
    }
}

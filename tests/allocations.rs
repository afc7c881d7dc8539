//! A long run allocates hardly more than a short one: what a record needs is there from the records before it.

use std::alloc::System;
use std::path::Path;
use std::sync::Arc;

use quadrille::batch::{Ask, BatchOptions, Outputs, Progress, run};
use quadrille::engine::Control;
use quadrille::input::Source;
use stats_alloc::{INSTRUMENTED_SYSTEM, Region, StatsAlloc};

#[global_allocator]
static ALLOCATOR: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

const COPIES: usize = 20;

/// Allocations of a run over some text, after all else is there.
fn allocations(ask: Ask, text: &str) -> usize {
    let mut options = BatchOptions::new(ask);
    options.threads = 2;
    options.chunk_bytes = 16 << 10;
    let sources = vec![Source::Bytes { name: "corpus".into(), bytes: text.as_bytes().to_vec() }];
    let outputs = Outputs {
        rows: Box::new(std::io::sink()),
        rejects: None,
        notice: Box::new(|_| {}),
        checkpoint: None,
    };
    let region = Region::new(ALLOCATOR);
    let report = run(sources, &options, outputs, &Arc::new(Control::new()), &Progress::default()).unwrap();
    let change = region.change();
    assert_eq!(report.statistics.answered(), records(text));
    assert!(report.error.is_none());
    change.allocations + change.reallocations
}

fn records(text: &str) -> u64 {
    text.lines().filter(|line| !line.starts_with("quizzes")).count() as u64
}

/// One test, so that nothing else allocates meanwhile.
#[test]
fn records_cost_no_allocation() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("data");
    let read = |name: &str| std::fs::read_to_string(folder.join(name)).unwrap();
    let table = read("kaggle-1000.csv");
    let (header, rows) = table.split_once('\n').unwrap();
    let lines = read("random-1000.txt");
    let of_lines = |copies: usize| lines.repeat(copies);
    let of_table = |copies: usize| format!("{header}\n{}", rows.repeat(copies));
    let cases: [(Ask, &dyn Fn(usize) -> String); 5] = [
        (Ask::Solve, &of_lines),
        (Ask::Unique, &of_lines),
        (Ask::Count { limit: Some(2) }, &of_lines),
        (Ask::Check { minimal: true }, &of_lines),
        (Ask::Check { minimal: false }, &of_table),
    ];
    for (ask, text) in cases {
        let (short, long) = (text(COPIES / 4), text(COPIES));
        let more_records = records(&long) - records(&short);
        let few = allocations(ask, &short);
        let more = allocations(ask, &long).saturating_sub(few);
        assert!(
            more < more_records as usize / 5,
            "{ask:?}: {more} allocations more for {more_records} records, {few} before"
        );
    }
}

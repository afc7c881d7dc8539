//! Micro-benchmarks of the stages around the engines, per puzzle: cutting, parsing, verifying, formatting.
//!
//!     cargo bench -p quadrille-benches --bench pipeline
//!
//! The result of every stage is checked before it is timed.

use std::hint::black_box;
use std::path::Path;

use criterion::{BatchSize, Criterion, Throughput, criterion_group, criterion_main};
use quadrille::engine::Counters;
use quadrille::input::{InputOptions, Source};
use quadrille::internals::{Chunk, ChunkTarget, Formatter, Outcome, Parser, Reader, Records, Row, formatter};
use quadrille::output::OutputOptions;
use quadrille::{Answer, Count, EndedBy, Goal, Solution, verify};

/// Number of copies of the corpus, to fill a chunk of the usual size.
const COPIES: usize = 10;
const TARGET: ChunkTarget = ChunkTarget { bytes: 1 << 20, records: u64::MAX };

/// Returns the puzzles of data/kaggle-1000.csv, one per line, and their solutions in the same form.
fn corpus() -> (String, String) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../data/kaggle-1000.csv");
    let text = std::fs::read_to_string(path).expect("data/kaggle-1000.csv belongs to the package");
    let (mut puzzles, mut solutions) = (String::new(), String::new());
    for row in text.lines().skip(1) {
        let (puzzle, solution) = row.split_once(',').expect("every row has two fields");
        puzzles.extend([puzzle, "\n"]);
        solutions.extend([solution, "\n"]);
    }
    (puzzles.repeat(COPIES), solutions.repeat(COPIES))
}

/// Cuts text into chunks. Returns the last chunk and the total number of records.
fn cut(text: Vec<u8>) -> (Chunk, u64) {
    let source = Source::Bytes { name: "bench".into(), bytes: text };
    let mut reader = Reader::new(vec![source], InputOptions::default());
    let (mut chunk, mut last, mut records) = (Chunk::default(), Chunk::default(), 0);
    while reader.next_chunk(&mut chunk, TARGET).expect("bytes in memory can be read") {
        records += chunk.records;
        std::mem::swap(&mut chunk, &mut last);
    }
    (last, records)
}

/// Writes the text that `solve` prints for all records of a chunk.
fn print(
    chunk: &Chunk,
    records: &Records,
    digits: &[u8],
    answer: &Answer,
    formatter: &dyn Formatter,
    out: &mut Vec<u8>,
) {
    out.clear();
    for ((index, record), digits) in (chunk.first_record..).zip(&records.list).zip(digits.chunks(81)) {
        let row = Row {
            layout: &chunk.layout,
            bytes: &chunk.bytes,
            source: &chunk.source,
            index,
            record,
            problem: records.problem(record),
            answer: Some(answer),
            solution: Some(Solution::Digits(digits)),
            image: None,
            transform: None,
            copy: None,
            converted: None,
            given: None,
            rated: None,
            path: None,
            score: None,
            solution_index: None,
            engine: "dlx",
            time_ns: None,
        };
        formatter.row(&row, out);
    }
}

/// Returns the number of records that are solved by the given digits.
fn verified(records: &Records, digits: &[u8]) -> usize {
    records
        .list
        .iter()
        .zip(digits.chunks(81))
        .filter(|(record, digits)| {
            records.problem(record).is_some_and(|problem| verify(problem, Solution::Digits(digits)).is_ok())
        })
        .count()
}

fn pipeline(criterion: &mut Criterion) {
    let (puzzles, solutions) = corpus();
    let digits: Vec<u8> = solutions.bytes().filter(|byte| *byte != b'\n').map(|byte| byte - b'1').collect();
    let count = puzzles.lines().count();

    let (chunk, cut_records) = cut(puzzles.clone().into_bytes());
    assert_eq!((cut_records, chunk.records), (count as u64, count as u64), "one chunk holds them all");
    let (mut parser, mut records) = (Parser::new(&InputOptions::default()), Records::default());
    parser.parse(&chunk, &mut records);
    assert_eq!(verified(&records, &digits), count);
    let outcome = Outcome {
        found: Count::from(1),
        ended_by: EndedBy::Complete,
        counters: Some(Counters::default()),
        best: None,
    };
    let answer = Answer::from_outcome(outcome, Goal::First(2));
    let formatter = formatter(OutputOptions::default()).expect("the default options fit together");
    let mut out = Vec::new();
    print(&chunk, &records, &digits, &answer, &*formatter, &mut out);
    assert_eq!(out, solutions.as_bytes());

    let mut group = criterion.benchmark_group("9x9 lines");
    group.throughput(Throughput::Elements(count as u64));
    group.bench_function("read and cut", |bencher| {
        bencher.iter_batched(|| puzzles.clone().into_bytes(), cut, BatchSize::LargeInput);
    });
    group.bench_function("parse", |bencher| bencher.iter(|| parser.parse(black_box(&chunk), &mut records)));
    group.bench_function("verify", |bencher| bencher.iter(|| verified(black_box(&records), &digits)));
    group.bench_function("format", |bencher| {
        bencher.iter(|| print(&chunk, black_box(&records), &digits, &answer, &*formatter, &mut out));
    });
    group.finish();
}

criterion_group!(benches, pipeline);
criterion_main!(benches);

//! Reads whole sources at once, for tests.

use proptest::prelude::*;

use super::{Body, Chunk, ChunkTarget, InputOptions, Parser, Reader, Record, Records, Source};
use quadrille_model::{DigitSet, Error, ProblemRef, Symbols};

/// A record with the data that its spans and indices refer to.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Read {
    pub(super) line: u64,
    pub(super) byte: u64,
    pub(super) number: u64,
    pub(super) text: Vec<u8>,
    pub(super) puzzle: Vec<u8>,
    pub(super) id: Vec<u8>,
    pub(super) body: String,
    pub(super) given: String,
    pub(super) symbols: Symbols,
}

#[derive(Debug, Default)]
pub(super) struct All {
    pub(super) records: Vec<Read>,
    pub(super) warnings: Vec<String>,
    pub(super) errors: Vec<Error>,
}

/// Generates bytes that do not begin like an archive or UTF-16.
///
/// Such sources are refused before a format is chosen.
pub(super) fn junk() -> impl Strategy<Value = Vec<u8>> {
    any::<Vec<u8>>().prop_map(|mut bytes| {
        bytes.iter_mut().take(1).for_each(|first| *first &= 0x0f);
        bytes
    })
}

pub(super) fn read_all(bytes: &[u8], options: InputOptions) -> All {
    read_in_chunks(bytes, options, ChunkTarget { bytes: 1 << 20, records: 1 << 20 })
}

pub(super) fn read_in_chunks(bytes: &[u8], options: InputOptions, target: ChunkTarget) -> All {
    read_source(Source::Bytes { name: "test".into(), bytes: bytes.to_vec() }, options, target)
}

pub(super) fn read_source(source: Source, options: InputOptions, target: ChunkTarget) -> All {
    let (mut chunk, mut records, mut all) = (Chunk::default(), Records::default(), All::default());
    let mut parser = Parser::new(&options);
    let mut reader = Reader::new(vec![source], options);
    loop {
        match reader.next_chunk(&mut chunk, target) {
            Ok(false) => return all,
            Err(error) => all.errors.push(error),
            Ok(true) => {
                parser.parse(&chunk, &mut records);
                all.warnings.append(&mut chunk.warnings);
                all.warnings.append(&mut records.warnings);
                let mut number = chunk.first_record;
                for record in &records.list {
                    all.records.push(owned(record, number, &chunk, &records));
                    number += u64::from(!matches!(record.body, Body::Skipped));
                }
                assert_eq!(number, chunk.first_record + chunk.records);
            }
        }
    }
}

fn owned(record: &Record, number: u64, chunk: &Chunk, records: &Records) -> Read {
    let body = match (&record.body, records.problem(record)) {
        (Body::Invalid(reason), _) => format!("invalid: {reason}"),
        (_, None) => "skipped".into(),
        (_, Some(ProblemRef::Packed(packed))) => {
            packed.to_cells().into_iter().map(|set| shown(DigitSet(set.into()), 9)).collect()
        }
        (_, Some(ProblemRef::Puzzle(puzzle))) => {
            let side = puzzle.geometry().side();
            let cells: String = puzzle.candidates().iter().map(|&set| shown(set, side)).collect();
            let groups: String =
                puzzle.constraints().iter().map(|constraint| format!(" {constraint:?}")).collect();
            let weights = if puzzle.weights().is_some() { " weighted" } else { "" };
            format!("{cells}{groups}{weights}")
        }
        (_, Some(ProblemRef::Cover(cover))) => format!("{cover:?}"),
    };
    let of = |span: super::Span| span.slice(&chunk.bytes).to_vec();
    Read {
        line: record.line,
        byte: record.byte,
        number,
        text: of(record.text),
        puzzle: of(record.puzzle),
        id: of(record.id),
        body,
        given: match &record.given {
            super::GivenSolution::Absent => String::new(),
            super::GivenSolution::Empty => "empty".into(),
            super::GivenSolution::Digits(span) => span
                .slice(&records.given)
                .iter()
                .map(|&digit| shown(DigitSet::only(digit.into()), 36))
                .collect(),
            super::GivenSolution::Unreadable(reason) => format!("unreadable: {reason}"),
        },
        symbols: record.symbols,
    }
}

/// Returns a cell as text: its digit, `0` if all digits are possible, or the candidates in braces.
fn shown(set: DigitSet, side: usize) -> String {
    match set.single() {
        Some(digit) => char::from(Symbols::DEFAULT.character(digit).unwrap_or(b'?')).to_string(),
        None if set == DigitSet::all(side) => "0".into(),
        None => format!("{{{}}}", set.iter().map(|digit| (digit + 1).to_string()).collect::<String>()),
    }
}

pub(super) fn bodies(all: &All) -> Vec<String> {
    all.records.iter().map(|record| record.body.clone()).collect()
}

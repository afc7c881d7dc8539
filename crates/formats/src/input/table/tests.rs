//! Bare cells and the text of rows give the same records at the same positions.

use std::io::Cursor;
use std::sync::Arc;

use arrow_array::{
    ArrayRef, FixedSizeBinaryArray, LargeStringArray, RecordBatch, RecordBatchIterator, StringArray,
    StringViewArray,
};
use arrow_schema::{DataType, Field, Schema, SchemaRef};

use crate::input::examples::EASY;
use crate::input::{Chunk, ChunkTarget, InputOptions, Position, Reader, Source};
use quadrille_model::random::SplitMix64;

/// Everything read from a source: the text of its rows, and the reader's counts.
#[derive(Debug, Default, PartialEq)]
struct ReadOut {
    text: Vec<u8>,
    records: u64,
    passed: (u64, u64),
    end: Position,
    looks: Option<String>,
    error: Option<String>,
}

/// Reads a source to its end. Also returns the number of chunks of bare cells.
fn read_out(mut reader: Reader, target: ChunkTarget) -> (ReadOut, usize) {
    let (mut out, mut chunk, mut bare) = (ReadOut::default(), Chunk::default(), 0);
    loop {
        match reader.next_chunk(&mut chunk, target) {
            Ok(true) => {}
            Ok(false) => break,
            Err(error) => {
                out.error = Some(error.to_string());
                continue;
            }
        }
        assert!(chunk.records <= target.records);
        assert_eq!((chunk.first_byte, chunk.first_record), (out.text.len() as u64, out.records + 1));
        assert_eq!(chunk.first_line, chunk.first_record);
        bare += usize::from(chunk.are_cells);
        chunk.spell_out();
        assert!(!chunk.are_cells);
        out.text.extend_from_slice(&chunk.bytes);
        out.records += chunk.records;
        out.end = chunk.end;
    }
    (out.passed, out.looks) = (reader.passed(), reader.format_hint());
    (out, bare)
}

/// Checks that a source reads the same with and without bare cells. Returns the number of chunks of bare cells.
fn compare(source: impl Fn() -> Source, options: &InputOptions, target: ChunkTarget) -> usize {
    let (text, none) = read_out(Reader::new(vec![source()], options.clone()), target);
    let (cells, bare) = read_out(Reader::with_cells(vec![source()], options.clone()), target);
    assert!(text == cells, "{} and {} records", text.records, cells.records);
    assert_eq!(none, 0);
    bare
}

fn value(random: &mut SplitMix64) -> Option<String> {
    match random.below(9) {
        0 => None,
        1 => Some(EASY[1..].to_owned()),
        2 => Some(String::new()),
        3 => Some("1".repeat(16)),
        4 => Some(EASY.replace('.', "\u{1e}")),
        5 => Some(format!("{EASY}{EASY}")),
        6 => Some("x".repeat(81)),
        _ => Some(format!(" {}", &EASY[1..])),
    }
}

fn batches(random: &mut SplitMix64) -> (SchemaRef, Vec<RecordBatch>) {
    let kind = random.below(4);
    let bad = [0, 0, 1000, 20][random.below(4)];
    let mut schema = None;
    let batches = (0..1 + random.below(4)).map(|_| {
        let rows = [0, 1, 50, 3000, 9000][random.below(5)];
        let values: Vec<Option<String>> = (0..rows)
            .map(|_| match bad > 0 && random.below(bad) == 0 {
                true => value(random),
                false => Some(EASY.to_owned()),
            })
            .collect();
        let values = values.iter().map(Option::as_deref);
        let array: ArrayRef = match kind {
            0 => Arc::new(StringArray::from_iter(values)),
            1 => Arc::new(LargeStringArray::from_iter(values)),
            2 => Arc::new(StringViewArray::from_iter(values)),
            _ => {
                let cells = values.map(|value| value.filter(|text| text.len() == 81).map(str::as_bytes));
                Arc::new(FixedSizeBinaryArray::try_from_sparse_iter_with_size(cells, 81).unwrap())
            }
        };
        let field = Field::new("puzzle", array.data_type().clone(), true);
        let schema = schema.get_or_insert_with(|| Arc::new(Schema::new(vec![field])));
        let from = random.below(1 + rows.min(3));
        RecordBatch::try_new(Arc::clone(schema), vec![array.slice(from, rows - from)]).unwrap()
    });
    let batches: Vec<_> = batches.collect();
    (
        schema.unwrap_or_else(|| Arc::new(Schema::new(vec![Field::new("puzzle", DataType::Utf8, true)]))),
        batches,
    )
}

fn targets(random: &mut SplitMix64) -> ChunkTarget {
    let bytes = [1, 82, 10_000, 256 << 10, 1 << 22][random.below(5)];
    ChunkTarget { bytes, records: [1, 7, 1000, u64::MAX][random.below(4)] }
}

#[test]
fn strings_are_read_alike_with_and_without_bulk_reading() {
    let (mut random, mut bare) = (SplitMix64(3), 0);
    for _ in 0..60 {
        let (schema, batches) = batches(&mut random);
        let source = || {
            let all = batches.clone().into_iter().map(Ok);
            let batches = Box::new(RecordBatchIterator::new(all, Arc::clone(&schema)));
            Source::Batches { name: "frame".to_owned(), batches }
        };
        let target = targets(&mut random);
        // Small chunks of many rows would take long.
        let target = if target.bytes < 1000 { ChunkTarget { records: 1000, bytes: 10_000 } } else { target };
        bare += compare(source, &InputOptions::default(), target);
        let strict = InputOptions { max_record_bytes: 81, ..InputOptions::default() };
        // As text, each row would exceed the maximum size of a record.
        let (mut reader, mut chunk) = (Reader::with_cells(vec![source()], strict), Chunk::default());
        while let Ok(true) = reader.next_chunk(&mut chunk, target) {
            assert!(!chunk.are_cells);
        }
    }
    assert!(bare > 100, "{bare}");
}

#[test]
fn numbers_are_read_alike_with_and_without_bulk_reading() {
    let (mut random, mut bare) = (SplitMix64(4), 0);
    for round in 0..40 {
        let grids = [0, 1, 80, 3500, 7000][random.below(5)];
        let mut numbers: Vec<u8> = (0..81 * grids).map(|_| random.below(10) as u8).collect();
        if round % 4 == 1 && grids > 0 {
            let at = random.below(numbers.len());
            numbers[at] = 10;
        }
        if round % 4 == 2 {
            numbers.extend((0..random.below(81)).map(|_| 0));
        }
        let source = || {
            let numbers = Box::new(Cursor::new(numbers.clone()));
            Source::Numbers { name: "array".to_owned(), side: 9, numbers }
        };
        bare += compare(source, &InputOptions::default(), targets(&mut random));
    }
    assert!(bare > 40, "{bare}");
    let small = || Source::Numbers {
        name: "array".to_owned(),
        side: 4,
        numbers: Box::new(Cursor::new(vec![1; 810])),
    };
    assert_eq!(compare(small, &InputOptions::default(), ChunkTarget { bytes: 1 << 20, records: 1000 }), 0);
}

//! The text of rows is the same in chunks of any size.

use std::io::Cursor;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::{
    ArrayRef, FixedSizeBinaryArray, LargeStringArray, RecordBatch, RecordBatchIterator, StringArray,
    StringViewArray,
};
use arrow_schema::{DataType, Field, Schema, SchemaRef};

use crate::input::examples::EASY;
use crate::input::row_text::ROW_END;
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

/// Reads a source to its end.
fn read_out(source: Source, target: ChunkTarget) -> ReadOut {
    let mut reader = Reader::new(vec![source], InputOptions::default());
    let (mut out, mut chunk) = (ReadOut::default(), Chunk::default());
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
        out.text.extend_from_slice(&chunk.bytes);
        out.records += chunk.records;
        out.end = chunk.end;
    }
    (out.passed, out.looks) = (reader.passed(), reader.format_hint());
    out
}

/// Checks that a source has these rows, read in chunks of this size or as a whole.
fn check(source: impl Fn() -> Source, target: ChunkTarget, rows: &[Vec<u8>]) {
    let whole = read_out(source(), ChunkTarget { bytes: usize::MAX, records: u64::MAX });
    assert!(read_out(source(), target) == whole);
    assert_eq!(whole.records as usize, rows.len());
    let read: Vec<&[u8]> = whole.text.split_inclusive(|&byte| byte == ROW_END).collect();
    assert!(read.iter().zip(rows).all(|(row, expected)| row.strip_suffix(&[ROW_END]) == Some(expected)));
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
fn strings_are_rows_in_chunks_of_any_size() {
    let mut random = SplitMix64(3);
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
        let texts: Vec<ArrayRef> = batches
            .iter()
            .map(|batch| arrow_cast::cast(batch.column(0), &DataType::LargeBinary).unwrap())
            .collect();
        let row = |value: Option<&[u8]>| match value {
            Some(text) => text.iter().map(|&byte| if byte == ROW_END { b'?' } else { byte }).collect(),
            None => b"\x1dnull".to_vec(),
        };
        let rows: Vec<Vec<u8>> = texts
            .iter()
            .flat_map(|text| text.as_binary::<i64>().iter().map(row).collect::<Vec<_>>())
            .collect();
        check(source, target, &rows);
    }
}

#[test]
fn numbers_are_rows_in_chunks_of_any_size() {
    let mut random = SplitMix64(4);
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
        let row = |grid: &[u8]| match grid.iter().position(|&number| number > 9) {
            _ if grid.len() < 81 => None,
            Some(cell) => Some(format!("\x1d10 in cell {} is not a digit of a 9x9", cell + 1).into_bytes()),
            None => Some(grid.iter().map(|&number| if number == 0 { b'.' } else { b'0' + number }).collect()),
        };
        let target = targets(&mut random);
        if numbers.len().is_multiple_of(81) {
            let rows: Vec<Vec<u8>> = numbers.chunks(81).filter_map(row).collect();
            check(source, target, &rows);
        } else {
            // The last grid is cut off, which is an invalid row or a smaller grid.
            let whole = read_out(source(), ChunkTarget { bytes: usize::MAX, records: u64::MAX });
            assert!(read_out(source(), target) == whole && whole.records as usize == grids + 1);
        }
    }
    let small = || Source::Numbers {
        name: "array".to_owned(),
        side: 4,
        numbers: Box::new(Cursor::new(vec![1; 810])),
    };
    let out = read_out(small(), ChunkTarget { bytes: 1 << 20, records: 1000 });
    assert_eq!(out.records, 51);
    assert!(out.text.starts_with(b"1111111111111111\x1e1111"));
}

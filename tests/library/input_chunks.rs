//! Reading: no input panics, and records do not depend on chunk sizes or on how the bytes arrive.
//!
//! The record numbers of a chunk must be those that its parser finds.

use std::collections::BTreeSet;
use std::io::{self, Read};
use std::ops::Range;
use std::path::PathBuf;

use proptest::prelude::*;
use quadrille::ProblemRef;
use quadrille::input::{Format, InputOptions, Source};
use quadrille::internals::{Body, Chunk, ChunkTarget, Parser, Position, Reader, Record, Records};

const EASY: &str = "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79";

/// Returns a few bytes per read.
struct Trickle(Vec<u8>, usize, usize);

impl Read for Trickle {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let bytes = self.2.min(self.0.len() - self.1).min(buffer.len());
        buffer[..bytes].copy_from_slice(&self.0[self.1..self.1 + bytes]);
        self.1 += bytes;
        Ok(bytes)
    }
}

/// Returns everything that the reader reports about a source, record by record.
fn told(bytes: &[u8], options: &InputOptions, target: ChunkTarget, arriving: usize) -> Vec<String> {
    let stream = Box::new(Trickle(bytes.to_vec(), 0, arriving));
    let mut reader = Reader::new(vec![Source::Stream { name: "test".into(), stream }], options.clone());
    let mut parser = Parser::new(options);
    let (mut chunk, mut records, mut told) = (Chunk::default(), Records::default(), Vec::new());
    let (mut next_record, mut sequence, mut warnings) = (1, 0, Vec::new());
    let mut lines_of_records = BTreeSet::new();
    loop {
        match reader.next_chunk(&mut chunk, target) {
            Ok(false) => break,
            Err(error) => told.push(error.to_string()),
            Ok(true) => {
                parser.parse(&chunk, &mut records);
                assert_eq!((chunk.first_record, chunk.sequence), (next_record, sequence));
                let answered = records.list.iter().filter(|record| !matches!(record.body, Body::Skipped));
                assert_eq!(answered.count() as u64, chunk.records);
                for record in &records.list {
                    lines_of_records.extend(lines_of(record, &chunk));
                    told.push(tell(record, &chunk, &records, bytes));
                }
                warnings.append(&mut chunk.warnings);
                next_record += chunk.records;
                sequence += 1;
            }
        }
    }
    told.append(&mut warnings);
    if let Some(layout) = reader.first_layout() {
        let lines = reader.lines();
        let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
        assert_eq!(lines.total(), lines_in(bytes, layout.line_end()), "every line is counted: {lines:?}");
        assert_eq!(lines.records, lines_of_records.len() as u64, "{lines:?}");
        told.push(format!("{lines:?}"));
    }
    told
}

#[test]
fn the_documentation_lists_the_table_of_formats() {
    let text = std::fs::read_to_string("docs/FORMATS.md").expect("it is a file");
    for (format, about) in Format::all() {
        let row = format!("| `{}` | {} |\n", format.name(), about.replace('|', "\\|"));
        assert!(text.contains(&row), "docs/FORMATS.md lacks {row}");
    }
}

#[test]
fn every_line_of_the_files_here_is_counted() {
    let mut folders = vec![PathBuf::from("data"), PathBuf::from("fuzz/corpus")];
    let mut files = 0;
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).expect("it is a folder").flatten() {
            let path = entry.path();
            match std::fs::read_to_string(&path) {
                _ if path.is_dir() => folders.push(path),
                // Compressed files and UTF-16 become other text before they are cut.
                Ok(text) if !text.contains('\0') => {
                    let whole = ChunkTarget { bytes: 1 << 20, records: 1 << 20 };
                    told(text.as_bytes(), &InputOptions::default(), whole, 1 << 20);
                    files += 1;
                }
                _ => {}
            }
        }
    }
    assert!(files > 100, "{files}");
}

/// Returns the number of lines of a source; the last may have no end.
fn lines_in(bytes: &[u8], line_end: u8) -> u64 {
    let ends = bytes.iter().filter(|&&byte| byte == line_end).count() as u64;
    ends + u64::from(bytes.last().is_some_and(|&last| last != line_end))
}

/// Returns the numbers of the lines of a record; a missing or skipped record has none.
fn lines_of(record: &Record, chunk: &Chunk) -> Range<u64> {
    let text = record.text.slice(&chunk.bytes);
    // The text of an exact cover is the whole source without the last line end.
    let lines = match chunk.layout.format.is_cover() {
        true => text.iter().filter(|&&byte| byte == chunk.layout.line_end()).count() as u64 + 1,
        false => lines_in(text, chunk.layout.line_end()),
    };
    if matches!(record.body, Body::Skipped) { 0..0 } else { record.line..record.line + lines }
}

fn tell(record: &Record, chunk: &Chunk, records: &Records, source: &[u8]) -> String {
    let text = record.text.slice(&chunk.bytes);
    let at = record.byte as usize;
    assert_eq!(&source[at..at + text.len()], text, "a record's offset is where its text stands");
    let before = source[..at].iter().filter(|&&byte| byte == chunk.layout.line_end()).count() as u64;
    // A missing record is numbered after the last line, even if that has no line end.
    assert!(text.is_empty() || record.line == before + 1, "a record's line is where its text stands");
    let body = match records.problem(record) {
        Some(ProblemRef::Packed(packed)) => format!("{packed:?}"),
        Some(ProblemRef::Puzzle(puzzle)) => format!("{:?} {:?}", puzzle.candidates(), puzzle.constraints()),
        Some(ProblemRef::Cover(cover)) => format!("{cover:?}"),
        None => format!("{:?}", record.body),
    };
    let (puzzle, id) = (record.puzzle.slice(&chunk.bytes), record.id.slice(&chunk.bytes));
    let [text, puzzle, id] = [text, puzzle, id].map(<[u8]>::escape_ascii);
    format!("{}:{at} {text} [{puzzle}] [{id}] {body} {:?} {:?}", record.line, record.given, record.symbols)
}

/// Creates the pieces that sources are made of, valid and invalid.
fn piece() -> impl Strategy<Value = Vec<u8>> {
    let text = |text: &str| Just(text.as_bytes().to_vec());
    let rows = EASY.as_bytes().chunks(9).map(|row| String::from_utf8_lossy(row) + "\n").collect::<String>();
    let spaced: String = EASY.chars().map(|cell| format!("{cell} ").replace('.', "0")).collect();
    prop_oneof![
        4 => text(EASY),
        2 => text(&rows),
        1 => text(&spaced),
        1 => text("|1.3|...|5.9|\n+---+---+---+\n"),
        1 => text("---------\n"),
        1 => text("5--------\n"),
        1 => text("[State]\n"),
        1 => text("10 2 0 0 0 0 0 0 0 0 0 0 0 0 0 16\n"),
        1 => text("1,0,3,0,0,0,5,0,9\n"),
        1 => text("123456789ABCDEFG\n"),
        1 => text("e..o..a.."),
        1 => text("│"),
        2 => (prop::sample::select(vec!["1.3...5.9\n", "1 0 3 0 0 0 5 0 9\n", "103000509\n"]), 1..12usize)
            .prop_map(|(row, times)| row.repeat(times).into_bytes()),
        1 => text("1..............4"),
        1 => text("| a comment\np q | x\np x:A\nq"),
        1 => text("[Puzzle]\n"),
        1 => text("Grid 01\n"),
        1 => text("puzzle,solution\n"),
        1 => text("103000509"),
        1 => text("\u{feff}"),
        1 => text("é"),
        4 => text("\n"),
        2 => prop_oneof![text("\r\n"), text("\r"), text("\n\n"), text(" "), text("\t"), text("\0")],
        2 => prop_oneof![text(","), text("\""), text("\"\""), text("\",\""), text("#"), text(";"), text("|")],
        2 => prop_oneof![text("0"), text("1"), text("2"), text("12"), text("e"), text("a"), text("G"), text("-")],
        1 => prop::collection::vec(any::<u8>(), 0..12),
    ]
}

fn source() -> impl Strategy<Value = Vec<u8>> {
    prop::collection::vec(piece(), 0..24).prop_map(|pieces| pieces.concat())
}

fn options() -> impl Strategy<Value = InputOptions> {
    let formats: Vec<Option<Format>> =
        std::iter::once(None).chain(Format::all().map(|(format, _)| Some(format))).collect();
    let limits = prop::sample::select(vec![40usize, 200, 16 << 20]);
    (prop::sample::select(formats), any::<bool>(), limits, any::<bool>()).prop_map(
        |(format, keep_lines, max_record_bytes, marked)| InputOptions {
            format,
            keep_lines,
            max_record_bytes,
            blank: marked.then_some(b'-'),
            ..InputOptions::default()
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 600, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn records_do_not_depend_on_chunks_or_on_how_bytes_arrive(
        bytes in source(),
        options in options(),
        target in (1usize..400, 1u64..5),
        arriving in 1usize..200,
    ) {
        let whole = ChunkTarget { bytes: 1 << 20, records: 1 << 20 };
        let expected = told(&bytes, &options, whole, 1 << 20);
        let target = ChunkTarget { bytes: target.0, records: target.1 };
        prop_assert_eq!(told(&bytes, &options, target, arriving), expected);
    }
}

/// Returns the reports of the chunks after a position, each with the chunk's end position.
fn told_behind(
    bytes: &[u8],
    options: &InputOptions,
    target: ChunkTarget,
    arriving: usize,
    position: Position,
) -> Vec<(Position, Vec<String>)> {
    let source = |name: &str| Source::Stream {
        name: name.into(),
        stream: Box::new(Trickle(bytes.to_vec(), 0, arriving)),
    };
    let mut reader = Reader::resume(vec![source("a"), source("b")], options.clone(), position);
    let mut parser = Parser::new(options);
    let (mut chunk, mut records, mut told) = (Chunk::default(), Records::default(), Vec::new());
    loop {
        match reader.next_chunk(&mut chunk, target) {
            Ok(false) => return told,
            Err(error) => assert!(!error.to_string().contains("has changed"), "{error}"),
            Ok(true) => {
                parser.parse(&chunk, &mut records);
                assert_eq!(chunk.sequence, told.len() as u64);
                let mut said = vec![chunk.source.to_string(), chunk.first_record.to_string()];
                said.extend(records.list.iter().map(|record| tell(record, &chunk, &records, bytes)));
                told.push((chunk.end, said));
            }
        }
    }
}

/// Returns all records in order, without the two header lines of each chunk.
fn flat(told: &[(Position, Vec<String>)]) -> Vec<&String> {
    told.iter().flat_map(|(_, said)| &said[2..]).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn reading_resumes_after_the_end_of_any_chunk(
        bytes in source(),
        options in options(),
        target in (1usize..400, 1u64..5),
        arriving in 1usize..200,
    ) {
        let target = ChunkTarget { bytes: target.0, records: target.1 };
        let whole = ChunkTarget { bytes: 1 << 20, records: 1 << 20 };
        let all = told_behind(&bytes, &options, target, arriving, Position::default());
        // Of many small chunks, some are enough.
        for done in (0..all.len()).step_by(1 + all.len() / 16) {
            let position = all[done].0;
            // Positions are stored as JSON.
            let position = serde_json::from_str(&serde_json::to_string(&position).unwrap()).unwrap();
            let rest = told_behind(&bytes, &options, whole, 1 << 20, position);
            prop_assert_eq!(flat(&rest), flat(&all[done + 1..]), "behind chunk {}", done);
            // A chunk of messages alone may be separate or joined to the records before it.
            let head = |told: &[(Position, Vec<String>)]| {
                told.iter().find(|(_, said)| said.len() > 2).map(|(_, said)| said[..2].to_vec())
            };
            prop_assert_eq!(head(&rest), head(&all[done + 1..]), "behind chunk {}", done);
        }
    }
}

#[test]
fn a_changed_input_cannot_be_resumed() {
    let text = format!("{EASY}\n").repeat(20);
    let options = InputOptions::default();
    let target = ChunkTarget { bytes: 1 << 20, records: 7 };
    let source = |text: &str| vec![Source::Bytes { name: "a".into(), bytes: text.as_bytes().to_vec() }];
    let mut chunk = Chunk::default();
    assert!(
        Reader::resume(source(&text), options.clone(), Position::default())
            .next_chunk(&mut chunk, target)
            .unwrap()
    );
    let end = chunk.end;
    let refused = |text: &str| {
        let mut reader = Reader::resume(source(text), options.clone(), end);
        let error = reader.next_chunk(&mut Chunk::default(), target).unwrap_err().to_string();
        assert!(!reader.next_chunk(&mut Chunk::default(), target).unwrap(), "nothing comes after it");
        error
    };
    assert!(refused(&text.replacen('5', "6", 1)).contains("its beginning differs"));
    assert!(refused(&text[..82 * 5]).contains("it is shorter than it was"));
    assert!(refused("").contains("it is shorter than it was"));
    assert!(refused(&text.replacen('\n', "", 9)).contains("the input has changed"));
    // The text after the position may have changed, since it was not read.
    let longer = text.clone() + EASY;
    let mut reader = Reader::resume(source(&longer), options.clone(), end);
    assert!(reader.next_chunk(&mut chunk, target).unwrap());
    assert_eq!((chunk.sequence, chunk.first_record, chunk.first_line), (0, 8, 8));
    assert_eq!(reader.passed(), (14, 14 * 82));
}

#[test]
fn names_of_formats_are_parsed_back() {
    for (format, about) in Format::all() {
        assert_eq!(Format::from_name(format.name()), Some(format));
        assert!(!about.is_empty());
    }
    assert_eq!(Format::from_name("nothing"), None);
}

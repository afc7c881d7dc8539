//! Any bytes, in any format, in pieces of any size: never a panic, and always the same records.

use std::io::{self, Read};

use quadrille::input::{ColumnRef, Format, InputOptions, Source, WeightSource};
use quadrille::internals::{Chunk, ChunkTarget, Parser, Reader, Records};
use quadrille::{Alphabet, ProblemRef};

use super::bytes::Bytes;

/// Formats of a target.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Formats {
    /// Formats of grids.
    Grids,
    /// Formats in which single grids are kept.
    Forms,
    /// Columns.
    Csv,
    /// Exact cover.
    Covers,
    /// Detected formats.
    Sniffed,
}

impl Formats {
    fn list(self) -> &'static [Option<Format>] {
        match self {
            Formats::Grids => &[
                Some(Format::Line),
                Some(Format::Grid),
                Some(Format::Contest),
                Some(Format::Integers),
                Some(Format::Sdk),
                Some(Format::Euler),
            ],
            Formats::Forms => &[
                Some(Format::Candidates),
                Some(Format::Sheet),
                Some(Format::Drawing),
                Some(Format::List),
                Some(Format::OpenSudoku),
                Some(Format::Jsonl),
            ],
            Formats::Csv => &[Some(Format::Csv)],
            Formats::Covers => &[Some(Format::Dlx), Some(Format::Sets), Some(Format::Matrix)],
            Formats::Sniffed => &[None],
        }
    }
}

/// Reads options from the first bytes; only options that [`InputOptions::validate`] accepts.
pub(crate) fn options(bytes: &mut Bytes<'_>, formats: Formats) -> InputOptions {
    let mut options = InputOptions { format: bytes.one_of(formats.list()), ..InputOptions::default() };
    let flags = bytes.byte();
    if flags & 1 != 0 {
        options.keep_lines = true;
    }
    if flags & 2 != 0 {
        options.blank = Some(bytes.byte()).filter(|blank| !blank.is_ascii_control());
    }
    if flags & 4 != 0 {
        options.side = Some(bytes.one_of(&[4, 6, 9, 16, 25, 27, 36]));
    }
    if flags & 8 != 0 {
        let alphabets = [Alphabet::FromOne, Alphabet::FromZero, Alphabet::Letters, Alphabet::Integers];
        options.symbols = Some(bytes.one_of(&alphabets));
    }
    if flags & 16 != 0 {
        options.marks = Some(bytes.byte() & 1 != 0);
    }
    if flags & 32 != 0 {
        options.max_record_bytes = bytes.below(200) + 1;
    }
    if flags & 64 != 0 {
        options.column = Some(ColumnRef::Number(bytes.below(4) + 1));
        options.solution_column = Some(ColumnRef::Number(bytes.below(4) + 1));
    }
    if flags & 128 != 0 {
        options.weights = Some(WeightSource::Target);
    }
    options
}

/// A stream that returns its bytes in pieces of at most `size`.
struct Pieces {
    bytes: io::Cursor<Vec<u8>>,
    size: usize,
}

impl Read for Pieces {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let size = self.size.min(buffer.len());
        self.bytes.read(&mut buffer[..size])
    }
}

/// Everything that a caller of the input layer can see, except for chunk boundaries.
#[derive(Debug, Default, PartialEq)]
struct Seen {
    records: Vec<String>,
    warnings: Vec<String>,
    errors: Vec<String>,
    layouts: Vec<String>,
    looks: Option<String>,
}

/// Maximum number of compared records.
///
/// If there are more records than bytes, a count announced grids that are missing, each of which becomes the
/// same record. Millions of them are too many to store.
const MAX_RECORDS: u64 = 100_000;

/// Reads all records, or returns `None` if there are more than [`MAX_RECORDS`].
fn read(source: Source, options: &InputOptions, target: ChunkTarget) -> Option<Seen> {
    let mut seen = Seen::default();
    let mut reader = Reader::new(vec![source], options.clone());
    let mut parser = Parser::new(options);
    let (mut chunk, mut records) = (Chunk::default(), Records::default());
    let mut next_record = 1;
    loop {
        match reader.next_chunk(&mut chunk, target) {
            Ok(true) => {}
            Ok(false) => {
                seen.looks = reader.format_hint();
                return Some(seen);
            }
            Err(error) => {
                seen.errors.push(error.to_string());
                continue;
            }
        }
        parser.parse(&chunk, &mut records);
        assert_eq!(chunk.first_record, next_record, "no record is numbered twice or left out");
        next_record += chunk.records;
        if next_record > MAX_RECORDS {
            return None;
        }
        let layout = format!("{:?}", chunk.layout);
        if seen.layouts.last() != Some(&layout) {
            seen.layouts.push(layout);
        }
        seen.warnings.append(&mut chunk.warnings);
        seen.warnings.append(&mut records.warnings);
        for record in &records.list {
            let texts = [record.text, record.puzzle, record.id].map(|span| span.slice(&chunk.bytes).to_vec());
            let problem = records.problem(record).map(described);
            let invalid = match &record.body {
                quadrille::internals::Body::Invalid(reason) => Some(reason.to_string()),
                _ => None,
            };
            let given = match &record.given {
                quadrille::internals::GivenSolution::Absent | quadrille::internals::GivenSolution::Empty => {
                    None
                }
                quadrille::internals::GivenSolution::Digits(span) => {
                    Some(format!("{:?}", span.slice(&records.given)))
                }
                quadrille::internals::GivenSolution::Unreadable(reason) => Some(reason.to_string()),
            };
            seen.records.push(format!(
                "{}:{} {texts:?} {problem:?} {invalid:?} {given:?} {:?}",
                record.line, record.byte, record.symbols
            ));
        }
    }
}

fn described(problem: ProblemRef<'_>) -> String {
    let facts = (problem.class().name(), problem.clues(), problem.clash());
    match problem {
        ProblemRef::Packed(packed) => format!("{facts:?} {packed:?}"),
        ProblemRef::Puzzle(puzzle) => {
            format!("{facts:?} {:?} {:?}", puzzle.candidates(), puzzle.constraints())
        }
        ProblemRef::Cover(cover) => {
            let mut text = Vec::new();
            for option in 0..cover.options() {
                cover.write_option(option, &mut text);
                text.push(b'\n');
            }
            format!("{facts:?} {}", String::from_utf8_lossy(&text))
        }
    }
}

fn is_compressed(text: &[u8]) -> bool {
    text.starts_with(&[0x1f, 0x8b])
        || text.starts_with(&[0x28, 0xb5, 0x2f, 0xfd])
        || text.get(1..4) == Some(&[0x2a, 0x4d, 0x18])
}

/// Reads the bytes as a whole and in pieces: records, warnings and errors must be the same.
///
/// # Panics
/// Panics if records, warnings or errors differ.
pub fn reading_does_not_depend_on_pieces(data: &[u8], formats: Formats) {
    let mut bytes = Bytes(data);
    let options = options(&mut bytes, formats);
    let size = bytes.below(64) + 1;
    let target = ChunkTarget { bytes: bytes.below(100) + 1, records: bytes.below(5) as u64 + 1 };
    let text = bytes.rest();
    // Every piece is passed between threads, which takes time. A hundred pieces test as much as a thousand.
    let size = size.max(text.len() / 100);
    let whole = read(
        Source::Bytes { name: "fuzz".to_owned(), bytes: text.to_vec() },
        &options,
        ChunkTarget { bytes: 1 << 20, records: MAX_RECORDS },
    );
    let stream = Box::new(Pieces { bytes: io::Cursor::new(text.to_vec()), size });
    let pieces = read(Source::Stream { name: "fuzz".to_owned(), stream }, &options, target);
    let (Some(whole), Some(pieces)) = (&whole, &pieces) else {
        return assert_eq!(whole.is_none(), pieces.is_none(), "more records in one than in the other");
    };
    if is_compressed(text) && !whole.errors.is_empty() {
        // At a defect, the decoder drops what it has decoded of the current piece.
        //
        // The text before the defect therefore depends on the pieces, and a short text may even change the
        // detected format.
        return assert!(!pieces.errors.is_empty(), "in pieces there is no error: {:?}", whole.errors);
    }
    assert_eq!(whole, pieces, "whole, and in pieces of {size} for {target:?}");
}

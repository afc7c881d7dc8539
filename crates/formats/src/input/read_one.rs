//! Reads a single problem from a text, for callers that need only one.

use super::source::unreadable;
use super::{Body, Chunk, ChunkTarget, Format, InputOptions, Parser, Reader, Records, Source, plain_lines};
use quadrille_model::{Error, Problem, Result, Symbols};

/// Reads a text that contains one problem, in `format` or in any format that can be detected.
///
/// A line of 81 digits and blanks (`.` or `0`) is read directly. Any other text goes through a reader.
///
/// # Errors
/// Returns an error if the text cannot be read or does not contain exactly one problem. The error gives the
/// position in the text.
pub(crate) fn read_one(text: &str, format: Option<Format>) -> Result<Problem> {
    let line = text.trim().as_bytes();
    if let Some(packed) = plain_lines::read(line, b'.').filter(|_| format.is_none() && line.len() == 81) {
        return Ok(Problem::Packed(packed));
    }
    let options = InputOptions { format, ..InputOptions::default() };
    read_problem("text", text.as_bytes().to_vec(), &options).map(|(problem, _)| problem)
}

/// Reads bytes that contain one problem. Returns the problem and the symbols of its digits.
///
/// `name` is used in errors as the name of the source.
///
/// # Errors
/// Returns an error if the bytes cannot be read or do not contain exactly one problem. The error gives the
/// position in the bytes.
pub fn read_problem(name: &str, bytes: Vec<u8>, options: &InputOptions) -> Result<(Problem, Symbols)> {
    let mut parser = Parser::new(options);
    let target = ChunkTarget { bytes: bytes.len().max(1), records: 2 };
    let source = Source::Bytes { name: name.to_owned(), bytes };
    let mut reader = Reader::new(vec![source], options.clone());
    let (mut chunk, mut records) = (Chunk::default(), Records::default());
    let mut problem = None;
    while reader.next_chunk(&mut chunk, target)? {
        parser.parse(&chunk, &mut records);
        for (record, number) in records.list.iter().zip(chunk.first_record..) {
            let wrong =
                |reason: String| unreadable(&chunk.source, (number, record.line, record.byte), reason);
            match &record.body {
                Body::Invalid(reason) => return Err(wrong(reason.to_string())),
                _ if problem.is_some() => return Err(wrong("the text has more than one problem".into())),
                _ => problem = records.problem(record).map(|problem| (problem.to_owned(), record.symbols)),
            }
        }
    }
    problem.ok_or_else(|| Error::model("the text has no puzzle"))
}

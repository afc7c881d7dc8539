//! One problem out of a text, for callers that have no corpus.

use std::sync::Arc;

use super::{Body, Chunk, ChunkTarget, Format, InputOptions, Parser, Reader, Records, Source, packed};
use crate::error::{Error, ErrorKind, Location, Result};
use crate::model::{Problem, ProblemRef};

/// Reads a text that is one problem, in this format or, without one, in any that is recognised by itself.
///
/// A line of 81 digits and blanks (`.` or `0`) is read at once; any other text starts a reader, with its thread.
///
/// # Errors
/// A message about what is wrong, with its place; no problem at all, or more than one.
pub(crate) fn read_one(text: &str, format: Option<Format>) -> Result<Problem> {
    let line = text.trim().as_bytes();
    if let Some(packed) = packed::read(line, b'.').filter(|_| format.is_none() && line.len() == 81) {
        return Ok(Problem::Packed(packed));
    }
    let options = InputOptions { format, ..InputOptions::default() };
    let mut parser = Parser::new(&options);
    let bytes = text.as_bytes().to_vec();
    let mut reader = Reader::new(vec![Source::Bytes { name: "text".to_owned(), bytes }], options);
    let (mut chunk, mut records) = (Chunk::default(), Records::default());
    let mut problem = None;
    while reader.next_chunk(&mut chunk, ChunkTarget { bytes: text.len().max(1), records: 2 })? {
        parser.parse(&chunk, &mut records);
        for (record, number) in records.list.iter().zip(chunk.first_record..) {
            let wrong = |reason: String| -> Error {
                let (source, line, byte) = (Arc::clone(&chunk.source), record.line, record.byte);
                ErrorKind::Input { place: Location { source, record: number, line, byte }, reason }.into()
            };
            match &record.body {
                Body::Invalid(reason) => return Err(wrong(reason.to_string())),
                _ if problem.is_some() => return Err(wrong("a second problem, where one is wanted".into())),
                _ => problem = records.problem(record).map(ProblemRef::to_owned),
            }
        }
    }
    problem.ok_or_else(|| Error::model("no puzzle in the text"))
}

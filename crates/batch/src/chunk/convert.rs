//! Writing the puzzles of records in another format.

use super::records::RecordChunk;
use super::transformed::text_hash;
use crate::options::Query;
use quadrille_formats::input::Chunk;
use quadrille_formats::output::OutputFormat;
use quadrille_model::{Answer, Losses, ProblemRef, Reason, Status};

/// Writes the puzzles of the unwritten slots before `end`, if the run converts.
///
/// A record that the format cannot hold becomes `unsupported`.
pub(crate) fn make(general: &mut RecordChunk, chunk: &Chunk, end: usize, ask: Query, format: OutputFormat) {
    let Query::Convert(conversion) = ask else { return };
    // From table to table, columns are copied unchanged.
    let passes = chunk.layout.table.is_some() && format.is_table() && !conversion.bare;
    let mut converted = std::mem::take(&mut general.converted);
    converted.clear();
    for slot in general.written..end {
        if !matches!(&general.slots[slot].answer, Some(answer) if answer.status == Status::Parsed) {
            continue;
        }
        let Some(problem) = general.problem(slot) else { continue };
        let symbols = general.record(slot).symbols;
        let written = converted.add(slot, |text| match passes {
            true => Ok(Losses::default()),
            false => conversion.write(problem, symbols, text),
        });
        if let Err(reason) = written {
            let answer = Answer::without_search(Status::Unsupported, Reason::Text(reason));
            general.slots[slot].answer = Some(answer);
        }
    }
    general.converted = converted;
}

/// Returns a hash of the grid of a converted record, equal in all formats.
///
/// Returns `None` for other questions, records that were not read, and exact cover problems.
pub(crate) fn hash(ask: Query, answer: &Answer, problem: Option<ProblemRef<'_>>) -> Option<u128> {
    let is_asked = ask.conversion().is_some() && answer.status == Status::Parsed;
    text_hash(problem.filter(|_| is_asked)?)
}

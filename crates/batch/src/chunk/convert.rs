//! Conversion of the puzzles of records to another format.

use super::records::RecordChunk;
use super::transformed::text_hash;
use crate::options::Query;
use quadrille_formats::input::Chunk;
use quadrille_formats::output::OutputFormat;
use quadrille_model::{Answer, Losses, ProblemRef, Reason, Status};

/// Converts the puzzles of records. Begins with the first record that is not written yet, and ends before the
/// slot `end`. Does nothing if the run is not a conversion.
///
/// A record that the format cannot hold gets the status `unsupported`.
pub(crate) fn make(general: &mut RecordChunk, chunk: &Chunk, end: usize, ask: Query, format: OutputFormat) {
    let Query::Convert(conversion) = ask else { return };
    // A conversion from table to table copies the columns unchanged.
    let passes = chunk.layout.format.is_table() && format.is_table() && !conversion.bare;
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

/// Returns a hash of the grid that was converted. The hash does not depend on the format of the grid.
///
/// Returns `None` if the run is not a conversion, for records that were not read, and for exact cover
/// problems.
pub(crate) fn hash(ask: Query, answer: &Answer, problem: Option<ProblemRef<'_>>) -> Option<u128> {
    let is_asked = ask.conversion().is_some() && answer.status == Status::Parsed;
    text_hash(problem.filter(|_| is_asked)?)
}

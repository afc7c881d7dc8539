//! The puzzles of records that are written in another format.

use super::general::GeneralChunk;
use super::images::text_hash;
use crate::options::Ask;
use quadrille_formats::input::Chunk;
use quadrille_formats::output::OutputFormat;
use quadrille_model::{Answer, Losses, ProblemRef, Reason, Status};

/// Writes the puzzles of the slots before `end` that were read, where that is asked for. A record that cannot be written is
/// `unsupported`.
pub(crate) fn make(general: &mut GeneralChunk, chunk: &Chunk, end: usize, ask: Ask, format: OutputFormat) {
    let Ask::Convert(conversion) = ask else { return };
    // Columns of a table go into a table as they stand.
    let passes = chunk.layout.table.is_some() && format.is_table() && !conversion.bare;
    let mut converted = std::mem::take(&mut general.converted);
    converted.clear();
    for slot in general.written..end {
        if !matches!(&general.slots[slot].answer, Some(answer) if answer.status == Status::Read) {
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

/// A hash of the grid of a record that was read, by which it is the same record in any format.
pub(crate) fn hash(ask: Ask, answer: &Answer, problem: Option<ProblemRef<'_>>) -> Option<u128> {
    let is_asked = matches!(ask, Ask::Convert(_)) && answer.status == Status::Read;
    text_hash(problem.filter(|_| is_asked)?)
}

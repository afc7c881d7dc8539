//! A chunk of nothing but bare 9x9 lines, while all goes as it mostly does: columns instead of a slot a record.
//!
//! What a general chunk keeps of a record (its spans, its answer, its place among the solutions found) is several times
//! what such a record is. Here a record is its line, the row of the output and what its search took, each in a column, and
//! all of them are verified, counted and written column by column:
//!
//! ```text
//! chunk     the puzzles: read when an engine asks for them, compared with their solutions at the end
//! rows      the solutions as they will be written, in the order of the records, whenever an engine gives them
//! found     what the search took, once it is over
//! ```
//! Only one outcome has a place here: one solution, found by a search that ended as it should. At the first record with
//! any other, at the first line that is not what it was taken for, and wherever something is asked that columns cannot
//! say, the chunk *spreads out*: it is parsed into records and slots, and what the columns know goes there. Tickets
//! stay what they are, since the number of a line is that of its slot.

use super::config::BatchOptions;
use super::open::OpenChunk;
use crate::engine::{Ended, Selection, Solved};
use crate::input::{BareLines, ClueCounts, Parser};
use crate::model::{Answer, Counters, EndedBy, Goal, Outcome, Packed, Solution, verify_lines};
use crate::output::Formatter;
use crate::stats::{FoundOne, Origin};

/// Bytes of a row: 81 characters and a newline.
const ROW: usize = 82;

/// The columns of a chunk.
#[derive(Debug)]
pub(super) struct Columns {
    /// Whether they are what is known of the chunk; else its slots are.
    pub in_use: bool,
    pub lines: BareLines,
    /// Of the lines read so far.
    clues: ClueCounts,
    /// A row each; newlines where the record has no solution yet.
    rows: Vec<u8>,
    found: Vec<Option<FoundOne>>,
}

impl Columns {
    /// None, and memory for none.
    pub(super) fn new() -> Self {
        Columns {
            in_use: false,
            lines: BareLines::default(),
            clues: [0; 82],
            rows: Vec::new(),
            found: Vec::new(),
        }
    }

    /// Whether a run's answers can be written from columns, if the chunk has them.
    pub(super) fn suffice(options: &BatchOptions, formatter: &dyn Formatter) -> bool {
        formatter.shows_bare_solutions()
            && !options.ask.is_several()
            && options.only.is_empty()
            && options.audit.is_none()
    }

    /// Starts over with lines of a chunk.
    pub(super) fn start(&mut self, lines: BareLines) {
        self.in_use = true;
        self.lines = lines;
        self.clues = [0; 82];
        self.rows.clear();
        self.rows.resize(ROW * lines.count(), b'\n');
        self.found.clear();
        self.found.resize(lines.count(), None);
    }

    /// Keeps the first solution of a record.
    #[inline]
    fn keep(&mut self, index: usize, digits: &[u8; 81]) {
        let row = &mut self.rows[ROW * index..][..81];
        if row[0] == b'\n' {
            for (character, digit) in row.iter_mut().zip(digits) {
                *character = b'1'.wrapping_add(*digit);
            }
        }
    }

    /// Takes a solution of a record, and the end of its search if that came with it; `false` if that has no place here.
    #[inline]
    pub(super) fn take(&mut self, index: usize, solved: &Solved) -> bool {
        self.keep(index, &solved.digits);
        let Some(ended) = solved.ended else { return true };
        self.end(index, ended.found, ended.ended_by, ended.nodes, ended.guesses)
    }

    /// Takes a solution of a record; `false` if it has no place here.
    pub(super) fn take_solution(&mut self, index: usize, solution: Solution<'_>) -> bool {
        let Solution::Digits(digits) = solution else { return false };
        let Ok(digits) = digits.try_into() else { return false };
        self.keep(index, digits);
        true
    }

    /// Takes the end of a search; `false` if it has no place here.
    #[inline]
    pub(super) fn take_end(&mut self, index: usize, outcome: &Outcome) -> bool {
        match (outcome.found.to_u64(), outcome.counters) {
            (Some(found), Some(Counters { nodes, guesses, covers: None, updates: None }))
                if outcome.best.is_none() =>
            {
                self.end(index, found, outcome.ended_by, nodes, guesses)
            }
            _ => false,
        }
    }

    #[inline]
    fn end(&mut self, index: usize, found: u64, ended_by: EndedBy, nodes: u64, guesses: u64) -> bool {
        match (u32::try_from(nodes), u32::try_from(guesses)) {
            (Ok(nodes), Ok(guesses)) if found == 1 && self.has_solution(index) && !ended_by.is_early() => {
                let is_complete = ended_by == EndedBy::Complete;
                self.found[index] = Some(FoundOne { is_complete, nodes, guesses });
                true
            }
            _ => false,
        }
    }

    #[inline]
    fn has_solution(&self, index: usize) -> bool {
        self.rows[ROW * index] != b'\n'
    }

    /// The digits of a record's solution, if it has one.
    fn digits(&self, index: usize) -> Option<[u8; 81]> {
        let row: &[u8; 81] = self.rows[ROW * index..].first_chunk()?;
        self.has_solution(index).then(|| row.map(|character| character.wrapping_sub(b'1')))
    }
}

/// Reads some of the lines from the cursor on, no more than `most`; how many, up to the first that is not what it was
/// taken for.
pub(super) fn read(open: &mut OpenChunk, parser: &Parser, most: usize, grids: &mut Vec<Packed>) -> usize {
    let OpenChunk { chunk, columns, cursor, .. } = open;
    let range = *cursor..columns.lines.count().min(*cursor + most);
    grids.clear();
    parser.read_bare(chunk, &columns.lines, range, grids, &mut columns.clues)
}

/// The answer to a record with one solution, as any other outcome has it.
fn answer(found: FoundOne, goal: Goal) -> Answer {
    let ended_by = if found.is_complete { EndedBy::Complete } else { EndedBy::Limit };
    let ended = Ended { found: 1, ended_by, nodes: found.nodes.into(), guesses: found.guesses.into() };
    Answer::of(ended.into(), goal)
}

/// Goes over to slots, with all that the columns know. `probing`: whether searches under way are short ones.
pub(super) fn spread_out(
    open: &mut OpenChunk,
    parser: &mut Parser,
    selection: Selection,
    goal: Goal,
    probing: bool,
) {
    if !std::mem::take(&mut open.columns.in_use) {
        return;
    }
    parser.parse(&open.chunk, &mut open.records);
    open.new_slots();
    for index in 0..open.cursor {
        open.set_engine(index, selection);
        let slot = &mut open.slots[index];
        slot.probing = probing;
        slot.answer = open.columns.found[index].map(|found| answer(found, goal));
        if let Some(digits) = open.columns.digits(index) {
            slot.solution = open.found.push(Solution::Digits(&digits)) as u32;
            open.found_by.push(index as u32);
        }
    }
}

/// Whether all solutions are right. Every record has one.
pub(super) fn are_right(open: &OpenChunk) -> bool {
    verify_lines(&open.chunk.bytes, open.columns.lines.stride(), &open.columns.rows)
}

/// Writes up a chunk whose records all have one solution, which is right.
pub(super) fn write_up(open: &mut OpenChunk, selection: Selection) {
    let Columns { clues, rows, found, .. } = &mut open.columns;
    let records = found.len() as u64;
    let pages = &mut open.pages;
    let origin = Origin {
        index: open.written_index,
        source: &open.chunk.source,
        line: open.chunk.first_line,
        engine: selection.kind.info().name,
        chosen: selection.reason,
    };
    let solutions = rows.as_chunks::<ROW>().0.iter().filter_map(|row| row.first_chunk());
    let entries = found.iter().zip(solutions).filter_map(|(&found, characters)| Some((found?, characters)));
    pages.statistics.record_found(&origin, clues, entries);
    if pages.output.is_empty() {
        std::mem::swap(&mut pages.output, rows);
    } else {
        pages.output.append(rows);
    }
    pages.rows += records;
    pages.answered += records;
}

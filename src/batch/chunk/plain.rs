//! A chunk of nothing but plain 9x9, a line each, while all goes as it mostly does: columns instead of a slot a record.
//!
//! What a general chunk keeps of a record (its spans, its answer, its place among the solutions found) is several times
//! what such a record is. Here a record is its line, the row of the output and what its search took, each in a column, and
//! all of them are verified, counted and written column by column:
//!
//! ```text
//! lines     the puzzles, where the chunk has them or apart: read when an engine asks for them, compared with their solutions
//!           at the end
//! rows      the solutions as they will be written, in the order of the records, whenever an engine gives them; none where
//!           solutions are only counted
//! found     what the search found and took, once it is over
//! ```
//! Few outcomes have a place here, all of searches that ended as they should: one solution, the only one where that was to
//! be checked (and all given ones are right), or any number of solutions that were counted. At the first record with any
//! other, at the first line that is not what it was taken for, and wherever something is asked that columns cannot say, the
//! chunk *spreads out*: it is parsed into records and slots, and what the columns know goes there. Tickets stay what they
//! are, since the number of a line is that of its slot.

use crate::batch::chunk::check;
use crate::batch::chunk::state::ChunkState;
use crate::batch::options::{Ask, BatchOptions};
use crate::engine::{Ended, Selection, Solved};
use crate::input::{Chunk, ClueCounts, Parser, PlainLines};
use crate::model::{Answer, Count, Counters, EndedBy, Goal, Outcome, Packed, Solution, Status, verify_lines};
use crate::output::{Formatter, PlainOutput, write_found};
use crate::stats::{Found, Origin};

/// Bytes of a row: 81 characters and a newline.
const ROW: usize = 82;

/// The columns of a chunk.
#[derive(Debug)]
pub(crate) struct PlainChunk {
    /// Whether they are what is known of the chunk; else its slots are.
    pub in_use: bool,
    /// What is written of them.
    shown: PlainOutput,
    /// Of a record with one solution and no other.
    unique: Status,
    pub lines: PlainLines,
    /// Of the lines read so far.
    clues: ClueCounts,
    /// A row each; newlines where the record has no solution yet. None where solutions are counted.
    rows: Vec<u8>,
    found: Vec<Option<Found>>,
    /// The given solutions that are to be checked, a row each.
    given: Vec<u8>,
}

impl PlainChunk {
    /// None, and memory for none.
    pub(crate) fn new() -> Self {
        PlainChunk {
            in_use: false,
            shown: PlainOutput::Solution,
            unique: Status::Unique,
            lines: PlainLines::default(),
            clues: [0; 82],
            rows: Vec::new(),
            found: Vec::new(),
            given: Vec::new(),
        }
    }

    /// What a run writes from columns, if a chunk has them; `None` where it asks for more than they can say.
    pub(crate) fn shown(options: &BatchOptions, formatter: &dyn Formatter) -> Option<PlainOutput> {
        let asks_for_more = options.ask.is_several() || options.ask == Ask::Check { minimal: true };
        let is_enough = !asks_for_more && options.only.is_empty() && options.audit.is_none();
        formatter.plain_output().filter(|_| is_enough)
    }

    /// Starts over with the lines of a chunk, if these can be kept in columns; `false` if not.
    pub(crate) fn start(&mut self, chunk: &Chunk, parser: &Parser, shown: PlainOutput) -> bool {
        let has_given = chunk.layout.csv.as_ref().is_some_and(|csv| csv.solution.is_some());
        let checks_given = shown == PlainOutput::Status && has_given;
        let given = checks_given.then_some(&mut self.given);
        self.in_use = parser.plain_lines(chunk, &mut self.lines, given)
            && (!checks_given || self.given_are_right(chunk));
        if self.in_use {
            self.unique = if checks_given { Status::Correct } else { Status::Unique };
            let count = self.lines.count();
            self.shown = shown;
            self.clues = [0; 82];
            self.rows.clear();
            if shown != PlainOutput::Count {
                self.rows.resize(ROW * count, b'\n');
            }
            self.found.clear();
            self.found.resize(count, None);
        }
        self.in_use
    }

    /// Whether every line of a chunk has a given solution, and a right one: that is known before any search.
    fn given_are_right(&self, chunk: &Chunk) -> bool {
        let (puzzles, stride) = self.lines.text(&chunk.bytes);
        verify_lines(puzzles, stride, &self.given)
    }

    /// Keeps the first solution of a record.
    #[inline]
    fn keep(&mut self, index: usize, digits: &[u8; 81]) {
        let Some(row) = self.rows.get_mut(ROW * index..ROW * index + 81) else { return };
        if row[0] == b'\n' {
            for (character, digit) in row.iter_mut().zip(digits) {
                *character = b'1'.wrapping_add(*digit);
            }
        }
    }

    /// Takes a solution of a record, and the end of its search if that came with it; `false` if that has no place here.
    #[inline]
    pub(crate) fn take(&mut self, index: usize, solved: &Solved) -> bool {
        self.keep(index, &solved.digits);
        let Some(ended) = solved.ended else { return true };
        self.end(index, ended.found, ended.ended_by, ended.nodes, ended.guesses)
    }

    /// Takes a solution of a record; `false` if it has no place here.
    pub(crate) fn take_solution(&mut self, index: usize, solution: Solution<'_>) -> bool {
        let Solution::Digits(digits) = solution else { return false };
        let Ok(digits) = digits.try_into() else { return false };
        self.keep(index, digits);
        true
    }

    /// Takes the end of a search; `false` if it has no place here.
    #[inline]
    pub(crate) fn take_end(&mut self, index: usize, outcome: &Outcome) -> bool {
        let work = outcome.counters.and_then(Counters::nodes_and_guesses);
        match (outcome.found.to_u64(), work) {
            (Some(found), Some((nodes, guesses))) if outcome.best.is_none() => {
                self.end(index, found, outcome.ended_by, nodes, guesses)
            }
            _ => false,
        }
    }

    #[inline]
    fn end(&mut self, index: usize, found: u64, ended_by: EndedBy, nodes: u64, guesses: u64) -> bool {
        let is_complete = ended_by == EndedBy::Complete;
        let has_place = match self.shown {
            PlainOutput::Solution => found == 1 && self.has_solution(index),
            PlainOutput::Status => found == 1 && self.has_solution(index) && is_complete,
            PlainOutput::Count => found > 0,
        };
        match (u32::try_from(found), u32::try_from(nodes), u32::try_from(guesses)) {
            (Ok(solutions), Ok(nodes), Ok(guesses)) if has_place && !ended_by.is_early() => {
                self.found[index] = Some(Found { solutions, is_complete, nodes, guesses });
                true
            }
            _ => false,
        }
    }

    #[inline]
    fn has_solution(&self, index: usize) -> bool {
        self.rows.get(ROW * index).is_some_and(|&first| first != b'\n')
    }

    /// The digits of a record's solution, if it has one.
    fn digits(&self, index: usize) -> Option<[u8; 81]> {
        let row: &[u8; 81] = self.rows.get(ROW * index..)?.first_chunk()?;
        self.has_solution(index).then(|| row.map(|character| character.wrapping_sub(b'1')))
    }
}

/// Reads some of the lines from the cursor on, no more than `most`; how many, up to the first that is not what it was
/// taken for.
pub(crate) fn read(open: &mut ChunkState, parser: &Parser, most: usize, grids: &mut Vec<Packed>) -> usize {
    let ChunkState { chunk, columns, cursor, .. } = open;
    let range = *cursor..columns.lines.count().min(*cursor + most);
    grids.clear();
    parser.read_plain(chunk, &columns.lines, range, grids, &mut columns.clues)
}

/// The answer to a record, as any other outcome has it.
fn answer(found: Found, goal: Goal) -> Answer {
    let Found { solutions, is_complete, nodes, guesses } = found;
    let ended_by = if is_complete { EndedBy::Complete } else { EndedBy::Limit };
    let ended = Ended { found: solutions.into(), ended_by, nodes: nodes.into(), guesses: guesses.into() };
    Answer::of(ended.into(), goal)
}

/// Goes over to slots, with all that the columns know. `probing`: whether searches under way are short ones.
pub(crate) fn to_general(
    open: &mut ChunkState,
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
    let has_given = open.columns.unique == Status::Correct;
    for index in 0..open.cursor {
        open.set_engine(index, selection);
        let slot = &mut open.slots[index];
        slot.probing = probing;
        let found = open.columns.found[index];
        slot.answer = found.map(|found| check::verdict(answer(found, goal), has_given));
        if let Some(digits) = open.columns.digits(index) {
            slot.solution = open.found.push(Solution::Digits(&digits)) as u32;
            open.found_by.push(index as u32);
        }
    }
}

/// Whether all solutions are right. Every record has one, or all of them were counted.
pub(crate) fn are_right(open: &ChunkState) -> bool {
    let PlainChunk { lines, rows, .. } = &open.columns;
    let (puzzles, stride) = lines.text(&open.chunk.bytes);
    open.columns.shown == PlainOutput::Count || verify_lines(puzzles, stride, rows)
}

/// Writes up a chunk of whose records all are answered, and rightly.
pub(crate) fn write_up(open: &mut ChunkState, selection: Selection) {
    let PlainChunk { shown, unique, clues, rows, found, .. } = &mut open.columns;
    let records = found.len() as u64;
    let pages = &mut open.pages;
    let origin = Origin {
        index: open.written_index,
        source: &open.chunk.source,
        line: open.chunk.first_line,
        engine: selection.kind.info().name,
        chosen: selection.reason.text(),
    };
    let list = found.iter().flatten().copied();
    if *shown == PlainOutput::Count {
        pages.statistics.record_counted(&origin, clues, list.clone());
    } else {
        let solutions = rows.as_chunks::<ROW>().0.iter().filter_map(|row| row.first_chunk());
        pages.statistics.record_solved(&origin, clues, *unique, list.clone(), solutions);
    }
    match shown {
        PlainOutput::Solution if pages.output.is_empty() => std::mem::swap(&mut pages.output, rows),
        PlainOutput::Solution => pages.output.append(rows),
        PlainOutput::Count => {
            for found in list {
                write_found(&Count::from(u64::from(found.solutions)), found.is_complete, &mut pages.output);
                pages.output.push(b'\n');
            }
        }
        PlainOutput::Status => {
            for _ in list {
                pages.output.extend_from_slice(unique.word().as_bytes());
                pages.output.push(b'\n');
            }
        }
    }
    pages.rows += records;
    pages.answered += records;
}

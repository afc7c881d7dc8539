//! A chunk of nothing but bare 9x9 lines, while all goes as it mostly does: columns instead of a slot a record.
//!
//! What a general chunk keeps of a record (its spans, its answer, its place among the solutions found) is several times
//! what such a record is. Here a record is a grid, a solution and what its search took, each in a column, and all of
//! them are verified, counted and written column by column:
//!
//! ```text
//! lines.grids      what engines get; also what the verifier holds the solutions against
//! solutions        the digits, in the order of the records, whenever an engine gives them
//! found            what the search took, once it is over
//! ```
//! Only one outcome has a place here: one solution, found by a search that ended as it should. At the first record with
//! any other, and wherever something is asked that columns cannot say, the chunk *spreads out*: it is parsed
//! again into records and slots, and what the columns know goes there. Tickets stay what they are, since the number of a line
//! is that of its slot.

use super::config::BatchOptions;
use super::open::OpenChunk;
use crate::engine::Selection;
use crate::input::{BareLines, Parser};
use crate::model::{Answer, Counters, EndedBy, Goal, Outcome, Solution, verify_all};
use crate::output::Formatter;
use crate::stats::{FoundOne, Origin};

/// The columns of a chunk.
#[derive(Debug, Default)]
pub(super) struct Columns {
    /// Whether they are what is known of the chunk; else its slots are.
    pub in_use: bool,
    pub lines: BareLines,
    solutions: Vec<[u8; 81]>,
    /// Whether the record has its solution.
    kept: Vec<bool>,
    found: Vec<Option<FoundOne>>,
}

impl Columns {
    /// Whether a run's answers can be written from columns, if the chunk has them.
    pub(super) fn suffice(options: &BatchOptions, formatter: &dyn Formatter) -> bool {
        formatter.shows_bare_solutions()
            && !options.ask.is_several()
            && options.only.is_empty()
            && options.audit.is_none()
    }

    /// Starts over with the lines that were read.
    pub(super) fn start(&mut self) {
        let lines = self.lines.grids.len();
        self.in_use = true;
        self.found.clear();
        self.found.resize(lines, None);
        self.kept.clear();
        self.kept.resize(lines, false);
        // What stands there of an earlier chunk is never looked at.
        self.solutions.resize(lines, [0; 81]);
    }

    /// Keeps the first solution of a record; `false` if it has no place here.
    #[inline]
    pub(super) fn keep(&mut self, index: usize, solution: Solution<'_>) -> bool {
        if self.kept[index] {
            return true;
        }
        let Solution::Digits(digits) = solution else { return false };
        let Ok(digits) = digits.try_into() else { return false };
        self.solutions[index] = digits;
        self.kept[index] = true;
        true
    }

    /// Takes the end of a search; `false` if it has no place here.
    #[inline]
    pub(super) fn settle(&mut self, index: usize, outcome: &Outcome) -> bool {
        let is_one = self.kept[index] && outcome.found.to_u64() == Some(1) && outcome.best.is_none();
        let plain = match outcome.counters {
            Some(Counters { nodes, guesses, covers: None, updates: None }) => {
                u32::try_from(nodes).ok().zip(u32::try_from(guesses).ok())
            }
            _ => None,
        };
        match plain {
            Some((nodes, guesses)) if is_one && !outcome.ended_by.is_early() => {
                let is_complete = outcome.ended_by == EndedBy::Complete;
                self.found[index] = Some(FoundOne { is_complete, nodes, guesses });
                true
            }
            _ => false,
        }
    }
}

/// The answer to a record with one solution, as any other outcome has it.
fn answer(found: FoundOne, goal: Goal) -> Answer {
    let ended_by = if found.is_complete { EndedBy::Complete } else { EndedBy::Limit };
    let (nodes, guesses) = (found.nodes.into(), found.guesses.into());
    let counters = Some(Counters { nodes, guesses, ..Counters::default() });
    Answer::of(Outcome { found: 1.into(), ended_by, counters, best: None }, goal)
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
        if open.columns.kept[index] {
            slot.solution = open.found.push(Solution::Digits(&open.columns.solutions[index])) as u32;
            open.found_by.push(index as u32);
        }
    }
}

/// Whether all solutions are right. Every record has one.
pub(super) fn are_right(open: &OpenChunk) -> bool {
    verify_all(&open.columns.lines.grids, &open.columns.solutions)
}

/// Writes up a chunk whose records all have one solution, which is right.
pub(super) fn write_up(open: &mut OpenChunk, selection: Selection) {
    let Columns { lines, solutions, found, .. } = &open.columns;
    let records = found.len() as u64;
    let pages = &mut open.pages;
    let origin = Origin {
        index: open.written_index,
        source: &open.chunk.source,
        line: open.chunk.first_line,
        engine: selection.kind.info().name,
        chosen: selection.reason,
    };
    let entries = lines.clues.iter().zip(found).zip(solutions);
    let entries = entries.filter_map(|((&clues, &found), digits)| Some((clues, found?, digits)));
    pages.statistics.record_found(&origin, entries);
    crate::output::write_bare_solutions(solutions, &mut pages.output);
    pages.rows += records;
    pages.answered += records;
}

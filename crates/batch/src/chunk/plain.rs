//! A chunk of nothing but plain 9x9, a line each, while all goes as it mostly does: columns instead of a slot a record.
//!
//! What a [`GeneralChunk`] keeps of a record (its spans, its answer, its place among the solutions found) is several times
//! what such a record is. Here a record is its line, the row of the output and what its search took, each in a column, and
//! all of them are verified, counted and written column by column:
//!
//! ```text
//! lines     the puzzles, where the chunk has them or apart: read when an engine asks for them, compared with their solutions
//!           at the end
//! rows      the solutions, in the order of the records, whenever an engine gives them; none where solutions are only counted
//! found     what the search found and took, once it is over
//! ```
//! Any mixture of none, one and several solutions has a place here, whatever was asked, as long as each search ended as it
//! should and all given solutions are right; for ratings and tables one solution each. At the first record with any other
//! outcome, at the first line that is not what it was taken for, and wherever something is asked that columns cannot say, the
//! chunk becomes general: it is parsed into records and slots, and what the columns know goes there. The number of a line is
//! that of its slot, so that tickets stay what they are.

use quadrille_formats::input::FromText;
use std::sync::Arc;

use super::drawing;
use super::general::{GeneralChunk, NO_ENGINE};
use super::output::ChunkOutput;
use crate::options::{Ask, BatchOptions};
use crate::stats::{Drawn, Found, Origin};
use quadrille_engine::scales::{Rated, Scale};
use quadrille_engine::{Ended, Selection, Solved, contradicted};
use quadrille_formats::input::{Chunk, ClueCounts, Parser, PlainLines};
use quadrille_formats::output::{Formatter, PlainOutput, write_found, write_refutation};
use quadrille_model::canonical::Cells;
use quadrille_model::rules::Rules;
use quadrille_model::{
    Answer, Count, Counters, EndedBy, Goal, Outcome, PLAIN_LINE, Packed, Puzzle, Solution, Status,
    verify_lines, verify_ruled_lines,
};

/// The columns of a chunk of plain 9x9. See the [module](self).
#[derive(Debug)]
pub(crate) struct PlainChunk {
    /// The part of an answer that is written.
    shown: PlainOutput,
    goal: Goal,
    /// The rules of its grids, where there are others than rows, columns and boxes.
    pub rules: Option<Arc<Rules>>,
    /// The engine for its grids.
    pub selection: Selection,
    /// The status of a record with one solution and no other.
    unique: Status,
    pub lines: PlainLines,
    /// Numbers of clues of the lines read so far.
    clues: ClueCounts,
    /// A row each; newlines where the record has no solution yet. None where solutions are counted.
    rows: Vec<u8>,
    found: Vec<Option<Found>>,
    /// Some of what was found is not one solution.
    is_mixed: bool,
    /// The given solutions that are to be checked, a row each.
    given: Vec<u8>,
    /// Ratings, where these are asked for: made when all records are answered.
    pub rated: Vec<Rated>,
}

impl PlainChunk {
    /// Returns a chunk without lines, for searches of this goal by this engine.
    pub(crate) fn new(goal: Goal, selection: Selection) -> Self {
        PlainChunk {
            shown: PlainOutput::Solution,
            goal,
            rules: None,
            selection,
            unique: Status::Unique,
            lines: PlainLines::default(),
            clues: [0; 82],
            rows: Vec::new(),
            found: Vec::new(),
            is_mixed: false,
            given: Vec::new(),
            rated: Vec::new(),
        }
    }

    /// Returns the part of an answer that a run writes from plain chunks; `None` where it asks for more than columns
    /// hold.
    pub(crate) fn shown(options: &BatchOptions, formatter: &dyn Formatter) -> Option<PlainOutput> {
        let asks_for_more = options.traces
            || options.ask.is_several()
            || options.ask == Ask::Check { minimal: true }
            || matches!(options.scale(), Some(Scale::GuessesMean { .. }));
        let is_enough = !asks_for_more && options.only.is_empty() && options.audit.is_none();
        // What a rating says of rules is up to it.
        let is_rating = |shown: &PlainOutput| *shown == PlainOutput::Rating;
        let is_shown =
            |shown: &PlainOutput| is_enough && (options.input.rules.is_empty() || !is_rating(shown));
        formatter.plain_output().filter(is_shown)
    }

    /// Starts over with the lines of a chunk, which have the rules of the run or those of the first of their source; `false` if
    /// these are not all plain.
    pub(crate) fn start(&mut self, chunk: &Chunk, parser: &Parser, shown: PlainOutput) -> bool {
        let has_given = chunk.layout.has_solution_column();
        let checks_given = shown == PlainOutput::Status && has_given;
        let given = checks_given.then_some(&mut self.given);
        if parser.plain_lines(chunk, &mut self.lines, given) {
            self.rules = parser.line_rules().cloned();
            if checks_given && !self.given_are_right(chunk) {
                return false;
            }
        } else {
            // These have no columns, so that no solution is given; and what a rating says of rules is up to it.
            self.rules = parser.lines_with_shared_rules(chunk, &mut self.lines);
            if self.rules.is_none() || shown == PlainOutput::Rating {
                return false;
            }
        }
        self.unique = if checks_given { Status::Correct } else { Status::Unique };
        let count = self.lines.count();
        self.shown = shown;
        self.clues = [0; 82];
        self.rows.clear();
        if shown != PlainOutput::Count {
            self.rows.resize(PLAIN_LINE * count, b'\n');
        }
        self.is_mixed = false;
        self.found.clear();
        self.found.resize(count, None);
        true
    }

    /// Every line of a chunk has a given solution, and a right one: that is known before any search.
    fn given_are_right(&self, chunk: &Chunk) -> bool {
        let (puzzles, stride) = self.lines.text(&chunk.bytes);
        self.are_right(puzzles, stride, &self.given)
    }

    /// These solutions of puzzles are right.
    fn are_right(&self, puzzles: &[u8], stride: usize, solutions: &[u8]) -> bool {
        match &self.rules {
            None => verify_lines(puzzles, stride, solutions),
            Some(rules) => verify_ruled_lines(rules.claims(), puzzles, stride, solutions),
        }
    }

    /// Keeps the first solution of a record.
    #[inline]
    fn keep(&mut self, index: usize, digits: &[u8; 81]) {
        let Some(row) = self.rows.get_mut(PLAIN_LINE * index..PLAIN_LINE * index + 81) else { return };
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
        let has_place = match (self.shown, found) {
            (PlainOutput::Count, 1..) => true,
            (PlainOutput::Solution | PlainOutput::Status | PlainOutput::Count, 0) => is_complete,
            (PlainOutput::Solution | PlainOutput::Marked, 1) => self.has_solution(index),
            (PlainOutput::Status | PlainOutput::Rating, 1) => self.has_solution(index) && is_complete,
            // Those were looked for, up to a limit.
            (PlainOutput::Solution | PlainOutput::Status, _) => self.has_solution(index) && !is_complete,
            (PlainOutput::Marked | PlainOutput::Rating, _) => false,
        };
        match (u32::try_from(found), u32::try_from(nodes), u32::try_from(guesses)) {
            (Ok(solutions), Ok(nodes), Ok(guesses)) if has_place && !ended_by.is_early() => {
                self.found[index] = Some(Found { solutions, is_complete, nodes, guesses });
                self.is_mixed |= solutions != 1;
                true
            }
            _ => false,
        }
    }

    #[inline]
    fn has_solution(&self, index: usize) -> bool {
        self.rows.get(PLAIN_LINE * index).is_some_and(|&first| first != b'\n')
    }

    /// Clues and solution of a record that has one.
    pub(crate) fn cells(&self, chunk: &Chunk, index: usize) -> Option<(Cells, Cells)> {
        let (puzzles, stride) = self.lines.text(&chunk.bytes);
        let cells = |text: &[u8], start: usize| text.get(start..)?.first_chunk().map(Cells::of_line);
        Some((cells(puzzles, stride * index)?, cells(&self.rows, PLAIN_LINE * index)?))
    }

    /// The guesses of a record's search.
    pub(crate) fn guesses(&self, index: usize) -> Option<u64> {
        self.found[index].map(|found| found.guesses.into())
    }

    /// The digits of a record's solution, if it has one.
    fn digits(&self, index: usize) -> Option<[u8; 81]> {
        let row: &[u8; 81] = self.rows.get(PLAIN_LINE * index..)?.first_chunk()?;
        self.has_solution(index).then(|| row.map(|character| character.wrapping_sub(b'1')))
    }

    /// Reads some of the lines from the cursor on, no more than `most`; returns their number, up to the first that is
    /// not what it was taken for.
    pub(crate) fn read(
        &mut self,
        chunk: &Chunk,
        cursor: usize,
        parser: &Parser,
        most: usize,
        grids: &mut Vec<Packed>,
    ) -> usize {
        let range = cursor..self.lines.count().min(cursor + most);
        grids.clear();
        parser.read_plain(chunk, &self.lines, range, grids, &mut self.clues)
    }

    /// Hands all that is known of the records before the cursor on to a general chunk of the same records. `is_short`:
    /// searches under way are short ones.
    pub(crate) fn hand_on(&self, general: &mut GeneralChunk, cursor: usize, is_short: bool) {
        let verdict = |answer: Answer| match answer.status {
            Status::Unique => Answer { status: self.unique, ..answer },
            _ => answer,
        };
        for index in 0..cursor {
            general.set_engine(index, self.selection);
            let slot = &mut general.slots[index];
            slot.is_short = is_short;
            slot.answer = self.found[index].map(|found| verdict(self.answer(found)));
            if self.found[index].is_some_and(|found| found.solutions == 0)
                && let Some(clash) = general.problem(index).and_then(|problem| problem.clash())
            {
                let slot = &mut general.slots[index];
                (slot.engine, slot.answer) = (NO_ENGINE, Some(contradicted(clash.into(), self.goal)));
            }
            if let Some(digits) = self.digits(index) {
                general.keep(index, Solution::Digits(&digits), true);
            }
        }
    }

    /// All solutions are right, or solutions were only counted. Every record is answered.
    pub(crate) fn is_right(&self, chunk: &Chunk) -> bool {
        let (puzzles, stride) = self.lines.text(&chunk.bytes);
        if self.shown == PlainOutput::Count {
            return true;
        }
        if !self.is_mixed {
            return self.are_right(puzzles, stride, &self.rows);
        }
        let has_solution = |found: &Option<Found>| found.is_some_and(|found| found.solutions > 0);
        let mut end = 0;
        self.found.chunk_by(|one, next| has_solution(one) == has_solution(next)).all(|run| {
            let first = end;
            end += run.len();
            !has_solution(&run[0])
                || puzzles.get(stride * first..stride * (end - 1) + 81).is_some_and(|puzzles| {
                    self.are_right(puzzles, stride, &self.rows[PLAIN_LINE * first..PLAIN_LINE * end])
                })
        })
    }

    /// The answer to a record, as any other outcome has it; for one without a solution, unless its clues contradict each other.
    fn answer(&self, found: Found) -> Answer {
        let Found { solutions, is_complete, nodes, guesses } = found;
        let ended_by = if is_complete { EndedBy::Complete } else { EndedBy::Limit };
        let ended = Ended { found: solutions.into(), ended_by, nodes: nodes.into(), guesses: guesses.into() };
        Answer::of(ended.into(), self.goal)
    }

    /// The answer to a line without a solution.
    fn refutation(&self, puzzle: &[u8; 81], found: Found) -> Answer {
        let packed = str::from_utf8(puzzle).ok().and_then(|text| Packed::from_text(text).ok());
        let clash = packed.and_then(|packed| match &self.rules {
            None => packed.clash(),
            Some(rules) => {
                let mut puzzle = Puzzle::from(packed);
                puzzle.set_rules(rules);
                puzzle.clash()
            }
        });
        clash.map_or_else(|| self.answer(found), |clash| contradicted(clash.into(), self.goal))
    }

    /// Writes the rows of a chunk whose records all are answered, and rightly, the first of them of this number.
    pub(crate) fn write(
        &mut self,
        chunk: &Chunk,
        first_index: u64,
        scale: Option<Scale>,
        drawn: &mut Drawn,
        output: &mut ChunkOutput,
    ) {
        let records = self.found.len() as u64;
        let origin = Origin {
            index: first_index,
            source: &chunk.source,
            line: chunk.first_line,
            engine: self.selection.kind.info().name,
            chosen: self.selection.reason.text(),
        };
        let (puzzles, stride) = self.lines.text(&chunk.bytes);
        let puzzle = |number: usize| puzzles.get(number * stride..)?.first_chunk();
        let list = (0u64..).zip(self.found.iter().flatten().copied());
        // Nothing is sorted out where there is nothing to be sorted out.
        let refuted: Vec<(u64, Answer)> = if self.is_mixed {
            let refuted = list.clone().filter(|(_, found)| found.solutions == 0);
            let answer = |(number, found)| Some((number, self.refutation(puzzle(number as usize)?, found)));
            refuted.filter_map(answer).collect()
        } else {
            Vec::new()
        };
        let solved = list.clone().filter(|(_, found)| found.solutions > 0);
        let PlainChunk { shown, unique, clues, rows, found, rated, .. } = &*self;
        let statistics = &mut output.statistics;
        statistics.record_clues(clues);
        match shown {
            PlainOutput::Count => statistics.record_counted(&origin, solved),
            PlainOutput::Rating => {
                let version = scale.map_or("", |scale| scale.version(self.selection.kind));
                statistics.record_rated(&origin, *unique, list, version, rated);
            }
            PlainOutput::Solution | PlainOutput::Marked | PlainOutput::Status => {
                let solutions = rows.as_chunks::<PLAIN_LINE>().0.iter().filter_map(|row| row.first_chunk());
                if refuted.is_empty() {
                    statistics.record_solved(&origin, *unique, list, solutions);
                } else {
                    let solutions = solutions.filter(|row| row[0] != b'\n');
                    statistics.record_solved(&origin, *unique, solved, solutions);
                }
            }
        }
        for (number, answer) in &refuted {
            statistics.record_refuted(&origin, *number, answer);
        }
        statistics.draw_hardest(drawn, |index| {
            let number = usize::try_from(index.checked_sub(first_index)?)
                .ok()
                .filter(|number| *number < found.len())?;
            drawing::of_line(puzzle(number)?, rows.get(PLAIN_LINE * number..).and_then(<[u8]>::first_chunk))
        });
        self.write_rows(&refuted, &mut output.rows);
        output.row_count += records;
        output.answered += records;
    }

    /// Writes the rows, with the answers to the records without a solution, in order.
    fn write_rows(&mut self, refuted: &[(u64, Answer)], out: &mut Vec<u8>) {
        let PlainChunk { shown, unique, rows, found, rated, .. } = self;
        let list = found.iter().flatten();
        let mut refuted = refuted.iter();
        let mut refute = |out: &mut Vec<u8>| {
            refuted.next().into_iter().for_each(|(_, answer)| write_refutation(answer, out));
        };
        match shown {
            PlainOutput::Marked => {
                for (row, found) in rows.as_chunks_mut::<PLAIN_LINE>().0.iter_mut().zip(list) {
                    if found.is_complete {
                        row[PLAIN_LINE - 1] = b' ';
                    }
                }
                hand_over(rows, out);
            }
            PlainOutput::Solution if !self.is_mixed => hand_over(rows, out),
            PlainOutput::Solution => {
                for (row, found) in rows.as_chunks::<PLAIN_LINE>().0.iter().zip(list) {
                    match found.solutions {
                        0 => {
                            refute(out);
                            out.push(b'\n');
                        }
                        1 => out.extend_from_slice(row),
                        _ => {
                            out.extend_from_slice(Status::Multiple.word().as_bytes());
                            out.push(b'\t');
                            out.extend_from_slice(row);
                        }
                    }
                }
            }
            PlainOutput::Count => {
                for found in list {
                    write_found(&Count::from(u64::from(found.solutions)), found.is_complete, out);
                    out.push(b'\n');
                }
            }
            PlainOutput::Rating => {
                for rated in rated {
                    rated.write(out);
                    out.push(b'\n');
                }
            }
            PlainOutput::Status => {
                for found in list {
                    match found.solutions {
                        0 => refute(out),
                        1 => out.extend_from_slice(unique.word().as_bytes()),
                        _ => out.extend_from_slice(Status::Multiple.word().as_bytes()),
                    }
                    out.push(b'\n');
                }
            }
        }
    }
}

/// Appends rows, without copying them where nothing stands before them.
fn hand_over(rows: &mut Vec<u8>, out: &mut Vec<u8>) {
    if out.is_empty() {
        std::mem::swap(out, rows);
    } else {
        out.append(rows);
    }
}

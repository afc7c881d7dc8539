//! A chunk of plain 9x9 lines with ordinary outcomes, stored in columns instead of one slot per record.
//!
//! A [`RecordChunk`] keeps several times more data per record (its spans, its answer, its place among the solutions
//! found) than such a record has itself. Here a record has one entry in each of three columns: its line, its output row
//! and the cost of its search. All records are verified, counted and written column by column:
//!
//! ```text
//! lines     the puzzles, in the chunk or in a copy: read when an engine asks for them, compared with their solutions
//!           at the end
//! rows      the solutions, in the order of the records, stored as engines find them; none if they are only counted
//! found     result and cost of each search that has ended
//! ```
//! For any question, records with no, one and several solutions may be mixed, if each search ended normally and all
//! given solutions are right. Ratings and tables require exactly one solution per record.
//!
//! The chunk becomes general at the first record with any other outcome, at the first line that turns out not to be
//! plain, and if anything is needed that columns cannot express. It is then parsed into records and slots, and the data
//! of the columns is transferred. The number of a line equals that of its slot, so tickets stay valid.

use std::ops::Range;
use std::sync::Arc;

use super::output::ChunkOutput;
use super::records::RecordChunk;
use crate::options::{BatchOptions, Query};
use crate::stats::{
    Drawing, Drawn, RecordRange, SearchResult, Statistics, term_of_count, term_of_rating, terms_of_lines,
};
use quadrille_engine::scales::Scale;
use quadrille_engine::{BatchSolution, JobEnd, Selection, contradicted};
use quadrille_formats::input::{Chunk, ClueCounts, FromText, Parser, PlainLines, Wanted};
use quadrille_formats::output::{Formatter, PlainOutput, RecordResult, Row, write_found, write_refutation};
use quadrille_model::canonical::Cells;
use quadrille_model::rules::Rules;
use quadrille_model::{
    Answer, Count, Counters, EndedBy, Goal, Outcome, PLAIN_LINE, Packed9x9, ProblemRef, Puzzle, Solution,
    Status, verify_lines, verify_ruled_lines,
};
use quadrille_rating::{AnyRating, Reached};

/// Output form of the records in a column chunk (a chunk of plain 9x9 lines).
#[derive(Debug, Clone, Copy)]
pub(crate) struct PlainForm {
    /// Part of the answer that a row shows, such as the solution.
    pub shown: PlainOutput,
    /// True if the formatter writes each row. False if a row consists only of the part `shown`.
    pub as_rows: bool,
}

/// Output forms that a run may use for column chunks (chunks of plain 9x9 lines).
#[derive(Debug, Clone, Copy)]
pub(crate) struct PlainForms {
    alone: Option<PlainOutput>,
    rows: Option<PlainOutput>,
}

impl PlainForms {
    /// Returns the output forms of a run. There are none if the run needs more data than columns can hold.
    pub(crate) fn new(options: &BatchOptions, formatter: &dyn Formatter) -> Self {
        let asks_for_more = options.outcomes
            || options.ask.is_several()
            || options.ask == Query::Check { minimal: true }
            || matches!(options.scale(), Some(Scale::GuessesMean { .. }));
        let selects = !options.only.is_empty() || !options.steps.is_empty() || !options.conditions.is_empty();
        let is_enough = !asks_for_more && !selects && options.audit.is_none();
        // Grids with extra rules may have no rating. Only record chunks can handle this.
        let is_rating = |shown: &PlainOutput| *shown == PlainOutput::Rating;
        // A time limit may end a rating early, which only record chunks can report.
        let is_rated_apart = !options.input.rules.is_empty() || options.time_limit.is_some();
        let is_shown = |shown: &PlainOutput| is_enough && !(is_rated_apart && is_rating(shown));
        let is_compared = matches!(options.ask, Query::Compare(_));
        PlainForms {
            alone: formatter.plain_output().filter(is_shown),
            rows: formatter.row_output().filter(is_shown).filter(|_| !is_compared),
        }
    }

    /// Returns the output form for a chunk, or `None` if the run has no suitable form.
    ///
    /// `may_be_alone` is true if a row may consist only of the shown part of the answer.
    pub(crate) fn of(self, may_be_alone: bool) -> Option<PlainForm> {
        let alone = self.alone.filter(|_| may_be_alone).map(|shown| PlainForm { shown, as_rows: false });
        alone.or(self.rows.map(|shown| PlainForm { shown, as_rows: true }))
    }
}

/// A chunk of plain 9x9 lines, stored in columns (see the [module](self)).
#[derive(Debug)]
pub(crate) struct ColumnChunk {
    pub form: PlainForm,
    goal: Goal,
    /// Rules of the grids in addition to rows, columns and boxes, or `None` if there are none.
    pub rules: Option<Arc<Rules>>,
    /// Engine for the grids.
    pub selection: Selection,
    /// Status that a record with exactly one solution gets.
    unique: Status,
    pub lines: PlainLines,
    /// For each number of clues, the number of lines read so far that have it.
    clues: ClueCounts,
    /// First solution of each record, one row per record. Before the solution is found, the row is filled
    /// with newlines.
    ///
    /// Empty if solutions are only counted.
    rows: Vec<u8>,
    found: Vec<Option<SearchResult>>,
    /// True if any record so far has no solution or several solutions.
    is_mixed: bool,
    /// Ratings of the records, if requested. They are computed after all records are answered.
    pub rated: RatedColumns,
}

/// Ratings of all records. Also the grid after the solving steps of each rating, if rows show this grid.
#[derive(Debug, Default)]
pub(crate) struct RatedColumns {
    pub ratings: Vec<AnyRating>,
    pub reached: Vec<Reached>,
}

impl ColumnChunk {
    /// Creates an empty chunk for searches with this goal and this choice of engine.
    pub(crate) fn new(goal: Goal, selection: Selection) -> Self {
        ColumnChunk {
            form: PlainForm { shown: PlainOutput::Solution, as_rows: false },
            goal,
            rules: None,
            selection,
            unique: Status::Unique,
            lines: PlainLines::default(),
            clues: [0; 82],
            rows: Vec::new(),
            found: Vec::new(),
            is_mixed: false,
            rated: RatedColumns::default(),
        }
    }

    /// Clears the columns and prepares them for the lines of `chunk`. Returns false if the chunk cannot be
    /// stored in columns.
    ///
    /// If the lines have extra rules, all lines must have the same rules. These are the rules of the run, or
    /// those of the first record of the source.
    pub(crate) fn start(&mut self, chunk: &Chunk, parser: &Parser, form: PlainForm) -> bool {
        let has_given = chunk.layout.has_solution_column();
        let checks_given = form.shown == PlainOutput::Status && has_given;
        let wanted = Wanted { given: checks_given, records: form.as_rows };
        if parser.plain_lines(chunk, &mut self.lines, wanted) {
            self.rules = parser.line_rules().cloned();
            if checks_given && !self.given_are_right(chunk) {
                return false;
            }
        } else {
            // A source whose lines have rules never has a column of given solutions, so there is nothing to
            // check. Such lines are rated in record chunks.
            self.rules = parser.lines_with_shared_rules(chunk, &mut self.lines);
            if self.rules.is_none() || form.as_rows || form.shown == PlainOutput::Rating {
                return false;
            }
        }
        self.unique = if checks_given { Status::Correct } else { Status::Unique };
        let count = self.lines.count();
        self.form = form;
        self.clues = [0; 82];
        self.rows.clear();
        if form.shown != PlainOutput::Count {
            self.rows.resize(PLAIN_LINE * count, b'\n');
        }
        self.is_mixed = false;
        self.found.clear();
        self.found.resize(count, None);
        true
    }

    /// Returns true if every given solution is right. This check takes no search.
    fn given_are_right(&self, chunk: &Chunk) -> bool {
        let (puzzles, stride) = self.lines.text(&chunk.bytes);
        self.are_right(puzzles, stride, self.lines.given())
    }

    /// Returns true if each solution in `solutions` solves the puzzle at the same index in `puzzles`.
    fn are_right(&self, puzzles: &[u8], stride: usize, solutions: &[u8]) -> bool {
        match &self.rules {
            None => verify_lines(puzzles, stride, solutions),
            Some(rules) => verify_ruled_lines(rules.claims(), puzzles, stride, solutions),
        }
    }

    /// Stores a solution of a record, unless the record already has one.
    #[inline]
    fn keep(&mut self, index: usize, digits: &[u8; 81]) {
        let Some(row) = self.rows.get_mut(PLAIN_LINE * index..PLAIN_LINE * index + 81) else { return };
        if row[0] == b'\n' {
            for (character, digit) in row.iter_mut().zip(digits) {
                *character = b'1'.wrapping_add(*digit);
            }
        }
    }

    /// Stores a solution of a record. Also stores how the search ended, if `solved` contains this.
    ///
    /// Returns false if the columns cannot hold how the search ended.
    #[inline]
    pub(crate) fn take(&mut self, index: usize, solved: &BatchSolution) -> bool {
        self.keep(index, &solved.digits);
        solved.ended.is_none_or(|ended| self.end(index, ended))
    }

    /// Stores a solution of a record. Returns false if the columns cannot hold it.
    pub(crate) fn take_solution(&mut self, index: usize, solution: Solution<'_>) -> bool {
        let Solution::Digits(digits) = solution else { return false };
        let Ok(digits) = digits.try_into() else { return false };
        self.keep(index, digits);
        true
    }

    /// Stores how a search ended. Returns false if the columns cannot hold this.
    #[inline]
    pub(crate) fn take_end(&mut self, index: usize, outcome: &Outcome) -> bool {
        let work = outcome.counters.and_then(Counters::nodes_and_guesses);
        match (outcome.found.to_u64(), work) {
            (Some(found), Some((nodes, guesses))) if outcome.best.is_none() => {
                self.end(index, JobEnd { found, ended_by: outcome.ended_by, nodes, guesses })
            }
            _ => false,
        }
    }

    #[inline]
    fn end(&mut self, index: usize, ended: JobEnd) -> bool {
        let JobEnd { found, ended_by, nodes, guesses } = ended;
        let is_complete = ended_by == EndedBy::Complete;
        let has_place = match (self.form.shown, found) {
            (PlainOutput::Count, 1..) => true,
            (PlainOutput::Solution | PlainOutput::Status | PlainOutput::Count, 0) => is_complete,
            (PlainOutput::Solution | PlainOutput::Marked, 1) => self.has_solution(index),
            (PlainOutput::Status | PlainOutput::Rating, 1) => self.has_solution(index) && is_complete,
            // If the search found several solutions, it must have ended at its solution limit.
            (PlainOutput::Solution | PlainOutput::Status, _) => self.has_solution(index) && !is_complete,
            (PlainOutput::Marked | PlainOutput::Rating, _) => false,
        };
        match (u32::try_from(found), u32::try_from(nodes), u32::try_from(guesses)) {
            (Ok(solutions), Ok(nodes), Ok(guesses)) if has_place && !ended_by.is_early() => {
                self.found[index] = Some(SearchResult { solutions, is_complete, nodes, guesses });
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

    /// Returns the clues and the solution of a record, or `None` if solutions are not stored.
    pub(crate) fn cells(&self, chunk: &Chunk, index: usize) -> Option<(Cells, Cells)> {
        let (puzzles, stride) = self.lines.text(&chunk.bytes);
        let cells = |text: &[u8], start: usize| text.get(start..)?.first_chunk().map(Cells::of_line);
        Some((cells(puzzles, stride * index)?, cells(&self.rows, PLAIN_LINE * index)?))
    }

    /// Returns the number of guesses of a record's search, or `None` if the search has not ended.
    pub(crate) fn guesses(&self, index: usize) -> Option<u64> {
        self.found[index].map(|found| found.guesses.into())
    }

    /// Returns the 0-based digits of a record's solution, or `None` if no solution was stored.
    fn digits(&self, index: usize) -> Option<[u8; 81]> {
        let row: &[u8; 81] = self.rows.get(PLAIN_LINE * index..)?.first_chunk()?;
        self.has_solution(index).then(|| row.map(|character| character.wrapping_sub(b'1')))
    }

    /// Reads the lines with the numbers in `lines` into `grids` and returns how many were read.
    ///
    /// Stops at the end of the chunk, or before the first line that is not plain.
    pub(crate) fn read(
        &mut self,
        chunk: &Chunk,
        lines: Range<usize>,
        parser: &Parser,
        grids: &mut Vec<Packed9x9>,
    ) -> usize {
        let range = lines.start..self.lines.count().min(lines.end);
        grids.clear();
        parser.read_plain(chunk, &self.lines, range, (grids, &mut self.clues))
    }

    /// Copies all results of the records before `cursor` to a record chunk that contains the same records.
    ///
    /// `is_short` is true if unfinished searches of these records are short searches.
    pub(crate) fn hand_on(&self, general: &mut RecordChunk, cursor: usize, is_short: bool) {
        for index in 0..cursor {
            general.slots[index].engine = Some(self.selection);
            let slot = &mut general.slots[index];
            slot.is_short = is_short;
            slot.answer = self.found[index].map(|found| self.answer(found));
            if self.found[index].is_some_and(|found| found.solutions == 0)
                && let Some(clash) = general.problem(index).and_then(|problem| problem.clash())
            {
                let slot = &mut general.slots[index];
                (slot.engine, slot.answer) = (None, Some(contradicted(clash.into(), self.goal)));
            }
            if let Some(digits) = self.digits(index) {
                general.keep(index, Solution::Digits(&digits), true);
            }
        }
    }

    /// Returns true if all solutions are right, or if solutions are only counted.
    ///
    /// Every record must be answered before this call.
    pub(crate) fn is_right(&self, chunk: &Chunk) -> bool {
        let (puzzles, stride) = self.lines.text(&chunk.bytes);
        if self.form.shown == PlainOutput::Count {
            return true;
        }
        if !self.is_mixed {
            return self.are_right(puzzles, stride, &self.rows);
        }
        let has_solution = |found: &Option<SearchResult>| found.is_some_and(|found| found.solutions > 0);
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

    /// Converts the result of a search to an answer.
    ///
    /// Does not detect clues that contradict each other, which [`refutation`](Self::refutation) detects.
    fn answer(&self, found: SearchResult) -> Answer {
        let SearchResult { solutions, is_complete, nodes, guesses } = found;
        let ended_by = if is_complete { EndedBy::Complete } else { EndedBy::Limit };
        let ended =
            JobEnd { found: solutions.into(), ended_by, nodes: nodes.into(), guesses: guesses.into() };
        let answer = Answer::from_outcome(ended.into(), self.goal);
        match answer.status {
            Status::Unique => Answer { status: self.unique, ..answer },
            _ => answer,
        }
    }

    /// Returns the answer for a line that has no solution.
    fn refutation(&self, puzzle: &[u8; 81], found: SearchResult) -> Answer {
        let clash = packed_of(puzzle).and_then(|packed| match &self.rules {
            None => packed.clash(),
            Some(rules) => {
                let mut puzzle = Puzzle::from(packed);
                puzzle.set_rules(rules);
                puzzle.clash()
            }
        });
        clash.map_or_else(|| self.answer(found), |clash| contradicted(clash.into(), self.goal))
    }

    /// Returns the name of the scale on which records were rated, or an empty string without ratings.
    fn version(&self, scale: Option<Scale>) -> &'static str {
        scale.map_or("", |scale| scale.version(self.selection.kind))
    }

    /// Adds the clues of all records to the clue maps of the statistics. If there are ratings, adds them too.
    pub(crate) fn map_clues(&self, chunk: &Chunk, scale: Option<Scale>, statistics: &mut Statistics) {
        let rated = (self.version(scale), &self.rated.ratings[..]);
        let (puzzles, stride) = self.lines.text(&chunk.bytes);
        let puzzle = |number: usize| puzzles.get(number * stride..)?.first_chunk();
        statistics.map_clues_of_lines((0..self.found.len()).filter_map(puzzle), rated);
    }

    /// Writes the rows of a chunk. All records must be answered and their solutions verified.
    ///
    /// The first record has the number `first_index`.
    pub(crate) fn write(
        &mut self,
        (chunk, first_index, formatter): (&Chunk, u64, &dyn Formatter),
        scale: Option<Scale>,
        drawn: &mut Drawn,
        output: &mut ChunkOutput,
    ) {
        let records = self.found.len() as u64;
        let origin = RecordRange {
            index: first_index,
            source: &chunk.source,
            line: chunk.first_line,
            engine: self.selection.kind.name(),
            chosen: self.selection.reason.text(),
        };
        let (puzzles, stride) = self.lines.text(&chunk.bytes);
        let puzzle = |number: usize| puzzles.get(number * stride..)?.first_chunk();
        let list = (0u64..).zip(self.found.iter().flatten().copied());
        // Collecting the records without a solution takes time. So the loop is skipped if there are no such
        // records.
        let refuted: Vec<(u64, Answer)> = if self.is_mixed {
            let refuted = list.clone().filter(|(_, found)| found.solutions == 0);
            let answer = |(number, found)| Some((number, self.refutation(puzzle(number as usize)?, found)));
            refuted.filter_map(answer).collect()
        } else {
            Vec::new()
        };
        let solved = list.filter(|(_, found)| !self.is_mixed || found.solutions > 0);
        let version = self.version(scale);
        let ColumnChunk { form: PlainForm { shown, as_rows }, unique, clues, rows, found, rated, .. } =
            &*self;
        let (mut statuses, mut text) = ([Status::Solved, Status::Multiple, *unique], Vec::new());
        let sum = u128::wrapping_add;
        let terms = match shown {
            PlainOutput::Count => {
                statuses = [Status::Counted; 3];
                let term = |(number, found): (u64, SearchResult)| {
                    term_of_count(first_index + number, found.solutions.into())
                };
                solved.clone().map(term).fold(0, sum)
            }
            PlainOutput::Rating => {
                let rated = (first_index..).zip(&rated.ratings);
                rated.map(|(index, rated)| term_of_rating(index, *unique, rated, &mut text)).fold(0, sum)
            }
            PlainOutput::Solution | PlainOutput::Marked | PlainOutput::Status => {
                let solutions = rows.as_chunks::<PLAIN_LINE>().0.iter().filter_map(|row| row.first_chunk());
                let solutions = solutions.filter(|row| !self.is_mixed || row[0] != b'\n');
                let answers = solved.clone().zip(solutions);
                let answers = answers.map(|((number, found), row)| (number, statuses[found.kind()], row));
                terms_of_lines(first_index, answers)
            }
        };
        let statistics = &mut output.statistics;
        statistics.record_clues(clues);
        statistics.record_ratings(version, &rated.ratings);
        statistics.record_found((&origin, &rated.ratings), statuses, solved, terms);
        for (number, answer) in &refuted {
            statistics.record_refuted(&origin, *number, answer);
        }
        statistics.hardest.draw(drawn, |index| {
            let number = usize::try_from(index.checked_sub(first_index)?)
                .ok()
                .filter(|number| *number < found.len())?;
            let digits = self.digits(number);
            let solution = digits.as_ref().map(|digits| Solution::Digits(digits));
            Drawing::of_problem(ProblemRef::Packed(&packed_of(puzzle(number)?)?), solution)
        });
        match as_rows {
            true => self.write_by((chunk, first_index, formatter), version, &refuted, output),
            false => self.write_rows(&refuted, &mut output.rows),
        }
        output.row_count += records;
        output.answered += records;
    }

    /// Writes the rows with the output format's formatter.
    ///
    /// `refuted` contains the answers to records without a solution. `version` is the name of the rating
    /// scale.
    fn write_by(
        &mut self,
        (chunk, first_index, formatter): (&Chunk, u64, &dyn Formatter),
        version: &'static str,
        refuted: &[(u64, Answer)],
        output: &mut ChunkOutput,
    ) {
        let (may_lose, engine) = (formatter.may_lose(&chunk.layout), self.selection.kind.name());
        let mut refuted = refuted.iter();
        let mut reached = std::mem::take(&mut self.rated.reached).into_iter();
        for (number, found) in self.found.iter().flatten().enumerate() {
            let (own, digits) = (self.answer(*found), self.digits(number));
            let refutation = if found.solutions == 0 { refuted.next() } else { None };
            let answer = refutation.map_or(&own, |(_, answer)| answer);
            let rating = self.rated.ratings.get(number);
            let result = rating.map(|rating| RecordResult::Rated {
                rated: Some((version, rating.clone())),
                path: None,
                reached: reached.next(),
                image: None,
            });
            let row = Row {
                layout: &chunk.layout,
                bytes: &chunk.bytes,
                source: &chunk.source,
                index: first_index + number as u64,
                record: &self.lines.record(chunk, number),
                values: self.lines.values(number),
                problem: None,
                answer: Some(answer),
                score: None,
                solution: digits.as_ref().map(|digits| Solution::Digits(digits)),
                result: result.as_ref(),
                needs: None,
                converted: None,
                given: None,
                possible: None,
                solution_index: None,
                // If the clues contradict each other, this was detected without an engine.
                engine: if answer.reason.is_some() { "" } else { engine },
                time_ns: None,
            };
            formatter.row(&row, &mut output.rows);
            output.note_losses(formatter, &row, may_lose);
        }
    }

    /// Writes the rows in order, without a formatter. `refuted` contains the answers to records without a
    /// solution.
    fn write_rows(&mut self, refuted: &[(u64, Answer)], out: &mut Vec<u8>) {
        let ColumnChunk { form: PlainForm { shown, .. }, unique, rows, found, rated, .. } = self;
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
                for rating in &rated.ratings {
                    rating.write(out);
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

/// Parses a plain line. Returns `None` if it is invalid.
fn packed_of(line: &[u8; 81]) -> Option<Packed9x9> {
    Packed9x9::from_text(str::from_utf8(line).ok()?).ok()
}

/// Moves rows to `out`. If `out` is empty, the rows are not copied.
fn hand_over(rows: &mut Vec<u8>, out: &mut Vec<u8>) {
    if out.is_empty() {
        std::mem::swap(out, rows);
    } else {
        out.append(rows);
    }
}

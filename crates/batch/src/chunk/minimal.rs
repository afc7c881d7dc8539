//! Tests whether every clue of a uniquely solvable record is needed, with one small search per clue.
//!
//! A clue is needed if the puzzle has a solution with another digit in the clue's cell. The search gives that
//! cell all candidates except the clue, and looks for any solution. These searches are given to engines like
//! the searches of records, so an engine that works on many problems at once stays busy. In a plain 9x9, the
//! known solution proves without a search that most clues are needed ([`lone_clues`]).
//!
//! Records take turns, with one clue per turn. So the first clue that is not needed is usually found before
//! the next clue of its record is tried. The verdict on a record depends on the order of the clues in the
//! grid, not on the order in which their searches end.

use std::collections::VecDeque;

use quadrille_engine::EngineKind;
use quadrille_model::{
    Answer, DigitSet, EndedBy, Outcome, Packed9x9, Problem, ProblemRef, Reason, Solution, Status, lone_clues,
};

/// Bit that is set in the tickets of clue searches. A ticket is the number that identifies a search.
const MARK: u64 = 1 << 63;
/// Lowest bit of the cell index in a ticket. The cell index has 16 bits. The lower 32 bits contain the index
/// of a [`Trial`].
const CELL_SHIFT: u32 = 32;
const CELL_MASK: u64 = (1 << 16) - 1;

/// All records whose clues are being tried.
pub(crate) struct Trials {
    list: Vec<Trial>,
    /// Free places in `list`.
    free: Vec<u32>,
    /// Indices of the trials that still have clues to try. The first trial is continued next.
    queue: VecDeque<u32>,
    /// Puzzle of the clue search that was started last.
    varied: Problem,
}

/// A record whose clues are being tried.
struct Trial {
    /// Ticket of the record.
    ticket: u64,
    kind: EngineKind,
    /// Verdict on the record before its clues were tried, or `None` after the verdict was returned.
    answer: Option<Answer>,
    /// Clues that are known to be needed, one bit per cell.
    needed: u128,
    /// Cell of the next clue to try.
    next: Option<usize>,
    is_queued: bool,
    /// Number of searches under way.
    pending: usize,
    /// Decision about the record's verdict, and the cell of the clue search that led to the decision. If
    /// several searches lead to a decision, the first of their cells in reading order counts.
    decided: Option<(usize, Decided)>,
}

#[derive(Clone, Copy)]
enum Decided {
    NotNeeded,
    /// The search was stopped early.
    NotKnown(EndedBy),
}

impl Trial {
    /// Returns true if another clue remains whose search can change the verdict.
    fn has_next(&self) -> bool {
        self.next.is_some_and(|next| self.decided.is_none_or(|(cell, _)| next < cell))
    }
}

impl Trials {
    pub(crate) fn new() -> Self {
        Trials {
            list: Vec::new(),
            free: Vec::new(),
            queue: VecDeque::new(),
            varied: Problem::Packed(Packed9x9::FULL),
        }
    }

    /// Returns true if a ticket belongs to a clue search.
    #[inline]
    pub(crate) fn owns(ticket: u64) -> bool {
        ticket & MARK != 0
    }

    /// Begins to check whether each clue of a record is needed. `solution` is `None` if it was not kept.
    ///
    /// Returns the verdict immediately if the record has no clue to try, and `None` otherwise.
    pub(crate) fn begin(
        &mut self,
        ticket: u64,
        kind: EngineKind,
        answer: Answer,
        (problem, solution): (ProblemRef<'_>, Option<Solution<'_>>),
    ) -> Option<Answer> {
        let needed = solution.map_or(0, |solution| needed_clues(problem, solution));
        let Some(first) = next_clue(problem, 0, needed) else { return Some(answer) };
        let trial = Trial {
            ticket,
            kind,
            answer: Some(answer),
            needed,
            next: Some(first),
            is_queued: true,
            pending: 0,
            decided: None,
        };
        let number = match self.free.pop() {
            Some(number) => {
                self.list[number as usize] = trial;
                number
            }
            None => {
                self.list.push(trial);
                self.list.len() as u32 - 1
            }
        };
        self.queue.push_back(number);
        None
    }

    /// Returns the ticket and the engine of the record whose clue is tried next.
    ///
    /// Returns `None` if no record has a clue to try.
    pub(crate) fn next(&mut self) -> Option<(u64, EngineKind)> {
        while let Some(&number) = self.queue.front() {
            let trial = &mut self.list[number as usize];
            if trial.has_next() {
                return Some((trial.ticket, trial.kind));
            }
            self.queue.pop_front();
            trial.is_queued = false;
            if trial.answer.is_none() {
                self.free.push(number);
            }
        }
        None
    }

    /// Returns the ticket and the puzzle of the next clue search.
    ///
    /// `problem` must be the problem of the record that [`next`](Self::next) returned.
    pub(crate) fn issue(&mut self, problem: ProblemRef<'_>) -> (u64, ProblemRef<'_>) {
        let number = self.queue.pop_front().expect("`next` returned a record");
        let trial = &mut self.list[number as usize];
        let cell = trial.next.expect("the record has a clue to try");
        vary(problem, cell, &mut self.varied);
        trial.next = next_clue(problem, cell + 1, trial.needed);
        trial.pending += 1;
        trial.is_queued = trial.has_next();
        if trial.is_queued {
            self.queue.push_back(number);
        }
        (MARK | (cell as u64) << CELL_SHIFT | u64::from(number), self.varied.as_ref())
    }

    /// Processes the result of a clue search that has ended. If the result decides the verdict on the record,
    /// returns the record's ticket and the verdict. Otherwise returns `None`.
    ///
    /// `side` returns the side length of the record's grid.
    pub(crate) fn settle(
        &mut self,
        ticket: u64,
        outcome: &Outcome,
        side: impl FnOnce(u64) -> usize,
    ) -> Option<(u64, Answer)> {
        let cell = (ticket >> CELL_SHIFT & CELL_MASK) as usize;
        let number = ticket as u32;
        let trial = &mut self.list[number as usize];
        trial.pending -= 1;
        let decided = match outcome.ended_by {
            _ if !outcome.found.is_zero() => None,
            EndedBy::Complete => Some(Decided::NotNeeded),
            ended_by => Some(Decided::NotKnown(ended_by)),
        };
        if let Some(decided) = decided
            && trial.decided.is_none_or(|(first, _)| cell < first)
        {
            trial.decided = Some((cell, decided));
        }
        if trial.pending > 0 || trial.has_next() {
            return None;
        }
        let record = trial.ticket;
        let mut answer = trial.answer.take()?;
        match trial.decided {
            None => {}
            Some((cell, Decided::NotNeeded)) => {
                let side = side(record);
                let (row, column) = (cell / side + 1, cell % side + 1);
                answer.status = Status::NonMinimal;
                let text = format!("the clue in row {row} column {column} is not needed");
                answer.reason = Some(Box::new(Reason::Text(text)));
            }
            Some((_, Decided::NotKnown(ended_by))) => {
                answer.ended_by = ended_by;
                answer.reason =
                    Some(Box::new("the search for clues that are not needed was cut short".into()));
            }
        }
        if !trial.is_queued {
            self.free.push(number);
        }
        Some((record, answer))
    }

    /// Removes all records.
    pub(crate) fn clear(&mut self) {
        self.list.clear();
        self.free.clear();
        self.queue.clear();
    }
}

/// Returns the clues that are proved to be needed by the only solution, as one bit per cell.
///
/// The proof for a clue is an unavoidable set that contains no other clue. It is only valid for a plain 9x9
/// grid in which every cell without a clue has all candidates. Returns 0 for other problems.
fn needed_clues(problem: ProblemRef<'_>, solution: Solution<'_>) -> u128 {
    let (ProblemRef::Packed(packed), Solution::Digits(digits)) = (problem, solution) else { return 0 };
    let (Ok(digits), (clues, _)) = (digits.try_into(), packed.single_and_empty()) else { return 0 };
    let is_plain = (0..9).all(|digit| (packed.cells_of(digit) | clues).count_ones() == 81);
    if is_plain { lone_clues(digits, clues) } else { 0 }
}

/// Returns the first cell, from the cell `from` on, whose clue is not known to be needed.
///
/// Returns `None` if there is no such cell, and for exact cover problems, which have no clues.
fn next_clue(problem: ProblemRef<'_>, from: usize, needed: u128) -> Option<usize> {
    match problem {
        ProblemRef::Packed(packed) => {
            let rest = (packed.single_and_empty().0 & !needed) >> from;
            (rest != 0).then(|| from + rest.trailing_zeros() as usize)
        }
        ProblemRef::Puzzle(puzzle) => {
            let rest = puzzle.candidates().get(from..)?;
            rest.iter().position(|set| set.single().is_some()).map(|at| from + at)
        }
        ProblemRef::Cover(_) => None,
    }
}

/// Sets `varied` to a copy of `problem` in which `cell` has all candidates except its clue.
fn vary(problem: ProblemRef<'_>, cell: usize, varied: &mut Problem) {
    varied.assign(problem);
    varied.set_candidates(cell, DigitSet(u64::MAX).without(problem.candidates(cell)));
}

#[cfg(test)]
mod tests {
    use super::*;
    use quadrille_model::{Counters, Goal};

    /// Returns a puzzle with one clue each in cells 3, 50 and 80.
    fn puzzle() -> Packed9x9 {
        Packed9x9::FULL.with_cell(3, 1).with_cell(50, 2).with_cell(80, 4)
    }

    fn outcome(found: u64, ended_by: EndedBy) -> Outcome {
        Outcome { found: found.into(), ended_by, counters: Some(Counters::default()), best: None }
    }

    fn unique() -> Answer {
        Answer::from_outcome(outcome(1, EndedBy::Complete), Goal::First(2))
    }

    #[test]
    fn the_reported_clue_does_not_depend_on_which_search_ends_first() {
        let packed = puzzle();
        let problem = ProblemRef::Packed(&packed);
        let ends = [(1, EndedBy::Limit), (0, EndedBy::Complete), (0, EndedBy::Nodes)];
        for order in [[0, 1, 2], [2, 1, 0], [1, 2, 0], [2, 0, 1]] {
            let mut trials = Trials::new();
            assert!(trials.begin(7, EngineKind::Lanes, unique(), (problem, None)).is_none());
            let mut tickets = Vec::new();
            while trials.next().is_some() {
                tickets.push(trials.issue(problem).0);
            }
            assert_eq!(tickets.len(), 3);
            let mut told = Vec::new();
            for clue in order {
                let (found, ended_by) = ends[clue];
                told.extend(trials.settle(tickets[clue], &outcome(found, ended_by), |_| 9));
            }
            let [(ticket, answer)] = &told[..] else { panic!("one verdict") };
            assert_eq!((*ticket, answer.status), (7, Status::NonMinimal));
            let reason = answer.reason.as_ref().unwrap().to_string();
            assert_eq!(reason, "the clue in row 6 column 6 is not needed");
        }
    }

    #[test]
    fn records_take_turns_and_clues_that_cannot_matter_are_not_tried() {
        let packed = puzzle();
        let problem = ProblemRef::Packed(&packed);
        let mut trials = Trials::new();
        for record in [1, 2] {
            assert!(trials.begin(record, EngineKind::Lanes, unique(), (problem, None)).is_none());
        }
        let mut tickets = Vec::new();
        for expected in [1, 2] {
            assert_eq!(trials.next().unwrap().0, expected);
            tickets.push(trials.issue(problem).0);
        }
        let (record, answer) = trials.settle(tickets[0], &outcome(0, EndedBy::Nodes), |_| 9).unwrap();
        assert_eq!((record, answer.status, answer.ended_by), (1, Status::Unique, EndedBy::Nodes));
        for _ in 0..2 {
            assert_eq!(trials.next().unwrap().0, 2);
            tickets.push(trials.issue(problem).0);
        }
        assert!(trials.next().is_none());
        let last = tickets.split_off(1);
        let told: Vec<_> = last
            .iter()
            .filter_map(|&ticket| trials.settle(ticket, &outcome(1, EndedBy::Limit), |_| 9))
            .collect();
        assert_eq!((told.len(), told[0].1.status), (1, Status::Unique));
        assert!(
            trials
                .begin(3, EngineKind::Lanes, unique(), (ProblemRef::Packed(&Packed9x9::FULL), None))
                .is_some()
        );
    }

    #[test]
    fn the_cell_of_the_clue_gets_all_other_digits() {
        let packed = puzzle();
        let mut varied = Problem::Packed(Packed9x9::FULL);
        vary(ProblemRef::Packed(&packed), 50, &mut varied);
        let Problem::Packed(varied) = varied else { panic!("a 9x9 stays one") };
        assert_eq!(varied, packed.with_cell(50, 0x1ff & !2));
        assert_eq!(varied.to_cells()[50], 0x1fd);
    }

    #[test]
    fn clues_that_the_solution_shows_to_be_needed_are_not_tried() {
        let solution: Vec<u8> =
            "534678912672195348198342567859761423426853791713924856961537284287419635345286179"
                .bytes()
                .map(|byte| byte - b'1')
                .collect();
        let clues = |open: &[usize]| {
            let cell = |cell: usize| if open.contains(&cell) { 0x1ff } else { 1 << solution[cell] };
            Packed9x9::from_cells(&std::array::from_fn(cell))
        };
        let needed =
            |packed: &Packed9x9| needed_clues(ProblemRef::Packed(packed), Solution::Digits(&solution));
        assert_eq!(needed(&clues(&[])), 0);
        // Among the cells of digits 1 and 2, only `kept` is a clue. Without it, the two digits could be
        // exchanged.
        let pair: Vec<usize> = (0..81).filter(|&cell| solution[cell] < 2).collect();
        let (kept, open) = pair.split_first().unwrap();
        let left = needed(&clues(open));
        assert!(left >> kept & 1 != 0, "{left:x}");
        // For the proof, every cell of the unavoidable set that has no clue must have all candidates.
        assert_eq!(needed(&clues(open).with_cell(open[0], 0b111)), 0);
    }
}

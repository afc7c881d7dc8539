//! Tests that every clue is needed: small searches, one a clue, for records that were found unique.
//!
//! A clue is needed if the puzzle has a solution with another digit in its cell: one search for any solution of the
//! puzzle whose cell has all digits but the clue's. These searches are jobs like any other, so that an engine that
//! holds many problems is kept full with them. Of a plain 9x9 the known solution shows most clues to be needed without a search
//! ([`lone_clues`]). Records take turns, a clue each: mostly a record's first needless
//! clue is found before the next one is tried. The verdict on a record follows from its clues in reading order, not
//! from the order in which their searches end.

use std::collections::VecDeque;

use quadrille_engine::EngineKind;
use quadrille_model::{
    Answer, DigitSet, EndedBy, Outcome, Packed, Problem, ProblemRef, Reason, Solution, Status, lone_clues,
};

/// Marks tickets of these searches.
const MARK: u64 = 1 << 63;
/// Bits of a ticket for the cell: 16 bits above the number of the trial.
const CELL_SHIFT: u32 = 32;
const CELL_MASK: u64 = (1 << 16) - 1;

/// The records whose clues are being tried.
pub(crate) struct Trials {
    list: Vec<Trial>,
    /// Places in `list` that are free.
    free: Vec<u32>,
    /// Trials with clues left to try, the next one first.
    queue: VecDeque<u32>,
    /// The puzzle of the last search that was handed out.
    varied: Problem,
}

/// A record whose clues are being tried.
struct Trial {
    /// The record's own ticket, and the engine that found it unique.
    ticket: u64,
    kind: EngineKind,
    /// The verdict on it but for its clues; taken when it is given.
    answer: Option<Answer>,
    /// Clues that are known to be needed, bit by cell.
    needed: u128,
    /// The next clue to try.
    next: Option<usize>,
    is_queued: bool,
    /// Searches under way.
    pending: usize,
    /// The first clue, in reading order, that decides the record, with its decision.
    decided: Option<(usize, Decided)>,
}

#[derive(Clone, Copy)]
enum Decided {
    NotNeeded,
    /// Its search was cut short.
    NotKnown(EndedBy),
}

impl Trial {
    /// True if there is a clue whose search can still matter.
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
            varied: Problem::Packed(Packed::FULL),
        }
    }

    /// True if a ticket is of one of these searches.
    #[inline]
    pub(crate) fn owns(ticket: u64) -> bool {
        ticket & MARK != 0
    }

    /// Begins with a record and its solution, where that was kept; gives the verdict back where it has no clue to try.
    pub(crate) fn begin(
        &mut self,
        ticket: u64,
        kind: EngineKind,
        answer: Answer,
        problem: ProblemRef<'_>,
        solution: Option<Solution<'_>>,
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

    /// The record whose clue is to be tried next and the engine for it.
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

    /// Hands out the search for a clue of the record that [`next`](Self::next) named, whose problem this is.
    pub(crate) fn issue(&mut self, problem: ProblemRef<'_>) -> (u64, ProblemRef<'_>) {
        let number = self.queue.pop_front().expect("a record was named");
        let trial = &mut self.list[number as usize];
        let cell = trial.next.expect("the record that was named has a clue to try");
        vary(problem, cell, &mut self.varied);
        trial.next = next_clue(problem, cell + 1, trial.needed);
        trial.pending += 1;
        trial.is_queued = trial.has_next();
        if trial.is_queued {
            self.queue.push_back(number);
        }
        (MARK | (cell as u64) << CELL_SHIFT | u64::from(number), self.varied.as_ref())
    }

    /// Takes the end of a search; gives a record's ticket and verdict if that is now known. `side` is the grid's.
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
                answer.reason = Some(Box::new("whether every clue is needed was not found out".into()));
            }
        }
        if !trial.is_queued {
            self.free.push(number);
        }
        Some((record, answer))
    }

    /// Forgets all records.
    pub(crate) fn clear(&mut self) {
        self.list.clear();
        self.free.clear();
        self.queue.clear();
    }
}

/// The clues of a puzzle with this one solution that an unavoidable set shows to be needed. Of plain 9x9 whose other cells have
/// all candidates: nothing else stands in the way of the change.
fn needed_clues(problem: ProblemRef<'_>, solution: Solution<'_>) -> u128 {
    let (ProblemRef::Packed(packed), Solution::Digits(digits)) = (problem, solution) else { return 0 };
    let (Ok(digits), (clues, _)) = (digits.try_into(), packed.single_and_empty()) else { return 0 };
    let is_plain = (0..9).all(|digit| (packed.cells_of(digit) | clues).count_ones() == 81);
    if is_plain { lone_clues(digits, clues) } else { 0 }
}

/// The first clue at or behind a cell that is not known to be needed. Exact cover problems have none.
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

/// The puzzle with every digit but the clue's in the clue's cell.
fn vary(problem: ProblemRef<'_>, cell: usize, varied: &mut Problem) {
    varied.assign(problem);
    match varied {
        Problem::Packed(packed) => {
            let clue =
                (0..9).filter(|&digit| packed.allows(cell, digit)).fold(0, |set, digit| set | 1 << digit);
            *packed = packed.with_cell(cell, !clue);
        }
        Problem::Puzzle(puzzle) => {
            let clue = puzzle.candidates()[cell];
            puzzle.set_candidates(cell, DigitSet(u64::MAX).without(clue));
        }
        Problem::Cover(_) => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use quadrille_model::{Counters, Goal};

    /// Clues in cells 3, 50 and 80.
    fn puzzle() -> Packed {
        Packed::FULL.with_cell(3, 1).with_cell(50, 2).with_cell(80, 4)
    }

    fn outcome(found: u64, ended_by: EndedBy) -> Outcome {
        Outcome { found: found.into(), ended_by, counters: Some(Counters::default()), best: None }
    }

    fn unique() -> Answer {
        Answer::of(outcome(1, EndedBy::Complete), Goal::First(2))
    }

    #[test]
    fn the_first_clue_that_decides_is_told_whatever_ends_first() {
        let packed = puzzle();
        let problem = ProblemRef::Packed(&packed);
        let ends = [(1, EndedBy::Limit), (0, EndedBy::Complete), (0, EndedBy::Nodes)];
        for order in [[0, 1, 2], [2, 1, 0], [1, 2, 0], [2, 0, 1]] {
            let mut trials = Trials::new();
            assert!(trials.begin(7, EngineKind::Lanes, unique(), problem, None).is_none());
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
    fn records_take_turns_and_what_cannot_matter_is_not_tried() {
        let packed = puzzle();
        let problem = ProblemRef::Packed(&packed);
        let mut trials = Trials::new();
        for record in [1, 2] {
            assert!(trials.begin(record, EngineKind::Lanes, unique(), problem, None).is_none());
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
            trials.begin(3, EngineKind::Lanes, unique(), ProblemRef::Packed(&Packed::FULL), None).is_some()
        );
    }

    #[test]
    fn the_cell_of_the_clue_gets_all_other_digits() {
        let packed = puzzle();
        let mut varied = Problem::Packed(Packed::FULL);
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
            Packed::from_cells(&std::array::from_fn(cell))
        };
        let needed = |packed: &Packed| needed_clues(ProblemRef::Packed(packed), Solution::Digits(&solution));
        assert_eq!(needed(&clues(&[])), 0);
        // One clue is left of two digits: they could change places but for it.
        let pair: Vec<usize> = (0..81).filter(|&cell| solution[cell] < 2).collect();
        let (kept, open) = pair.split_first().unwrap();
        let left = needed(&clues(open));
        assert!(left >> kept & 1 != 0, "{left:x}");
        // Not where a cell of the set cannot change.
        assert_eq!(needed(&clues(open).with_cell(open[0], 0b111)), 0);
    }
}

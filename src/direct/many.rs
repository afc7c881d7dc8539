//! A slice of problems, answered on all threads: columns of answers out.
//!
//! ```text
//! problems --blocks--> workers (rayon)          each with engines of its own, that never run dry between blocks
//!                        |  short searches      answers go straight into the block's part of the columns
//!                        v
//!                      what passes a short search: afterwards, one problem at a time, split over all threads
//! ```
//! An answer is a function of its problem and of what is asked, as in [`batch::run`](crate::batch::run), whose answers
//! these are: the same engines, the same short search ([`SHORT_SEARCH_NODES`]), the same guard.

use std::collections::{BTreeMap, HashMap};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use crate::batch::GUARD_NODES;
use crate::engine::{
    Client, Control, Engine, EngineKind, EnginePreference, Event, Flow, Job, Jobs, SHORT_SEARCH_NODES,
    Selection, Series, Solver, contradicted, select,
};
use crate::error::{Error, ErrorKind, Result};
use crate::model::{
    Answer, Count, Cover, EndedBy, Goal, Limits, Outcome, Packed, Problem, ProblemClass, ProblemRef, Puzzle,
    Solution, Status, verify,
};

/// Problems of a block at most.
const BLOCK: usize = 1024;
/// Blocks a thread has at least, so that all of them work to the end.
const BLOCKS_EACH: usize = 8;
/// The entry of [`Answers::digits`] where there is no digit.
const NO_DIGIT: u8 = u8::MAX;

/// A type of problems that can stand in a slice for [`Many::answer`].
pub trait AsProblem: Sync + Sized {
    /// The problem.
    fn as_problem(&self) -> ProblemRef<'_>;

    /// All of a slice where they are plain 9x9 side by side.
    fn as_packed(problems: &[Self]) -> Option<&[Packed]> {
        let _ = problems;
        None
    }
}

impl AsProblem for Packed {
    fn as_problem(&self) -> ProblemRef<'_> {
        ProblemRef::Packed(self)
    }

    fn as_packed(problems: &[Self]) -> Option<&[Packed]> {
        Some(problems)
    }
}

impl AsProblem for Puzzle {
    fn as_problem(&self) -> ProblemRef<'_> {
        ProblemRef::Puzzle(self)
    }
}

impl AsProblem for Arc<Cover> {
    fn as_problem(&self) -> ProblemRef<'_> {
        ProblemRef::Cover(self)
    }
}

impl AsProblem for Problem {
    fn as_problem(&self) -> ProblemRef<'_> {
        self.as_ref()
    }
}

impl AsProblem for ProblemRef<'_> {
    fn as_problem(&self) -> ProblemRef<'_> {
        *self
    }
}

/// A question about many problems in memory, with limits, threads and a choice of engine.
///
/// ```
/// use quadrille::{Many, Packed, Status};
/// let line = "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79";
/// let puzzles = vec![line.parse::<Packed>()?; 1000];
/// let answers = Many::unique().answer(&puzzles)?;
/// assert!(answers.statuses.iter().all(|&status| status == Status::Unique));
/// assert_eq!(answers.digits[81 * 999..][..3], [4, 2, 3]); // a 5, a 3 and a 4: digits are 0-based here
/// # Ok::<(), quadrille::Error>(())
/// ```
#[derive(Clone, Copy)]
pub struct Many<'a> {
    goal: Goal,
    /// `None`: the guard of a corpus.
    limits: Option<Limits>,
    preference: EnginePreference,
    threads: usize,
    control: Option<&'a Arc<Control>>,
    progress: Option<&'a (dyn Fn(u64) + Sync)>,
}

impl std::fmt::Debug for Many<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Many").field("goal", &self.goal).finish_non_exhaustive()
    }
}

impl<'a> Many<'a> {
    fn new(goal: Goal) -> Self {
        let preference = EnginePreference::default();
        Many { goal, limits: None, preference, threads: 0, control: None, progress: None }
    }

    /// Asks for a solution of each.
    pub fn solve() -> Self {
        Many::new(Goal::First(1))
    }

    /// Asks for up to two solutions of each: it is unique, multiple or none.
    pub fn unique() -> Self {
        Many::new(Goal::First(2))
    }

    /// Asks for the number of solutions of each: exact, or no further than a limit of at least 1.
    pub fn count(limit: Option<u64>) -> Self {
        Many::new(Goal::Count { limit })
    }

    /// Sets the limits of the search for each. Without it, [`GUARD_NODES`] guard against a single one that never ends.
    pub fn limits(self, limits: Limits) -> Self {
        Many { limits: Some(limits), ..self }
    }

    /// Sets which engine is taken.
    pub fn preference(self, preference: EnginePreference) -> Self {
        Many { preference, ..self }
    }

    /// Sets the number of threads, which are started for the call; 0, as without it, takes those of the current rayon pool.
    pub fn threads(self, threads: usize) -> Self {
        Many { threads, ..self }
    }

    /// Sets the control that can stop it: a problem that is not answered by then is [`Status::Unknown`], ended by
    /// [`EndedBy::Cancel`].
    pub fn control(self, control: &'a Arc<Control>) -> Self {
        Many { control: Some(control), ..self }
    }

    /// Has a function called, from any of the threads, with the number of problems answered so far: after every thousand or
    /// less.
    pub fn progress(self, progress: &'a (dyn Fn(u64) + Sync)) -> Self {
        Many { progress: Some(progress), ..self }
    }

    /// Answers all problems. Neither the number of threads nor the neighbours of a problem change its answer.
    ///
    /// # Errors
    /// As [`select`](crate::engine::select()), for any of them; a limit of 0; threads that cannot be started.
    pub fn answer<P: AsProblem>(&self, problems: &[P]) -> Result<Answers> {
        if self.goal.limit() == Some(0) {
            return Err(Error::usage("a limit of 0 asks for nothing"));
        }
        let problems = match P::as_packed(problems) {
            Some(packed) => Problems::Packed(packed),
            None => Problems::Others(&problems),
        };
        if self.threads == 0 {
            return self.run(&problems);
        }
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(self.threads)
            .build()
            .map_err(|error| ErrorKind::Internal(format!("threads could not be started: {error}")))?;
        pool.install(|| self.run(&problems))
    }

    fn run(&self, problems: &Problems<'_>) -> Result<Answers> {
        let control = self.control.map_or_else(|| Arc::new(Control::new()), Arc::clone);
        let of_run = Control::child(&control);
        let mut answers = Answers::new(problems, self.goal);
        let (threads, width) = (rayon::current_num_threads(), answers.width);
        let plain = select(ProblemRef::Packed(&Packed::FULL).class(), self.goal, self.preference);
        let run = Run {
            many: self,
            problems,
            control: &of_run,
            plain: plain.ok().filter(|selection| !selection.kind.info().timed),
            blocks: Mutex::new(answers.blocks((problems.len() / (BLOCKS_EACH * threads)).clamp(1, BLOCK))),
            width,
            answered: AtomicU64::new(0),
            rest: Mutex::default(),
        };
        rayon::in_place_scope(|scope| {
            for _ in 0..threads.min(lock(&run.blocks).len()) {
                scope.spawn(|_| Worker::new(&run).work());
            }
        });
        let Run { answered, rest, .. } = run;
        let mut rest = rest.into_inner().unwrap_or_else(PoisonError::into_inner);
        if let Some(error) = rest.error {
            return Err(error);
        }
        answers.large.append(&mut rest.large);
        rest.hard.sort_unstable_by_key(|(index, _)| *index);
        let mut solver = Solver::new(self.preference);
        for (answered, (index, known)) in (answered.into_inner() + 1..).zip(rest.hard) {
            if control.stop().is_some() {
                break;
            }
            answers.search(index, problems.get(index), &known, self, &control, &mut solver)?;
            self.progress.inspect(|progress| progress(answered));
        }
        Ok(answers)
    }

    /// The limits of a first search, where it is not the only one.
    fn short(&self) -> Option<Limits> {
        let limits = self.search_limits();
        let is_short = limits.nodes.is_some_and(|nodes| nodes <= SHORT_SEARCH_NODES);
        (!is_short).then_some(Limits { nodes: Some(SHORT_SEARCH_NODES), ..limits })
    }

    fn search_limits(&self) -> Limits {
        self.limits.unwrap_or(Limits { nodes: Some(GUARD_NODES), ..Limits::default() })
    }
}

/// Answers of [`Many::answer`], one of each column for each problem, in their order.
#[derive(Debug, Default)]
pub struct Answers {
    /// The verdicts.
    pub statuses: Vec<Status>,
    /// The reasons why the searches ended.
    pub ended_by: Vec<EndedBy>,
    /// Solutions found: exact where the search is [`EndedBy::Complete`], else a lower bound; `u64::MAX` where there are
    /// more than that, see [`count`](Self::count).
    pub counts: Vec<u64>,
    /// Search-tree nodes; 0 where the engine does not count them.
    pub nodes: Vec<u64>,
    /// Guesses; 0 where the engine does not count them.
    pub guesses: Vec<u64>,
    /// The solutions of grids, [`width`](Self::width) bytes each: 0-based digits, and 255 behind a smaller grid or where
    /// there is none.
    pub digits: Vec<u8>,
    /// Bytes of each in `digits`: cells of the largest grid, 0 where solutions are only counted.
    pub width: usize,
    /// Options of solutions; no column where there are no exact cover problems.
    options: Vec<Vec<u32>>,
    /// Counts beyond 64 bits.
    large: BTreeMap<usize, Count>,
}

impl Answers {
    fn new(problems: &Problems<'_>, goal: Goal) -> Self {
        let len = problems.len();
        let (width, has_options) = if goal.wants_solutions() { problems.shape() } else { (0, false) };
        Answers {
            statuses: vec![Status::Unknown; len],
            ended_by: vec![EndedBy::Cancel; len],
            counts: vec![0; len],
            nodes: vec![0; len],
            guesses: vec![0; len],
            digits: vec![NO_DIGIT; width * len],
            width,
            options: if has_options { vec![Vec::new(); len] } else { Vec::new() },
            large: BTreeMap::new(),
        }
    }

    /// The number of problems.
    pub fn len(&self) -> usize {
        self.statuses.len()
    }

    /// Returns true if there are none.
    pub fn is_empty(&self) -> bool {
        self.statuses.is_empty()
    }

    /// The solution of a problem, where there is one.
    ///
    /// # Panics
    /// If there is no such problem.
    pub fn solution(&self, index: usize) -> Option<Solution<'_>> {
        match self.options.get(index) {
            Some(options) if !options.is_empty() => Some(Solution::Options(options)),
            _ => {
                let digits = &self.digits[self.width * index..][..self.width];
                let cells = digits.iter().position(|&digit| digit == NO_DIGIT).unwrap_or(self.width);
                (cells > 0).then(|| Solution::Digits(&digits[..cells]))
            }
        }
    }

    /// The number of solutions found, at any size.
    ///
    /// # Panics
    /// If there is no such problem.
    pub fn count(&self, index: usize) -> Count {
        self.large.get(&index).cloned().unwrap_or_else(|| self.counts[index].into())
    }

    /// The columns in blocks of so many problems, the first one last.
    fn blocks(&mut self, size: usize) -> Vec<Block<'_>> {
        let (len, width) = (self.len(), self.width);
        let mut all = self.whole();
        let mut blocks: Vec<Block<'_>> =
            (0..len).step_by(size).map(|start| all.split(start, size.min(len - start), width)).collect();
        blocks.reverse();
        blocks
    }

    fn whole(&mut self) -> Block<'_> {
        let len = self.len();
        Block {
            start: 0,
            cursor: 0,
            left: len,
            set_aside: 0,
            statuses: &mut self.statuses,
            ended_by: &mut self.ended_by,
            counts: &mut self.counts,
            nodes: &mut self.nodes,
            guesses: &mut self.guesses,
            digits: &mut self.digits,
            options: &mut self.options,
        }
    }

    /// Searches a problem that has passed its short search, on all threads.
    fn search(
        &mut self,
        index: usize,
        problem: ProblemRef<'_>,
        known: &Count,
        many: &Many<'_>,
        control: &Arc<Control>,
        solver: &mut Solver,
    ) -> Result<()> {
        let width = self.width;
        let mut block = self.whole();
        let limits = (many.search_limits(), many.limits.is_none());
        let answer = solver.search_rest(problem, many.goal, limits, known, control, &mut |solution| {
            block.keep(index, width, solution);
            Flow::Continue
        })?;
        let count = block.take(index, &answer);
        block.verify(index, width, problem);
        self.large.extend(count.map(|count| (index, count)));
        Ok(())
    }
}

/// The part of the columns that is for some problems side by side.
struct Block<'b> {
    /// Number of the first of them.
    start: usize,
    /// The first that was not looked at.
    cursor: usize,
    /// Number of problems that have no answer yet.
    left: usize,
    /// Number of problems that passed their short search.
    set_aside: usize,
    statuses: &'b mut [Status],
    ended_by: &'b mut [EndedBy],
    counts: &'b mut [u64],
    nodes: &'b mut [u64],
    guesses: &'b mut [u64],
    digits: &'b mut [u8],
    options: &'b mut [Vec<u32>],
}

impl<'b> Block<'b> {
    /// Takes the first `len` problems away as a block of their own.
    fn split(&mut self, start: usize, len: usize, width: usize) -> Block<'b> {
        fn cut<'c, T>(column: &mut &'c mut [T], len: usize) -> &'c mut [T] {
            column.split_off_mut(..len.min(column.len())).unwrap_or_default()
        }
        Block {
            start,
            cursor: 0,
            left: len,
            set_aside: 0,
            statuses: cut(&mut self.statuses, len),
            ended_by: cut(&mut self.ended_by, len),
            counts: cut(&mut self.counts, len),
            nodes: cut(&mut self.nodes, len),
            guesses: cut(&mut self.guesses, len),
            digits: cut(&mut self.digits, width * len),
            options: cut(&mut self.options, len),
        }
    }

    fn len(&self) -> usize {
        self.statuses.len()
    }

    /// Keeps the first solution of a problem.
    #[inline]
    fn keep(&mut self, index: usize, width: usize, solution: Solution<'_>) {
        match solution {
            Solution::Digits(digits) => {
                let row = &mut self.digits[width * index..][..width];
                if row.first() == Some(&NO_DIGIT) {
                    row[..digits.len()].copy_from_slice(digits);
                }
            }
            Solution::Options(options) => {
                let kept = &mut self.options[index];
                if kept.is_empty() {
                    kept.extend_from_slice(options);
                }
            }
        }
    }

    fn forget(&mut self, index: usize, width: usize) {
        self.digits[width * index..][..width].fill(NO_DIGIT);
        self.options.get_mut(index).map(Vec::clear).unwrap_or_default();
    }

    /// Takes an answer; the number of solutions where it is beyond 64 bits.
    #[inline]
    fn take(&mut self, index: usize, answer: &Answer) -> Option<Count> {
        self.left = self.left.saturating_sub(1);
        let counters = answer.counters.unwrap_or_default();
        let count = answer.count.as_ref();
        let small = count.map_or(Some(0), Count::to_u64);
        self.statuses[index] = answer.status;
        self.ended_by[index] = answer.ended_by;
        self.counts[index] = small.unwrap_or(u64::MAX);
        self.nodes[index] = counters.nodes;
        self.guesses[index] = counters.guesses;
        count.filter(|_| small.is_none()).cloned()
    }

    /// Takes back a solution that is none.
    fn verify(&mut self, index: usize, width: usize, problem: ProblemRef<'_>) {
        let row = &self.digits[width * index..][..width];
        let is_right = match (problem, self.options.get(index)) {
            (ProblemRef::Cover(_), Some(options)) if self.counts[index] > 0 => {
                verify(problem, Solution::Options(options)).is_ok()
            }
            (ProblemRef::Packed(_), _) if row.first().is_some_and(|&first| first != NO_DIGIT) => {
                verify(problem, Solution::Digits(&row[..81])).is_ok()
            }
            (ProblemRef::Puzzle(puzzle), _) if row.first().is_some_and(|&first| first != NO_DIGIT) => {
                let solution = Solution::Digits(&row[..puzzle.geometry().cells()]);
                match puzzle.to_packed() {
                    Some(packed) => verify(ProblemRef::Packed(&packed), solution).is_ok(),
                    None => verify(problem, solution).is_ok(),
                }
            }
            _ => true,
        };
        if !is_right {
            self.forget(index, width);
            self.statuses[index] = Status::Internal;
        }
    }
}

/// Problems by number.
enum Problems<'p> {
    Packed(&'p [Packed]),
    Others(&'p dyn Numbered),
}

/// A slice of any kind of problems.
trait Numbered: Sync {
    fn number_of_problems(&self) -> usize;
    fn problem(&self, index: usize) -> ProblemRef<'_>;
}

impl<P: AsProblem> Numbered for &[P] {
    fn number_of_problems(&self) -> usize {
        self.len()
    }

    fn problem(&self, index: usize) -> ProblemRef<'_> {
        self[index].as_problem()
    }
}

impl<'p> Problems<'p> {
    fn len(&self) -> usize {
        match self {
            Problems::Packed(packed) => packed.len(),
            Problems::Others(others) => others.number_of_problems(),
        }
    }

    fn get(&self, index: usize) -> ProblemRef<'p> {
        match self {
            Problems::Packed(packed) => ProblemRef::Packed(&packed[index]),
            Problems::Others(others) => others.problem(index),
        }
    }

    /// Cells of the largest grid, and true if there are exact cover problems.
    fn shape(&self) -> (usize, bool) {
        if let Problems::Packed(_) = self {
            return (81, false);
        }
        (0..self.len()).fold((0, false), |(cells, has_covers), index| match self.get(index) {
            ProblemRef::Packed(_) => (cells.max(81), has_covers),
            ProblemRef::Puzzle(puzzle) => (cells.max(puzzle.geometry().cells()), has_covers),
            ProblemRef::Cover(_) => (cells, true),
        })
    }

    /// True if a problem is a plain 9x9.
    fn is_plain(&self, index: usize) -> bool {
        match self.get(index) {
            ProblemRef::Packed(_) => true,
            ProblemRef::Puzzle(puzzle) => puzzle.geometry().is_9x9() && puzzle.constraints().is_empty(),
            ProblemRef::Cover(_) => false,
        }
    }

    /// A grid that is a plain 9x9.
    fn packed(&self, index: usize) -> Option<Packed> {
        match self.get(index) {
            ProblemRef::Packed(packed) => Some(*packed),
            ProblemRef::Puzzle(puzzle) => puzzle.to_packed(),
            ProblemRef::Cover(_) => None,
        }
    }
}

/// The state that the threads of a call share.
struct Run<'r> {
    many: &'r Many<'r>,
    problems: &'r Problems<'r>,
    /// Stops when the caller's does, and at the first error.
    control: &'r Control,
    /// The engine for plain 9x9, if it holds many at a time.
    plain: Option<Selection>,
    /// Blocks that no thread has taken, the next one last.
    blocks: Mutex<Vec<Block<'r>>>,
    /// Bytes of a solution in the columns.
    width: usize,
    answered: AtomicU64,
    rest: Mutex<Rest>,
}

/// The results that threads leave beside the columns.
#[derive(Default)]
struct Rest {
    /// Problems that passed their short search, and what it found.
    hard: Vec<(usize, Count)>,
    large: BTreeMap<usize, Count>,
    /// The first error.
    error: Option<Error>,
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A thread that answers blocks, with its engine.
struct Worker<'w, 'r> {
    run: &'w Run<'r>,
    /// Blocks in work; a ticket is the place of one and the number of a problem in it.
    open: Vec<Option<Block<'r>>>,
    /// The block whose problems come next.
    current: Option<usize>,
    /// The engine that works.
    kind: EngineKind,
    /// Copies of problems that do not stand side by side.
    grids: Vec<Packed>,
    known: Option<(ProblemClass, Selection)>,
    rest: Rest,
}

impl<'w, 'r> Worker<'w, 'r> {
    fn new(run: &'w Run<'r>) -> Self {
        let (open, grids) = (Vec::new(), Vec::new());
        Worker {
            run,
            open,
            current: None,
            kind: EngineKind::Lanes,
            grids,
            known: None,
            rest: Rest::default(),
        }
    }

    /// Works until no block is left.
    fn work(mut self) {
        let mut engines: HashMap<EngineKind, Box<dyn Engine>> = HashMap::new();
        while let Some(kind) = self.next_engine() {
            self.kind = kind;
            let isa = self.run.many.preference.isa;
            let engine = engines.entry(kind).or_insert_with(|| (kind.info().make)(isa));
            let control = self.run.control;
            engine.run(&mut self, control);
        }
        (0..self.open.len()).for_each(|place| self.close(place));
        let mut rest = lock(&self.run.rest);
        rest.hard.append(&mut self.rest.hard);
        rest.large.append(&mut self.rest.large);
        rest.error = rest.error.take().or(self.rest.error);
    }

    fn block(&mut self, place: usize) -> &mut Block<'r> {
        self.open[place].as_mut().expect("tickets are for open blocks")
    }

    /// The engine for the next problem that needs one; `None` at the end.
    fn next_engine(&mut self) -> Option<EngineKind> {
        while self.run.control.stop().is_none() {
            let Some(place) = self.current else {
                let block = lock(&self.run.blocks).pop()?;
                let place = self.open.iter().position(Option::is_none).unwrap_or(self.open.len());
                self.open.resize_with(self.open.len().max(place + 1), || None);
                self.open[place] = Some(block);
                self.current = Some(place);
                continue;
            };
            let block = self.block(place);
            if block.cursor == block.len() {
                self.current = None;
                continue;
            }
            let (index, number) = (block.cursor, block.start + block.cursor);
            match self.look_at(number) {
                Ok(Ok(kind)) => return Some(kind),
                Ok(Err(answer)) => {
                    self.block(place).cursor += 1;
                    self.settle(place, index, &answer);
                }
                Err(error) => {
                    self.rest.error.get_or_insert(error);
                    self.run.control.cancel();
                }
            }
        }
        None
    }

    /// The engine for a problem, or the answer that needs none.
    fn look_at(&mut self, number: usize) -> Result<std::result::Result<EngineKind, Answer>> {
        let (many, problems) = (self.run.many, self.run.problems);
        if let Some(plain) = self.run.plain
            && problems.is_plain(number)
        {
            return Ok(Ok(plain.kind));
        }
        let problem = problems.get(number);
        let class = problem.class();
        let selection = match self.known {
            Some((known, selection)) if known == class => selection,
            _ => select(class, many.goal, many.preference)?,
        };
        self.known = Some((class, selection));
        let selection = selection.within(problem, many.goal, many.search_limits(), many.preference);
        Ok(problem.clash().map_or(Ok(selection.kind), |clash| Err(contradicted(clash.into(), many.goal))))
    }

    /// Takes the end of a search.
    fn end(&mut self, ticket: u64, outcome: Outcome) {
        let (place, index) = place_of(ticket);
        let width = self.run.width;
        let kind = self.kind.info();
        let block = self.block(place);
        let number = block.start + index;
        let (many, problems) = (self.run.many, self.run.problems);
        if outcome.ended_by == EndedBy::Nodes && kind.make_counter.is_none() && many.short().is_some() {
            let block = self.block(place);
            block.forget(index, width);
            block.left -= 1;
            block.set_aside += 1;
            self.rest.hard.push((number, outcome.found));
            return self.close_if_done(place);
        }
        let clash = if outcome.found.is_zero() { problems.get(number).clash() } else { None };
        let answer = match clash {
            Some(clash) => contradicted(clash.into(), many.goal),
            None => Answer::of(outcome, many.goal),
        };
        self.settle(place, index, &answer);
    }

    fn settle(&mut self, place: usize, index: usize, answer: &Answer) {
        let block = self.block(place);
        let number = block.start + index;
        let large = block.take(index, answer);
        self.rest.large.extend(large.map(|count| (number, count)));
        self.close_if_done(place);
    }

    fn close_if_done(&mut self, place: usize) {
        if self.block(place).left == 0 {
            self.close(place);
        }
    }

    /// Verifies the solutions of a block and gives it back.
    fn close(&mut self, place: usize) {
        let Some(mut block) = self.open[place].take() else { return };
        let (problems, width) = (self.run.problems, self.run.width);
        (0..block.len()).for_each(|index| block.verify(index, width, problems.get(block.start + index)));
        let answered = (block.len() - block.left - block.set_aside) as u64;
        let before = self.run.answered.fetch_add(answered, Ordering::Relaxed);
        self.run.many.progress.inspect(|progress| progress(before + answered));
        self.current = self.current.filter(|&current| current != place);
    }
}

/// The block and the number in it of a ticket.
fn place_of(ticket: u64) -> (usize, usize) {
    ((ticket >> 32) as usize, (ticket & u64::from(u32::MAX)) as usize)
}

impl Client for Worker<'_, '_> {
    fn next(&mut self, most: usize) -> Option<Jobs<'_>> {
        if self.next_engine()? != self.kind {
            return None;
        }
        let place = self.current?;
        let (many, problems) = (self.run.many, self.run.problems);
        let short = many.short().filter(|_| self.kind.info().make_counter.is_none());
        let (goal, limits) = (many.goal, short.unwrap_or(many.search_limits()));
        let block = self.open[place].as_mut().expect("the current block is open");
        let (first, number) = (block.cursor, block.start + block.cursor);
        let first_ticket = (place as u64) << 32 | first as u64;
        if self.run.plain.is_none_or(|plain| plain.kind != self.kind) {
            block.cursor += 1;
            let problem = problems.get(number);
            return Some(Jobs::One(Job { ticket: first_ticket, problem, goal, limits }));
        }
        let range = number..number + most.min(block.len() - first);
        let grids = match problems {
            Problems::Packed(packed) => &packed[range],
            Problems::Others(_) => {
                self.grids.clear();
                self.grids.extend(range.map_while(|number| problems.packed(number)));
                &self.grids[..]
            }
        };
        block.cursor += grids.len();
        Some(Jobs::Series(Series { first_ticket, grids, goal, limits }))
    }

    fn report(&mut self, event: Event<'_>) -> Flow {
        let width = self.run.width;
        match event {
            Event::Solution { ticket, solution } => {
                let (place, index) = place_of(ticket);
                self.block(place).keep(index, width, solution);
            }
            Event::Solved(solved) => {
                for one in solved {
                    let (place, index) = place_of(one.ticket);
                    self.block(place).keep(index, width, Solution::Digits(&one.digits));
                    if let Some(ended) = one.ended {
                        self.end(one.ticket, ended.into());
                    }
                }
            }
            Event::End { ticket, outcome } => self.end(ticket, outcome),
        }
        Flow::Continue
    }
}

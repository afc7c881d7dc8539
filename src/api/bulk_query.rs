//! Answers to a slice of problems on all threads, as columns.
//!
//! ```text
//! problems --blocks--> workers (rayon)          each with engines of its own, that never run dry between blocks
//!                        |  short searches      answers go straight into the block's part of the columns
//!                        v
//!                      problems that exceed a short search: afterwards, one problem at a time, split over all threads
//! ```
//! An answer depends only on its problem and the question. It is the answer of [`batch::run`](quadrille_batch::run):
//! the engines, the short search and the guard are the same.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use quadrille_batch::GUARD_NODES;
use quadrille_engine::{
    Client, Control, EngineInfo, EnginePreference, Event, Flow, JobBatch, Jobs, Solver, Task, contradicted,
    select, short_search_limits,
};
use quadrille_model::{
    Answer, Count, CoverProblem, EndedBy, Error, Goal, Limits, Outcome, Packed9x9, Problem, ProblemRef,
    Puzzle, Result, Solution, Status, verify,
};

/// Maximum number of problems of a block.
const BLOCK: usize = 1024;
/// Minimum number of blocks per thread, so that all threads work to the end.
const BLOCKS_EACH: usize = 8;
/// The entry of [`Answers::digits`] if there is no digit.
const NO_DIGIT: u8 = u8::MAX;

/// A type of problem that [`BulkQuery::answer`] accepts.
pub trait AsProblem: Sync + Sized {
    /// Returns the problem.
    fn as_problem(&self) -> ProblemRef<'_>;

    /// Returns the slice as plain 9x9 grids, or `None` if these are not adjacent in memory.
    fn as_packed(problems: &[Self]) -> Option<&[Packed9x9]> {
        let _ = problems;
        None
    }
}

impl AsProblem for Packed9x9 {
    fn as_problem(&self) -> ProblemRef<'_> {
        ProblemRef::Packed(self)
    }

    fn as_packed(problems: &[Self]) -> Option<&[Packed9x9]> {
        Some(problems)
    }
}

impl AsProblem for Puzzle {
    fn as_problem(&self) -> ProblemRef<'_> {
        ProblemRef::Puzzle(self)
    }
}

impl AsProblem for Arc<CoverProblem> {
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
/// use quadrille::{FromText, BulkQuery, Packed9x9, Status};
/// let line = "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79";
/// let puzzles = vec![Packed9x9::from_text(line)?; 1000];
/// let answers = BulkQuery::unique().answer(&puzzles)?;
/// assert!(answers.statuses.iter().all(|&status| status == Status::Unique));
/// assert_eq!(answers.digits[81 * 999..][..3], [4, 2, 3]); // a 5, a 3 and a 4: digits are 0-based here
/// # Ok::<(), quadrille::Error>(())
/// ```
#[derive(Clone, Copy)]
pub struct BulkQuery<'a> {
    goal: Goal,
    /// The limits that the caller set; `None` for the default, [`GUARD_NODES`].
    limits: Option<Limits>,
    preference: EnginePreference,
    threads: usize,
    pub(super) control: Option<&'a Arc<Control>>,
    progress: Option<&'a (dyn Fn(u64) + Sync)>,
}

impl std::fmt::Debug for BulkQuery<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("BulkQuery").field("goal", &self.goal).finish_non_exhaustive()
    }
}

impl<'a> BulkQuery<'a> {
    fn new(goal: Goal) -> Self {
        let preference = EnginePreference::default();
        BulkQuery { goal, limits: None, preference, threads: 0, control: None, progress: None }
    }

    /// Asks for a solution of each problem.
    pub fn solve() -> Self {
        BulkQuery::new(Goal::First(1))
    }

    /// Asks for up to two solutions of each problem, which shows if it has one solution, several or none.
    pub fn unique() -> Self {
        BulkQuery::new(Goal::First(2))
    }

    /// Asks for the number of solutions of each problem: exact, or counted up to a limit of at least 1.
    pub fn count(limit: Option<u64>) -> Self {
        BulkQuery::new(Goal::Count { limit })
    }

    /// Sets the limits of the search for each problem.
    ///
    /// By default [`GUARD_NODES`] is the limit of each search, so that none goes on forever.
    pub fn limits(self, limits: Limits) -> Self {
        BulkQuery { limits: Some(limits), ..self }
    }

    /// Sets the conditions on the engine.
    pub fn preference(self, preference: EnginePreference) -> Self {
        BulkQuery { preference, ..self }
    }

    /// Sets the number of threads to start for the call; 0 (the default) uses the current rayon pool.
    pub fn threads(self, threads: usize) -> Self {
        BulkQuery { threads, ..self }
    }

    /// Sets the control that can stop the work.
    ///
    /// Problems that are not answered when it stops the work are [`Status::Unknown`], ended by [`EndedBy::Cancel`].
    pub fn control(self, control: &'a Arc<Control>) -> Self {
        BulkQuery { control: Some(control), ..self }
    }

    /// Sets a function to be called with the number of problems answered so far.
    ///
    /// The function is called from any of the threads, after at most about a thousand further answers.
    pub fn progress(self, progress: &'a (dyn Fn(u64) + Sync)) -> Self {
        BulkQuery { progress: Some(progress), ..self }
    }

    /// Answers all problems. An answer depends neither on the number of threads nor on the other problems.
    ///
    /// # Errors
    /// Returns an error as [`select`](quadrille_engine::select()) does for any of the problems, for a limit of 0, or if
    /// threads cannot be started.
    pub fn answer<P: AsProblem>(&self, problems: &[P]) -> Result<Answers> {
        if self.goal.limit() == Some(0) {
            return Err(Error::usage("a limit must be at least 1"));
        }
        let control = self.control.map_or_else(|| Arc::new(Control::new()), Arc::clone);
        let mut answers = Answers::new(problems, self.goal);
        if problems.len() == 1 {
            // A single problem mostly ends in its short search, which needs no pool. Starting a pool takes longer than
            // the answer, and the pool of the process does not survive a fork.
            let (answered, hard) = self.search_all(problems, &control, &mut answers, 1)?;
            if !hard.is_empty() {
                self.in_pool(|| self.search_hard(problems, &control, &mut answers, answered, hard))?;
            }
        } else {
            self.in_pool(|| {
                let threads = rayon::current_num_threads();
                let (answered, hard) = self.search_all(problems, &control, &mut answers, threads)?;
                self.search_hard(problems, &control, &mut answers, answered, hard)
            })?;
        }
        Ok(answers)
    }

    /// Runs `work` on the requested threads.
    pub(super) fn in_pool<T: Send>(&self, work: impl FnOnce() -> Result<T> + Send) -> Result<T> {
        if self.threads == 0 {
            return work();
        }
        let pool =
            rayon::ThreadPoolBuilder::new().num_threads(self.threads).build().map_err(Error::threads)?;
        pool.install(work)
    }

    /// Answers all problems except the hard problems. Returns the number of answers, and the hard problems in order.
    fn search_all<P: AsProblem>(
        &self,
        problems: &[P],
        control: &Arc<Control>,
        answers: &mut Answers,
        threads: usize,
    ) -> Result<(u64, Vec<Hard>)> {
        let of_run = Control::child(control);
        let plain = select(ProblemRef::Packed(&Packed9x9::FULL).class(), self.goal, self.preference);
        let run = Run {
            many: self,
            problems,
            control: &of_run,
            plain: plain.ok().map(|selection| selection.kind.info()).filter(|info| !info.is_timed()),
            blocks: Mutex::new(answers.blocks((problems.len() / (BLOCKS_EACH * threads)).clamp(1, BLOCK))),
            answered: AtomicU64::new(0),
            rest: Mutex::default(),
        };
        let blocks = lock(&run.blocks).len();
        if blocks == 1 {
            Worker::new(&run).work();
        } else {
            rayon::in_place_scope(|scope| {
                for _ in 0..threads.min(blocks) {
                    scope.spawn(|_| Worker::new(&run).work());
                }
            });
        }
        let Run { answered, rest, .. } = run;
        let mut rest = rest.into_inner().unwrap_or_else(PoisonError::into_inner);
        if let Some(error) = rest.error {
            return Err(error);
        }
        answers.large.append(&mut rest.large);
        rest.hard.sort_unstable_by_key(|hard| hard.number);
        Ok((answered.into_inner(), rest.hard))
    }

    /// Answers the hard problems one after the other, each on all threads of the current pool.
    fn search_hard<P: AsProblem>(
        &self,
        problems: &[P],
        control: &Arc<Control>,
        answers: &mut Answers,
        answered: u64,
        hard: Vec<Hard>,
    ) -> Result<()> {
        let mut solver = Solver::new(self.preference);
        for (answered, Hard { number, found: known, spent }) in (answered + 1..).zip(hard) {
            if control.stop().is_some() {
                break;
            }
            let problem = problems[number].as_problem();
            let mut all = answers.blocks(problems.len());
            let block = &mut all[0];
            let task = Task::whole(problem, self.goal, self.search_limits().after(spent));
            let is_guarded = self.limits.is_none();
            let answer = solver.search_rest(&task, is_guarded, &known, control, &mut |solution| {
                block.keep(number, problem, solution);
                Flow::Continue
            })?;
            let large = block.take(number, &answer);
            answers.large.extend(large.map(|count| (number, count)));
            self.progress.inspect(|progress| progress(answered));
        }
        Ok(())
    }

    /// Returns the limits of the short search, or `None` if all searches are long.
    fn short(&self) -> Option<Limits> {
        short_search_limits(self.goal, self.search_limits())
    }

    fn search_limits(&self) -> Limits {
        self.limits.unwrap_or(Limits { nodes: Some(GUARD_NODES), ..Limits::default() })
    }
}

/// The answers of [`BulkQuery::answer`] in columns, with one entry per problem in the order of the problems.
#[derive(Debug, Default)]
pub struct Answers {
    /// The verdicts.
    pub statuses: Vec<Status>,
    /// The reasons why the searches ended.
    pub ended_by: Vec<EndedBy>,
    /// Numbers of solutions found: exact if the search is [`EndedBy::Complete`], otherwise lower bounds. `u64::MAX`
    /// stands for larger numbers, see [`count`](Self::count).
    pub counts: Vec<u64>,
    /// Numbers of search-tree nodes; 0 if the engine does not count them.
    pub nodes: Vec<u64>,
    /// Numbers of guesses; 0 if the engine does not count them.
    pub guesses: Vec<u64>,
    /// The solutions of grids, [`width`](Self::width) bytes each. Digits are 0-based; 255 fills the rest of the entry
    /// of a smaller grid, and the whole entry of a problem without a solution.
    pub digits: Vec<u8>,
    /// Bytes per problem in `digits`: the number of cells of the largest grid, or 0 if solutions are only counted.
    pub width: usize,
    /// The options of solutions; empty if there are no exact cover problems.
    options: Vec<Vec<u32>>,
    /// Counts that do not fit in 64 bits, by the index of the problem.
    large: BTreeMap<usize, Count>,
}

impl Answers {
    fn new<P: AsProblem>(problems: &[P], goal: Goal) -> Self {
        let len = problems.len();
        let (mut width, mut has_options) = (0, false);
        for problem in problems.iter().filter(|_| goal.wants_solutions()) {
            match problem.as_problem() {
                ProblemRef::Packed(_) => width = width.max(81),
                ProblemRef::Puzzle(puzzle) => width = width.max(puzzle.geometry().cells()),
                ProblemRef::Cover(_) => has_options = true,
            }
        }
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

    /// Returns the number of problems.
    pub fn len(&self) -> usize {
        self.statuses.len()
    }

    /// Returns true if there are no problems.
    pub fn is_empty(&self) -> bool {
        self.statuses.is_empty()
    }

    /// Returns the solution of a problem, or `None` if there is none.
    ///
    /// # Panics
    /// Panics if there is no such problem.
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

    /// Returns the number of solutions found, of any size.
    ///
    /// # Panics
    /// Panics if there is no such problem.
    pub fn count(&self, index: usize) -> Count {
        self.large.get(&index).cloned().unwrap_or_else(|| self.counts[index].into())
    }

    /// Returns the columns, divided into blocks of `size` problems, in descending order.
    fn blocks(&mut self, size: usize) -> Vec<Block<'_>> {
        let width = self.width;
        let mut ended_by = self.ended_by.chunks_mut(size);
        let mut counts = self.counts.chunks_mut(size);
        let mut nodes = self.nodes.chunks_mut(size);
        let mut guesses = self.guesses.chunks_mut(size);
        let mut digits = self.digits.chunks_mut((width * size).max(1));
        let mut options = self.options.chunks_mut(size);
        let blocks = (0..).step_by(size).zip(self.statuses.chunks_mut(size)).map(|(start, statuses)| Block {
            start,
            cursor: start,
            left: statuses.len(),
            set_aside: 0,
            width,
            statuses,
            ended_by: ended_by.next().unwrap_or_default(),
            counts: counts.next().unwrap_or_default(),
            nodes: nodes.next().unwrap_or_default(),
            guesses: guesses.next().unwrap_or_default(),
            digits: digits.next().unwrap_or_default(),
            options: options.next().unwrap_or_default(),
        });
        let mut blocks: Vec<_> = blocks.collect();
        blocks.reverse();
        blocks
    }
}

/// The part of the columns for some adjacent problems. Its methods take indices in the whole slice.
struct Block<'b> {
    /// Index of the first problem.
    start: usize,
    /// Index of the first problem not taken yet.
    cursor: usize,
    /// Number of problems without an answer.
    left: usize,
    /// Number of problems that exceeded their short search.
    set_aside: usize,
    /// Bytes of a solution in `digits`.
    width: usize,
    statuses: &'b mut [Status],
    ended_by: &'b mut [EndedBy],
    counts: &'b mut [u64],
    nodes: &'b mut [u64],
    guesses: &'b mut [u64],
    digits: &'b mut [u8],
    options: &'b mut [Vec<u32>],
}

impl Block<'_> {
    fn len(&self) -> usize {
        self.statuses.len()
    }

    fn end(&self) -> usize {
        self.start + self.len()
    }

    /// Keeps a solution if it is the first of its problem. A wrong solution sets the status to [`Status::Internal`].
    #[inline]
    fn keep(&mut self, number: usize, problem: ProblemRef<'_>, solution: Solution<'_>) {
        let index = number - self.start;
        let row = &mut self.digits[self.width * index..][..self.width];
        let is_first = match solution {
            Solution::Digits(_) => row.first() == Some(&NO_DIGIT),
            Solution::Options(_) => self.options[index].is_empty(),
        };
        match solution {
            _ if !is_first => {}
            _ if verify(problem, solution).is_err() => self.statuses[index] = Status::Internal,
            Solution::Digits(digits) => row[..digits.len()].copy_from_slice(digits),
            Solution::Options(options) => self.options[index].extend_from_slice(options),
        }
    }

    /// Leaves a problem to the search on all threads.
    fn set_aside(&mut self, number: usize) {
        let index = number - self.start;
        self.digits[self.width * index..][..self.width].fill(NO_DIGIT);
        self.options.get_mut(index).map(Vec::clear).unwrap_or_default();
        self.left -= 1;
        self.set_aside += 1;
    }

    /// Records an answer. Returns the number of solutions if it does not fit in 64 bits, otherwise `None`.
    #[inline]
    fn take(&mut self, number: usize, answer: &Answer) -> Option<Count> {
        let index = number - self.start;
        self.left = self.left.saturating_sub(1);
        let counters = answer.counters.unwrap_or_default();
        let count = answer.count.as_ref();
        let small = count.map_or(Some(0), Count::to_u64);
        // Does not overwrite the status of a wrong solution.
        if self.statuses[index] != Status::Internal {
            self.statuses[index] = answer.status;
        }
        self.ended_by[index] = answer.ended_by;
        self.counts[index] = small.unwrap_or(u64::MAX);
        self.nodes[index] = counters.nodes;
        self.guesses[index] = counters.guesses;
        count.filter(|_| small.is_none()).cloned()
    }
}

/// The state shared by the threads of a call.
struct Run<'r, P> {
    many: &'r BulkQuery<'r>,
    problems: &'r [P],
    /// Stops the work when the caller's control stops it, and at the first error.
    control: &'r Control,
    /// The engine for plain 9x9, if it searches many grids at a time. All other problems are searched one by one.
    plain: Option<&'static EngineInfo>,
    /// Blocks that no thread has taken, the next one last.
    blocks: Mutex<Vec<Block<'r>>>,
    answered: AtomicU64,
    rest: Mutex<Rest>,
}

/// The results of threads that do not go into the columns.
#[derive(Default)]
struct Rest {
    /// Problems that exceeded their short search.
    hard: Vec<Hard>,
    large: BTreeMap<usize, Count>,
    /// The first error.
    error: Option<Error>,
}

/// A problem that exceeded its short search.
struct Hard {
    number: usize,
    /// Number of solutions found by the short search.
    found: Count,
    /// Time that the short search has used.
    spent: Duration,
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A thread that answers blocks. The tickets of its jobs are the indices of the problems.
struct Worker<'w, 'r, P> {
    run: &'w Run<'r, P>,
    /// Blocks in progress. The next problems are taken from the last block.
    open: Vec<Block<'r>>,
    /// Copies of problems that are not adjacent in memory.
    grids: Vec<Packed9x9>,
    /// Answers the problems that are not for the engine of plain 9x9.
    solver: Solver,
    rest: Rest,
}

impl<'w, 'r, P: AsProblem> Worker<'w, 'r, P> {
    fn new(run: &'w Run<'r, P>) -> Self {
        let solver = Solver::new(run.many.preference);
        Worker { run, open: Vec::new(), grids: Vec::new(), solver, rest: Rest::default() }
    }

    /// Works until no block is left.
    fn work(mut self) {
        let run = self.run;
        match run.plain {
            Some(plain) => plain.make(run.many.preference.isa).run(&mut self, run.control),
            None => while self.next_grids(1).is_some() {},
        }
        while let Some(block) = self.open.pop() {
            self.close(&block);
        }
        let mut rest = lock(&run.rest);
        rest.hard.append(&mut self.rest.hard);
        rest.large.append(&mut self.rest.large);
        rest.error = rest.error.take().or(self.rest.error);
    }

    /// Returns the next problems for the engine of plain 9x9, or `None` at the end.
    ///
    /// The range has at most `most` indices.
    ///
    /// Copies the problems if they are not adjacent in memory. Answers all other problems before them.
    fn next_grids(&mut self, most: usize) -> Option<Range<usize>> {
        while self.run.control.stop().is_none() {
            let Some(block) = self.open.last_mut().filter(|block| block.cursor < block.end()) else {
                let block = lock(&self.run.blocks).pop()?;
                self.open.push(block);
                continue;
            };
            let first = block.cursor;
            let problems = &self.run.problems[first..block.end().min(first.saturating_add(most))];
            let grids = match P::as_packed(problems) {
                _ if self.run.plain.is_none() => 0,
                Some(packed) => packed.len(),
                None => {
                    self.grids.clear();
                    self.grids.extend(problems.iter().map_while(|problem| problem.as_problem().to_packed()));
                    self.grids.len()
                }
            };
            block.cursor += grids.max(1);
            if grids > 0 {
                return Some(first..first + grids);
            }
            self.answer(first);
        }
        None
    }

    /// Answers one problem of the last block.
    fn answer(&mut self, number: usize) {
        let (run, many) = (self.run, self.run.many);
        let problem = run.problems[number].as_problem();
        // An engine that counts without listing has no short search; it is only used if the caller named it.
        let counts = many.preference.engine.is_some_and(|kind| kind.info().make_counter().is_some());
        let short = many.short().filter(|_| !counts);
        let limits = short.unwrap_or(many.search_limits());
        let block = self.open.last_mut().expect("the problem belongs to the last open block");
        let begin = limits.time.map(|_| Instant::now());
        let answer = self.solver.search(problem, many.goal, limits, run.control, &mut |solution| {
            block.keep(number, problem, solution);
            Flow::Continue
        });
        match answer {
            Ok(answer) => {
                let spent = begin.map_or(Duration::ZERO, |begin| begin.elapsed());
                self.settle(number, answer, short.is_some().then_some(spent));
            }
            Err(error) => {
                self.rest.error.get_or_insert(error);
                run.control.cancel();
            }
        }
    }

    /// Returns the open block that has a problem. Few blocks are open at a time.
    fn block(&mut self, number: usize) -> &mut Block<'r> {
        let has = |block: &&mut Block<'r>| (block.start..block.end()).contains(&number);
        self.open.iter_mut().find(has).expect("jobs are of open blocks, which close after their last answer")
    }

    /// Records an answer, or sets the problem aside if a short search was not enough.
    ///
    /// `short` is the time of the short search, or `None` for a whole search.
    fn settle(&mut self, number: usize, answer: Answer, short: Option<Duration>) {
        let block = self.block(number);
        if let Some(spent) = short.filter(|_| answer.ended_by == EndedBy::Nodes) {
            block.set_aside(number);
            self.rest.hard.push(Hard { number, found: answer.count.unwrap_or_default(), spent });
        } else if let Some(large) = block.take(number, &answer) {
            self.rest.large.insert(number, large);
        }
        if let Some(place) = self.open.iter().position(|block| block.left == 0) {
            let block = self.open.remove(place);
            self.close(&block);
        }
    }

    fn close(&self, block: &Block<'_>) {
        let answered = (block.len() - block.left - block.set_aside) as u64;
        let before = self.run.answered.fetch_add(answered, Ordering::Relaxed);
        self.run.many.progress.inspect(|progress| progress(before + answered));
    }

    fn keep(&mut self, ticket: u64, solution: Solution<'_>) {
        let problem = self.run.problems[ticket as usize].as_problem();
        self.block(ticket as usize).keep(ticket as usize, problem, solution);
    }

    /// Records the end of a search of a plain 9x9.
    fn end(&mut self, ticket: u64, outcome: Outcome) {
        let (number, many) = (ticket as usize, self.run.many);
        let clash =
            if outcome.found.is_zero() { self.run.problems[number].as_problem().clash() } else { None };
        let answer = match clash {
            Some(clash) => contradicted(clash.into(), many.goal),
            None => Answer::from_outcome(outcome, many.goal),
        };
        // Many of these searches run at a time, so each takes negligible time.
        self.settle(number, answer, many.short().map(|_| Duration::ZERO));
    }
}

impl<P: AsProblem> Client for Worker<'_, '_, P> {
    fn next(&mut self, most: usize) -> Option<Jobs<'_>> {
        let numbers = self.next_grids(most)?;
        let many = self.run.many;
        let first_ticket = numbers.start as u64;
        let grids = P::as_packed(&self.run.problems[numbers]).unwrap_or(&self.grids);
        let limits = many.short().unwrap_or(many.search_limits());
        Some(Jobs::JobBatch(JobBatch { first_ticket, grids, rules: None, goal: many.goal, limits }))
    }

    fn report(&mut self, event: Event<'_>) -> Flow {
        match event {
            Event::Solution { ticket, solution } => self.keep(ticket, solution),
            Event::Solved(solved) => {
                for one in solved {
                    self.keep(one.ticket, Solution::Digits(&one.digits));
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

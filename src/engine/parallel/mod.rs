//! One problem over many threads.
//!
//! The search tree is cut into an ordered list of parts: a first, shallow search reports every node at some
//! number of branchings (and every solution above them) in depth-first order. Any thread may then run parts;
//! one thread, the owner, merges what they find in the order of the list and is the only one to speak to the
//! caller. So the result is that of the sequential search, whatever the number of threads:
//!
//! ```text
//! shallow search   part 0   part 1   solution   part 2   part 3  ...     in depth-first order
//! any thread        done     runs       -        runs    waits            claimed in this order
//! owner                      head: solutions pass on while it runs; those behind wait in their slots
//! ```
//!
//! Invariants an editor must keep:
//!
//! * The list depends on the problem and the goal only, never on the number of threads.
//! * Parts are claimed in order, so the head is always done or running: nobody waits for a part that nobody
//!   runs. A part whose solutions fill its slot waits until it is the head.
//! * With a node limit, solutions of the head pass on only while the limit is out of its reach; a part that
//!   may cross it is run again with exactly what is left, and what was passed on is skipped.

mod merge;

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::{Control, Flow, Incumbent, Task, TreeSearch, Visitor};
use crate::model::{EndedBy, Goal, Limits, Outcome, Problem, ProblemRef, Solution, Solutions};

/// How many parts a problem is cut into at least, where its tree is large enough. Many more than threads, so
/// that parts of very different sizes still keep all threads busy; few enough that cutting costs little.
const PARTS: usize = 512;
/// The shallow search gives up deepening when it has entered so many nodes.
const SHALLOW_NODES: u64 = 20_000;
/// A part shows its solutions to the owner when it holds so many bytes of them.
const PUBLISH_BYTES: usize = 64 << 10;
/// A part that is not the head waits when its slot holds so many bytes of solutions.
const HOLD_BYTES: usize = 1 << 20;
/// How long a waiting thread sleeps before it looks again whether it was cancelled.
const WAIT: Duration = Duration::from_millis(20);

/// One problem cut into parts.
#[derive(Debug)]
pub struct Split {
    problem: Problem,
    goal: Goal,
    limits: Limits,
    time_ends: Option<Instant>,
    control: Arc<Control>,
    parts: Vec<Part>,
    /// Of the shallow search, whole.
    shallow: Outcome,
    next: AtomicUsize,
    state: Mutex<State>,
    progress: Condvar,
    incumbent: Option<Incumbent>,
}

/// A piece of the search, in depth-first order.
#[derive(Debug)]
struct Part {
    /// Nodes the shallow search had entered when it met this piece.
    nodes_before: u64,
    work: Work,
}

#[derive(Debug)]
enum Work {
    /// The subtree below these decisions.
    Subtree(Box<[u32]>),
    /// A solution above all subtrees.
    Solution(Solutions),
}

#[derive(Debug)]
struct State {
    slots: Vec<Slot>,
    /// Parts from here on are not needed: an earlier one has all solutions that were asked for.
    needed: usize,
}

#[derive(Debug, Default)]
struct Slot {
    stage: Stage,
    /// Found, not yet passed on.
    solutions: Solutions,
}

#[derive(Debug, Default)]
enum Stage {
    #[default]
    Waiting,
    Running(Arc<Control>),
    Done(Outcome),
    /// Its thread panicked; the owner runs it again, so that the panic is the owner's.
    Failed,
}

impl Split {
    /// Cuts a problem into parts with a shallow search.
    pub fn new(
        problem: ProblemRef<'_>,
        goal: Goal,
        limits: Limits,
        control: &Arc<Control>,
        search: &mut dyn TreeSearch,
    ) -> Self {
        let time_ends = limits.time.map(|time| Instant::now() + time);
        let (parts, shallow) = cut(problem, goal, limits, control, search);
        let slots = parts.iter().map(|_| Slot::default()).collect();
        let incumbent = match goal {
            Goal::Best(direction) => Some(Incumbent::new(direction)),
            _ => None,
        };
        Split {
            problem: problem.to_owned(),
            goal,
            limits,
            time_ends,
            control: Arc::new(Control::child(control)),
            state: Mutex::new(State { slots, needed: parts.len() }),
            parts,
            shallow,
            next: AtomicUsize::new(0),
            progress: Condvar::new(),
            incumbent,
        }
    }

    /// Runs parts until none is left to start; for threads that have nothing else to do.
    pub fn help(&self, search: &mut dyn TreeSearch) {
        while let Some(claim) = self.claim() {
            self.run(claim, search, &mut || ());
        }
    }

    /// Whether there are parts left to start.
    pub fn wants_help(&self) -> bool {
        self.next.load(Ordering::Relaxed) < self.parts.len() && !self.control.is_cancelled()
    }

    /// Runs parts, merges all in order, and passes the solutions on. To be called once.
    pub fn finish(&self, search: &mut dyn TreeSearch, visitor: &mut dyn Visitor) -> Outcome {
        let outcome = merge::Merger::new(self, visitor).finish(search);
        self.control.cancel();
        self.progress.notify_all();
        outcome
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // A panic is only possible outside the lock's critical sections, which hold no half-made state.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wait<'a>(&self, guard: MutexGuard<'a, State>) -> MutexGuard<'a, State> {
        self.progress.wait_timeout(guard, WAIT).unwrap_or_else(PoisonError::into_inner).0
    }

    /// Takes the next subtree that is still needed.
    fn claim(&self) -> Option<Claim> {
        loop {
            let index = self.next.fetch_add(1, Ordering::Relaxed);
            let part = self.parts.get(index)?;
            if matches!(part.work, Work::Solution(_)) {
                continue;
            }
            let mut state = self.lock();
            if index >= state.needed || self.control.is_cancelled() {
                return None;
            }
            let control = Arc::new(Control::child(&self.control));
            state.slots[index].stage = Stage::Running(Arc::clone(&control));
            return Some(Claim { index, control });
        }
    }

    /// Runs a claimed part. `while_full` is what the thread does while its slot is full, before each wait.
    fn run(&self, claim: Claim, search: &mut dyn TreeSearch, while_full: &mut dyn FnMut()) {
        let Claim { index, control } = claim;
        let guard = FailOnUnwind { split: self, index };
        let mut visitor =
            PartVisitor { split: self, index, control: &control, held: Solutions::default(), while_full };
        let limits = self.part_limits(self.limits.nodes);
        let outcome = self.search(index, self.goal, limits, search, &mut visitor, &control);
        let held = std::mem::take(&mut visitor.held);
        std::mem::forget(guard);
        self.settle(index, outcome, held);
    }

    fn settle(&self, index: usize, outcome: Outcome, mut held: Solutions) {
        let mut state = self.lock();
        if outcome.ended_by == EndedBy::Limit {
            // This part alone has enough: no later one matters.
            state.needed = state.needed.min(index + 1);
            for slot in &state.slots[index + 1..] {
                if let Stage::Running(control) = &slot.stage {
                    control.cancel();
                }
            }
        }
        let slot = &mut state.slots[index];
        if self.incumbent.is_some() && !held.is_empty() {
            slot.solutions.clear();
        }
        slot.solutions.append(&mut held);
        slot.stage = Stage::Done(outcome);
        drop(state);
        self.progress.notify_all();
    }

    fn part_limits(&self, nodes: Option<u64>) -> Limits {
        let time = self.time_ends.map(|end| end.saturating_duration_since(Instant::now()));
        Limits { nodes, time }
    }

    /// Searches one subtree.
    fn search(
        &self,
        index: usize,
        goal: Goal,
        limits: Limits,
        search: &mut dyn TreeSearch,
        visitor: &mut dyn Visitor,
        control: &Control,
    ) -> Outcome {
        let prefix: &[u32] = match &self.parts[index].work {
            Work::Subtree(prefix) => prefix,
            Work::Solution(_) => unreachable!("only subtrees are claimed"),
        };
        let problem = self.problem.as_ref();
        let task = Task { problem, goal, limits, prefix, frontier: None, incumbent: self.incumbent.as_ref() };
        search.search(&task, visitor, control)
    }
}

/// A part that a thread has taken.
struct Claim {
    index: usize,
    control: Arc<Control>,
}

/// Tells the owner that a part's thread panicked.
struct FailOnUnwind<'s> {
    split: &'s Split,
    index: usize,
}

impl Drop for FailOnUnwind<'_> {
    fn drop(&mut self) {
        self.split.lock().slots[self.index].stage = Stage::Failed;
        self.split.progress.notify_all();
    }
}

/// Collects a part's solutions and shows them to the owner block by block.
struct PartVisitor<'s> {
    split: &'s Split,
    index: usize,
    control: &'s Control,
    held: Solutions,
    while_full: &'s mut dyn FnMut(),
}

impl Visitor for PartVisitor<'_> {
    fn solution(&mut self, solution: Solution<'_>) -> Flow {
        if self.split.incumbent.is_some() {
            // Each is better than the one before: only the last can be the part's best.
            self.held.clear();
            self.held.push(solution);
            return Flow::Continue;
        }
        self.held.push(solution);
        if self.held.bytes() < PUBLISH_BYTES {
            return Flow::Continue;
        }
        let mut state = self.split.lock();
        state.slots[self.index].solutions.append(&mut self.held);
        self.split.progress.notify_all();
        while state.slots[self.index].solutions.bytes() > HOLD_BYTES && !self.control.is_cancelled() {
            drop(state);
            (self.while_full)();
            state = self.split.lock();
            if state.slots[self.index].solutions.bytes() > HOLD_BYTES {
                state = self.split.wait(state);
            }
        }
        if self.control.is_cancelled() { Flow::Stop } else { Flow::Continue }
    }
}

/// The shallow search: deepens until there are enough parts. An outcome that is neither complete nor at its
/// limit means that the problem was not cut: it has one part, the whole.
fn cut(
    problem: ProblemRef<'_>,
    goal: Goal,
    limits: Limits,
    control: &Control,
    search: &mut dyn TreeSearch,
) -> (Vec<Part>, Outcome) {
    // Counted solutions have to be seen, to know their place among the parts.
    let shallow_goal = match goal {
        Goal::Count { limit: None } => Goal::All,
        Goal::Count { limit: Some(limit) } => Goal::First(limit),
        other => other,
    };
    let mut depth = 1;
    loop {
        let mut list = PartList::default();
        let task = Task { frontier: Some(depth), ..Task::whole(problem, shallow_goal, limits) };
        let outcome = search.search(&task, &mut list, control);
        if !matches!(outcome.ended_by, EndedBy::Complete | EndedBy::Limit) {
            let whole = Part { nodes_before: 0, work: Work::Subtree(Box::default()) };
            return (vec![whole], Outcome { ended_by: EndedBy::Complete, ..Outcome::contradiction() });
        }
        let nodes = outcome.counters.map_or(0, |counters| counters.nodes);
        if list.subtrees == 0 || list.subtrees >= PARTS || nodes > SHALLOW_NODES {
            return (list.parts, outcome);
        }
        // A tree of two-way branchings doubles at each step: no need to try every depth.
        depth += if list.subtrees * 4 < PARTS { 2 } else { 1 };
    }
}

#[derive(Default)]
struct PartList {
    parts: Vec<Part>,
    subtrees: usize,
    nodes: u64,
}

impl Visitor for PartList {
    fn solution(&mut self, solution: Solution<'_>) -> Flow {
        let mut copy = Solutions::default();
        copy.push(solution);
        self.parts.push(Part { nodes_before: self.nodes, work: Work::Solution(copy) });
        Flow::Continue
    }

    fn frontier(&mut self, prefix: &[u32], nodes: u64) -> Flow {
        self.nodes = nodes;
        self.subtrees += 1;
        self.parts.push(Part { nodes_before: nodes, work: Work::Subtree(prefix.into()) });
        Flow::Continue
    }
}

/// Runs one problem over the threads of the current rayon pool, and passes its solutions on in the order of the
/// sequential search. `make` makes a search for each thread.
///
/// The outcome has counters only where the search was complete, and equals that of one thread.
pub fn run(
    problem: ProblemRef<'_>,
    goal: Goal,
    limits: Limits,
    control: &Arc<Control>,
    make: &(dyn Fn() -> Box<dyn TreeSearch> + Sync),
    visitor: &mut dyn Visitor,
) -> Outcome {
    let mut own = make();
    let split = Split::new(problem, goal, limits, control, own.as_mut());
    rayon::in_place_scope(|scope| {
        for _ in 1..rayon::current_num_threads() {
            scope.spawn(|_| split.help(make().as_mut()));
        }
        split.finish(own.as_mut(), visitor)
    })
}

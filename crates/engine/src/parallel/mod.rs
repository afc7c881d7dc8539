//! One problem over many threads.
//!
//! The search tree is cut into an ordered list of parts: a first, shallow search reports every node at some
//! number of branchings (and every solution above them) in depth-first order. Any thread may then run parts;
//! one thread, the owner, merges what they find in the order of the list and is the only one to report to the
//! caller. So the result is that of the sequential search, whatever the number of threads:
//!
//! ```text
//! shallow search   part 0   part 1   solution   part 2   part 3  ...     in depth-first order
//! any thread        done     runs       -        runs    waits            claimed in this order
//! owner                      head: solutions pass on while it runs; those behind wait in their slots
//! ```
//!
//! Searches can be skewed: one part may be larger than all others together. When a thread finds no part left, the
//! parts that run are asked to share ([`Control::share`]): such a part enters no further node, reports all that it would
//! have entered as parts of their own, and ends. These stand in the list between it and the next one; nothing is
//! searched twice. Where parts are cut again depends on time, what the parts find in their order does not.
//!
//! A search for the best begins as one part, and is only cut where threads ask for it: its first nodes take longest,
//! its bounds are better the more of it one search does, and parts share only the scores of the best.
//!
//! Invariants an editor must keep:
//!
//! * Solutions and nodes of the parts, in the order of their keys, are those of the sequential search, wherever
//!   parts were cut again.
//! * Parts are claimed in order, and a part whose solutions fill its slot waits until it is the head. The owner does not,
//!   where the head waits for a thread (a part was cut again, and its thread has gone): it gives up its own part, to be run
//!   again in its turn, and takes the head. So no thread waits for a part that none runs.
//! * A thread may do other work at any node, where the gate of its control wants it ([`Gate`](super::Gate)), and never
//!   while it holds the lock. No lock is taken under this one but the gate's.
//! * Whoever waits is woken: by each part that ends or shows solutions, by each slot that is emptied, by a stop, and by whoever
//!   brings other work. What is looked at without the lock is looked at again where `news` has changed meanwhile. A thread that
//!   cancels its own part is told by nobody, and looks itself.
//! * With a node limit, solutions of the head pass on only while the limit is out of its reach; a part that
//!   may cross it is run again with exactly what is left, and what was passed on is skipped.

mod merge;

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Bound;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use super::budget::{TimeLimit, Watch};
use super::preprocess::without_useless_options;
use super::{Control, Flow, Incumbent, Sleepers, Task, TreeSearch, Visitor};
use quadrille_model::{EndedBy, Goal, Limits, Outcome, Problem, Ranking, Solution, Solutions};

/// Number of parts that a problem is cut into at least, where its tree is large enough. Many more than threads, so
/// that parts of very different sizes still keep all threads busy; few enough that cutting costs little.
const PARTS: usize = 64;
/// The shallow search gives up deepening when it has entered so many nodes.
const SHALLOW_NODES: u64 = 20_000;
/// A part shows its solutions to the owner when it holds so many bytes of them.
const PUBLISH_BYTES: usize = 64 << 10;
/// A part that is not the head waits when its slot holds so many bytes of solutions.
const HOLD_BYTES: usize = 1 << 20;
/// Parts among which the bytes are divided that all parts may hold together.
const HOLDING_PARTS: usize = 8;
/// Time that a thread which waits sleeps in a search that was stopped: the threads it waits for end soon.
const STOPPED: Duration = Duration::from_millis(1);

/// One problem cut into parts.
#[derive(Debug)]
pub struct Split {
    problem: Problem,
    goal: Goal,
    limits: Limits,
    time: Option<TimeLimit>,
    control: Arc<Control>,
    /// The outcome of the shallow search.
    shallow: Outcome,
    state: Mutex<Pieces>,
    progress: Condvar,
    incumbent: Option<Incumbent>,
    /// Bytes of solutions that its parts may hold together.
    hold: AtomicUsize,
}

/// A part's place in depth-first order: its number in the list, its number among those that this part shared, ...
type Key = Vec<u32>;

#[derive(Debug, Clone)]
enum Work {
    /// The subtree below these decisions.
    Subtree(Arc<[u32]>),
    /// A solution above all subtrees.
    Solution(Arc<Solutions>),
}

impl Work {
    fn solution(&self) -> Option<&Arc<Solutions>> {
        match self {
            Work::Solution(solution) => Some(solution),
            Work::Subtree(_) => None,
        }
    }
}

/// The pieces of a search, with their stages.
#[derive(Debug)]
struct Pieces {
    /// Parts not merged yet.
    slots: BTreeMap<Key, Slot>,
    /// Parts that no thread has claimed.
    waiting: BTreeSet<Key>,
    /// Parts behind this one are not needed: it, or an earlier one, has all solutions that were asked for.
    last_needed: Option<Key>,
    /// Parts being run.
    running: usize,
    /// Threads that wait for parts to run.
    hungry: usize,
    /// Counts what a thread that looks without the lock may miss before it waits.
    news: u64,
    /// Share of the whole that is done, of 1, by the shares of the parts that were run.
    done: f64,
    /// Bytes of solutions in the slots.
    held: usize,
}

/// A piece of the search.
#[derive(Debug)]
struct Slot {
    /// Nodes the shallow search had entered when it met this piece.
    nodes_before: u64,
    work: Work,
    stage: Stage,
    /// Share of the whole that it is taken for, of 1: equal for all subtrees of the shallow search. A part that is cut
    /// again divides its own evenly among itself and the parts that it shares.
    share: f64,
    /// Found, not yet passed on.
    solutions: Solutions,
    /// A score that no solution beats that this piece has not shown and not handed on, where the best are sought;
    /// `None` where only the bound of the whole is known.
    open: Option<i64>,
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

impl Slot {
    fn new(nodes_before: u64, work: Work) -> Self {
        Slot {
            nodes_before,
            work,
            stage: Stage::Waiting,
            share: 0.0,
            solutions: Solutions::default(),
            open: None,
        }
    }
}

impl Pieces {
    fn new(parts: Vec<Slot>) -> Self {
        let mut slots: BTreeMap<Key, Slot> = (0..).map(|number| vec![number]).zip(parts).collect();
        let subtrees = slots.iter().filter(|(_, slot)| slot.work.solution().is_none());
        let waiting: BTreeSet<Key> = subtrees.map(|(key, _)| key.clone()).collect();
        slots.values_mut().for_each(|slot| slot.share = 1.0 / waiting.len().max(1) as f64);
        Pieces { slots, waiting, last_needed: None, running: 0, hungry: 0, news: 0, done: 0.0, held: 0 }
    }

    fn is_needed(&self, key: &Key) -> bool {
        self.last_needed.as_ref().is_none_or(|last| key <= last)
    }

    /// Asks the parts that run to share.
    fn ask_to_share(&self) {
        for slot in self.slots.values() {
            if let Stage::Running(control) = &slot.stage {
                control.share();
            }
        }
    }

    /// The part merged next after one that is merged or about to be.
    fn after(&self, key: &Key) -> Option<(&Key, &Slot)> {
        self.slots.range::<Key, _>((Bound::Excluded(key), Bound::Unbounded)).next()
    }
}

impl Split {
    /// Cuts a problem into parts with a shallow search. Where only the number of an exact cover problem's solutions is
    /// wanted, options that can be in none are left out first: nodes are then those of what is left.
    pub fn new(task: &Task<'_>, control: &Arc<Control>, search: &mut dyn TreeSearch) -> Arc<Self> {
        let Task { problem, goal, limits, .. } = *task;
        let time = limits.time.and_then(|time| TimeLimit::new(time, control));
        let watch = Watch::new(limits, control);
        let problem = match without_useless_options(problem, goal, watch) {
            Some(rest) => Problem::Cover(rest),
            None => problem.to_owned(),
        };
        let (parts, shallow) = if goal.top().is_some() {
            in_one_part()
        } else {
            cut(&Task { problem: problem.as_ref(), ..*task }, watch, search)
        };
        let incumbent = goal.top().map(Incumbent::new);
        if let Some(incumbent) = &incumbent {
            let met = parts.iter().filter_map(|part| part.work.solution());
            met.flat_map(|met| met.iter())
                .for_each(|solution| incumbent.offer(problem.as_ref().score(solution)));
        }
        let split = Arc::new(Split {
            problem,
            goal,
            limits,
            time,
            control: Arc::new(Control::child(control)),
            state: Mutex::new(Pieces::new(parts)),
            shallow,
            progress: Condvar::new(),
            incumbent,
            hold: AtomicUsize::new(usize::MAX),
        });
        let sleepers: Weak<dyn Sleepers> = Arc::downgrade(&(Arc::clone(&split) as Arc<dyn Sleepers>));
        control.wakes(sleepers);
        split
    }

    /// Bounds the solutions that parts have found and that wait for those before them, to so many bytes and as much again:
    /// without room for more no part is begun but the first. Without this call each part may hold a mebibyte.
    pub fn hold_at_most(&self, bytes: usize) {
        self.hold.store(bytes, Ordering::Relaxed);
    }

    /// Bytes of solutions that one part may hold.
    fn hold_of_part(&self) -> usize {
        (self.hold.load(Ordering::Relaxed) / HOLDING_PARTS).clamp(PUBLISH_BYTES, HOLD_BYTES)
    }

    /// True if a part waits that may be begun.
    fn can_begin(&self, state: &Pieces) -> bool {
        let Some(next) = state.waiting.first() else { return false };
        state.held <= self.hold.load(Ordering::Relaxed) || state.slots.keys().next() == Some(next)
    }

    /// Runs the next part that waits for a thread; `false` if there is none.
    pub fn run_part(&self, search: &mut dyn TreeSearch) -> bool {
        let Some(claim) = self.claim() else { return false };
        self.run(claim, search, &mut || ());
        true
    }

    /// Waits for a part to run, for threads that have nothing else to do; `false` when none will come.
    pub fn wait_for_part(&self) -> bool {
        let mut state = self.lock();
        while !self.can_begin(&state) && state.running > 0 && !self.control.is_cancelled() {
            state = self.wait_for_work(state);
        }
        self.can_begin(&state) && !self.control.is_cancelled()
    }

    /// A part waits for a thread.
    pub fn has_part(&self) -> bool {
        self.can_begin(&self.lock()) && !self.control.is_cancelled()
    }

    /// Has the parts that run share what they have not begun; `false` where no part that runs can.
    pub fn ask_to_share(&self) -> bool {
        let state = self.lock();
        let can_share = state.running > 0 && !self.control.is_cancelled();
        if can_share {
            state.ask_to_share();
        }
        can_share
    }

    /// An estimate of the share of the search that is done, from 0 to 1; never less than before. It takes all parts of
    /// the upper levels for equally large, and a part that was cut again for as large as what it did and what it
    /// shared.
    pub fn done(&self) -> f64 {
        self.lock().done.min(1.0)
    }

    /// Runs parts, merges all in order, and passes the solutions on. To be called once.
    pub fn finish(&self, search: &mut dyn TreeSearch, visitor: &mut dyn Visitor) -> Outcome {
        let _end = EndOnDrop(self);
        merge::Merger::new(self, visitor).finish(search)
    }

    fn lock(&self) -> MutexGuard<'_, Pieces> {
        // A panic is only possible outside the lock's critical sections, which hold no half-made state.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Blocks threads that look for a part until the returned guard is dropped. For tests.
    #[doc(hidden)]
    pub fn hold_up(&self) -> impl Sized + '_ {
        self.lock()
    }

    /// Wakes all threads that wait: something has changed.
    fn tell(&self, state: &mut Pieces) {
        state.news += 1;
        self.progress.notify_all();
    }

    /// Waits for news of other threads, or does other work that this thread is wanted for.
    fn wait<'a>(&'a self, guard: MutexGuard<'a, Pieces>) -> MutexGuard<'a, Pieces> {
        let resting = self.control.rest();
        // Asked under the lock: other work that comes later wakes this thread.
        if let Some(gate) = self.control.gate().filter(|gate| gate.has_other_work()) {
            drop(guard);
            gate.do_other_work();
        } else if self.control.is_cancelled() {
            drop(self.progress.wait_timeout(guard, STOPPED).unwrap_or_else(PoisonError::into_inner));
        } else {
            drop(self.progress.wait(guard).unwrap_or_else(PoisonError::into_inner));
        }
        drop(resting);
        self.lock()
    }

    /// Asks the parts that run to share, and waits for news.
    fn wait_for_work<'a>(&'a self, mut state: MutexGuard<'a, Pieces>) -> MutexGuard<'a, Pieces> {
        state.ask_to_share();
        state.hungry += 1;
        let mut state = self.wait(state);
        state.hungry -= 1;
        state
    }

    /// Takes the next subtree that is still needed.
    fn claim(&self) -> Option<Claim> {
        let mut state = self.lock();
        if self.control.is_cancelled() || !self.can_begin(&state) {
            return None;
        }
        let key = state.waiting.pop_first()?;
        if !state.is_needed(&key) {
            state.waiting.clear();
            return None;
        }
        let control = Arc::new(Control::child(&self.control));
        state.running += 1;
        let slot = state.slots.get_mut(&key).expect("a part waits in its slot");
        slot.stage = Stage::Running(Arc::clone(&control));
        let Work::Subtree(prefix) = &slot.work else { unreachable!("only subtrees wait") };
        let prefix = Arc::clone(prefix);
        // The last part that waited: a thread that looked for one before found none, and does not look again.
        let is_scarce =
            || state.hungry > 0 || self.control.gate().is_some_and(|gate| gate.has_idle_threads());
        if state.waiting.is_empty() && is_scarce() {
            state.ask_to_share();
        }
        Some(Claim { key, prefix, control })
    }

    /// Runs a claimed part. `while_full` is what the thread does while its slot is full, before each wait.
    fn run(&self, claim: Claim, search: &mut dyn TreeSearch, while_full: &mut dyn FnMut()) {
        let Claim { key, prefix, control } = &claim;
        let guard = FailOnUnwind { split: self, key };
        let mut visitor = PartVisitor {
            split: self,
            key,
            control,
            held: Solutions::default(),
            best: self.goal.top().map(Ranking::new),
            shared: Vec::new(),
            unseen: None,
            while_full,
        };
        let task = Task { prefix, ..self.part(self.limits.nodes) };
        let outcome = search.search(&task, &mut visitor, control);
        std::mem::forget(guard);
        self.settle(outcome, visitor);
    }

    /// Takes note of how a part has ended, and of what it has found and handed on.
    fn settle(&self, outcome: Outcome, part: PartVisitor<'_>) {
        let PartVisitor { key, held, best, shared, unseen, .. } = part;
        let mut held = best.map_or(held, Ranking::into_order_met);
        let mut state = self.lock();
        state.running -= 1;
        if outcome.ended_by == EndedBy::Limit && state.is_needed(key) {
            // This part alone has enough: no later one matters.
            state.last_needed = Some(key.clone());
            for (_, slot) in state.slots.range::<Key, _>((Bound::Excluded(key), Bound::Unbounded)) {
                if let Stage::Running(control) = &slot.stage {
                    control.cancel();
                }
            }
        }
        let (nodes_before, mut share) = (state.slots[key].nodes_before, state.slots[key].share);
        let mut pieces = 0;
        if outcome.ended_by == EndedBy::Complete && !shared.is_empty() {
            pieces = shared.len();
            share /= (pieces + 1) as f64;
            for (number, Shared { prefix, open }) in (0..).zip(shared) {
                let mut part = key.clone();
                part.push(number);
                state.waiting.insert(part.clone());
                let slot = Slot { share, open, ..Slot::new(nodes_before, Work::Subtree(prefix)) };
                state.slots.insert(part, slot);
            }
        } else if let Some(unseen) = unseen {
            // It ended early: no thread will take what it would have shared.
            let open = shared.iter().try_fold(unseen, |least, shared| Some(self.weaker(least, shared.open?)));
            if let Some(slot) = state.slots.get_mut(key) {
                slot.open = open;
            }
        }
        state.done += share;
        let slot = state.slots.get_mut(key).expect("a part is merged after it has ended");
        let more = held.bytes();
        slot.solutions.append(&mut held);
        slot.stage = Stage::Done(outcome);
        state.held += more;
        self.tell(&mut state);
        drop(state);
        if pieces > 0 {
            self.control.offer(pieces);
        }
    }

    /// Returns the one of two bounds that allows more.
    fn weaker(&self, one: i64, other: i64) -> i64 {
        let is_better = self.goal.top().is_some_and(|top| top.direction.is_better(one, other));
        if is_better { one } else { other }
    }

    /// The whole as a task with what is left of its time, and so many nodes.
    fn part(&self, nodes: Option<u64>) -> Task<'_> {
        let time = self.time.map(|time| time.left(&self.control));
        let limits = Limits { nodes, time, ..self.limits };
        let whole = Task::whole(self.problem.as_ref(), self.goal, limits);
        Task { incumbent: self.incumbent.as_ref(), ..whole }
    }
}

impl Sleepers for Split {
    fn wake(&self) {
        // With the lock: a thread that has looked and does not sleep yet would miss it.
        drop(self.lock());
        self.progress.notify_all();
    }
}

/// A part that a thread has taken.
struct Claim {
    key: Key,
    prefix: Arc<[u32]>,
    control: Arc<Control>,
}

/// A node that a part was asked to share.
struct Shared {
    prefix: Arc<[u32]>,
    /// A score that no solution below it beats, where the best are sought.
    open: Option<i64>,
}

/// Ends a split search when it is dropped, also by a panic of whoever takes the solutions: the other threads leave.
struct EndOnDrop<'s>(&'s Split);

impl Drop for EndOnDrop<'_> {
    fn drop(&mut self) {
        self.0.control.cancel();
        self.0.wake();
    }
}

/// Marks the part as failed for the owner when its thread panics.
struct FailOnUnwind<'s> {
    split: &'s Split,
    key: &'s Key,
}

impl Drop for FailOnUnwind<'_> {
    fn drop(&mut self) {
        let mut state = self.split.lock();
        state.running -= 1;
        if let Some(slot) = state.slots.get_mut(self.key) {
            slot.stage = Stage::Failed;
        }
        self.split.tell(&mut state);
    }
}

/// Collects a part's solutions and shows them to the owner block by block.
struct PartVisitor<'s> {
    split: &'s Split,
    key: &'s Key,
    control: &'s Control,
    held: Solutions,
    /// The best instead, where these are sought.
    best: Option<Ranking>,
    /// The nodes that it reported instead of entering them.
    shared: Vec<Shared>,
    /// A score that nothing it has not seen beats, where it ended early.
    unseen: Option<i64>,
    while_full: &'s mut dyn FnMut(),
}

impl Visitor for PartVisitor<'_> {
    fn solution(&mut self, solution: Solution<'_>) -> Flow {
        if let Some(best) = &mut self.best {
            best.offer(self.split.problem.as_ref().score(solution), solution);
            return Flow::Continue;
        }
        self.held.push(solution);
        if self.held.bytes() < PUBLISH_BYTES {
            return Flow::Continue;
        }
        let most = self.split.hold_of_part();
        let is_full = |state: &Pieces| state.slots[self.key].solutions.bytes() > most;
        let mut state = self.split.lock();
        state.held += self.held.bytes();
        let slot = state.slots.get_mut(self.key).expect("a part is merged after it has ended");
        slot.solutions.append(&mut self.held);
        self.split.tell(&mut state);
        while is_full(&state) && !self.control.is_cancelled() {
            let news = state.news;
            drop(state);
            (self.while_full)();
            state = self.split.lock();
            // What was done meanwhile may have cancelled this very part, which wakes nobody.
            if is_full(&state) && state.news == news && !self.control.is_cancelled() {
                state = self.split.wait(state);
            }
        }
        if self.control.is_cancelled() { Flow::Stop } else { Flow::Continue }
    }

    fn frontier(&mut self, prefix: &[u32], _: u64) -> Flow {
        self.shared.push(Shared { prefix: prefix.into(), open: None });
        Flow::Continue
    }

    fn frontier_within(&mut self, prefix: &[u32], _: u64, bound: i64) -> Flow {
        self.shared.push(Shared { prefix: prefix.into(), open: Some(bound) });
        Flow::Continue
    }

    fn unseen(&mut self, bound: i64) {
        self.unseen = Some(bound);
    }
}

/// The shallow search: deepens until there are enough parts. An outcome that is neither complete nor at its
/// limit means that the problem was not cut: it has one part, the whole.
fn cut(task: &Task<'_>, watch: Watch<'_>, search: &mut dyn TreeSearch) -> (Vec<Slot>, Outcome) {
    // Counted solutions have to be seen, to know their place among the parts.
    let goal = match task.goal {
        Goal::Count { limit: None } => Goal::All,
        Goal::Count { limit: Some(limit) } => Goal::First(limit),
        other => other,
    };
    let mut depth = 1;
    loop {
        let mut list = PartList::default();
        let limits = Limits { time: watch.left(), ..task.limits };
        let shallow = Task { goal, frontier: Some(depth), limits, ..*task };
        let outcome = search.search(&shallow, &mut list, watch.control());
        if !matches!(outcome.ended_by, EndedBy::Complete | EndedBy::Limit) {
            return in_one_part();
        }
        let nodes = outcome.counters.map_or(0, |counters| counters.nodes);
        if list.subtrees == 0 || list.subtrees >= PARTS || nodes > SHALLOW_NODES {
            return (list.parts, outcome);
        }
        // A tree of two-way branchings doubles at each step: no need to try every depth.
        depth += if list.subtrees * 4 < PARTS { 2 } else { 1 };
    }
}

/// A problem that is not cut to begin with.
fn in_one_part() -> (Vec<Slot>, Outcome) {
    let whole = Slot::new(0, Work::Subtree(Arc::default()));
    (vec![whole], Outcome { ended_by: EndedBy::Complete, ..Outcome::contradiction() })
}

#[derive(Default)]
struct PartList {
    parts: Vec<Slot>,
    subtrees: usize,
    nodes: u64,
}

impl Visitor for PartList {
    fn solution(&mut self, solution: Solution<'_>) -> Flow {
        let mut copy = Solutions::default();
        copy.push(solution);
        self.parts.push(Slot::new(self.nodes, Work::Solution(Arc::new(copy))));
        Flow::Continue
    }

    fn frontier(&mut self, prefix: &[u32], nodes: u64) -> Flow {
        self.nodes = nodes;
        self.subtrees += 1;
        self.parts.push(Slot::new(nodes, Work::Subtree(prefix.into())));
        Flow::Continue
    }
}

/// Runs one problem over the threads of the current rayon pool, and passes its solutions on in the order of the
/// sequential search. `make` makes a search for each thread.
///
/// The outcome has counters only where the search was complete, and equals that of one thread.
pub fn run(
    task: &Task<'_>,
    control: &Arc<Control>,
    make: &(dyn Fn() -> Box<dyn TreeSearch> + Sync),
    visitor: &mut dyn Visitor,
) -> Outcome {
    let mut own = make();
    let split = Split::new(task, control, own.as_mut());
    rayon::in_place_scope(|scope| {
        for _ in 1..rayon::current_num_threads() {
            scope.spawn(|_| {
                let mut search = make();
                while split.run_part(search.as_mut()) || split.wait_for_part() {}
            });
        }
        split.finish(own.as_mut(), visitor)
    })
}

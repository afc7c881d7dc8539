//! One search over many threads.
//!
//! The search tree is cut into an ordered list of parts. A first, shallow search reports every node at a fixed number
//! of branchings, and every solution above them, in depth-first order. Any thread may then run parts. One thread, the
//! owner, merges their results in the order of the list and alone reports to the caller. So the result is that of the
//! sequential search, for any number of threads:
//!
//! ```text
//! shallow search   part 0   part 1   solution   part 2   part 3  ...     in depth-first order
//! any thread        done     runs       -        runs    waits            claimed in this order
//! owner                      head: solutions pass on while it runs; later ones wait in their slots
//! ```
//!
//! Searches can be skewed: one part may be larger than all others together. When a thread finds no part left, the
//! running parts are asked to share ([`Control::share`]). Such a part enters no further node, reports each node that it
//! would have entered as a part of its own, and ends. The new parts come between it and the next one in the list;
//! nothing is searched twice. Which parts are cut again depends on timing; the solutions, in the order of the parts, do
//! not.
//!
//! A search for the best starts as one part and is cut only when threads ask for parts. Its first nodes take longest,
//! its bounds are better if one search does more of it, and parts share only the scores of the best solutions.
//!
//! Invariants an editor must keep:
//!
//! * Solutions and nodes of the parts, in the order of their keys, are those of the sequential search, however parts
//!   were cut again.
//! * Parts are claimed in order. A part whose solutions fill its slot waits until it is the head. The owner is the
//!   exception: if the head waits for a thread (its part was cut again and its thread has gone), the owner gives up its
//!   own part, to be run again in its turn, and takes the head. So no thread waits for a part that no thread runs.
//! * A thread may do other work at any node if the hook of its control wants it ([`YieldHook`](super::YieldHook)), but never
//!   while it holds the lock. No other lock but the hook's is taken under it.
//! * Every waiting thread is woken by each part that ends or shows solutions, each slot that is emptied, a stop, and
//!   the arrival of other work. State read without the lock is read again if `news` has changed meanwhile. A thread
//!   that cancels its own part is not woken and checks by itself.
//! * With a node limit, solutions of the head are passed on only while the head cannot reach the limit. A part that may
//!   cross the limit is run again with exactly the rest of it, skipping the solutions already passed on.

mod merge;

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Bound;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use super::budget::{TimeLimit, Watch};
use super::preprocess::without_useless_options;
use super::{Control, Flow, Incumbent, Task, TreeSearch, Visitor, WakeOnCancel, search_least};
use quadrille_model::{EndedBy, Goal, Limits, Outcome, Problem, Solution, Solutions, TopSolutions};

/// Minimum number of parts into which a problem is cut, if its search tree is large enough.
///
/// There are many more parts than threads, so that all threads stay busy although the parts differ in size.
/// But there are few enough parts that cutting costs little.
const PARTS: usize = 64;
/// Number of nodes from which on the shallow search, which makes the parts, does not go deeper.
const SHALLOW_NODES: u64 = 20_000;
/// Size in bytes of a part's new solutions at which the part makes them visible to the owner.
const PUBLISH_BYTES: usize = 64 << 10;
/// Maximum size in bytes of the solutions that a part may store. A part that stores more waits until the
/// owner removes them.
const HOLD_BYTES: usize = 1 << 20;
/// Divisor of the memory allowed for the solutions of all parts. Each part may use the quotient for its
/// solutions.
const HOLDING_PARTS: usize = 8;
/// Maximum time for which a waiting thread sleeps at once, if the search has been stopped.
///
/// The other threads of the search end soon.
const STOPPED: Duration = Duration::from_millis(1);

/// A problem whose search is cut into parts that any thread may run.
#[derive(Debug)]
pub struct Split {
    problem: Problem,
    goal: Goal,
    limits: Limits,
    time: Option<TimeLimit>,
    control: Arc<Control>,
    /// Outcome of the shallow search that made the parts.
    shallow: Outcome,
    state: Mutex<Parts>,
    progress: Condvar,
    incumbent: Option<Incumbent>,
    /// Maximum size in bytes of the solutions that all parts together store.
    hold: AtomicUsize,
}

/// Position of a part in depth-first order.
///
/// The first number is an index in the list of the shallow search. A part can hand over nodes, which become
/// new parts. Then the next number is the index among these new parts, and so on.
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

/// The parts and solutions of a search that are not merged yet.
#[derive(Debug, Default)]
struct Parts {
    /// The parts and solutions that are not merged yet, each with its stage (waiting, running, done and so
    /// on).
    slots: BTreeMap<Key, Slot>,
    /// Keys of the parts that no thread has claimed yet.
    waiting: BTreeSet<Key>,
    /// Key of the last part that is needed. This part and the earlier ones have all the solutions that are
    /// wanted.
    last_needed: Option<Key>,
    /// Number of parts being run.
    running: usize,
    /// Number of threads that wait until there is a part to run.
    waiting_threads: usize,
    /// Number of changes to this state so far.
    ///
    /// A thread may check the state without the lock and then decide to wait. It waits only if this number is
    /// still the same as at the check.
    news: u64,
    /// Fraction of the whole search that is done, from 0 to 1: the sum of the fractions of all finished
    /// parts.
    done: f64,
    /// Size of the solutions in all slots, in bytes.
    held: usize,
}

/// A piece of the search: a part or a solution.
#[derive(Debug)]
struct Slot {
    /// Number of nodes that the shallow search had entered when it met this piece.
    nodes_before: u64,
    work: Work,
    stage: Stage,
    /// Assumed fraction of the whole search, from 0 to 1.
    ///
    /// All subtrees of the shallow search have equal fractions. A part that hands over nodes divides its
    /// fraction evenly among itself and the new parts.
    share: f64,
    /// Solutions that were found but not passed on yet.
    solutions: Solutions,
    /// In a search for the best solutions, a score that no unvisited solution of this piece beats.
    ///
    /// Solutions in parts that this piece handed over are not considered. `None` if only the bound of the
    /// whole problem is known.
    open: Option<i64>,
}

#[derive(Debug, Default)]
enum Stage {
    #[default]
    Waiting,
    Running(Arc<Control>),
    Done(Outcome),
    /// The thread that ran the part panicked.
    ///
    /// The owner runs the part again, so that the panic reaches the owner's caller.
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

impl Parts {
    fn new(parts: Vec<Slot>) -> Self {
        let mut slots: BTreeMap<Key, Slot> = (0..).map(|number| vec![number]).zip(parts).collect();
        let subtrees = slots.iter().filter(|(_, slot)| slot.work.solution().is_none());
        let waiting: BTreeSet<Key> = subtrees.map(|(key, _)| key.clone()).collect();
        slots.values_mut().for_each(|slot| slot.share = 1.0 / waiting.len().max(1) as f64);
        Parts { slots, waiting, ..Parts::default() }
    }

    fn is_needed(&self, key: &Key) -> bool {
        self.last_needed.as_ref().is_none_or(|last| key <= last)
    }

    /// Asks every running part to turn its unexplored nodes into new parts, which other threads can run.
    fn ask_to_share(&self) {
        for slot in self.slots.values() {
            if let Stage::Running(control) = &slot.stage {
                control.share();
            }
        }
    }

    /// Returns the first piece that follows `key`, with its key.
    fn after(&self, key: &Key) -> Option<(&Key, &Slot)> {
        self.slots.range::<Key, _>((Bound::Excluded(key), Bound::Unbounded)).next()
    }
}

impl Split {
    /// Cuts a problem into parts by means of a shallow search.
    ///
    /// If the goal is only to count the solutions of an exact cover problem, options that are in no solution
    /// are removed first. The numbers of nodes then refer to the reduced problem.
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
            state: Mutex::new(Parts::new(parts)),
            shallow,
            progress: Condvar::new(),
            incumbent,
            hold: AtomicUsize::new(usize::MAX),
        });
        let sleepers: Weak<dyn WakeOnCancel> = Arc::downgrade(&(Arc::clone(&split) as Arc<dyn WakeOnCancel>));
        control.wake_on_cancel(sleepers);
        split
    }

    /// Limits the memory for solutions of parts that wait for earlier parts.
    ///
    /// The limit is about `bytes`, and the memory never exceeds twice this limit. When the parts hold more
    /// than `bytes`, only the first part may start. Without a call of this method, each part may hold 1 MiB.
    pub fn hold_at_most(&self, bytes: usize) {
        self.hold.store(bytes, Ordering::Relaxed);
    }

    /// Returns the maximum number of bytes of solutions that one part may hold.
    fn hold_of_part(&self) -> usize {
        (self.hold.load(Ordering::Relaxed) / HOLDING_PARTS).clamp(PUBLISH_BYTES, HOLD_BYTES)
    }

    /// Returns true if some part waits for a thread and is allowed to start.
    fn can_begin(&self, state: &Parts) -> bool {
        let Some(next) = state.waiting.first() else { return false };
        state.held <= self.hold.load(Ordering::Relaxed) || state.slots.keys().next() == Some(next)
    }

    /// Runs the next part that waits for a thread. Returns false if no part waits.
    pub fn run_part(&self, search: &mut dyn TreeSearch) -> bool {
        let Some(claim) = self.claim() else { return false };
        self.run(claim, search, &mut || ());
        true
    }

    /// Blocks an idle thread until there is a part that it may run. Returns false if there will be no more
    /// parts.
    pub fn wait_for_part(&self) -> bool {
        let mut state = self.lock();
        while !self.can_begin(&state) && state.running > 0 && !self.control.is_cancelled() {
            state = self.wait_for_work(state);
        }
        self.can_begin(&state) && !self.control.is_cancelled()
    }

    /// Returns true if some part waits for a thread and is allowed to start.
    pub fn has_part(&self) -> bool {
        self.can_begin(&self.lock()) && !self.control.is_cancelled()
    }

    /// Asks the running parts to turn their unexplored nodes into new parts. Returns false if no part is
    /// running.
    pub fn ask_to_share(&self) -> bool {
        let state = self.lock();
        let can_share = state.running > 0 && !self.control.is_cancelled();
        if can_share {
            state.ask_to_share();
        }
        can_share
    }

    /// Returns an estimate of the fraction of the search that is done, from 0 to 1. The estimate never falls.
    ///
    /// All parts made by the shallow search are assumed to be equally large. When a part hands over nodes as
    /// new parts, its size is divided evenly among itself and the new parts.
    pub fn done(&self) -> f64 {
        self.lock().done.min(1.0)
    }

    /// Runs parts, merges all of them in order, and passes their solutions on. Must be called at most once.
    pub fn finish(&self, search: &mut dyn TreeSearch, visitor: &mut dyn Visitor) -> Outcome {
        let _end = EndOnDrop(self);
        merge::Merger::new(self, visitor).finish(search)
    }

    fn lock(&self) -> MutexGuard<'_, Parts> {
        // Ignore poisoning. Code that holds the lock never panics in the middle of a change, so the state is
        // consistent.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Blocks all threads that look for a part, until the returned guard is dropped. Meant for tests.
    #[doc(hidden)]
    pub fn hold_up(&self) -> impl Sized + '_ {
        self.lock()
    }

    /// Increases the number of changes by one, and wakes all waiting threads.
    fn tell(&self, state: &mut Parts) {
        state.news += 1;
        self.progress.notify_all();
    }

    /// Waits until another thread changes the state. If there is other work for this thread, does that work
    /// instead of waiting.
    fn wait<'a>(&'a self, guard: MutexGuard<'a, Parts>) -> MutexGuard<'a, Parts> {
        let resting = self.control.begin_wait();
        // The control's hook knows whether there is other work for this thread. Ask the hook while holding
        // the lock. Then other work that arrives later wakes this thread.
        if let Some(hook) = self.control.hook().filter(|hook| hook.has_other_work()) {
            drop(guard);
            hook.do_other_work();
        } else if self.control.is_cancelled() {
            drop(self.progress.wait_timeout(guard, STOPPED).unwrap_or_else(PoisonError::into_inner));
        } else {
            drop(self.progress.wait(guard).unwrap_or_else(PoisonError::into_inner));
        }
        drop(resting);
        self.lock()
    }

    /// Asks the running parts to hand over nodes as new parts. Then waits until another thread changes the
    /// state.
    fn wait_for_work<'a>(&'a self, mut state: MutexGuard<'a, Parts>) -> MutexGuard<'a, Parts> {
        state.ask_to_share();
        state.waiting_threads += 1;
        let mut state = self.wait(state);
        state.waiting_threads -= 1;
        state
    }

    /// Claims the next part that is still needed, or returns `None` if no such part waits for a thread.
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
        // If this was the last waiting part, some threads may be idle. They found no part earlier and do not
        // check again. So ask the running parts to hand over nodes.
        let is_scarce =
            || state.waiting_threads > 0 || self.control.hook().is_some_and(|hook| hook.has_idle_threads());
        if state.waiting.is_empty() && is_scarce() {
            state.ask_to_share();
        }
        Some(Claim { key, prefix, control })
    }

    /// Runs a claimed part. Whenever the part's slot is full, calls `while_full` before it waits for room in
    /// the slot.
    fn run(&self, claim: Claim, search: &mut dyn TreeSearch, while_full: &mut dyn FnMut()) {
        let Claim { key, prefix, control } = &claim;
        let guard = FailOnUnwind { split: self, key };
        let mut visitor = PartVisitor {
            split: self,
            key,
            control,
            held: Solutions::default(),
            best: self.goal.top().map(TopSolutions::new),
            shared: Vec::new(),
            unseen: None,
            while_full,
        };
        let task = Task { prefix, ..self.part(self.limits.nodes) };
        let outcome = search.search(&task, &mut visitor, control);
        std::mem::forget(guard);
        self.settle(outcome, visitor);
    }

    /// Records how a part has ended, its solutions, and the nodes that it handed over as new parts.
    fn settle(&self, outcome: Outcome, part: PartVisitor<'_>) {
        let PartVisitor { key, held, best, shared, unseen, .. } = part;
        let mut held = best.map_or(held, TopSolutions::into_order_met);
        let mut state = self.lock();
        state.running -= 1;
        if outcome.ended_by == EndedBy::Limit && state.is_needed(key) {
            // This part alone has enough solutions, so no later part is needed.
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
            for (number, UnenteredNode { prefix, open }) in (0..).zip(shared) {
                let mut part = key.clone();
                part.push(number);
                state.waiting.insert(part.clone());
                let slot = Slot { share, open, ..Slot::new(nodes_before, Work::Subtree(prefix)) };
                state.slots.insert(part, slot);
            }
        } else if let Some(unseen) = unseen {
            // The part ended early. So the nodes that it would have handed over do not become parts, and
            // remain unexplored.
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

    /// Returns the weaker of two bounds. The weaker bound excludes fewer solutions.
    fn weaker(&self, one: i64, other: i64) -> i64 {
        let is_better = self.goal.top().is_some_and(|top| top.direction.is_better(one, other));
        if is_better { one } else { other }
    }

    /// Returns a task for the whole problem. Its limits are `nodes` nodes and the time that is left.
    fn part(&self, nodes: Option<u64>) -> Task<'_> {
        let time = self.time.map(|time| time.left(&self.control));
        let limits = Limits { nodes, time, ..self.limits };
        let whole = Task::whole(self.problem.as_ref(), self.goal, limits);
        Task { incumbent: self.incumbent.as_ref(), ..whole }
    }
}

impl WakeOnCancel for Split {
    fn wake(&self) {
        // Take the lock before the wake-up. Otherwise a thread that has just checked the state, and is about
        // to sleep, would miss the wake-up.
        drop(self.lock());
        self.progress.notify_all();
    }
}

/// A part that a thread has claimed.
struct Claim {
    key: Key,
    prefix: Arc<[u32]>,
    control: Arc<Control>,
}

/// A node that a part hands over instead of entering it.
struct UnenteredNode {
    prefix: Arc<[u32]>,
    /// In a search for the best solutions, a score that no solution below the node beats.
    open: Option<i64>,
}

/// A guard that stops a split search when it is dropped.
///
/// So the other threads leave the search even if the visitor panics.
struct EndOnDrop<'s>(&'s Split);

impl Drop for EndOnDrop<'_> {
    fn drop(&mut self) {
        self.0.control.cancel();
        self.0.wake();
    }
}

/// A guard that marks a part as failed if its thread panics. The owner then runs the part again.
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

/// A visitor that collects the solutions of a part. It makes them visible to the owner in batches.
struct PartVisitor<'s> {
    split: &'s Split,
    key: &'s Key,
    control: &'s Control,
    held: Solutions,
    /// In a search for the best solutions, the best ones so far. `None` in other searches, which collect
    /// their solutions in `held`.
    best: Option<TopSolutions>,
    /// Nodes reported instead of entered.
    shared: Vec<UnenteredNode>,
    /// In a search for the best solutions that ended early, a score that no unvisited solution beats.
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
        let is_full = |state: &Parts| state.slots[self.key].solutions.bytes() > most;
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
            // `while_full` may have cancelled this part. That cancellation wakes no thread, so this thread
            // checks for it before waiting.
            if is_full(&state) && state.news == news && !self.control.is_cancelled() {
                state = self.split.wait(state);
            }
        }
        if self.control.is_cancelled() { Flow::Stop } else { Flow::Continue }
    }

    fn frontier(&mut self, prefix: &[u32], _: u64) -> Flow {
        self.shared.push(UnenteredNode { prefix: prefix.into(), open: None });
        Flow::Continue
    }

    fn frontier_within(&mut self, prefix: &[u32], _: u64, bound: i64) -> Flow {
        self.shared.push(UnenteredNode { prefix: prefix.into(), open: Some(bound) });
        Flow::Continue
    }

    fn unseen(&mut self, bound: i64) {
        self.unseen = Some(bound);
    }
}

/// Runs shallow searches of increasing depth until there are enough parts.
///
/// A shallow search should end because it is complete or has reached the limit on solutions. If it ends for
/// another reason, the whole problem becomes a single part.
fn cut(task: &Task<'_>, watch: Watch<'_>, search: &mut dyn TreeSearch) -> (Vec<Slot>, Outcome) {
    // The solutions themselves are needed even for a count, because each has a position between two parts.
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
        let outcome = search.search(&shallow, &mut list, watch.control);
        if !matches!(outcome.ended_by, EndedBy::Complete | EndedBy::Limit) {
            return in_one_part();
        }
        let nodes = outcome.counters.map_or(0, |counters| counters.nodes);
        if list.subtrees == 0 || list.subtrees >= PARTS || nodes > SHALLOW_NODES {
            return (list.parts, outcome);
        }
        // In a tree of two-way branchings, the number of nodes doubles at each level. So while there are few
        // parts, the depth grows by two levels at a time.
        depth += if list.subtrees * 4 < PARTS { 2 } else { 1 };
    }
}

/// Returns the whole problem as a single part.
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

/// The thread that starts a split search, receives its solutions, and offers its parts to other threads.
pub trait Owner: Visitor {
    /// Receives the split search before its first part runs.
    fn offer(&mut self, split: &Arc<Split>);
}

/// Runs a search in parts, and passes its solutions on in the order of the sequential search.
///
/// A search for the least solution is not split and runs on this thread alone. In every case, the outcome
/// equals the outcome of a search on one thread. But the outcome has counters only if the search was
/// complete.
pub fn run(
    task: &Task<'_>,
    control: &Arc<Control>,
    search: &mut dyn TreeSearch,
    owner: &mut dyn Owner,
) -> Outcome {
    if task.goal == Goal::Least {
        // Finding the least solution takes several searches. Each search depends on the earlier ones, and few
        // searches are long enough to be split.
        return search_least(search, task, owner, control);
    }
    let split = Split::new(task, control, search);
    owner.offer(&split);
    split.finish(search, owner)
}

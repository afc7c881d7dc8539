//! Who computes: as many threads as the run was given, while more than these may have something to do.
//!
//! A record that is searched in parts may take for ever, and a search cannot be taken out of the thread it is in. So it
//! stays there and makes room: between two nodes it asks its [`Gate`], the thread gets up and waits, and another takes
//! chunks in its place, a *spare* if need be. Nothing is searched twice, and no engine knows of it.
//!
//! ```text
//!  threads    0: a part of record 7     1: another part of it     2 (spare): nothing
//!  seats      0 sits                    1 sits                                          no chunk has come
//!             0 sits                    1 waits                   2 sits: a chunk       chunks have come
//!             0 sits                    1 sits                    2                     none left, or the window is full
//! ```
//!
//! A seat that is free is for
//!
//! 1. a chunk, where rows are unordered and nobody has one in work: easy records never wait there;
//! 2. records in parts on which nobody sits, the earliest first;
//! 3. chunks, if there are any and the window has room for their rows;
//! 4. more threads on records in parts, the earliest first.
//!
//! Invariants an editor must keep:
//!
//! * Never more threads compute than there are seats, but for the moments between a stop and the end.
//! * With ordered rows, whoever holds a chunk sits on a seat or is never denied one for a later record: else the head of
//!   the output could wait for what waits for it. So a chunk is only taken by a thread that sits, and a record keeps one
//!   thread on a seat.
//! * No more threads work on records in parts than there are seats, but for those that began one: what comes later
//!   finds others.
//! * The lock is the last one taken: nothing else is locked under it, and a stop ends every wait under it.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crossbeam_channel::Sender;

use crate::batch::worker::Offer;
use crate::batch::worker::jobs::nanoseconds_since;
use crate::engine::{Control, Gate};

/// Records in parts that can make room for others at a time, beside those that threads of the run work on anyway: each
/// costs a thread that waits, with its chunk and its engines.
const SET_BACK: usize = 16;

/// How often a thread that waits looks again whether it may sit: chunks come and windows fill without a word.
const LOOK_AGAIN: Duration = Duration::from_millis(5);

/// The seats of a run.
pub(crate) struct Seats {
    number: usize,
    ordered: bool,
    most_threads: usize,
    /// Whether a chunk waits whose rows would have room.
    has_chunk: Box<dyn Fn() -> bool + Send + Sync>,
    state: Mutex<State>,
    changed: Condvar,
    /// Records in parts: where there are none, seats are never scarce.
    records: AtomicUsize,
    /// Records in parts on which nobody sits, though somebody would.
    deserted: AtomicUsize,
}

struct State {
    /// Threads that sit with a chunk.
    with_chunks: usize,
    /// Threads that would take a chunk, and do not sit.
    idle: usize,
    /// All there are, or will be in a moment.
    threads: usize,
    /// Spares that are to be started.
    wanted: usize,
    /// Threads that may yet offer a record.
    taking: usize,
    /// Wakes whoever waits for an offer; none will come where it is gone.
    wake: Option<Sender<()>>,
    /// No spares are started any more.
    closed: bool,
    /// Threads on records in parts.
    crews: BTreeMap<u64, Crew>,
}

#[derive(Default)]
struct Crew {
    members: usize,
    sitting: usize,
    /// Would sit.
    waiting: usize,
    deserted_since: Option<Instant>,
    held_up_ns: Arc<AtomicU64>,
    offer: Option<Offer>,
}

/// The place of a record in parts among the seats: the gate of all threads that work on it.
pub(crate) struct Place {
    seats: Arc<Seats>,
    record: u64,
    held_up_ns: Arc<AtomicU64>,
}

thread_local! {
    static HELD_UP_NS: Cell<u64> = const { Cell::new(0) };
}

/// For how long this thread has waited for a seat in the midst of a search, in nanoseconds.
pub(crate) fn thread_held_up_ns() -> u64 {
    HELD_UP_NS.get()
}

/// Threads that there may be at most in a run with so many seats: all of these may be with chunks, while all threads but
/// one help records, and some of these are set back.
pub(crate) fn most_threads(seats: usize, ordered: bool) -> usize {
    2 * seats - 1 + if ordered { 0 } else { SET_BACK }
}

impl Seats {
    /// Seats for so many threads, which are there and idle. `wake` wakes them when there is an offer, and is dropped when
    /// none will come.
    pub(crate) fn new(
        number: usize,
        ordered: bool,
        wake: Sender<()>,
        has_chunk: impl Fn() -> bool + Send + Sync + 'static,
    ) -> Arc<Self> {
        Arc::new(Seats {
            number,
            ordered,
            most_threads: most_threads(number, ordered),
            has_chunk: Box::new(has_chunk),
            state: Mutex::new(State {
                with_chunks: 0,
                idle: number,
                threads: number,
                wanted: 0,
                taking: number,
                wake: Some(wake),
                closed: false,
                crews: BTreeMap::new(),
            }),
            changed: Condvar::new(),
            records: AtomicUsize::new(0),
            deserted: AtomicUsize::new(0),
        })
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wait<'s>(&self, state: MutexGuard<'s, State>) -> MutexGuard<'s, State> {
        self.changed.wait_timeout(state, LOOK_AGAIN).unwrap_or_else(PoisonError::into_inner).0
    }

    /// Takes a seat for a chunk; `false` where there is none to be had within a moment.
    pub(crate) fn sit_down(&self) -> bool {
        let mut state = self.lock();
        if !self.may_take_chunk(&state) {
            state = self.wait(state);
        }
        let may = self.may_take_chunk(&state);
        if may {
            state.idle -= 1;
            state.with_chunks += 1;
        }
        may
    }

    /// Takes a seat for a moment, for work that belongs to a record in parts, if nobody is entitled to it.
    pub(crate) fn borrow(&self) -> bool {
        if !self.are_scarce() {
            return false;
        }
        let mut state = self.lock();
        let may = self.free(&state) > state.deserted().count() && !self.is_chunk_due(&state);
        if may {
            state.idle -= 1;
            state.with_chunks += 1;
        }
        may
    }

    /// Gives a seat back that was taken for a chunk.
    pub(crate) fn stand_up(&self) {
        let mut state = self.lock();
        state.with_chunks -= 1;
        state.idle += 1;
        drop(state);
        self.changed.notify_all();
    }

    /// Whether a thread that has finished its chunk, or that takes chunks without end, is to give its seat back.
    pub(crate) fn are_wanted(&self) -> bool {
        self.deserted.load(Ordering::Relaxed) > 0 && {
            let state = self.lock();
            self.free(&state) == 0
                && state.deserted().next().is_some()
                && (self.ordered || state.with_chunks > 1)
        }
    }

    /// Whether there may be less than whoever wants one.
    pub(crate) fn are_scarce(&self) -> bool {
        self.records.load(Ordering::Relaxed) > 0
    }

    /// A thread that sits with a chunk goes over to a record of it that is searched in parts.
    pub(crate) fn begin(self: &Arc<Self>, record: u64) -> Arc<Place> {
        let mut state = self.lock();
        state.with_chunks -= 1;
        let crew = state.crews.entry(record).or_default();
        crew.members += 1;
        crew.sitting += 1;
        let held_up_ns = Arc::clone(&crew.held_up_ns);
        self.note(&state);
        Arc::new(Place { seats: Arc::clone(self), record, held_up_ns })
    }

    /// Lets others help with the record.
    pub(crate) fn offer(&self, place: &Place, offer: Offer) {
        let mut state = self.lock();
        if let Some(crew) = state.crews.get_mut(&place.record) {
            crew.offer = Some(offer);
        }
        if let Some(wake) = &state.wake {
            for _ in 0..state.idle {
                // The last worker to go takes the other end with it.
                let _ = wake.send(());
            }
        }
    }

    /// The thread that began the record goes back to its chunk.
    pub(crate) fn end(&self, place: &Place) {
        let mut state = self.lock();
        if let Some(crew) = state.crews.get_mut(&place.record) {
            crew.offer = None;
        }
        state.with_chunks += 1;
        self.leave_crew(state, place.record);
    }

    /// An idle thread takes a seat at a record that wants help, if it may.
    pub(crate) fn join(&self) -> Option<(u64, Offer)> {
        if !self.are_scarce() {
            return None;
        }
        let offers = |crews: &BTreeMap<u64, Crew>| -> Vec<(u64, Offer)> {
            crews.iter().filter_map(|(&record, crew)| Some((record, crew.offer.clone()?))).collect()
        };
        let open = offers(&self.lock().crews);
        // Asked without the lock: who wants help locks itself.
        let (record, offer) = open.into_iter().find(|(_, offer)| offer.wants_help())?;
        let mut state = self.lock();
        // Whoever works on a record stays with it: one more than there are seats could only wait, and would be missing
        // where chunks come again.
        let members: usize = state.crews.values().map(|crew| crew.members).sum();
        let is_open = state.crews.get(&record)?.offer.is_some();
        if !is_open || members >= self.number || !self.may_search(&state, record) {
            return None;
        }
        let crew = state.crews.get_mut(&record)?;
        crew.members += 1;
        crew.sitting += 1;
        state.idle -= 1;
        self.note(&state);
        Some((record, offer))
    }

    /// A thread that has helped is idle again.
    pub(crate) fn leave(&self, record: u64) {
        let mut state = self.lock();
        state.idle += 1;
        self.leave_crew(state, record);
    }

    fn leave_crew(&self, mut state: MutexGuard<'_, State>, record: u64) {
        let crew = state.crews.get_mut(&record).expect("it has a member");
        crew.members -= 1;
        crew.sitting -= 1;
        if crew.members == 0 {
            state.crews.remove(&record);
        }
        self.note(&state);
        drop(state);
        self.changed.notify_all();
    }

    /// A thread will offer no record any more.
    pub(crate) fn takes_no_more(&self) {
        let mut state = self.lock();
        state.taking -= 1;
        if state.taking == 0 {
            state.wake = None;
        }
    }

    /// Waits until a spare is wanted; `false` when none will be.
    pub(crate) fn next_spare(&self) -> bool {
        let mut state = self.lock();
        loop {
            if state.wanted > 0 {
                state.wanted -= 1;
                return true;
            }
            if state.closed {
                return false;
            }
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// A spare that was wanted could not be started.
    pub(crate) fn spare_is_missing(&self) {
        let mut state = self.lock();
        // Its place among the threads stays taken: nobody asks for it again and again.
        state.idle -= 1;
        drop(state);
        self.takes_no_more();
        self.changed.notify_all();
    }

    /// Says that no spares will be wanted.
    pub(crate) fn close(&self) {
        self.lock().closed = true;
        self.changed.notify_all();
    }

    fn free(&self, state: &State) -> usize {
        let sitting: usize = state.crews.values().map(|crew| crew.sitting).sum();
        self.number.saturating_sub(state.with_chunks + sitting)
    }

    fn may_take_chunk(&self, state: &State) -> bool {
        let free = self.free(state);
        free > state.deserted().count() || free > 0 && !self.ordered && state.with_chunks == 0
    }

    /// Whether chunks go before whatever is not entitled to a seat.
    fn is_chunk_due(&self, state: &State) -> bool {
        state.idle > 0 && (self.has_chunk)()
    }

    /// Whether a thread of a record that waits may sit down.
    fn may_search(&self, state: &State, record: u64) -> bool {
        let free = self.free(state);
        if free == 0 {
            return false;
        }
        if state.crews[&record].sitting > 0 {
            return free > state.deserted().count() && !self.is_chunk_due(state);
        }
        let earlier = state.deserted().take_while(|&other| other < record).count();
        let is_reserved = !self.ordered && state.with_chunks == 0 && self.is_chunk_due(state);
        free > earlier + usize::from(is_reserved)
    }

    /// Whether a thread of a record that sits is to get up.
    fn must_get_up(&self, state: &State, record: u64) -> bool {
        if self.free(state) > 0 {
            return false;
        }
        let is_chunk_due = || (state.idle > 0 || state.threads < self.most_threads) && (self.has_chunk)();
        let first_deserted = state.deserted().next();
        if state.crews[&record].sitting > 1 {
            first_deserted.is_some() || is_chunk_due()
        } else {
            first_deserted.is_some_and(|other| other < record)
                || !self.ordered && state.with_chunks == 0 && is_chunk_due()
        }
    }

    /// Keeps what can be asked without the lock.
    fn note(&self, state: &State) {
        self.records.store(state.crews.len(), Ordering::Relaxed);
        self.deserted.store(state.deserted().count(), Ordering::Relaxed);
    }

    /// Has the crew of a record changed.
    fn change(&self, state: &mut State, record: u64, change: impl FnOnce(&mut Crew)) {
        let crew = state.crews.get_mut(&record).expect("it has a member");
        change(crew);
        match (crew.is_deserted(), crew.deserted_since) {
            (true, None) => crew.deserted_since = Some(Instant::now()),
            (false, Some(since)) => {
                crew.held_up_ns.fetch_add(nanoseconds_since(since), Ordering::Relaxed);
                crew.deserted_since = None;
            }
            _ => {}
        }
        self.note(state);
    }

    /// A thread of a record waits until it may sit down.
    fn wait_for_seat(&self, mut state: MutexGuard<'_, State>, record: u64, control: &Control) {
        self.change(&mut state, record, |crew| crew.waiting += 1);
        let since = Instant::now();
        while !self.may_search(&state, record) && control.stop().is_none() {
            state = self.wait(state);
        }
        self.change(&mut state, record, |crew| {
            crew.waiting -= 1;
            crew.sitting += 1;
        });
        HELD_UP_NS.set(HELD_UP_NS.get() + nanoseconds_since(since));
    }
}

impl State {
    /// Records on which nobody sits, though somebody would.
    fn deserted(&self) -> impl Iterator<Item = u64> {
        self.crews.iter().filter(|(_, crew)| crew.is_deserted()).map(|(&record, _)| record)
    }
}

impl Crew {
    fn is_deserted(&self) -> bool {
        self.sitting == 0 && self.waiting > 0
    }
}

impl Place {
    /// Threads that sit at the record.
    pub(crate) fn threads(&self) -> usize {
        self.seats.lock().crews.get(&self.record).map_or(0, |crew| crew.sitting)
    }
}

impl Gate for Place {
    fn pass(&self, control: &Control) {
        let seats = &*self.seats;
        if seats.deserted.load(Ordering::Relaxed) == 0 && !(seats.has_chunk)() {
            return;
        }
        let mut state = seats.lock();
        if !seats.must_get_up(&state, self.record) {
            return;
        }
        if state.idle == 0 && state.threads < seats.most_threads && (seats.has_chunk)() {
            state.threads += 1;
            state.idle += 1;
            state.taking += 1;
            state.wanted += 1;
        }
        seats.change(&mut state, self.record, |crew| crew.sitting -= 1);
        seats.changed.notify_all();
        seats.wait_for_seat(state, self.record, control);
    }

    fn rest(&self) {
        let mut state = self.seats.lock();
        self.seats.change(&mut state, self.record, |crew| crew.sitting -= 1);
        drop(state);
        self.seats.changed.notify_all();
    }

    fn resume(&self, control: &Control) {
        self.seats.wait_for_seat(self.seats.lock(), self.record, control);
    }

    fn held_up(&self) -> Duration {
        Duration::from_nanos(self.held_up_ns.load(Ordering::Relaxed))
    }
}

impl std::fmt::Debug for Place {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "Place({})", self.record)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicBool;
    use std::thread::scope;

    use crossbeam_channel::unbounded;

    use super::*;

    struct Run {
        seats: Arc<Seats>,
        has_chunk: Arc<AtomicBool>,
        control: Control,
    }

    impl Run {
        fn new(number: usize, ordered: bool) -> Self {
            let has_chunk = Arc::new(AtomicBool::new(false));
            let chunk = Arc::clone(&has_chunk);
            let seats = Seats::new(number, ordered, unbounded().0, move || chunk.load(Ordering::SeqCst));
            Run { seats, has_chunk, control: Control::new() }
        }

        fn chunks(&self, are_there: bool) {
            self.has_chunk.store(are_there, Ordering::SeqCst);
        }

        /// A thread sits down with a chunk and comes to a record that is searched in parts.
        fn begins(&self, record: u64) -> Arc<Place> {
            assert!(self.seats.sit_down(), "record {record} has no seat");
            self.seats.begin(record)
        }

        /// One more thread, such as a spare is.
        fn another(&self) {
            self.seats.lock().idle += 1;
        }

        /// Waits until somebody waits at a record.
        fn waits_at(&self, record: u64) {
            while self.seats.lock().crews[&record].waiting == 0 {
                std::thread::yield_now();
            }
        }
    }

    #[test]
    fn a_second_thread_makes_room_for_chunks_and_the_first_does_not() {
        let run = Run::new(2, true);
        let [first, second] = [run.begins(7), run.begins(7)];
        first.pass(&run.control);
        second.pass(&run.control);
        assert!(!run.seats.sit_down(), "there is no third seat");
        run.chunks(true);
        scope(|threads| {
            let waiting = threads.spawn(|| second.pass(&run.control));
            // A spare is wanted when the other has got up, and not before.
            assert!(run.seats.next_spare());
            assert!(run.seats.sit_down());
            first.pass(&run.control);
            assert!(!waiting.is_finished() && !run.seats.sit_down());
            run.chunks(false);
            run.seats.stand_up();
            waiting.join().unwrap();
        });
        assert_eq!(first.held_up(), Duration::ZERO, "the record was searched all the time");
        assert_eq!(run.seats.lock().threads, 3);
    }

    #[test]
    fn with_unordered_rows_the_last_seat_is_for_chunks() {
        let run = Run::new(1, false);
        let place = run.begins(7);
        run.chunks(true);
        scope(|threads| {
            let waiting = threads.spawn(|| {
                place.pass(&run.control);
                thread_held_up_ns()
            });
            assert!(run.seats.next_spare());
            assert!(run.seats.sit_down());
            assert!(!run.seats.are_wanted(), "nobody takes the last seat from chunks");
            run.chunks(false);
            run.seats.stand_up();
            assert!(waiting.join().unwrap() > 0);
        });
        assert!(place.held_up() > Duration::ZERO);
        run.seats.end(&place);
        assert!(run.seats.lock().crews.is_empty());
    }

    #[test]
    fn with_ordered_rows_a_record_keeps_its_seat() {
        let run = Run::new(1, true);
        let place = run.begins(7);
        run.chunks(true);
        place.pass(&run.control);
        assert_eq!(run.seats.lock().crews[&7].sitting, 1);
    }

    #[test]
    fn the_earliest_record_comes_first() {
        let run = Run::new(1, false);
        let early = run.begins(5);
        early.rest();
        run.another();
        let late = run.begins(9);
        scope(|threads| {
            let resuming = threads.spawn(|| early.resume(&run.control));
            run.waits_at(5);
            let passing = threads.spawn(|| late.pass(&run.control));
            resuming.join().unwrap();
            run.waits_at(9);
            early.pass(&run.control);
            assert!(!passing.is_finished());
            run.seats.end(&early);
            run.seats.stand_up();
            passing.join().unwrap();
        });
    }

    #[test]
    fn whoever_takes_chunks_without_end_gives_a_seat_back_to_a_record() {
        let run = Run::new(2, false);
        let place = run.begins(7);
        place.rest();
        run.another();
        assert!(run.seats.sit_down() && run.seats.sit_down());
        run.chunks(true);
        scope(|threads| {
            let resuming = threads.spawn(|| place.resume(&run.control));
            run.waits_at(7);
            assert!(run.seats.are_wanted());
            run.seats.stand_up();
            resuming.join().unwrap();
        });
        assert!(!run.seats.are_wanted());
    }

    #[test]
    fn only_so_many_records_are_set_back() {
        let run = Run::new(1, false);
        run.chunks(true);
        scope(|threads| {
            let most = most_threads(1, false) as u64;
            for record in 1..most {
                let place = run.begins(record);
                threads.spawn(move || {
                    place.pass(&Control::until(Some(Instant::now() + Duration::from_secs(1))))
                });
                assert!(run.seats.next_spare());
                run.waits_at(record);
            }
            // The first of them would go on in its place, if not for the stop: there is no other thread for the chunk.
            run.control.cancel();
            run.begins(most).pass(&run.control);
        });
    }

    #[test]
    fn a_stop_ends_the_wait() {
        let run = Run::new(1, false);
        let place = run.begins(7);
        run.chunks(true);
        scope(|threads| {
            let waiting = threads.spawn(|| place.pass(&run.control));
            run.waits_at(7);
            run.control.cancel();
            waiting.join().unwrap();
        });
    }

    #[test]
    fn a_spare_that_cannot_be_started_is_not_waited_for() {
        let run = Run::new(1, false);
        let place = run.begins(7);
        run.chunks(true);
        scope(|threads| {
            let waiting = threads.spawn(|| place.pass(&run.control));
            assert!(run.seats.next_spare());
            run.seats.spare_is_missing();
            waiting.join().unwrap();
        });
    }
}

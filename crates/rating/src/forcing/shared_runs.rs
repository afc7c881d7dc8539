//! Runs that several threads compute for one search. A run is everything that follows from one assumption.
//!
//! One thread leads. It needs the runs in the order of the search and compares their conclusions, as it would
//! without other threads. The other threads compute runs before the leader needs them.
//!
//! A run leaves out conclusions with more candidates than a limit. The limit can shrink during the search.
//! The other threads use the limit known at the time when they begin a run. If it is larger than the leader
//! needs, the run still has the same conclusions up to the smaller limit. So the result does not depend on
//! the number or speed of the threads.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use super::{Literal, Work};
use crate::grid::Grid;
use crate::houses::ones;
use crate::kind::Kind;
use crate::run::Run;
use quadrille_model::bits::Bits;

/// The runs of a search.
pub(super) struct SharedRuns<'a> {
    grid: &'a Grid,
    kind: Kind,
    state: Mutex<State>,
    made: Condvar,
}

/// A run of the search.
struct Shared {
    of: Literal,
    is_begun: bool,
    made: Option<Run>,
}

struct State {
    runs: Vec<Shared>,
    /// Index at which to begin looking for a run that no thread has begun to compute. All earlier runs have
    /// been begun.
    next: usize,
    /// Maximum number of candidates with which a conclusion can still become the best.
    limit: usize,
    /// True if a thread panicked. The run that this thread was computing will never be finished.
    is_broken: bool,
    spare: Spare,
}

/// Memory for the helping threads. It is kept from one search to the next.
#[derive(Default)]
pub(super) struct Spare {
    runs: Vec<Run>,
    work: Vec<Work>,
}

impl<'a> SharedRuns<'a> {
    pub(super) fn new(grid: &'a Grid, kind: Kind, limit: usize, spare: Spare) -> Self {
        let cells = (0..81).filter(|&cell| ones(grid.candidates[cell]) > 1);
        let literals = cells.flat_map(|cell| Bits(grid.candidates[cell]).map(move |digit| (cell, digit)));
        let both = literals.flat_map(|(cell, digit)| [(cell, digit, true), (cell, digit, false)]);
        let runs = both.map(|of| Shared { of, is_begun: false, made: None }).collect();
        let state = State { runs, next: 0, limit, is_broken: false, spare };
        SharedRuns { grid, kind, state: Mutex::new(state), made: Condvar::new() }
    }

    /// Returns the memory of the helping threads. After this call, no further run begins.
    pub(super) fn end(&self) -> Spare {
        let mut state = self.lock();
        state.next = state.runs.len();
        std::mem::take(&mut state.spare)
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Computes the next run on a helping thread. A run is everything that follows from one assumption.
    /// Returns false if no run is left.
    pub(super) fn help(&self) -> bool {
        let mut state = self.lock();
        let Some((number, run)) = state.begin_next() else { return false };
        let mut work = state.spare.work.pop().unwrap_or_default();
        let (of, limit) = (state.runs[number].of, state.limit);
        drop(state);
        let mut begun = Begun { shared: self, number, run: Some(run) };
        if let Some(run) = &mut begun.run {
            work.follow((self.grid, self.kind), of, limit, run);
        }
        drop(begun);
        self.lock().spare.work.push(work);
        true
    }

    /// Fills `run` with everything that follows from an assumption. The leading thread calls this method.
    ///
    /// If another thread is computing this run, the leader computes other runs in the meantime. Helping
    /// threads use `limit` for the runs that they begin after this call.
    pub(super) fn take(&self, of: Literal, limit: usize, work: &mut Work, run: &mut Run) {
        let mut state = self.lock();
        state.limit = limit;
        let own = state.runs.iter().position(|shared| shared.of == of);
        while let Some(own) = own.filter(|&own| state.runs[own].is_begun && !state.is_broken) {
            if let Some(made) = state.runs[own].made.take() {
                state.spare.runs.push(std::mem::replace(run, made));
                return;
            }
            state = match state.begin_next() {
                Some((number, mut other)) => {
                    let of = state.runs[number].of;
                    drop(state);
                    work.follow((self.grid, self.kind), of, limit, &mut other);
                    let mut state = self.lock();
                    state.runs[number].made = Some(other);
                    state
                }
                None => self.made.wait(state).unwrap_or_else(PoisonError::into_inner),
            };
        }
        if let Some(own) = own {
            state.runs[own].is_begun = true;
        }
        drop(state);
        work.follow((self.grid, self.kind), of, limit, run);
    }
}

impl State {
    /// Marks the next run as begun.
    ///
    /// Returns its index, and memory for its result, or `None` if no run is left.
    fn begin_next(&mut self) -> Option<(usize, Run)> {
        let number = (self.next..self.runs.len()).find(|&number| !self.runs[number].is_begun)?;
        self.next = number + 1;
        self.runs[number].is_begun = true;
        Some((number, self.spare.runs.pop().unwrap_or_default()))
    }
}

/// A run that a helping thread computes. When this value is dropped, the result becomes available to the
/// leading thread.
struct Begun<'a> {
    shared: &'a SharedRuns<'a>,
    number: usize,
    run: Option<Run>,
}

impl Drop for Begun<'_> {
    fn drop(&mut self) {
        let mut state = self.shared.lock();
        if std::thread::panicking() {
            state.is_broken = true;
        } else {
            state.runs[self.number].made = self.run.take();
        }
        self.shared.made.notify_all();
    }
}

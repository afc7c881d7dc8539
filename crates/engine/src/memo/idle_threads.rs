//! Keeps idle threads of the current rayon pool available for a sweep, which is a count of solutions by
//! layers.
//!
//! A sweep consists of thousands of parallel loops that take some milliseconds each. An idle thread takes
//! part in a loop only while it looks for work in the pool. Between two loops it would fall asleep or return
//! to the task that it waits for. So the sweep spawns a task, the *stay*, which makes the idle thread keep
//! looking for work. The stay ends after a while so that the thread can attend to its other duties. The
//! thread may begin another stay immediately afterwards.
//!
//! A thread that runs a sweep, or is in a stay for one, never enters a stay for another sweep. So whoever
//! waits for this thread waits at most for one piece of a loop. Threads never wait for each other in a
//! circle.

use std::cell::Cell;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use rayon::prelude::*;

use crate::Control;

/// Time for which an idle thread stays available to a sweep (a count of solutions by layers).
///
/// After this time the thread returns to its other duties.
const MAX_STAY: Duration = Duration::from_millis(200);
/// Maximum number of consecutive times that an idle thread looks for work and finds none.
///
/// After that the thread sleeps before it looks again.
const MAX_LOOKS: u32 = 64;
/// Time that an idle thread sleeps before it looks for work again.
const REST: Duration = Duration::from_micros(50);

thread_local! {
    /// True if this thread runs a sweep (a count of solutions by layers), or stays available to help with
    /// one.
    static IS_ENGAGED: Cell<bool> = const { Cell::new(false) };
}

/// A guard that marks the current thread as engaged until the guard is dropped.
struct Engaged {
    before: bool,
}

impl Engaged {
    fn new() -> Self {
        Engaged { before: IS_ENGAGED.replace(true) }
    }
}

impl Drop for Engaged {
    fn drop(&mut self) {
        IS_ENGAGED.set(self.before);
    }
}

#[derive(Debug, Default)]
struct Stays {
    is_over: AtomicBool,
    /// True if a new task that keeps a thread available was spawned, and no thread has started this task yet.
    is_offered: AtomicBool,
    staying: AtomicUsize,
}

impl Stays {
    fn stay(&self) {
        self.is_offered.store(false, Ordering::Relaxed);
        if IS_ENGAGED.get() {
            return;
        }
        let _engaged = Engaged::new();
        self.staying.fetch_add(1, Ordering::Relaxed);
        let begin = Instant::now();
        let mut in_vain = 0;
        while !self.is_over.load(Ordering::Relaxed) && begin.elapsed() < MAX_STAY {
            match rayon::yield_now() {
                Some(rayon::Yield::Executed) => in_vain = 0,
                _ if in_vain < MAX_LOOKS => {
                    in_vain += 1;
                    std::hint::spin_loop();
                }
                _ => std::thread::sleep(REST),
            }
        }
        self.staying.fetch_sub(1, Ordering::Relaxed);
    }
}

/// A guard that ends all stays (tasks that keep threads available) when it is dropped, even if the sweep
/// panics.
struct Over<'s>(&'s Stays);

impl Drop for Over<'_> {
    fn drop(&mut self) {
        self.0.is_over.store(true, Ordering::Relaxed);
    }
}

/// The threads that may take part in the loops of a sweep (a count of solutions by layers).
pub(super) struct Helpers<'c, 'scope> {
    scope: &'c rayon::Scope<'scope>,
    stays: &'scope Stays,
    control: &'c Control,
}

/// Runs `work`, and gives it access to the idle threads of the current thread pool.
pub(super) fn with_helpers<R>(control: &Control, work: impl FnOnce(&Helpers<'_, '_>) -> R) -> R {
    let stays = Stays::default();
    rayon::in_place_scope(|scope| {
        let _engaged = Engaged::new();
        let _over = Over(&stays);
        work(&Helpers { scope, stays: &stays, control })
    })
}

impl Helpers<'_, '_> {
    /// Calls `work` on each element, in any order. Uses several threads if `much` is true: there is much work
    /// to do.
    pub(super) fn each<T: Send>(&self, much: bool, all: &mut [T], work: impl Fn(usize, &mut T) + Sync) {
        let others = rayon::current_num_threads() - 1;
        if !much || others == 0 || all.len() < 2 {
            all.iter_mut().enumerate().for_each(|(number, one)| work(number, one));
            return;
        }
        let stays = self.stays;
        if stays.staying.load(Ordering::Relaxed) < others && !stays.is_offered.swap(true, Ordering::Relaxed) {
            self.scope.spawn(|_| stays.stay());
            self.control.offer(1);
        }
        all.par_iter_mut().with_max_len(1).enumerate().for_each(|(number, one)| work(number, one));
    }
}

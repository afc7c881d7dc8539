//! Idle threads of the current rayon pool, kept available for a sweep.
//!
//! A sweep consists of thousands of short parallel loops of some milliseconds each. An idle thread takes part only
//! while it looks for work in the pool. Between two loops it would fall asleep or return to the task that it waits
//! for. So the sweep spawns a task, the *stay*, in which such a thread keeps looking for work. The stay ends after a
//! while so that the thread can see to its other duties; the thread may come back immediately.
//!
//! A thread that owns a sweep or stays at one never stays at another. So if another thread waits for this one, it
//! waits only for one piece of a loop, and threads never wait for each other in a circle.

use std::cell::Cell;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use rayon::prelude::*;

use crate::Control;

/// Time that a thread stays before it returns to its other duties.
const MAX_STAY: Duration = Duration::from_millis(200);
/// Number of fruitless looks for work after which a thread sleeps between looks.
const MAX_LOOKS: u32 = 64;
/// Time that a thread sleeps before it looks again.
const REST: Duration = Duration::from_micros(50);

thread_local! {
    /// True if this thread owns a sweep or stays at one.
    static IS_ENGAGED: Cell<bool> = const { Cell::new(false) };
}

/// Marks the current thread as engaged until it is dropped.
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
    /// True if a stay waits for a thread.
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

/// Ends all stays when it is dropped, even if the sweep panics.
struct Over<'s>(&'s Stays);

impl Drop for Over<'_> {
    fn drop(&mut self) {
        self.0.is_over.store(true, Ordering::Relaxed);
    }
}

/// The threads that may take part in the loops of a sweep.
pub(super) struct Helpers<'c, 'scope> {
    scope: &'c rayon::Scope<'scope>,
    stays: &'scope Stays,
    control: &'c Control,
}

/// Runs `work` with the helpers of the current pool.
pub(super) fn with_helpers<R>(control: &Control, work: impl FnOnce(&Helpers<'_, '_>) -> R) -> R {
    let stays = Stays::default();
    rayon::in_place_scope(|scope| {
        let _engaged = Engaged::new();
        let _over = Over(&stays);
        work(&Helpers { scope, stays: &stays, control })
    })
}

impl Helpers<'_, '_> {
    /// Calls `work` on each element, in any order; on several threads if `much` is true.
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

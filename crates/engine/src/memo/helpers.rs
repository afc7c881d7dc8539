//! Threads of the current rayon pool that have nothing else to do, kept at hand for a sweep.
//!
//! A sweep is thousands of short parallel loops, milliseconds each. A thread that is free takes part in them only while it
//! is looking for work of the pool; between two loops it would fall asleep, or go back to what it waits for. So the sweep
//! spawns a task, the *stay*, in which such a thread looks for work over and over. It leaves after a while, so that
//! one that has other duties sees to them, and may be back at once.
//!
//! A thread that owns a sweep, or stays at one, never stays at another: a thread that waits for it waits for a piece of
//! a loop and no longer, and so no threads wait in a circle.

use std::cell::Cell;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use rayon::prelude::*;

use crate::Control;

/// Time that a thread stays before it looks after its other duties.
const STAY: Duration = Duration::from_millis(200);
/// Looks without work after which it lets others have the processor.
const LOOKS: u32 = 64;
/// Time that it rests then.
const REST: Duration = Duration::from_micros(50);

thread_local! {
    /// True if this thread owns a sweep or stays at one.
    static IS_ENGAGED: Cell<bool> = const { Cell::new(false) };
}

/// Marks the thread until it is dropped.
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
        while !self.is_over.load(Ordering::Relaxed) && begin.elapsed() < STAY {
            match rayon::yield_now() {
                Some(rayon::Yield::Executed) => in_vain = 0,
                _ if in_vain < LOOKS => {
                    in_vain += 1;
                    std::hint::spin_loop();
                }
                _ => std::thread::sleep(REST),
            }
        }
        self.staying.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Ends all stays, however the sweep ends.
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

/// Does something with helpers at hand.
pub(super) fn with_helpers<R>(control: &Control, work: impl FnOnce(&Helpers<'_, '_>) -> R) -> R {
    let stays = Stays::default();
    rayon::in_place_scope(|scope| {
        let _engaged = Engaged::new();
        let _over = Over(&stays);
        work(&Helpers { scope, stays: &stays, control })
    })
}

impl Helpers<'_, '_> {
    /// Does the same with each, in any order: over threads if it is much to do.
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

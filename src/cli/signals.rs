//! The first interrupt stops the run in an orderly way, the second immediately. While the program waits for another
//! process, the first interrupt also stops it immediately.
//!
//! A process that outlives the run, such as Python, keeps the handlers, because they cannot be removed. Between runs
//! they do what the signal did before the first run.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI32, Ordering};
#[cfg(unix)]
use std::time::{Duration, Instant};

use super::{exit, files, progress};
use quadrille_engine::Control;
use quadrille_model::{EndedBy, Error, Result};

/// Time in which another signal counts as the same: GNU `timeout`, for example, signals the program and then its whole
/// group.
#[cfg(unix)]
const SAME_SIGNAL: Duration = Duration::from_millis(100);

/// Listens for signals, and remembers which one stopped the run. Dropping it ends listening.
#[derive(Debug, Default)]
pub(super) struct Signals {
    control: Arc<Control>,
    state: Arc<SignalState>,
    #[cfg(unix)]
    listening: Option<Listening>,
}

/// The thread that waits for signals.
#[cfg(unix)]
#[derive(Debug)]
struct Listening {
    signals: signal_hook::iterator::Handle,
    thread: std::thread::JoinHandle<()>,
}

/// State shared with the listening thread.
#[derive(Debug, Default)]
struct SignalState {
    /// Number of the first signal; 0 before it comes.
    seen: AtomicI32,
    /// True while the program could not react to a cancelled control.
    is_at_once: AtomicBool,
}

impl SignalState {
    /// Makes a signal end the program immediately, even if it came before this call.
    fn begin_at_once(&self) {
        self.is_at_once.store(true, Ordering::SeqCst);
        // The listening thread stores `seen` before it reads `is_at_once`. So at least one of the threads sees the
        // signal.
        match self.seen.load(Ordering::SeqCst) {
            0 => {}
            signal => SignalState::exit(signal),
        }
    }

    /// Exits because of a signal. Removes empty partial files. Ends the program that `bench` runs, and removes its input.
    fn exit(signal: i32) -> ! {
        #[cfg(unix)]
        crate::bench::end_running();
        files::remove_empty();
        progress::wipe_at_end();
        std::process::exit(128 + signal)
    }
}

/// Lets a signal that comes between runs stop the process, if it did so before the first run.
#[cfg(unix)]
mod between_runs {
    use std::io;
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::sync::{Arc, Mutex, PoisonError};

    use signal_hook::consts::{SIGINT, SIGTERM};

    /// Number of runs that listen.
    static LISTENING: Mutex<usize> = Mutex::new(0);
    /// True while no run listens; `None` before the first run.
    static IS_IDLE: Mutex<Option<Arc<AtomicBool>>> = Mutex::new(None);

    /// Registers the behaviour between runs, once. Must be called before any other handler is registered, while the
    /// process still has its own handlers.
    pub(super) fn prepare() -> io::Result<()> {
        let mut is_idle = IS_IDLE.lock().unwrap_or_else(PoisonError::into_inner);
        if is_idle.is_none() {
            let flag = Arc::new(AtomicBool::new(true));
            for signal in [SIGINT, SIGTERM].into_iter().filter(|signal| has_default_action(*signal)) {
                signal_hook::flag::register_conditional_default(signal, Arc::clone(&flag))?;
            }
            *is_idle = Some(flag);
        }
        Ok(())
    }

    /// Counts a run that begins or ends listening.
    pub(super) fn change(begins: bool) {
        let mut listening = LISTENING.lock().unwrap_or_else(PoisonError::into_inner);
        *listening = if begins { *listening + 1 } else { listening.saturating_sub(1) };
        if let Some(flag) = &*IS_IDLE.lock().unwrap_or_else(PoisonError::into_inner) {
            flag.store(*listening == 0, Ordering::SeqCst);
        }
    }

    /// Returns true if the process neither handles nor ignores the signal. Only Linux can report this without unsafe
    /// code. On other systems a signal between runs is lost, as if the process handled it.
    fn has_default_action(signal: i32) -> bool {
        let Ok(status) = std::fs::read_to_string("/proc/self/status") else { return false };
        let has = |name: &str| {
            let mask = status.lines().find_map(|line| line.strip_prefix(name))?;
            let mask = u64::from_str_radix(mask.trim(), 16).ok()?;
            Some(mask >> (signal - 1) & 1 == 1)
        };
        has("SigIgn:") == Some(false) && has("SigCgt:") == Some(false)
    }
}

impl Signals {
    /// Starts listening. A signal cancels `control`.
    ///
    /// # Errors
    /// Returns an error if handlers cannot be installed.
    #[cfg(unix)]
    pub(super) fn listen(control: &Arc<Control>) -> Result<Self> {
        use signal_hook::consts::{SIGINT, SIGTERM};
        let state = Arc::new(SignalState::default());
        let mut signals = between_runs::prepare()
            .and_then(|()| signal_hook::iterator::Signals::new([SIGINT, SIGTERM]))
            .map_err(|cause| Error::io("installing", "signal handlers", 0, cause))?;
        let handle = signals.handle();
        let (cancelled, shared) = (Arc::clone(control), Arc::clone(&state));
        let listen = move || {
            let mut first = None;
            for signal in &mut signals {
                let _ = shared.seen.compare_exchange(0, signal, Ordering::SeqCst, Ordering::SeqCst);
                let is_second = first.get_or_insert_with(Instant::now).elapsed() >= SAME_SIGNAL;
                if is_second || shared.is_at_once.load(Ordering::SeqCst) {
                    SignalState::exit(signal);
                }
                cancelled.cancel();
            }
        };
        let thread = std::thread::Builder::new()
            .name("quadrille-signals".to_owned())
            .spawn(listen)
            .map_err(|cause| Error::io("starting", "the signal thread", 0, cause))?;
        between_runs::change(true);
        let listening = Some(Listening { signals: handle, thread });
        Ok(Signals { control: Arc::clone(control), state, listening })
    }

    /// Returns an object that never sees a signal.
    #[cfg(not(unix))]
    pub(super) fn listen(control: &Arc<Control>) -> Result<Self> {
        Ok(Signals { control: Arc::clone(control), ..Signals::default() })
    }

    /// Starts listening for a verb that does not check a control: a signal ends the program immediately and removes
    /// empty partial files.
    ///
    /// # Errors
    /// Returns an error as [`listen`](Self::listen) does.
    pub(super) fn end_at_once() -> Result<Self> {
        let signals = Signals::listen(&Arc::default())?;
        signals.state.begin_at_once();
        Ok(signals)
    }

    /// Returns the control that a signal cancels.
    pub(super) fn control(&self) -> &Arc<Control> {
        &self.control
    }

    /// Calls `work`, such as opening a pipe without a reader, which may wait for another process.
    ///
    /// A signal before or during `work` ends the program immediately, because `work` does not check a control.
    pub(super) fn at_once<T>(&self, work: impl FnOnce() -> T) -> T {
        self.state.begin_at_once();
        let done = work();
        self.state.is_at_once.store(false, Ordering::SeqCst);
        done
    }

    /// Returns the exit status of a command that ended early.
    pub(super) fn exit_status(&self, ended_by: EndedBy) -> u8 {
        match (ended_by, self.state.seen.load(Ordering::SeqCst)) {
            (EndedBy::Deadline, _) => exit::DEADLINE,
            (_, 0) => exit::FAILED,
            (_, signal) => (128 + signal) as u8,
        }
    }
}

#[cfg(unix)]
impl Drop for Signals {
    fn drop(&mut self) {
        if let Some(listening) = self.listening.take() {
            between_runs::change(false);
            listening.signals.close();
            // The thread unregisters its handlers under a lock. If the process forked meanwhile, the lock would never
            // be released in the child.
            let _ = listening.thread.join();
        }
    }
}

//! Handles the signals that interrupt the program.
//!
//! The first interrupt stops the run in an orderly way, and a second one ends the program immediately. While
//! the program waits for another process, even the first interrupt ends the program immediately.
//!
//! A host process such as Python continues after the run. The signal handlers stay installed, because they
//! cannot be removed. Between runs, each handler does what the signal did before the first run.

use std::fmt::Display;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI32, Ordering};
use std::time::{Duration, Instant};

use super::{exit, files, progress};
use quadrille_engine::Control;
use quadrille_model::{EndedBy, Error, Result};

/// Time after the first signal during which a second signal counts as the same signal. GNU `timeout`, for
/// example, sends a signal to the program and then to the program's whole process group.
#[cfg(unix)]
const SAME_SIGNAL: Duration = Duration::from_millis(100);

/// Listens for signals, and remembers which signal stopped the run. The listening ends when this value is
/// dropped.
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
    /// System number of the first signal, or 0 if no signal has come yet.
    seen: AtomicI32,
    /// True while a signal must end the program at once, because the program does not check the control.
    is_at_once: AtomicBool,
}

impl SignalState {
    /// Makes every later signal end the program immediately. If a signal came before this call, ends the
    /// program now.
    fn begin_at_once(&self) {
        self.is_at_once.store(true, Ordering::SeqCst);
        // Each thread first writes one variable and then reads the other. The listening thread writes `seen`,
        // and this thread writes `is_at_once`. So at least one of the two threads notices the signal.
        match self.seen.load(Ordering::SeqCst) {
            0 => {}
            signal => SignalState::exit(signal),
        }
    }

    /// Exits because of a signal. First removes empty partial files, ends the program that `bench` runs, and
    /// removes the input of that program.
    fn exit(signal: i32) -> ! {
        #[cfg(unix)]
        crate::bench::end_running();
        files::remove_empty();
        progress::wipe_at_end();
        std::process::exit(128 + signal)
    }
}

/// Handling of signals between runs, in a host process that outlives a run, such as Python. A signal then
/// ends the process only if it would have ended the process before the first run.
#[cfg(unix)]
mod between_runs {
    use std::io;
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

    use signal_hook::consts::{SIGINT, SIGTERM};

    /// Number of runs that listen, and a flag that is true while no run listens. The flag is `None` before the
    /// first run.
    static RUNS: Mutex<(isize, Option<Arc<AtomicBool>>)> = Mutex::new((0, None));

    fn runs() -> MutexGuard<'static, (isize, Option<Arc<AtomicBool>>)> {
        RUNS.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Decides, once per process, what signals do between runs. Must be called before any other handler is
    /// registered, while the host process still has its original handlers.
    pub(super) fn prepare() -> io::Result<()> {
        let mut runs = runs();
        if runs.1.is_none() {
            let flag = Arc::new(AtomicBool::new(true));
            for signal in [SIGINT, SIGTERM].into_iter().filter(|signal| has_default_action(*signal)) {
                signal_hook::flag::register_conditional_default(signal, Arc::clone(&flag))?;
            }
            runs.1 = Some(flag);
        }
        Ok(())
    }

    /// Adds `change` to the number of runs that listen for signals.
    pub(super) fn add(change: isize) {
        let (listening, is_idle) = &mut *runs();
        *listening += change;
        if let Some(flag) = is_idle {
            flag.store(*listening == 0, Ordering::SeqCst);
        }
    }

    /// Returns true if the process neither handles nor ignores the signal. Only Linux can report this without
    /// unsafe code. On other systems this returns false, so a signal between runs has no effect.
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
    /// Starts listening. The first signal cancels the [control](Self::control), which also stops work after
    /// the time `deadline`.
    ///
    /// # Errors
    /// Returns an error if handlers cannot be installed.
    pub(super) fn listen(deadline: Option<Duration>) -> Result<Self> {
        let deadline = deadline.and_then(|after| Instant::now().checked_add(after));
        Signals::listen_with(Arc::new(Control::until(deadline)))
    }

    #[cfg(unix)]
    fn listen_with(control: Arc<Control>) -> Result<Self> {
        use signal_hook::consts::{SIGINT, SIGTERM};
        let state = Arc::new(SignalState::default());
        let mut signals = between_runs::prepare()
            .and_then(|()| signal_hook::iterator::Signals::new([SIGINT, SIGTERM]))
            .map_err(|cause| Error::io("installing", "signal handlers", 0, cause))?;
        let handle = signals.handle();
        let (cancelled, shared) = (Arc::clone(&control), Arc::clone(&state));
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
        between_runs::add(1);
        let listening = Some(Listening { signals: handle, thread });
        Ok(Signals { control, state, listening })
    }

    /// Returns an object that never sees a signal.
    #[cfg(not(unix))]
    fn listen_with(control: Arc<Control>) -> Result<Self> {
        Ok(Signals { control, ..Signals::default() })
    }

    /// Starts listening, for a command that does not check whether it was cancelled. A signal then removes
    /// empty partial files and ends the program immediately.
    ///
    /// # Errors
    /// Returns an error as [`listen`](Self::listen) does.
    pub(super) fn end_at_once() -> Result<Self> {
        let signals = Signals::listen(None)?;
        signals.state.begin_at_once();
        Ok(signals)
    }

    /// Returns the control that a signal cancels.
    pub(super) fn control(&self) -> &Arc<Control> {
        &self.control
    }

    /// Calls `work`, which may wait for another process, for example if it opens a pipe that has no reader.
    ///
    /// A signal before or during `work` ends the program immediately, because `work` does not check whether
    /// the command was cancelled.
    pub(super) fn at_once<T>(&self, work: impl FnOnce() -> T) -> T {
        self.state.begin_at_once();
        let done = work();
        self.state.is_at_once.store(false, Ordering::SeqCst);
        done
    }

    /// Returns the error of a command that ended early. `words` continue the message after the reason.
    pub(super) fn stopped(&self, ended_by: EndedBy, words: impl Display) -> anyhow::Error {
        exit::with(self.exit_status(ended_by), format!("stopped ({}){words}", ended_by.word()))
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
            between_runs::add(-1);
            listening.signals.close();
            // The listening thread holds a lock while it unregisters its handlers. If the process forked in
            // this time, the child process could never acquire the lock. So this waits for the thread.
            let _ = listening.thread.join();
        }
    }
}

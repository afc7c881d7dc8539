//! The first interrupt stops the run in order, the second at once.

use std::sync::Arc;
use std::sync::atomic::{AtomicI32, Ordering};

use super::exit;
use quadrille_engine::Control;
use quadrille_model::EndedBy;
use quadrille_model::{Error, Result};

/// Remembers which signal stopped the run. Listening ends when it is dropped.
#[derive(Debug, Default)]
pub(super) struct Signals {
    seen: Arc<AtomicI32>,
    #[cfg(unix)]
    listening: Option<signal_hook::iterator::Handle>,
}

impl Signals {
    /// Starts listening.
    ///
    /// # Errors
    /// Handlers that cannot be installed.
    #[cfg(unix)]
    pub(super) fn listen(control: &Arc<Control>) -> Result<Self> {
        use signal_hook::consts::{SIGINT, SIGTERM};
        let seen = Arc::new(AtomicI32::new(0));
        let mut signals = signal_hook::iterator::Signals::new([SIGINT, SIGTERM])
            .map_err(|cause| Error::io("installing", "signal handlers", 0, cause))?;
        let listening = Some(signals.handle());
        let (control, number) = (Arc::clone(control), Arc::clone(&seen));
        let listen = move || {
            for signal in &mut signals {
                if number.swap(signal, Ordering::Relaxed) != 0 {
                    std::process::exit(128 + signal);
                }
                control.cancel();
            }
        };
        std::thread::Builder::new()
            .name("quadrille-signals".to_owned())
            .spawn(listen)
            .map_err(|cause| Error::io("starting", "the signal thread", 0, cause))?;
        Ok(Signals { seen, listening })
    }

    /// Systems without signals.
    #[cfg(not(unix))]
    pub(super) fn listen(_control: &Arc<Control>) -> Result<Self> {
        Ok(Signals::default())
    }

    /// The exit status of a command that ended early.
    pub(super) fn exit_status(&self, ended_by: EndedBy) -> u8 {
        match (ended_by, self.seen.load(Ordering::Relaxed)) {
            (EndedBy::Deadline, _) => exit::DEADLINE,
            (_, 0) => exit::FAILED,
            (_, signal) => (128 + signal) as u8,
        }
    }
}

#[cfg(unix)]
impl Drop for Signals {
    fn drop(&mut self) {
        // Else the thread stays, for each run of a program that makes several.
        if let Some(listening) = &self.listening {
            listening.close();
        }
    }
}

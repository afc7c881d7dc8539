//! Points in the code at which tests can inject faults. Each point has a name (PLACE).
//!
//! No release has the feature `faults`. Without the feature the functions here are empty, and calls to them
//! compile to nothing.
//!
//! With the feature, the environment variable `QUADRILLE_FAULT` names one fault:
//!
//! * `abort=PLACE` or `abort=PLACE:N`: when the process reaches the point for the N-th time (default 1), it ends
//!   immediately, without flushing anything.
//! * `break=PLACE` or `break=PLACE:N`: the thread that reaches the point for the N-th time panics.
//! * `panic=N`: the engine that works on record N panics every time it finishes that record.
//! * `once=N`: like `panic=N`, but the engine panics only the first time.

/// Marks a named point in the code at which a test may end the process or make the thread panic.
#[inline]
pub fn reach(place: &str) {
    #[cfg(feature = "faults")]
    imp::reach(place);
    #[cfg(not(feature = "faults"))]
    let _ = place;
}

/// Panics if a test has asked the engine to fail at this record. `record` is called to get the record's
/// number.
///
/// # Panics
/// Panics if the environment variable `QUADRILLE_FAULT` names the record.
#[inline]
pub fn break_engine(record: impl FnOnce() -> u64) {
    #[cfg(feature = "faults")]
    imp::break_engine(record);
    #[cfg(not(feature = "faults"))]
    let _ = record;
}

#[cfg(feature = "faults")]
mod imp {
    use std::sync::OnceLock;
    use std::sync::atomic::{AtomicU64, Ordering};

    struct Fault {
        kind: String,
        what: String,
        /// Number of times that the process must still reach the named point before the fault happens.
        left: AtomicU64,
    }

    fn wanted() -> Option<&'static Fault> {
        static FAULT: OnceLock<Option<Fault>> = OnceLock::new();
        let read = || {
            let text = std::env::var("QUADRILLE_FAULT").ok()?;
            let (kind, what) = text.split_once('=')?;
            let (what, times) = what.split_once(':').unwrap_or((what, "1"));
            let left = AtomicU64::new(times.parse().ok()?);
            Some(Fault { kind: kind.to_owned(), what: what.to_owned(), left })
        };
        FAULT.get_or_init(read).as_ref()
    }

    pub(super) fn reach(place: &str) {
        let Some(fault) = wanted().filter(|fault| matches!(&*fault.kind, "abort" | "break")) else { return };
        if fault.what == place && fault.left.fetch_sub(1, Ordering::SeqCst) == 1 {
            match &*fault.kind {
                "abort" => std::process::abort(),
                _ => panic!("a fault was asked for at {place}"),
            }
        }
    }

    pub(super) fn break_engine(record: impl FnOnce() -> u64) {
        let Some(fault) = wanted().filter(|fault| matches!(&*fault.kind, "panic" | "once")) else { return };
        if fault.what.parse() == Ok(record())
            && (fault.kind == "panic" || fault.left.swap(0, Ordering::SeqCst) > 0)
        {
            panic!("a fault was asked for");
        }
    }
}

//! Places where tests make things go wrong. Without the feature `faults`, which no release has, there is nothing
//! here: the functions are empty and their callers the same as without them.
//!
//! With it the environment variable `QUADRILLE_FAULT` names the fault, one of
//!
//! * `abort=PLACE` or `abort=PLACE:N`: the process ends at once, without flushing anything, when it comes to a
//!   place (for the N-th time);
//! * `break=PLACE` or `break=PLACE:N`: the thread that comes to a place panics (the N-th time one comes there);
//! * `panic=N`: the engine that works on record N breaks down whenever it finishes that record;
//! * `once=N`: likewise, but only the first time.

/// Comes to a place where a test may end the process, or the thread by a panic.
#[inline]
pub fn reach(place: &str) {
    #[cfg(feature = "faults")]
    imp::reach(place);
    #[cfg(not(feature = "faults"))]
    let _ = place;
}

/// Breaks down if a test wants the engine to do so at this record.
///
/// # Panics
/// Exactly then.
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
        /// Occasions that pass before it happens.
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

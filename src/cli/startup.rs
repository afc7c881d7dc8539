//! Settings of the whole process, made once before the first command runs.

use std::sync::OnceLock;

static OUTPUT_WAS_CLOSED: OnceLock<bool> = OnceLock::new();

/// Notes the state of standard output, and makes a file that grows beyond the system's limit an error of writing
/// instead of the end of the program.
pub(super) fn begin(output_was_closed: bool) {
    let is_first = OUTPUT_WAS_CLOSED.set(output_was_closed).is_ok();
    #[cfg(unix)]
    if is_first {
        let noted = std::sync::Arc::default();
        // Where it cannot be caught, the signal ends the program as it does others.
        let _ = signal_hook::flag::register(signal_hook::consts::SIGXFSZ, noted);
    }
    #[cfg(not(unix))]
    let _ = is_first;
}

/// True if standard output was closed before the program began.
pub(super) fn output_was_closed() -> bool {
    OUTPUT_WAS_CLOSED.get().copied().unwrap_or(false)
}

//! Settings of the whole process, applied once before the first command runs.

use std::sync::Once;

use quadrille_files::streams::ClosedStreams;

static BEGUN: Once = Once::new();

/// Records which streams were closed. Turns the signal for a file beyond the system's size limit into a write error.
pub(super) fn begin(closed: ClosedStreams) {
    BEGUN.call_once(|| {
        closed.note();
        #[cfg(unix)]
        {
            let noted = std::sync::Arc::default();
            // If the signal cannot be caught, it ends the program.
            let _ = signal_hook::flag::register(signal_hook::consts::SIGXFSZ, noted);
        }
    });
}

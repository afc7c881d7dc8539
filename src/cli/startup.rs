//! Settings of the whole process, made once before the first command runs.

use std::sync::Once;

use quadrille_model::streams::ClosedStreams;

static BEGUN: Once = Once::new();

/// Notes which streams were closed, and makes a file that grows beyond the system's limit an error of writing
/// instead of the end of the program.
pub(super) fn begin(closed: ClosedStreams) {
    BEGUN.call_once(|| {
        closed.note();
        #[cfg(unix)]
        {
            let noted = std::sync::Arc::default();
            // Where it cannot be caught, the signal ends the program as it does others.
            let _ = signal_hook::flag::register(signal_hook::consts::SIGXFSZ, noted);
        }
    });
}

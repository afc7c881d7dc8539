//! Settings of the whole process. They are applied once, before the first command runs.

use std::sync::Once;

use quadrille_files::streams::ClosedStreams;

static BEGUN: Once = Once::new();

/// Records which standard streams were closed. Also makes a write beyond the system's file size limit return
/// an error instead of raising a signal.
pub(super) fn begin(closed: ClosedStreams) {
    BEGUN.call_once(|| {
        closed.note();
        #[cfg(unix)]
        {
            let noted = std::sync::Arc::default();
            // If the handler cannot be registered, the signal ends the program.
            let _ = signal_hook::flag::register(signal_hook::consts::SIGXFSZ, noted);
        }
    });
}

//! A line that is redrawn in place on the terminal of standard error.

use std::io::{IsTerminal, Write};
use std::sync::mpsc::channel;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::cli::screen::columns_of;
use quadrille_model::streams::StandardWriter;

/// Moves to the start of the line and wipes it.
const WIPE: &str = "\r\u{1b}[K";

/// The line of the terminal.
pub(in crate::cli) static LINE: TerminalLine = TerminalLine(Mutex::new(None));

/// Maximum time that the program waits at its end for a terminal that accepts no text, for example after Ctrl-S.
const WIPING: Duration = Duration::from_millis(200);

/// A line of a terminal, and the text drawn there now.
#[derive(Debug)]
pub(in crate::cli) struct TerminalLine(Mutex<Option<String>>);

impl TerminalLine {
    /// Returns true if a line can be drawn on standard error.
    pub(super) fn is_drawn_on() -> bool {
        std::io::stderr().is_terminal() && std::env::var_os("TERM").is_none_or(|name| name != "dumb")
    }

    /// Draws the line if its text has changed. Does not redraw unchanged text, because a pager may own the terminal now.
    pub(super) fn draw(&self, text: &str) {
        let mut drawn = self.lock();
        if drawn.as_deref() == Some(text) {
            return;
        }
        let end = match is_stdout_piped() {
            // Output of the pipe's reader must start on a new line.
            true => {
                " ".repeat(columns_of(std::io::stderr()).unwrap_or(0).saturating_sub(text.chars().count()))
            }
            // Text that the terminal itself prints, such as ^C, stays on this line and is wiped with it.
            false => "\r".to_owned(),
        };
        print(&format!("{WIPE}{text}{end}"));
        *drawn = Some(text.to_owned());
    }

    /// Wipes the line, calls `work`, and draws the line again.
    pub(in crate::cli) fn without<T>(&self, work: impl FnOnce() -> T) -> T {
        let mut drawn = self.lock();
        if drawn.take().is_some() {
            print(WIPE);
        }
        work()
    }

    /// Wipes the line for good, because the program ends now. Does not wait long if the terminal takes no text.
    pub(in crate::cli) fn wipe_at_end(&'static self) {
        let (sender, is_wiped) = channel();
        let wipe = move || {
            let drawn = self.lock();
            if drawn.is_some() {
                print(WIPE);
            }
            let _ = sender.send(());
            // The line stays locked, so that nothing is drawn again.
            std::mem::forget(drawn);
        };
        if std::thread::Builder::new().spawn(wipe).is_ok() {
            let _ = is_wiped.recv_timeout(WIPING);
        }
    }

    fn lock(&self) -> MutexGuard<'_, Option<String>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Prints on standard error. Ignores errors, because a progress line may be lost.
fn print(text: &str) {
    let _ = StandardWriter::error().write_all(text.as_bytes());
}

/// Returns true if another program reads standard output.
pub(super) fn is_stdout_piped() -> bool {
    #[cfg(unix)]
    return rustix::fs::fstat(std::io::stdout()).is_ok_and(|about| {
        let kind = rustix::fs::FileType::from_raw_mode(about.st_mode);
        matches!(kind, rustix::fs::FileType::Fifo | rustix::fs::FileType::Socket)
    });
    #[cfg(not(unix))]
    return !std::io::stdout().is_terminal();
}

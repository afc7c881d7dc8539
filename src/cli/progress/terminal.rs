//! Draws the progress line on the terminal of standard error with `indicatif`. Rows are printed above this
//! line.

use std::io::{self, BufWriter, IsTerminal, LineWriter, Write};
use std::sync::mpsc::channel;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use indicatif::{ProgressDrawTarget, TermLike};

use super::BAR;
use crate::cli::screen::columns_of;
use quadrille_files::streams::StandardWriter;

/// Maximum number of bytes of rows that are buffered before they are printed.
const HELD_BYTES: usize = 64 << 10;
/// Maximum time that the program waits before it exits if the terminal accepts no text, for example after
/// Ctrl-S.
const WIPING: Duration = Duration::from_millis(200);

/// Returns true if the progress line can be drawn on standard error.
pub(super) fn can_draw() -> bool {
    io::stderr().is_terminal() && std::env::var_os("TERM").is_none_or(|name| name != "dumb")
}

/// Returns true if standard output is a pipe, which another program reads.
pub(super) fn is_stdout_piped() -> bool {
    #[cfg(unix)]
    return rustix::fs::fstat(io::stdout()).is_ok_and(|about| {
        let kind = rustix::fs::FileType::from_raw_mode(about.st_mode);
        matches!(kind, rustix::fs::FileType::Fifo | rustix::fs::FileType::Socket)
    });
    #[cfg(not(unix))]
    return !io::stdout().is_terminal();
}

/// Returns the target on which `indicatif` draws the progress line on standard error.
///
/// The targets that `indicatif` itself offers are not suitable. They hide the line if `NO_COLOR` is set. They
/// draw the line again even if its text has not changed, which would spoil the screen of a pager. They also
/// leave the cursor at the end of the line, where `^C` could wrap to the next line.
pub(super) fn target() -> ProgressDrawTarget {
    ProgressDrawTarget::term_like(Box::new(OneLine::default()))
}

/// The progress line of a terminal. It is written again only if its text has changed.
#[derive(Debug, Default)]
struct OneLine(Mutex<Texts>);

#[derive(Debug, Default)]
struct Texts {
    drawn: String,
    next: String,
}

impl OneLine {
    fn push(&self, text: &str) -> io::Result<()> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).next.push_str(text);
        Ok(())
    }
}

impl TermLike for OneLine {
    fn width(&self) -> u16 {
        let columns = columns_of(io::stderr()).unwrap_or(0);
        // Some terminals move to the next line after text is written to the last column, so this column stays
        // empty. If standard output is a pipe, the last column is used. The program that reads the pipe may
        // need the move to the next line.
        let columns = if is_stdout_piped() { columns } else { columns.saturating_sub(1) };
        u16::try_from(columns).unwrap_or(u16::MAX)
    }

    fn write_str(&self, text: &str) -> io::Result<()> {
        self.push(text)
    }

    fn clear_line(&self) -> io::Result<()> {
        self.push("\r\u{1b}[K")
    }

    fn flush(&self) -> io::Result<()> {
        let mut texts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let next = std::mem::take(&mut texts.next);
        if next == texts.drawn {
            return Ok(());
        }
        // The carriage return moves the cursor to the start of the line. If the terminal then writes text
        // such as ^C, the text is on the progress line. Wiping the progress line also wipes the text.
        let end = if is_stdout_piped() { "" } else { "\r" };
        // An error is ignored, because it only loses a progress line.
        let _ = StandardWriter::error().write_all(format!("{next}{end}").as_bytes());
        texts.drawn = next;
        Ok(())
    }

    fn write_line(&self, text: &str) -> io::Result<()> {
        self.push(text)
    }

    fn move_cursor_up(&self, _: usize) -> io::Result<()> {
        Ok(())
    }

    fn move_cursor_down(&self, _: usize) -> io::Result<()> {
        Ok(())
    }

    fn move_cursor_right(&self, _: usize) -> io::Result<()> {
        Ok(())
    }

    fn move_cursor_left(&self, _: usize) -> io::Result<()> {
        Ok(())
    }
}

/// Wipes the progress line when the program ends. If the terminal accepts no text, waits only a short time.
pub(in crate::cli) fn wipe_at_end() {
    let (sender, is_wiped) = channel();
    let wipe = move || {
        BAR.finish_and_clear();
        let _ = sender.send(());
    };
    if std::thread::Builder::new().spawn(wipe).is_ok() {
        let _ = is_wiped.recv_timeout(WIPING);
    }
}

/// A writer that wipes the progress line before it prints rows.
struct Above(Box<dyn Write + Send>);

/// Returns a writer of rows. If standard output and standard error are both terminals, the writer prints
/// whole rows above the progress line.
pub(in crate::cli) fn above(rows: Box<dyn Write + Send>) -> Box<dyn Write + Send> {
    if io::stdout().is_terminal() && io::stderr().is_terminal() {
        let whole_lines = LineWriter::with_capacity(HELD_BYTES, Above(rows));
        Box::new(BufWriter::with_capacity(HELD_BYTES, whole_lines))
    } else {
        rows
    }
}

impl Write for Above {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        BAR.suspend(|| self.0.write_all(bytes).and_then(|()| self.0.flush()))?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

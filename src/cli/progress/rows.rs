//! Rows that go to the terminal on which progress is drawn.

use std::io::{self, IsTerminal, Write};
use std::sync::Arc;

use super::terminal_line::TerminalLine;

/// Bytes of rows that are held at most.
const HELD_BYTES: usize = 64 << 10;

/// Writes whole lines of rows while the progress line is wiped.
struct RowsAbove {
    rows: Box<dyn Write + Send>,
    line: Arc<TerminalLine>,
    held: Vec<u8>,
}

/// Returns what rows are written to. If standard output, which they go to, is a terminal, and so is standard error, the
/// drawn `line` is wiped before rows are printed.
pub(super) fn above(line: Arc<TerminalLine>, rows: Box<dyn Write + Send>) -> Box<dyn Write + Send> {
    if io::stdout().is_terminal() && io::stderr().is_terminal() {
        Box::new(RowsAbove { rows, line, held: Vec::new() })
    } else {
        rows
    }
}

impl RowsAbove {
    /// Prints the first `length` bytes that are held.
    fn print(&mut self, length: usize) -> io::Result<()> {
        if length == 0 {
            return Ok(());
        }
        let RowsAbove { rows, line, held } = self;
        let printed = line.without(|| rows.write_all(&held[..length]).and_then(|()| rows.flush()));
        held.drain(..length);
        printed
    }
}

impl Write for RowsAbove {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.held.extend_from_slice(bytes);
        if self.held.len() >= HELD_BYTES {
            // The line would be drawn after an unfinished row.
            let whole = self.held.iter().rposition(|&byte| byte == b'\n').map_or(0, |end| end + 1);
            self.print(whole)?;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.print(self.held.len())?;
        self.rows.flush()
    }
}

impl Drop for RowsAbove {
    fn drop(&mut self) {
        // As a buffered writer does; who asks for the error flushes.
        let _ = self.flush();
    }
}

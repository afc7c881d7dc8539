//! Rows printed on the terminal that shows progress.

use std::io::{self, IsTerminal, Write};

use super::terminal_line::LINE;

/// Maximum bytes of rows held back.
const HELD_BYTES: usize = 64 << 10;

/// Writes whole lines of rows while the progress line is wiped.
struct RowsAbove {
    rows: Box<dyn Write + Send>,
    held: Vec<u8>,
}

/// Returns the writer of rows. If standard output and standard error are both terminals, it wipes the drawn line
/// before it prints rows.
pub(in crate::cli) fn above(rows: Box<dyn Write + Send>) -> Box<dyn Write + Send> {
    if io::stdout().is_terminal() && io::stderr().is_terminal() {
        Box::new(RowsAbove { rows, held: Vec::new() })
    } else {
        rows
    }
}

impl RowsAbove {
    /// Prints the first `length` held bytes.
    fn print(&mut self, length: usize) -> io::Result<()> {
        if length == 0 {
            return Ok(());
        }
        let RowsAbove { rows, held } = self;
        let printed = LINE.without(|| rows.write_all(&held[..length]).and_then(|()| rows.flush()));
        held.drain(..length);
        printed
    }
}

impl Write for RowsAbove {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.held.extend_from_slice(bytes);
        if self.held.len() >= HELD_BYTES {
            // An unfinished row stays held, or the line would be drawn after it.
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
        // Ignores errors, like a buffered writer. Callers that need the errors call `flush`.
        let _ = self.flush();
    }
}

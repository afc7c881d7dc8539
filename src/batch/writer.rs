//! The writer thread: pieces in order to where they go, errors and limits on the way.

use std::io::{self, ErrorKind as IoKind, Write};
use std::time::Instant;

use super::desk::nanoseconds_since;
use super::open::Pages;
use super::run::Shared;
use crate::error::{Error, ErrorKind, Location};
use crate::model::EndedBy;
use crate::stats::Statistics;

/// Where a run's bytes go.
pub struct Outputs<'a> {
    /// Rows.
    pub rows: Box<dyn Write + Send + 'a>,
    /// Lines about rejected records.
    pub rejects: Option<Box<dyn Write + Send + 'a>>,
    /// Messages for people, one at a time, in the order of the records they are about.
    pub notice: Box<dyn FnMut(&str) + Send + 'a>,
}

/// What the writer says at its end.
pub(super) struct Written {
    /// Of everything that was written.
    pub statistics: Statistics,
    pub writing_ns: u64,
    pub error: Option<Error>,
    /// Whoever read the rows went away.
    pub closed: bool,
    /// What stopped the run, where the output ends before the input does.
    pub cut: Option<EndedBy>,
}

impl Written {
    fn new(top: usize) -> Self {
        Written { statistics: Statistics::new(top), writing_ns: 0, error: None, closed: false, cut: None }
    }

    /// For a writer thread that did not end as it should.
    pub(super) fn broken_down() -> Self {
        let error = ErrorKind::Internal("writing broke down".to_owned()).into();
        Written { error: Some(error), ..Written::new(0) }
    }
}

struct Writer<'s, 'o> {
    shared: &'s Shared<'s>,
    outputs: Outputs<'o>,
    written: Written,
    rejected: u64,
    row_bytes: u64,
}

/// Writes all pieces until there are no more, or nobody can take them.
pub(super) fn write(shared: &Shared<'_>, outputs: Outputs<'_>) -> Written {
    let mut writer =
        Writer { shared, outputs, written: Written::new(shared.options.top), rejected: 0, row_bytes: 0 };
    let mut headed = false;
    while let Some((piece, more)) = shared.window.take() {
        let pages = piece.content;
        let begin = Instant::now();
        let result = writer.head(&mut headed).and_then(|()| writer.pages(&pages, !more));
        writer.written.writing_ns += nanoseconds_since(begin);
        if pages.cut {
            // Asked before the writer itself stops everybody else.
            writer.written.cut = Some(shared.control.stop().unwrap_or(EndedBy::Cancel));
        }
        if !writer.goes_on(result) {
            shared.window.abandon();
            shared.control.cancel();
            return writer.written;
        }
        shared.recycle_pages(pages);
    }
    let end = writer.head(&mut headed).and_then(|()| writer.tail());
    writer.goes_on(end);
    writer.written
}

impl Writer<'_, '_> {
    /// Whether to write more after this result.
    fn goes_on(&mut self, result: io::Result<()>) -> bool {
        match result {
            Ok(()) => self.written.cut.is_none() && self.written.error.is_none(),
            Err(cause) if cause.kind() == IoKind::BrokenPipe => {
                self.written.closed = true;
                false
            }
            Err(cause) => {
                let error = Error::io("writing", "the output", self.row_bytes, cause);
                self.written.error.get_or_insert(error);
                false
            }
        }
    }

    fn head(&mut self, headed: &mut bool) -> io::Result<()> {
        if *headed {
            return Ok(());
        }
        *headed = true;
        let head = self.shared.head();
        self.rows(&head)
    }

    fn tail(&mut self) -> io::Result<()> {
        let mut tail = Vec::new();
        self.shared.formatter.finish(&mut tail);
        self.rows(&tail)?;
        self.outputs.rows.flush()?;
        self.outputs.rejects.as_mut().map_or(Ok(()), Write::flush)
    }

    fn rows(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.outputs.rows.write_all(bytes)?;
        self.row_bytes += bytes.len() as u64;
        Ok(())
    }

    /// Writes one piece, up to the reject that is one too many. `idle`: nothing else is waiting to be written.
    fn pages(&mut self, pages: &Pages, idle: bool) -> io::Result<()> {
        let (output_end, rejects_end) = self.ends(pages);
        self.rows(&pages.output[..output_end])?;
        if let Some(rejects) = &mut self.outputs.rejects {
            rejects.write_all(&pages.rejects[..rejects_end])?;
        }
        for notice in &pages.notices {
            (self.outputs.notice)(notice);
        }
        self.written.statistics.merge(&pages.statistics);
        self.written.statistics.rows_out += pages.rows;
        self.written.statistics.bytes_out = self.row_bytes;
        if idle || self.shared.options.line_buffered {
            self.outputs.rows.flush()?;
        }
        Ok(())
    }

    /// How much of a piece is to be written; less than all where its rejects are too many.
    fn ends(&mut self, pages: &Pages) -> (usize, usize) {
        if let Some(allowed) = self.shared.options.rejects_allowed() {
            for mark in &pages.marks {
                self.rejected += 1;
                if self.rejected > allowed {
                    let place = Location {
                        source: pages.source.clone(),
                        record: mark.record,
                        line: mark.line,
                        byte: mark.byte,
                    };
                    let reason = mark.reason.clone();
                    self.written.error = Some(
                        ErrorKind::TooManyRejects { place, reason, rejected: self.rejected, allowed }.into(),
                    );
                    return (mark.output_end, mark.rejects_end);
                }
            }
        }
        (pages.output.len(), pages.rejects.len())
    }
}

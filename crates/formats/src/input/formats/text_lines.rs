//! Cuts and parses sources whose records are rows of text.
//!
//! The cutter and the parser share one definition of a row.

use super::super::cutter::{CutRecords, Cutter, Unread};
use super::super::dialect::{Dialect, Quotes, RowEnd};
use super::super::grids::GridReader;
use super::super::lines::{span_in, without_returns};
use super::super::{Body, Chunk, InputOptions, Layout, LineKind, Record};
use quadrille_model::Reason;

/// The rows of a source.
pub(super) trait Rows: Send {
    /// Returns the grammar of rows that may have several lines, or `None` if each line is a row.
    #[inline]
    fn dialect(&self) -> Option<Dialect> {
        None
    }

    /// Returns the end of the row that starts at `start`, or `None` if more bytes are needed.
    ///
    /// An earlier call has found that the row does not end before `scanned`. If `complete` is true, `bytes`
    /// extends to the end of the source, and the result is never `None`.
    #[inline]
    fn row_end(
        &self,
        bytes: &[u8],
        [start, scanned]: [usize; 2],
        line_end: u8,
        complete: bool,
    ) -> Option<RowEnd> {
        if let Some(dialect) = self.dialect() {
            return dialect.row_end(bytes, start, complete);
        }
        let scanned = scanned.max(start);
        let at = memchr::memchr(line_end, &bytes[scanned..]).map(|at| scanned + at);
        at.or(complete.then_some(bytes.len())).map(|at| RowEnd { at, quotes: Ok(false) })
    }

    /// Returns the kind of a row that is not a record, or `None` if the row is a record.
    ///
    /// `line` is the 1-based line number of the row.
    fn other(&self, row: &[u8], line: u64) -> Option<LineKind>;

    /// Parses the rows of a chunk. `read` parses one record, and returns the reason if it is invalid.
    fn parse(
        &self,
        grids: &mut GridReader,
        chunk: &Chunk,
        mut read: impl FnMut(&mut GridReader, Quotes, &mut Record) -> Result<(), Reason>,
    ) where
        Self: Sized,
    {
        let (bytes, line_end) = (&chunk.bytes[..], chunk.layout.line_end());
        let (mut at, mut line) = (0, chunk.first_line);
        while at < bytes.len()
            && let Some(end) = self.row_end(bytes, [at, at], line_end, true)
        {
            let with_returns = &bytes[at..end.at];
            let row = without_returns(with_returns);
            let mut record = Record::new(line, chunk.first_byte + at as u64, span_in(bytes, row));
            let is_record = self.other(row, line).is_none();
            if is_record && let Err(reason) = read(grids, end.quotes, &mut record) {
                record.body = Body::Invalid(Box::new(reason));
            }
            if is_record || grids.options.keep_lines {
                grids.records.list.push(record);
            }
            line += end.lines(with_returns, line_end);
            at = end.at + 1;
        }
    }
}

/// Makes a record of each row except those for which [`Rows::other`] returns a kind.
pub(super) struct RowCutter<R> {
    pub(super) rows: R,
    pub(super) line_end: u8,
    pub(super) max_record_bytes: usize,
}

impl<R> RowCutter<R> {
    pub(super) fn new(rows: R, layout: &Layout, options: &InputOptions) -> Self {
        RowCutter { rows, line_end: layout.line_end(), max_record_bytes: options.max_record_bytes }
    }
}

impl<R: Rows> Cutter for RowCutter<R> {
    fn cut(&mut self, unread: &Unread<'_>, found: &mut CutRecords) -> bool {
        let bytes = unread.bytes;
        while found.len < bytes.len() && !found.is_full(unread.target) {
            // Scan at most the maximum length of a row, even if more bytes have arrived. Otherwise the result
            // would depend on how many bytes have arrived.
            let known = bytes.len().min(found.len.saturating_add(self.max_record_bytes).saturating_add(1));
            let complete = unread.end && known == bytes.len();
            let end = self.rows.row_end(&bytes[..known], [found.len, found.scanned], self.line_end, complete);
            let end = end.filter(|end| end.at < known || complete);
            let row_bytes = end.map_or(known, |end| (end.at + 1).min(bytes.len())) - found.len;
            found.too_large = row_bytes > self.max_record_bytes;
            let Some(end) = end.filter(|_| !found.too_large) else {
                found.scanned = if found.too_large { found.len } else { known };
                return false;
            };
            let row = &bytes[found.len..end.at];
            let lines = end.lines(row, self.line_end);
            match self.rows.other(without_returns(row), unread.first_line + found.lines) {
                None => found.records += 1,
                Some(kind) => found.others.add(kind, lines),
            }
            found.lines += lines;
            found.len = (end.at + 1).min(bytes.len());
            found.scanned = found.len;
        }
        unread.end && found.len == bytes.len()
    }
}

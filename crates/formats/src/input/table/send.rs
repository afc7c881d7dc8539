//! Sends tables to the cutter.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use super::{NumberGrids, OpenTable, Opened, Texts, open};
use crate::input::blocks::{BLOCK_BYTES, Block, BlockSender, Event};
use crate::input::row_text::CELLS;
use crate::input::source::unreadable;
use crate::input::{InputOptions, Source};
use quadrille_model::{Error, PLAIN_LINE};

/// Result of sending a source: an error of reading, or `None` if the receiver was dropped.
type Sent = Option<Result<(), Error>>;

/// Sends a source if it is a table, and returns any other source.
pub(in crate::input) fn send(
    source: Source,
    options: &InputOptions,
    read: &Arc<AtomicU64>,
    out: &BlockSender<'_>,
) -> ControlFlow<Sent, Source> {
    match open(source, options, read) {
        Err(error) => ControlFlow::Break(Some(Err(error))),
        Ok(Opened::Text(source)) => ControlFlow::Continue(source),
        Ok(Opened::Table(table)) => ControlFlow::Break(send_table(*table, out)),
        Ok(Opened::Numbers(grids)) => ControlFlow::Break(send_numbers(grids, out)),
    }
}

/// Sends the grids of an array of numbers. Returns `None` if the receiver was dropped.
fn send_numbers(mut grids: NumberGrids, out: &BlockSender<'_>) -> Sent {
    out.send(Event::Layout(Box::new(grids.layout())))?;
    loop {
        let read = grids.read(BLOCK_BYTES);
        if out.with_cells && grids.are_cells() {
            let mut block = out.empty_block();
            grids.write_cells(&mut block.bytes);
            out.send(Event::Cells(block))?;
        }
        if !grids.are_written() {
            let mut block = out.empty_block();
            grids.write(&mut block.bytes);
            out.send(Event::Block(block))?;
        }
        match read {
            Ok(true) => {}
            Ok(false) => return Some(Ok(())),
            Err(error) => return Some(Err(error)),
        }
    }
}

/// Sends the layout and rows of a table. Returns `None` if the receiver was dropped.
fn send_table(table: OpenTable, out: &BlockSender<'_>) -> Sent {
    let OpenTable { name, layout, columns, batches } = table;
    out.send(Event::Layout(Box::new(layout)))?;
    let mut rows = 0;
    let mut unsent = Unsent { block: out.empty_block(), are_cells: false };
    for batch in batches {
        let batch = match batch {
            Ok(batch) => batch,
            Err(error) => {
                unsent.send(out)?;
                let reason = format!("it cannot be read further: {error}");
                return Some(Err(unreadable(&name, (0, rows + 1, 0), reason)));
            }
        };
        let texts = Texts::new(&batch, &columns);
        let mut row = 0;
        while row < batch.num_rows() {
            // If all rows that still fit the block can be bare cells, they are sent as bare cells; otherwise all are
            // sent as text. A bad row thus costs one block of text.
            let space = BLOCK_BYTES.saturating_sub(unsent.text_bytes()).max(1);
            let window = row..batch.num_rows().min(row + space.div_ceil(PLAIN_LINE));
            let cells = texts.cells(window.clone()).filter(|_| out.with_cells);
            if unsent.are_cells != cells.is_some() {
                unsent.send(out)?;
                unsent.are_cells = cells.is_some();
            }
            if let Some(cells) = cells {
                unsent.block.bytes.extend_from_slice(cells);
                row = window.end;
            }
            while row < window.end && unsent.text_bytes() < BLOCK_BYTES {
                let space = BLOCK_BYTES - unsent.text_bytes();
                row += texts.write_some(row..window.end, space, &mut unsent.block.bytes);
            }
            if unsent.text_bytes() >= BLOCK_BYTES - texts.usual_bytes {
                unsent.send(out)?;
            }
        }
        rows += batch.num_rows() as u64;
        // If the cutter has nothing to do, it gets the rows that are ready before the wait for the next batch.
        if out.to_cutter.is_empty() {
            unsent.send(out)?;
        }
    }
    unsent.send(out)?;
    Some(Ok(()))
}

/// Rows of a table that have not been sent yet.
struct Unsent {
    block: Block,
    are_cells: bool,
}

impl Unsent {
    /// Returns the length of the rows as text, even if they are bare cells.
    ///
    /// A block of bare cells thus has as many rows as a block of text, and fills as many chunks.
    fn text_bytes(&self) -> usize {
        let bytes = self.block.read().len();
        if self.are_cells { bytes / CELLS * PLAIN_LINE } else { bytes }
    }

    /// Sends the rows, if there are any. Returns `None` if the receiver was dropped.
    fn send(&mut self, out: &BlockSender<'_>) -> Option<()> {
        if self.block.read().is_empty() {
            return Some(());
        }
        let block = std::mem::replace(&mut self.block, out.empty_block());
        out.send(if self.are_cells { Event::Cells(block) } else { Event::Block(block) })
    }
}

//! Sends tables to the cutter.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use super::numbers::NumberGrids;
use super::{Batches, Texts, open, open_whole};
use crate::input::blocks::{BLOCK_BYTES, Block, BlockSender, Event};
use crate::input::source::unreadable;
use crate::input::{Format, InputOptions, Layout, Source};
use quadrille_model::Error;

/// Result of sending a source: `Ok`, an error from reading, or `None` if the receiver was dropped.
type Sent = Option<Result<(), Error>>;

/// Sends a source if it is a table or an array of numbers, and returns any other source.
pub(in crate::input) fn send(
    source: Source,
    name: &Arc<str>,
    options: &InputOptions,
    read: &Arc<AtomicU64>,
    out: &BlockSender<'_>,
) -> ControlFlow<Sent, Source> {
    if let Source::Numbers { side, numbers, .. } = source {
        return ControlFlow::Break(send_numbers(NumberGrids::new(Arc::clone(name), side, numbers), out));
    }
    let asked = options.format.filter(|&format| Format::is_table(format));
    let opened = match (open_whole(source, name, read), asked) {
        (Err(error), _) => return ControlFlow::Break(Some(Err(error))),
        (Ok(Err(source)), None) => return ControlFlow::Continue(source),
        (Ok(Err(_)), Some(asked)) => Err(format!("not {}: its first bytes differ", asked.name())),
        (Ok(Ok(whole)), _) => open(whole, options),
    };
    ControlFlow::Break(match opened {
        Ok((layout, batches)) => send_table(name, layout, batches, out),
        Err(reason) => Some(Err(unreadable(name, (0, 1, 0), reason))),
    })
}

/// Sends the grids of an array of numbers, or returns `None` if the receiver was dropped.
fn send_numbers(mut grids: NumberGrids, out: &BlockSender<'_>) -> Sent {
    out.send(Event::Layout(Box::new(grids.layout())))?;
    loop {
        let mut block = out.empty_block();
        let read = grids.write(BLOCK_BYTES, &mut block.bytes);
        send_rows(&mut block, out)?;
        match read {
            Ok(true) => {}
            Ok(false) => return Some(Ok(())),
            Err(error) => return Some(Err(error)),
        }
    }
}

/// Sends the layout and rows of a table, or returns `None` if the receiver was dropped.
fn send_table(name: &Arc<str>, layout: Layout, batches: Batches, out: &BlockSender<'_>) -> Sent {
    let columns = layout.columns.clone();
    out.send(Event::Layout(Box::new(layout)))?;
    let mut rows = 0;
    let mut block = out.empty_block();
    for batch in batches {
        let batch = match batch {
            Ok(batch) => batch,
            Err(error) => {
                send_rows(&mut block, out)?;
                let reason = format!("it cannot be read further: {error}");
                return Some(Err(unreadable(name, (0, rows + 1, 0), reason)));
            }
        };
        let texts = Texts::new(&batch, &columns);
        for row in 0..batch.num_rows() {
            texts.write(row, &mut block.bytes);
            if block.bytes.len() >= BLOCK_BYTES {
                send_rows(&mut block, out)?;
            }
        }
        rows += batch.num_rows() as u64;
        // The thread that finds records in the blocks may be idle. It then gets the finished rows now and
        // does not wait for the next batch.
        if out.to_cutter.is_empty() {
            send_rows(&mut block, out)?;
        }
    }
    send_rows(&mut block, out)?;
    Some(Ok(()))
}

/// Sends the rows of a block, if it has any, and empties it. Returns `None` if the receiver was dropped.
fn send_rows(block: &mut Block, out: &BlockSender<'_>) -> Option<()> {
    if block.read().is_empty() {
        return Some(());
    }
    out.send(Event::Block(std::mem::replace(block, out.empty_block())))
}

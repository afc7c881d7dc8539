//! Blocks of bytes, and the messages in which the reading thread sends blocks to the reader.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use crossbeam_channel::Sender;

use super::Layout;
use quadrille_model::Error;

/// Bytes requested by one read.
pub(super) const BLOCK_BYTES: usize = 256 << 10;
/// Minimum free space at the start of a block, in bytes.
///
/// The unread end of the previous block is copied there.
pub(super) const HEADROOM: usize = 4 << 10;

/// Bytes that were read from a source. There is free space before them, into which the unread end of the
/// previous block is copied.
pub(super) struct Block {
    pub(super) bytes: Vec<u8>,
    /// Offset in `bytes` of the first byte that was read: [`HEADROOM`] or a little more.
    pub(super) begin: usize,
}

impl Block {
    /// Returns the bytes that were read.
    pub(super) fn read(&self) -> &[u8] {
        &self.bytes[self.begin..]
    }
}

/// A message from the reading thread to the reader.
pub(super) enum Event {
    /// A new source begins. Holds the name of the source.
    Open(Arc<str>),
    /// The layout of a table. It is sent before any text of the table.
    Layout(Box<Layout>),
    /// Some decompressed bytes of the current source.
    Block(Block),
    /// The current source has ended. Holds the error if reading failed.
    End(Result<(), Error>),
}

/// The sending side of the channel, used by the reading thread.
pub(super) struct BlockSender<'a> {
    pub(super) to_cutter: &'a Sender<Event>,
    pub(super) spare: &'a Mutex<Vec<Vec<u8>>>,
    /// Decompressed bytes sent so far.
    pub(super) unpacked: &'a AtomicU64,
}

impl BlockSender<'_> {
    /// Sends a message to the reader. Returns `None` if the receiver was dropped.
    pub(super) fn send(&self, event: Event) -> Option<()> {
        if let Event::Block(block) = &event {
            self.unpacked.fetch_add(block.read().len() as u64, Ordering::Relaxed);
        }
        self.to_cutter.send(event).ok()
    }

    /// Returns a used block to be filled again, or `None` if there is none.
    pub(super) fn used(&self) -> Option<Vec<u8>> {
        self.spare.lock().unwrap_or_else(PoisonError::into_inner).pop()
    }

    /// Returns an empty block for rows that the reading thread writes itself.
    pub(super) fn empty_block(&self) -> Block {
        let mut bytes = self.used().unwrap_or_default();
        bytes.clear();
        bytes.resize(HEADROOM, 0);
        Block { bytes, begin: HEADROOM }
    }
}

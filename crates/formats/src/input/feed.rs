//! The thread that reads sources ahead.

use std::io::{self, Read};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use crossbeam_channel::{Receiver, Sender, bounded, unbounded};

#[cfg(not(feature = "parquet"))]
use super::Format;
use super::{InputOptions, Source, decompress};
#[cfg(feature = "parquet")]
use super::{Layout, row_text::CELLS, table};
#[cfg(feature = "parquet")]
use quadrille_model::PLAIN_LINE;
use quadrille_model::faults;
use quadrille_model::{Error, ErrorKind, Location, message_of};

/// Bytes that one read asks for.
pub(super) const BLOCK_BYTES: usize = 256 << 10;
/// Bytes kept free at the front of a block, at least, for the end of the block before it.
pub(super) const HEADROOM: usize = 4 << 10;
/// The address that the system copies to is a multiple of this, a line of the cache. A piece of memory of this size begins 16 bytes
/// behind a page, and to such an address Zen 4 copies at a third of the speed.
const READ_ALIGNMENT: usize = 64;
/// Blocks read ahead of the cutter.
const BLOCKS_AHEAD: usize = 4;
/// Bytes of all sources that are read without a thread: a pipe holds as many.
const AT_HAND_BYTES: usize = 64 << 10;
/// Used blocks that are kept.
const SPARE_BLOCKS: usize = 2 * BLOCKS_AHEAD;

/// How far reading has come; cheap to copy, and readable from any thread.
#[derive(Debug, Clone)]
pub struct ReadProgress {
    read: Arc<AtomicU64>,
    total: Option<u64>,
    counts: Arc<Counts>,
}

/// Counts of a reader beside the bytes read.
#[derive(Debug, Default)]
struct Counts {
    /// Decompressed bytes that the reading thread handed on.
    unpacked: AtomicU64,
    /// Records and decompressed bytes of an earlier run that were passed.
    earlier_records: AtomicU64,
    earlier_bytes: AtomicU64,
}

impl ReadProgress {
    /// Bytes read from all sources so far, as they are stored (compressed ones before decompression).
    pub fn bytes_read(&self) -> u64 {
        self.read.load(Ordering::Relaxed)
    }

    /// Bytes of all sources, where every one of them is a regular file or in memory.
    pub fn total_bytes(&self) -> Option<u64> {
        self.total
    }

    /// Records and decompressed bytes that were passed so far because an earlier run answered them.
    pub fn earlier(&self) -> (u64, u64) {
        let Counts { earlier_records, earlier_bytes, .. } = &*self.counts;
        (earlier_records.load(Ordering::Relaxed), earlier_bytes.load(Ordering::Relaxed))
    }

    /// Returns the bytes, as they are stored, that hold the first `unpacked` bytes after decompression. An estimate if a source
    /// is compressed.
    pub fn stored_bytes(&self, unpacked: u64) -> u64 {
        let all = self.counts.unpacked.load(Ordering::Relaxed);
        let part = u128::from(self.bytes_read()) * u128::from(unpacked.min(all));
        part.checked_div(all.into()).and_then(|part| u64::try_from(part).ok()).unwrap_or(0)
    }

    pub(super) fn passes(&self, records: u64, bytes: u64) {
        self.counts.earlier_records.store(records, Ordering::Relaxed);
        self.counts.earlier_bytes.store(bytes, Ordering::Relaxed);
    }
}

/// Bytes of a source, behind some that mean nothing: room for what the block before has left over.
pub(super) struct Block {
    pub(super) bytes: Vec<u8>,
    /// Where what was read begins: at [`HEADROOM`] or a little behind it.
    pub(super) begin: usize,
}

impl Block {
    /// What was read.
    pub(super) fn read(&self) -> &[u8] {
        &self.bytes[self.begin..]
    }
}

/// The messages of the reading thread to the reader.
pub(super) enum Event {
    /// A source begins.
    Open(Arc<str>),
    /// Its layout, where that is known before any of its text is: it is a table.
    #[cfg(feature = "parquet")]
    Layout(Box<Layout>),
    /// Some of its decompressed bytes.
    Block(Block),
    /// Some of its rows as [bare cells](super::Chunk::are_cells).
    #[cfg(feature = "parquet")]
    Cells(Block),
    /// It has ended, well or not.
    End(Result<(), Error>),
}

impl Event {
    /// Bytes of text that it brings; bare cells count as the lines that they stand for.
    fn text_bytes(&self) -> u64 {
        let bytes = match self {
            Event::Block(block) => block.read().len(),
            #[cfg(feature = "parquet")]
            Event::Cells(block) => block.read().len() / CELLS * PLAIN_LINE,
            _ => 0,
        };
        bytes as u64
    }
}

/// The reading thread, seen from the other side.
pub(super) struct Feed {
    pub(super) events: Receiver<Event>,
    /// Used blocks, the last one used on top: it is the one most likely to be in a cache.
    spare: Arc<Mutex<Vec<Vec<u8>>>>,
    pub(super) progress: ReadProgress,
    /// All has been read: no event is waited for.
    pub(super) is_at_hand: bool,
    /// Sources that no event has opened.
    pub(super) unopened: usize,
}

impl Feed {
    /// Starts reading all sources, one after the other. The thread ends by itself when the receiver is gone. A short input that
    /// is at hand is read here and now, without a thread.
    pub(super) fn start(mut sources: Vec<Source>, options: &InputOptions, with_cells: bool) -> Self {
        let options = options.clone();
        let spare = Arc::new(Mutex::new(Vec::with_capacity(SPARE_BLOCKS)));
        let used = Arc::clone(&spare);
        let total = sources.iter().map(Source::size).sum();
        let is_at_hand = fetch_all(&mut sources);
        let unopened = sources.len();
        let (to_cutter, events) = if is_at_hand { unbounded() } else { bounded(BLOCKS_AHEAD) };
        let progress = ReadProgress { read: Arc::default(), total, counts: Arc::default() };
        let (read, counts) = (Arc::clone(&progress.read), Arc::clone(&progress.counts));
        let run = move || {
            for source in sources {
                let name: Arc<str> = source.name().into();
                if to_cutter.send(Event::Open(Arc::clone(&name))).is_err() {
                    return;
                }
                let out = BlockSender { to_cutter: &to_cutter, spare: &used, counts: &counts, with_cells };
                let reading = || read_source(source, &name, &options, &read, &out);
                let result = match catch_unwind(AssertUnwindSafe(reading)) {
                    Ok(Some(result)) => result,
                    Ok(None) => return,
                    Err(panic) => {
                        let message = format!("reading {name} panicked: {}", message_of(panic.as_ref()));
                        Err(ErrorKind::Internal(message).into())
                    }
                };
                if to_cutter.send(Event::End(result)).is_err() {
                    return;
                }
            }
        };
        if is_at_hand {
            run();
        } else {
            // Without a thread the channel closes at once, and the reader reports that sources are missing.
            let _ = thread::Builder::new().name("quadrille-read".into()).spawn(run);
        }
        Feed { events, spare, progress, is_at_hand, unopened }
    }

    /// Returns the error of a thread that ended before it read all sources; `None` if it read them all. Returns an error once.
    pub(super) fn lost(&mut self) -> Option<Error> {
        let unopened = std::mem::take(&mut self.unopened);
        (unopened > 0).then(|| ErrorKind::Internal("the reading thread ended early".to_owned()).into())
    }

    /// Takes a used block back.
    pub(super) fn recycle(&self, block: Vec<u8>) {
        let mut spare = self.spare.lock().unwrap_or_else(PoisonError::into_inner);
        if spare.len() < SPARE_BLOCKS {
            spare.push(block);
        }
    }
}

/// The way from the reading thread to the reader.
struct BlockSender<'a> {
    to_cutter: &'a Sender<Event>,
    spare: &'a Mutex<Vec<Vec<u8>>>,
    counts: &'a Counts,
    /// Blocks may be bare cells.
    #[cfg_attr(not(feature = "parquet"), expect(dead_code, reason = "tables alone have bare cells"))]
    with_cells: bool,
}

impl BlockSender<'_> {
    /// Sends a message; `None` when the receiver is gone.
    fn send(&self, event: Event) -> Option<()> {
        self.counts.unpacked.fetch_add(event.text_bytes(), Ordering::Relaxed);
        self.to_cutter.send(event).ok()
    }

    /// A used block.
    fn used(&self) -> Option<Vec<u8>> {
        self.spare.lock().unwrap_or_else(PoisonError::into_inner).pop()
    }

    /// A block for what is made here.
    #[cfg(feature = "parquet")]
    fn empty_block(&self) -> Block {
        let mut bytes = self.used().unwrap_or_default();
        bytes.clear();
        bytes.resize(HEADROOM, 0);
        Block { bytes, begin: HEADROOM }
    }
}

/// Reads sources into memory, as long as that takes no waiting; true if all of them are there, few bytes, and text as it
/// stands: what is compressed may be of any length.
fn fetch_all(sources: &mut [Source]) -> bool {
    let mut left = AT_HAND_BYTES;
    for source in sources {
        let fetched = std::mem::replace(source, Source::Stdin).fetch(left);
        *source = fetched;
        match source {
            Source::Bytes { bytes, .. } if bytes.len() <= left && decompress::is_plain(bytes) => {
                left -= bytes.len();
            }
            _ => return false,
        }
    }
    true
}

/// Reads a source to its end; `None` when the receiver is gone.
fn read_source(
    source: Source,
    name: &Arc<str>,
    options: &InputOptions,
    read: &Arc<AtomicU64>,
    out: &BlockSender<'_>,
) -> Option<Result<(), Error>> {
    #[cfg(feature = "parquet")]
    let source = match table::open(source, options, read) {
        Err(error) => return Some(Err(error)),
        Ok(table::Opened::Text(source)) => source,
        Ok(table::Opened::Table(table)) => return send_table(*table, out),
        Ok(table::Opened::Numbers(grids)) => return send_numbers(grids, out),
    };
    #[cfg(not(feature = "parquet"))]
    if options.format.is_some_and(Format::is_table) {
        let place = Location { source: Arc::clone(name), record: 0, line: 1, byte: 0 };
        return Some(Err(ErrorKind::Input {
            place,
            reason: format!("a table: {}", decompress::GET_PARQUET),
        }
        .into()));
    }
    let raw = match source.open() {
        Ok(raw) => Counted { raw, read: Arc::clone(read) },
        Err(error) => return Some(Err(error)),
    };
    let failed = |byte: u64, cause: io::Error| match decompress::hint_of(&cause, name) {
        Some(reason) => {
            let place = Location { source: Arc::clone(name), record: 0, line: 1, byte };
            ErrorKind::Input { place, reason }.into()
        }
        None => Error::io("reading", &**name, byte, cause),
    };
    let mut stream = match decompress::open(raw) {
        Ok(stream) => stream,
        Err(cause) => return Some(Err(failed(0, cause))),
    };
    let mut done = 0;
    loop {
        faults::reach("read");
        let used = out.used();
        // A new block is zero where the system has it so: what a short input does not fill is never touched.
        let mut bytes = used.unwrap_or_else(|| vec![0; HEADROOM + READ_ALIGNMENT + BLOCK_BYTES]);
        bytes.resize(HEADROOM + READ_ALIGNMENT + BLOCK_BYTES, 0);
        let begin = HEADROOM + bytes[HEADROOM..].as_ptr().align_offset(READ_ALIGNMENT).min(READ_ALIGNMENT);
        match stream.read(&mut bytes[begin..][..BLOCK_BYTES]) {
            Ok(0) => return Some(Ok(())),
            Ok(read) => {
                bytes.truncate(begin + read);
                done += read as u64;
                out.send(Event::Block(Block { bytes, begin }))?;
            }
            Err(cause) if cause.kind() == io::ErrorKind::Interrupted => {}
            Err(cause) => return Some(Err(failed(done, cause))),
        }
    }
}

/// Sends the grids of an array of numbers; `None` when the receiver is gone.
#[cfg(feature = "parquet")]
fn send_numbers(mut grids: table::NumberGrids, out: &BlockSender<'_>) -> Option<Result<(), Error>> {
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

/// Sends layout and text of all rows of a table; `None` when the receiver is gone.
#[cfg(feature = "parquet")]
fn send_table(table: table::Table, out: &BlockSender<'_>) -> Option<Result<(), Error>> {
    let table::Table { name, layout, columns, batches } = table;
    out.send(Event::Layout(Box::new(layout)))?;
    let mut rows = 0;
    let mut unsent = Unsent { block: out.empty_block(), are_cells: false };
    for batch in batches {
        let batch = match batch {
            Ok(batch) => batch,
            Err(error) => {
                unsent.send(out)?;
                let place = Location { source: name, record: 0, line: rows + 1, byte: 0 };
                let reason = format!("it cannot be read further: {error}");
                return Some(Err(ErrorKind::Input { place, reason }.into()));
            }
        };
        let texts = table::Texts::new(&batch, &columns);
        let mut row = 0;
        while row < batch.num_rows() {
            // As many rows as fit are bare cells or none of them is: a bad row among many costs a block of text.
            let space = BLOCK_BYTES.saturating_sub(unsent.text_bytes()).max(1);
            let window = row..batch.num_rows().min(row + space.div_ceil(PLAIN_LINE));
            let are_cells = out.with_cells && texts.are_cells(window.clone());
            if unsent.are_cells != are_cells {
                unsent.send(out)?;
                unsent.are_cells = are_cells;
            }
            if are_cells {
                texts.write_cells(window.clone(), &mut unsent.block.bytes);
                row = window.end;
            }
            while row < window.end && unsent.text_bytes() < BLOCK_BYTES {
                let space = BLOCK_BYTES - unsent.text_bytes();
                row += texts.write_some(row..window.end, space, &mut unsent.block.bytes);
            }
            if unsent.text_bytes() >= BLOCK_BYTES - texts.usual_bytes() {
                unsent.send(out)?;
            }
        }
        rows += batch.num_rows() as u64;
        // What is there is answered while the next batch is waited for.
        if out.to_cutter.is_empty() {
            unsent.send(out)?;
        }
    }
    unsent.send(out)?;
    Some(Ok(()))
}

/// Rows of a table that were not sent yet.
#[cfg(feature = "parquet")]
struct Unsent {
    block: Block,
    are_cells: bool,
}

#[cfg(feature = "parquet")]
impl Unsent {
    /// Bytes of their text, also where they are bare cells: a block of these has as many rows as one of text, and so fills as many chunks.
    fn text_bytes(&self) -> usize {
        let bytes = self.block.read().len();
        if self.are_cells { bytes / CELLS * PLAIN_LINE } else { bytes }
    }

    /// Sends them, if there are any; `None` when the receiver is gone.
    fn send(&mut self, out: &BlockSender<'_>) -> Option<()> {
        if self.block.read().is_empty() {
            return Some(());
        }
        let block = std::mem::replace(&mut self.block, out.empty_block());
        out.send(if self.are_cells { Event::Cells(block) } else { Event::Block(block) })
    }
}

/// Counts the bytes that pass.
struct Counted<R> {
    raw: R,
    read: Arc<AtomicU64>,
}

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let bytes = self.raw.read(buffer)?;
        self.read.fetch_add(bytes as u64, Ordering::Relaxed);
        Ok(bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn source(bytes: &[u8]) -> Source {
        Source::Bytes { name: "some".into(), bytes: bytes.to_vec() }
    }

    #[test]
    fn a_thread_reads_what_is_long_or_may_become_so() {
        let is_at_hand = |mut sources: Vec<Source>| fetch_all(&mut sources);
        let half = vec![b'.'; AT_HAND_BYTES / 2];
        assert!(is_at_hand(vec![]) && is_at_hand(vec![source(b"")]));
        assert!(is_at_hand(vec![source(&half), source(&half)]));
        assert!(!is_at_hand(vec![source(&half), source(&half), source(b".")]));
        for start in [&b"\x1f\x8b"[..], b"\x28\xb5\x2f\xfd", b"PAR1", b"ARROW1", b"PK\x03\x04"] {
            assert!(!is_at_hand(vec![source(b"1..."), source(start)]), "{start:?}");
        }
        let stream = Source::Stream { name: "stream".into(), stream: Box::new(io::empty()) };
        assert!(!is_at_hand(vec![stream]));
    }

    #[test]
    fn blocks_are_read_to_where_the_system_copies_fast() {
        let bytes = vec![b'.'; 3 * BLOCK_BYTES];
        let feed = Feed::start(vec![source(&bytes)], &InputOptions::default(), false);
        let mut read = 0;
        for event in &feed.events {
            if let Event::Block(block) = event {
                assert!(block.begin >= HEADROOM && block.read().len() <= BLOCK_BYTES);
                assert_eq!(block.read().as_ptr().addr() % READ_ALIGNMENT, 0);
                read += block.read().len();
                // As if something had stood before it; the next one begins elsewhere in it.
                let mut used = block.bytes;
                used.insert(0, b'.');
                feed.recycle(used);
            }
        }
        assert_eq!(read, bytes.len());
    }
}

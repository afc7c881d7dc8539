//! Compressed output: gzip and zstd.
//!
//! The bytes are cut into blocks of [`BLOCK_BYTES`], and every block becomes a complete gzip member or zstd frame; both
//! formats allow any number of them. So any thread can compress a block, and a file can be cut off and continued after
//! each. Blocks do not depend on threads or on the sizes of writes. Only [`PackedOutput::flush_all`] ends a block early.
//!
//! ```text
//! the writer: fills a block -> waiting -> any thread: taken -> packed -> the writer: writes it when it is the first
//! ```

use std::collections::VecDeque;
use std::fmt;
use std::io::{self, Write};
use std::mem;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use libdeflater::{CompressionLvl, crc32};
use quadrille_model::message_of;
use zstd::zstd_safe::{CParameter, ParamSwitch};

/// Number of bytes in a block before compression.
///
/// Blocks of 4 MiB would make the output 0.3 % smaller for gzip, and 2.6 % smaller for zstd.
const BLOCK_BYTES: usize = 256 << 10;

/// Header of a gzip member, up to the value of the extra field. The value, which follows this header, is the
/// size of the member.
///
/// pgzip and crabz use the same extra field. It allows readers to decompress several members at the same
/// time.
const GZIP_HEADER: &[u8] = b"\x1f\x8b\x08\x04\0\0\0\0\0\xff\x08\0IG\x04\0";
/// Number of bytes that the size of a member takes up.
const GZIP_SIZE: usize = 4;

/// The zstd level that [`FAST_ZSTD`] makes faster.
const FAST_ZSTD_LEVEL: i32 = 1;
/// Parameters with which zstd compresses rows twice as fast as its own level 1, while files stay at most 10 % larger than
/// those of `gzip -6`.
///
/// Digits repeat by chance in short sequences. So only matches of 7 bytes are looked for, and positions are skipped. The
/// remaining bytes are still Huffman-coded, which zstd would leave out if it skips positions.
const FAST_ZSTD: [CParameter; 3] = [
    CParameter::MinMatch(7),
    CParameter::TargetLength(16),
    CParameter::LiteralCompressionMode(ParamSwitch::Enable),
];

/// A compression format for output.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Packing {
    /// gzip members.
    Gzip,
    /// zstd frames.
    Zstd,
}

impl Packing {
    /// All compression formats.
    pub const ALL: [Packing; 2] = [Packing::Gzip, Packing::Zstd];
    /// Compression levels, from the fastest to the one with the smallest output.
    pub const LEVELS: std::ops::RangeInclusive<u8> = 1..=9;
    /// Default level of compression. Its files are at most 10 % larger than those of `gzip -6`.
    pub const LEVEL: u8 = 1;

    /// Returns the file name extension of the compression format, without the dot.
    pub fn ending(self) -> &'static str {
        match self {
            Packing::Gzip => "gz",
            Packing::Zstd => "zst",
        }
    }
}

/// A compressor of one thread.
enum Compressor {
    Gzip(libdeflater::Compressor),
    Zstd(zstd::bulk::Compressor<'static>),
}

impl Compressor {
    fn new(packing: Packing, level: u8) -> io::Result<Self> {
        let level = i32::from(level);
        Ok(match packing {
            Packing::Gzip => {
                let level = CompressionLvl::new(level).unwrap_or_default();
                Compressor::Gzip(libdeflater::Compressor::new(level))
            }
            Packing::Zstd => {
                let mut compressor = zstd::bulk::Compressor::new(level)?;
                compressor.include_checksum(true)?;
                if level == FAST_ZSTD_LEVEL {
                    FAST_ZSTD.into_iter().try_for_each(|parameter| compressor.set_parameter(parameter))?;
                }
                Compressor::Zstd(compressor)
            }
        })
    }

    /// Compresses a block to a complete gzip member or zstd frame.
    fn pack(&mut self, block: &[u8]) -> io::Result<Vec<u8>> {
        match self {
            Compressor::Gzip(compressor) => {
                let begin = GZIP_HEADER.len() + GZIP_SIZE;
                let mut member = vec![0; begin + compressor.deflate_compress_bound(block.len())];
                member[..GZIP_HEADER.len()].copy_from_slice(GZIP_HEADER);
                let bytes =
                    compressor.deflate_compress(block, &mut member[begin..]).map_err(io::Error::other)?;
                member.truncate(begin + bytes);
                member.extend(crc32(block).to_le_bytes());
                member.extend((block.len() as u32).to_le_bytes());
                let size = member.len() as u32;
                member[GZIP_HEADER.len()..begin].copy_from_slice(&size.to_le_bytes());
                Ok(member)
            }
            Compressor::Zstd(compressor) => compressor.compress(block),
        }
    }
}

type Sink = Box<dyn Write + Send>;

/// Block that has not been written to the file yet.
enum Block {
    Waiting(Vec<u8>),
    /// A thread compresses the block.
    Taken,
    Packed(io::Result<Vec<u8>>),
}

/// Blocks that are complete but not yet written, in order.
#[derive(Default)]
struct Queue {
    blocks: VecDeque<Block>,
    /// Number of blocks written so far. This is also the 0-based index, in the output, of the first block in
    /// `blocks`.
    written: usize,
    /// Maximum number of blocks that may be in the queue, waiting until a thread compresses them.
    held: usize,
    idle: Vec<Compressor>,
    /// Memory of blocks for reuse.
    spare: Vec<Vec<u8>>,
}

/// Destination of the output, and the block that is being filled.
struct Open {
    /// Destination, or `None` after the end was written or writing failed.
    sink: Option<Sink>,
    block: Vec<u8>,
    /// True if something was written, either by this run or by an earlier run that it continues.
    is_begun: bool,
}

struct Shared {
    packing: Packing,
    level: u8,
    /// True if flushed bytes are passed on immediately.
    flushes: bool,
    open: Mutex<Open>,
    queue: Mutex<Queue>,
    /// Signals that a block has been compressed.
    packed: Condvar,
}

/// Compressed output. A clone refers to the same output.
///
/// One clone writes, other threads use theirs to compress blocks, and the owner of the file ends the output. The
/// writer cannot end the output, because it does not know whether the output is complete.
#[derive(Clone)]
pub struct PackedOutput(Arc<Shared>);

impl fmt::Debug for PackedOutput {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("PackedOutput")
    }
}

impl PackedOutput {
    /// Creates an output that compresses to `sink`.
    ///
    /// `level` must be in [`Packing::LEVELS`]. If `flushes` is true, flushed bytes are passed on immediately,
    /// as pipes need. Otherwise a flush does nothing, so the output does not depend on flushes. If `is_begun`
    /// is true, `sink` continues a file that already has some content.
    pub fn new((packing, level): (Packing, u8), sink: Sink, flushes: bool, is_begun: bool) -> Self {
        let open = Open { sink: Some(sink), block: Vec::new(), is_begun };
        let (open, queue) = (Mutex::new(open), Mutex::default());
        PackedOutput(Arc::new(Shared { packing, level, flushes, open, queue, packed: Condvar::new() }))
    }
}

fn lock<T>(state: &Mutex<T>) -> MutexGuard<'_, T> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Write for PackedOutput {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut open = lock(&self.0.open);
        open.is_begun |= !bytes.is_empty();
        let room = BLOCK_BYTES - open.block.len();
        let taken = &bytes[..room.min(bytes.len())];
        open.block.extend_from_slice(taken);
        if taken.len() == room {
            let held = self.0.cut(&mut open);
            self.0.write(&mut open, held)?;
        }
        Ok(taken.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        if self.0.flushes { self.flush_all() } else { Ok(()) }
    }
}

impl Shared {
    /// Moves the current block to the queue. Returns the maximum number of blocks that may wait there.
    fn cut(&self, open: &mut Open) -> usize {
        let mut queue = lock(&self.queue);
        let empty = queue.spare.pop().unwrap_or_else(|| Vec::with_capacity(BLOCK_BYTES));
        queue.blocks.push_back(Block::Waiting(mem::replace(&mut open.block, empty)));
        queue.held
    }

    /// Compresses the first uncompressed block of the queue, or returns false if there is none.
    fn pack_one(&self) -> bool {
        let mut queue = lock(&self.queue);
        let Some(place) = queue.blocks.iter().position(|block| matches!(block, Block::Waiting(_))) else {
            return false;
        };
        let number = queue.written + place;
        let compressor = queue.idle.pop();
        let Block::Waiting(mut text) = mem::replace(&mut queue.blocks[place], Block::Taken) else {
            unreachable!("the block waits")
        };
        drop(queue);
        let mut compressor = compressor.map_or_else(|| Compressor::new(self.packing, self.level), Ok);
        let packed = match &mut compressor {
            // Panics are caught, because a block that is never completed would make the writer wait forever.
            Ok(compressor) => catch_unwind(AssertUnwindSafe(|| compressor.pack(&text)))
                .unwrap_or_else(|panic| Err(io::Error::other(message_of(panic.as_ref())))),
            Err(cause) => Err(io::Error::new(cause.kind(), cause.to_string())),
        };
        text.clear();
        let mut queue = lock(&self.queue);
        queue.idle.extend(compressor);
        queue.spare.push(text);
        let place = number - queue.written;
        queue.blocks[place] = Block::Packed(packed);
        drop(queue);
        self.packed.notify_all();
        true
    }

    /// Writes compressed blocks from the start of the queue.
    ///
    /// While more than `held` blocks are left, compresses blocks or waits for them. Then returns at the first
    /// block that is not compressed yet.
    fn write(&self, open: &mut Open, held: usize) -> io::Result<()> {
        let written = self.write_blocks(open, held);
        if written.is_err() {
            // Part of a block may have been written, so no other block may follow it.
            open.sink = None;
        }
        written
    }

    fn write_blocks(&self, open: &mut Open, held: usize) -> io::Result<()> {
        loop {
            let mut queue = lock(&self.queue);
            let waiting = queue.blocks.len();
            match queue.blocks.front_mut() {
                Some(Block::Packed(packed)) => {
                    let packed = mem::replace(packed, Ok(Vec::new()));
                    queue.blocks.pop_front();
                    queue.written += 1;
                    drop(queue);
                    let ended = || io::Error::other("the compressed output has ended");
                    open.sink.as_mut().ok_or_else(ended)?.write_all(&packed?)?;
                }
                Some(_) if waiting > held => {
                    drop(queue);
                    if !self.pack_one() {
                        let is_taken = |queue: &mut Queue| matches!(queue.blocks.front(), Some(Block::Taken));
                        drop(self.packed.wait_while(lock(&self.queue), is_taken));
                    }
                }
                _ => return Ok(()),
            }
        }
    }

    /// Ends the current block and writes all blocks.
    fn flush(&self, open: &mut Open) -> io::Result<()> {
        if !open.block.is_empty() {
            self.cut(open);
        }
        self.write(open, 0)?;
        open.sink.as_mut().map_or(Ok(()), Write::flush)
    }
}

impl PackedOutput {
    /// Announces that `threads` other threads will call [`help`](Self::help).
    ///
    /// After this call, up to `bytes` bytes of blocks may wait in the queue until these threads compress
    /// them.
    pub fn expect_help(&self, threads: usize, bytes: usize) {
        lock(&self.0.queue).held = (2 * threads).min(bytes / BLOCK_BYTES);
    }

    /// Compresses all blocks of the queue that are not compressed yet.
    pub fn help(&self) {
        while self.0.pack_one() {}
    }

    /// Writes all bytes received so far as complete gzip members or zstd frames, and flushes the file.
    ///
    /// # Errors
    /// Returns an error if writing fails.
    pub fn flush_all(&self) -> io::Result<()> {
        self.0.flush(&mut lock(&self.0.open))
    }

    /// Writes the remaining bytes and ends the output. A second call does nothing.
    ///
    /// A file without any bytes gets one empty gzip member or zstd frame.
    ///
    /// # Errors
    /// Returns an error if writing fails.
    pub fn finish(&self) -> io::Result<()> {
        let mut open = lock(&self.0.open);
        if open.sink.is_none() {
            return Ok(());
        }
        if !open.is_begun {
            self.0.cut(&mut open);
        }
        let flushed = self.0.flush(&mut open);
        open.sink = None;
        flushed
    }

    /// Returns true if something was written, either by this run or by an earlier run that it continues.
    pub fn is_begun(&self) -> bool {
        lock(&self.0.open).is_begun
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::Source;
    use std::io::Read;

    #[derive(Clone, Default)]
    struct Bytes(Arc<Mutex<Vec<u8>>>);

    impl Write for Bytes {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().unwrap().write(bytes)
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    fn text() -> Vec<u8> {
        (0..400_000u32).flat_map(|number| number.to_string().into_bytes()).collect()
    }

    fn unpacked(packed: Vec<u8>) -> Vec<u8> {
        let mut read = Vec::new();
        let source = Source::Bytes { name: "packed".to_owned(), bytes: packed };
        source.open_unpacked().unwrap().read_to_end(&mut read).unwrap();
        read
    }

    /// Returns the compressed output of a text.
    ///
    /// The text is written in pieces of `every` bytes, while `helpers` other threads help to compress it.
    fn packed(packing: Packing, text: &[u8], every: usize, helpers: usize) -> Vec<u8> {
        let sink = Bytes::default();
        let output = PackedOutput::new((packing, 1), Box::new(sink.clone()), false, false);
        let mut writer = output.clone();
        output.expect_help(helpers, usize::MAX);
        let is_over = std::sync::atomic::AtomicBool::new(false);
        std::thread::scope(|scope| {
            for _ in 0..helpers {
                scope.spawn(|| {
                    while !is_over.load(std::sync::atomic::Ordering::Relaxed) {
                        output.help();
                        std::thread::yield_now();
                    }
                });
            }
            assert!(!output.is_begun());
            for piece in text.chunks(every) {
                writer.write_all(piece).unwrap();
                writer.flush().unwrap();
            }
            assert_eq!(output.is_begun(), !text.is_empty());
            drop(writer);
            output.finish().unwrap();
            output.finish().unwrap();
            is_over.store(true, std::sync::atomic::Ordering::Relaxed);
        });
        sink.0.lock().unwrap().clone()
    }

    #[test]
    fn compressed_output_is_the_same_for_all_threads_and_pieces() {
        let text = text();
        for packing in Packing::ALL {
            let alone = packed(packing, &text, 1000, 0);
            assert!(alone.len() < text.len() / 2);
            for (every, helpers) in [(1000, 1), (BLOCK_BYTES, 2), (3 * BLOCK_BYTES + 1, 3)] {
                assert!(packed(packing, &text, every, helpers) == alone, "{every} {helpers}");
            }
            if packing == Packing::Gzip {
                let mut rest = &alone[..];
                while let Some(header) = rest.first_chunk::<20>() {
                    assert_eq!(header[12..16], *b"IG\x04\0");
                    rest = &rest[u32::from_le_bytes(*header.last_chunk().unwrap()) as usize..];
                }
                assert!(rest.is_empty());
            }
            assert!(unpacked(alone) == text);
            for short in [&b""[..], b"one row\n"] {
                assert_eq!(unpacked(packed(packing, short, 3, 0)), short);
            }
        }
    }

    #[test]
    fn a_file_is_readable_after_every_flush_and_can_be_continued_there() {
        let text = text();
        let (first, second) = text.split_at(BLOCK_BYTES + 5);
        for packing in Packing::ALL {
            let sink = Bytes::default();
            let open = |is_begun| PackedOutput::new((packing, 9), Box::new(sink.clone()), false, is_begun);
            let mut output = open(false);
            output.write_all(first).unwrap();
            output.flush_all().unwrap();
            assert!(unpacked(sink.0.lock().unwrap().clone()) == first);
            let mut output = open(true);
            output.write_all(second).unwrap();
            output.finish().unwrap();
            assert!(unpacked(sink.0.lock().unwrap().clone()) == text);
            let bytes = sink.0.lock().unwrap().len();
            open(true).finish().unwrap();
            assert_eq!(sink.0.lock().unwrap().len(), bytes);
        }
    }

    #[test]
    fn nothing_is_written_after_an_error() {
        struct Full(usize);
        impl Write for Full {
            fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
                self.0 = self.0.checked_sub(1).ok_or(io::ErrorKind::StorageFull)?;
                Ok(bytes.len())
            }

            fn flush(&mut self) -> io::Result<()> {
                Ok(())
            }
        }
        let text = text();
        let mut output = PackedOutput::new((Packing::Gzip, 1), Box::new(Full(2)), false, false);
        assert_eq!(output.write_all(&text).unwrap_err().kind(), io::ErrorKind::StorageFull);
        output.finish().unwrap();
    }
}
